// Numbers that ROCm 6 changed: kinds of memory, of graph nodes, the version.
#include "hip_check.h"

/// The driver's copies name their sides by kinds of memory.
static void driverCopies(void *device, bool isNew) {
  const auto onHost = static_cast<hipMemoryType>(isNew ? 1 : 0), onDevice = static_cast<hipMemoryType>(isNew ? 2 : 1),
             inArray = static_cast<hipMemoryType>(isNew ? 10 : 2), byPointer = static_cast<hipMemoryType>(3);
  int numbers[4] = {1, 2, 3, 4}, back[4] = {};
  hip_Memcpy2D rows = {};
  rows.srcMemoryType = onHost;
  rows.srcHost = numbers;
  rows.dstMemoryType = onDevice;
  rows.dstDevice = device;
  rows.WidthInBytes = 8;
  rows.Height = 2;
  HIP(hipMemcpyParam2D(&rows));
  HIP_MEMCPY3D box = {};
  box.srcMemoryType = onDevice;
  box.srcDevice = device;
  box.dstMemoryType = onHost;
  box.dstHost = back;
  box.WidthInBytes = 8;
  box.Height = 1;
  box.Depth = 2;
  HIP(hipDrvMemcpy3D(&box));
  EXPECT(back[0] == 1 && back[1] == 2 && back[2] == 3 && back[3] == 4);
  box.srcMemoryType = box.dstMemoryType = byPointer;
  box.dstDevice = back;
  back[2] = 0;
  HIP(hipDrvMemcpy3D(&box));
  EXPECT(back[2] == 3);
  box.srcMemoryType = inArray;
  FAILS(hipErrorNotSupported, hipDrvMemcpy3D(&box));
  box.srcMemoryType = static_cast<hipMemoryType>(7);
  FAILS(hipErrorInvalidValue, hipDrvMemcpy3D(&box));
}

int main() {
  void *device, *pinned, *managed;
  int version, local = 0;
  HIP(hipMalloc(&device, 16));
  HIP(hipHostMalloc(&pinned, 16, 0));
  HIP(hipMallocManaged(&managed, 16, hipMemAttachGlobal));
  HIP(hipRuntimeGetVersion(&version));
  driverCopies(device, version >= 60000000);
  std::printf("version %d: memory", version / 10000000);
  for (void *pointer : {device, pinned, managed}) {
    hipPointerAttribute_t a;
    HIP(hipPointerGetAttributes(&a, pointer));
    std::printf(" %d", static_cast<int>(a.memoryType));
  }
  hipPointerAttribute_t unknown;
  std::printf(", of the stack: %s", hipGetErrorName(hipPointerGetAttributes(&unknown, &local)));
  hipGraph_t graph;
  hipGraphNode_t node;
  hipGraphNodeType type;
  HIP(hipGraphCreate(&graph, 0));
  HIP(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, device, pinned, 16, hipMemcpyHostToDevice));
  HIP(hipGraphNodeGetType(node, &type));
  std::printf(", copy node %d\n", static_cast<int>(type));
}
