// See BufferCopies.h. The atom: `BufferCopy(128, f16)`.
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/tensor/Tensors.h"
#include "compiler/sema/atom/Families.h"
#include "compiler/analysis/FarBuffers.h"
#include "compiler/sema/tensor/BufferReach.h"

#include "compiler/dialect/AccessWidth.h"
#include "compiler/dialect/Views.h"
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

static Value makeBuffer(Elaborator &e, BoundCall &call) {
  e.ir(call.range, "buffer");
  auto *tensor = call[0].as<TensorValue>();
  auto type = tensor ? llvm::cast<ir::TensorType>(tensor->value.getType()) : ir::TensorType();
  if (!tensor || tensor->record || (type.getSpace() != AddressSpace::Global && type.getSpace() != AddressSpace::Buffer))
    e.fail(call.ranges[0], diag::tensor_expected{.what = diag::argument("tensor", "buffer"),
                                                 .where = " in global memory",
                                                 .found = describePlace(call[0])});
  if (type.getSpace() == AddressSpace::Buffer)
    return Value(rebasedHere(e, *tensor, call.range));
  if (llvm::any_of(type.getDomain().stride().leaves(),
                   [](const Leaf &stride) { return stride.isStatic() && stride.value < 0; }))
    e.fail(diag::no_layout, call.ranges[0],
           {"buffer", "`" + layout::textOf(type.getLayout()) +
                          "` leads to positions before its start, which are outside any buffer"});
  MachineArithmetic arithmetic(e, call.range);
  Value whole = tensorAttribute(e, *tensor, "layout", call.range, call.range);
  Leaf span = taken(e, layout::cosize(*whole.as<LayoutValue>()->object->layout(), arithmetic), "buffer", call.range);
  const bool isFar = !analysis::isWithinReach(type);
  if (isFar && std::holds_alternative<layout::ComposedLayout>(type.getLayout()))
    e.report(diag::wrong_value, call.ranges[0],
             {"a buffer through a composed layout", "of at most 2 GiB", "`" + layout::textOf(type.getLayout()) + "`"})
        .help("make a buffer of each part: `buffer(t[block_id.x, :])`"),
        throw Failed{};
  const int64_t bits = type.getElementBits();
  mlir::Value bytes = bytesOfSpan(e, span, bits, call.range);
  if (!span.isStatic() && bits > 8 && !isFar) // else 31 bits count them
    trapBeyondReach(e, bytes, call.range);
  TensorValue result = *tensor;
  const auto location = e.location(call.range, call.builtin->name, {{"start", call.ranges[0]}});
  const int64_t widest = ir::widestInBuffer(type.getLayout(), unsigned(bits), e.target.buffersCheckDwords);
  result.value = ir::BufferOp::create(e.ir(call.range, "buffer"), location, tensor->value, bytes, widest, isFar,
                                      e.target.buffersCheckScalar);
  return Value(result);
}

void checkBufferEnd(Elaborator &e, const TensorValue &piece, int64_t bits, SourceRange range) {
  const int64_t inside = ir::widestInside(piece.value), widest = inside / 8;
  if (bits <= inside)
    return;
  ir::BufferOp buffer = ir::bufferOf(piece.value);
  const int64_t element = llvm::cast<ir::TensorType>(piece.value.getType()).getElementBits();
  bool byDwords = e.target.buffersCheckDwords;
  auto builder = e.report(
      range,
      diag::buffer_tail{.bits = bits, .arch = std::string(e.target.name), .unit = byDwords ? "a dword" : "the access"});
  builder.note("the tensor's layout is `" +
               layout::textOf(llvm::cast<ir::TensorType>(buffer.getTensor().getType()).getLayout()) + "`");
  builder.help("state in `requires=` what extents and strides are multiples of: `requires=n % " +
               std::to_string(std::lcm(byDwords ? 32 : bits, element) / element) + " == 0`");
  if (widest * 8 % element == 0)
    builder.help("or move fewer bits per access: `BufferCopy(" + std::to_string(widest * 8) + ", " +
                 std::string(host::format(piece.element).name) + ")`");
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
  return describe(piece) +
         (space == AddressSpace::Buffer ? " in a buffer" : " in " + ir::stringifyAddressSpace(space).str() + " memory");
}

// ---------------------------------------------------------------------------------------------------------
// BufferCopy

namespace {

Value makeBufferCopy(Elaborator &e, BoundCall &call) {
  return makeCopyAtom(e, atom::CopyKind::Buffer, call[0], call.ranges[0], call[1], call.ranges[1],
                      cachePolicyOf(e, call, 2, {target::MemoryAccess::Load, target::MemoryAccess::Store}));
}

const Builtin bufferRows[] = {
    {"buffer", "tensor",
     "the same elements of global memory through a buffer resource with the tensor's bounds; reads outside of them "
     "give 0, writes are dropped",
     makeBuffer},
    {"BufferCopy", "bits, type, cache=, scope=",
     "the copy atom of a buffer access: 8 to 128 bits per thread; predicates need no branch; `cache=\"stream\"` for "
     "data used only once, or another cache policy of the target",
     makeBufferCopy},
};
} // namespace

std::shared_ptr<const CopyAtom> bufferCopy(int64_t bits, host::Number element) {
  return std::make_shared<CopyAtom>(atom::CopyKind::Buffer, bits, element);
}

llvm::ArrayRef<Builtin> bufferBuiltins() { return bufferRows; }

} // namespace fly::sema
