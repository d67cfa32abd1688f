// `@extern def`: functions of LLVM bitcode, declared with machine types and called in kernels.
//
//     @extern("filter.bc")                       declares a symbol; the file is next to the source
//     def blur(x: f32, y: vec[f32, 4]) -> f32:   llvm.call @blur(%x, %y)
//         """What it does."""
//
// The body is a docstring or `pass`. What the bitcode holds is compared with the declaration when the kernel is
// compiled (compiler/compilation/ExternBitcode.cpp), where the file is read anyway.
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/language/Evaluator.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fly::sema {

static Type machineType(Elaborator &e, const ast::Expr &annotation, const std::string &name) {
  Value value = e.eval(annotation);
  auto *type = value.as<Type>();
  if (!type)
    e.fail(diag::bad_extern, annotation.range,
           {"`" + name + "` of an extern function must be a machine scalar or a `vec`, got " + describe(value)});
  return *type;
}

void Evaluator::defineExtern(const ast::DefStmt &stmt, const ast::Expr &decorator, const ast::CallExpr *call) {
  if (!frame->isModule)
    fail(diag::bad_decorator, decorator.range, {"`@extern` is only valid for a function at the top level of a file"});
  auto definition = std::make_unique<ExternDefinition>();
  definition->name = definition->symbol = stmt.name;
  definition->def = &stmt;
  bool hasFile = false;
  for (auto &argument : call ? call->arguments : std::vector<ast::Argument>()) {
    bool isFile = argument.keyword.empty();
    if (!isFile && argument.keyword != "symbol")
      fail(diag::unknown_keyword, argument.range, {"@extern", argument.keyword, ""});
    if (isFile && std::exchange(hasFile, true))
      fail(diag::wrong_argument_count, call->range, {"@extern", "one file", "2"});
    Value value = eval(*argument.value);
    auto *text = value.as<std::string>();
    if (!text || text->empty())
      fail(diag::bad_extern, argument.value->range,
           {isFile ? "`@extern` takes the name of a file of LLVM bitcode"
                   : "`symbol=` is the name of the function in the bitcode"});
    (isFile ? definition->file : definition->symbol) = *text;
  }
  for (auto &p : stmt.parameters) {
    if (p.kind != ast::Parameter::One || p.keywordOnly || p.defaultValue || !p.annotation)
      fail(diag::bad_extern, p.range, {"a parameter of an extern function is `name: type`"});
    definition->parameters.push_back(machineType(*this, *p.annotation, p.name));
  }
  if (stmt.returns && stmt.returns->kind != ast::ExprKind::None)
    definition->result = machineType(*this, *stmt.returns, "the result");
  for (auto *inside : stmt.body)
    if (inside->kind != ast::StmtKind::Pass)
      fail(diag::bad_extern, inside->range,
           {"the body of an extern function must be a docstring or `pass`, because its code comes from the bitcode"});
  binding(*frame, stmt.name) = Value(ExternValue{definition.get()});
  frame->module->externs.push_back(std::move(definition));
}

Value Evaluator::callExtern(const ExternDefinition &definition, Arguments arguments, SourceRange range) {
  auto &b = ir(range, definition.name);
  Frame bound;
  bound.module = frame->module;
  auto &parameters = definition.def->parameters;
  // The annotations are known; what remains is the places.
  std::vector<ast::Parameter> plain = parameters;
  for (auto &p : plain)
    p.annotation = nullptr;
  bindArguments(plain, FunctionValue{}, definition.name, definition.def->nameRange, std::move(arguments), range, bound);
  llvm::SmallVector<mlir::Value> operands;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Value &value = bound.variables[parameters[i].name];
    operands.push_back(toMachine(*this, value, definition.parameters[i], range).value);
  }
  llvm::SmallVector<mlir::Type> results;
  if (definition.result)
    results.push_back(mlirType(*this, *definition.result));
  auto op = mlir::LLVM::CallOp::create(b, location(range), results, definition.symbol, operands);
  if (!llvm::is_contained(kernel.usedExterns, &definition))
    kernel.usedExterns.push_back(&definition);
  return definition.result ? Value(MachineValue{op.getResult(), *definition.result}) : Value();
}

} // namespace fly::sema
