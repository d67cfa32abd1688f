// See AccessWidth.h.
#include "compiler/dialect/AccessWidth.h"

#include "compiler/dialect/Views.h"
#include "compiler/layout/Algebra.h"

#include <numeric>

using namespace mlir;
namespace fly::ir {

using layout::AnyLayout;
using layout::Layout;
using layout::Leaf;

static constexpr int64_t dwordBits = 32, anywhere = int64_t(1) << 30;

//===---------------------------------------------------- width --------------------------------------------------===//

int64_t mostElements(unsigned elementBits, int64_t bits) {
  return std::max<int64_t>(1, static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(bits / elementBits))));
}

//===---------------------------------------------------- place --------------------------------------------------===//

int64_t elementsAligned(unsigned elementBits, unsigned alignment) {
  ElementUnit unit = elementUnit(elementBits);
  return unit.elements > 1 ? unit.elements * alignment : std::max<int64_t>(1, alignment / unit.bytes);
}

int64_t neededAlignment(int64_t bits) {
  const int64_t bytes = std::max<int64_t>(1, bits / 8);
  return bytes & -bytes;
}

bool isOneAccess(int64_t bits, int64_t alignment) {
  return bits <= widestBits && llvm::isPowerOf2_64(static_cast<uint64_t>(bits)) && alignment >= neededAlignment(bits);
}

bool takesAnyAddress(AddressSpace space) { return space == AddressSpace::Global || space == AddressSpace::Buffer; }

std::optional<AccessObstacle> obstacleTo(TensorType piece) {
  layout::InferringArithmetic arithmetic;
  auto count = layout::size(piece.getDomain(), arithmetic);
  if (!count || !count->isStatic())
    return AccessObstacle::Apart;
  auto runs = layout::runsOf(piece.getLayout(), count->value, anywhere);
  if (!runs || llvm::any_of(runs->runs, [&](auto &run) { return run.offset != runs->runs[0].offset + run.first; }))
    return AccessObstacle::Apart;
  const int64_t bits = count->value * piece.getElementBits();
  if (runs->runs.size() != 1 && bits != 3 * dwordBits)
    return AccessObstacle::Apart;
  const bool isAligned = count->value == 1 || piece.getAlignment() >= neededAlignment(bits); // a single element is
  return isAligned ? std::nullopt : std::optional(AccessObstacle::Misaligned);
}

layout::Result<layout::Runs> accessesOf(TensorType type, int64_t bits) {
  const int64_t widest = mostElements(type.getElementBits(), bits);
  int64_t aligned = elementsAligned(type.getElementBits(), type.getAlignment());
  if (takesAnyAddress(type.getSpace()))
    aligned = std::max(widest, aligned);
  return layout::runsOf(type.getLayout(), widest, aligned);
}

int64_t widestOfThread(Value partition) {
  auto type = cast<TensorType>(partition.getType());
  const unsigned elementBits = type.getElementBits();
  unsigned alignment = type.getAlignment();
  for (const Layout &mode : {type.getDomain().mode(0).mode(0), type.getDomain().mode(1)})
    for (auto [extent, stride] : llvm::zip_equal(mode.shape().leaves(), mode.stride().leaves()))
      if (!extent.isStatic(1))
        alignment = commonAlignment(alignment, std::max<int64_t>(1, stride.divisor() * elementBits / 8));
  auto ofValues = [](const Layout &domain) -> layout::Result<Layout> { return domain.mode(0).mode(1); };
  auto values = layout::changeDomain(type.getLayout(), ofValues);
  if (!values)
    return 0;
  int64_t widest = widestInside(partition);
  auto runs = layout::runsOf(*values, mostElements(elementBits, widest), elementsAligned(elementBits, alignment));
  if (!runs)
    return 0;
  for (const layout::Run &run : runs->runs)
    widest = std::min<int64_t>(widest, run.count * elementBits);
  return widest;
}

//===----------------------------------------------- the end of buffers ------------------------------------------===//

int64_t widestInside(Value view) {
  BufferOp buffer = bufferOf(view);
  return buffer ? static_cast<int64_t>(buffer.getWidest()) * 8 : widestBits;
}

/// Whether accesses of `count` elements, each at a multiple of it, end where the layout does: every run of neighbouring
/// elements is a multiple of it, and runs begin at multiples.
static bool endsWithAccess(const AnyLayout &any, int64_t count) {
  layout::InferringArithmetic arithmetic;
  if (count <= 1)
    return true;
  auto *plain = std::get_if<Layout>(&any);
  if (!plain) { // a swizzle permutes blocks inside of the whole
    auto span = layout::cosize(any, arithmetic);
    return span && span->isStatic() && span->value % count == 0;
  }
  auto simple = layout::coalesce(*plain, arithmetic);
  if (!simple)
    return false;
  auto extents = simple->shape().leaves(), strides = simple->stride().leaves();
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].isStatic(1) || strides[i].divisor() % count == 0)
      continue;
    if (!strides[i].isStatic(1) || extents[i].divisor() % count != 0)
      return false;
  }
  return llvm::any_of(strides, [](const Leaf &stride) { return stride.isStatic(1); });
}

int64_t widestInBuffer(const AnyLayout &layout, unsigned elementBits, bool checksDwords) {
  auto ends = [&](int64_t bytes) {
    return endsWithAccess(layout, std::lcm<int64_t>(bytes * 8, elementBits) / elementBits);
  };
  if (checksDwords && ends(dwordBits / 8))
    return widestBits / 8;
  const int64_t least = elementUnit(elementBits).bytes;
  int64_t bytes = mostElements(elementBits) * elementBits / 8; // of elements of 6 bits 12, 6 or 3
  while (bytes > least && !ends(bytes))
    bytes /= 2;
  return bytes;
}

} // namespace fly::ir
