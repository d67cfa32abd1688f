// Kernels of several devices, launched by a thread of the host each, that wait for each other or for what never comes.
// `ways` tells of what ends by itself, `stuck RANKS GROUPS` lets one rank stay away.
#include "hip_check.h"

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Kernels {
  hipModule_t module;
  hipFunction_t meet, send;
  explicit Kernels(const char *path) {
    HIP(hipModuleLoad(&module, path));
    HIP(hipModuleGetFunction(&meet, module, "meet"));
    HIP(hipModuleGetFunction(&send, module, "send"));
  }
};

hipError_t meet(const Kernels &kernels, void *flags, int rank, int ranks, int groups, int arrives, hipStream_t stream) {
  void *arguments[] = {&flags, &rank, &ranks, &groups, &arrives};
  return hipModuleLaunchKernel(kernels.meet, groups, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr);
}

void *flagsOf(int ranks) {
  void *flags = nullptr;
  HIP(hipSetDevice(0));
  HIP(hipMalloc(&flags, 4 * ranks));
  HIP(hipMemset(flags, 0, 4 * ranks));
  HIP(hipDeviceSynchronize());
  return flags;
}

/// A thread for each rank, all of which end with the same error; returns how many of them do.
int run(const char *path, int ranks, int groups, int missing) {
  void *flags = flagsOf(ranks);
  std::vector<std::thread> threads;
  std::vector<hipError_t> errors(ranks, hipSuccess);
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([=, &errors] {
      HIP(hipSetDevice(rank));
      Kernels kernels(path);
      if (rank)
        if (hipError_t error = hipDeviceEnablePeerAccess(0, 0); error != hipErrorPeerAccessAlreadyEnabled)
          HIP(error);
      hipStream_t stream;
      HIP(hipStreamCreate(&stream));
      std::this_thread::sleep_for(std::chrono::milliseconds(5 * rank));
      HIP(meet(kernels, flags, rank, ranks, groups, rank != missing, stream));
      errors[rank] = hipStreamSynchronize(stream);
    });
  for (std::thread &each : threads)
    each.join();
  int failed = 0;
  for (hipError_t error : errors)
    failed += error != hipSuccess;
  return failed;
}

/// One device waits for what the host sends late: it must not be taken for stuck. `how`: what the host does meanwhile.
void isSentLate(const char *path, int how) {
  void *flags = flagsOf(2);
  Kernels kernels(path);
  hipStream_t stream;
  HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  void *number = nullptr;
  HIP(hipHostMalloc(&number, 8));
  std::memset(number, 0, 8);
  HIP(meet(kernels, how == 2 ? number : flags, 0, 2, 1, 1, stream));
  const auto send = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    HIP(hipSetDevice(1));
    if (how == 2) {
      __atomic_store_n(static_cast<uint32_t *>(number) + 1, 1u, __ATOMIC_RELEASE);
      return;
    }
    Kernels others(path);
    if (hipError_t error = hipDeviceEnablePeerAccess(0, 0); error != hipErrorPeerAccessAlreadyEnabled)
      HIP(error);
    int rank = 1, one = 1;
    void *arguments[] = {&flags, &rank, &one};
    HIP(hipModuleLaunchKernel(others.send, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    HIP(hipDeviceSynchronize());
  };
  if (how == 0) { // all other threads wait, but for one that sleeps
    std::mutex lock;
    std::condition_variable changed;
    bool sent = false;
    std::thread sender([&] {
      send();
      std::lock_guard guard(lock);
      sent = true;
      changed.notify_one();
    });
    std::unique_lock guard(lock);
    changed.wait(guard, [&] { return sent; });
    sender.join();
  } else
    send();
  HIP(hipSetDevice(0));
  HIP(hipStreamSynchronize(stream));
}

} // namespace

int main(int argc, char **argv) {
  EXPECT(argc == 3 || argc == 5);
  const char *path = argv[1];
  if (argc == 5) {
    const int ranks = std::atoi(argv[3]), groups = std::atoi(argv[4]);
    std::printf("%d of %d end with an error\n", run(path, ranks, groups, ranks - 1), ranks);
    return 0;
  }
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  for (int turn = 0; turn < 3; ++turn)
    for (int ranks : {2, count})
      for (int groups : {1, 5})
        EXPECT(run(path, ranks, groups, -1) == 0);
  for (int how : {0, 1, 2})
    isSentLate(path, how);
  std::printf("standstill: good\n");
}
