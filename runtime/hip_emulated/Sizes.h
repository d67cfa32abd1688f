// Sizes that a program gives: sums and products that do not wrap, and the largest number stands for all that is larger.
// No memory is that large, so a check that compares it with an allocation refuses it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fly::hip_emulated {

inline size_t addSizes(size_t a, size_t b) {
  size_t sum;
  return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}
inline size_t multiplySizes(size_t a, size_t b) {
  size_t product;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

/// The bytes from the start of the first row to the end of the last one. No dimension is 0.
inline size_t boxBytes(size_t rowBytes, size_t height, size_t pitch, size_t depth, size_t slice) {
  return addSizes(addSizes(multiplySizes(depth - 1, slice), multiplySizes(height - 1, pitch)), rowBytes);
}

} // namespace fly::hip_emulated
