// See PredicatedAccess.h. A predicate known at compile time is decided then; otherwise the access is in its own block.
// The block guarantees that nothing is accessed, in every address space and for any address. It costs three scalar
// instructions (set the lane mask, jump if it is empty, restore the mask) and no wait: only the first use waits for a
// load, so consecutive loads are all in flight before the first one arrives.
#include "compiler/sema/memory/PredicatedAccess.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/dialect/FlyOps.h"

namespace fly::sema {

Predicate takePredicate(Elaborator &e, llvm::StringRef method, Arguments &arguments, bool takesFill) {
  Predicate out;
  Arguments rest;
  for (auto &argument : arguments) {
    bool isPredicate = argument.keyword == "pred", isFill = takesFill && argument.keyword == "fill";
    if (!isPredicate && !isFill) {
      rest.push_back(argument);
      continue;
    }
    auto &place = isPredicate ? out.on : out.fill;
    if (place)
      e.fail(diag::duplicate_argument, argument.range, {method.str(), argument.keyword});
    place = argument;
  }
  if (out.on && out.on->value.is<ErrorValue>())
    throw Failed{};
  auto *machine = out.on ? out.on->value.as<MachineValue>() : nullptr;
  if (out.on && !out.on->value.is<bool>() && !(machine && machine->type.isBool() && !machine->type.isVector()))
    e.fail(out.on->range,
           diag::bad_predicate{.what = diag::argument("pred", method), .also = "", .found = describe(out.on->value)});
  if (out.fill && !out.on)
    e.report(diag::missing_argument, out.fill->range, {method.str(), "pred"})
        .help("`fill=` is the result where `pred=` is false"),
        throw Failed{};
  arguments = std::move(rest);
  return out;
}

Value loadWhere(Elaborator &e, const Predicate &predicate, Type type, llvm::function_ref<mlir::Value()> load,
                SourceRange range) {
  auto loaded = [&] { return Value(MachineValue{load(), type}); };
  if (!predicate.on)
    return loaded();
  auto &b = e.ir(range, "a load");
  // Before the branch: its errors concern both paths.
  Value otherwise = predicate.fill
                        ? Value(toMachine(e, predicate.fill->value, type, predicate.fill->range))
                        : Value(MachineValue{ir::UndefinedOp::create(b, e.location(range), mlirType(e, type)), type});
  if (auto *known = predicate.on->value.as<bool>())
    return *known ? loaded() : otherwise;
  return e.branch(toCondition(e, predicate.on->value, predicate.on->range), loaded, [&] { return otherwise; }, range);
}

void storeWhere(Elaborator &e, const Predicate &predicate, llvm::function_ref<void()> store, SourceRange range) {
  auto *known = predicate.on ? predicate.on->value.as<bool>() : nullptr;
  if (known && !*known)
    return;
  if (!predicate.on || known)
    return store();
  auto stored = [&] {
    store();
    return Value();
  };
  e.branch(toCondition(e, predicate.on->value, predicate.on->range), stored, [] { return Value(); }, range);
}

} // namespace fly::sema
