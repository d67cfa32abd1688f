// Streams and events of plain HIP: order within a stream, across streams by events and by the default stream,
// callbacks, and memory that is old until the program has synchronised.
#include "hip_check.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <thread>

/// The stream's wait for a number: `before` does not end it, `after` does.
static void waitsFor(hipStream_t stream, unsigned *at, unsigned before, unsigned after, unsigned value,
                     unsigned condition, unsigned mask) {
  __atomic_store_n(at, before, __ATOMIC_RELEASE);
  HIP(hipStreamWaitValue32(stream, at, value, condition, mask));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT(hipStreamQuery(stream) == hipErrorNotReady);
  __atomic_store_n(at, after, __ATOMIC_RELEASE);
  for (int i = 0; i < 1000 && hipStreamQuery(stream) != hipSuccess; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  HIP(hipStreamQuery(stream));
}

int main(int, char **argv) {
  const int n = 1000;
  Scale scale(argv[1]);
  float *host, *x, *y, *z;
  HIP(hipHostMalloc(reinterpret_cast<void **>(&host), n * sizeof(float), hipHostMallocDefault));
  HIP(hipMalloc(reinterpret_cast<void **>(&x), n * sizeof(float)));
  HIP(hipMalloc(reinterpret_cast<void **>(&y), n * sizeof(float)));
  HIP(hipMalloc(reinterpret_cast<void **>(&z), n * sizeof(float)));
  hipStream_t first, second;
  HIP(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  HIP(hipStreamCreateWithPriority(&second, hipStreamNonBlocking, -1));
  hipEvent_t begin, ready, end;
  HIP(hipEventCreate(&begin));
  HIP(hipEventCreateWithFlags(&ready, hipEventDisableTiming));
  HIP(hipEventCreate(&end));

  // The stream waits for a number that the host writes, so what is queued after it cannot be over too early.
  unsigned *gate;
  HIP(hipHostMalloc(reinterpret_cast<void **>(&gate), sizeof *gate, 0));
  *gate = 0;
  for (int i = 0; i < n; ++i)
    host[i] = static_cast<float>(i);
  HIP(hipEventRecord(begin, first));
  HIP(hipStreamWaitValue32(first, gate, 1, hipStreamWaitValueGte, ~0u));
  HIP(hipMemcpyAsync(x, host, n * sizeof(float), hipMemcpyHostToDevice, first));
  HIP(scale.launch(x, y, n, 2.0f, first));
  HIP(hipEventRecord(ready, first));
  HIP(hipStreamWaitEvent(second, ready, 0));
  HIP(scale.launch(y, z, n, 3.0f, second));
  HIP(hipMemcpyAsync(host, z, n * sizeof(float), hipMemcpyDeviceToHost, second));
  HIP(hipEventRecord(end, second));
  // Nothing has come back yet: a program that reads here has a bug, and sees it.
  EXPECT(hipStreamQuery(second) == hipErrorNotReady && hipEventQuery(end) == hipErrorNotReady);
  EXPECT(hipGetLastError() == hipSuccess);
  EXPECT(host[7] == 7.0f);
  __atomic_store_n(gate, 1u, __ATOMIC_RELEASE);
  HIP(hipEventSynchronize(end));
  for (int i = 0; i < n; ++i)
    EXPECT(host[i] == 3.0f * (2.0f * static_cast<float>(i) + 1.0f) + 1.0f);
  float milliseconds = -1;
  HIP(hipEventElapsedTime(&milliseconds, begin, end));
  EXPECT(milliseconds >= 100); // six operations between them, each delayed by 20 ms
  FAILS(hipErrorInvalidHandle, hipEventElapsedTime(&milliseconds, begin, ready));
  EXPECT(hipStreamQuery(second) == hipSuccess);

  // Callbacks come in the stream's order, on another thread.
  static std::atomic<int> calls;
  static std::thread::id caller;
  HIP(hipMemsetAsync(x, 0, n * sizeof(float), first));
  // Newer than Debian's.
  auto launchHostFunc = reinterpret_cast<decltype(&hipLaunchHostFunc)>(dlsym(RTLD_DEFAULT, "hipLaunchHostFunc"));
  EXPECT(launchHostFunc);
  HIP(launchHostFunc(
      first,
      [](void *data) {
        caller = std::this_thread::get_id();
        calls += *static_cast<int *>(data);
      },
      const_cast<int *>(&n)));
  HIP(hipStreamAddCallback(
      first,
      [](hipStream_t, hipError_t status, void *) {
        if (status == hipSuccess)
          calls = 2 * calls;
      },
      nullptr, 0));
  HIP(hipStreamSynchronize(first));
  EXPECT(calls == 2 * n && caller != std::this_thread::get_id());

  // The default stream waits for blocking streams, and they for it.
  hipStream_t blocking;
  HIP(hipStreamCreate(&blocking));
  HIP(hipMemsetAsync(x, 0, n * sizeof(float), blocking));
  HIP(scale.launch(x, y, n, 1.0f, nullptr));
  HIP(scale.launch(y, z, n, 5.0f, blocking));
  HIP(hipMemcpy(host, z, n * sizeof(float), hipMemcpyDeviceToHost)); // on the default stream
  EXPECT(host[0] == 6.0f && host[n - 1] == 6.0f);

  // Streams write and wait for numbers among themselves.
  *gate = 0;
  HIP(hipStreamWaitValue32(first, gate, 6, hipStreamWaitValueAnd, ~0u));
  HIP(hipStreamWriteValue32(second, gate, 4, 0));
  HIP(hipStreamSynchronize(first));
  EXPECT(*gate == 4);
  waitsFor(first, gate, 0xf0, 0x70, 0x0f, hipStreamWaitValueNor, 0xff);
  waitsFor(first, gate, 0xffffffff, 0xfffffffe, 0, hipStreamWaitValueNor, ~0u);
  waitsFor(first, gate, 1, 0x80000003, 0x80000002, hipStreamWaitValueGte, ~0u);
  waitsFor(first, gate, 1, 0x80000001, 2, hipStreamWaitValueGte, ~0u);
  waitsFor(first, gate, 0x31, 0x32, 2, hipStreamWaitValueGte, 0xf);
  *gate = 0;

  // hipStreamPerThread is another stream in each thread.
  std::thread([&] {
    HIP(hipMemsetAsync(x, 0, 4, hipStreamPerThread));
    HIP(hipStreamSynchronize(hipStreamPerThread));
  }).join();
  HIP(hipMemsetAsync(x, 0, 4, hipStreamPerThread));

  // A host function cannot wait for what comes after it, in its own stream or by events in another.
  static hipStream_t own, later;
  static hipEvent_t behind;
  static hipError_t answers[6];
  static float *target, source;
  target = x;
  own = first;
  later = second;
  behind = end;
  HIP(launchHostFunc(
      first,
      [](void *data) {
        while (!__atomic_load_n(static_cast<unsigned *>(data), __ATOMIC_ACQUIRE))
          std::this_thread::yield();
        answers[0] = hipStreamSynchronize(own);
        answers[1] = hipStreamSynchronize(later);
        answers[2] = hipEventSynchronize(behind);
        answers[3] = hipDeviceSynchronize();
        answers[4] = hipMemcpyWithStream(target, &source, sizeof source, hipMemcpyHostToDevice, own);
        answers[5] = hipStreamDestroy(own);
      },
      gate));
  HIP(hipEventRecord(ready, first));
  HIP(hipStreamWaitEvent(second, ready, 0));
  HIP(hipEventRecord(end, second));
  __atomic_store_n(gate, 1u, __ATOMIC_RELEASE);
  HIP(hipStreamSynchronize(second));
  for (hipError_t answer : answers)
    EXPECT(answer == hipErrorIllegalState);

  unsigned flags;
  int priority;
  HIP(hipStreamGetFlags(second, &flags));
  HIP(hipStreamGetPriority(second, &priority));
  EXPECT(flags == hipStreamNonBlocking && priority == -1);
  HIP(hipStreamDestroy(first));
  FAILS(hipErrorInvalidHandle, hipStreamSynchronize(first));
  FAILS(hipErrorInvalidHandle, scale.launch(z, y, n, 1.0f, first));
  HIP(hipStreamDestroy(second));
  HIP(hipStreamDestroy(blocking));
  for (hipEvent_t event : {begin, ready, end})
    HIP(hipEventDestroy(event));
  FAILS(hipErrorInvalidHandle, hipEventSynchronize(end));
  HIP(hipModuleUnload(scale.module));
  FAILS(hipErrorInvalidHandle, scale.launch(z, y, n, 1.0f, nullptr));
  // A reset destroys the thread's own stream; the next use makes another.
  HIP(hipDeviceReset());
  HIP(hipMalloc(reinterpret_cast<void **>(&x), 4));
  HIP(hipMemsetAsync(x, 0, 4, hipStreamPerThread));
  HIP(hipStreamSynchronize(hipStreamPerThread));
  std::puts("streams: good");
}
