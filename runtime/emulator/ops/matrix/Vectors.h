// clang's vectors, as the matrix engines use them. Local to each file that includes this: the engines are compiled once
// with AVX2 and once without, and the linker must not merge the two.
#pragma once

#include <cstring>

namespace fly::emulator {

namespace {

template <class T, unsigned W> struct VectorOf {
  typedef T Type __attribute__((ext_vector_type(W)));
};
template <class T, unsigned W> using Vector = typename VectorOf<T, W>::Type;

template <class V, class T> V load(const T *p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V, class T> void store(T *p, V v) { std::memcpy(p, &v, sizeof v); }

} // namespace

} // namespace fly::emulator
