// What the HIP programs of this folder share: a check that tells the call, the kernel to launch, and its answer.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP(call)                                                                                                      \
  do {                                                                                                                 \
    hipError_t hip_error = (call);                                                                                     \
    if (hip_error != hipSuccess) {                                                                                     \
      std::printf("line %d: %s: %s (%s)\n", __LINE__, #call, hipGetErrorName(hip_error),                               \
                  hipGetErrorString(hip_error));                                                                       \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::printf("line %d: does not hold: %s\n", __LINE__, #condition);                                               \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

#define FAILS(error, call)                                                                                             \
  do {                                                                                                                 \
    hipError_t hip_error = (call);                                                                                     \
    if (hip_error != error) {                                                                                          \
      std::printf("line %d: %s: %s, not %s\n", __LINE__, #call, hipGetErrorName(hip_error), #error);                   \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

/// `scale(x, y, n, factor)` of hip_kernels.fly: y[i] = factor * x[i] + 1, in blocks of 256.
struct Scale {
  hipModule_t module;
  hipFunction_t function;
  explicit Scale(const char *path) {
    HIP(hipModuleLoad(&module, path));
    HIP(hipModuleGetFunction(&function, module, "scale"));
  }
  hipError_t launch(const void *x, void *y, int n, float factor, hipStream_t stream) const {
    void *arguments[] = {&x, &y, &n, &factor};
    return hipModuleLaunchKernel(function, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr);
  }
};
