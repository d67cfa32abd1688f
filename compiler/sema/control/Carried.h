// The variables that a run-time loop carries from one iteration to the next, as arguments of its first block.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

#include <set>

namespace fly::sema {

class Carried {
public:
  /// Finds what `assigned` names carry at the current place and gives literals their types: from their first typed use
  /// in the body, which `trialBody` elaborates once and discards; it returns the exits of the loop.
  Carried(Elaborator &e, const std::set<std::string> &assigned, SourceRange range,
          const std::function<std::vector<Edge>()> &trialBody);

  /// For a loop inside another trial, whose own trial has already shown its effect: sets the variables to their values
  /// after the loop, without elaborating it again.
  void skip();

  /// The values before the loop, one an argument.
  llvm::ArrayRef<mlir::Value> initial() const { return initialValues; }
  /// Adds the arguments to the loop's first block and makes the variables stand for them.
  void enter(mlir::Block *head);
  /// What the variables hold now, one an argument; reports those that changed their type (their old values follow).
  llvm::SmallVector<mlir::Value> next();
  /// The variables as they are in the first block, by name; erroneous for those that changed their type.
  std::map<std::string, Value> values() const;

private:
  struct Variable {
    std::string name;
    Value initial; ///< with machine values at its leaves
    Value inLoop;  ///< the same with the block's arguments
    bool failed = false;
  };
  Value machineLeaves(const Value &value, std::vector<std::optional<Type>> &types, size_t &next);
  Value arguments(const Value &value, mlir::Block *head);
  bool leaves(const Value &inLoop, const Value &now, SourceRange range, llvm::SmallVectorImpl<mlir::Value> &out);

  Elaborator &e;
  SourceRange range;
  std::vector<Variable> variables;
  llvm::SmallVector<mlir::Value> initialValues;
};

} // namespace fly::sema
