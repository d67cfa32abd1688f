// A kernel that faults: the device is unusable until it is reset, and the reason is told.
#include "hip_check.h"

#include <cstring>

int main(int, char **argv) {
  float *x, *y;
  HIP(hipMalloc(reinterpret_cast<void **>(&x), 4000));
  HIP(hipMalloc(reinterpret_cast<void **>(&y), 3996)); // one float too short
  {
    Scale scale(argv[1]);
    HIP(hipMemset(x, 0, 4000));
    HIP(scale.launch(x, y, 1000, 1.0f, nullptr)); // queued: nothing is known yet
    FAILS(hipErrorIllegalAddress, hipDeviceSynchronize());
    std::printf("%s", hipGetErrorString(hipErrorIllegalAddress));
    EXPECT(hipPeekAtLastError() == hipErrorIllegalAddress);
    FAILS(hipErrorIllegalAddress, scale.launch(x, y, 10, 1.0f, nullptr));
    FAILS(hipErrorIllegalAddress, hipMemcpy(x, y, 16, hipMemcpyDeviceToDevice));
    FAILS(hipErrorIllegalAddress, hipStreamSynchronize(nullptr));
  }
  HIP(hipDeviceReset());
  EXPECT(hipGetLastError() == hipErrorIllegalAddress); // the thread's, not the device's
  HIP(hipDeviceSynchronize());
  FAILS(hipErrorInvalidValue, hipFree(x));
  Scale again(argv[1]);
  HIP(hipMalloc(reinterpret_cast<void **>(&x), 4000));
  HIP(hipMemset(x, 0, 4000));
  HIP(again.launch(x, x, 1000, 1.0f, nullptr));
  float last = 0;
  HIP(hipMemcpy(&last, x + 999, 4, hipMemcpyDeviceToHost));
  EXPECT(last == 1.0f);
  std::puts("faults: good");
}
