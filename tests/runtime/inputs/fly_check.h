// What programs of this folder share that launch by generated headers: a check of flyc's runtime, and memory with contents.
#pragma once

#include "hip_check.h"

#include "fly/runtime.h"

#define FLY(call)                                                                                                      \
  do {                                                                                                                 \
    if ((call) != FLY_OK) {                                                                                            \
      std::printf("line %d: %s\n", __LINE__, fly_error());                                                             \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

template <typename T> T *onDevice(const std::vector<T> &host) {
  void *memory;
  HIP(hipMalloc(&memory, host.size() * sizeof(T)));
  HIP(hipMemcpy(memory, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
  return static_cast<T *>(memory);
}
