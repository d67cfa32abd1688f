// What could be faster, of the accesses of a wave: lines of memory that serve little, conflicts in LDS, narrow accesses
// of tiled copies. Said with -Wperf.
#pragma once

#include "compiler/analysis/LaneValues.h"
#include "compiler/analysis/Context.h"

namespace fly::analysis {

/// Bytes from one to the end of another.
using ByteRange = std::pair<uint64_t, uint64_t>;

/// One access of a wave: where its lanes begin, which of them take part, what each moves.
struct WaveAccess {
  mlir::Operation *op = nullptr; ///< the access, or the partition
  ir::TensorType type;           ///< of what is accessed
  mlir::Value origin;            ///< the tensor that it is part of
  std::vector<LanePlace> places;
  uint64_t active = 0;
  int64_t bits = 0;
  bool isWrite = false;
  std::string name; ///< of the tensor
  SourceRange range;
  mlir::Block *block = nullptr;
  std::vector<ByteRange> besides; ///< what the same wave accesses beside it, of a tiled copy
  bool isOfCopy = false;

  int64_t byteOf(int64_t place) const { return place * int64_t(type.getElementBits()) / 8; }
};

/// Reports accesses that touch many lines of memory, and those with conflicts in LDS, with the layout that has none.
void reportPatterns(Context &context, const std::vector<WaveAccess> &accesses);

/// Reports accesses of a tiled copy narrower than is legal.
void reportNarrowCopy(Context &context, const WaveAccess &access, int64_t legal, const std::string &element);

} // namespace fly::analysis
