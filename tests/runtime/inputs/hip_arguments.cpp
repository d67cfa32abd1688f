// Arguments that no call can take: sizes that wrap, memory that is not there, unknown flags, handles of something else.
// Each is an error of the call, and the program goes on.
#include "hip_check.h"

#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <hip/hip_ext.h>
#include <sys/mman.h>

namespace {

void fills(char *device) {
  FAILS(hipErrorInvalidValue, hipMemsetD32(device, 1, size_t(1) << 62));
  FAILS(hipErrorInvalidValue, hipMemsetD16(device, 1, size_t(1) << 63));
  FAILS(hipErrorInvalidValue, hipMemset(device, 0, SIZE_MAX));
  FAILS(hipErrorInvalidValue, hipMemset2D(device, size_t(1) << 63, 0, 16, 3));
  FAILS(hipErrorInvalidValue, hipMemset2D(device, 4096, 0, 16, (size_t(1) << 52) + 1));
  FAILS(hipErrorInvalidValue, hipMemset3D({device, size_t(1) << 32, 16, size_t(1) << 32}, 0, {16, 1, 2}));
  FAILS(hipErrorInvalidValue, hipMemset3D({device, 4096, 16, 1}, 0, {16, 1, (size_t(1) << 52) + 1}));
}

void copies(char *device) {
  char host[64] = {};
  const hipMemcpyKind up = hipMemcpyHostToDevice, down = hipMemcpyDeviceToHost;
  FAILS(hipErrorInvalidValue, hipMemcpy(device, host, SIZE_MAX, up));
  FAILS(hipErrorInvalidValue, hipMemcpy2D(device, 16, host, size_t(1) << 63, 16, 3, up));
  FAILS(hipErrorInvalidValue, hipMemcpy2D(host, size_t(1) << 63, device, 16, 16, 3, down));
  FAILS(hipErrorInvalidValue, hipMemcpy2D(host, 4096, device, 4096, 16, (size_t(1) << 52) + 1, down));
  hipMemcpy3DParms box = {};
  box.srcPtr = {device, size_t(1) << 32, 16, size_t(1) << 32};
  box.dstPtr = {host, 16, 16, 1};
  box.extent = {16, 1, 2};
  box.kind = down;
  FAILS(hipErrorInvalidValue, hipMemcpy3D(&box));
  box.srcPtr = {device, 16, 16, 1};
  box.srcPos = {0, 0, size_t(1) << 60}; // times 16 it is 0 again
  FAILS(hipErrorInvalidValue, hipMemcpy3D(&box));
  hip_Memcpy2D flat = {};
  flat.srcMemoryType = hipMemoryTypeDevice;
  flat.srcDevice = device;
  flat.srcPitch = size_t(1) << 60;
  flat.srcY = 16;
  flat.dstMemoryType = hipMemoryTypeHost;
  flat.dstHost = host;
  flat.WidthInBytes = 16;
  flat.Height = 1;
  FAILS(hipErrorInvalidValue, hipMemcpyParam2D(&flat));
}

void nodes(char *device) {
  hipGraph_t graph;
  hipGraphNode_t node;
  HIP(hipGraphCreate(&graph, 0));
  hipMemsetParams fill = {};
  fill.dst = device;
  fill.elementSize = 4;
  fill.width = size_t(1) << 62;
  fill.height = 1;
  FAILS(hipErrorInvalidValue, hipGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
  HIP(hipGraphDestroy(graph));
}

void hostMemory() {
  void *pointer;
  FAILS(hipErrorOutOfMemory, hipHostMalloc(&pointer, size_t(1) << 40, 0));
  FAILS(hipErrorOutOfMemory, hipHostMalloc(&pointer, SIZE_MAX, 0));
  FAILS(hipErrorOutOfMemory, hipMallocManaged(&pointer, size_t(1) << 40, hipMemAttachGlobal));
  const size_t page = 4096;
  auto *two = static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(two + page, page);
  FAILS(hipErrorInvalidValue, hipHostRegister(two, 2 * page, 0));
  FAILS(hipErrorInvalidValue, hipHostRegister(two, SIZE_MAX, 0));
  FAILS(hipErrorInvalidValue, hipHostRegister(two, 0 - reinterpret_cast<uintptr_t>(two) + 8, 0));
  HIP(hipHostRegister(two, page, 0));
  HIP(hipHostUnregister(two));
}

void pointers(char *device) {
  hipPointer_attribute which[] = {HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, HIP_POINTER_ATTRIBUTE_RANGE_SIZE};
  int ordinal = -1;
  void *results[] = {&ordinal, nullptr};
  FAILS(hipErrorInvalidValue, hipDrvPointerGetAttributes(2, which, results, device));
  HIP(hipDrvPointerGetAttributes(1, which, results, device));
  EXPECT(ordinal == 0);
  // What has no value is zero: a pointer of the host for memory of a device, anything for memory of the program.
  hipPointer_attribute three[] = {HIP_POINTER_ATTRIBUTE_HOST_POINTER, HIP_POINTER_ATTRIBUTE_CONTEXT,
                                  HIP_POINTER_ATTRIBUTE_RANGE_SIZE};
  void *host = &ordinal, *context = &ordinal;
  size_t size = 7;
  void *places[] = {&host, &context, &size};
  HIP(hipDrvPointerGetAttributes(3, three, places, device));
  EXPECT(!host && !context && size == 4096);
  host = &ordinal;
  HIP(hipDrvPointerGetAttributes(3, three, places, &ordinal));
  EXPECT(!host && !context && size == 0);
  three[1] = static_cast<hipPointer_attribute>(99);
  FAILS(hipErrorInvalidValue, hipDrvPointerGetAttributes(3, three, places, device));
}

void errorNames() {
  EXPECT(!std::strcmp(hipGetErrorName(hipErrorCooperativeLaunchTooLarge), "hipErrorCooperativeLaunchTooLarge"));
  EXPECT(!std::strcmp(hipGetErrorName(hipErrorLaunchOutOfResources), "hipErrorLaunchOutOfResources"));
  EXPECT(!std::strcmp(hipGetErrorName(hipErrorInsufficientDriver), "hipErrorInsufficientDriver"));
  EXPECT(!std::strcmp(hipGetErrorName(hipErrorRuntimeOther), "hipErrorRuntimeOther"));
}

void launches(const Scale &scale, char *device) {
  struct {
    void *x, *y;
    int n;
    float factor;
  } arguments = {device, device, 1, 1.0f};
  auto launch = [&](void *size) {
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, size,
                     HIP_LAUNCH_PARAM_END};
    return hipModuleLaunchKernel(scale.function, 1, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra);
  };
  size_t size = sizeof arguments, most = SIZE_MAX;
  HIP(launch(&size));
  FAILS(hipErrorInvalidValue, launch(nullptr));
  FAILS(hipErrorInvalidValue, launch(&most));
  HIP(hipDeviceSynchronize());
}

void flagsOfMemory() {
  void *pointer;
  static char mine[64];
  FAILS(hipErrorInvalidValue, hipHostMalloc(&pointer, 16, 0x40));
  FAILS(hipErrorInvalidValue, hipHostMalloc(&pointer, 16, hipHostMallocCoherent | hipHostMallocNonCoherent));
  FAILS(hipErrorInvalidValue, hipHostAlloc(&pointer, 16, 0x40));
  FAILS(hipErrorInvalidValue, hipHostRegister(mine, sizeof mine, 0x40));
  FAILS(hipErrorInvalidValue, hipMallocManaged(&pointer, 0, hipMemAttachGlobal));
  FAILS(hipErrorInvalidValue, hipMemGetInfo(nullptr, nullptr));
  HIP(hipHostMalloc(&pointer, 16, hipHostMallocMapped | hipHostMallocPortable | hipHostMallocCoherent));
  HIP(hipHostFree(pointer));

  HIP(hipMallocManaged(&pointer, 4096, hipMemAttachGlobal));
  const auto badStream = reinterpret_cast<hipStream_t>(mine);
  HIP(hipMemAdvise(pointer, 4096, hipMemAdviseSetPreferredLocation, 1));
  HIP(hipMemAdvise(pointer, 4096, hipMemAdviseSetAccessedBy, hipCpuDeviceId));
  FAILS(hipErrorInvalidValue, hipMemAdvise(pointer, 4096, static_cast<hipMemoryAdvise>(7), 0));
  FAILS(hipErrorInvalidValue, hipMemAdvise(pointer, 4096, hipMemAdviseSetAccessedBy, 2));
  HIP(hipMemPrefetchAsync(pointer, 4096, 1, nullptr));
  FAILS(hipErrorInvalidDevice, hipMemPrefetchAsync(pointer, 4096, 2, nullptr));
  FAILS(hipErrorInvalidHandle, hipMemPrefetchAsync(pointer, 4096, 0, badStream));
  HIP(hipStreamAttachMemAsync(nullptr, pointer, 0, hipMemAttachSingle));
  FAILS(hipErrorInvalidValue, hipStreamAttachMemAsync(nullptr, pointer, 0, 8));
  FAILS(hipErrorInvalidValue, hipStreamAttachMemAsync(nullptr, pointer, 16, hipMemAttachSingle));
  FAILS(hipErrorInvalidHandle, hipStreamAttachMemAsync(badStream, pointer, 0, hipMemAttachSingle));
  unsigned *number = static_cast<unsigned *>(pointer);
  FAILS(hipErrorInvalidValue, hipStreamWriteValue32(nullptr, number, 1, 1));
  FAILS(hipErrorInvalidValue, hipStreamWriteValue64(nullptr, number, 1, 1));
  HIP(hipFree(pointer));
}

/// Debian's HIP is older than some calls.
template <typename Function> Function *find(const char *name) {
  auto *found = reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
  EXPECT(found);
  return found;
}

void flagsOfEvents(float *memory) {
  auto *record = find<hipError_t(hipEvent_t, hipStream_t, unsigned)>("hipEventRecordWithFlags");
  hipEvent_t event;
  FAILS(hipErrorInvalidValue, hipEventCreateWithFlags(&event, 0x10));
  FAILS(hipErrorInvalidValue, hipEventCreateWithFlags(&event, hipEventInterprocess));
  FAILS(hipErrorInvalidValue, hipEventCreateWithFlags(&event, hipEventReleaseToDevice | hipEventReleaseToSystem));
  HIP(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  FAILS(hipErrorInvalidValue, record(event, nullptr, 2));
  FAILS(hipErrorInvalidValue, record(event, nullptr, 1)); // a node of a capture: there is none
  FAILS(hipErrorInvalidValue, hipStreamWaitEvent(nullptr, event, 2));
  HIP(record(event, nullptr, 0));
  HIP(hipStreamWaitEvent(nullptr, event, 0));
  // In a capture they are nodes, and the event is the program's.
  hipStream_t stream;
  hipGraph_t graph;
  hipGraphNode_t nodes[3];
  hipGraphNodeType type;
  size_t count = 3;
  HIP(hipStreamCreate(&stream));
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP(hipStreamWaitEvent(stream, event, 1));
  HIP(hipMemsetAsync(memory, 0, 4, stream));
  HIP(record(event, stream, 1));
  HIP(hipStreamEndCapture(stream, &graph));
  HIP(hipGraphGetNodes(graph, nodes, &count));
  HIP(hipGraphNodeGetType(nodes[2], &type));
  EXPECT(count == 3 && type == hipGraphNodeTypeEventRecord);
  HIP(hipEventSynchronize(event));

  auto *instantiate =
      find<hipError_t(hipGraphExec_t *, hipGraph_t, unsigned long long)>("hipGraphInstantiateWithFlags");
  auto *upload = find<hipError_t(hipGraphExec_t, hipStream_t)>("hipGraphUpload");
  hipGraphExec_t executable;
  FAILS(hipErrorInvalidValue, instantiate(&executable, graph, 0x100));
  FAILS(hipErrorInvalidValue, upload(nullptr, stream));
  HIP(instantiate(&executable, graph, 1));
  HIP(upload(executable, stream));
  HIP(hipStreamDestroy(stream));
}

void flagsOfDevices() {
  FAILS(hipErrorInvalidValue, hipSetDeviceFlags(0x100));
  FAILS(hipErrorInvalidValue, hipSetDeviceFlags(hipDeviceScheduleSpin | hipDeviceScheduleYield));
  HIP(hipSetDeviceFlags(hipDeviceScheduleYield | hipDeviceMapHost));
  HIP(hipSetDeviceFlags(hipDeviceLmemResizeToMax));
  HIP(hipSetDeviceFlags(0));
  hipCtx_t context;
  FAILS(hipErrorInvalidValue, hipCtxCreate(&context, 0x100, 0));
  unsigned flags;
  int active;
  FAILS(hipErrorInvalidValue, hipDevicePrimaryCtxGetState(0, nullptr, &active));
  FAILS(hipErrorInvalidValue, hipDevicePrimaryCtxGetState(0, &flags, nullptr));
  FAILS(hipErrorInvalidValue, hipDeviceSetCacheConfig(static_cast<hipFuncCache_t>(-1)));
  FAILS(hipErrorInvalidValue, hipDeviceSetSharedMemConfig(static_cast<hipSharedMemConfig>(-1)));
  auto *setLimit = find<hipError_t(hipLimit_t, size_t)>("hipDeviceSetLimit");
  size_t limit;
  HIP(setLimit(hipLimitMallocHeapSize, 12345));
  HIP(hipDeviceGetLimit(&limit, hipLimitMallocHeapSize));
  EXPECT(limit == 12345);
  FAILS(hipErrorUnsupportedLimit, setLimit(static_cast<hipLimit_t>(77), 1));
}

void flagsOfKernels(const Scale &scale) {
  const void *kernel = reinterpret_cast<void *>(scale.function);
  const auto attribute = hipFuncAttributeMaxDynamicSharedMemorySize;
  HIP(hipFuncSetAttribute(kernel, attribute, 1024));
  FAILS(hipErrorInvalidDeviceFunction, hipFuncSetAttribute(nullptr, attribute, 1024));
  FAILS(hipErrorInvalidValue, hipFuncSetAttribute(kernel, static_cast<hipFuncAttribute>(7), 1024));
  FAILS(hipErrorInvalidDeviceFunction, hipFuncSetCacheConfig(nullptr, hipFuncCachePreferL1));
  FAILS(hipErrorInvalidValue, hipFuncSetCacheConfig(kernel, static_cast<hipFuncCache_t>(9)));
  FAILS(hipErrorInvalidDeviceFunction, hipFuncSetSharedMemConfig(nullptr, hipSharedMemBankSizeDefault));
  FAILS(hipErrorInvalidValue, hipFuncSetSharedMemConfig(kernel, static_cast<hipSharedMemConfig>(9)));
  int count, grid, block;
  FAILS(hipErrorInvalidValue,
        hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&count, scale.function, 256, 0, 8));
  FAILS(hipErrorInvalidValue, hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&count, kernel, 256, 0, 8));
  FAILS(hipErrorInvalidValue, hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, scale.function, 0, 0, 8));
  FAILS(hipErrorInvalidValue, hipExtModuleLaunchKernel(scale.function, 256, 1, 1, 256, 1, 1, 0, nullptr, nullptr,
                                                       nullptr, nullptr, nullptr, 8));
}

/// What clang's constructors call; here with a bundle that is none.
extern "C" void **__hipRegisterFatBinary(const void *wrapper);
extern "C" void __hipRegisterFunction(void **bundle, const void *host, char *, const char *name, unsigned int, void *,
                                      void *, void *, void *, int *);
void registration() {
  struct {
    uint32_t magic, version;
    const void *bundle;
    void *unused;
  } wrapper = {0x12345678, 1, nullptr, nullptr};
  static char kernel, name[] = "scale";
  void **bundle = __hipRegisterFatBinary(&wrapper);
  EXPECT(!bundle);
  __hipRegisterFunction(bundle, &kernel, name, name, 0, nullptr, nullptr, nullptr, nullptr, nullptr);
  FAILS(hipErrorInvalidDeviceFunction, hipLaunchKernel(&kernel, dim3(1), dim3(1), nullptr, 0, nullptr));
}

} // namespace

int main(int, char **argv) {
  Scale scale(argv[1]);
  char *device;
  HIP(hipMalloc(reinterpret_cast<void **>(&device), 4096));
  fills(device);
  copies(device);
  nodes(device);
  hostMemory();
  pointers(device);
  launches(scale, device);
  errorNames();
  flagsOfMemory();
  flagsOfEvents(reinterpret_cast<float *>(device));
  flagsOfDevices();
  flagsOfKernels(scale);
  registration();
  HIP(hipDeviceSynchronize());
  std::puts("arguments: good");
}
