// Run-time control: branches whose course the machine decides, and the jumps out of functions.
//
//     for i in range(n):                   cf.br ^head(0, 0.0)
//         if x[i] < 0:                   ^head(%i, %total):
//             break                        cf.cond_br %i < n, ^body, ^end(%total)
//         total += x[i]          ->      ^body:
//     y[0] = total                         cf.cond_br %x < 0, ^end(%total), ^rest
//                                        ^rest: ... cf.br ^head(%i + 1, %total + %x)
//                                        ^end(%t): ...
//
// Everything builds on one concept, the edge: a block that ends, with the variables of the frame at that point.
// `break`, `continue` and `return` leave an edge in the frame; the owner of the target joins the edges (Join.cpp). At
// compile time there is one edge and nothing is emitted, so the same code serves both times.
//
// Blocks are emitted directly, without structured operations: no pass before LLVM works on loops, a jump may leave any
// number of them, and values join without a detour through memory.
#include "compiler/sema/control/ControlFlow.h"
#include "compiler/sema/elaborator/CodeRole.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/HostExpressions.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace fly::sema {

void ControlFlow::branchTo(mlir::Block *from, MachineValue condition, mlir::Block *whenTrue, mlir::Block *whenFalse,
                           SourceRange range, Odds odds) {
  mlir::OpBuilder::InsertionGuard guard(*e.kernel.builder);
  e.kernel.builder->setInsertionPointToEnd(from);
  auto branch = mlir::cf::CondBranchOp::create(*e.kernel.builder, e.location(range), condition.value, whenTrue,
                                               mlir::ValueRange{}, whenFalse, mlir::ValueRange{});
  constexpr int32_t often = 2000; // against 1, as of LLVM's `expect`
  const int32_t weights[] = {odds == Odds::Likely ? often : 1, odds == Odds::Likely ? 1 : often};
  if (odds != Odds::Unknown)
    branch.setBranchWeights(llvm::ArrayRef(weights));
}

Value ControlFlow::branch(MachineValue condition, const Side &whenTrue, const Side &whenFalse, const Meeting &meeting,
                          Flow &flow) {
  auto *origin = e.kernel.builder->getInsertionBlock();
  auto before = e.frame->variables;
  std::vector<Edge> edges;
  auto side = [&](const Side &body) {
    auto *block = startBlock(e);
    Value result;
    if (body(result) == Flow::Next)
      edges.push_back(meeting.wantsValue ? Edge{e.kernel.builder->getInsertionBlock(), {}, result, meeting.range}
                                         : leave(e, meeting.range));
    return block;
  };
  try {
    auto *first = side(whenTrue);
    e.frame->variables = before;
    auto *second = side(whenFalse);
    branchTo(origin, condition, first, second, meeting.condition, meeting.odds);
  } catch (Failed &) {
    e.frame->variables = before;
    e.kernel.builder->setInsertionPointToEnd(origin);
    throw;
  }
  auto joined = join(e, std::move(edges), meeting);
  flow = joined ? Flow::Next : Flow::Jumped;
  return joined.value_or(Value());
}

Value branchOn(Elaborator &e, MachineValue condition, const std::function<Value()> &whenTrue,
               const std::function<Value()> &whenFalse, SourceRange range) {
  Flow flow;
  auto value = [](const std::function<Value()> &f) {
    return [&f](Value &result) {
      result = f();
      return Flow::Next;
    };
  };
  return ControlFlow{e}.branch(condition, value(whenTrue), value(whenFalse), {range, range, "an `if`", true}, flow);
}

Value shortCircuit(Elaborator &e, bool isAnd, MachineValue lhs, const std::function<Value()> &rhs, SourceRange range) {
  auto decided = [&] { return Value(!isAnd); };
  return isAnd ? e.branch(lhs, rhs, decided, range) : e.branch(lhs, decided, rhs, range);
}

/// `if likely(...)`, `if unlikely(...)`.
static Odds oddsOf(Elaborator &e, const ast::Expr &test) {
  auto *call = llvm::dyn_cast<ast::CallExpr>(&test);
  auto *name = call ? llvm::dyn_cast<ast::NameExpr>(call->callee) : nullptr;
  if (!name || (name->name != "likely" && name->name != "unlikely"))
    return Odds::Unknown;
  if (!e.lookUp(name->name, name->range).is<BuiltinValue>()) // a function of the author's
    return Odds::Unknown;
  return name->name == "likely" ? Odds::Likely : Odds::Unlikely;
}

Flow execIf(Elaborator &e, const ast::IfStmt &stmt) {
  Value test = e.eval(*stmt.test);
  if (test.is<HostValue>())
    if (auto flow = e.role->branch(stmt, test))
      return *flow;
  if (!test.is<MachineValue>())
    return e.execBlock(truth(e, test, stmt.test->range) ? stmt.body : stmt.orelse);
  auto c = toCondition(e, test, stmt.test->range);
  Flow flow;
  ControlFlow{e}.branch(
      c, [&](Value &) { return e.execBlock(stmt.body); }, [&](Value &) { return e.execBlock(stmt.orelse); },
      {stmt.range, stmt.test->range, "an `if`", false, oddsOf(e, *stmt.test)}, flow);
  return flow;
}

Edge leave(Elaborator &e, SourceRange range, Value value) {
  return {e.kernel.builder ? e.kernel.builder->getInsertionBlock() : nullptr, std::move(e.frame->variables),
          std::move(value), range};
}

Value joinReturns(Elaborator &e, Flow flow, SourceRange range) {
  if (flow == Flow::Next)
    e.frame->returns.push_back(leave(e, range));
  auto edges = std::move(e.frame->returns);
  e.frame->returns.clear();
  if (edges.empty() && e.kernel.builder)
    startBlock(e); // a loop without an end: what follows is never reached
  return join(e, std::move(edges), {range, range, nullptr, true}).value_or(Value());
}

} // namespace fly::sema
