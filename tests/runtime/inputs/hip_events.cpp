// Events of one device that streams of another wait for: kernels of three devices in turn, each of what the one before
// it has written. FLY_EMULATE_DELAY makes a stream that does not wait too early.
#include "hip_check.h"

#include "fly/runtime.h"

constexpr int devices = 3, turns = 9, n = 300;

int main(int, char **arguments) {
  std::vector<Scale> scales;
  hipStream_t streams[devices];
  hipEvent_t events[devices];
  float *memory[devices];
  for (int d = 0; d < devices; ++d) {
    HIP(hipSetDevice(d));
    scales.emplace_back(arguments[1]);
    HIP(hipStreamCreateWithFlags(&streams[d], hipStreamNonBlocking));
    HIP(hipEventCreateWithFlags(&events[d], hipEventDisableTiming));
    HIP(hipMalloc(reinterpret_cast<void **>(&memory[d]), n * 4));
    HIP(hipMemset(memory[d], 0, n * 4));
    HIP(hipDeviceSynchronize());
    for (int other = 0; other < devices; ++other)
      if (other != d)
        HIP(hipDeviceEnablePeerAccess(other, 0));
  }
  // y[i + 1] = 2 y[i] + 1, in the memory of the next device; the current device is always the last one.
  float expected = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const int d = turn % devices, next = (d + 1) % devices;
    HIP(hipSetDevice(d));
    HIP(scales[size_t(d)].launch(memory[d], memory[next], n, 2, streams[d]));
    HIP(hipSetDevice(devices - 1));
    HIP(hipEventRecord(events[d], streams[d]));
    if (turn % 2)
      HIP(hipStreamWaitEvent(streams[next], events[d], 0));
    else
      EXPECT(fly_stream_wait_event(streams[next], events[d]) == FLY_OK);
    expected = 2 * expected + 1;
  }
  bool is_done = true; // nothing has waited on the host, and the first of the operations is being delayed
  EXPECT(fly_stream_done(&is_done, streams[(turns - 1) % devices]) == FLY_OK && !is_done);
  HIP(hipEventSynchronize(events[(turns - 1) % devices]));
  EXPECT(fly_stream_done(&is_done, streams[(turns - 1) % devices]) == FLY_OK && is_done);
  std::vector<float> host(n);
  HIP(hipMemcpy(host.data(), memory[turns % devices], n * 4, hipMemcpyDeviceToHost));
  for (float value : host)
    EXPECT(value == expected);

  // An event that is recorded again is the later one for who waits then, and the earlier one for who waits already.
  HIP(hipSetDevice(0));
  HIP(scales[0].launch(memory[0], memory[1], n, 0, streams[0])); // 1
  HIP(hipEventRecord(events[0], streams[0]));
  HIP(hipStreamWaitEvent(streams[1], events[0], 0));
  HIP(scales[0].launch(memory[1], memory[2], n, 3, streams[0])); // 4
  HIP(hipEventRecord(events[0], streams[0]));
  HIP(hipStreamWaitEvent(streams[2], events[0], 0));
  HIP(hipSetDevice(2));
  HIP(scales[2].launch(memory[2], memory[2], n, 2, streams[2])); // 9
  HIP(hipStreamSynchronize(streams[2]));
  HIP(hipMemcpy(host.data(), memory[2], n * 4, hipMemcpyDeviceToHost));
  EXPECT(host[n - 1] == 9);

  // A stream of another device that waits for an event of a capture joins it. Such a graph is of several devices, which
  // the emulated HIP does not replay: the launch says so.
  hipGraph_t graph;
  hipGraphExec_t executable;
  HIP(hipSetDevice(0));
  HIP(hipStreamBeginCapture(streams[0], hipStreamCaptureModeThreadLocal));
  HIP(scales[0].launch(memory[0], memory[1], n, 2, streams[0]));
  HIP(hipEventRecord(events[0], streams[0]));
  HIP(hipStreamWaitEvent(streams[1], events[0], 0));
  HIP(hipSetDevice(1));
  HIP(scales[1].launch(memory[1], memory[2], n, 2, streams[1]));
  HIP(hipEventRecord(events[1], streams[1]));
  HIP(hipStreamWaitEvent(streams[0], events[1], 0));
  HIP(hipStreamEndCapture(streams[0], &graph));
  HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  HIP(hipSetDevice(0));
  FAILS(hipErrorInvalidHandle, hipGraphLaunch(executable, streams[0]));
  std::puts("events: good");
}
