// The evaluator: statements, expressions, calls, definitions. It dispatches to all rooms before this one.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Is told the values of expressions, and of names that are assigned; for tools that show a program's values. A module
/// with unknown names runs for it as far as it goes.
class EvaluationWatcher {
public:
  virtual ~EvaluationWatcher() = default;
  virtual void evaluated(const ast::Expr &expr, const Value &value) = 0;
  /// Asked before each expression: whether to stop. What was elaborated until then is of no use.
  virtual bool isStopped() = 0;
};

class Evaluator final : public Elaborator {
public:
  using Elaborator::Elaborator;

  // --- Modules and calls (Modules.cpp, Calls.cpp) ---
  void runModule(ModuleScope &module) override;
  Value call(const Value &callee, Arguments arguments, SourceRange range) override;
  Value callFunction(const FunctionValue &function, Arguments arguments, SourceRange range);
  Value callExtern(const ExternDefinition &definition, Arguments arguments, SourceRange range);
  /// Binds arguments to parameters. Missing ones are reported.
  void bindArguments(const std::vector<ast::Parameter> &parameters, const FunctionValue &function, llvm::StringRef what,
                     SourceRange definition, Arguments arguments, SourceRange range, Frame &into);
  /// The defaults that need no argument of the call, evaluated now (Calls.cpp).
  void evaluateDefaults(const std::vector<ast::Parameter> &parameters, FunctionValue &function);
  void importModule(const ast::ImportStmt &stmt);
  void importNames(const ast::ImportFromStmt &stmt);

  // --- Statements (Statements.cpp) ---
  Flow execBlock(const ast::Block &block) override;
  Flow exec(const ast::Stmt &stmt);
  void assign(const ast::Expr &target, const Value &value, SourceRange valueRange = {}) override;
  void assignItem(const ast::SubscriptExpr &target, const Value &value, SourceRange valueRange);
  void assignField(const ast::AttributeExpr &target, const Value &value, SourceRange valueRange);
  void define(const ast::DefStmt &stmt);
  void defineExtern(const ast::DefStmt &stmt, const ast::Expr &decorator, const ast::CallExpr *call);
  Flow execWith(const ast::WithStmt &stmt);
  Value vectorOf(Type type, const Values &elements, SourceRange range);
  Value branch(MachineValue condition, const std::function<Value()> &whenTrue, const std::function<Value()> &whenFalse,
               SourceRange range) override;

  // --- Structs (Structs.cpp) ---
  void defineStruct(const ast::ClassStmt &stmt);
  Value construct(const StructDefinition &definition, Arguments arguments, SourceRange range);
  /// A method of the struct as a function; none if there is none of that name.
  std::optional<Value> structAttribute(const StructDefinition &definition, llvm::StringRef name);
  Value callStructMethod(const StructValue &self, llvm::StringRef name, Arguments arguments, SourceRange range);
  /// `lhs op rhs`, or `op lhs` without `rhs`, by the method `__operation__` of `lhs` or `__roperation__` of `rhs`; none
  /// if no operand is a struct that has it.
  std::optional<Value> structOperator(llvm::StringRef operation, const Value &lhs, const Value *rhs, SourceRange range,
                                      SourceRange rhsRange);
  /// A value for a parameter or field with an annotation; refuses what does not fit it.
  Value coerce(Value value, const Value &annotation, SourceRange range, llvm::StringRef what, llvm::StringRef name);

  // --- Expressions (Expressions.cpp, Subscripts.cpp, Attributes.cpp) ---
  Value eval(const ast::Expr &expr) override;
  EvaluationWatcher *watcher = nullptr;
  std::map<const ast::Expr *, Value> evaluatedOnce; ///< parts of a place that is read and then written: `x[f()] += 1`
  Value subscript(const Value &base, const ast::SubscriptExpr &expr);
  /// The items of a subscript, those of starred ones one by one, and where they are.
  std::pair<Values, std::vector<SourceRange>> subscriptItems(const ast::SubscriptExpr &expr);
  Value index(const Value &base, const Values &items, SourceRange range, const std::vector<SourceRange> &itemRanges);
  Value attribute(const Value &base, llvm::StringRef name, SourceRange range, SourceRange nameRange) override;
  Value callMethod(const MethodValue &method, Arguments &arguments, SourceRange range);
  Value lookUp(const std::string &name, SourceRange range) override;
  Values iterate(const Value &value, SourceRange range, llvm::StringRef purpose) override;

  // --- Operators (Operators.cpp) ---
  Value unary(ast::UnaryOp op, const Value &value, SourceRange range) override;
  Value binary(ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range, SourceRange opRange,
               SourceRange lhsRange, SourceRange rhsRange) override;
  Value compare(ast::CompareOp op, const Value &lhs, const Value &rhs, SourceRange range, SourceRange opRange) override;

private:
  Value evaluate(const ast::Expr &expr);
  Value evaluateWatched(const ast::Expr &expr);
  unsigned exprDepth = 0;
};

} // namespace fly::sema
