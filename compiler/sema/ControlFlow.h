// The machinery of run-time control flow; see ControlFlow.cpp for how it works.
#pragma once

#include "compiler/sema/Elaborator.h"

#include "llvm/ADT/ScopeExit.h"

#include <set>

namespace fly::sema {

/// Puts the builder at the end of a block, before its terminator if it has one.
inline void atEnd(mlir::OpBuilder &builder, mlir::Block *block) {
  if (!block->empty() && block->back().hasTrait<mlir::OpTrait::IsTerminator>())
    builder.setInsertionPoint(&block->back());
  else
    builder.setInsertionPointToEnd(block);
}


struct ControlFlow {
  Elaborator &e;
  using Variables = std::map<std::string, Value>;

  /// Where the two sides of a branch end and where they meet.
  struct Ends {
    mlir::OpBuilder *builder;
    mlir::Location loc;
    SourceRange range;
    mlir::Block *first, *second;
    mlir::Operation *branch;
    void toFirst() const { atEnd(*builder, first); }
    void toSecond() const { atEnd(*builder, second); }
    void toJoin() const { builder->setInsertionPointAfter(joined()); }
    /// Loads behind the branch stay in the order in which they were made.
    mlir::Operation *joined() const {
      mlir::Operation *last = branch;
      while (last->getNextNode() && last->getNextNode()->getName().getStringRef() == "fly.slot_load")
        last = last->getNextNode();
      return last;
    }

  };
  struct Side {
    Flow flow = Flow::Normal;
    Value result, returned;
    Variables variables;
    mlir::Block *end = nullptr;
  };
  struct SlotLeaf { mlir::Value slot; Type type; mlir::Value loaded; };
  /// A variable that a loop carries: its value before, and the same with machine leaves in slots.
  struct Carried { std::string name; Value initial, shape; std::vector<SlotLeaf> leaves; bool failed = false; };
  struct Trial;

  mlir::Value createSlot(Type type, mlir::Location loc);
  void store(mlir::Value value, mlir::Value slot, mlir::Location loc);
  MachineValue load(mlir::Value slot, Type type, mlir::Location loc);

  std::optional<Value> joinValues(const Value &a, const Value &b, const Ends &ends, std::string &why);
  void joinVariables(const Variables &first, const Variables &second, const Ends &ends, SourceRange conditionRange);
  Side runSide(mlir::Block *block, const std::function<Flow(Value &)> &body);
  Value branch(MachineValue condition, const std::function<Flow(Value &)> &whenTrue,
               const std::function<Flow(Value &)> &whenFalse, SourceRange range, SourceRange conditionRange, Flow &flow);
  void closeReturns(size_t from, SourceRange range);

  bool emitsNothing(const std::function<void()> &body);
  void carry(const std::set<std::string> &assigned, SourceRange range, const std::function<void()> &trialBody,
             std::vector<Carried> &carried);
  void enter(std::vector<Carried> &carried, SourceRange range);
  void leave(std::vector<Carried> &carried, SourceRange range);
  void after(std::vector<Carried> &carried, const std::set<std::string> &assigned, const Variables &before,
             SourceRange range);
  Flow body(const ast::Block &block);
  Flow machineFor(const ast::ForStmt &stmt, const RangeValue &run);
  Flow machineWhile(const ast::WhileStmt &stmt);

  Value intoSlots(const Value &value, std::vector<std::optional<Type>> &types, size_t &next,
                  std::vector<SlotLeaf> &leaves, SourceRange range);
  Value fromSlots(const Value &value, std::vector<SlotLeaf> &leaves, size_t &next, SourceRange range);
  bool backToSlots(const Value &before, const Value &after, std::vector<SlotLeaf> &leaves, size_t &next,
                   SourceRange range, std::string &found, std::string &expected);
};

} // namespace fly::sema
