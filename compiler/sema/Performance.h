// What could be faster, of a partition: found from layouts alone, said with -Wperf.
#pragma once

#include "compiler/sema/TiledCopy.h"

namespace fly::sema {

/// Whether -Wperf asked for any of it.
bool wantsPerformance(Elaborator &e);

/// The layout with every number known: strides far apart, extents large, offsets 0.
layout::AnyLayout withKnownNumbers(const layout::AnyLayout &layout);

/// One access of a wave: where its lanes begin, in bytes, which of them take part, what each moves.
struct WaveAccess {
  ir::AddressSpace space;
  std::vector<uint64_t> addresses;
  uint64_t active;
  int64_t bits;
  bool isWrite;
  std::string name;       ///< of the tensor
  SourceRange range;
};
/// Says that an access touches many lines of memory, with the help for it, or has conflicts in LDS.
void reportPattern(Elaborator &e, const WaveAccess &access, llvm::StringRef help);

/// `owned` is the tensor by ((threads, values), rest): how the lanes of a wave reach it in one access of the atom.
void checkPerformance(Elaborator &e, const TiledCopy &copy, const Value &tensor, const Value &owned, bool isWrite, SourceRange range);

} // namespace fly::sema
