// Atoms that do not replace what is in memory but change it at once: `UniversalAtomic("add", f32)` in global and shared
// memory, `BufferAtomic("add", f32)` through a buffer resource. The source is a fragment, the destination memory.
//
// An atom moves one number; f16 and bf16 are added in pairs, as the hardware does.
#include "compiler/sema/atom/BufferCopies.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fly::sema {

using ir::AddressSpace;

namespace {

constexpr llvm::StringLiteral prefix = "atomic_";

/// The names without `compare_exchange`, which takes two values.
std::vector<std::string> operationNames() {
  std::vector<std::string> out;
  for (auto &name : atomicMethods())
    if (name != "atomic_compare_exchange")
      out.push_back(name.substr(prefix.size()));
  return out;
}

/// The operation, which the atom's text has first: `UniversalAtomic("add", f32)`.
std::string methodOf(const CopyAtom &atom) { return prefix.str() + operationNames()[size_t(atom.choice)]; }

Type typeOf(const CopyAtom &atom) {
  Type scalar = Type::scalar(atom.element);
  return atom.values() == 1 ? scalar : Type::vector(atom.element, uint32_t(atom.values()));
}

/// What the fragment holds, as a scalar or a pair.
Value operandOf(Elaborator &e, const CopyCall &call) {
  if (!objectAs<Fragment>(call.source))
    e.fail(diag::wrong_argument_type, call.sourceRange, {"copy", "a fragment for `" + call.atom.text() + "`", "source", describe(call.source)});
  mlir::Value elements = loadPiece(e, call.atom, call.source, call.sourceRange);
  if (call.atom.values() == 1)
    elements = mlir::vector::ExtractOp::create(e.ir(call.range, "copy"), e.location(call.range), elements, llvm::ArrayRef<int64_t>{0});
  return Value(MachineValue{elements, typeOf(call.atom)});
}

void emitUniversalAtomic(Elaborator &e, const CopyCall &call) {
  auto *destination = call.destination.as<TensorValue>();
  if (!destination || pieceIn(call.destination, AddressSpace::Buffer))
    e.report(diag::wrong_argument_type, call.destinationRange, {"copy", "global or shared memory for `" + call.atom.text() + "`", "destination", describe(call.destination)})
        .help("a buffer is changed by `BufferAtomic`"), throw Failed{};
  checkPiece(e, call.atom, *destination, true, call.destinationRange);
  Value operand = operandOf(e, call);
  auto change = [&] {
    PointerValue place = elementOf(e, *destination, {Value(int64_t(0))}, call.destinationRange);
    Arguments arguments = {{"", operand, call.sourceRange}};
    if (call.atom.cache.scope)
      arguments.push_back({"scope", Value(ir::stringifyMemoryScope(*call.atom.cache.scope).str()), call.range});
    atomicMethod(e, place, methodOf(call.atom), arguments, call.range);
    return Value();
  };
  if (call.predicate)
    e.branch(*call.predicate, change, [] { return Value(); }, call.range);
  else
    change();
}

void emitBufferAtomic(Elaborator &e, const CopyCall &call) {
  auto *destination = pieceIn(call.destination, AddressSpace::Buffer);
  if (!destination)
    e.report(diag::wrong_argument_type, call.destinationRange, {"copy", "a buffer for `" + call.atom.text() + "`", "destination", describe(call.destination)})
        .help("`buffer(t)` makes one of a global tensor"), throw Failed{};
  checkPiece(e, call.atom, *destination, true, call.destinationRange);
  ir::AtomicKind kind = atomicKindOf(e, methodOf(call.atom), typeOf(call.atom), AddressSpace::Global, call.range);
  mlir::Value elements = operandOf(e, call).as<MachineValue>()->value;
  auto &b = e.ir(call.range, "copy");
  auto loc = e.location(call.range);
  if (call.atom.values() == 1)
    elements = mlir::vector::FromElementsOp::create(b, loc, mlir::VectorType::get({1}, elements.getType()), elements);
  if (methodOf(call.atom) == "atomic_sub" && Type::scalar(call.atom.element).isFloat())
    elements = mlir::arith::NegFOp::create(b, loc, elements);
  mlir::Value predicate = call.predicate ? call.predicate->value : mlir::arith::ConstantOp::create(b, loc, b.getBoolAttr(true)).getResult();
  ir::MaskedAtomicOp::create(b, loc, kind, elements, destination->value, predicate, cacheBitsOf(e, call.atom, target::MemoryAccess::Atomic, call.range));
}

const CopyKind universalAtomic = {"UniversalAtomic", "", {32, 64}, nullptr, emitUniversalAtomic, false, true};
const CopyKind bufferAtomic = {"BufferAtomic", "", {32, 64}, nullptr, emitBufferAtomic, false, true};

Value makeAtomic(Elaborator &e, BoundCall &call) {
  const CopyKind &kind = std::string_view(call.builtin->name) == "BufferAtomic" ? bufferAtomic : universalAtomic;
  auto *name = call[0].as<std::string>();
  std::vector<std::string> names = operationNames();
  auto found = name ? llvm::find(names, *name) : names.end();
  if (found == names.end()) {
    std::string all;
    for (auto &one : names)
      all += (all.empty() ? "\"" : ", \"") + one + "\"";
    e.fail(diag::wrong_value, call.ranges[0], {std::string("the operation of `") + kind.name + "`", "one of " + all, name ? "\"" + *name + "\"" : describe(call[0])});
  }
  Type element = e.requireType(call[1], call.ranges[1], "the element type");
  if (element.isVector())
    e.fail(diag::not_a_type, call.ranges[1], {"`" + element.text() + "`, which is no element type"});
  int64_t bits = std::max<int64_t>(32, element.format().bits);
  CachePolicy cache;
  if (&kind == &bufferAtomic)
    cache = cachePolicyOf(e, call, 2, {target::MemoryAccess::Atomic});
  else if (call.given[2] && !call[2].isNone())
    cache.scope = scopeOf(e, call[2], call.ranges[2]);
  CopyAtom atom(&kind, bits, element.number, "\"" + *name + "\"", found - names.begin(), cache);
  // Shared memory has all that any has; what the destination's memory lacks is said where it is known.
  atomicKindOf(e, methodOf(atom), typeOf(atom), &kind == &bufferAtomic ? AddressSpace::Global : AddressSpace::Shared, call.range);
  return makeObject<CopyAtom>(atom);
}

const Builtin universalTable[] = {
    {"UniversalAtomic", "operation, type, scope=", "the copy atom that changes memory at once by what a fragment holds: \"add\", \"max\", ...; f16 and bf16 in pairs", makeAtomic},
};
const Builtin table[] = {
    {"BufferAtomic", "operation, type, cache=, scope=", "`UniversalAtomic` through a buffer resource; outside of it nothing changes", makeAtomic},
};
} // namespace

llvm::ArrayRef<Builtin> universalAtomicBuiltins() { return universalTable; }
llvm::ArrayRef<Builtin> atomicCopyBuiltins() { return table; }

} // namespace fly::sema
