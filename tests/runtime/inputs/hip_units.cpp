// The number of compute units: in the properties, the attributes, the grid that fills the device, and the limit of a
// cooperative launch.
#include "hip_check.h"

#include <dlfcn.h>

/// Debian's HIP is older than these calls.
template <typename Function> Function *find(const char *name) {
  auto *found = reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
  EXPECT(found);
  return found;
}
struct Attribute {
  int id;
  char padding[4];
  int value[16];
};
struct Config {
  unsigned grid[3], block[3], ldsBytes;
  hipStream_t stream;
  Attribute *attributes;
  unsigned attributeCount;
};

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
  auto launch = find<hipError_t(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                hipStream_t, void **)>("hipModuleLaunchCooperativeKernel");
  auto launchEx = find<hipError_t(const Config *, hipFunction_t, void **, void **)>("hipDrvLaunchKernelEx");
  auto together = [&](unsigned groups) {
    return launch(scale.function, groups, 1, 1, 256, 1, 1, 0, nullptr, arguments);
  };
  auto withAttribute = [&](unsigned groups, int isCooperative) {
    Attribute cooperative = {2, {}, {isCooperative}};
    Config config = {{groups, 1, 1}, {256, 1, 1}, 0, nullptr, &cooperative, 1};
    return launchEx(&config, scale.function, arguments, nullptr);
  };
  HIP(together(units * each));
  HIP(withAttribute(units * each, 1));
  HIP(withAttribute(units * each + 1, 0));
  FAILS(hipErrorCooperativeLaunchTooLarge, withAttribute(units * each + 1, 1));
  FAILS(hipErrorCooperativeLaunchTooLarge, together(units * each + 1));
  std::printf("%d units, %s\n", units, hipGetErrorString(hipErrorCooperativeLaunchTooLarge));
  HIP(hipDeviceSynchronize());
}
