// Properties of the emulated device, from the table of architectures (compiler/target). hipDeviceProp_t has two
// layouts: that of ROCm 5, which the header declares, and that of ROCm 6 and later, with a separate entry point.
//
// Properties about speed are 0: clocks, bus widths, caches. The emulator has none, and a program that divides by one
// should notice.
#include "runtime/hip_emulated/HipEmulated.h"

#include "compiler/target/Target.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace fly::hip_emulated;

namespace {

/// hipDeviceProp_tR0600, as ROCm 6.0 to 7 have it (hip_runtime_api.h).
struct PropertiesR0600 {
  char name[256], uuid[16], luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int textures[40]; // maxTexture1D ... maxSurfaceCubemapLayered
  size_t surfaceAlignment;
  int concurrentKernels, eccEnabled, pciBusId, pciDeviceId, pciDomainId, tccDriver, asyncEngineCount, unifiedAddressing,
      memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor,
      streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupId, hostNativeAtomicSupported,
      singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported,
      canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
      accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseHipArraySupported, hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported,
      memoryPoolsSupported, gpuDirectRdmaSupported;
  unsigned gpuDirectRdmaFlushWritesOptions;
  int gpuDirectRdmaWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingHipArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int reserved[63], hipReserved[32];
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate;
  hipDeviceArch_t arch;
  unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
  int unmatchedFunc, unmatchedGridDim, unmatchedBlockDim, unmatchedSharedMem, isLargeBar, asicRevision;
};
static_assert(sizeof(PropertiesR0600) == 1472);
static_assert(offsetof(PropertiesR0600, gcnArchName) == 1160);

struct Numbers {
  const fly::target::Target &target;
  size_t memory;
  int major, minor; ///< gfx942: 9, 4
  int threadsOnUnit() const {
    return static_cast<int>(target.waveSize * target.maxWavesPerSimd * target.simdsPerComputeUnit);
  }
  int registersOnUnit() const {
    return static_cast<int>(target.vgprs.perSimd * target.simdsPerComputeUnit * target.waveSize);
  }
};

Numbers numbersOf(int device) {
  const State &s = state();
  int number = std::atoi(s.architectureName.c_str() + 3); // gfx1201: 12, 0; gfx942: 9, 4
  return {*s.target, s.devices[device]->device->bytesInAll(), number / 100, number % 100 / 10};
}

std::string nameOfDevice() { return "flyc emulator of " + state().architectureName; }

/// What ROCm says of each GPU that it supports.
hipDeviceArch_t features() {
  hipDeviceArch_t f = {};
  f.hasGlobalInt32Atomics = f.hasGlobalFloatAtomicExch = f.hasSharedInt32Atomics = f.hasSharedFloatAtomicExch = 1;
  f.hasFloatAtomicAdd = f.hasGlobalInt64Atomics = f.hasSharedInt64Atomics = f.hasDoubles = 1;
  f.hasWarpVote = f.hasWarpBallot = f.hasWarpShuffle = f.hasThreadFenceSystem = f.has3dGrid = 1;
  return f;
}

template <typename Properties> void fillCommon(Properties &p, int device) {
  Numbers n = numbersOf(device);
  std::memset(static_cast<void *>(&p), 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "%s", nameOfDevice().c_str());
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", state().architectureName.c_str());
  p.totalGlobalMem = n.memory;
  p.sharedMemPerBlock = n.target.ldsBytes;
  p.regsPerBlock = n.registersOnUnit();
  p.warpSize = static_cast<int>(n.target.waveSize);
  p.maxThreadsPerBlock = static_cast<int>(n.target.maxWorkgroupSize);
  for (int i = 0; i < 3; ++i) {
    p.maxThreadsDim[i] = static_cast<int>(n.target.maxWorkgroupSize);
    p.maxGridSize[i] = 0x7fffffff;
  }
  p.totalConstMem = 0x7fffffff;
  p.major = n.major;
  p.minor = n.minor;
  p.arch = features();
  p.multiProcessorCount = state().computeUnits;
  p.maxThreadsPerMultiProcessor = n.threadsOnUnit();
  p.concurrentKernels = 0;
  p.maxSharedMemoryPerMultiProcessor = n.target.ldsPerComputeUnit;
  p.canMapHostMemory = p.managedMemory = p.cooperativeLaunch = 1;
  p.concurrentManagedAccess = p.directManagedMemAccessFromHost = 1;
  p.memPitch = 0x7fffffff;
}

hipError_t asked(const void *properties, int device) {
  if (!properties) return hipErrorInvalidValue;
  return isDevice(device) ? hipSuccess : hipErrorInvalidDevice;
}

/// Numbers that ROCm 6 appended to those of the header.
constexpr int virtualMemorySupported = hipDeviceAttributeMemoryPoolsSupported + 1,
              hostRegisterSupported = hipDeviceAttributeMemoryPoolsSupported + 2,
              memoryPoolHandleTypes = hipDeviceAttributeMemoryPoolsSupported + 3,
              wallClockRate = hipDeviceAttributeFineGrainSupport + 1;

struct AttributeRow {
  int attribute;
  int64_t (*value)(const Numbers &);
};
#define ROW(name, expression)                                                                                          \
  {hipDeviceAttribute##name, [](const Numbers &n) -> int64_t { (void)n; return expression; }}
// clang-format off
constexpr AttributeRow attributes[] = {
    ROW(MultiprocessorCount, state().computeUnits),
    ROW(PhysicalMultiProcessorCount, state().computeUnits),
    ROW(WarpSize, n.target.waveSize),
    ROW(MaxThreadsPerBlock, n.target.maxWorkgroupSize),
    ROW(MaxBlockDimX, n.target.maxWorkgroupSize),
    ROW(MaxBlockDimY, n.target.maxWorkgroupSize),
    ROW(MaxBlockDimZ, n.target.maxWorkgroupSize),
    ROW(MaxGridDimX, 0x7fffffff),
    ROW(MaxGridDimY, 0x7fffffff),
    ROW(MaxGridDimZ, 0x7fffffff),
    ROW(MaxSharedMemoryPerBlock, n.target.ldsBytes),
    ROW(SharedMemPerBlockOptin, n.target.ldsBytes),
    ROW(SharedMemPerMultiprocessor, n.target.ldsPerComputeUnit),
    ROW(MaxSharedMemoryPerMultiprocessor, n.target.ldsPerComputeUnit),
    ROW(ReservedSharedMemPerBlock, 0),
    ROW(MaxRegistersPerBlock, n.registersOnUnit()),
    ROW(MaxRegistersPerMultiprocessor, n.registersOnUnit()),
    ROW(MaxThreadsPerMultiProcessor, n.threadsOnUnit()),
    ROW(MaxBlocksPerMultiProcessor, n.target.maxWavesPerSimd * n.target.simdsPerComputeUnit),
    ROW(TotalConstantMemory, 0x7fffffff),
    ROW(TotalGlobalMem, n.memory),
    ROW(MaxPitch, 0x7fffffff),
    ROW(ComputeCapabilityMajor, n.major),
    ROW(ComputeCapabilityMinor, n.minor),
    ROW(CanMapHostMemory, 1),
    ROW(CanUseHostPointerForRegisteredMem, 1),
    ROW(ManagedMemory, 1),
    ROW(ConcurrentManagedAccess, 1),
    ROW(DirectManagedMemAccessFromHost, 1),
    ROW(UnifiedAddressing, 1),
    ROW(CooperativeLaunch, 1),
    ROW(CooperativeMultiDeviceLaunch, 0),
    ROW(StreamPrioritiesSupported, 1),
    ROW(CanUseStreamWaitValue, 1),
    ROW(HostNativeAtomicSupported, 1),
    ROW(FineGrainSupport, 1),
    ROW(MemoryPoolsSupported, 0),
    ROW(PageableMemoryAccess, 0),
    ROW(PageableMemoryAccessUsesHostPageTables, 0),
    ROW(ImageSupport, 0),
    ROW(ConcurrentKernels, 0),
    ROW(AsyncEngineCount, 0),
    ROW(ComputeMode, 0),
    ROW(Integrated, 0),
    ROW(IsMultiGpuBoard, 0),
    ROW(KernelExecTimeout, 0),
    ROW(EccEnabled, 0),
    ROW(IsLargeBar, 0),
    ROW(AsicRevision, 0),
    ROW(ClockRate, 0),
    ROW(ClockInstructionRate, 0),
    ROW(MemoryClockRate, 0),
    ROW(MemoryBusWidth, 0),
    ROW(L2CacheSize, 0),
    {hostRegisterSupported, [](const Numbers &) -> int64_t { return 1; }},
    {virtualMemorySupported, [](const Numbers &) -> int64_t { return 0; }},
    {memoryPoolHandleTypes, [](const Numbers &) -> int64_t { return 0; }},
    {wallClockRate, [](const Numbers &) -> int64_t { return 0; }},
    ROW(MaxThreadsDim, n.target.maxWorkgroupSize),
    ROW(GcnArch, std::atoi(state().architectureName.c_str() + 3)),
    ROW(PciDeviceId, 0),
    ROW(PciDomainID, 0),
};
// clang-format on
#undef ROW

/// Attributes whose property is 0: of textures and surfaces, which are not available, and of what no GPU of AMD has.
constexpr int absent[] = {
    hipDeviceAttributeAccessPolicyMaxWindowSize,
    hipDeviceAttributeComputePreemptionSupported,
    hipDeviceAttributeDeviceOverlap,
    hipDeviceAttributeGlobalL1CacheSupported,
    hipDeviceAttributeLocalL1CacheSupported,
    hipDeviceAttributeLuidDeviceNodeMask,
    hipDeviceAttributeMultiGpuBoardGroupID,
    hipDeviceAttributePersistingL2CacheMaxSize,
    hipDeviceAttributeSingleToDoublePrecisionPerfRatio,
    hipDeviceAttributeSurfaceAlignment,
    hipDeviceAttributeTccDriver,
    hipDeviceAttributeTextureAlignment,
    hipDeviceAttributeTexturePitchAlignment,
    hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc,
    hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim,
    hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim,
    hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem,
};
bool isAbsent(int attribute) {
  return (attribute >= hipDeviceAttributeMaxSurface1D && attribute <= hipDeviceAttributeMaxTextureCubemapLayered) ||
         std::find(std::begin(absent), std::end(absent), attribute) != std::end(absent);
}

} // namespace

FLY_HIP_EXPORT hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
  if (hipError_t error = asked(properties, device); error != hipSuccess) return done(error);
  fillCommon(*properties, device);
  properties->gcnArch = std::atoi(state().architectureName.c_str() + 3);
  properties->pciBusID = device;
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipGetDevicePropertiesR0600(void *result, int device) {
  if (hipError_t error = asked(result, device); error != hipSuccess) return done(error);
  auto &p = *static_cast<PropertiesR0600 *>(result);
  fillCommon(p, device);
  std::snprintf(p.uuid, sizeof p.uuid, "flyc emulator%02d", device);
  p.pciBusId = device;
  p.unifiedAddressing = p.streamPrioritiesSupported = p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = 1;
  p.hostNativeAtomicSupported = 1;
  p.sharedMemPerMultiprocessor = state().target->ldsPerComputeUnit;
  p.regsPerMultiprocessor = p.regsPerBlock;
  p.sharedMemPerBlockOptin = state().target->ldsBytes;
  p.maxBlocksPerMultiProcessor =
      static_cast<int>(state().target->maxWavesPerSimd * state().target->simdsPerComputeUnit);
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
  if (hipError_t error = asked(value, device); error != hipSuccess) return done(error);
  if (attribute == hipDeviceAttributePciBusId) { // what tells the devices apart
    *value = device;
    return hipSuccess;
  }
  for (const AttributeRow &row : attributes)
    if (row.attribute == attribute) {
      *value = static_cast<int>(std::min<int64_t>(row.value(numbersOf(device)), 0x7fffffff));
      return hipSuccess;
    }
  if (!isAbsent(attribute)) return done(hipErrorInvalidValue);
  *value = 0;
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) {
  if (hipError_t error = asked(name, device); error != hipSuccess) return done(error);
  if (length <= 0) return done(hipErrorInvalidValue);
  std::snprintf(name, static_cast<size_t>(length), "%s", nameOfDevice().c_str());
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  if (hipError_t error = asked(bytes, device); error != hipSuccess) return done(error);
  *bytes = numbersOf(device).memory;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
  if (!major || !minor) return done(hipErrorInvalidValue);
  if (!isDevice(device)) return done(hipErrorInvalidDevice);
  *major = numbersOf(device).major;
  *minor = numbersOf(device).minor;
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) {
  if (hipError_t error = asked(uuid, device); error != hipSuccess) return done(error);
  std::snprintf(uuid->bytes, sizeof uuid->bytes, "flyc emulator%02d", device);
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDeviceGetPCIBusId(char *id, int length, int device) {
  if (hipError_t error = asked(id, device); error != hipSuccess) return done(error);
  if (length < 13) return done(hipErrorInvalidValue);
  std::snprintf(id, static_cast<size_t>(length), "0000:%02x:00.0", device);
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t hipDeviceGetByPCIBusId(int *device, const char *id) {
  if (!device || !id) return done(hipErrorInvalidValue);
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  int end = 0;
  if (std::sscanf(id, "%4x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &end) != 4 || id[end])
    return done(hipErrorInvalidValue);
  if (domain || slot || function || !isDevice(static_cast<int>(bus))) return done(hipErrorInvalidDevice);
  *device = static_cast<int>(bus);
  return hipSuccess;
}
/// All devices are alike, so the first one fits as well as any.
FLY_HIP_EXPORT hipError_t hipChooseDevice(int *device, const hipDeviceProp_t *properties) {
  if (!device || !properties) return done(hipErrorInvalidValue);
  *device = 0;
  return done(state().devices.empty() ? hipErrorNoDevice : hipSuccess);
}
FLY_HIP_EXPORT hipError_t hipChooseDeviceR0600(int *device, const void *properties) {
  return hipChooseDevice(device, static_cast<const hipDeviceProp_t *>(properties));
}
