// Two devices of plain HIP: properties, occupancy, copies between them, kernels that read each other's memory.
#include "hip_check.h"

#include <cstring>
#include <dlfcn.h>
#include <hip/hip_ext.h>

/// One identity of a device, however it is asked for.
static void identities() {
  hipDeviceProp_t properties;
  static char since6[1472];
  auto get6 = reinterpret_cast<hipError_t (*)(void *, int)>(dlsym(RTLD_DEFAULT, "hipGetDevicePropertiesR0600"));
  HIP(hipGetDeviceProperties(&properties, 1));
  HIP(get6(since6, 1));
  int bus = -1, slot = -1, found = -1;
  char id[16];
  HIP(hipDeviceGetAttribute(&bus, hipDeviceAttributePciBusId, 1));
  HIP(hipDeviceGetAttribute(&slot, hipDeviceAttributePciDeviceId, 1));
  HIP(hipDeviceGetPCIBusId(id, sizeof id, 1));
  EXPECT(bus == 1 && slot == 0 && properties.pciBusID == 1 && properties.pciDeviceID == 0);
  EXPECT(std::strcmp(id, "0000:01:00.0") == 0);
  HIP(hipDeviceGetByPCIBusId(&found, id));
  EXPECT(found == 1);
  for (const char *other : {"0000:01:01.0", "0000:01:00.1", "0001:01:00.0", "0000:02:00.0"})
    FAILS(hipErrorInvalidDevice, hipDeviceGetByPCIBusId(&found, other));
  for (const char *text : {"0000:01:", "0000:01:00.0 and more", "device 1", ""})
    FAILS(hipErrorInvalidValue, hipDeviceGetByPCIBusId(&found, text));
  const hipDeviceArch_t &arch = properties.arch;
  EXPECT(arch.hasDoubles && arch.hasGlobalInt64Atomics && arch.hasWarpBallot && arch.has3dGrid);
  EXPECT(!arch.hasDynamicParallelism && !arch.hasSurfaceFuncs);
  EXPECT(std::memcmp(&arch, since6 + 1428, sizeof arch) == 0);
}

/// Events, graphs and memory belong to one device; the current one is device 1.
static void belongings(const Scale &here, const Scale &there, float *x, float *y) {
  hipStream_t first, second;
  hipEvent_t start, stop, other;
  float milliseconds;
  HIP(hipStreamCreate(&second));
  HIP(hipEventCreate(&other));
  HIP(hipEventRecord(other, second));
  HIP(hipSetDevice(0));
  HIP(hipStreamCreate(&first));
  HIP(hipEventCreate(&start));
  HIP(hipEventCreate(&stop));
  HIP(hipEventRecord(start, first));
  HIP(hipDeviceSynchronize());
  HIP(hipEventSynchronize(other));
  FAILS(hipErrorInvalidHandle, hipEventElapsedTime(&milliseconds, start, other));
  FAILS(hipErrorInvalidHandle, hipEventRecord(other, first));
  int n = 1;
  float factor = 1;
  void *arguments[] = {&x, &x, &n, &factor};
  FAILS(hipErrorInvalidHandle,
        hipExtModuleLaunchKernel(here.function, 256, 1, 1, 256, 1, 1, 0, first, arguments, nullptr, start, other, 0));
  HIP(hipExtModuleLaunchKernel(here.function, 256, 1, 1, 256, 1, 1, 0, first, arguments, nullptr, start, stop, 0));
  HIP(hipStreamSynchronize(first));

  void *memory;
  hipPointerAttribute_t about;
  HIP(hipMallocAsync(&memory, 16, second));
  HIP(hipPointerGetAttributes(&about, memory));
  EXPECT(about.device == 1);
  HIP(hipFreeAsync(memory, second));

  hipGraph_t graph;
  hipGraphNode_t node;
  hipGraphExec_t executable;
  arguments[0] = arguments[1] = &y;
  hipKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(there.function);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(256);
  kernel.kernelParams = arguments;
  HIP(hipGraphCreate(&graph, 0));
  HIP(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  FAILS(hipErrorInvalidHandle, hipGraphLaunch(executable, first));
  HIP(hipGraphLaunch(executable, second));
  HIP(hipStreamSynchronize(second));
  HIP(hipSetDevice(1));
}

/// Contexts of the driver's interface: one of each device, in a stack of the thread.
static void contexts() {
  hipCtx_t zero, one, now;
  int device = -1, version = 0;
  unsigned flags = 0;
  hipFuncCache_t cache;
  hipSharedMemConfig banks;
  HIP(hipSetDevice(0));
  HIP(hipCtxGetCurrent(&zero));
  FAILS(hipErrorInvalidContext, hipCtxPopCurrent(&now));
  HIP(hipDevicePrimaryCtxRetain(&one, 1));
  HIP(hipCtxPushCurrent(one));
  HIP(hipGetDevice(&device));
  EXPECT(device == 1);
  HIP(hipDevicePrimaryCtxSetFlags(1, hipDeviceScheduleSpin));
  FAILS(hipErrorInvalidValue, hipDevicePrimaryCtxSetFlags(1, 0x100));
  HIP(hipCtxGetFlags(&flags));
  EXPECT(flags == hipDeviceScheduleSpin);
  HIP(hipCtxEnablePeerAccess(zero, 0));
  FAILS(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(0, 0));
  HIP(hipCtxDisablePeerAccess(zero));
  HIP(hipCtxPopCurrent(&now));
  HIP(hipCtxGetDevice(&device));
  EXPECT(now == one && device == 0);
  HIP(hipCtxCreate(&now, 0, 1)); // is pushed
  HIP(hipGetDevice(&device));
  EXPECT(device == 1 && now == one);
  HIP(hipCtxDestroy(now));
  HIP(hipGetDevice(&device));
  EXPECT(device == 0);
  FAILS(hipErrorInvalidContext, hipCtxPushCurrent(nullptr));
  HIP(hipCtxGetApiVersion(zero, &version));
  HIP(hipCtxSetCacheConfig(hipFuncCachePreferL1));
  HIP(hipCtxGetCacheConfig(&cache));
  HIP(hipCtxSetSharedMemConfig(hipSharedMemBankSizeFourByte));
  HIP(hipCtxGetSharedMemConfig(&banks));
  EXPECT(version == 4 && cache == hipFuncCachePreferNone && banks == hipSharedMemBankSizeFourByte);
}

/// Attributes answer what the properties have; the last three are numbers of ROCm 6.
static void attributes() {
  int value = -1;
  for (int attribute : {int(hipDeviceAttributeMaxTexture1DWidth), int(hipDeviceAttributeMaxTexture3DDepth),
                        int(hipDeviceAttributeMaxSurface2D), int(hipDeviceAttributeTextureAlignment),
                        int(hipDeviceAttributeTexturePitchAlignment), int(hipDeviceAttributeTccDriver),
                        hipDeviceAttributeMemoryPoolsSupported + 1, hipDeviceAttributeFineGrainSupport + 1}) {
    HIP(hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(attribute), 0));
    EXPECT(value == 0);
  }
  HIP(hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(hipDeviceAttributeMemoryPoolsSupported + 2), 0));
  EXPECT(value == 1); // hipHostRegister
  FAILS(hipErrorInvalidValue, hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(5000), 0));
}

int main(int, char **argv) {
  int count = 0, version = 0, value = 0;
  HIP(hipInit(0));
  HIP(hipGetDeviceCount(&count));
  EXPECT(count == 2);
  HIP(hipRuntimeGetVersion(&version));
  EXPECT(version >= 50000000 && version < 60000000); // it was linked for ROCm 5
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 1));
  const bool isWave32 = std::strncmp(properties.gcnArchName, "gfx12", 5) == 0;
  EXPECT(std::strcmp(properties.gcnArchName, argv[2]) == 0);
  EXPECT(properties.warpSize == (isWave32 ? 32 : 64) && properties.maxThreadsPerBlock == 1024 &&
         properties.sharedMemPerBlock == 65536);
  HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  EXPECT(value == properties.warpSize);
  // The other layout of the properties, of ROCm 6: offsets from its header.
  static char since6[1472];
  auto get6 = reinterpret_cast<hipError_t (*)(void *, int)>(dlsym(RTLD_DEFAULT, "hipGetDevicePropertiesR0600"));
  EXPECT(get6 && get6(since6, 1) == hipSuccess);
  EXPECT(std::strcmp(since6 + 1160, argv[2]) == 0 && *reinterpret_cast<int *>(since6 + 308) == properties.warpSize);
  identities();
  contexts();
  attributes();
  FAILS(hipErrorInvalidDevice, hipSetDevice(2));
  FAILS(hipErrorInvalidDevice, hipGetDeviceProperties(&properties, -1));

  const int n = 300;
  const size_t bytes = n * sizeof(float);
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = static_cast<float>(i);
  Scale here(argv[1]);
  float *x, *y;
  HIP(hipMalloc(reinterpret_cast<void **>(&x), bytes));
  HIP(hipMemcpy(x, host.data(), bytes, hipMemcpyHostToDevice));
  HIP(hipSetDevice(1));
  Scale there(argv[1]);
  HIP(hipMalloc(reinterpret_cast<void **>(&y), bytes));
  FAILS(hipErrorInvalidHandle, here.launch(x, y, n, 1.0f, nullptr)); // its module is the other device's

  // Copied over, scaled there, copied back.
  HIP(hipMemcpyPeer(y, 1, x, 0, bytes));
  FAILS(hipErrorInvalidValue, hipMemcpyPeer(y, 0, x, 1, bytes));
  HIP(there.launch(y, y, n, 2.0f, nullptr));
  HIP(hipMemcpyPeerAsync(x, 0, y, 1, bytes, nullptr));
  HIP(hipDeviceSynchronize());
  HIP(hipMemcpy(host.data(), x, bytes, hipMemcpyDefault));
  for (int i = 0; i < n; ++i)
    EXPECT(host[i] == 2.0f * static_cast<float>(i) + 1.0f);

  // A kernel of device 1 reads memory of device 0 once it may.
  HIP(hipDeviceCanAccessPeer(&value, 1, 0));
  EXPECT(value == 1);
  HIP(hipDeviceEnablePeerAccess(0, 0));
  FAILS(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(0, 0));
  HIP(there.launch(x, y, n, 1.0f, nullptr));
  HIP(hipMemcpy(host.data(), y, bytes, hipMemcpyDeviceToHost));
  EXPECT(host[3] == 8.0f);
  HIP(hipDeviceDisablePeerAccess(0));

  // Both ways to give arguments, and the launch in work-items.
  struct {
    const void *x;
    void *y;
    int n;
    float factor;
  } block = {y, y, n, 0.5f};
  size_t size = 24;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &block, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  HIP(hipModuleLaunchKernel(there.function, 2, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
  hipEvent_t start, stop;
  HIP(hipEventCreate(&start));
  HIP(hipEventCreate(&stop));
  HIP(hipExtModuleLaunchKernel(there.function, 512, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra, start, stop, 0));
  HIP(hipEventSynchronize(stop));
  HIP(hipMemcpy(host.data(), y, bytes, hipMemcpyDeviceToHost));
  EXPECT(host[3] == 0.5f * (0.5f * 8.0f + 1.0f) + 1.0f);
  FAILS(hipErrorInvalidConfiguration,
        hipModuleLaunchKernel(there.function, 2, 1, 1, 257, 1, 1, 0, nullptr, nullptr, extra));
  size = 20;
  FAILS(hipErrorInvalidValue, hipModuleLaunchKernel(there.function, 2, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));

  int blocks = 0, grid = 0, best = 0;
  HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, there.function, 256, 0));
  EXPECT(blocks == (isWave32 ? 8 : 8)); // 16 waves of 32 or 8 of 64 a SIMD, four SIMDs
  HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, there.function, 256, 40000));
  EXPECT(blocks == (isWave32 ? 3 : 1)); // of 128 KiB or 64 KiB of LDS
  HIP(hipModuleOccupancyMaxPotentialBlockSize(&grid, &best, there.function, 0, 0));
  EXPECT(best == 256 && grid % blocks == 0);
  HIP(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, there.function));
  EXPECT(value == 256);
  hipFuncAttributes attributes;
  HIP(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, there.function));
  HIP(hipFuncGetAttributes(&attributes, reinterpret_cast<void *>(there.function)));
  EXPECT(value == 65536 && attributes.maxDynamicSharedSizeBytes == value);
  belongings(here, there, x, y);

  hipModule_t none;
  FAILS(hipErrorFileNotFound, hipModuleLoad(&none, "/nowhere.hsaco"));
  FAILS(hipErrorInvalidImage,
        hipModuleLoadData(&none,
                          "no code object at all, but long enough to be read as far as the header of an ELF file"));
  FAILS(hipErrorNoBinaryForGpu, hipModuleLoad(&none, argv[3]));
  hipFunction_t function;
  FAILS(hipErrorNotFound, hipModuleGetFunction(&function, there.module, "nothing"));
  EXPECT(hipGetLastError() == hipErrorNotFound && hipGetLastError() == hipSuccess);
  HIP(hipFree(y));
  FAILS(hipErrorInvalidValue, hipFree(y));
  std::puts("devices: good");
}
