// The number of compute units: in the properties, the attributes, the grid that fills the device, and the limit of a
// cooperative launch.
#include "hip_check.h"

int main(int, char **argv) {
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  int units = 0, grid = 0, block = 0, each = 0;
  HIP(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
  Scale scale(argv[1]);
  HIP(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, scale.function, 0, 256));
  HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&each, scale.function, 256, 0));
  EXPECT(block == 256 && each > 0 && grid == units * each);
  EXPECT(properties.multiProcessorCount == units);

  float *x;
  int n = 0;
  float factor = 1;
  HIP(hipMalloc(reinterpret_cast<void **>(&x), 16));
  void *arguments[] = {&x, &x, &n, &factor};
  auto together = [&](unsigned groups) {
    return hipModuleLaunchCooperativeKernel(scale.function, groups, 1, 1, 256, 1, 1, 0, nullptr, arguments);
  };
  HIP(together(units * each));
  FAILS(hipErrorCooperativeLaunchTooLarge, together(units * each + 1));
  std::printf("%d units, %s\n", units, hipGetErrorString(hipErrorCooperativeLaunchTooLarge));
  HIP(hipDeviceSynchronize());
}
