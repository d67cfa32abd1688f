// A HIP program with kernels of its own, compiled by clang: a launch with <<<>>>, a variable of the device.
#include "hip_check.h"

#include <dlfcn.h>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

__device__ int offset = 5;
__global__ void add(int *x, int n, int value) {
  int i = static_cast<int>(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x());
  if (i < n) x[i] += value + offset;
}

/// The kernel by the address of its host function: in graphs built by hand, and as a function of a module.
void launchByAddress(int *x, int n) {
  int host[100], one = 1, two = 2;
  HIP(hipMemset(x, 0, n * sizeof *x));
  void *arguments[] = {&x, &n, &one};
  hipKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void *>(add);
  kernel.gridDim = dim3(2);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = arguments;
  hipGraph_t graph;
  hipGraphNode_t node;
  hipGraphExec_t executable;
  HIP(hipGraphCreate(&graph, 0));
  HIP(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  HIP(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  HIP(hipGraphLaunch(executable, nullptr));
  arguments[2] = &two;
  HIP(hipGraphKernelNodeSetParams(node, &kernel));
  HIP(hipGraphExecKernelNodeSetParams(executable, node, &kernel));
  HIP(hipGraphLaunch(executable, nullptr));
  kernel.func = &host;
  EXPECT(hipGraphAddKernelNode(&node, graph, nullptr, 0, &kernel) == hipErrorInvalidDeviceFunction);
  EXPECT(hipGetLastError() == hipErrorInvalidDeviceFunction);

  // Debian's HIP is older than this call.
  auto hipGetFuncBySymbol = reinterpret_cast<hipError_t (*)(hipFunction_t *, const void *)>(dlsym(RTLD_DEFAULT, "hipGetFuncBySymbol"));
  EXPECT(hipGetFuncBySymbol);
  hipFunction_t function;
  HIP(hipGetFuncBySymbol(&function, reinterpret_cast<void *>(add)));
  struct { int *x; int n, value; char more[48]; } block = {x, n, 4, {}}; // as hosts of assembly round it up
  size_t bytes = sizeof block;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &block, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
  HIP(hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
  HIP(hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost));
  EXPECT(host[0] == 1 + 2 + 4 + 3 * 5 && host[n - 1] == host[0]);
  bytes = 12; // less than the kernel reads
  EXPECT(hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra) == hipErrorInvalidValue);
  EXPECT(hipGetFuncBySymbol(&function, host) == hipErrorInvalidDeviceFunction);
  EXPECT(hipGetLastError() == hipErrorInvalidDeviceFunction);
}

int main() {
  const int n = 100;
  int host[n], *x, eight = 8;
  for (int i = 0; i < n; ++i) host[i] = i;
  HIP(hipMalloc(reinterpret_cast<void **>(&x), sizeof host));
  HIP(hipMemcpy(x, host, sizeof host, hipMemcpyHostToDevice));
  add<<<dim3((n + 63) / 64), dim3(64)>>>(x, n, 10);
  HIP(hipGetLastError());
  HIP(hipMemcpyToSymbol(offset, &eight, sizeof eight, 0, hipMemcpyHostToDevice));
  add<<<dim3((n + 63) / 64), dim3(64)>>>(x, n, 20);
  HIP(hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(host[i] == i + 43);
  // After a reset the program's own code is loaded anew.
  HIP(hipDeviceReset());
  HIP(hipMalloc(&x, sizeof host));
  HIP(hipMemset(x, 0, sizeof host));
  add<<<dim3(2), dim3(64)>>>(x, n, 1);
  HIP(hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost));
  EXPECT(host[n - 1] == 6);
  launchByAddress(x, n);
  std::puts("syntax: good");
}
