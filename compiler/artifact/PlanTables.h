// The tables of a launch function (fly/plan.h), filled from its plans: one of each architecture.
//
//     PlanTables tables;
//     uint32_t body = tables.add(plan, kernelOf, numberOf);       architectures with equal plans have one body
//     tables.text(places)                                         C: the tables, then `static const fly_plan plan`
//
// Every row is there once, so steps that differ in little are little: the guard of a step says that no step before it was
// taken, alternatives of a kernel have the same arguments, and architectures have most preconditions in common.
#pragma once

#include "compiler/artifact/ModuleInfo.h"

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace fly::artifact {

class PlanTables {
public:
  PlanTables();
  /// Takes the constants of other tables, of the same plans, before anything is added: they come first, so that the runtime
  /// sets them all at once.
  void beginWithConstants(const PlanTables &seen);
  /// Adds the plan of an architecture and returns the index of its body. `kernelOf`: a kernel by its symbol; `numberOf`: its
  /// number in the module.
  uint32_t add(const LaunchInfo &plan, const std::function<const InstanceInfo &(const std::string &)> &kernelOf,
               const std::function<uint32_t(const std::string &)> &numberOf);
  /// The body of a function. `places`: a body of each code object, or `nowhere`.
  std::string text(const std::vector<uint32_t> &places) const;
  static constexpr uint32_t nowhere = UINT32_MAX;

  /// What an evaluation needs memory for; at least 1 each.
  size_t nodeCount() const { return nodes.rows.size(); }
  size_t partCount = 1, stepCount = 1, argumentBytes = 8;

private:
  /// Rows, as C, each once.
  struct Rows {
    std::vector<std::string> rows;
    std::unordered_map<std::string, uint32_t> known;
    uint32_t add(const std::string &row);
  };

  uint32_t node(const host::ExprRef &expr);
  uint32_t leaf(const host::Expr &expr);
  uint32_t list(const std::vector<uint32_t> &elements);
  uint32_t check(const RequirementInfo &requirement);
  uint32_t checksOf(const std::vector<RequirementInfo> &requirements);
  uint32_t kernelStep(const StepInfo &step, const InstanceInfo &kernel, uint32_t number);
  uint32_t filling(const StepInfo &step);
  uint32_t argument(const std::string &type, bool isPointer, uint32_t offset, uint32_t bytes,
                    const ArgumentInfo &given);
  void structArgument(const StructInfo &info, uint32_t offset, const ArgumentInfo &given, std::vector<uint32_t> &to);

  std::vector<std::string> constants; ///< nodes
  Rows nodes, texts, checks, parts, arguments, steps, bodies;
  std::vector<uint32_t> lists{0}; ///< the empty one first
  std::map<std::vector<uint32_t>, uint32_t> knownLists;
  std::unordered_map<const host::Expr *, uint32_t> byPointer; ///< a tree with shared subtrees is walked once
  std::vector<host::ExprRef> kept;                            ///< so that no other expression has its address
  std::vector<ParameterInfo> named;                           ///< of the plan that is being added
  bool asksDevice = false;
};

} // namespace fly::artifact
