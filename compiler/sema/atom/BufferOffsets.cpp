// Buffers measured in bytes: their size, and explicit offsets. See BufferCopies.h.
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/number/Conversions.h"

#include "compiler/dialect/Divisors.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/tensor/BufferReach.h"
#include "compiler/sema/prelude/DeviceOutput.h"
#include "compiler/sema/tensor/PackedElements.h"
#include "compiler/text/Words.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

namespace fly::sema {

using layout::Leaf;
namespace arith = mlir::arith;

static ir::TensorType typeOf(const TensorValue &tensor) { return llvm::cast<ir::TensorType>(tensor.value.getType()); }

mlir::Value bytesOfSpan(Elaborator &e, const Leaf &span, int64_t bits, SourceRange range) {
  auto &b = e.ir(range, "buffer");
  auto loc = e.location(range);
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)).getResult();
  };
  if (span.isStatic())
    return number((span.value * bits + 7) / 8);
  mlir::Value count = valueOf(span).as<MachineValue>()->value;
  // Of an empty tensor, the distance to its last element is negative.
  count = arith::MaxSIOp::create(b, loc, count,
                                 arith::ConstantOp::create(b, loc, b.getIntegerAttr(count.getType(), 0)).getResult());
  if (!count.getType().isInteger(64))
    count = arith::ExtUIOp::create(b, loc, b.getI64Type(), count);
  const bool isPacked = bits % 8; // the last may end inside of a byte, which is theirs
  count = arith::MulIOp::create(b, loc, count, number(isPacked ? bits : bits / 8), arith::IntegerOverflowFlags::nuw);
  if (!isPacked)
    return count;
  return arith::ShRUIOp::create(
      b, loc, arith::AddIOp::create(b, loc, count, number(7), arith::IntegerOverflowFlags::nuw), number(3));
}

void trapBeyondReach(Elaborator &e, mlir::Value bytes, SourceRange range) {
  auto &b = e.ir(range, "buffer");
  auto loc = e.location(range);
  mlir::Value reach = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(ir::BufferOp::reach));
  mlir::Value tooLarge = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, bytes, reach);
  e.branch(
      MachineValue{tooLarge, Type::scalar(host::Number::Bool)}, [&] { return emitTrap(e, range), Value(); },
      [] { return Value(); }, range);
}

// ---------------------------------------------------------------------------------------------------------
// Explicit offsets

TensorValue atOffsets(Elaborator &e, const TensorValue &view, mlir::Value voffset, mlir::Value soffset,
                      int64_t immediate, ir::TensorType type, llvm::StringRef what, SourceRange soffsetRange,
                      SourceRange range, bool isUniform) {
  checkReach(e, view, range);
  auto &b = e.ir(range, what);
  auto loc = e.location(range);
  mlir::Value zero =
      !voffset || !soffset ? arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0)).getResult() : mlir::Value();
  TensorValue result = view;
  result.value = ir::AtOffsetsOp::create(b, e.location(range, what, {{"soffset", soffsetRange}}), type, view.value,
                                         voffset ? voffset : zero, soffset ? soffset : zero, immediate, isUniform);
  return result;
}

void applyOffsets(Elaborator &e, BoundCall &call, size_t source, size_t destination, size_t soffset, size_t immediate) {
  if (!call.given[soffset] && !call.given[immediate])
    return;
  SourceRange at = call.ranges[call.given[soffset] ? soffset : immediate];
  const char *name = call.given[soffset] ? "soffset" : "imm_offset";
  auto isBuffer = [&](size_t i) { return pieceIn(call[i], ir::AddressSpace::Buffer) != nullptr; };
  if (isBuffer(source) == isBuffer(destination))
    e.report(diag::wrong_argument_type, at,
             {call.builtin->name, isBuffer(source) ? "one side in a buffer" : "a buffer on one side", name,
              isBuffer(source) ? "two buffers" : "none"})
        .help("only buffer instructions have this operand; elsewhere, add it to the coordinate"),
        throw Failed{};
  Value &side = call.values[isBuffer(source) ? source : destination];
  const TensorValue view = *side.as<TensorValue>();
  if (liesPacked(view.element))
    e.report(diag::part_of_byte, at, {"explicit offsets count bytes"}).help("copy `recast(t, u8)`"), throw Failed{};
  const int64_t size = typeOf(view).getElementBits() / 8;
  int64_t known = 0;
  if (call.given[immediate]) {
    known = requireInt(e, call[immediate], call.ranges[immediate], "`imm_offset`");
    if (known < 0 || known > int64_t(e.target.bufferOffsetLimit) / size)
      e.fail(call.ranges[immediate], diag::offset_limit{.name = "imm_offset",
                                                        .limit = e.target.bufferOffsetLimit / size,
                                                        .unit = " elements of " + counted(size, "byte"),
                                                        .arch = std::string(e.target.name),
                                                        .found = known});
  }
  int64_t alignment = std::gcd(int64_t(typeOf(view).getAlignment()), known * size); // as through a coordinate
  mlir::Value scalar;
  if (call.given[soffset]) {
    auto number = toInt64(call[soffset]);
    if (number && *number < 0)
      e.fail(call.ranges[soffset], diag::negative_value{.what = "`soffset`", .found = std::to_string(*number)});
    scalar = toMachine(e, call[soffset], Type::scalar(host::Number::I32), call.ranges[soffset]).value;
    alignment = std::gcd(alignment, (number ? *number : ir::divisorOf(scalar)) * size);
    if (size > 1) {
      auto &b = e.ir(call.range, "copy");
      mlir::Value factor = arith::ConstantOp::create(b, e.location(call.range), b.getI32IntegerAttr(int32_t(size)));
      scalar = arith::MulIOp::create(b, e.location(call.range), scalar, factor);
    }
  }
  auto there = ir::TensorType::get(&e.context, typeOf(view).getElementType(), ir::AddressSpace::Buffer,
                                   unsigned(alignment), typeOf(view).getLayout());
  // A buffer promises that what is outside reads as 0: where hardware does not compare `soffset` with the end, it is
  // added to what is compared.
  const bool isCompared = e.target.buffersCheckScalar;
  side =
      Value(atOffsets(e, view, isCompared ? mlir::Value() : scalar, isCompared ? scalar : mlir::Value(), known * size,
                      there, call.builtin->name, call.ranges[soffset], call.range, scalar && !isCompared));
}

} // namespace fly::sema
