// See OverlappingOutputs.h. A mode that is known only at launch may have one element, so it is left out: what overlaps
// without it overlaps with it. A stride of 0 is an overlap whatever the extent is.
#include "compiler/sema/kernel/OverlappingOutputs.h"

#include <unordered_map>

namespace fly::sema {

namespace {

constexpr int64_t elementsAtMost = 1 << 20; ///< of a layout that is tried out

using Coordinate = std::vector<int64_t>;

std::string textOf(const Coordinate &coordinate) {
  std::string text;
  for (int64_t i : coordinate)
    text += (text.empty() ? "(" : ", ") + std::to_string(i);
  return text + (coordinate.size() == 1 ? ",)" : ")");
}

std::optional<int64_t> constantOf(const host::ExprRef &expr) {
  return expr && expr->op == host::ExprOp::IntConstant ? std::optional(expr->intValue) : std::nullopt;
}

/// Two coordinates of one place; none if there are none, or if that is not known.
std::optional<std::pair<Coordinate, Coordinate>> overlapOf(const LaunchShape &layout) {
  const size_t rank = layout.shape.size();
  struct Mode {
    size_t at;
    int64_t extent, stride;
  };
  std::vector<Mode> known;
  int64_t size = 1;
  for (size_t i = 0; i < rank && i < layout.strides.size(); ++i) {
    auto extent = constantOf(layout.shape[i]), stride = constantOf(layout.strides[i]);
    if (stride == 0 && extent.value_or(2) > 1) {
      Coordinate first(rank, 0), second(rank, 0);
      second[i] = 1;
      return std::pair(first, second);
    }
    if (!extent || !stride || *extent <= 1)
      continue;
    known.push_back({i, *extent, *stride});
    if (__builtin_mul_overflow(size, *extent, &size) || size > elementsAtMost)
      size = elementsAtMost + 1;
  }
  // Each mode steps over everything that the smaller ones reach: the usual case, and the only one of large layouts.
  llvm::sort(known, [](auto &a, auto &b) { return std::abs(a.stride) < std::abs(b.stride); });
  int64_t reach = 0;
  bool isOrdered = true;
  for (auto &mode : known) {
    isOrdered &= std::abs(mode.stride) > reach;
    reach += (mode.extent - 1) * std::abs(mode.stride);
  }
  if (isOrdered || size > elementsAtMost)
    return std::nullopt;
  std::unordered_map<int64_t, Coordinate> places;
  Coordinate now(rank, 0);
  for (int64_t n = 0; n < size; ++n) {
    int64_t offset = 0, rest = n;
    for (auto &mode : known) {
      now[mode.at] = rest % mode.extent;
      rest /= mode.extent;
      offset += now[mode.at] * mode.stride;
    }
    if (auto [other, isNew] = places.try_emplace(offset, now); !isNew)
      return std::pair(other->second, now);
  }
  return std::nullopt;
}

} // namespace

void warnOfOverlaps(Elaborator &e, const Signature &signature) {
  for (auto &p : signature.parameters)
    if (p.tensor && p.tensor->access == Access::Write)
      if (auto overlap = overlapOf(p.layout))
        e.report(p.node->annotation->range, diag::overlapping_output{.name = p.node->name,
                                                                     .first = textOf(overlap->first),
                                                                     .second = textOf(overlap->second)});
}

} // namespace fly::sema
