// The C functions of `@launch` functions, two each:
//
//     fly_status m_gemm_splitk_workspace_bytes(size_t *bytes, int32_t m, ...)        scalars and structs only
//     fly_status m_gemm_splitk(fly_stream stream, void *workspace, const void *a, ..., int32_t m, ...)
//
// They hand the addresses of their parameters, and memory on their stack, to the runtime (fly/plan.h). What it does with
// them is a table (PlanTables.h), which names of the same function have in common.
#include "compiler/artifact/HeaderParts.h"
#include "compiler/artifact/PlanTables.h"

#include <algorithm>
#include <map>

namespace fly::artifact {

namespace {

std::string number(uint64_t value) { return std::to_string(value); }

class LaunchWriter {
public:
  /// `known`: the functions of plans that were written, by their bodies.
  LaunchWriter(const ModuleInfo &module, const std::vector<std::string> &symbols, const std::string &symbol,
               std::map<std::string, std::string> &known)
      : module(module), symbols(symbols), symbol(symbol), name(module.name + "_" + symbol), prefix(module.name + "_"),
        known(known) {
    for (const ArchInfo &arch : module.archs)
      plans.push_back(planOf(arch));
    first = *std::find_if(plans.begin(), plans.end(), [](const LaunchInfo *plan) { return plan; });
    hasWorkspace = std::any_of(plans.begin(), plans.end(),
                               [](const LaunchInfo *plan) { return plan && !plan->workspace.empty(); });
  }

  std::string write() {
    std::string out = planFunction();
    out += "\n/* " + signatureComment(first->function, first->constants, first->parameters) + "; launches " +
           kernelList() + " */\n";
    if (hasWorkspace)
      out += sizeFunction();
    std::vector<const std::vector<ParameterInfo> *> parameters;
    std::vector<std::vector<ParameterInfo>> named;
    for (const LaunchInfo *plan : plans) {
      parameters.push_back(plan ? &plan->parameters : nullptr);
      named.push_back(plan ? namedBy(*plan) : std::vector<ParameterInfo>());
    }
    return out + launchFunction() + layoutFunctions(module, symbol, parameters, named);
  }

private:
  const LaunchInfo *planOf(const ArchInfo &arch) const {
    for (const LaunchInfo &plan : arch.launches)
      if (plan.symbol == symbol || std::find(plan.aliases.begin(), plan.aliases.end(), symbol) != plan.aliases.end())
        return &plan;
    return nullptr;
  }
  std::string kernelList() const {
    std::vector<std::string> names;
    for (const StepInfo &step : first->steps)
      if (!step.fill && std::find(names.begin(), names.end(), step.name) == names.end())
        names.push_back(step.name);
    std::string text;
    for (const std::string &each : names)
      text += (text.empty() ? "" : ", ") + cComment(each);
    return text;
  }

  /// Fills tables; the bodies of each code object.
  std::vector<uint32_t> fill(PlanTables &to) const {
    std::vector<uint32_t> places;
    for (size_t arch = 0; arch < plans.size(); ++arch) {
      auto kernelOf = [&](const std::string &kernel) -> const InstanceInfo & {
        const std::vector<InstanceInfo> &all = module.archs[arch].instances;
        return *std::find_if(all.begin(), all.end(),
                             [&](const InstanceInfo &instance) { return instance.symbol == kernel; });
      };
      auto numberOf = [&](const std::string &kernel) {
        return uint32_t(std::find(symbols.begin(), symbols.end(), kernel) - symbols.begin());
      };
      places.push_back(plans[arch] ? to.add(*plans[arch], kernelOf, numberOf) : PlanTables::nowhere);
    }
    return places;
  }

  /// The function that returns the tables, unless another name of the launch function has it.
  std::string planFunction() {
    PlanTables seen;
    fill(seen);
    tables.beginWithConstants(seen);
    const std::string body = tables.text(fill(tables));
    auto [found, isNew] = known.insert({body, "fly_plan_of_" + name});
    plan = found->second + "()";
    return isNew ? "\nstatic inline const fly_plan *" + found->second + "(void) {\n" + body + "  return &plan;\n}\n"
                 : "";
  }

  /// The addresses of the parameters and of the numbers in structs; `all`: those of memory too.
  std::string values(bool all) const {
    std::string list;
    for (const ParameterInfo &parameter : namedBy(*first)) {
      const std::string c = cPath(parameter.name);
      list +=
          (list.empty() ? "" : ", ") + (isAddress(parameter) && !all ? "NULL" : (byAddress(parameter) ? "" : "&") + c);
    }
    return "  const void *const fly_values[] = {" + (list.empty() ? "NULL" : list) + "};\n";
  }
  /// Memory for what every node and part is.
  std::string room() const {
    return "  fly_value fly_memo[" + number(tables.nodeCount()) + "];\n  unsigned char fly_known[" +
           number(tables.nodeCount()) + "];\n  int64_t fly_parts[" + number(tables.partCount) + "];\n";
  }
  std::string arguments() const { return prefix + "module(), " + plan + ", \"" + symbol + "\", fly_values, &fly_room"; }

  std::string sizeFunction() const {
    std::string out = "static inline fly_status " + name + "_workspace_bytes(size_t *fly_bytes";
    for (const ParameterInfo &parameter : first->parameters)
      if (!isAddress(parameter))
        out += ", " + declaration(parameter, prefix);
    return out + ") {\n" + room() + "  const fly_plan_room fly_room = {fly_memo, fly_known, fly_parts, NULL, NULL};\n" +
           values(false) + "  return fly_plan_workspace_bytes(" + arguments() + ", fly_bytes);\n}\n";
  }

  std::string launchFunction() const {
    std::string out = "static inline fly_status " + name + "(fly_stream stream";
    if (hasWorkspace)
      out += ", void *workspace";
    for (const ParameterInfo &parameter : first->parameters)
      out += ", " + declaration(parameter, prefix);
    return out + ") {\n" + room() + "  fly_step fly_steps[" + number(tables.stepCount) +
           "];\n  unsigned char fly_arguments[" + number(tables.argumentBytes) +
           "];\n  const fly_plan_room fly_room = {fly_memo, fly_known, fly_parts, fly_steps, fly_arguments};\n" +
           values(true) + "  return fly_plan_launch(" + arguments() + ", " + (hasWorkspace ? "workspace" : "NULL") +
           ", stream);\n}\n";
  }

  const ModuleInfo &module;
  const std::vector<std::string> &symbols;
  std::string symbol, name;
  std::string prefix; ///< of the names of structs
  std::map<std::string, std::string> &known;
  std::vector<const LaunchInfo *> plans; ///< by architecture; null where it is not there
  const LaunchInfo *first = nullptr;     ///< determines the signature, which they all share
  PlanTables tables;
  std::string plan; ///< the call that returns the tables
  bool hasWorkspace = false;
};

} // namespace

std::string launchFunctions(const ModuleInfo &module, const std::vector<std::string> &symbols) {
  std::vector<std::string> names;
  for (const ArchInfo &arch : module.archs)
    for (const LaunchInfo &plan : arch.launches) {
      std::vector<std::string> own = {plan.symbol};
      own.insert(own.end(), plan.aliases.begin(), plan.aliases.end());
      for (const std::string &each : own)
        if (std::find(names.begin(), names.end(), each) == names.end())
          names.push_back(each);
    }
  std::string out;
  std::map<std::string, std::string> plans;
  for (const std::string &each : names)
    out += LaunchWriter(module, symbols, each, plans).write();
  return out;
}

} // namespace fly::artifact
