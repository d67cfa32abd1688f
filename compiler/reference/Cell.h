// Cell: one number of one lane in the reference interpreter, with what is known of its bits.
//
//   bits      the value, in the lowest bits
//   known     a bit for each bit of the value that the program determines
//   flags     what else a result is: poison, a product that was rounded
//
// A bit that is not known may be any: of an undefined value, of a NaN beyond its being one, of a result that the
// language leaves open. Such bits are never compared.
#pragma once

#include "llvm/ADT/APInt.h"
#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <vector>

namespace fly::reference {

inline uint64_t onesOf(unsigned width) { return llvm::maskTrailingOnes<uint64_t>(width); }

struct Cell {
  enum : uint8_t { Poison = 1, RoundedProduct = 2 };

  uint64_t bits = 0, known = 0;
  uint8_t flags = 0;

  static Cell of(uint64_t bits, unsigned width) { return {bits & onesOf(width), onesOf(width), 0}; }
  static Cell number(int64_t value) { return {uint64_t(value), ~uint64_t(0), 0}; }
  static Cell unknown() { return {}; }
  static Cell poison() { return {0, 0, Poison}; }

  bool isPoison() const { return flags & Poison; }
  bool isKnown(unsigned width) const { return (known & onesOf(width)) == onesOf(width) && !isPoison(); }
  llvm::APInt value(unsigned width) const { return llvm::APInt(width, bits & onesOf(width)); }
};

/// The numbers of a value, lane after lane: of a vector its elements, of a tensor its address and dynamic leaves.
struct Lanes {
  unsigned count = 0; ///< per lane
  std::vector<Cell> cells;

  void reset(unsigned lanes, unsigned each) {
    count = each;
    cells.assign(size_t(lanes) * each, Cell());
  }
  Cell *of(unsigned lane) { return cells.data() + size_t(lane) * count; }
  const Cell *of(unsigned lane) const { return cells.data() + size_t(lane) * count; }
};

} // namespace fly::reference
