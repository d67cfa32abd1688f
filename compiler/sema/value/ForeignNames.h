// What other languages call what this one has: the guess for a name that is not defined, before a guess by spelling,
// which would make `float32` a `float` and `astype` a `type`.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace fly::sema {

struct ForeignName {
  llvm::StringLiteral name, ours;  ///< `ours` takes the place of the name
  llvm::StringLiteral help;        ///< what to write, where no name does
  llvm::StringLiteral onHost = ""; ///< takes the place of `ours` in checks and at module level
};

/// Names of CUDA, HIP, Python, NumPy, PyTorch and Triton; only where the spelling does not already suggest the right
/// name.
inline const ForeignName *foreignName(llvm::StringRef name) {
  // clang-format off
  static const ForeignName rows[] = {
      {"threadIdx", "thread_id", ""}, {"blockIdx", "block_id", ""}, {"blockDim", "block_dim", ""},
      {"gridDim", "grid_dim", ""},
      {"program_id", "block_id", ""}, {"warpSize", "wave_size", ""}, {"laneid", "lane_id", ""},
      {"warp_id", "wave_id", ""},
      {"__syncthreads", "barrier", ""}, {"syncthreads", "barrier", ""}, {"s_barrier", "barrier", ""},
      {"__threadfence", "fence", ""}, {"__shfl_sync", "shuffle", ""}, {"__shfl", "shuffle", ""},
      {"__shfl_xor_sync", "shuffle_xor", ""},
      {"__shfl_xor", "shuffle_xor", ""}, {"__shfl_down_sync", "shuffle_down", ""}, {"__shfl_down", "shuffle_down", ""},
      {"__shfl_up_sync", "shuffle_up", ""}, {"__shfl_up", "shuffle_up", ""}, {"__ballot_sync", "ballot", ""},
      {"__ballot", "ballot", ""},
      {"__popc", "popcount", ""}, {"__clz", "clz", ""}, {"__shared__", "shared", ""}, {"cdiv", "ceil_div", ""},
      {"fabs", "abs", ""},
      {"fmax", "max", ""}, {"fmin", "min", ""}, {"maximum", "max", ""}, {"minimum", "min", ""},
      {"print", "printf", "", "static_print"},
      {"arctan2", "atan2", ""}, {"sigmoid", "", "`1.0 / (1.0 + exp(-x))`"},
      {"tid", "", "`thread_id.x` is the thread's index in its workgroup"},
      {"float32", "f32", ""}, {"Float32", "f32", ""}, {"fp32", "f32", ""}, {"float64", "f64", ""}, {"fp64", "f64", ""},
      {"double", "f64", ""},
      {"float16", "f16", ""}, {"Float16", "f16", ""}, {"fp16", "f16", ""}, {"half", "f16", ""},
      {"bfloat16", "bf16", ""}, {"BFloat16", "bf16", ""},
      {"int8", "i8", ""}, {"int16", "i16", ""}, {"int32", "i32", ""}, {"Int32", "i32", ""}, {"int64", "i64", ""},
      {"Int64", "i64", ""},
      {"int8_t", "i8", ""}, {"int16_t", "i16", ""}, {"int32_t", "i32", ""}, {"int64_t", "i64", ""},
      {"uint8_t", "u8", ""},
      {"uint16_t", "u16", ""}, {"uint32_t", "u32", ""}, {"uint64_t", "u64", ""}, {"uint8", "u8", ""},
      {"uint16", "u16", ""},
      {"uint32", "u32", ""}, {"uint64", "u64", ""}, {"size_t", "u64", ""}, {"boolean", "bool", ""},
      {"constexpr", "Constexpr", ""},
      {"float2", "", "`vec[f32, 2]`"}, {"float4", "", "`vec[f32, 4]`"}, {"int2", "", "`vec[i32, 2]`"},
      {"int4", "", "`vec[i32, 4]`"},
      {"half2", "", "`vec[f16, 2]`"}, {"true", "True", ""}, {"false", "False", ""}, {"null", "None", ""},
      {"nullptr", "None", ""},
      {"NULL", "None", ""}, {"range_constexpr", "unroll", ""}, {"static_range", "unroll", ""},
      {"Tensor", "", "a tensor parameter is `In[f32, (n,)]`, `Out[...]` or `InOut[...]`"},
      {"tl", "", "names need no prefix: `block_id.x`, `exp(x)`, `Constexpr[int]`"},
      {"fx", "", "names need no prefix: `thread_id.x`, `f32(x)`"},
      {"np", "", "names need no prefix: a check has `zeros((n,), f32)`, `random`, `arange`"},
      {"torch", "", "names need no prefix: a check has `zeros((n,), f32)`, `random`, `arange`"},
      {"math", "", "mathematics needs no prefix: `sqrt(x)`, `exp(x)`"},
      {"cuda", "", "names need no prefix: `thread_id.x`, `block_id.x`"},
      {"atomicAdd", "", "`x.atomic_add(i, value)`"}, {"atomicMax", "", "`x.atomic_max(i, value)`"},
      {"atomicMin", "", "`x.atomic_min(i, value)`"},
      {"atomicCAS", "", "`x.atomic_compare_exchange(i, expected, desired)`"},
      {"atomicExch", "", "`x.atomic_exchange(i, value)`"},
      {"atomic_add", "", "`x.atomic_add(i, value)`"},
      {"load", "", "`x[i]` reads an element, `x[i, :].load()` a row as a vector"},
      {"store", "", "`x[i] = value` writes an element, `x[i, :].store(v)` a row"},
      {"self", "", "the first parameter of a method is the instance: `def method(self, ...)`"},
      {"astype", "to", ""}, {"dtype", "type", ""},
  };
  // clang-format on
  for (const ForeignName &row : rows)
    if (row.name == name)
      return &row;
  return nullptr;
}

} // namespace fly::sema
