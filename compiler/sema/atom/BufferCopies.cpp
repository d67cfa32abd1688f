// See BufferCopies.h. The atom: `BufferCopy(128, f16)`.
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/analysis/FarBuffers.h"
#include "compiler/sema/tensor/BufferReach.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/tensor/Fragment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

namespace fly::sema {

using ir::AddressSpace;
using layout::AnyLayout;
using layout::Layout;
using layout::Leaf;
namespace arith = mlir::arith;

// ---------------------------------------------------------------------------------------------------------
// Making one

/// Whether accesses of `count` elements, each at a multiple of `count`, cover the layout exactly: every run of adjacent
/// elements has a multiple of `count` elements and starts at a multiple.
static bool endsWithAccess(const AnyLayout &any, int64_t count) {
  layout::InferringArithmetic arithmetic;
  if (count <= 1)
    return true;
  auto *plain = std::get_if<Layout>(&any);
  if (!plain) { // a swizzle permutes blocks within the whole
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

/// The widest access, in bytes, for which the target never drops elements that are inside.
static int64_t widestAccess(Elaborator &e, const AnyLayout &layout, int64_t elementBits) {
  constexpr int64_t widest = 16, dword = 4;
  auto ends = [&](int64_t bytes) { return endsWithAccess(layout, std::lcm(bytes * 8, elementBits) / elementBits); };
  if (e.target.buffersCheckDwords && ends(dword))
    return widest;
  const int64_t least = ir::elementUnit(unsigned(elementBits)).bytes;
  int64_t bytes = least == 3 ? 12 : widest; // accesses of elements of 6 bits are 3, 6 or 12 bytes
  while (bytes > least && !ends(bytes))
    bytes /= 2;
  return bytes;
}

static Value makeBuffer(Elaborator &e, BoundCall &call) {
  e.ir(call.range, "buffer");
  auto *tensor = call[0].as<TensorValue>();
  auto type = tensor ? llvm::cast<ir::TensorType>(tensor->value.getType()) : ir::TensorType();
  if (!tensor || tensor->record || (type.getSpace() != AddressSpace::Global && type.getSpace() != AddressSpace::Buffer))
    e.fail(call.ranges[0],
           diag::tensor_expected{.what = diag::argument("tensor", "buffer"), .where = " in global memory",
                                 .found = describePlace(call[0])});
  if (type.getSpace() == AddressSpace::Buffer)
    return Value(rebasedHere(e, *tensor, call.range));
  if (llvm::any_of(type.getDomain().stride().leaves(), [](const Leaf &stride) { return stride.isStatic() && stride.value < 0; }))
    e.fail(diag::no_layout, call.ranges[0], {"buffer", "`" + layout::textOf(type.getLayout()) + "` leads to positions before its start, which are outside any buffer"});
  MachineArithmetic arithmetic(e, call.range);
  Value whole = e.tensorAttribute(*tensor, "layout", call.range, call.range);
  Leaf span = taken(e, layout::cosize(*whole.as<LayoutValue>()->object->layout(), arithmetic), "buffer", call.range);
  const bool isFar = !analysis::isWithinReach(type);
  if (isFar && std::holds_alternative<layout::ComposedLayout>(type.getLayout()))
    e.report(diag::wrong_value, call.ranges[0], {"a buffer through a composed layout", "of at most 2 GiB", "`" + layout::textOf(type.getLayout()) + "`"})
        .help("make a buffer of each part: `buffer(t[block_id.x, :])`"), throw Failed{};
  const int64_t bits = type.getElementBits();
  mlir::Value bytes = bytesOfSpan(e, span, bits, call.range);
  if (!span.isStatic() && bits > 8 && !isFar) // else 31 bits count them
    trapBeyondReach(e, bytes, call.range);
  TensorValue result = *tensor;
  const auto location = e.location(call.range, call.builtin->name, {{"start", call.ranges[0]}});
  result.value = ir::BufferOp::create(e.ir(call.range, "buffer"), location, tensor->value, bytes, widestAccess(e, type.getLayout(), bits), isFar, e.target.buffersCheckScalar);
  return Value(result);
}

static ir::BufferOp bufferOf(const TensorValue &piece) {
  mlir::Operation *made = piece.value.getDefiningOp();
  while (made && !llvm::isa<ir::BufferOp>(made))
    made = made->getNumOperands() ? made->getOperand(0).getDefiningOp() : nullptr;
  return llvm::dyn_cast_or_null<ir::BufferOp>(made);
}

std::optional<int64_t> widestInBuffer(const TensorValue &piece) {
  auto buffer = bufferOf(piece);
  return buffer ? std::optional(int64_t(buffer.getWidest())) : std::nullopt;
}

void checkBufferEnd(Elaborator &e, const TensorValue &piece, int64_t bits, SourceRange range) {
  auto type = llvm::cast<ir::TensorType>(piece.value.getType());
  if (type.getSpace() != AddressSpace::Buffer)
    return;
  auto buffer = bufferOf(piece);
  if (!buffer || bits / 8 <= int64_t(buffer.getWidest()))
    return;
  int64_t widest = int64_t(buffer.getWidest()), element = type.getElementBits();
  bool byDwords = e.target.buffersCheckDwords;
  auto builder = e.report(diag::buffer_tail, range, {std::to_string(bits), std::string(e.target.name), byDwords ? "a dword" : "the access"});
  builder.note("the tensor's layout is `" + layout::textOf(llvm::cast<ir::TensorType>(buffer.getTensor().getType()).getLayout()) + "`");
  builder.help("state in `requires=` what extents and strides are multiples of: `requires=n % " + std::to_string(std::lcm(byDwords ? 32 : bits, element) / element) + " == 0`");
  if (widest * 8 % element == 0)
    builder.help("or move fewer bits per access: `BufferCopy(" + std::to_string(widest * 8) + ", " + std::string(host::format(piece.element).name) + ")`");
  throw Failed{};
}

const TensorValue *pieceIn(const Value &piece, AddressSpace space) {
  auto *tensor = piece.as<TensorValue>();
  return tensor && llvm::cast<ir::TensorType>(tensor->value.getType()).getSpace() == space ? tensor : nullptr;
}

std::string describePlace(const Value &piece) {
  auto *tensor = piece.as<TensorValue>();
  if (!tensor)
    return describe(piece);
  const AddressSpace space = llvm::cast<ir::TensorType>(tensor->value.getType()).getSpace();
  return describe(piece) + (space == AddressSpace::Buffer ? " in a buffer" : " in " + ir::stringifyAddressSpace(space).str() + " memory");
}

// ---------------------------------------------------------------------------------------------------------
// BufferCopy

namespace {

Value makeBufferCopy(Elaborator &e, BoundCall &call) {
  return makeCopyAtom(e, atom::CopyKind::Buffer, call[0], call.ranges[0], call[1], call.ranges[1],
                      cachePolicyOf(e, call, 2, {target::MemoryAccess::Load, target::MemoryAccess::Store}));
}

const Builtin table[] = {
    {"buffer", "tensor",
     "the same elements of global memory through a buffer resource with the tensor's bounds; reads outside of them "
     "give 0, writes are dropped", makeBuffer},
    {"BufferCopy", "bits, type, cache=, scope=",
     "the copy atom of a buffer access: 8 to 128 bits per thread; predicates need no branch; `cache=\"stream\"` for "
     "data used only once, or another cache policy of the target", makeBufferCopy},
};
} // namespace

std::shared_ptr<const CopyAtom> bufferCopy(int64_t bits, host::Number element) {
  return std::make_shared<CopyAtom>(atom::CopyKind::Buffer, bits, element);
}

llvm::ArrayRef<Builtin> bufferBuiltins() { return table; }

} // namespace fly::sema
