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
  if (a.storage.index() == b.storage.index() && a.isCompileTime() && b.isCompileTime() && equal(a, b).value_or(toText(a) == toText(b)))
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

} // namespace fly::sema
