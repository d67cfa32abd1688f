// A kernel with missing waits, launched twice and once as a node of a graph: with FLY_EMULATE_CHECK=wait:warn it
// computes what it would with the waits.
#include "hip_check.h"

int main(int, char **argv) {
  hipModule_t module;
  hipFunction_t function;
  int *out, *in, host[128];
  HIP(hipModuleLoad(&module, argv[1]));
  HIP(hipModuleGetFunction(&function, module, "two_waits"));
  HIP(hipMalloc(reinterpret_cast<void **>(&out), 256));
  HIP(hipMalloc(reinterpret_cast<void **>(&in), 512));
  for (int i = 0; i < 128; ++i)
    host[i] = i;
  HIP(hipMemcpy(in, host, 512, hipMemcpyHostToDevice));
  void *arguments[] = {&out, &in};
  for (int k = 0; k < 2; ++k)
    HIP(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  hipError_t error = hipDeviceSynchronize();
  std::printf("%s\n", hipGetErrorName(error));
  if (error != hipSuccess)
    return 1;

  hipKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(function);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = arguments;
  hipGraph_t graph;
  hipGraphNode_t node;
  hipGraphExec_t executable;
  HIP(hipMemset(out, 0, 256));
  HIP(hipGraphCreate(&graph, 0));
  HIP(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(executable, nullptr));
  HIP(hipMemcpy(host, out, 256, hipMemcpyDeviceToHost));
  std::printf("%d %d\n", host[0], host[63]);
}
