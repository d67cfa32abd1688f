// Run-time control: branches and loops whose course the machine decides.
//
//     total = 0.0                          %s = fly.slot : f32             (in the kernel's entry block)
//     for i in range(n):                   fly.slot_store 0.0, %s
//         total += x[i]           ->       scf.for %i = 0 to %n {
//     y[0] = total                           %t = fly.slot_load %s ; ... ; fly.slot_store %t2, %s
//                                          }
//                                          %u = fly.slot_load %s
//
// Each side of a branch and each loop body works on a copy of the frame's variables. What it changed is
// stored into slots at its end and loaded behind it; a tuple or list goes leaf by leaf. mem2reg makes SSA of
// the slots once control is unstructured.
//
// A `return` on one side of a branch leaves the other side open: elaboration goes on inside of it (so that
// the rest of the function is skipped by the threads that returned) and `closeReturns` joins the two at the
// end of the function.
//
// Types of literals. A variable that holds a literal before a loop gets its type from its first typed use in
// the body, found by elaborating the body once into a scratch block (`Trial`), where a literal has the
// pretended type i32 or f32 until it meets another.
#include "compiler/sema/AssignedNames.h"
#include "compiler/sema/ControlFlow.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fly::sema {

namespace arith = mlir::arith;
namespace scf = mlir::scf;

// ---------------------------------------------------------------------------------------------------------
// Slots

mlir::Value ControlFlow::createSlot(Type type, mlir::Location loc) {
  mlir::OpBuilder::InsertionGuard guard(*e.builder);
  e.builder->setInsertionPointToStart(e.kernelEntry);
  return ir::SlotOp::create(*e.builder, loc, e.mlirType(type));
}
void ControlFlow::store(mlir::Value value, mlir::Value slot, mlir::Location loc) {
  ir::SlotStoreOp::create(*e.builder, loc, value, slot);
}
MachineValue ControlFlow::load(mlir::Value slot, Type type, mlir::Location loc) {
  return {ir::SlotLoadOp::create(*e.builder, loc, e.mlirType(type), slot), type};
}

/// Puts the builder at the end of a block, before its terminator if it has one.
static void atEnd(mlir::OpBuilder &builder, mlir::Block *block) {
  if (!block->empty() && block->back().hasTrait<mlir::OpTrait::IsTerminator>())
    builder.setInsertionPoint(&block->back());
  else
    builder.setInsertionPointToEnd(block);
}

// ---------------------------------------------------------------------------------------------------------
// Joining two sides

std::optional<Value> ControlFlow::joinValues(const Value &a, const Value &b, const Ends &ends, std::string &why) {
  auto *x = a.as<MachineValue>(), *y = b.as<MachineValue>();
  if (x && y && x->value == y->value)
    return a;
  if (!x && !y && a.isCompileTime() && b.isCompileTime() && !a.sequence() && equal(a, b).value_or(false))
    return a;
  bool xNumber = x || a.isNumber(), yNumber = y || b.isNumber();
  if (xNumber && yNumber) {
    Type type;
    if (x)
      type = x->type;
    else if (y)
      type = y->type;
    else if (auto origin = a.origin && a.origin->firstUse ? a.origin : b.origin; origin && origin->firstUse)
      type = *origin->firstUse;
    else {
      bool isFloat = a.is<double>() || b.is<double>(), isBool = a.is<bool>() && b.is<bool>();
      type = Type::scalar(isFloat ? host::Number::F32 : isBool ? host::Number::Bool : host::Number::I32);
    }
    auto fits = [&](const Value &v) { // a literal becomes no other kind of number
      return v.is<MachineValue>() || type.isFloat() || (!v.is<double>() && type.isBool() == v.is<bool>());
    };
    if ((x && y && x->type != y->type) || !fits(a) || !fits(b)) {
      why = describe(b);
      return std::nullopt;
    }
    mlir::Value slot = createSlot(type, ends.loc);
    ends.toFirst();
    store(e.toMachine(a, type, ends.range).value, slot, ends.loc);
    ends.toSecond();
    store(e.toMachine(b, type, ends.range).value, slot, ends.loc);
    ends.toJoin();
    return Value(load(slot, type, ends.loc));
  }
  auto *s = a.sequence(), *t = b.sequence();
  if (s && t && a.is<TupleValue>() == b.is<TupleValue>() && s->size() == t->size()) {
    Values joined;
    for (size_t i = 0; i < s->size(); ++i) {
      auto one = joinValues((*s)[i], (*t)[i], ends, why);
      if (!one)
        return std::nullopt;
      joined.push_back(*one);
    }
    return a.is<TupleValue>() ? makeTuple(std::move(joined)) : makeList(std::move(joined));
  }
  if (auto *p = a.as<TensorValue>(), *q = b.as<TensorValue>(); p && q && p->value == q->value)
    return a;
  if (a.storage.index() == b.storage.index() && toText(a) == toText(b) && a.isCompileTime())
    return a;
  why = describe(b);
  return std::nullopt;
}

/// The frame's variables after a branch: equal ones stay, others travel, one-sided ones are remembered as such.
void ControlFlow::joinVariables(const Variables &first, const Variables &second, const Ends &ends,
                                SourceRange conditionRange) {
  Variables joined;
  std::set<std::string> names;
  for (auto &[name, value] : first)
    names.insert(name);
  for (auto &[name, value] : second)
    names.insert(name);
  for (auto &name : names) {
    auto a = first.find(name), b = second.find(name);
    if (a == first.end() || b == second.end()) {
      joined[name] = Value(OneSidedValue{conditionRange, "an `if`"});
      continue;
    }
    auto unusable = [](const Value &v) { return v.is<ErrorValue>() || v.is<OneSidedValue>(); };
    if (unusable(a->second) || unusable(b->second)) {
      joined[name] = unusable(a->second) ? a->second : b->second;
      continue;
    }
    std::string why;
    auto value = joinValues(a->second, b->second, ends, why);
    if (!value) {
      e.report(diag::branch_types, ends.range, {"`" + name + "`", describe(a->second), why});
      joined[name] = Value(ErrorValue{});
      continue;
    }
    joined[name] = *value;
  }
  e.frame->variables = std::move(joined);
}

// ---------------------------------------------------------------------------------------------------------
// Branches

ControlFlow::Side ControlFlow::runSide(mlir::Block *block, const std::function<Flow(Value &)> &body) {
  Side side;
  atEnd(*e.builder, block);
  size_t openBefore = e.frame->openReturns.size();
  auto guard = llvm::make_scope_exit([&, depth = e.frame->runtimeDepth] { e.frame->runtimeDepth = depth; });
  ++e.frame->runtimeDepth;
  side.flow = body(side.result);
  if (e.frame->openReturns.size() > openBefore) {
    // A branch in this side returned on one of its sides; that is sound only if this side returns as a whole.
    SourceRange at = e.frame->openReturns.back().range;
    if (side.flow != Flow::Return) {
      e.report(diag::runtime_return, at).note("it stands in a branch whose other path goes on behind that branch");
      e.frame->openReturns.resize(openBefore);
      e.builder->setInsertionPointToEnd(block);
    } else
      closeReturns(openBefore, at);
  }
  side.end = e.builder->getInsertionBlock();
  side.variables = e.frame->variables;
  side.returned = e.frame->returned;
  return side;
}

Value ControlFlow::branch(MachineValue condition, const std::function<Flow(Value &)> &whenTrue,
                          const std::function<Flow(Value &)> &whenFalse, SourceRange range, SourceRange conditionRange,
                          Flow &flow) {
  auto loc = e.location(range);
  auto ifOp = scf::IfOp::create(*e.builder, loc, mlir::TypeRange{}, condition.value, /*withElseRegion=*/true);
  auto before = e.frame->variables;
  Side first, second;
  try {
    first = runSide(ifOp.thenBlock(), whenTrue);
    e.frame->variables = before;
    second = runSide(ifOp.elseBlock(), whenFalse);
  } catch (Failed &) {
    e.frame->variables = before;
    e.builder->setInsertionPointAfter(ifOp);
    throw;
  }
  Ends ends{e.builder, loc, range, first.end, second.end, ifOp};
  bool firstReturns = first.flow == Flow::Return, secondReturns = second.flow == Flow::Return;
  flow = Flow::Normal;
  if (firstReturns != secondReturns) {
    // Elaboration goes on in the side that did not return.
    auto &open = firstReturns ? second : first;
    e.frame->openReturns.push_back({ifOp, firstReturns ? first.end : second.end, (firstReturns ? first : second).returned, range});
    e.frame->variables = open.variables;
    atEnd(*e.builder, open.end);
    return open.result;
  }
  ends.toJoin();
  if (firstReturns) {
    flow = Flow::Return;
    std::string why;
    auto value = joinValues(first.returned, second.returned, ends, why);
    if (!value)
      e.fail(diag::branch_types, range, {"the returned value", describe(first.returned), why});
    e.frame->returned = *value;
    ends.toJoin();
    return Value();
  }
  joinVariables(first.variables, second.variables, ends, conditionRange);
  std::string why;
  auto result = joinValues(first.result, second.result, ends, why);
  ends.toJoin();
  if (!result)
    e.fail(diag::branch_types, range, {"the value", describe(first.result), why});
  return *result;
}

void ControlFlow::closeReturns(size_t from, SourceRange range) {
  auto &open = e.frame->openReturns;
  while (open.size() > from) {
    auto last = open.back();
    open.pop_back();
    mlir::Block *here = e.builder->getInsertionBlock();
    Ends ends{e.builder, e.location(last.range), last.range, last.returnedBlock, here, last.branch};
    std::string why;
    auto value = joinValues(last.value, e.frame->returned, ends, why);
    ends.toJoin();
    if (!value)
      e.fail(diag::branch_types, last.range, {"the returned value", describe(last.value), why});
    e.frame->returned = *value;
  }
}

Value Elaborator::branch(MachineValue condition, const std::function<Value()> &whenTrue,
                         const std::function<Value()> &whenFalse, SourceRange range) {
  Flow flow;
  auto value = [](const std::function<Value()> &f) {
    return [&f](Value &result) {
      result = f();
      return Flow::Normal;
    };
  };
  return ControlFlow{*this}.branch(condition, value(whenTrue), value(whenFalse), range, range, flow);
}

Value Elaborator::shortCircuit(bool isAnd, MachineValue lhs, const std::function<Value()> &rhs, SourceRange range) {
  auto decided = [&] { return Value(!isAnd); };
  return isAnd ? branch(lhs, rhs, decided, range) : branch(lhs, decided, rhs, range);
}

Flow Elaborator::execIf(const ast::IfStmt &stmt) {
  Value test = eval(*stmt.test);
  if (!test.is<MachineValue>())
    return execBlock(truth(test, stmt.test->range) ? stmt.body : stmt.orelse);
  auto c = condition(test, stmt.test->range);
  Flow flow;
  ControlFlow{*this}.branch(
      c, [&](Value &) { return execBlock(stmt.body); }, [&](Value &) { return execBlock(stmt.orelse); }, stmt.range,
      stmt.test->range, flow);
  return flow;
}

void Elaborator::closeReturns(SourceRange range) { ControlFlow{*this}.closeReturns(0, range); }

// ---------------------------------------------------------------------------------------------------------
// Loops

/// While it lives, the frame is inside one more loop, whose turns happen at compile time unless the loop says otherwise.
struct LoopScope {
  Frame &frame;
  Frame::LoopState saved;
  unsigned savedDepth;
  explicit LoopScope(Frame &frame) : frame(frame), saved(frame.loop), savedDepth(frame.runtimeDepth) {
    ++frame.loop.depth;
    frame.loop.runtimeDepth = frame.runtimeDepth;
    frame.loop.innermostIsRuntime = false;
  }
  ~LoopScope() { frame.loop = saved, frame.runtimeDepth = savedDepth; }
};

/// Elaborates into a block that is thrown away, with diagnostics kept quiet.
struct ControlFlow::Trial {
  Elaborator &e;
  mlir::Region region;
  mlir::Block *block;
  mlir::OpBuilder::InsertPoint insertion;
  mlir::Block *entry;
  uint64_t lds;
  Frame saved;
  unsigned failures;
  bool failed = false;

  explicit Trial(Elaborator &e)
      : e(e), block(new mlir::Block), insertion(e.builder->saveInsertionPoint()), entry(e.kernelEntry), lds(e.ldsBytes),
        saved(*e.frame), failures(e.failures) {
    region.push_back(block);
    e.builder->setInsertionPointToStart(block);
    e.kernelEntry = block;
    e.diags.suspend();
    ++e.trialDepth;
  }
  void run(const std::function<void()> &body) {
    try {
      body();
    } catch (Failed &) {
      failed = true;
    }
  }
  ~Trial() {
    --e.trialDepth;
    e.diags.resume();
    *e.frame = std::move(saved);
    e.failures = failures;
    e.ldsBytes = lds;
    e.kernelEntry = entry;
    e.builder->restoreInsertionPoint(insertion);
    region.dropAllReferences();
  }
};

/// Gives each literal of a value the pretended type under which a trial runs; `origins` keeps the evidence.
static Value pretend(Elaborator &e, const Value &value, SourceRange range, bool asMachine) {
  if (auto *elements = value.sequence()) {
    Values out;
    for (auto &element : *elements)
      out.push_back(pretend(e, element, range, asMachine));
    return value.is<TupleValue>() ? makeTuple(std::move(out)) : makeList(std::move(out));
  }
  if (!value.isNumber() || !asMachine)
    return value;
  auto origin = std::make_shared<LiteralOrigin>();
  Type type = Type::scalar(value.is<double>() ? host::Number::F32 : value.is<bool>() ? host::Number::Bool : host::Number::I32);
  Value out(MachineValue{ir::UndefinedOp::create(*e.builder, e.location(range), e.mlirType(type)), type});
  if (!value.is<bool>())
    out.origin = origin;
  return out;
}

/// The type each literal leaf shall have, in order of the leaves.
static void evidence(const Value &pretended, const Value &after, std::vector<std::optional<Type>> &types) {
  if (auto *elements = pretended.sequence()) {
    auto *others = after.sequence();
    for (size_t i = 0; i < elements->size(); ++i)
      evidence((*elements)[i], others && i < others->size() ? (*others)[i] : Value(), types);
    return;
  }
  if (!pretended.is<MachineValue>())
    return;
  std::optional<Type> type;
  if (pretended.origin)
    type = pretended.origin->firstUse;
  if (auto *m = after.as<MachineValue>(); m && !type && !after.origin)
    type = m->type;
  types.push_back(type);
}

/// A value whose machine leaves live in slots: made before a loop, read at the start of the body.
Value ControlFlow::intoSlots(const Value &value, std::vector<std::optional<Type>> &types, size_t &next,
                             std::vector<SlotLeaf> &leaves, SourceRange range) {
  auto loc = e.location(range);
  if (auto *elements = value.sequence()) {
    Values out;
    for (auto &element : *elements)
      out.push_back(intoSlots(element, types, next, leaves, range));
    return value.is<TupleValue>() ? makeTuple(std::move(out)) : makeList(std::move(out));
  }
  if (!value.isNumber() && !value.is<MachineValue>())
    return value;
  std::optional<Type> wanted = value.is<MachineValue>() ? std::nullopt : next < types.size() ? types[next++] : std::nullopt;
  MachineValue machine = wanted ? e.toMachine(value, *wanted, range) : e.toMachine(value, range);
  mlir::Value slot = createSlot(machine.type, loc);
  store(machine.value, slot, loc);
  leaves.push_back({slot, machine.type, {}});
  return Value(machine);
}

Value ControlFlow::fromSlots(const Value &value, std::vector<SlotLeaf> &leaves, size_t &next, SourceRange range) {
  if (auto *elements = value.sequence()) {
    Values out;
    for (auto &element : *elements)
      out.push_back(fromSlots(element, leaves, next, range));
    return value.is<TupleValue>() ? makeTuple(std::move(out)) : makeList(std::move(out));
  }
  if (!value.is<MachineValue>())
    return value;
  auto &leaf = leaves[next++];
  auto loaded = load(leaf.slot, leaf.type, e.location(range));
  leaf.loaded = loaded.value;
  return Value(loaded);
}

/// At the end of a body: stores what changed; false if the value came round as something else.
bool ControlFlow::backToSlots(const Value &before, const Value &after, std::vector<SlotLeaf> &leaves, size_t &next,
                              SourceRange range, std::string &found, std::string &expected) {
  if (auto *elements = before.sequence()) {
    auto *others = after.sequence();
    if (!others || others->size() != elements->size() || before.is<TupleValue>() != after.is<TupleValue>()) {
      expected = describe(before), found = describe(after);
      return false;
    }
    for (size_t i = 0; i < elements->size(); ++i)
      if (!backToSlots((*elements)[i], (*others)[i], leaves, next, range, found, expected))
        return false;
    return true;
  }
  if (!before.is<MachineValue>()) {
    bool same = before.isCompileTime() && after.isCompileTime() &&
                (equal(before, after).value_or(false) || toText(before) == toText(after));
    if (auto *t = before.as<TensorValue>())
      same = after.is<TensorValue>() && after.as<TensorValue>()->value == t->value;
    expected = describe(before), found = describe(after);
    return same;
  }
  auto &leaf = leaves[next++];
  auto *m = after.as<MachineValue>();
  if ((m && m->type != leaf.type) || (!m && !after.isNumber())) {
    expected = leaf.type.text(), found = describe(after);
    return false;
  }
  mlir::Value value = e.toMachine(after, leaf.type, range).value;
  if (value != leaf.loaded)
    store(value, leaf.slot, e.location(range));
  return true;
}

void ControlFlow::carry(const std::set<std::string> &assigned, SourceRange range, const std::function<void()> &trialBody,
                        std::vector<Carried> &carried) {
  auto &variables = e.frame->variables;
  bool literals = false;
  std::function<bool(const Value &)> hasLiteral = [&](const Value &v) -> bool {
    if (auto *elements = v.sequence())
      return llvm::any_of(*elements, hasLiteral);
    return v.isNumber();
  };
  for (auto &name : assigned)
    if (auto found = variables.find(name); found != variables.end() && !found->second.is<OneSidedValue>() &&
                                           !found->second.is<ErrorValue>()) {
      carried.push_back({name, found->second, {}, {}});
      literals |= hasLiteral(found->second);
    }
  std::vector<std::vector<std::optional<Type>>> types(carried.size());
  if (literals) {
    Trial trial(e);
    std::vector<Value> pretended;
    for (auto &c : carried)
      pretended.push_back(e.frame->variables[c.name] = pretend(e, c.initial, range, true));
    trial.run(trialBody);
    for (size_t i = 0; i < carried.size(); ++i) {
      // Only leaves that were literals count; machine leaves keep their type.
      std::function<void(const Value &, const Value &, const Value &)> walk = [&](const Value &initial, const Value &p, const Value &after) {
        if (auto *elements = initial.sequence()) {
          auto *ps = p.sequence(), *as = after.sequence();
          for (size_t k = 0; k < elements->size(); ++k)
            walk((*elements)[k], (*ps)[k], as && k < as->size() ? (*as)[k] : Value());
        } else if (initial.isNumber())
          evidence(p, after, types[i]);
      };
      walk(carried[i].initial, pretended[i], e.frame->variables[carried[i].name]);
    }
  }
  for (size_t i = 0; i < carried.size(); ++i) {
    size_t next = 0;
    carried[i].shape = intoSlots(carried[i].initial, types[i], next, carried[i].leaves, range);
  }
}

void ControlFlow::enter(std::vector<Carried> &carried, SourceRange range) {
  for (auto &c : carried) {
    size_t next = 0;
    e.frame->variables[c.name] = fromSlots(c.shape, c.leaves, next, range);
  }
}

void ControlFlow::leave(std::vector<Carried> &carried, SourceRange range) {
  for (auto &c : carried) {
    Value &now = e.frame->variables[c.name];
    if (now.is<ErrorValue>())
      continue;
    size_t next = 0;
    std::string found, expected;
    if (now.is<OneSidedValue>() || !backToSlots(c.shape, now, c.leaves, next, range, found, expected)) {
      e.report(diag::carried_type, range, {c.name, expected, found})
          .note("`" + c.name + "` is assigned in the loop and used in its next turn, so that it must keep one type");
      c.failed = true;
    }
  }
}

/// Behind the loop: carried variables are read again; those born in the body may not exist.
void ControlFlow::after(std::vector<Carried> &carried, const std::set<std::string> &assigned, const Variables &before,
                        SourceRange range) {
  auto &variables = e.frame->variables;
  Variables now = before;
  variables = std::move(now);
  for (auto &c : carried) {
    size_t next = 0;
    variables[c.name] = c.failed ? Value(ErrorValue{}) : fromSlots(c.shape, c.leaves, next, range);
  }
  for (auto &name : assigned)
    if (!before.count(name))
      variables[name] = Value(OneSidedValue{range, "a loop"});
}

Flow ControlFlow::body(const ast::Block &block) {
  LoopScope scope(*e.frame);
  ++e.frame->runtimeDepth;
  e.frame->loop.innermostIsRuntime = e.frame->loop.anyIsRuntime = true;
  return e.execBlock(block);
}

/// Runs the body for each element at compile time; what it emits follows one after the other.
static Flow unrolled(Elaborator &e, const ast::ForStmt &stmt, const Values &elements) {
  LoopScope scope(*e.frame);
  for (auto &element : elements) {
    e.step(stmt.header);
    e.assign(*stmt.target, element);
    Flow flow = e.execBlock(stmt.body);
    if (flow == Flow::Break)
      break;
    if (flow == Flow::Return)
      return flow;
  }
  return Flow::Normal;
}

/// True if running `body` on compile-time values emits nothing: then the whole loop belongs to compile time.
bool ControlFlow::emitsNothing(const std::function<void()> &body) {
  Trial trial(e);
  trial.run(body);
  return !trial.failed && trial.block->empty() && trial.e.frame->openReturns.size() == trial.saved.openReturns.size();
}

Flow Elaborator::execFor(const ast::ForStmt &stmt) {
  Value iterable = eval(*stmt.iterable);
  auto *run = iterable.as<RangeValue>();
  bool isConstant = !run || llvm::all_of(*run->parts, [](const Value &v) { return v.is<Int>(); });
  if (!onDevice() || !run || run->unroll)
    return unrolled(*this, stmt, iterate(iterable, stmt.iterable->range, "`for`"));
  ControlFlow control{*this};
  if (isConstant) {
    bool compileTime = control.emitsNothing([&] {
      LoopScope scope(*frame);
      assign(*stmt.target, (*run->parts)[0]);
      execBlock(stmt.body);
    });
    if (compileTime)
      return unrolled(*this, stmt, iterate(iterable, stmt.iterable->range, "`for`"));
  }
  return control.machineFor(stmt, *run);
}

Flow ControlFlow::machineFor(const ast::ForStmt &stmt, const RangeValue &run) {
  auto loc = e.location(stmt.header);
  auto range = stmt.iterable->range;
  // The loop variable has the type of the bounds.
  Type type = Type::scalar(host::Number::I32);
  for (auto &part : *run.parts)
    if (auto *m = part.as<MachineValue>())
      type = m->type;
  if (!type.isInteger() || type.isVector())
    e.fail(diag::wrong_value, range, {"a bound of `range`", "an integer", type.text()});
  MachineValue start = e.toMachine((*run.parts)[0], type, range), stop = e.toMachine((*run.parts)[1], type, range),
               by = e.toMachine((*run.parts)[2], type, range);
  auto &b = *e.builder;
  auto knownStep = toInt64((*run.parts)[2]);
  auto constant = [&](int64_t v) { return e.toMachine(Value(v), type, range).value; };
  mlir::Value one = constant(1), zero = constant(0);
  bool direct = knownStep && *knownStep == 1;

  // The number of turns, in unsigned arithmetic that cannot overflow: (distance - 1) / |step| + 1, or 0.
  mlir::Value lower = start.value, upper = stop.value;
  if (!direct) {
    auto less = [&](mlir::Value x, mlir::Value y) {
      return arith::CmpIOp::create(b, loc, type.isSigned() ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, x, y);
    };
    auto turns = [&](mlir::Value from, mlir::Value to, mlir::Value by) -> mlir::Value {
      mlir::Value distance = arith::SubIOp::create(b, loc, to, from);
      mlir::Value whole = arith::DivUIOp::create(b, loc, arith::SubIOp::create(b, loc, distance, one), by);
      mlir::Value count = arith::AddIOp::create(b, loc, whole, one);
      return arith::SelectOp::create(b, loc, less(from, to), count, zero);
    };
    if (knownStep)
      upper = *knownStep > 0 ? turns(start.value, stop.value, by.value)
                             : turns(stop.value, start.value, arith::SubIOp::create(b, loc, zero, by.value));
    else {
      mlir::Value up = less(zero, by.value);
      mlir::Value magnitude = arith::MaxUIOp::create(
          b, loc, arith::SelectOp::create(b, loc, up, by.value, arith::SubIOp::create(b, loc, zero, by.value)), one);
      upper = arith::SelectOp::create(b, loc, up, turns(start.value, stop.value, magnitude),
                                      turns(stop.value, start.value, magnitude));
    }
    lower = zero;
  }

  auto assigned = assignedNames(stmt.body);
  collectTargets(*stmt.target, assigned);
  auto before = e.frame->variables;
  std::vector<Carried> carried;
  auto inBody = [&](mlir::Value induction) {
    mlir::Value i = induction;
    if (!direct)
      i = arith::AddIOp::create(b, loc, start.value, arith::MulIOp::create(b, loc, i, by.value));
    e.assign(*stmt.target, Value(MachineValue{i, type}));
    return body(stmt.body);
  };
  carry(assigned, stmt.header, [&] { inBody(ir::UndefinedOp::create(b, loc, e.mlirType(type))); }, carried);
  auto loop = scf::ForOp::create(b, loc, lower, upper, one, {}, nullptr, !direct || !type.isSigned());
  if (!run.name.empty())
    loop->setAttr("fly.name", b.getStringAttr(run.name));
  atEnd(b, loop.getBody());
  enter(carried, stmt.header);
  inBody(loop.getInductionVar());
  leave(carried, stmt.header);
  b.setInsertionPointAfter(loop);
  after(carried, assigned, before, stmt.header);
  return Flow::Normal;
}

Flow Elaborator::execWhile(const ast::WhileStmt &stmt) {
  ControlFlow control{*this};
  auto compileTime = [&]() -> bool {
    if (!onDevice())
      return true;
    return control.emitsNothing([&] {
      LoopScope scope(*frame);
      if (truth(eval(*stmt.test), stmt.test->range))
        execBlock(stmt.body);
    });
  };
  if (!compileTime())
    return control.machineWhile(stmt);
  LoopScope scope(*frame);
  while (truth(eval(*stmt.test), stmt.test->range)) {
    step(stmt.header);
    unsigned errors = failures;
    Flow flow = execBlock(stmt.body);
    if (failures != errors)
      throw Failed{}; // a broken body may never end the loop
    if (flow == Flow::Break)
      break;
    if (flow == Flow::Return)
      return flow;
  }
  return Flow::Normal;
}

Flow ControlFlow::machineWhile(const ast::WhileStmt &stmt) {
  auto &b = *e.builder;
  auto loc = e.location(stmt.header);
  auto assigned = assignedNames(stmt.body);
  auto before = e.frame->variables;
  std::vector<Carried> carried;
  carry(assigned, stmt.header, [&] {
    e.condition(e.eval(*stmt.test), stmt.test->range);
    body(stmt.body);
  }, carried);
  auto loop = scf::WhileOp::create(b, loc, mlir::TypeRange{}, mlir::ValueRange{});
  auto *test = b.createBlock(&loop.getBefore());
  auto *turn = b.createBlock(&loop.getAfter());
  b.setInsertionPointToEnd(turn);
  scf::YieldOp::create(b, loc);
  b.setInsertionPointToEnd(test);
  enter(carried, stmt.header);
  MachineValue condition;
  try {
    condition = e.condition(e.eval(*stmt.test), stmt.test->range);
  } catch (Failed &) {
    condition = e.toMachine(Value(false), stmt.header);
    scf::ConditionOp::create(b, loc, condition.value, mlir::ValueRange{});
    b.setInsertionPointAfter(loop);
    throw;
  }
  scf::ConditionOp::create(b, loc, condition.value, mlir::ValueRange{});
  atEnd(b, turn);
  enter(carried, stmt.header);
  body(stmt.body);
  leave(carried, stmt.header);
  b.setInsertionPointAfter(loop);
  after(carried, assigned, before, stmt.header);
  return Flow::Normal;
}

} // namespace fly::sema
