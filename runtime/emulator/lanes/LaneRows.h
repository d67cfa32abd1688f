// Moves lanes' values between memory, where the words of one lane are together (a row), and registers, where one word
// of all lanes is together (a column). Word by word, this takes two memory operations each. Here eight rows at a time
// are loaded, transposed in vector registers and stored, whether the rows are adjacent or not. A wave's lanes are a
// multiple of eight.
//
// `at(l)` is the host address of lane l's row. Rows of three words are moved word by word: loading four at a time would
// read past the last one.
#pragma once

#include "runtime/emulator/wave/Wave.h"

#include <cstring>

namespace fly::emulator {

typedef uint32_t RowPart __attribute__((ext_vector_type(4)));
typedef uint32_t RowPair __attribute__((ext_vector_type(8)));

namespace rowparts {

// The halves of a RowPair are shuffled alike: what machines with 256-bit vectors do well, others in two steps.
inline RowPair joined(RowPart a, RowPart b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7); }
inline RowPair lowWords(RowPair a, RowPair b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13); }
inline RowPair highWords(RowPair a, RowPair b) { return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15); }
inline RowPair lowHalves(RowPair a, RowPair b) { return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13); }
inline RowPair highHalves(RowPair a, RowPair b) { return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15); }
inline RowPair evenWords(RowPair a, RowPair b) { return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14); }
inline RowPair oddWords(RowPair a, RowPair b) { return __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15); }

inline RowPart part(const uint8_t *p) {
  RowPart v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline RowPart twoHalves(const uint8_t *a, const uint8_t *b) {
  uint64_t both[2];
  std::memcpy(both, a, 8);
  std::memcpy(both + 1, b, 8);
  return __builtin_bit_cast(RowPart, both);
}
inline RowPair column(const uint32_t *d) {
  RowPair v;
  std::memcpy(&v, d, sizeof v);
  return v;
}
inline void setColumn(uint32_t *d, RowPair v) { std::memcpy(d, &v, sizeof v); }
inline void setPart(uint8_t *p, RowPart v) { std::memcpy(p, &v, sizeof v); }
inline void setTwoHalves(uint8_t *a, uint8_t *b, RowPart v) {
  std::memcpy(a, &v, 8);
  std::memcpy(b, reinterpret_cast<const uint8_t *>(&v) + 8, 8);
}

} // namespace rowparts

template <unsigned Words, class At> inline void loadRows(uint32_t *d, unsigned lanes, At at) {
  using namespace rowparts;
  if constexpr (Words == 4) {
    for (unsigned l = 0; l < lanes; l += 8) {
      RowPair a = joined(part(at(l)), part(at(l + 4))), b = joined(part(at(l + 1)), part(at(l + 5)));
      RowPair c = joined(part(at(l + 2)), part(at(l + 6))), e = joined(part(at(l + 3)), part(at(l + 7)));
      RowPair ab = lowWords(a, b), ce = lowWords(c, e), ab2 = highWords(a, b), ce2 = highWords(c, e);
      setColumn(d + l, lowHalves(ab, ce));
      setColumn(d + laneStride + l, highHalves(ab, ce));
      setColumn(d + 2 * laneStride + l, lowHalves(ab2, ce2));
      setColumn(d + 3 * laneStride + l, highHalves(ab2, ce2));
    }
  } else if constexpr (Words == 2) {
    for (unsigned l = 0; l < lanes; l += 8) {
      RowPair a = joined(twoHalves(at(l), at(l + 1)), twoHalves(at(l + 4), at(l + 5)));
      RowPair b = joined(twoHalves(at(l + 2), at(l + 3)), twoHalves(at(l + 6), at(l + 7)));
      setColumn(d + l, evenWords(a, b));
      setColumn(d + laneStride + l, oddWords(a, b));
    }
  } else {
    for (unsigned l = 0; l < lanes; ++l)
      for (unsigned k = 0; k < Words; ++k) std::memcpy(d + k * laneStride + l, at(l) + 4 * k, 4);
  }
}

/// Rows that overlap are written in lane order: the highest lane's bytes stay.
template <unsigned Words, class At> inline void storeRows(At at, const uint32_t *d, unsigned lanes) {
  using namespace rowparts;
  if constexpr (Words == 4) {
    for (unsigned l = 0; l < lanes; l += 8) {
      RowPair a = column(d + l), b = column(d + laneStride + l);
      RowPair c = column(d + 2 * laneStride + l), e = column(d + 3 * laneStride + l);
      RowPair ab = lowWords(a, b), ce = lowWords(c, e), ab2 = highWords(a, b), ce2 = highWords(c, e);
      RowPair r0 = lowHalves(ab, ce), r1 = highHalves(ab, ce), r2 = lowHalves(ab2, ce2), r3 = highHalves(ab2, ce2);
      setPart(at(l), r0.lo), setPart(at(l + 1), r1.lo), setPart(at(l + 2), r2.lo), setPart(at(l + 3), r3.lo);
      setPart(at(l + 4), r0.hi), setPart(at(l + 5), r1.hi), setPart(at(l + 6), r2.hi), setPart(at(l + 7), r3.hi);
    }
  } else if constexpr (Words == 2) {
    for (unsigned l = 0; l < lanes; l += 8) {
      RowPair a = column(d + l), b = column(d + laneStride + l), r0 = lowWords(a, b), r2 = highWords(a, b);
      setTwoHalves(at(l), at(l + 1), r0.lo), setTwoHalves(at(l + 2), at(l + 3), r2.lo);
      setTwoHalves(at(l + 4), at(l + 5), r0.hi), setTwoHalves(at(l + 6), at(l + 7), r2.hi);
    }
  } else {
    for (unsigned l = 0; l < lanes; ++l)
      for (unsigned k = 0; k < Words; ++k) std::memcpy(at(l) + 4 * k, d + k * laneStride + l, 4);
  }
}

} // namespace fly::emulator
