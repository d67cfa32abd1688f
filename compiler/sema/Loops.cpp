// Loops: which belong to compile time, what a run-time loop carries, how often it turns.
//
// A loop whose bounds or condition are known is tried with compile-time values (`Trial`): if its body emits
// nothing, it is run at compile time. Otherwise it is a loop of the machine: the variables that its body assigns
// and that existed before live in slots while it runs (ControlFlow.cpp shows the IR).
//
// Types of literals. A variable that holds a literal before a loop gets its type from its first typed use in
// the body, found by elaborating the body once into a scratch block, where a literal has the pretended type
// i32 or f32 until it meets another.
#include "compiler/sema/AssignedNames.h"
#include "compiler/sema/ControlFlow.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fly::sema {

namespace arith = mlir::arith;
namespace scf = mlir::scf;

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
                equal(before, after).value_or(toText(before) == toText(after));
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
