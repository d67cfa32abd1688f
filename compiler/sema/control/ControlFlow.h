// The machinery of run-time control flow; see ControlFlow.cpp for how it works.
#pragma once

#include "compiler/sema/control/Join.h"

namespace fly::sema {

struct ControlFlow {
  Elaborator &e;

  /// Elaborates both sides of a condition of the machine; `flow` is Jumped if both end in jumps.
  using Side = std::function<Flow(Value &)>;
  Value branch(MachineValue condition, const Side &whenTrue, const Side &whenFalse, const Meeting &meeting, Flow &flow);
  void branchTo(mlir::Block *from, MachineValue condition, mlir::Block *whenTrue, mlir::Block *whenFalse, SourceRange range);

  // --- Loops.cpp ---
  /// True if elaborating `body` emits nothing: then the loop it stands for belongs to compile time.
  bool emitsNothing(const std::function<void()> &body);
  /// One turn of a loop: the body and what meets at its end. False if no path reaches the next turn.
  bool turn(const ast::Block &body, SourceRange range);
  Flow machineFor(const ast::ForStmt &stmt, const RangeValue &run);
  Flow machineWhile(const ast::WhileStmt &stmt);
  Flow unrolled(const ast::ForStmt &stmt, const Value &sequence);
  Flow atCompileTime(const ast::WhileStmt &stmt);
  /// Behind a loop: those who broke out of it meet those who came to its end.
  Flow behind(std::vector<Edge> edges, SourceRange range);
};

} // namespace fly::sema
