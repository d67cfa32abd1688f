// Loops: which of them run at compile time, the iteration count of run-time loops, and their exits.
//
// A loop whose bounds or condition are known is tried with compile-time values (`Trial`): if its body emits
// nothing, it is run at compile time. Otherwise it is a loop of the machine: the variables that its body assigns
// and that existed before are arguments of its first block (Carried.h).
#include "compiler/sema/control/AssignedNames.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/control/Carried.h"
#include "compiler/sema/number/Containers.h"
#include "compiler/sema/control/ControlFlow.h"
#include "compiler/sema/elaborator/Trial.h"

#include "compiler/dialect/FlyOps.h"
#include "llvm/ADT/ScopeExit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fly::sema {

namespace arith = mlir::arith;
namespace cf = mlir::cf;

/// While it lives, the frame is inside one more loop.
namespace {
struct LoopScope {
  Frame &frame;
  size_t depth;
  explicit LoopScope(Elaborator &e) : frame(*e.frame), depth(frame.loops.size()) { frame.loops.emplace_back(); }
  ~LoopScope() { frame.loops.resize(depth); }
  std::vector<Edge> end() {
    auto breaks = std::move(frame.loops.back().breaks);
    frame.loops.resize(depth);
    return breaks;
  }
};
} // namespace

/// The probe of a surrounding loop has its answer: something is emitted here.
static void probeEnd(Elaborator &e) {
  if (e.probe)
    throw Emits{};
}

bool ControlFlow::emits(mlir::Block &block) {
  return llvm::any_of(block, [](mlir::Operation &op) { return !ir::isMark(&op); });
}

bool ControlFlow::emitsNothing(const std::function<void()> &body) {
  Trial trial(e);
  // The first statement that emits something ends the probe (Evaluator::exec), so that nested loops do not each
  // elaborate what is inside of them once more.
  llvm::scope_exit restore([&, outer = std::exchange(e.probe, trial.block())] { e.probe = outer; });
  try {
    trial.run(body);
  } catch (Emits &) {
    return false;
  }
  return !trial.failed && !emits(*trial.block());
}

bool ControlFlow::turn(const ast::Block &body, SourceRange range) {
  Flow flow = e.execBlock(body);
  auto edges = std::move(e.frame->loops.back().continues);
  e.frame->loops.back().continues.clear();
  if (flow == Flow::Next)
    edges.push_back(leave(e, range));
  return join(e, std::move(edges), {range, range, "a loop"}).has_value();
}

Flow ControlFlow::after(std::vector<Edge> edges, SourceRange range) {
  return join(e, std::move(edges), {range, range, "a loop"}) ? Flow::Next : Flow::Jumped;
}

// ---------------------------------------------------------------------------------------------------------
// At compile time: the iterations are emitted one after the other

Flow ControlFlow::unrolled(const ast::ForStmt &stmt, const Value &sequence) {
  LoopScope loop(e);
  bool reached = true;
  forEach(e, sequence, stmt.iterable->range, "`for`", [&](const Value &element) {
    e.step(stmt.header);
    e.statement = stmt.header;
    e.assign(*stmt.target, element);
    return reached = turn(stmt.body, stmt.header);
  });
  auto edges = loop.end();
  if (reached)
    edges.push_back(leave(e, stmt.header));
  return after(std::move(edges), stmt.header);
}

Flow ControlFlow::atCompileTime(const ast::WhileStmt &stmt) {
  LoopScope loop(e);
  bool reached = true;
  while (reached && truth(e, e.eval(*stmt.test), stmt.test->range)) {
    e.step(stmt.header);
    unsigned errors = e.failures;
    reached = turn(stmt.body, stmt.header);
    if (e.failures != errors)
      throw Failed{}; // a broken body may never end the loop
  }
  auto edges = loop.end();
  if (reached)
    edges.push_back(leave(e, stmt.header));
  return after(std::move(edges), stmt.header);
}

// ---------------------------------------------------------------------------------------------------------
// At run time

namespace {
/// Names that a loop binds and that did not exist before it: after the loop they may have no value.
void markUnborn(Elaborator &e, const std::set<std::string> &assigned, const Variables &before, SourceRange range) {
  for (auto &name : assigned)
    if (!before.count(name))
      e.frame->variables[name] = Value(OneSidedValue{range, "a loop"});
}

/// The induction variable of a `range`: it counts from `lower` to `upper` by one, and the loop's value follows.
struct Counter {
  Type type;
  MachineValue start, by;
  mlir::Value lower, upper, one;
  bool direct; ///< the counter is the loop's value

  Counter(Elaborator &e, const RangeValue &run, Type type, SourceRange range, mlir::Location loc) : type(type) {
    auto &b = *e.kernel.builder;
    auto constant = [&](int64_t v) { return toMachine(e, Value(v), type, range).value; };
    start = toMachine(e, (*run.parts)[0], type, range);
    MachineValue stop = toMachine(e, (*run.parts)[1], type, range);
    auto knownStep = toInt64((*run.parts)[2]);
    direct = knownStep && *knownStep == 1;
    one = constant(1);
    lower = start.value, upper = stop.value;
    if (direct)
      return;
    Value step = (*run.parts)[2];
    if (knownStep && *knownStep < 0 && !type.isSigned()) { // down in arithmetic that wraps
      Int wrapped(*knownStep), limit(1);
      for (unsigned bit = 0; bit < type.format().bits; ++bit)
        limit = limit * Int(2);
      step = Value(wrapped + limit);
    }
    by = toMachine(e, step, type, range);
    mlir::Value zero = constant(0);
    auto less = [&](mlir::Value x, mlir::Value y) {
      return arith::CmpIOp::create(b, loc, type.isSigned() ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, x,
                                   y);
    };
    // The number of iterations, in unsigned arithmetic that cannot overflow: (distance - 1) / |step| + 1, or 0.
    auto turns = [&](mlir::Value from, mlir::Value to, mlir::Value step) -> mlir::Value {
      mlir::Value distance = arith::SubIOp::create(b, loc, to, from);
      mlir::Value whole = arith::DivUIOp::create(b, loc, arith::SubIOp::create(b, loc, distance, one), step);
      return arith::SelectOp::create(b, loc, less(from, to), arith::AddIOp::create(b, loc, whole, one), zero);
    };
    auto negated = [&](mlir::Value v) -> mlir::Value { return arith::SubIOp::create(b, loc, zero, v); };
    if (knownStep)
      upper =
          *knownStep > 0 ? turns(start.value, stop.value, by.value) : turns(stop.value, start.value, negated(by.value));
    else {
      mlir::Value up = less(zero, by.value);
      mlir::Value size = arith::SelectOp::create(b, loc, up, by.value, negated(by.value));
      size = arith::MaxUIOp::create(b, loc, size, one); // a step of 0 at run time: the loop ends all the same
      upper = arith::SelectOp::create(b, loc, up, turns(start.value, stop.value, size),
                                      turns(stop.value, start.value, size));
    }
    lower = zero;
  }

  mlir::Value goesOn(mlir::OpBuilder &b, mlir::Location loc, mlir::Value count) const {
    bool isSigned = direct && type.isSigned();
    return arith::CmpIOp::create(b, loc, isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, count,
                                 upper);
  }
  mlir::Value value(mlir::OpBuilder &b, mlir::Location loc, mlir::Value count) const {
    if (direct)
      return count;
    return arith::AddIOp::create(b, loc, start.value, arith::MulIOp::create(b, loc, count, by.value));
  }
  /// It is below `upper`, so that it cannot overflow.
  mlir::Value next(mlir::OpBuilder &b, mlir::Location loc, mlir::Value count) const {
    auto flags = direct && type.isSigned() ? arith::IntegerOverflowFlags::nsw : arith::IntegerOverflowFlags::nuw;
    return arith::AddIOp::create(b, loc, count, one, flags);
  }
};

/// The loop's options, attached to its back edge.
void annotate(mlir::Operation *latch, const RangeValue &run) {
  auto *context = latch->getContext();
  mlir::OpBuilder b(context);
  if (!run.name.empty())
    latch->setAttr(ir::loopNameAttr, b.getStringAttr(run.name));
  if (!run.unrollBy)
    return;
  auto flag = [&](bool value) { return b.getBoolAttr(value); };
  int64_t by = *run.unrollBy; // 0: completely, 1: not at all
  auto unroll =
      mlir::LLVM::LoopUnrollAttr::get(context, flag(by == 1), by > 1 ? b.getI32IntegerAttr(int32_t(by)) : nullptr,
                                      nullptr, by == 0 ? flag(true) : nullptr, nullptr, nullptr, nullptr);
  // Combining several iterations into a vector operation would also be unrolling.
  auto vectorize =
      mlir::LLVM::LoopVectorizeAttr::get(context, flag(true), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  auto annotation =
      mlir::LLVM::LoopAnnotationAttr::get(context, nullptr, vectorize, nullptr, unroll, nullptr, nullptr, nullptr,
                                          nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, {});
  latch->setAttr("loop_annotation", annotation);
}
} // namespace

Flow execFor(Elaborator &e, const ast::ForStmt &stmt) {
  Value iterable = e.eval(*stmt.iterable);
  auto *run = iterable.as<RangeValue>();
  ControlFlow control{e};
  if (!e.onDevice() || !run || run->unroll)
    return control.unrolled(stmt, iterable);
  bool isConstant = llvm::all_of(*run->parts, [](const Value &v) { return v.is<Int>(); });
  bool compileTime = isConstant && control.emitsNothing([&] {
    LoopScope loop(e);
    e.assign(*stmt.target, (*run->parts)[0]);
    control.turn(stmt.body, stmt.header);
  });
  if (compileTime)
    return control.unrolled(stmt, iterable);
  probeEnd(e);
  return control.machineFor(stmt, *run);
}

Flow ControlFlow::machineFor(const ast::ForStmt &stmt, const RangeValue &run) {
  auto &b = *e.kernel.builder;
  auto loc = e.location(stmt.header);
  auto range = stmt.iterable->range;
  Type type = Type::scalar(host::Number::I32); // the loop variable has the type of the bounds
  for (auto &part : *run.parts)
    if (auto *m = part.as<MachineValue>())
      type = m->type;
  if (!type.isInteger() || type.isVector())
    e.fail(range, diag::not_an_integer{.what = "a bound of `range`", .found = type.text()});
  Counter counter(e, run, type, range, loc);

  auto assigned = assignedNames(stmt.body);
  collectTargets(*stmt.target, assigned);
  auto before = e.frame->variables;
  auto inBody = [&](mlir::Value count) {
    e.statement = stmt.header;
    e.assign(*stmt.target, Value(MachineValue{counter.value(b, loc, count), type}));
    return turn(stmt.body, stmt.header);
  };
  Carried carried(e, assigned, stmt.header, [&] {
    LoopScope loop(e);
    inBody(ir::UndefinedOp::create(b, loc, mlirType(e, type)));
    return loop.end();
  });

  if (e.trialDepth && !mayReturn(stmt.body)) {
    carried.skip();
    markUnborn(e, assigned, before, stmt.header);
    return Flow::Next;
  }

  llvm::SmallVector<mlir::Value> operands = {counter.lower};
  llvm::append_range(operands, carried.initial());
  auto *origin = b.getInsertionBlock();
  auto *head = startBlock(e);
  mlir::Value count = head->addArgument(counter.lower.getType(), loc);
  LoopScope loop(e);
  carried.enter(head);
  b.setInsertionPointToEnd(origin);
  cf::BranchOp::create(b, loc, head, operands);
  b.setInsertionPointToEnd(head);
  MachineValue goesOn{counter.goesOn(b, loc, count), Type::scalar(host::Number::Bool)};

  auto *body = startBlock(e);
  if (inBody(count)) {
    llvm::SmallVector<mlir::Value> next = {counter.next(b, loc, count)};
    llvm::append_range(next, carried.next());
    annotate(cf::BranchOp::create(b, loc, head, next), run);
  }
  auto edges = loop.end();

  auto *end = startBlock(e);
  branchTo(head, goesOn, body, end, stmt.header);
  e.frame->variables = before;
  for (auto &[name, value] : carried.values())
    e.frame->variables[name] = value;
  markUnborn(e, assigned, before, stmt.header);
  edges.push_back(leave(e, stmt.header));
  return after(std::move(edges), stmt.header);
}

Flow execWhile(Elaborator &e, const ast::WhileStmt &stmt) {
  ControlFlow control{e};
  auto belongsToCompileTime = [&]() -> bool {
    return !e.onDevice() || control.emitsNothing([&] {
      LoopScope loop(e);
      if (truth(e, e.eval(*stmt.test), stmt.test->range))
        control.turn(stmt.body, stmt.header);
    });
  };
  if (belongsToCompileTime())
    return control.atCompileTime(stmt);
  probeEnd(e);
  return control.machineWhile(stmt);
}

Flow ControlFlow::machineWhile(const ast::WhileStmt &stmt) {
  auto &b = *e.kernel.builder;
  auto loc = e.location(stmt.header);
  auto assigned = assignedNames(stmt.body);
  auto before = e.frame->variables;
  Carried carried(e, assigned, stmt.header, [&] {
    LoopScope loop(e);
    Value test = e.eval(*stmt.test);
    if (test.is<MachineValue>())
      toCondition(e, test, stmt.test->range);
    turn(stmt.body, stmt.header);
    return loop.end();
  });

  // Only a jump leaves `while True:`.
  auto isForever = [&](const Value &test) { return !test.is<MachineValue>() && truth(e, test, stmt.test->range); };
  if (e.trialDepth && !mayReturn(stmt.body) && !isForever(e.eval(*stmt.test))) {
    carried.skip();
    markUnborn(e, assigned, before, stmt.header);
    return Flow::Next;
  }

  auto *origin = b.getInsertionBlock();
  auto *head = startBlock(e);
  LoopScope loop(e);
  carried.enter(head);
  b.setInsertionPointToEnd(origin);
  cf::BranchOp::create(b, loc, head, carried.initial());
  b.setInsertionPointToEnd(head);
  Value test = e.eval(*stmt.test);
  bool forever = isForever(test);
  MachineValue goesOn = forever ? MachineValue{} : toCondition(e, test, stmt.test->range);
  auto *decision = b.getInsertionBlock();

  auto *body = startBlock(e);
  if (turn(stmt.body, stmt.header)) {
    auto next = carried.next();
    cf::BranchOp::create(b, loc, head, next);
  }
  auto edges = loop.end();

  if (forever) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(decision);
    cf::BranchOp::create(b, loc, body);
  } else {
    auto *end = startBlock(e);
    branchTo(decision, goesOn, body, end, stmt.test->range);
    e.frame->variables = before;
    for (auto &[name, value] : carried.values())
      e.frame->variables[name] = value;
    markUnborn(e, assigned, before, stmt.header);
    edges.push_back(leave(e, stmt.header));
  }
  return after(std::move(edges), stmt.header);
}

} // namespace fly::sema
