// Graphs of plain HIP: captured over two streams, replayed on new data; made node by node, changed, cloned; and what a
// capture forbids.
#include "hip_check.h"

#include <thread>

/// The nodes of a capture stay until it ends; a stream that is destroyed ends the capture that began in it.
static void endedCaptures(float *memory) {
  hipStream_t origin, joined;
  hipEvent_t fork;
  HIP(hipStreamCreate(&origin));
  HIP(hipStreamCreate(&joined));
  HIP(hipEventCreate(&fork));
  HIP(hipStreamBeginCapture(origin, hipStreamCaptureModeGlobal));
  HIP(hipMemsetAsync(memory, 0, 4, origin));
  hipStreamCaptureStatus status;
  const hipGraphNode_t *tails;
  size_t count;
  HIP(hipStreamGetCaptureInfo_v2(origin, &status, nullptr, nullptr, &tails, &count));
  EXPECT(count == 1);
  FAILS(hipErrorInvalidValue, hipGraphDestroyNode(tails[0]));
  HIP(hipEventRecord(fork, origin));
  HIP(hipStreamWaitEvent(joined, fork, 0));
  HIP(hipMemsetAsync(memory, 0, 4, joined));
  HIP(hipStreamDestroy(origin));
  HIP(hipStreamIsCapturing(joined, &status));
  EXPECT(status == hipStreamCaptureStatusNone);
  void *allocated; // no capture forbids it
  HIP(hipMalloc(&allocated, 16));
  HIP(hipMemsetAsync(allocated, 0, 16, joined));
  HIP(hipStreamSynchronize(joined));
  HIP(hipFree(allocated));
  FAILS(hipErrorCapturedEvent, hipStreamWaitEvent(joined, fork, 0));
  HIP(hipStreamDestroy(joined));
}

int main(int, char **argv) {
  const int n = 777;
  const size_t bytes = n * sizeof(float);
  Scale scale(argv[1]);
  float *host, *result, *x, *y, *z;
  HIP(hipHostMalloc(reinterpret_cast<void **>(&host), bytes, 0));
  HIP(hipHostMalloc(reinterpret_cast<void **>(&result), bytes, 0));
  HIP(hipMalloc(reinterpret_cast<void **>(&x), bytes));
  HIP(hipMalloc(reinterpret_cast<void **>(&y), bytes));
  HIP(hipMalloc(reinterpret_cast<void **>(&z), bytes));
  hipStream_t stream, other;
  HIP(hipStreamCreate(&stream));
  HIP(hipStreamCreate(&other));
  hipEvent_t fork, join;
  HIP(hipEventCreate(&fork));
  HIP(hipEventCreate(&join));

  // Captured: x and z are filled at once, the kernel needs both.
  for (int i = 0; i < n; ++i)
    host[i] = -1;
  hipStreamCaptureStatus status;
  unsigned long long id;
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP(hipStreamGetCaptureInfo(stream, &status, &id));
  EXPECT(status == hipStreamCaptureStatusActive && id != 0);
  HIP(hipEventRecord(fork, stream));
  HIP(hipStreamWaitEvent(other, fork, 0));
  HIP(hipMemcpyAsync(x, host, bytes, hipMemcpyHostToDevice, stream));
  HIP(hipMemsetAsync(z, 0, bytes, other));
  HIP(scale.launch(z, z, n, 1.0f, other));
  HIP(hipEventRecord(join, other));
  HIP(scale.launch(x, y, n, 2.0f, stream));
  HIP(hipStreamWaitEvent(stream, join, 0));
  HIP(hipMemcpyAsync(result, y, bytes, hipMemcpyDeviceToHost, stream));
  // Calls that would have to wait are refused meanwhile, also in other threads, and do no harm.
  void *nothing;
  FAILS(hipErrorStreamCaptureUnsupported, hipMalloc(&nothing, 16));
  FAILS(hipErrorStreamCaptureUnsupported, hipModuleUnload(scale.module));
  std::thread([&] {
    FAILS(hipErrorStreamCaptureUnsupported, hipFree(x));
    hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
    HIP(hipThreadExchangeStreamCaptureMode(&mode));
    EXPECT(mode == hipStreamCaptureModeGlobal);
    HIP(hipMalloc(&nothing, 16));
  }).join();
  hipGraph_t graph;
  HIP(hipStreamEndCapture(stream, &graph));
  HIP(hipStreamIsCapturing(other, &status));
  EXPECT(status == hipStreamCaptureStatusNone);
  size_t nodes = 0, roots = 0, edges = 0;
  HIP(hipGraphGetNodes(graph, nullptr, &nodes));
  HIP(hipGraphGetRootNodes(graph, nullptr, &roots));
  HIP(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT(nodes == 5 && roots == 2 && edges == 4);
  hipGraphExec_t run;
  HIP(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  HIP(hipGraphDestroy(graph));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < n; ++i)
      host[i] = static_cast<float>(i + round);
    HIP(hipGraphLaunch(run, stream));
    HIP(hipStreamSynchronize(stream));
    for (int i = 0; i < n; ++i)
      EXPECT(result[i] == 2.0f * static_cast<float>(i + round) + 1.0f);
  }
  HIP(hipMemcpy(result, z, bytes, hipMemcpyDeviceToHost));
  EXPECT(result[0] == 1.0f && result[n - 1] == 1.0f);
  HIP(hipGraphExecDestroy(run));

  // Captures that end badly.
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  FAILS(hipErrorStreamCaptureUnsupported, hipStreamSynchronize(stream));
  FAILS(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(stream, &graph));
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  HIP(hipEventRecord(fork, stream));
  HIP(hipStreamWaitEvent(other, fork, 0));
  HIP(hipMemsetAsync(z, 0, bytes, other));
  FAILS(hipErrorStreamCaptureUnmatched, hipStreamEndCapture(other, &graph));
  FAILS(hipErrorStreamCaptureUnjoined, hipStreamEndCapture(stream, &graph));
  FAILS(hipErrorIllegalState, hipStreamEndCapture(stream, &graph));
  FAILS(hipErrorStreamCaptureUnsupported, hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal));
  endedCaptures(z);

  // Made by hand.
  HIP(hipGraphCreate(&graph, 0));
  hipGraphNode_t set, kernel, copy, call;
  hipMemsetParams zeros = {};
  zeros.dst = x;
  zeros.elementSize = 4;
  zeros.width = n;
  zeros.height = 1;
  HIP(hipGraphAddMemsetNode(&set, graph, nullptr, 0, &zeros));
  float factor = 4;
  int count = n;
  void *from = x, *to = y, *arguments[] = {&from, &to, &count, &factor};
  hipKernelNodeParams launch = {};
  launch.func = reinterpret_cast<void *>(scale.function);
  launch.gridDim = dim3((n + 255) / 256);
  launch.blockDim = dim3(256);
  launch.kernelParams = arguments;
  HIP(hipGraphAddKernelNode(&kernel, graph, &set, 1, &launch));
  HIP(hipGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, result, y, bytes, hipMemcpyDeviceToHost));
  HIP(hipGraphAddDependencies(graph, &kernel, &copy, 1));
  static int called;
  hipHostNodeParams host_call = {[](void *) { ++called; }, nullptr};
  HIP(hipGraphAddHostNode(&call, graph, &copy, 1, &host_call));
  hipGraphNodeType type;
  HIP(hipGraphNodeGetType(kernel, &type));
  EXPECT(type == hipGraphNodeTypeKernel);
  HIP(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(run, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT(result[0] == 1.0f && result[n - 1] == 1.0f && called == 1);
  from = z; // all of z is 0 or 1: see above
  HIP(hipMemset(z, 0, bytes));
  HIP(hipGraphExecKernelNodeSetParams(run, kernel, &launch));
  zeros.dst = y;
  zeros.value = 0x40000000; // 2.0
  HIP(hipGraphExecMemsetNodeSetParams(run, set, &zeros));
  to = x;
  HIP(hipGraphExecKernelNodeSetParams(run, kernel, &launch));
  HIP(hipGraphLaunch(run, nullptr));
  HIP(hipDeviceSynchronize());
  EXPECT(result[5] == 2.0f && called == 2);
  // A graph in a graph, captured into a third.
  hipGraph_t outer, third;
  hipGraphNode_t child;
  HIP(hipGraphCreate(&outer, 0));
  HIP(hipGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  hipGraphExec_t whole;
  HIP(hipGraphInstantiate(&whole, outer, nullptr, nullptr, 0));
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  HIP(hipGraphLaunch(whole, stream));
  HIP(hipStreamEndCapture(stream, &third));
  hipGraphExec_t all;
  HIP(hipGraphInstantiate(&all, third, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(all, stream));
  HIP(hipGraphLaunch(all, stream));
  HIP(hipStreamSynchronize(stream));
  EXPECT(called == 4);
  // A circle cannot run.
  HIP(hipGraphAddDependencies(graph, &call, &set, 1));
  FAILS(hipErrorInvalidValue, hipGraphInstantiate(&whole, graph, nullptr, nullptr, 0));
  // Nor a kernel whose module is gone.
  HIP(hipModuleUnload(scale.module));
  HIP(hipGraphLaunch(all, stream));
  FAILS(hipErrorInvalidHandle, hipStreamSynchronize(stream));
  std::puts("graphs: good");
}
