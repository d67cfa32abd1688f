// See LdsSwizzles.h.
//
// A swizzle is applied to the offset that the layout gives, so that for any access only its places before the swizzle are needed:
// each candidate is tried by counting the cycles of all accesses with it. There are few hundred candidates:
//
//   swizzle(bits, base, shift)   2^base elements stay together, at least the widest access; base + shift + bits address bits lie
//                                inside of the tensor, so that it takes no more memory
//   padding                      rows of N elements begin N + p apart; p a multiple of the widest access, so that it stays aligned
//
// Fewest cycles win; then a swizzle before padding, which takes memory, and fewer bits.
#include "compiler/analysis/LdsSwizzles.h"

#include <algorithm>
#include <tuple>

namespace fly::analysis {

using layout::Layout;
using layout::Leaf;

namespace {

/// "(64, 64)" of "(64,64)".
std::string spaced(const std::string &text) {
  std::string out;
  for (char c : text)
    (out += c) += c == ',' ? " " : "";
  return out;
}

std::string literal(const Layout &layout) { return "layout[" + spaced(layout.shape().text()) + ":" + spaced(layout.stride().text()) + "]"; }

template <typename Move> LdsLayout totalOf(const std::vector<LdsAccess> &accesses, Move move) {
  LdsLayout total{"", 0, 0};
  for (const LdsAccess &access : accesses) {
    const target::LdsCost cost = access.cost(move);
    total.cycles += cost.cycles;
    total.ideal += cost.ideal;
  }
  return total;
}

} // namespace

std::optional<LdsLayout> betterLayout(const Layout &plain, const std::vector<LdsAccess> &accesses, unsigned cycles) {
  layout::InferringArithmetic arithmetic;
  auto span = layout::cosize(plain, arithmetic);
  if (!span || !span->isStatic() || accesses.empty())
    return std::nullopt;
  int64_t together = 1;
  for (const LdsAccess &access : accesses)
    together = std::max(together, access.count);
  constexpr int most = 20; // address bits: 160 KiB in bytes are fewer
  std::optional<std::tuple<unsigned, int, int, int>> best; // cycles, bits, shift, base
  std::optional<LdsLayout> result;
  for (int base = 0; base < most; ++base)
    for (int bits = 1; int64_t(1) << base >= together && bits <= 6; ++bits)
      for (int shift = bits; base + shift + bits <= most && span->value % (int64_t(1) << (base + shift + bits)) == 0; ++shift) {
        auto swizzle = layout::makeSwizzle(bits, base, shift);
        LdsLayout total = totalOf(accesses, [&](int64_t place) { return swizzle->apply(place); });
        const std::tuple rank(total.cycles, bits, shift, base);
        if (total.cycles >= cycles || (best && *best <= rank))
          continue;
        best = rank;
        total.text = "composed(swizzle(" + std::to_string(bits) + ", " + std::to_string(base) + ", " + std::to_string(shift) + "), " + literal(plain) + ")";
        result = std::move(total);
      }
  // Rows: one contiguous mode, the strides of all others multiples of what it fills.
  const auto extents = plain.shape().leaves(), strides = plain.stride().leaves();
  const auto row = std::ranges::find_if(strides, [](const Leaf &stride) { return stride.isStatic(1); });
  if (row == strides.end() || (result && result->cycles == result->ideal))
    return result;
  const int64_t length = extents[size_t(row - strides.begin())].value;
  const bool hasRows = length > 1 && std::ranges::all_of(strides, [&](const Leaf &stride) { return stride.isStatic(1) || stride.value % length == 0; });
  for (int64_t padding = together; hasRows && padding <= std::max<int64_t>(together, length / 2); padding *= 2) {
    auto padded = [&](int64_t place) { return place + place / length * padding; };
    LdsLayout total = totalOf(accesses, padded);
    if (total.cycles >= (result ? result->cycles : cycles))
      continue;
    total.text = literal(Layout(plain.shape(), plain.stride().mapLeaves([&](const Leaf &stride) { return stride.isStatic(1) ? stride : Leaf::known(padded(stride.value)); })));
    result = std::move(total);
  }
  return result;
}

} // namespace fly::analysis
