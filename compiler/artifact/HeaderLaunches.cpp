// The C functions of `@launch` functions, two each:
//
//     fly_status m_gemm_splitk_workspace_bytes(size_t *bytes, int32_t m, ...)        scalars and structs only
//     fly_status m_gemm_splitk(fly_stream stream, void *workspace, const void *a, ..., int32_t m, ...)
//
// The second evaluates every guard, precondition, size and argument of every step into an array of steps on the stack
// and hands that to the runtime, which checks the sizes of all before it launches the first: nothing is half launched,
// and nothing is allocated, so that it may be captured into a graph. Architectures with the same body share it, as in
// Header.cpp.
#include "compiler/artifact/HeaderParts.h"
#include "compiler/artifact/HeaderSharing.h"

#include "compiler/host/NumberFormat.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace fly::artifact {

namespace {

std::string number(uint64_t value) { return std::to_string(value); }

class LaunchWriter {
public:
  LaunchWriter(const ModuleInfo &module, const std::vector<std::string> &symbols, const std::string &symbol)
      : module(module), symbols(symbols), symbol(symbol), name(module.name + "_" + symbol),
        label("\"" + module.name + "." + symbol + "\""), prefix(module.name + "_") {
    for (const ArchInfo &arch : module.archs)
      plans.push_back(planOf(arch));
    share();
    first = **std::find_if(plans.begin(), plans.end(), [](const LaunchInfo *plan) { return plan; });
    for (const LaunchInfo *plan : plans)
      if (plan) {
        parts = std::max(parts, plan->workspace.size());
        steps = std::max(steps, plan->steps.size());
      }
  }

  std::string write() {
    std::string out = "\n/* " + signatureComment(first.function, first.constants, first.parameters) + "; launches " +
                      kernelList() + " */\n";
    out += sharing->functions();
    if (parts)
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
  /// Replaces the plans by those whose common parts are functions.
  void share() {
    const LaunchInfo &any = **std::find_if(plans.begin(), plans.end(), [](const LaunchInfo *plan) { return plan; });
    std::vector<std::string> declarations, names;
    for (const ParameterInfo &parameter : any.parameters)
      if (parameter.kind == ParameterKind::Scalar || parameter.kind == ParameterKind::Struct) {
        declarations.push_back(declaration(parameter, prefix));
        names.push_back(cName(parameter.name));
      }
    sharing = std::make_unique<HeaderSharing>(name, plans, declarations, names, asksDevice());
    for (size_t i = 0; i < plans.size(); ++i)
      plans[i] = sharing->plans[i].get();
  }

  const LaunchInfo *planOf(const ArchInfo &arch) const {
    for (const LaunchInfo &plan : arch.launches)
      if (plan.symbol == symbol || std::find(plan.aliases.begin(), plan.aliases.end(), symbol) != plan.aliases.end())
        return &plan;
    return nullptr;
  }
  std::string kernelList() const {
    std::string text;
    for (const StepInfo &step : first.steps)
      if (!step.fill)
        text += (text.empty() ? "" : ", ") + cComment(step.name);
    return text;
  }

  static bool asksDevice(const ArgumentInfo &argument) {
    return usesDevice(argument.value) || usesDevice(argument.offset) ||
           std::any_of(argument.fields.begin(), argument.fields.end(),
                       [](const ArgumentInfo &field) { return asksDevice(field); });
  }
  bool asksDevice() const {
    auto any = [](const auto &list) { return std::any_of(list.begin(), list.end(), usesDevice); };
    for (const LaunchInfo *plan : plans) {
      if (!plan)
        continue;
      for (const WorkspaceInfo &part : plan->workspace)
        if (usesDevice(part.bytes))
          return true;
      for (const StepInfo &step : plan->steps) {
        if (usesDevice(step.when) || any(step.grid) || any(step.block) || usesDevice(step.dynamicLds))
          return true;
        if (step.fill && (usesDevice(step.fill->bytes) || asksDevice(step.fill->memory)))
          return true;
        for (const ArgumentInfo &argument : step.arguments)
          if (asksDevice(argument))
            return true;
        for (const RequirementInfo &requirement : step.requirements)
          if (usesDevice(requirement.expr))
            return true;
      }
    }
    return false;
  }

  /// The locals that all pieces use, and the choice of the architecture.
  std::string opening(const char *stream) const {
    std::string text = "  fly_module *fly_code = " + module.name +
                       "_module();\n"
                       "  uint32_t fly_index = 0;\n"
                       "  int fly_fault = 0, fly_holds = 1;\n" +
                       sharing->locals();
    if (parts)
      text += "  int64_t fly_total = 0, fly_size = 0, fly_part[" + number(parts) + "] = {0};\n";
    if (asksDevice())
      text += "  int64_t fly_compute_units = 0;\n";
    text += "  fly_status fly_selected = fly_module_select(fly_code, " + std::string(stream) +
            ", &fly_index);\n"
            "  if (fly_selected != FLY_OK)\n    return fly_selected;\n";
    if (asksDevice())
      text += "  fly_selected = fly_device_compute_units(&fly_compute_units);\n"
              "  if (fly_selected != FLY_OK)\n    return fly_selected;\n";
    return text + "  (void)fly_fault;\n  (void)fly_holds;\n" + (parts ? "  (void)fly_part;\n" : "");
  }

  /// `switch` over the architectures; those with the same body share a branch.
  template <typename Body> std::string branches(Body body) const {
    std::vector<std::pair<std::string, std::vector<size_t>>> bodies;
    for (size_t i = 0; i < plans.size(); ++i) {
      if (!plans[i])
        continue;
      std::string text = body(i);
      auto same = std::find_if(bodies.begin(), bodies.end(), [&](const auto &entry) { return entry.first == text; });
      if (same == bodies.end())
        bodies.push_back({text, {i}});
      else
        same->second.push_back(i);
    }
    std::string out = "  switch (fly_index) {\n";
    for (const auto &[text, indices] : bodies) {
      for (size_t index : indices)
        out += "  case " + number(index) + ": /* " + module.archs[index].arch + " */\n";
      out += text + "    break;\n";
    }
    return out + "  default:\n    return fly_refuse(FLY_ERROR_ARCHITECTURE, \"%s: `%s` is not available for %s\", \"" +
           module.name + "\", \"" + symbol +
           "\",\n                      fly_code->code_objects[fly_index].architecture);\n  }\n";
  }

  /// Where each part begins, and the end of the last.
  void sizes(const LaunchInfo &plan, std::string &text) const {
    const std::vector<ParameterInfo> named = namedBy(plan);
    for (size_t i = 0; i < plan.workspace.size(); ++i) {
      const WorkspaceInfo &part = plan.workspace[i];
      assignSize(text, "fly_size", part.bytes, 0, named, label, "    ");
      // clang-format off
      text += "    fly_part[" + number(i) + "] = fly_expr_workspace(&fly_fault, &fly_total, fly_size);\n"
              "    if (fly_fault)\n      return fly_refuse_requirement(" + label + ", fly_fault, " +
              cString("the size of workspace `" + part.name + "`") + ", " + valuesOf(*part.bytes, named) + ");\n";
      // clang-format on
    }
  }

  std::string sizeFunction() const {
    std::string out = "static inline fly_status " + name + "_workspace_bytes(size_t *fly_bytes";
    std::string unused;
    for (const ParameterInfo &parameter : first.parameters)
      if (parameter.kind == ParameterKind::Scalar || parameter.kind == ParameterKind::Struct) {
        out += ", " + declaration(parameter, prefix);
        unused += "  (void)" + cName(parameter.name) + ";\n";
      }
    out += ") {\n" + opening("NULL") + unused + "  *fly_bytes = 0;\n";
    out += branches([&](size_t i) {
      std::string text;
      requireExtents(text, plans[i]->parameters, namedBy(*plans[i]), label, "    ");
      sizes(*plans[i], text);
      return text;
    });
    return out + "  *fly_bytes = (size_t)fly_total;\n  return FLY_OK;\n}\n";
  }

  const InstanceInfo &kernelOf(size_t arch, const std::string &kernel) const {
    auto &list = module.archs[arch].instances;
    return *std::find_if(list.begin(), list.end(),
                         [&](const InstanceInfo &instance) { return instance.symbol == kernel; });
  }

  /// The bits of a constant whose type C does not have.
  static std::string constantBits(const host::Expr &value, const std::string &type) {
    auto format = *host::numberByName(type);
    double d = value.op == host::ExprOp::FloatConstant ? value.floatValue : double(value.intValue);
    return number(host::encode(format, d)) + "u";
  }

  /// Refuses what cannot be computed.
  void requireValue(const host::ExprRef &expr, const std::vector<ParameterInfo> &named, std::string &text) const {
    if (expr && !host::isConstant(*expr))
      text += "      if (fly_fault)\n        return fly_refuse_requirement(" + label + ", fly_fault, " +
              quoted(host::toFly(*expr)) + ", " + valuesOf(*expr, named) + ");\n";
  }

  /// `fly_memory`: where the memory of an argument begins.
  void address(const std::vector<ParameterInfo> &named, const ArgumentInfo &given, std::string &text) const {
    text += "      fly_memory = " + (given.kind == ArgumentInfo::Workspace
                                         ? "(uintptr_t)workspace + (uintptr_t)fly_part[" + number(given.index) + "]"
                                         : "(uintptr_t)" + cPath(named[given.index].name));
    if (given.offset)
      text += " + (uintptr_t)" + toC(*given.offset, named);
    text += ";\n";
    requireValue(given.offset, named, text);
  }

  /// Puts a value of `size` bytes and a type at an offset in `to`.
  void argument(const std::vector<ParameterInfo> &named, const std::string &type, bool isPointer, uint32_t offset,
                uint32_t bytes, const ArgumentInfo &given, const std::string &to, std::string &text) const {
    std::string at = to + " + " + number(offset), size = number(bytes);
    if (given.kind == ArgumentInfo::Workspace || (given.kind == ArgumentInfo::Parameter && given.offset)) {
      address(named, given, text);
      text += "      memcpy(" + at + ", &fly_memory, " + size + ");\n";
      return;
    }
    if (given.kind == ArgumentInfo::Parameter) {
      const ParameterInfo &passed = named[given.index];
      text += "      memcpy(" + at + ", " + (byAddress(passed) ? "" : "&") + cPath(passed.name) + ", " + size + ");\n";
      return;
    }
    const bool isNull = isPointer || !given.value; // the only pointer that is not a parameter
    const CType *known = isNull ? nullptr : typeOf(type);
    std::string value = isNull  ? "0"
                        : known ? "(" + std::string(known->type) + ")" + toC(*given.value, named)
                                : constantBits(*given.value, type);
    std::string c = known ? known->type : bitsOf(bytes);
    text += "      {\n        const " + c + " fly_value = " + value + ";\n        memcpy(" + at + ", &fly_value, " +
            size + ");\n      }\n";
    requireValue(given.value, named, text);
  }

  void structArgument(const std::vector<ParameterInfo> &named, const StructInfo &info, uint32_t offset,
                      const ArgumentInfo &given, const std::string &to, std::string &text) const {
    for (size_t i = 0; i < info.fields.size(); ++i) {
      const FieldInfo &field = info.fields[i];
      const ArgumentInfo &part = given.fields[i];
      if (field.record)
        structArgument(named, *field.record, offset + field.offset, part, to, text);
      else if (field.lanes)
        for (uint32_t lane = 0, size = field.size / field.lanes; lane < field.lanes; ++lane)
          argument(named, field.type, false, offset + field.offset + lane * size, size, part.fields[lane], to, text);
      else
        argument(named, field.type, field.isPointer, offset + field.offset, field.size, part, to, text);
    }
  }

  std::string body(size_t arch) const {
    const LaunchInfo &plan = *plans[arch];
    const std::vector<ParameterInfo> named = namedBy(plan);
    std::string text;
    for (const RequirementInfo &requirement : plan.requirements)
      require(text, requirement, named, label, "    ");
    requireExtents(text, plan.parameters, named, label, "    ");
    for (const ParameterInfo &parameter : plan.parameters)
      requireAlignment(text, parameter, label);
    sizes(plan, text);
    if (!plan.workspace.empty())
      text += "    if (fly_total > 0 && (!workspace || (uintptr_t)workspace % " + number(workspaceAlignment) +
              " != 0))\n"
              "      return fly_refuse(FLY_ERROR_ARGUMENT, \"%s: the workspace must be %lld bytes of device memory, "
              "aligned to " +
              number(workspaceAlignment) + "\",\n                        " + label + ", (long long)fly_total);\n";
    for (const StepInfo &step : plan.steps) {
      host::ExprRef when = step.when ? step.when : host::boolConstant(true);
      text += "    /* " + cComment(step.fill ? "fills " + step.name : step.name) + " */\n" +
              "    fly_holds = " + toC(*when, named) + ";\n";
      if (!host::isConstant(*when))
        text += "    if (fly_fault)\n      return fly_refuse_requirement(" + label + ", fly_fault, " +
                quoted(host::toFly(*when)) + ", " + valuesOf(*when, named) + ");\n";
      text += "    if (fly_holds) {\n";
      if (step.fill) {
        for (const RequirementInfo &requirement : step.requirements)
          require(text, requirement, named, label, "      ");
        address(named, step.fill->memory, text);
        text += "      fly_next = &fly_steps[fly_count++];\n"
                "      fly_next->kernel = FLY_STEP_FILL;\n"
                "      fly_next->memory = (void *)fly_memory;\n"
                "      fly_next->memory_byte = " +
                number(step.fill->value) + ";\n";
        assignSize(text, "fly_next->memory_bytes", step.fill->bytes, 0, named, label, "      ");
        text += "    }\n";
        continue;
      }
      const InstanceInfo &kernel = kernelOf(arch, step.kernel);
      std::string own = "\"" + module.name + "." + symbol + ": " + step.name + "\"";
      for (const RequirementInfo &requirement : step.requirements)
        require(text, requirement, named, own, "      ");
      size_t index = size_t(std::find(symbols.begin(), symbols.end(), step.kernel) - symbols.begin());
      // clang-format off
      text += "      fly_next = &fly_steps[fly_count];\n"
              "      fly_next->kernel = " + number(index) + ";\n"
              "      fly_next->launch.arguments = fly_arguments[fly_count];\n";
      // clang-format on
      for (size_t i = 0; i < 3; ++i) {
        assignSize(text, "fly_next->launch.grid[" + number(i) + "]", step.grid[i], 1, named, own, "      ");
        assignSize(text, "fly_next->launch.block[" + number(i) + "]", step.block[i], 1, named, own, "      ");
      }
      assignSize(text, "fly_next->launch.dynamic_lds", step.dynamicLds, 0, named, own, "      ");
      text += "      fly_next->launch.max_workgroup_size = " + number(kernel.resources.maxWorkgroupSize) + ";\n";
      uint32_t bytes = 0;
      for (size_t i = 0; i < kernel.parameters.size(); ++i) {
        if (kernel.parameters[i].kind == ParameterKind::Tensor && kernel.parameters[i].isUsed &&
            step.arguments[i].kind == ArgumentInfo::Parameter)
          requireMemory(text, named[step.arguments[i].index], named, "fly_next->launch.grid", own, "      ");
        const ParameterInfo &to = kernel.parameters[i];
        if (step.arguments[i].kind == ArgumentInfo::Struct)
          structArgument(named, *to.record, to.offset, step.arguments[i], "fly_arguments[fly_count]", text);
        else
          argument(named, to.type, to.kind == ParameterKind::Pointer, to.offset, to.size, step.arguments[i],
                   "fly_arguments[fly_count]", text);
        bytes = std::max(bytes, kernel.parameters[i].offset + kernel.parameters[i].size);
      }
      text += "      fly_next->launch.argument_bytes = " + number(bytes) + ";\n      ++fly_count;\n    }\n";
    }
    return text;
  }

  std::string launchFunction() const {
    size_t bytes = 8;
    for (size_t arch = 0; arch < plans.size(); ++arch)
      if (plans[arch])
        for (const StepInfo &step : plans[arch]->steps)
          if (!step.fill)
            for (const ParameterInfo &parameter : kernelOf(arch, step.kernel).parameters)
              bytes = std::max<size_t>(bytes, parameter.offset + parameter.size);
    std::string out = "static inline fly_status " + name + "(fly_stream stream";
    std::string unused;
    if (parts)
      out += ", void *workspace";
    for (const ParameterInfo &parameter : first.parameters) {
      out += ", " + declaration(parameter, prefix);
      unused += "  (void)" + cName(parameter.name) + ";\n";
    }
    out += ") {\n  unsigned char fly_arguments[" + number(steps) + "][" + number((bytes + 7) / 8 * 8) +
           "] = {{0}};\n"
           "  fly_step fly_steps[" +
           number(steps) +
           "], *fly_next = NULL;\n"
           "  uint32_t fly_count = 0;\n" +
           "  uintptr_t fly_memory = 0;\n" + opening("stream") + unused +
           "  memset(fly_steps, 0, sizeof fly_steps);\n  (void)fly_next;\n  (void)fly_memory;\n";
    out += branches([&](size_t i) { return body(i); });
    return out + "  return fly_module_launch_function(fly_code, \"" + symbol +
           "\", fly_steps, fly_count, stream);\n}\n";
  }

  const ModuleInfo &module;
  const std::vector<std::string> &symbols;
  std::string symbol, name, label;
  std::string prefix; ///< of the names of structs
  std::unique_ptr<HeaderSharing> sharing;
  std::vector<const LaunchInfo *> plans; ///< by architecture; null where it is not there
  LaunchInfo first;                      ///< determines the signature, which they all share
  size_t parts = 0, steps = 1;
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
  for (const std::string &each : names)
    out += LaunchWriter(module, symbols, each).write();
  return out;
}

} // namespace fly::artifact
