// cosize of composed layouts: exact where everything is known, since memory is sized by it and a bound that rounds up
// to the swizzle's blocks wastes LDS:
//
//   S<3,3,3> o 0 o (3,5):(64,1)    149     the offsets 0..4, 64..68, 128..132; 132 becomes 148
//
// Under a swizzle only the offsets in the topmost block that it permutes can become the largest. They are sums of
// arithmetic progressions, whose order is of no account, so modes of equal stride and modes that continue each other
// merge before the search.
#include "compiler/layout/ComposedLayout.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace fly::layout {

namespace {

constexpr std::int64_t maximumVisited = std::int64_t(1) << 22;   // sums under a swizzle
constexpr std::int64_t maximumEvaluated = std::int64_t(1) << 16; // coordinates of other functions

struct Progression {
  std::int64_t step, extent;
};

/// The offsets of a static layout that is not empty, as `first` and sums of progressions by rising step. Its cosize
/// fits.
std::vector<Progression> progressionsOf(const Layout &layout, std::int64_t &first) {
  std::vector<Leaf> shape = layout.shape().leaves(), stride = layout.stride().leaves();
  std::vector<Progression> all, merged;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].value == 1 || stride[i].value == 0)
      continue;
    if (stride[i].value < 0)
      first += stride[i].value * (shape[i].value - 1);
    all.push_back({std::abs(stride[i].value), shape[i].value});
  }
  std::sort(all.begin(), all.end(), [](const Progression &a, const Progression &b) { return a.step < b.step; });
  for (const Progression &next : all)
    if (!merged.empty() && next.step % merged.back().step == 0 &&
        next.step / merged.back().step <= merged.back().extent)
      merged.back().extent += (next.extent - 1) * (next.step / merged.back().step);
    else
      merged.push_back(next);
  return merged;
}

/// The largest result of a swizzle over those sums.
class Search {
public:
  Search(const Swizzle &swizzle, std::vector<Progression> modes, std::int64_t first)
      : swizzle(swizzle), modes(std::move(modes)) {
    for (const Progression &mode : this->modes)
      above.push_back(above.back() + mode.step * (mode.extent - 1));
    int top = swizzle.bits + swizzle.base + std::abs(swizzle.shift);
    floor = (first + above.back()) >> top << top;
    visit(this->modes.size(), first);
  }
  /// None where there are too many.
  std::optional<std::int64_t> result() const { return left < 0 ? std::nullopt : std::optional(most); }

private:
  void visit(std::size_t count, std::int64_t offset) {
    if (--left < 0)
      return;
    if (count == 0) {
      most = std::max(most, swizzle.apply(offset));
      return;
    }
    const Progression &mode = modes[count - 1];
    for (std::int64_t i = mode.extent - 1; i >= 0 && left >= 0; --i) {
      if (offset + i * mode.step + above[count - 1] < floor)
        break;
      visit(count - 1, offset + i * mode.step);
    }
  }

  const Swizzle &swizzle;
  std::vector<Progression> modes;
  std::vector<std::int64_t> above = {0}; // how much the first modes add at most
  std::int64_t floor = 0, most = 0, left = maximumVisited;
};

/// Each coordinate evaluated: what the results and 0 span, along each mode where they are coordinates.
Result<Leaf> spanOfAll(const ComposedLayout &layout, std::int64_t count, LeafArithmetic &arithmetic) {
  std::vector<std::int64_t> least, most;
  for (std::int64_t i = 0; i < count; ++i) {
    FLY_TRY(result, evaluate(i, AnyLayout(layout), arithmetic));
    std::vector<Leaf> leaves = result.leaves();
    least.resize(std::max(least.size(), leaves.size()));
    most.resize(least.size());
    for (std::size_t j = 0; j < leaves.size(); ++j) {
      least[j] = std::min(least[j], leaves[j].value);
      most[j] = std::max(most[j], leaves[j].value);
    }
  }
  Leaf span = Leaf::known(1);
  for (std::size_t j = 0; j < most.size(); ++j) {
    FLY_TRY(extent, arithmetic.add(Leaf::known(most[j]), Leaf::known(1 - least[j])));
    FLY_TRY(product, arithmetic.multiply(span, extent));
    span = std::move(product);
  }
  return span;
}

} // namespace

// Unknown results are bounded: a swizzle permutes whole blocks of 2^(bits + base) offsets where it moves bits down, and
// larger ones where it moves them up.
Result<Leaf> cosize(const AnyLayout &layout, LeafArithmetic &arithmetic) {
  if (auto *plain = std::get_if<Layout>(&layout))
    return cosize(*plain, arithmetic);
  const auto &composed = std::get<ComposedLayout>(layout);
  FLY_TRY(count, size(composed.domain(), arithmetic));
  if (count.isStatic(0))
    return Leaf::known(0);
  auto *swizzle = std::get_if<Swizzle>(&composed.inner());
  bool known = isStatic(layout);
  if (auto *outer = std::get_if<Layout>(&composed.outer()); known && swizzle && outer) {
    FLY_TRY(plain, cosize(*outer, arithmetic));
    FLY_CHECK(arithmetic.add(composed.offset().leaf(), plain));
    std::int64_t first = composed.offset().leaf().value;
    std::vector<Progression> modes = progressionsOf(*outer, first);
    if (first < 0)
      return Error{"`" + swizzle->text() + "` takes non-negative offsets; `" + composed.text() + "` reaches " +
                   std::to_string(first)};
    if (auto most = Search(*swizzle, std::move(modes), first).result())
      return arithmetic.add(Leaf::known(*most), Leaf::known(1));
  } else if (known && count.value <= maximumEvaluated) {
    return spanOfAll(composed, count.value, arithmetic);
  }
  if (swizzle) {
    FLY_TRY(outer, cosize(composed.outer(), arithmetic));
    FLY_TRY(reached, arithmetic.add(composed.offset().leaf(), outer));
    Leaf block = Leaf::known(std::int64_t(1) << (swizzle->bits + swizzle->base + std::max(0, -swizzle->shift)));
    FLY_TRY(blocks, arithmetic.ceilDivide(reached, block));
    return arithmetic.multiply(blocks, block);
  }
  return Error{"the cosize of `" + composed.text() + "` is that of a layout after another one" +
               (known ? ", of more than " + std::to_string(maximumEvaluated) + " coordinates" : "") +
               "; compose them first"};
}

} // namespace fly::layout
