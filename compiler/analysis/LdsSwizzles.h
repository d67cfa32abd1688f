// Which layout frees LDS from bank conflicts: a swizzle of the layout that there is, or padded rows, judged by the
// accesses of a wave that the kernel is known to make.
#pragma once

#include "compiler/layout/ComposedLayout.h"
#include "compiler/target/LdsBanks.h"

#include <optional>
#include <string>
#include <vector>

namespace fly::analysis {

/// One access of a wave: where its lanes begin by the layout without any swizzle, in elements, and what each takes.
struct LdsAccess {
  target::LdsRule rule;
  uint64_t active;
  std::vector<int64_t> places;
  int64_t count, elementBits;

  unsigned bytes() const { return unsigned(count * elementBits / 8); }
  /// Its cost where `move` takes places to other ones.
  template <typename Move> target::LdsCost cost(Move move) const {
    std::vector<uint64_t> addresses;
    for (int64_t place : places)
      addresses.push_back(uint64_t(move(place)) * uint64_t(elementBits) / 8);
    return target::ldsCost(rule, active, addresses.data(), bytes(), false);
  }
};

/// A layout as it is written, and the cycles of all accesses together with it.
struct LdsLayout {
  std::string text;
  unsigned cycles, ideal;
};

/// The best layout of the same elements, if one is better than `cycles`. None is suggested that tears an access apart,
/// or that a swizzle would lead out of the tensor.
std::optional<LdsLayout> betterLayout(const layout::Layout &plain, const std::vector<LdsAccess> &accesses,
                                      unsigned cycles);

/// The swizzle of `plain` with which no access of a wave has a bank conflict: of the fewest bits, identity where none
/// is needed. It keeps every access together and stays inside of the tensor. None where no swizzle is free of
/// conflicts.
std::optional<layout::Swizzle> conflictFreeSwizzle(const layout::Layout &plain, const std::vector<LdsAccess> &accesses);

} // namespace fly::analysis
