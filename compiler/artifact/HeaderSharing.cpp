// See HeaderSharing.h. Trees with the same operation and the same operands are one node; a node that is used twice, and is
// more than one operation on leaves, becomes a function.
#include "compiler/artifact/HeaderSharing.h"

#include "compiler/artifact/HeaderExpression.h"
#include "compiler/artifact/HeaderParts.h"

#include <unordered_map>

namespace fly::artifact {

using host::Expr;
using host::ExprKind;
using host::ExprOp;
using host::ExprRef;

namespace {

constexpr uint32_t leastSize = 4; ///< nodes of a tree; the call of a function is not shorter than less

/// Calls `visit` with each expression of an argument, by reference.
template <typename Visit> void forEachExpression(ArgumentInfo &argument, Visit visit) {
  visit(argument.value);
  visit(argument.offset);
  for (ArgumentInfo &field : argument.fields)
    forEachExpression(field, visit);
}

/// The same of a plan, in the order of the C functions.
template <typename Visit> void forEachExpression(LaunchInfo &plan, Visit visit) {
  for (RequirementInfo &requirement : plan.requirements)
    visit(requirement.expr);
  for (WorkspaceInfo &part : plan.workspace)
    visit(part.bytes);
  for (StepInfo &step : plan.steps) {
    visit(step.when);
    for (RequirementInfo &requirement : step.requirements)
      visit(requirement.expr);
    if (step.fill) {
      forEachExpression(step.fill->memory, visit);
      visit(step.fill->bytes);
    }
    for (size_t i = 0; i < 3; ++i) {
      visit(step.grid[i]);
      visit(step.block[i]);
    }
    visit(step.dynamicLds);
    for (ArgumentInfo &argument : step.arguments)
      forEachExpression(argument, visit);
  }
}

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

} // namespace

class HeaderSharing::Parts {
public:
  void count(const ExprRef &expr) {
    if (expr)
      ++nodes[number(expr)].uses;
  }

  /// `call(i)`: how part i is called.
  template <typename Call> ExprRef replaced(const ExprRef &expr, Call call) {
    return expr ? shown(number(expr), call) : nullptr;
  }

  std::vector<ExprRef> list; ///< each with operands that name the parts before it

private:
  struct Node {
    ExprRef expr;
    std::vector<size_t> operands;
    size_t uses = 0; ///< by expressions and by nodes
    ExprRef done;    ///< with what it is replaced
  };

  size_t number(const ExprRef &expr) {
    if (auto known = byPointer.find(expr.get()); known != byPointer.end())
      return known->second;
    Node node{expr, {}, 0, nullptr};
    std::string key = std::to_string(unsigned(expr->op)) + ' ' + std::to_string(unsigned(expr->kind));
    if (expr->operands.empty())
      key += ' ' + host::toFly(*expr) + ' ' + std::to_string(expr->parameter);
    for (const ExprRef &operand : expr->operands) {
      node.operands.push_back(number(operand));
      key += ' ' + std::to_string(node.operands.back());
    }
    auto [known, isNew] = byKey.insert({key, nodes.size()});
    if (isNew) {
      for (size_t operand : node.operands)
        ++nodes[operand].uses;
      nodes.push_back(std::move(node));
    }
    byPointer[expr.get()] = known->second;
    return known->second;
  }

  template <typename Call> ExprRef shown(size_t index, Call call) {
    if (nodes[index].done)
      return nodes[index].done;
    auto made = std::make_shared<Expr>(*nodes[index].expr);
    for (size_t i = 0; i < made->operands.size(); ++i)
      made->operands[i] = shown(nodes[index].operands[i], call);
    if (nodes[index].uses >= 2 && made->size >= leastSize && !host::isConstant(*made)) {
      list.push_back(made);
      made = std::make_shared<Expr>(*made);
      made->shared = call(list.size() - 1);
    }
    return nodes[index].done = made;
  }

  std::vector<Node> nodes;
  std::unordered_map<std::string, size_t> byKey;
  std::unordered_map<const Expr *, size_t> byPointer; ///< a tree with shared subtrees is walked once
};

HeaderSharing::HeaderSharing(std::string prefix, const std::vector<const LaunchInfo *> &given,
                             std::vector<std::string> declared, std::vector<std::string> named, bool asksDevice)
    : parts(std::make_unique<Parts>()), prefix(std::move(prefix)), declarations(std::move(declared)),
      names(std::move(named)) {
  if (asksDevice) {
    declarations.push_back("int64_t fly_compute_units");
    names.push_back("fly_compute_units");
  }
  for (const LaunchInfo *plan : given)
    plans.push_back(plan ? std::make_unique<LaunchInfo>(*plan) : nullptr);
  for (const auto &plan : plans)
    if (plan && parameters.empty())
      parameters = namedBy(*plan);
  for (const auto &plan : plans)
    if (plan)
      forEachExpression(*plan, [&](ExprRef &expr) { parts->count(expr); });
  std::string arguments;
  for (const std::string &name : names)
    arguments += name + ", ";
  auto call = [&](size_t index) {
    return this->prefix + "_e" + std::to_string(index) + "(" + arguments + "fly_memo, fly_known, &fly_fault)";
  };
  for (const auto &plan : plans)
    if (plan)
      forEachExpression(*plan, [&](ExprRef &expr) { expr = parts->replaced(expr, call); });
}

HeaderSharing::~HeaderSharing() = default;

std::string HeaderSharing::functions() const {
  std::string out;
  for (size_t i = 0; i < parts->list.size(); ++i) {
    const Expr &expr = *parts->list[i];
    const bool isFloat = expr.kind == ExprKind::Float;
    std::string value = toC(expr, parameters), index = "[" + std::to_string(i) + "]", unused;
    replaceAll(value, "&fly_fault", "fly_faults");
    out += "static inline " + std::string(isFloat ? "double " : "int64_t ") + prefix + "_e" + std::to_string(i) + "(";
    for (const std::string &declaration : declarations)
      out += declaration + ", ";
    for (const std::string &name : names)
      unused += "  (void)" + name + ";\n";
    out += "fly_value *fly_memo, unsigned char *fly_known, int *fly_faults) {\n" + unused +
           "  (void)fly_faults;\n  if (!fly_known" + index + ") {\n    fly_memo" + index +
           (isFloat ? ".number = " : ".integer = ") + value + ";\n    fly_known" + index +
           " = 1;\n  }\n  return fly_memo" + index + (isFloat ? ".number" : ".integer") + ";\n}\n";
  }
  return out;
}

std::string HeaderSharing::locals() const {
  if (parts->list.empty())
    return "";
  const std::string count = "[" + std::to_string(parts->list.size()) + "]";
  return "  fly_value fly_memo" + count + ";\n  unsigned char fly_known" + count +
         " = {0};\n  (void)fly_memo;\n  (void)fly_known;\n";
}

} // namespace fly::artifact
