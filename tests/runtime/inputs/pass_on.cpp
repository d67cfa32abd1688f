// Kernels of pass_on.fly on two devices: what all waves of one stored is seen by the other after the flag.
#include "hip_check.h"
#include "pass_on.h"

int main() {
  void *x, *flag, *answer, *y;
  HIP(hipSetDevice(0));
  HIP(hipDeviceEnablePeerAccess(1, 0));
  for (void **p : {&x, &flag, &answer}) {
    HIP(hipMalloc(p, 1024));
    HIP(hipMemset(*p, 0, 1024));
  }
  HIP(hipDeviceSynchronize());
  HIP(hipSetDevice(1));
  HIP(hipDeviceEnablePeerAccess(0, 0));
  HIP(hipMalloc(&y, 1024));
  const auto words = [](void *p) { return static_cast<uint32_t *>(p); };
  EXPECT(pass_on_taker(nullptr, words(x), words(flag), words(answer), words(y)) == 0);
  HIP(hipSetDevice(0));
  EXPECT(pass_on_giver(nullptr, words(x), words(flag), words(answer)) == 0);
  HIP(hipDeviceSynchronize());
  HIP(hipSetDevice(1));
  HIP(hipDeviceSynchronize());
  std::vector<uint32_t> host(256);
  HIP(hipMemcpy(host.data(), y, 1024, hipMemcpyDeviceToHost));
  for (uint32_t i = 0; i < 256; ++i)
    EXPECT(host[i] == i + 1);
  std::puts("passed on: good");
}
