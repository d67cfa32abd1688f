// Atomic operations on memory, fences, and the wait for LDS.
//
//     counts.atomic_add(i, 1)            on an element of a tensor; p.atomic_add(1) on what a pointer points to
//
// Each is one instruction or an error; flyc never emits a compare-and-exchange loop by itself. The target is queried
// for instructions by name. The 32- and 64-bit integer instructions are on every target and in every memory, and so are
// the additions of f32, and of f16 and bf16 in pairs. The table describes the code that the backend makes of each (LLVM
// 22, -O2, all four targets).
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/elaborator/InputWrites.h"
#include "compiler/sema/number/Conversions.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fly::sema {

namespace arith = mlir::arith;
using host::Number;
using ir::AddressSpace;
using ir::AtomicKind;
using ir::MemoryOrder;
using ir::MemoryScope;

namespace {
struct Operation {
  const char *name;
  std::optional<AtomicKind> onSigned, onUnsigned, onFloat;
};
const Operation operations[] = {
    {"atomic_add", AtomicKind::Add, AtomicKind::Add, AtomicKind::FloatAdd},
    {"atomic_sub", AtomicKind::Sub, AtomicKind::Sub, AtomicKind::FloatAdd}, // of floats: adds the negative
    {"atomic_min", AtomicKind::MinSigned, AtomicKind::MinUnsigned, AtomicKind::FloatMin},
    {"atomic_max", AtomicKind::MaxSigned, AtomicKind::MaxUnsigned, AtomicKind::FloatMax},
    {"atomic_and", AtomicKind::And, AtomicKind::And, std::nullopt},
    {"atomic_or", AtomicKind::Or, AtomicKind::Or, std::nullopt},
    {"atomic_xor", AtomicKind::Xor, AtomicKind::Xor, std::nullopt},
    {"atomic_exchange", AtomicKind::Exchange, AtomicKind::Exchange, AtomicKind::Exchange},
    {"atomic_inc", std::nullopt, AtomicKind::Increment, std::nullopt},
    {"atomic_dec", std::nullopt, AtomicKind::Decrement, std::nullopt},
};
constexpr const char *compareExchange = "atomic_compare_exchange";

/// Float operations that some targets lack: an instruction of global and one of shared memory that shows they have it.
struct FloatRow {
  AtomicKind kind;
  Number number;
  std::vector<const char *> global, shared;
};
const std::vector<FloatRow> &floatRows() {
  static const std::vector<FloatRow> rows = {
      {AtomicKind::FloatAdd, Number::F64, {"global_atomic_add_f64"}, {"ds_add_f64"}},
      {AtomicKind::FloatMin,
       Number::F64,
       {"global_atomic_min_f64", "global_atomic_min_num_f64"},
       {"ds_min_f64", "ds_min_num_f64"}},
      {AtomicKind::FloatMax,
       Number::F64,
       {"global_atomic_max_f64", "global_atomic_max_num_f64"},
       {"ds_max_f64", "ds_max_num_f64"}},
      {AtomicKind::FloatMin, Number::F32, {"global_atomic_min_num_f32"}, {"ds_min_f32", "ds_min_num_f32"}},
      {AtomicKind::FloatMax, Number::F32, {"global_atomic_max_num_f32"}, {"ds_max_f32", "ds_max_num_f32"}},
  };
  return rows;
}

bool hasInstruction(const target::Target &target, const FloatRow &row, AddressSpace space) {
  auto any = [&](auto &names) { return llvm::any_of(names, [&](const char *name) { return target.has(name); }); };
  return space == AddressSpace::Shared ? any(row.shared)
                                       : any(row.global); // a generic one is both, and the global is rarer
}
} // namespace

const std::vector<std::string> &atomicMethods() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (auto &operation : operations)
      out.push_back(operation.name);
    out.push_back(compareExchange);
    return out;
  }();
  return names;
}

bool isAtomicMethod(llvm::StringRef name) { return llvm::is_contained(atomicMethods(), name.str()); }

/// Reports a type that no target has, or not this one.
static void requireType(Elaborator &e, llvm::StringRef name, AtomicKind kind, Type type, AddressSpace space,
                        SourceRange range) {
  unsigned bits = type.format().bits * std::max(1u, type.lanes);
  bool isPair = type.lanes == 2 && (type.number == Number::F16 || type.number == Number::BF16);
  bool isPlain = !type.isVector() && (bits == 32 || bits == 64) &&
                 (type.isInteger() || type.number == Number::F32 || type.number == Number::F64);
  if (!isPlain && !(isPair && kind == AtomicKind::FloatAdd)) {
    auto builder = e.report(diag::bad_access, range,
                            {"the hardware has no `" + name.str() + "` for " + type.text() +
                             "; it supports 32- and 64-bit integers, f32 and f64, and adds pairs of f16 or bf16"});
    if (!type.isVector() && (type.number == Number::F16 || type.number == Number::BF16) && kind == AtomicKind::FloatAdd)
      builder.help("add two adjacent elements at once, as a `vec[" + type.text() +
                   ", 2]` at an address aligned to 4 bytes");
    throw Failed{};
  }
  for (auto &row : floatRows()) {
    if (row.kind != kind || row.number != type.number || type.isVector() || hasInstruction(e.target, row, space))
      continue;
    std::string others;
    for (auto &other : target::all())
      if (hasInstruction(other, row, space))
        others += (others.empty() ? "" : ", ") + std::string(other.name);
    auto builder = e.report(
        diag::not_on_target, range,
        {"`" + name.str() + "` of " + type.text() + " in " + ir::stringifyAddressSpace(space).str() + " memory",
         std::string(e.target.name)});
    if (!others.empty())
      builder.help("targets that have it: " + others);
    if (space != AddressSpace::Shared && hasInstruction(e.target, row, AddressSpace::Shared))
      builder.help(std::string(e.target.name) + " has it in shared memory; combine the values there first");
    builder.help("or write the loop: `atomic_compare_exchange` until it succeeds");
    throw Failed{};
  }
}

AtomicKind atomicKindOf(Elaborator &e, llvm::StringRef name, Type type, AddressSpace space, SourceRange range) {
  auto *operation = llvm::find_if(operations, [&](auto &row) { return name == row.name; });
  std::optional<AtomicKind> kind = name == compareExchange ? AtomicKind::Exchange
                                   : type.isFloat()        ? operation->onFloat
                                   : type.isSigned()       ? operation->onSigned
                                                           : operation->onUnsigned;
  if (!kind)
    e.fail(diag::bad_access, range,
           {"`" + name.str() + "` is not available for " + type.text() + ", only for " +
            (type.isFloat() ? "integers" : "unsigned integers")});
  requireType(e, name, *kind, type, space, range);
  return *kind;
}

Value atomicMethod(Elaborator &e, const PointerValue &pointer, llvm::StringRef name, Arguments &arguments,
                   SourceRange range) {
  AddressSpace space = spaceOf(pointer);
  AccessOptions options = takeOptions(e, name, arguments, "order scope");
  bool isExchange = name == compareExchange;
  size_t wanted = isExchange ? 2 : 1;
  if (arguments.size() != wanted)
    e.fail(
        diag::wrong_argument_count, range,
        {name.str(), isExchange ? "what is expected and what to write" : "1 value", std::to_string(arguments.size())});
  if (space == AddressSpace::Private || space == AddressSpace::Constant)
    e.fail(diag::bad_access, range,
           {space == AddressSpace::Private
                ? "private memory belongs to one thread; atomic operations do not apply to it"
                : "constant memory cannot be written"});
  if (pointer.access == Access::Read)
    failInput(e, range, pointer.name, "declare it `InOut[...]`");
  auto *element = pointer.element->as<Type>();
  if (!element)
    e.fail(diag::bad_access, range,
           {"the hardware has no `" + name.str() + "` for " + describe(*pointer.element) +
            "; it supports 32- and 64-bit integers, f32 and f64, and adds pairs of f16 or bf16"});
  Type type = *element;
  if (auto *m = arguments[0].value.as<MachineValue>(); m && m->type.isVector() && m->type.element() == type)
    type = m->type;
  MemoryOrder order = options.order.value_or(MemoryOrder::Relaxed);
  MemoryScope scope =
      options.scope.value_or(space == AddressSpace::Shared ? MemoryScope::Workgroup : MemoryScope::Agent);

  AtomicKind kind = atomicKindOf(e, name, type, space, range);
  uint32_t bytes = type.format().bytes() * std::max(1u, type.lanes);
  if (alignmentOf(pointer) < bytes)
    e.fail(diag::bad_access, range,
           {"an atomic access of " + type.text() + " needs an address that is a multiple of " + std::to_string(bytes) +
            " bytes, but this one is only known to be a multiple of " + std::to_string(alignmentOf(pointer)) +
            "; `.aligned(" + std::to_string(bytes) + ")` promises more"});
  auto &b = e.ir(range, name);
  auto loc = e.location(range);
  if (isExchange) {
    // The instruction compares bits, so that floats travel as integers.
    mlir::Type word = b.getIntegerType(bytes * 8);
    auto bits = [&](size_t i) -> mlir::Value {
      mlir::Value value = toMachine(e, arguments[i].value, type, arguments[i].range).value;
      return type.isFloat() ? arith::BitcastOp::create(b, loc, word, value).getResult() : value;
    };
    mlir::Value expected = bits(0), desired = bits(1);
    mlir::Value old = ir::CompareExchangeOp::create(b, loc, word, pointer.value, expected, desired, order, scope);
    if (type.isFloat())
      old = arith::BitcastOp::create(b, loc, mlirType(e, type), old);
    return Value(MachineValue{old, type});
  }
  mlir::Value value = toMachine(e, arguments[0].value, type, arguments[0].range).value;
  if (type.isFloat() && name == "atomic_sub")
    value = arith::NegFOp::create(b, loc, value);
  mlir::Value old = ir::AtomicOp::create(b, loc, mlirType(e, type), kind, pointer.value, value, order, scope,
                                         mlir::arith::FastMathFlags(e.fastmath));
  return Value(MachineValue{old, type});
}

Value makeFence(Elaborator &e, const Value &orderName, const Value &scopeName, const Value &spaceName,
                const std::vector<SourceRange> &ranges, SourceRange range) {
  MemoryOrder order = orderName.isNone() ? MemoryOrder::AcqRel : orderOf(e, orderName, ranges[0]);
  MemoryScope scope = scopeName.isNone() ? MemoryScope::Agent : scopeOf(e, scopeName, ranges[1]);
  if (order == MemoryOrder::Relaxed)
    e.fail(diag::bad_access, ranges[0],
           {"a relaxed fence orders nothing; use \"acquire\", \"release\", \"acq_rel\" or \"seq_cst\""});
  auto op = ir::FenceOp::create(e.ir(range, "fence"), e.location(range), order, scope, ir::AddressSpaceAttr());
  if (!spaceName.isNone()) {
    auto *text = spaceName.as<std::string>();
    auto space = text ? ir::symbolizeAddressSpace(*text) : std::nullopt;
    if (space != AddressSpace::Global && space != AddressSpace::Shared)
      e.fail(ranges[2], diag::unknown_choice{.what = "the space of a fence",
                                             .choices = {"\"global\"", "\"shared\""},
                                             .found = describe(spaceName)});
    op.setSpace(space);
  }
  return Value();
}

void waitForLds(Elaborator &e, SourceRange range) {
  const bool isSplit = e.target.has("split_wait_counters");
  ir::WaitOp::create(e.ir(range, "wait"), e.location(range), isSplit ? ir::WaitCounter::Ds : ir::WaitCounter::Lgkm, 0);
}

} // namespace fly::sema
