// Statements: blocks, assignment to every kind of target, definitions.
#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/elaborator/ArrayValues.h"
#include "compiler/sema/check/HostSubscripts.h"
#include "compiler/sema/control/ControlFlow.h"
#include "compiler/sema/tensor/Tensors.h"
#include "compiler/sema/elaborator/CodeRole.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/module/ModuleLoader.h"
#include "compiler/sema/control/AssignedNames.h"
#include "compiler/sema/number/Containers.h"
#include "compiler/sema/tensor/Coordinates.h"
#include "compiler/sema/prelude/DeviceOutput.h"
#include "compiler/sema/elaborator/Dicts.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/value/Object.h"
#include "compiler/sema/elaborator/Kinds.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/number/Vectors.h"
#include "compiler/syntax/Walk.h"

namespace fly::sema {

using ast::StmtKind;

/// After an error in `stmt`: what it would have assigned must not cause further errors.
static void poison(Evaluator &e, const ast::Stmt &stmt) {
  for (auto &name : assignedNames(stmt, /*elements=*/false)) // `t[i] = x` leaves `t` what it was
    e.frame->variables[name] = Value(ErrorValue{});
}

/// Whether nothing after the failed statement means anything: a check's results are wrong, and a function that may have
/// returned there goes on where the program would not.
static bool endsCall(const Evaluator &e, const ast::Stmt &stmt) {
  return e.fatal || e.role->endsAtError() || (e.frame->isCall && mayReturn(stmt));
}

/// The operation before the next one; null at the beginning of a block.
static mlir::Operation *lastOperation(Evaluator &e) {
  mlir::Block *block = e.kernel.builder ? e.kernel.builder->getInsertionBlock() : nullptr;
  return block && e.kernel.builder->getInsertionPoint() != block->begin()
             ? &*std::prev(e.kernel.builder->getInsertionPoint())
             : nullptr;
}

/// In a stream of `sched.interleave`, a mark after a statement that emitted something. Functions of the library are
/// one.
static void markStatement(Evaluator &e, mlir::Operation *before, SourceRange range) {
  mlir::Operation *last = lastOperation(e);
  if (last && last != before && !llvm::isa<ir::StreamOp>(last) && !e.loader.isStdlib(*e.frame->module))
    ir::StreamOp::create(*e.kernel.builder, e.location(range), ir::StreamPlace::Statement, 1, 1);
}

Flow Evaluator::execBlock(const ast::Block &block) {
  for (auto *each : block) {
    const ast::Stmt &stmt = *each;
    try {
      mlir::Operation *before = openStreams ? lastOperation(*this) : nullptr;
      if (Flow flow = exec(stmt); flow != Flow::Next)
        return flow;
      if (openStreams)
        markStatement(*this, before, stmt.range);
    } catch (Failed &) {
      ++failures;
      poison(*this, stmt);
      if (endsCall(*this, stmt))
        throw;
    }
  }
  return Flow::Next;
}

/// `Pair = pair_of(f32)` in a module: the struct that the function made has this name from now on, in C too, unless
/// another one has it.
static void nameStruct(const StructDefinition &made, const std::string &name) {
  if (!made.enclosing || made.isNamed ||
      llvm::any_of(made.module->structs, [&](auto &other) { return other->name == name; }))
    return;
  for (auto &definition : made.module->structs)
    if (definition.get() == &made) {
      definition->name = name;
      definition->isNamed = true;
    }
}

void Evaluator::assign(const ast::Expr &target, const Value &value, SourceRange valueRange) {
  checkSize(value, target.range);
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&target)) {
    auto &slot = binding(*frame, name->name);
    slot = value;
    slot.assigned = statement;
    if (auto *type = value.as<StructTypeValue>(); type && frame->isModule)
      nameStruct(*type->definition, name->name);
    if (frame->isModule && !frame->module->imported)
      if (auto define = definitions.find(name->name); define != definitions.end()) {
        slot = define->second; // -D replaces a constant of the main module
        usedDefinitions.insert(name->name);
      }
    if (value.isNumber() && onDevice()) // a literal in a variable: a loop may have to give it a type
      slot.origin = std::make_shared<LiteralOrigin>(value.origin ? *value.origin : LiteralOrigin{});
    if (watcher)
      watcher->evaluated(target, slot);
    return;
  }
  auto unpack = [&](const std::vector<ast::Expr *> &targets) {
    Values values = iterate(value, valueRange.valid() ? valueRange : target.range, "unpacking");
    auto star = llvm::find_if(targets, [](auto *t) { return llvm::isa<ast::StarredExpr>(t); });
    size_t fixed = targets.size() - (star != targets.end());
    if (star == targets.end() ? values.size() != fixed : values.size() < fixed)
      fail(target.range, diag::bad_unpack{.wanted = (star == targets.end() ? "" : "at least ") + std::to_string(fixed),
                                          .found = int64_t(values.size())});
    size_t next = 0;
    for (auto *t : targets) {
      if (auto *starred = llvm::dyn_cast<ast::StarredExpr>(t)) {
        size_t count = values.size() - fixed;
        assign(*starred->value, makeList(Values(values.begin() + next, values.begin() + next + count)));
        next += count;
      } else
        assign(*t, values[next++]);
    }
  };
  if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&target))
    return unpack(tuple->elements);
  if (auto *list = llvm::dyn_cast<ast::ListExpr>(&target))
    return unpack(list->elements);
  if (auto *item = llvm::dyn_cast<ast::SubscriptExpr>(&target))
    return assignItem(*item, value, valueRange.valid() ? valueRange : target.range);
  if (auto *field = llvm::dyn_cast<ast::AttributeExpr>(&target))
    return assignField(*field, value, valueRange.valid() ? valueRange : target.range);
  llvm_unreachable("the parser refuses other targets");
}

/// `xs[i:j] = values` and `xs[i:j:k] = values` as a new list.
static Value assignSlice(Evaluator &e, const ListValue &list, const SliceValue &slice, const Value &value,
                         SourceRange range, SourceRange valueRange) {
  Values elements = *list.elements, more = e.iterate(value, valueRange, "a slice");
  auto at = slicePositions(e, slice, int64_t(elements.size()), range);
  if (!(*slice.parts)[2].isNone() && *toInt64((*slice.parts)[2]) != 1) {
    if (at.size() != more.size())
      e.fail(valueRange, diag::bad_unpack{.wanted = std::to_string(at.size()), .found = int64_t(more.size())});
    for (size_t i = 0; i < at.size(); ++i)
      elements[size_t(at[i])] = more[i];
    return makeList(std::move(elements));
  }
  // Without a step the length may change: the values replace the elements in the slice.
  Value first = (*slice.parts)[0];
  int64_t size = int64_t(elements.size()), begin = at.empty() ? 0 : at.front();
  if (at.empty() && !first.isNone()) {
    begin = requireInt(e, first, range, "a bound of a slice");
    begin = std::clamp<int64_t>(begin < 0 ? begin + size : begin, 0, size);
  }
  elements.erase(elements.begin() + begin, elements.begin() + begin + int64_t(at.size()));
  elements.insert(elements.begin() + begin, more.begin(), more.end());
  return makeList(std::move(elements));
}

Value Evaluator::branch(MachineValue condition, const std::function<Value()> &whenTrue,
                        const std::function<Value()> &whenFalse, SourceRange range) {
  return branchOn(*this, condition, whenTrue, whenFalse, range);
}

void Evaluator::assignItem(const ast::SubscriptExpr &target, const Value &value, SourceRange valueRange) {
  Value base = eval(*target.base);
  auto [items, ranges] = subscriptItems(target);
  if (auto *tensor = base.as<TensorValue>()) {
    checkCoordinates(*this, *tensor, items, [&, &ranges = ranges](size_t i) { return ranges[i]; });
    return tensorStore(*this, *tensor, items, value, target.range, valueRange);
  }
  if (auto *object = base.as<ObjectValue>())
    return object->object->assign(*this, items, value, target.range, valueRange);
  if (auto *pointer = base.as<PointerValue>())
    checkOffset(*this, *pointer, items, ranges[0]);
  if (auto *pointer = base.as<PointerValue>())
    return storeThrough(*this, elementOf(*this, *pointer, items, target.range), value, target.range, valueRange);
  if (auto *array = base.as<ArrayValue>()) {
    host::HostArray source = arrayOperand(*this, value, valueRange);
    auto copy = std::make_shared<host::HostArray>(*array->array);
    if (auto error = host::assign(*copy, hostSubscripts(*this, items, target.range), source); !error.empty())
      fail(diag::bad_array, target.range, {error});
    return assign(*target.base, Value(ArrayValue{copy}));
  }
  if (auto *vector = base.as<MachineValue>(); vector && vector->type.isVector() && items.size() == 1)
    return assign(*target.base, vectorWith(*this, *vector, items[0], value, target.range, ranges[0], valueRange));
  if (items.size() != 1 || (!base.is<ListValue>() && !base.is<DictValue>()))
    fail(diag::bad_target, target.range, {"an element of " + describe(base), ""});
  checkOwned(*this, *target.base);
  // Lists and dicts are values: what changes is the variable. If no other one shares its elements, nothing is copied.
  auto *name = llvm::dyn_cast<ast::NameExpr>(target.base);
  auto release = [&] {
    if (name && !frame->isComprehension)
      binding(*frame, name->name) = Value();
  };
  if (auto *list = base.as<ListValue>()) {
    if (items[0].is<MachineValue>())
      index(base, items, target.range, {ranges[0]}); // reports it
    if (auto *slice = items[0].as<SliceValue>())
      return assign(*target.base, assignSlice(*this, *list, *slice, value, ranges[0], valueRange));
    int64_t at = requireInt(*this, items[0], ranges[0], "an index"), size = int64_t(list->elements->size());
    if (at < -size || at >= size)
      fail(diag::index_out_of_range, ranges[0], {std::to_string(at), describe(base)});
    uint64_t weight = list->weight + value.weight();
    auto shared = list->elements;
    base = Value();
    release();
    Values elements = takeElements(shared);
    Value &element = elements[size_t(at < 0 ? at + size : at)];
    weight -= element.weight();
    element = value;
    return assign(*target.base, makeList(std::move(elements), weight));
  }
  DictBuilder::checkKey(*this, items[0], ranges[0]);
  release();
  DictBuilder dict = DictBuilder::take(base);
  dict.set(*this, items[0], value, ranges[0]);
  assign(*target.base, dict.done());
}

namespace {
/// During its lifetime, calls in a place that is read and then written are evaluated once: `x[f()] += 1`. Other parts
/// of a place may be evaluated twice, which has no effect.
struct OnceScope {
  Evaluator &e;
  std::vector<std::pair<const ast::Expr *, std::optional<Value>>>
      held; ///< with their values in an enclosing run of the same statement

  OnceScope(Evaluator &e, const ast::Expr &place) : e(e) { hold(place); }
  OnceScope(const OnceScope &) = delete;
  ~OnceScope() {
    for (auto &[expr, outer] : held) {
      e.evaluatedOnce.erase(expr);
      if (outer)
        e.evaluatedOnce.emplace(expr, std::move(*outer));
    }
  }

private:
  void hold(const ast::Expr &place) {
    if (auto *attribute = llvm::dyn_cast<ast::AttributeExpr>(&place))
      return hold(*attribute->base);
    if (auto *subscript = llvm::dyn_cast<ast::SubscriptExpr>(&place)) {
      hold(*subscript->base);
      for (auto &item : subscript->items)
        keep(*item.value);
      return;
    }
    keep(place);
  }
  void keep(const ast::Expr &part) {
    bool calls = false;
    ast::walk(part, [&](const ast::Expr &inner) { calls |= llvm::isa<ast::CallExpr>(inner); });
    if (!calls)
      return;
    std::optional<Value> outer;
    if (auto found = e.evaluatedOnce.extract(&part); !found.empty())
      outer = std::move(found.mapped());
    held.push_back({&part, std::move(outer)});
    Value value = e.eval(part);
    e.evaluatedOnce[&part] = std::move(value);
  }
};
} // namespace

/// A statement that is an expression. A function that is named but not called, and an unused `==`, are mistakes that
/// Python accepts silently: `barrier` without `()` is not a barrier.
static void execExpression(Evaluator &e, const ast::Expr &expr) {
  Value value = e.eval(expr);
  const std::string text = e.diags.sources.text(expr.range).str();
  const bool isFunction =
      value.is<BuiltinValue>() || value.is<FunctionValue>() || value.is<MethodValue>() || value.is<KernelValue>();
  if (isFunction && llvm::isa<ast::NameExpr, ast::AttributeExpr>(expr))
    e.report(expr.range, diag::no_effect{.found = describe(value)})
        .help("call it: `" + text + "()`", Fix::possible(expr.range, text + "()")),
        throw Failed{};
  auto *comparison = llvm::dyn_cast<ast::CompareExpr>(&expr);
  if (comparison && comparison->ops.size() == 1 && comparison->ops[0].op == ast::CompareOp::Eq)
    e.report(expr.range, diag::no_effect{.found = "a comparison"})
        .help("`=` assigns", Fix::possible(comparison->ops[0].range, "=")),
        throw Failed{};
}

Flow Evaluator::exec(const ast::Stmt &stmt) {
  step(stmt.range);
  if (probe && onDevice() && (ControlFlow::emits(*probe) || kernel.builder->getInsertionBlock() != probe))
    throw Emits{};
  statement = stmt.range;
  switch (stmt.kind) {
  case StmtKind::Expr: execExpression(*this, *llvm::cast<ast::ExprStmt>(stmt).value); return Flow::Next;
  case StmtKind::Assign: {
    auto &node = llvm::cast<ast::AssignStmt>(stmt);
    Value value = eval(*node.value);
    statement = stmt.range; // calls have their own statements
    if (value.is<KernelValue>() && frame->isModule && node.targets.size() == 1)
      if (auto *name = llvm::dyn_cast<ast::NameExpr>(node.targets[0]); name && name->name[0] != '_')
        frame->module->exports.push_back({name->name, *value.as<KernelValue>(), node.value->range});
    for (auto *target : node.targets)
      assign(*target, value, node.value->range);
    return Flow::Next;
  }
  case StmtKind::AugAssign: {
    auto &node = llvm::cast<ast::AugAssignStmt>(stmt);
    OnceScope once(*this, *node.target);
    Value before = eval(*node.target);
    auto *name = llvm::dyn_cast<ast::NameExpr>(node.target);
    // Of the surroundings, where it would not change.
    if (name && !frame->isModule && !frame->variables.count(name->name))
      report(name->range, diag::unassigned_name{.name = name->name})
          .help("a function cannot change an outer variable; pass `" + name->name + "` to it and return the new value"),
          throw Failed{};
    Value operand = eval(*node.value);
    if (node.op == ast::BinaryOp::Add && before.is<ListValue>() && name) { // as `extend`: any sequence, and in place
      Values more = iterate(operand, node.value->range, "`+=`");
      auto elements = before.as<ListValue>()->elements;
      uint64_t weight = before.as<ListValue>()->weight;
      before = Value();
      if (frame->isModule ? frame->module->names.count(name->name) : frame->variables.count(name->name))
        binding(*frame, name->name) = Value();
      Values all = takeElements(elements);
      for (auto &value : more) {
        weight = std::min<uint64_t>(weight + value.weight(), uint64_t(1) << 40);
        all.push_back(value);
      }
      statement = stmt.range;
      assign(*node.target, makeList(std::move(all), weight), stmt.range);
      return Flow::Next;
    }
    Value result = binary(node.op, before, operand, stmt.range, node.opRange, node.target->range, node.value->range);
    statement = stmt.range;
    assign(*node.target, result, stmt.range);
    return Flow::Next;
  }
  case StmtKind::AnnAssign: {
    auto &node = llvm::cast<ast::AnnAssignStmt>(stmt);
    Value annotation = eval(*node.annotation);
    if (annotation.isNumber() || annotation.is<std::string>() || annotation.sequence())
      fail(diag::not_a_type, node.annotation->range, {describe(annotation)});
    if (!node.value)
      return Flow::Next;
    Value value = eval(*node.value);
    if (auto *type = annotation.as<Type>(); type && (onDevice() && (value.isNumber() || value.is<MachineValue>())))
      value = Value(toMachine(*this, value, *type, node.value->range));
    if (auto *type = annotation.as<PointerTypeValue>())
      value = coercePointer(*this, value, *type, node.value->range,
                            "`" + diags.sources.text(node.target->range).str() + "`");
    else if (annotation.is<BuiltinValue>() && isKind(annotation)) {
      auto fitting = asKind(value, annotation);
      if (!fitting)
        fail(diag::wrong_value, node.value->range,
             {"`" + diags.sources.text(node.target->range).str() + "`", kindText(annotation), describe(value)});
      value = *fitting;
    }
    statement = stmt.range;
    assign(*node.target, value);
    return Flow::Next;
  }
  case StmtKind::If: return execIf(*this, llvm::cast<ast::IfStmt>(stmt));
  case StmtKind::For: return execFor(*this, llvm::cast<ast::ForStmt>(stmt));
  case StmtKind::While: return execWhile(*this, llvm::cast<ast::WhileStmt>(stmt));
  case StmtKind::Break:
  case StmtKind::Continue: {
    bool isBreak = stmt.kind == StmtKind::Break;
    if (frame->loops.empty())
      fail(stmt.range, diag::break_outside_loop{.keyword = isBreak ? "break" : "continue"});
    auto &loop = frame->loops.back();
    (isBreak ? loop.breaks : loop.continues).push_back(leave(*this, stmt.range));
    return Flow::Jumped;
  }
  case StmtKind::Return: {
    auto &node = llvm::cast<ast::ReturnStmt>(stmt);
    if (!frame->isCall && !frame->isKernel)
      fail(stmt.range, diag::return_outside_function{});
    if (node.value && frame->isKernel)
      fail(diag::wrong_value, node.value->range, {role->text() + std::string("'s `return`"), "nothing", "a value"});
    Value value = node.value ? eval(*node.value) : Value();
    frame->returns.push_back(
        {kernel.builder ? kernel.builder->getInsertionBlock() : nullptr, {}, std::move(value), stmt.range});
    return Flow::Jumped;
  }
  case StmtKind::Assert: return execAssert(*this, llvm::cast<ast::AssertStmt>(stmt));
  case StmtKind::Pass: return Flow::Next;
  case StmtKind::Def: define(llvm::cast<ast::DefStmt>(stmt)); return Flow::Next;
  case StmtKind::Class: defineStruct(llvm::cast<ast::ClassStmt>(stmt)); return Flow::Next;
  case StmtKind::Import: importModule(llvm::cast<ast::ImportStmt>(stmt)); return Flow::Next;
  case StmtKind::ImportFrom: importNames(llvm::cast<ast::ImportFromStmt>(stmt)); return Flow::Next;
  case StmtKind::With: return execWith(llvm::cast<ast::WithStmt>(stmt));
  }
  llvm_unreachable("every kind of statement is handled");
}

} // namespace fly::sema
