// The variables that a run-time loop carries, and the types of literals among them.
//
// A variable that holds a literal before a loop gets its type from its first typed use in the body, found by
// elaborating the body once into a scratch block, where a literal pretends to be i32 or f32 until it is combined with
// another type (`toMachine` notes the first). A loop inside that body only runs its own trial there;
// otherwise nested loops would be elaborated twice per level.
#include "compiler/sema/control/Carried.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/control/ControlFlow.h"
#include "compiler/sema/control/Join.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/elaborator/Trial.h"

#include "compiler/dialect/FlyOps.h"

namespace fly::sema {

/// Whether a part is a `Constexpr` field of a struct: what it is, it is in each iteration.
static bool staysKnown(const Value &value, size_t part) {
  auto *record = value.as<StructValue>();
  auto *kind = record ? record->definition->fields[part].annotation.as<GenericValue>() : nullptr;
  return kind && kind->generic == Generic::Constexpr;
}

static Value mapParts(const Value &value, llvm::function_ref<Value(const Value &)> f) {
  Values out;
  for (size_t i = 0; i < value.parts()->size(); ++i) {
    const Value &part = (*value.parts())[i];
    out.push_back(staysKnown(value, i) ? part : f(part));
  }
  return value.withParts(std::move(out));
}

static bool hasLiteral(const Value &value) {
  auto *parts = value.parts();
  if (!parts)
    return value.isNumber();
  for (size_t i = 0; i < parts->size(); ++i)
    if (!staysKnown(value, i) && hasLiteral((*parts)[i]))
      return true;
  return false;
}

/// Gives each literal of a value the pretended type under which a trial runs; its origin keeps the evidence.
static Value pretend(Elaborator &e, const Value &value, SourceRange range) {
  if (value.parts())
    return mapParts(value, [&](const Value &part) { return pretend(e, part, range); });
  if (!value.isNumber())
    return value;
  Type type = Type::scalar(value.is<double>() ? host::Number::F32
                           : value.is<bool>() ? host::Number::Bool
                                              : host::Number::I32);
  Value out(MachineValue{ir::UndefinedOp::create(*e.kernel.builder, e.location(range), mlirType(e, type)), type});
  if (!value.is<bool>())
    out.origin = std::make_shared<LiteralOrigin>();
  return out;
}

/// Notes for each literal of a variable the type it ended with, if no typed use determined it: the trial made a machine
/// value of it.
static void evidence(const Value &pretended, const Value &after) {
  if (auto *parts = pretended.parts()) {
    if (auto *others = after.parts(); others && others->size() == parts->size())
      for (size_t i = 0; i < parts->size(); ++i)
        evidence((*parts)[i], (*others)[i]);
    return;
  }
  auto *m = after.as<MachineValue>();
  if (pretended.origin && !pretended.origin->firstUse && m && !after.origin)
    pretended.origin->firstUse = m->type;
}

/// The types of a variable's literals, from left to right.
static void literalTypes(const Value &initial, const Value &pretended, std::vector<std::optional<Type>> &types) {
  if (auto *parts = initial.parts()) {
    for (size_t i = 0; i < parts->size(); ++i)
      if (!staysKnown(initial, i))
        literalTypes((*parts)[i], (*pretended.parts())[i], types);
    return;
  }
  if (initial.isNumber())
    types.push_back(pretended.origin ? pretended.origin->firstUse : std::nullopt);
}

Carried::Carried(Elaborator &e, const std::set<std::string> &assigned, SourceRange range,
                 const std::function<std::vector<Edge>()> &trialBody)
    : e(e), range(range) {
  for (auto &name : assigned)
    if (auto found = e.frame->variables.find(name);
        found != e.frame->variables.end() && !found->second.is<OneSidedValue>() && !found->second.is<ErrorValue>())
      variables.push_back({name, found->second, {}, false});
  std::vector<std::vector<std::optional<Type>>> types(variables.size());
  if (e.trialDepth || llvm::any_of(variables, [](auto &v) { return hasLiteral(v.initial); })) {
    Trial trial(e);
    std::vector<Value> pretended;
    for (auto &v : variables)
      pretended.push_back(e.frame->variables[v.name] = pretend(e, v.initial, range));
    std::vector<Edge> left;
    trial.run([&] { left = trialBody(); });
    left.push_back(leave(e, range)); // last: the values at a `break` count as much as those at the end of an iteration
    for (auto &edge : left)
      for (size_t i = 0; i < variables.size(); ++i)
        evidence(pretended[i], edge.variables[variables[i].name]);
    for (size_t i = 0; i < variables.size(); ++i)
      literalTypes(variables[i].initial, pretended[i], types[i]);
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    size_t next = 0;
    SourceRange assignedAt = variables[i].initial.assigned;
    variables[i].initial = machineLeaves(variables[i].initial, types[i], next);
    variables[i].initial.assigned = assignedAt;
  }
}

Value Carried::machineLeaves(const Value &value, std::vector<std::optional<Type>> &types, size_t &next) {
  if (value.parts())
    return mapParts(value, [&](const Value &part) { return machineLeaves(part, types, next); });
  if (auto *pointer = value.as<PointerValue>()) { // `p += 1` keeps no more than the element's own alignment
    uint32_t natural = uint32_t(layoutOf(e, *pointer->element, range).alignment);
    PointerValue carried = withAlignment(e, *pointer, std::min(natural, alignmentOf(*pointer)), range);
    initialValues.push_back(carried.value);
    return Value(carried);
  }
  if (!value.isNumber() && !value.is<MachineValue>())
    return value;
  std::optional<Type> wanted = value.is<MachineValue>() ? std::nullopt
                               : next < types.size()    ? types[next++]
                                                        : std::nullopt;
  if (wanted && value.is<double>() && !wanted->isFloat())
    wanted = Type::scalar(host::Number::F32); // it is combined with an integer, where the error is reported
  MachineValue machine = wanted ? toMachine(e, value, *wanted, range) : toMachine(e, value, range);
  initialValues.push_back(machine.value);
  Value out(machine);
  if (value.is<MachineValue>())
    out.origin = value.origin; // of an outer loop's trial
  return out;
}

Value Carried::arguments(const Value &value, mlir::Block *head) {
  if (value.parts())
    return mapParts(value, [&](const Value &part) { return arguments(part, head); });
  if (auto *pointer = value.as<PointerValue>()) {
    PointerValue inLoop = *pointer;
    inLoop.value = head->addArgument(pointer->value.getType(), e.location(range));
    return Value(inLoop);
  }
  auto *m = value.as<MachineValue>();
  if (!m)
    return value;
  Value out(MachineValue{head->addArgument(m->value.getType(), e.location(range)), m->type});
  out.origin = value.origin;
  return out;
}

void Carried::skip() {
  for (auto &v : variables)
    e.frame->variables[v.name] = v.initial;
}

void Carried::enter(mlir::Block *head) {
  if (!e.frame->loops.empty())
    e.frame->loops.back().range = range;
  for (auto &v : variables) {
    v.inLoop = arguments(v.initial, head);
    v.inLoop.assigned = v.initial.assigned;
    e.frame->variables[v.name] = v.inLoop;
    if (!e.frame->loops.empty())
      e.frame->loops.back().carried[v.name] = v.inLoop;
  }
}

/// The leaves of a value at the end of an iteration; false if it differs in structure from the value at the start.
bool Carried::leaves(const Value &inLoop, const Value &now, SourceRange at, llvm::SmallVectorImpl<mlir::Value> &out) {
  if (auto *parts = inLoop.parts()) {
    if (!inLoop.sameShape(now))
      return false;
    for (size_t i = 0; i < parts->size(); ++i)
      if (staysKnown(inLoop, i) ? !isSame((*parts)[i], (*now.parts())[i])
                                : !leaves((*parts)[i], (*now.parts())[i], at, out))
        return false;
    return true;
  }
  if (auto *pointer = inLoop.as<PointerValue>()) {
    auto *other = now.as<PointerValue>();
    if (!other || !samePointee(*pointer, *other) || (other->access == Access::Read && pointer->access != Access::Read))
      return false;
    out.push_back(withAlignment(e, *other, alignmentOf(*pointer), at).value);
    return true;
  }
  auto *m = inLoop.as<MachineValue>();
  if (!m)
    return isSame(inLoop, now);
  auto *n = now.as<MachineValue>();
  if ((n && n->type != m->type) || (!n && !now.isNumber()))
    return false;
  out.push_back(toMachine(e, now, m->type, at).value);
  return true;
}

llvm::SmallVector<mlir::Value> Carried::next() {
  llvm::SmallVector<mlir::Value> out;
  for (auto &v : variables) {
    auto found = e.frame->variables.find(v.name);
    const Value now = found == e.frame->variables.end() ? Value(ErrorValue{}) : found->second;
    size_t before = out.size();
    SourceRange at = now.assigned.valid() ? now.assigned : range;
    if (!now.is<ErrorValue>() && leaves(v.inLoop, now, at, out))
      continue;
    out.resize(before);
    leaves(v.inLoop, v.inLoop, range, out); // the arguments themselves: the branch stays well formed
    v.failed = true;
    if (now.is<ErrorValue>())
      continue;
    auto builder = e.report(
        at, diag::carried_type{.name = v.name, .before = describe(v.inLoop), .after = describeOther(v.inLoop, now)});
    if (v.initial.assigned.valid())
      builder.label(v.initial.assigned, describe(v.inLoop) + " here");
    builder.note("`" + v.name + "` is assigned in the loop and used in the next iteration, so it must keep one type");
    if (v.inLoop.is<ObjectValue>() && now.is<ObjectValue>())
      builder.help("to change its contents, use `.store(v)`; for other registers, use another name");
  }
  return out;
}

std::map<std::string, Value> Carried::values() const {
  std::map<std::string, Value> out;
  for (auto &v : variables)
    out[v.name] = v.failed ? Value(ErrorValue{}) : v.inLoop;
  return out;
}

} // namespace fly::sema
