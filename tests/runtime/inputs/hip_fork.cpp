// A process that forks: after HIP was used the child gets errors, and no call of it hangs; before, it has devices of
// its own.
#include "hip_check.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

/// Forks; the exit status of the child, which `child` computes.
template <typename Child> int exitOf(Child child) {
  std::fflush(stdout);
  pid_t pid = fork();
  if (pid == 0)
    std::exit(child());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int useHip() {
  void *x;
  char text[8] = "0123456";
  HIP(hipMalloc(&x, sizeof text));
  HIP(hipMemcpy(x, text, sizeof text, hipMemcpyHostToDevice));
  HIP(hipDeviceSynchronize());
  return 7;
}

int main() {
  EXPECT(exitOf(useHip) == 7);
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  EXPECT(useHip() == 7);
  EXPECT(exitOf([&] {
           void *x;
           FAILS(hipErrorNotInitialized, hipMalloc(&x, 4));
           EXPECT(std::strstr(hipGetErrorString(hipErrorNotInitialized), "fork"));
           FAILS(hipErrorNotInitialized, hipStreamSynchronize(stream));
           FAILS(hipErrorNotInitialized, hipDeviceSynchronize());
           int count = -1;
           EXPECT(hipGetDeviceCount(&count) != hipSuccess && count == 0);
           return 9;
         }) == 9);
  EXPECT(useHip() == 7); // the parent goes on
  std::puts("fork: good");
}
