// See LdsSwizzles.h.
//
// A swizzle maps the offset that the layout gives. So it is enough to know the places of each access before the swizzle,
// and to count the cycles of all accesses with each candidate. There are a few hundred candidates:
//
//   swizzle(bits, base, shift)   2^base elements stay together, at least the widest access; base + shift + bits
//                                address bits lie inside the tensor, so that it takes no more memory
//   padding                      rows of N elements begin N + p apart; p a multiple of the widest access, so that it
//                                stays aligned
//
// The fewest cycles win. Among equals a swizzle wins over padding, which takes memory, and fewer bits over more.
#include "compiler/analysis/LdsSwizzles.h"

#include <algorithm>

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

std::string literal(const Layout &layout) {
  return "layout[" + spaced(layout.shape().text()) + ":" + spaced(layout.stride().text()) + "]";
}

template <typename Move> LdsLayout totalOf(const std::vector<LdsAccess> &accesses, Move move) {
  LdsLayout total{"", 0, 0};
  for (const LdsAccess &access : accesses) {
    const target::LdsCost cost = access.cost(move);
    total.cycles += cost.cycles;
    total.ideal += cost.ideal;
  }
  return total;
}

/// Calls `visit` with each swizzle that keeps `together` elements side by side and leads to no place outside `span`
/// elements, those of few bits first, until it returns true.
template <typename Visit> void forEachSwizzle(int64_t span, int64_t together, Visit visit) {
  constexpr int most = 20; // address bits: 160 KiB in bytes are fewer
  for (int bits = 1; bits <= 6; ++bits)
    for (int shift = bits; shift < most; ++shift)
      for (int base = 0; base + shift + bits <= most; ++base)
        if (int64_t(1) << base >= together && span % (int64_t(1) << (base + shift + bits)) == 0)
          if (visit(*layout::makeSwizzle(bits, base, shift)))
            return;
}

/// The elements that the layout spans, and the most that an access has.
std::optional<std::pair<int64_t, int64_t>> spanOf(const Layout &plain, const std::vector<LdsAccess> &accesses) {
  layout::InferringArithmetic arithmetic;
  auto span = layout::cosize(plain, arithmetic);
  if (!span || !span->isStatic() || accesses.empty())
    return std::nullopt;
  int64_t together = 1;
  for (const LdsAccess &access : accesses)
    together = std::max(together, access.count);
  return std::pair(span->value, together);
}

} // namespace

std::optional<layout::Swizzle> conflictFreeSwizzle(const Layout &plain, const std::vector<LdsAccess> &accesses) {
  auto isFree = [&](const layout::Swizzle &swizzle) {
    return std::ranges::all_of(accesses, [&](const LdsAccess &access) {
      return access.cost([&](int64_t place) { return swizzle.apply(place); }).conflicts() == 0;
    });
  };
  if (isFree({}))
    return layout::Swizzle{};
  std::optional<layout::Swizzle> found;
  if (auto span = spanOf(plain, accesses))
    forEachSwizzle(span->first, span->second, [&](const layout::Swizzle &swizzle) {
      if (isFree(swizzle))
        found = swizzle;
      return found.has_value();
    });
  return found;
}

std::optional<LdsLayout> betterLayout(const Layout &plain, const std::vector<LdsAccess> &accesses, unsigned cycles) {
  const auto found = spanOf(plain, accesses);
  if (!found)
    return std::nullopt;
  const auto [span, together] = *found;
  std::optional<unsigned> best;
  std::optional<LdsLayout> result;
  forEachSwizzle(span, together, [&](const layout::Swizzle &swizzle) {
    LdsLayout total = totalOf(accesses, [&](int64_t place) { return swizzle.apply(place); });
    if (total.cycles >= best.value_or(cycles))
      return false;
    best = total.cycles;
    total.text = "composed(swizzle(" + std::to_string(swizzle.bits) + ", " + std::to_string(swizzle.base) + ", " +
                 std::to_string(swizzle.shift) + "), " + literal(plain) + ")";
    result = std::move(total);
    return best == result->ideal;
  });
  // Rows: one contiguous mode, the strides of all others multiples of what it fills.
  const auto extents = plain.shape().leaves(), strides = plain.stride().leaves();
  const auto row = std::ranges::find_if(strides, [](const Leaf &stride) { return stride.isStatic(1); });
  if (row == strides.end() || (result && result->cycles == result->ideal))
    return result;
  const int64_t length = extents[size_t(row - strides.begin())].value;
  const bool hasRows = length > 1 && std::ranges::all_of(strides, [&](const Leaf &stride) {
                         return stride.isStatic(1) || stride.value % length == 0;
                       });
  for (int64_t padding = together; hasRows && padding <= std::max<int64_t>(together, length / 2); padding *= 2) {
    auto padded = [&](int64_t place) { return place + place / length * padding; };
    LdsLayout total = totalOf(accesses, padded);
    if (total.cycles >= (result ? result->cycles : cycles))
      continue;
    total.text = literal(Layout(plain.shape(), plain.stride().mapLeaves([&](const Leaf &stride) {
      return stride.isStatic(1) ? stride : Leaf::known(padded(stride.value));
    })));
    result = std::move(total);
  }
  return result;
}

} // namespace fly::analysis
