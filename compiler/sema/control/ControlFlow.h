// The machinery of run-time control flow; see ControlFlow.cpp for how it works.
#pragma once

#include "compiler/sema/control/Join.h"

namespace fly::sema {

Flow execIf(Elaborator &e, const ast::IfStmt &stmt);
Flow execFor(Elaborator &e, const ast::ForStmt &stmt);
Flow execWhile(Elaborator &e, const ast::WhileStmt &stmt);
/// Elaborates both sides of a run-time condition, each in its own block, and joins their values.
Value branchOn(Elaborator &e, MachineValue condition, const std::function<Value()> &whenTrue,
               const std::function<Value()> &whenFalse, SourceRange range);
/// `lhs and rhs` or `lhs or rhs`: the right side runs only where the left one does not decide.
Value shortCircuit(Elaborator &e, bool isAnd, MachineValue lhs, const std::function<Value()> &rhs, SourceRange range);
/// The frame hands its variables to an edge that leads elsewhere.
Edge leave(Elaborator &e, SourceRange range, Value value = {});
/// At the end of a function's body: joins its returns, and the end itself if it is reached.
Value joinReturns(Elaborator &e, Flow flow, SourceRange range);

struct ControlFlow {
  Elaborator &e;

  /// Elaborates both sides of a condition of the machine; `flow` is Jumped if both end in jumps.
  using Side = std::function<Flow(Value &)>;
  Value branch(MachineValue condition, const Side &whenTrue, const Side &whenFalse, const Meeting &meeting, Flow &flow);
  void branchTo(mlir::Block *from, MachineValue condition, mlir::Block *whenTrue, mlir::Block *whenFalse,
                SourceRange range, Odds odds = Odds::Unknown);

  // --- Loops.cpp ---
  /// True if elaborating `body` emits nothing: then its loop runs at compile time.
  bool emitsNothing(const std::function<void()> &body);
  /// Whether there are operations in the block; marks, which tell analyses what the program says, are none.
  static bool emits(mlir::Block &block);
  /// One iteration of a loop: the body and the join at its end. False if no path reaches the next iteration.
  bool turn(const ast::Block &body, SourceRange range);
  Flow machineFor(const ast::ForStmt &stmt, const RangeValue &run);
  Flow machineWhile(const ast::WhileStmt &stmt);
  Flow unrolled(const ast::ForStmt &stmt, const Value &sequence);
  Flow atCompileTime(const ast::WhileStmt &stmt);
  /// After a loop: joins the paths that broke out of it with those that reached its end.
  Flow after(std::vector<Edge> edges, SourceRange range);
};

} // namespace fly::sema
