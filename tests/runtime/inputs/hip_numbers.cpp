// Numbers that ROCm 6 changed: kinds of memory, of graph nodes, the version.
#include "hip_check.h"

int main() {
  void *device, *pinned, *managed;
  int version, local = 0;
  HIP(hipMalloc(&device, 16));
  HIP(hipHostMalloc(&pinned, 16, 0));
  HIP(hipMallocManaged(&managed, 16, hipMemAttachGlobal));
  HIP(hipRuntimeGetVersion(&version));
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
