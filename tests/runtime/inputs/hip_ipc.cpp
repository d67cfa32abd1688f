// Two processes with a device each exchange handles of their memory, and their kernels wait for each other.
#include "hip_check.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int turns = 20;
constexpr size_t words = 64 * 3, begin = 16; ///< the memory starts behind 16 other words

void put(int pipe, const void *bytes, size_t size) { EXPECT(write(pipe, bytes, size) == ssize_t(size)); }
void get(int pipe, void *bytes, size_t size) { EXPECT(read(pipe, bytes, size) == ssize_t(size)); }

void run(int rank, int in, int out, const char *path) {
  int devices = 0;
  HIP(hipGetDeviceCount(&devices));
  hipModule_t module;
  hipFunction_t function;
  HIP(hipModuleLoad(&module, path));
  HIP(hipModuleGetFunction(&function, module, "turns"));
  unsigned *memory;
  HIP(hipMalloc(reinterpret_cast<void **>(&memory), (begin + words) * 4));
  HIP(hipMemset(memory, 0, (begin + words) * 4));
  HIP(hipDeviceSynchronize());
  unsigned *mine = memory + begin; // a handle of the middle of an allocation opens as the middle
  hipIpcMemHandle_t handle, other;
  HIP(hipIpcGetMemHandle(&handle, mine));
  put(out, &handle, sizeof handle);
  get(in, &other, sizeof other);
  void *theirs = nullptr;
  FAILS(hipErrorInvalidContext, hipIpcOpenMemHandle(&theirs, handle, hipIpcMemLazyEnablePeerAccess));
  HIP(hipIpcOpenMemHandle(&theirs, other, hipIpcMemLazyEnablePeerAccess));

  void *parameters[] = {&mine, &theirs, &rank, const_cast<int *>(&turns)};
  HIP(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
  std::vector<unsigned> sums(64);
  HIP(hipMemcpy(sums.data(), mine + 128, 64 * 4, hipMemcpyDeviceToHost));
  for (unsigned i = 0; i < 64; ++i)
    EXPECT(sums[i] == turns * (10 * i + unsigned(1 - rank)) + 1000 * turns * (turns - 1) / 2);

  // The other one's memory is copied as one's own is.
  unsigned last = 0;
  HIP(hipMemcpy(&last, static_cast<unsigned *>(theirs) + 64, 4, hipMemcpyDeviceToHost));
  EXPECT(last == 1000u * (turns - 1) + unsigned(rank));
  char done = 1;
  put(out, &done, 1);
  get(in, &done, 1);
  HIP(hipIpcCloseMemHandle(theirs));
  FAILS(hipErrorInvalidValue, hipIpcCloseMemHandle(theirs));
  FAILS(hipErrorInvalidValue, hipIpcCloseMemHandle(mine));
  hipIpcMemHandle_t nonsense;
  std::memset(&nonsense, 1, sizeof nonsense);
  FAILS(hipErrorInvalidValue, hipIpcOpenMemHandle(&theirs, nonsense, hipIpcMemLazyEnablePeerAccess));
  HIP(hipFree(memory));
  put(out, &done, 1);
  get(in, &done, 1); // both have freed: their handles are of no use any more
  FAILS(hipErrorMapFailed, hipIpcOpenMemHandle(&theirs, other, hipIpcMemLazyEnablePeerAccess));
}

} // namespace

int main(int, char **arguments) {
  int there[2], back[2];
  EXPECT(pipe(there) == 0 && pipe(back) == 0);
  const pid_t child = fork(); // before HIP is used
  run(child == 0, child ? back[0] : there[0], child ? there[1] : back[1], arguments[1]);
  if (child == 0) return 0;
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT(status == 0);
  std::printf("ipc: good\n");
}
