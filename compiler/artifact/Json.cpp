// toJson: the metadata as docs/schema/module.schema.json describes it. Keys have a fixed order. It contains nothing
// about the machine, the time or paths outside the project, so the same module always gives the same bytes.
#include "compiler/artifact/HostObject.h"
#include "compiler/artifact/SharedExpressions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace fly::artifact {

namespace {

using Json = nlohmann::ordered_json;

std::string_view nameOf(Direction direction) {
  constexpr std::string_view names[] = {"in", "out", "inout"};
  return names[size_t(direction)];
}

/// {"op": "ceil_div", "args": [{"op": "parameter", "name": "n", "index": 3}, {"op": "int", "value": 256}]}
using Parameters = std::vector<ParameterInfo>;

Json treeOf(const host::Expr &expr, const Parameters &parameters) {
  Json tree;
  tree["op"] = std::string(host::jsonName(expr.op));
  switch (expr.op) {
  case host::ExprOp::BoolConstant: tree["value"] = expr.boolValue; return tree;
  case host::ExprOp::IntConstant: tree["value"] = expr.intValue; return tree;
  case host::ExprOp::FloatConstant:
    if (std::isfinite(expr.floatValue))
      tree["value"] = expr.floatValue;
    else // JSON has no such numbers
      tree["value"] = std::isnan(expr.floatValue) ? "nan" : expr.floatValue < 0 ? "-inf" : "inf";
    return tree;
  case host::ExprOp::Parameter:
    tree["name"] = expr.parameterName;
    tree["index"] = expr.parameter;
    if (expr.parameter >= parameters.size()) { // `p.n`, a number in a struct
      size_t dot = expr.parameterName.find('.');
      auto isStruct = [&](const ParameterInfo &p) { return p.name == expr.parameterName.substr(0, dot); };
      tree["index"] = std::find_if(parameters.begin(), parameters.end(), isStruct) - parameters.begin();
      tree["field"] = expr.parameterName.substr(dot + 1);
    }
    return tree;
  case host::ExprOp::Device: tree["name"] = expr.parameterName; return tree;
  default: break;
  }
  tree["args"] = Json::array();
  for (const host::ExprRef &operand : expr.operands)
    tree["args"].push_back(treeOf(*operand, parameters));
  return tree;
}

Json treeOr(const host::ExprRef &expr, int64_t otherwise, const Parameters &parameters) {
  return treeOf(expr ? *expr : *host::intConstant(otherwise), parameters);
}

/// One tree per mode; a list of them for a mode that is a tuple.
Json modesOf(const host::Profiles &modes, const std::vector<host::ExprRef> &list, const Parameters &parameters) {
  std::vector<Json> leaves;
  for (const host::ExprRef &expr : list)
    leaves.push_back(treeOr(expr, 1, parameters));
  return host::nested(modes, std::move(leaves), [](std::vector<Json> parts) { return Json(std::move(parts)); });
}

Json sizesOf(const std::array<host::ExprRef, 3> &sizes, const Parameters &parameters) {
  Json array = Json::array();
  for (const host::ExprRef &size : sizes)
    array.push_back(treeOr(size, 1, parameters));
  return array;
}

Json fieldsOf(const StructInfo &record) {
  Json list = Json::array();
  for (const FieldInfo &field : record.fields) {
    Json json = {{"name", field.name},
                 {"kind", field.record      ? "struct"
                          : field.isPointer ? "pointer"
                          : field.lanes     ? "vector"
                                            : "scalar"},
                 {"type", field.type},
                 {"offset", field.offset},
                 {"size", field.size}};
    if (field.lanes)
      json["lanes"] = field.lanes;
    if (field.record)
      json["fields"] = fieldsOf(*field.record);
    list.push_back(std::move(json));
  }
  return list;
}

Json parameterOf(const ParameterInfo &parameter, const Parameters &parameters) {
  Json json;
  json["name"] = parameter.name;
  constexpr std::string_view kinds[] = {"tensor", "scalar", "pointer", "struct"};
  json["kind"] = std::string(kinds[size_t(parameter.kind)]);
  json["type"] = parameter.type;
  json["element_bytes"] = parameter.elementBytes;
  if (parameter.elementBits)
    json["element_bits"] = parameter.elementBits;
  json["offset"] = parameter.offset;
  json["size"] = parameter.size;
  if (parameter.record)
    json["fields"] = fieldsOf(*parameter.record);
  if (parameter.kind == ParameterKind::Tensor || parameter.kind == ParameterKind::Pointer) {
    json["direction"] = std::string(nameOf(parameter.direction));
    json["alignment"] = parameter.alignment;
  }
  if (!parameter.isUsed)
    json["used"] = false;
  if (parameter.kind == ParameterKind::Tensor) {
    json["shape"] = modesOf(parameter.modes, parameter.shape, parameters);
    json["strides"] = modesOf(parameter.modes, parameter.strides, parameters);
  }
  return json;
}

Json resourcesOf(const ResourceInfo &resources) {
  return {{"vgprs", resources.vgprs},
          {"agprs", resources.agprs},
          {"sgprs", resources.sgprs},
          {"lds_bytes", resources.ldsBytes},
          {"scratch_bytes", resources.scratchBytes},
          {"code_bytes", resources.codeBytes},
          {"vgpr_spills", resources.vgprSpills},
          {"sgpr_spills", resources.sgprSpills},
          {"occupancy", resources.occupancy},
          {"wave_size", resources.waveSize},
          {"max_workgroup_size", resources.maxWorkgroupSize},
          {"kernarg_bytes", resources.kernargBytes}};
}

Json requirementsOf(const std::vector<RequirementInfo> &requirements, const Parameters &parameters) {
  Json array = Json::array();
  for (const RequirementInfo &requirement : requirements)
    array.push_back({{"expr", treeOr(requirement.expr, 1, parameters)},
                     {"text", requirement.text},
                     {"file", requirement.file},
                     {"line", requirement.line},
                     {"implied", requirement.implied}});
  return array;
}

void signature(Json &json, const std::vector<std::pair<std::string, std::string>> &constants,
               const Parameters &parameters) {
  json["constants"] = Json::object();
  for (const auto &[name, value] : constants)
    json["constants"][name] = value;
  json["parameters"] = Json::array();
  for (const ParameterInfo &parameter : parameters)
    json["parameters"].push_back(parameterOf(parameter, parameters));
}

/// {"value": tree}, {"parameter": 2} or {"workspace": 0}, both perhaps with "offset": tree, in bytes; with "member": 8 the
/// pointer at these bytes of a struct;
/// {"struct": [arguments]}, one for each field or lane.
Json argumentOf(const ArgumentInfo &argument, const LaunchInfo &launch) {
  if (argument.kind == ArgumentInfo::Struct) {
    Json fields = Json::array();
    for (const ArgumentInfo &field : argument.fields)
      fields.push_back(argumentOf(field, launch));
    return {{"struct", std::move(fields)}};
  }
  if (argument.kind == ArgumentInfo::Value) {
    if (!argument.value) // a null pointer
      return {{"value", treeOf(*host::intConstant(0), launch.parameters)}};
    return {{"value", treeOf(*argument.value, launch.parameters)}};
  }
  if (argument.kind == ArgumentInfo::Parameter && argument.index >= launch.parameters.size()) { // a number in a struct
    auto &field = launch.fields[argument.index - launch.parameters.size()];
    return {{"value", treeOf(*host::parameter(argument.index, field.name, host::ExprKind::Int), launch.parameters)}};
  }
  Json json = {{argument.kind == ArgumentInfo::Parameter ? "parameter" : "workspace", argument.index}};
  if (argument.member)
    json["member"] = *argument.member;
  if (argument.offset)
    json["offset"] = treeOf(*argument.offset, launch.parameters);
  return json;
}

Json stepOf(const StepInfo &step, const LaunchInfo &launch) {
  const Parameters &parameters = launch.parameters;
  Json json;
  json["when"] = treeOf(step.when ? *step.when : *host::boolConstant(true), parameters);
  if (step.fill) {
    json["fill"] = argumentOf(step.fill->memory, launch);
    json["bytes"] = treeOf(*step.fill->bytes, parameters);
    json["byte"] = step.fill->value;
    json["requires"] = requirementsOf(step.requirements, parameters);
    return json;
  }
  json["kernel"] = step.kernel;
  json["arguments"] = Json::array();
  for (const ArgumentInfo &argument : step.arguments)
    json["arguments"].push_back(argumentOf(argument, launch));
  json["requires"] = requirementsOf(step.requirements, parameters);
  json["grid"] = sizesOf(step.grid, parameters);
  json["block"] = sizesOf(step.block, parameters);
  json["dynamic_lds"] = treeOr(step.dynamicLds, 0, parameters);
  return json;
}

Json launchOf(const LaunchInfo &launch) {
  Json json;
  json["symbol"] = launch.symbol;
  json["aliases"] = launch.aliases;
  json["function"] = launch.function;
  signature(json, launch.constants, launch.parameters);
  json["requires"] = requirementsOf(launch.requirements, launch.parameters);
  json["workspace"] = Json::array();
  for (const WorkspaceInfo &part : launch.workspace)
    json["workspace"].push_back(
        {{"name", part.name}, {"type", part.type}, {"bytes", treeOr(part.bytes, 0, launch.parameters)}});
  json["steps"] = Json::array();
  for (const StepInfo &step : launch.steps)
    json["steps"].push_back(stepOf(step, launch));
  return json;
}

Json instanceOf(const InstanceInfo &instance) {
  Json json;
  json["symbol"] = instance.symbol;
  json["aliases"] = instance.aliases;
  json["exported"] = instance.exported;
  json["kernel"] = instance.kernel;
  signature(json, instance.constants, instance.parameters);
  if (!instance.llvmOptions.empty())
    json["llvm_options"] = instance.llvmOptions;
  json["grid"] = sizesOf(instance.grid, instance.parameters);
  json["block"] = sizesOf(instance.block, instance.parameters);
  json["cluster"] = instance.cluster;
  json["dynamic_lds"] = treeOr(instance.dynamicLds, 0, instance.parameters);
  json["requires"] = requirementsOf(instance.requirements, instance.parameters);
  json["resources"] = resourcesOf(instance.resources);
  return json;
}

Json archOf(const ModuleInfo &module, const ArchInfo &arch) {
  auto digest =
      llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(arch.hsaco.data()), arch.hsaco.size()));
  Json json;
  json["arch"] = arch.arch;
  json["code_object"] = {{"file", module.name + "." + arch.arch + ".hsaco"},
                         {"bytes", arch.hsaco.size()},
                         {"sha256", llvm::toHex(digest, /*LowerCase=*/true)}};
  json["kernels"] = Json::array();
  for (const InstanceInfo &instance : arch.instances)
    json["kernels"].push_back(instanceOf(instance));
  json["launches"] = Json::array();
  for (const LaunchInfo &launch : arch.launches)
    json["launches"].push_back(launchOf(launch));
  return json;
}

} // namespace

std::string toJson(const ModuleInfo &module) {
  Json json;
  json["schema_version"] = metadataVersion;
  json["module"] = module.name;
  json["source"] = module.source;
  json["doc"] = module.docstring;
  json["hash"] = llvm::utohexstr(hashOf(module), /*LowerCase=*/true, /*Width=*/16);
  if (!module.verifyOff.empty())
    json["verify_off"] = module.verifyOff;
  json["architectures"] = Json::array();
  for (const ArchInfo &arch : module.archs)
    json["architectures"].push_back(archOf(module, arch));
  shareExpressions(json);
  return textOf(json, 5); // a line for each member of a kernel
}

} // namespace fly::artifact
