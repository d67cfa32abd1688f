// A HIP program with kernels of its own, compiled by clang: a launch with <<<>>>, a variable of the device.
#include "hip_check.h"

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

__device__ int offset = 5;
__global__ void add(int *x, int n, int value) {
  int i = static_cast<int>(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x());
  if (i < n) x[i] += value + offset;
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
  std::puts("syntax: good");
}
