// One instruction on a buffer with its offsets in bytes, as the ISA has them:
//
//   v = buffer_load(b, vec[f32, 4], voffset=lane * 16, soffset=row * pitch, offset=64)
//   buffer_store(v, b, voffset=lane * 16)
//
// They count from the start of the view `b`. The caller guarantees that addresses are aligned and that no access
// crosses the end of the buffer.
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/elaborator/InputWrites.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/amd/ModuleAmd.h"
#include "compiler/sema/tensor/PackedElements.h"

#include "compiler/dialect/AccessWidth.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fly::sema {

namespace {

enum Parameter : size_t { Buffer, Kind, Voffset, Soffset, Offset, Cache };

/// The elements of an access, as a view of the buffer.
TensorValue placeOf(Elaborator &e, BoundCall &call, size_t bufferAt, Type type, SourceRange typeRange) {
  auto *view = pieceIn(call[bufferAt], ir::AddressSpace::Buffer);
  if (!view || view->record)
    e.report(diag::wrong_argument_type, call.ranges[bufferAt],
             {call.builtin->name, "a buffer", parameterName(*call.builtin, bufferAt), describe(call[bufferAt])})
        .help("`buffer(t)` makes a buffer from a global tensor"),
        throw Failed{};
  const int64_t lanes = std::max<int64_t>(1, type.lanes), bits = lanes * type.format().bits;
  if (type.isBool() || liesPacked(type.number) || !llvm::is_contained(atom::row(atom::CopyKind::Buffer).bits, bits))
    e.fail(diag::wrong_value, typeRange,
           {"the type of a buffer access", "one of 8, 16, 32, 64, 96 or 128 bits", "`" + type.text() + "`"});
  auto number = [&](size_t i) -> mlir::Value {
    if (auto known = call.given[i] ? toInt64(call[i]) : std::nullopt; known && *known < 0)
      e.fail(call.ranges[i],
             diag::negative_value{.what = i == Voffset ? "`voffset`" : "`soffset`", .found = std::to_string(*known)});
    return call.given[i] ? toMachine(e, call[i], Type::scalar(host::Number::I32), call.ranges[i]).value : mlir::Value();
  };
  int64_t offset = 0;
  if (call.given[Offset]) {
    offset = requireInt(e, call[Offset], call.ranges[Offset], "`offset`");
    if (offset < 0 || offset > int64_t(e.target.bufferOffsetLimit))
      e.report(call.ranges[Offset], diag::offset_limit{.name = "offset",
                                                       .limit = int64_t(e.target.bufferOffsetLimit),
                                                       .unit = " bytes",
                                                       .arch = std::string(e.target.name),
                                                       .found = offset})
          .help("put the rest into `soffset`"),
          throw Failed{};
  }
  if (!e.target.buffersCheckScalar && call.given[Soffset] && toInt64(call[Soffset]) != 0)
    e.report(call.ranges[Soffset], diag::unchecked_soffset{.arch = std::string(e.target.name),
                                                           .done = bufferAt == Buffer ? "read" : "written"})
        .help("add it to `voffset`, which is compared; if it never leads outside, turn this warning off with "
              "`-Wno-unchecked-soffset`");
  layout::Layout run(layout::IntTuple(std::vector<layout::IntTuple>{lanes}),
                     layout::IntTuple(std::vector<layout::IntTuple>{1}));
  auto place = ir::TensorType::get(&e.context, mlirType(e, Type::scalar(type.number)), ir::AddressSpace::Buffer,
                                   uint32_t(ir::neededAlignment(bits)), layout::AnyLayout(run));
  return atOffsets(e, *view, number(Voffset), number(Soffset), offset, place, call.builtin->name, call.ranges[Soffset],
                   call.range);
}

uint32_t policyOf(Elaborator &e, BoundCall &call, target::MemoryAccess access) {
  return cacheBitsOf(e, cachePolicyOf(e, call, Cache, {access}), access, call.ranges[Cache]);
}

Value bufferLoad(Elaborator &e, BoundCall &call) {
  Type type = requireType(e, call[Kind], call.ranges[Kind], "the type of the access");
  TensorValue place = placeOf(e, call, Buffer, type, call.ranges[Kind]);
  auto &b = e.ir(call.range, "buffer_load");
  auto load = ir::LoadVectorOp::create(b, e.location(call.range), place.value);
  load.setCache(policyOf(e, call, target::MemoryAccess::Load));
  if (type.isVector())
    return Value(MachineValue{load, type});
  mlir::Value element = mlir::vector::ExtractOp::create(b, e.location(call.range), load, llvm::ArrayRef<int64_t>{0});
  return Value(MachineValue{element, type});
}

Value bufferStore(Elaborator &e, BoundCall &call) {
  MachineValue value = toMachine(e, call[0], call.ranges[0]);
  TensorValue place = placeOf(e, call, 1, value.type, call.ranges[0]);
  if (place.access == Access::Read)
    failInput(e, call.ranges[1], place.name);
  auto &b = e.ir(call.range, "buffer_store");
  mlir::Value elements = value.value;
  if (!value.type.isVector())
    elements = mlir::vector::FromElementsOp::create(b, e.location(call.range),
                                                    mlir::VectorType::get({1}, elements.getType()), elements);
  ir::StoreVectorOp::create(b, e.location(call.range), elements, place.value)
      .setCache(policyOf(e, call, target::MemoryAccess::Store));
  return Value();
}

const Builtin bufferAccessRows[] = {
    {"buffer_load", "buffer, type, *, voffset=, soffset=, offset=, cache=, scope=",
     "loads a number or `vec` from a buffer. The offsets are in bytes, one for each field of the instruction: "
     "`voffset` per lane, `soffset` uniform and not checked against the end of the buffer on gfx12, `offset` constant",
     bufferLoad},
    {"buffer_store", "value, buffer, *, voffset=, soffset=, offset=, cache=, scope=",
     "stores a number or `vec` to a buffer, with the same offsets", bufferStore},
};
} // namespace

llvm::ArrayRef<Builtin> bufferAccessBuiltins() { return bufferAccessRows; }

} // namespace fly::sema
