// Builtins that only kernels have: LDS, barriers, tensor algebra, vectors.
#include "compiler/dialect/CopyAttributes.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/elaborator/CodeRole.h"
#include "compiler/sema/prelude/Clusters.h"
#include "compiler/sema/tensor/LayoutValues.h"
#include "compiler/sema/prelude/DeviceOutput.h"
#include "compiler/sema/prelude/Words.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/tensor/SharedMemory.h"
#include "compiler/sema/number/Vectors.h"

#include "compiler/dialect/FlyOps.h"

namespace fly::sema {

namespace {
/// The condition of the first lane, which the code generator knows to be the same in all lanes: `s_barrier` counts a
/// wave whatever its EXEC is, so it must be jumped over.
MachineValue inScalar(Elaborator &e, const Value &condition, SourceRange range) {
  Value word = convert(e, condition, Type::scalar(host::Number::I32), range);
  mlir::Value first = emitWave(e, ir::WaveAction::ReadFirstLane, word.as<MachineValue>()->value, {}, range)[0];
  return *e.compare(ast::CompareOp::Ne, Value(MachineValue{first, Type::scalar(host::Number::I32)}), Value(int64_t(0)),
                    range, range)
              .as<MachineValue>();
}

Value makeBarrier(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "barrier");
  const bool leavesCopies = call.given[0] && !truth(e, call[0], call.ranges[0]);
  auto emit = [&](bool isStaggered) {
    if (leavesCopies)
      waitForLds(e, call.range);
    auto op = ir::BarrierOp::create(b, e.location(call.range, call.builtin->name));
    if (leavesCopies)
      op->setAttr(ir::leavesCopiesAttr, b.getUnitAttr());
    if (isStaggered)
      op->setAttr(ir::staggeredAttr, b.getUnitAttr());
    return Value();
  };
  if (!call.given[1])
    return emit(false);
  if (auto *known = call[1].as<bool>())
    return *known ? emit(false) : Value();
  auto *only = call[1].as<MachineValue>();
  if (!only || !only->type.isBool() || only->type.isVector())
    e.fail(call.ranges[1], diag::bad_predicate{.what = argumentName(call, 1), .also = "", .found = describe(call[1])});
  e.branch(inScalar(e, call[1], call.ranges[1]), [&] { return emit(true); }, [] { return Value(); }, call.range);
  return Value();
}

Value makeSharedTensor(Elaborator &e, BoundCall &call) {
  return makeShared(e, {call[0], call[1], call.range, call.ranges[0], call.ranges[1]},
                    call.given[2] ? &call[2] : nullptr, call.ranges[2]);
}

Value makeDynamic(Elaborator &e, BoundCall &call) {
  return makeDynamicShared(e, {call[0], call[1], call.range, call.ranges[0], call.ranges[1]}, call[2], call.ranges[2]);
}

Value makeSharedArena(Elaborator &e, BoundCall &call) {
  return makeArena(
      e, call.given[0] ? std::optional(requireInt(e, call[0], call.ranges[0], "the size of an arena")) : std::nullopt,
      call.range);
}

Value makeTensorOf(Elaborator &e, BoundCall &call) {
  if (auto *memory = call[0].as<HostTensorValue>())
    if (auto view = e.role->tensorAt(*memory->tensor, call[1], call.given[2] ? call[2] : Value(), call.range))
      return *view;
  auto *pointer = call[0].as<PointerValue>();
  if (!pointer)
    e.fail(call.ranges[0], diag::pointer_expected{
                               .what = diag::argument("pointer", "make_tensor"), .to = "", .found = describe(call[0])});
  return makeTensor(e, *pointer, call[1], call.given[2] ? &call[2] : nullptr, call.range, call.ranges[1]);
}

Value fence(Elaborator &e, BoundCall &call) { return makeFence(e, call[0], call[1], call[2], call.ranges, call.range); }

Value makeVector(Elaborator &e, BoundCall &call) {
  Type element = requireType(e, call[0], call.ranges[0], "the element type");
  int64_t lanes = requireInt(e, call[1], call.ranges[1], "the count");
  if (element.isVector())
    e.fail(diag::not_a_type, call.ranges[0], {"`" + element.text() + "`, but only an element type is allowed here"});
  if (lanes < 1 || lanes > 256)
    e.fail(call.ranges[1],
           diag::out_of_range{.what = "the count of a vector", .low = 1, .high = 256, .found = std::to_string(lanes)});
  if (lanes * element.format().bits % 8)
    e.fail(call.ranges[1], diag::not_a_multiple{.what = "the count of a vector of " + element.text(),
                                                .unit = 8 / std::gcd(8u, element.format().bits),
                                                .found = lanes});
  Type type = Type::vector(element.number, uint32_t(lanes));
  return Value(toMachine(e, call.given[2] ? call[2] : Value(int64_t(0)), type, call.ranges[2]));
}

/// One vector of vectors and scalars of one element type.
Value concatenate(Elaborator &e, BoundCall &call) {
  std::optional<Type> element;
  size_t lanes = 0;
  Values parts;
  for (auto &argument : call.rest) {
    auto *m = argument.value.as<MachineValue>();
    if (!m)
      e.fail(diag::wrong_argument_type, argument.range,
             {"concat", "vectors and scalars of a machine type", "values", describe(argument.value)});
    if (element && *element != m->type.element())
      e.fail(diag::mixed_types, argument.range, {"concat", element->text(), m->type.element().text()});
    element = m->type.element();
    lanes += std::max(1u, m->type.lanes);
    parts.push_back(argument.value);
  }
  if (!element || lanes > 256 || lanes * element->format().bits % 8)
    e.fail(diag::wrong_value, call.range,
           {"the count of a vector", "from 1 to 256 elements in whole bytes", std::to_string(lanes)});
  return Value(vectorOfParts(e, Type::vector(element->number, uint32_t(lanes)), parts, call.range));
}

const Builtin deviceRows[] = {
    {"barrier", "*, wait=, only=",
     "waits until every thread of the workgroup arrives, and makes earlier writes visible to all of them; with "
     "`wait=False` it waits only for accesses to LDS, and copies that bypass registers stay in flight. With `only=c`, "
     "waves whose first lane has a false `c` skip it: they are then one barrier ahead of the others, until a barrier "
     "that only they take",
     makeBarrier},
    {"cluster_barrier", "", "the same for every thread of the cluster; without `cluster=`, the same as `barrier()`",
     makeClusterBarrier},
    {"shared", "type, shape, *, overlay=",
     "a row-major array in LDS, shared by the workgroup; its initial contents are unspecified", makeSharedTensor},
    {"dynamic_shared", "type, shape, offset=",
     "a row-major array in the LDS whose size is set at launch (`lds=`); `offset` is in bytes", makeDynamic},
    {"shared_arena", "bytes=",
     "an arena in LDS, managed at compile time: `alloc(type, shape)` takes an array from it, `reset()` frees them all",
     makeSharedArena},
    {"make_tensor", "pointer, shape, stride=",
     "memory at a pointer as a tensor with the given layout or shape; row-major unless strides are given",
     makeTensorOf},
    {"fence", "order=, scope=, space=",
     "orders this thread's accesses before the fence and after it, as seen by the threads in the scope", fence},
    {"printf", "format, *values",
     "prints from a kernel; `{}` and `{:8.3f}` are replaced by the values, as in Python; no newline is added",
     devicePrint},
    {"trap", "", "stops the kernel; the launch fails", deviceTrap},
    {"concat", "*values", "one vector from the elements of vectors and scalars, in order", concatenate},
    {"vector", "type, count, fill=", "a vector whose elements are all `fill`", makeVector},
};
} // namespace

llvm::ArrayRef<Builtin> deviceBuiltins() { return deviceRows; }

} // namespace fly::sema
