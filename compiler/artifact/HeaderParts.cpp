// See HeaderParts.h.
#include "compiler/artifact/HeaderParts.h"

#include <map>
#include <set>

namespace fly::artifact {

const CType *typeOf(const std::string &type) {
  static const std::map<std::string, CType> types = {{"bool", {"bool", "%d", "(int)"}},
                                                     {"i8", {"int8_t", "%lld", "(long long)"}},
                                                     {"u8", {"uint8_t", "%lld", "(long long)"}},
                                                     {"i16", {"int16_t", "%lld", "(long long)"}},
                                                     {"u16", {"uint16_t", "%lld", "(long long)"}},
                                                     {"i32", {"int32_t", "%lld", "(long long)"}},
                                                     {"u32", {"uint32_t", "%lld", "(long long)"}},
                                                     {"i64", {"int64_t", "%lld", "(long long)"}},
                                                     {"u64", {"uint64_t", "%llu", "(unsigned long long)"}},
                                                     {"f32", {"float", "%.9g", "(double)"}},
                                                     {"f64", {"double", "%.17g", ""}}};
  auto found = types.find(type);
  return found == types.end() ? nullptr : &found->second;
}

std::string cType(const std::string &type) {
  static const std::set<std::string> own = {"f16",        "bf16",       "f8E4M3FN", "f8E5M2",
                                            "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU"};
  const CType *number = typeOf(type);
  return number ? number->type : own.count(type) ? "fly_" + type : "";
}

const char *bitsOf(uint32_t size) {
  switch (size) {
  case 1: return "uint8_t";
  case 2: return "uint16_t";
  case 4: return "uint32_t";
  case 8: return "uint64_t";
  }
  return nullptr;
}

bool isAddress(const ParameterInfo &parameter) {
  return parameter.kind == ParameterKind::Tensor || parameter.kind == ParameterKind::Pointer;
}

std::string declaration(const ParameterInfo &parameter, const std::string &prefix) {
  const std::string type = cType(parameter.type), name = cName(parameter.name);
  if (parameter.kind == ParameterKind::Struct)
    return prefix + parameter.type + " " + name;
  if (isAddress(parameter))
    return std::string(parameter.direction == Direction::In ? "const " : "") + (type.empty() ? "void" : type) + " *" +
           name;
  if (!type.empty())
    return type + " " + name;
  if (const char *bits = bitsOf(parameter.size))
    return std::string(bits) + " " + name;
  return "const void *" + name; // a vector: `size` bytes, copied
}

bool byAddress(const ParameterInfo &parameter) {
  return parameter.kind == ParameterKind::Scalar && declaration(parameter, "").rfind("const void *", 0) == 0;
}

static std::vector<ParameterInfo> withFields(std::vector<ParameterInfo> all, const std::vector<ParameterInfo> &fields) {
  all.insert(all.end(), fields.begin(), fields.end());
  return all;
}
std::vector<ParameterInfo> namedBy(const InstanceInfo &instance) {
  return withFields(instance.parameters, instance.fields);
}
std::vector<ParameterInfo> namedBy(const LaunchInfo &launch) { return withFields(launch.parameters, launch.fields); }

static void collectParameters(const host::Expr &expr, std::set<unsigned> &indices) {
  if (expr.op == host::ExprOp::Parameter)
    indices.insert(expr.parameter);
  for (const host::ExprRef &operand : expr.operands)
    collectParameters(*operand, indices);
}

std::string valuesOf(const host::Expr &expr, const std::vector<ParameterInfo> &parameters) {
  std::set<unsigned> indices;
  collectParameters(expr, indices);
  std::string format, values;
  for (unsigned index : indices) {
    if (index >= parameters.size() || parameters[index].kind != ParameterKind::Scalar)
      continue;
    const CType *type = typeOf(parameters[index].type);
    if (!type)
      continue;
    format += (format.empty() ? "" : ", ") + parameters[index].name + " = " + type->format;
    values += std::string(", ") + type->cast + cPath(parameters[index].name);
  }
  return format.empty() ? "\"%s\", \"\"" : "\"" + format + "\"" + values;
}

bool usesDevice(const host::ExprRef &expr) {
  if (!expr)
    return false;
  if (expr->op == host::ExprOp::Device)
    return true;
  for (const host::ExprRef &operand : expr->operands)
    if (usesDevice(operand))
      return true;
  return false;
}

std::string quoted(const std::string &code) { return cString("`" + code + "`"); }

void require(std::string &text, const RequirementInfo &requirement, const std::vector<ParameterInfo> &parameters,
             const std::string &label, const std::string &indent) {
  if (!requirement.expr)
    return;
  std::string c = toC(*requirement.expr, parameters);
  const std::string shown = requirement.text.empty() ? quoted(host::toFly(*requirement.expr))
                            : requirement.implied    ? cString(requirement.text)
                                                     : quoted(requirement.text);
  text += indent + "fly_holds = " + (requirement.expr->kind == host::ExprKind::Bool ? c : "(" + c + ") != 0") + ";\n" +
          indent + "if (fly_fault || !fly_holds)\n" + indent + "  return fly_refuse_requirement(" + label +
          ", fly_fault, " + shown + ",\n" + indent + "                                 " +
          valuesOf(*requirement.expr, parameters) + ");\n";
}

static bool isKnown(const host::ExprRef &extent) {
  return extent && extent->kind == host::ExprKind::Int && !usesDevice(extent);
}

std::vector<host::ExprRef> extentsToCheck(const std::vector<ParameterInfo> &parameters) {
  std::vector<host::ExprRef> extents;
  std::set<std::string> seen;
  for (const ParameterInfo &parameter : parameters)
    if (parameter.kind == ParameterKind::Tensor)
      for (const host::ExprRef &extent : parameter.shape)
        if (isKnown(extent) && !host::isConstant(*extent) && seen.insert(host::toFly(*extent)).second)
          extents.push_back(extent);
  return extents;
}

void requireExtents(std::string &text, const std::vector<ParameterInfo> &parameters,
                    const std::vector<ParameterInfo> &named, const std::string &label, const std::string &indent) {
  for (const host::ExprRef &extent : extentsToCheck(parameters))
    require(text, {host::make(host::ExprOp::Ge, {extent, host::intConstant(0)}), "", "", 0, true}, named, label,
            indent);
}

std::optional<std::vector<host::ExprRef>> extentsOfMemory(const ParameterInfo &parameter) {
  if (parameter.kind != ParameterKind::Tensor || !parameter.isUsed)
    return std::nullopt;
  std::vector<host::ExprRef> extents;
  for (const host::ExprRef &extent : parameter.shape) {
    if (!isKnown(extent) || (host::isConstant(*extent) && extent->intValue == 0))
      return std::nullopt;
    if (!host::isConstant(*extent))
      extents.push_back(extent);
  }
  return extents;
}

void requireMemory(std::string &text, const ParameterInfo &parameter, const std::vector<ParameterInfo> &named,
                   const std::string &grid, const std::string &label, const std::string &indent) {
  const auto extents = extentsOfMemory(parameter);
  if (!extents)
    return;
  std::string some;
  for (const host::ExprRef &extent : *extents)
    some += " && " + toC(*extent, named) + " != 0";
  text += indent + "if (!" + cName(parameter.name) + " && " + grid + "[0] && " + grid + "[1] && " + grid + "[2]" +
          some + ")\n" + indent + "  return fly_refuse(FLY_ERROR_ARGUMENT, \"%s: `%s` is a null pointer\", " + label +
          ", " + cString(parameter.name) + ");\n";
}

void requireAlignment(std::string &text, const ParameterInfo &parameter, const std::string &label) {
  if (!isAddress(parameter) || parameter.alignment <= 1)
    return;
  text += "    if ((uintptr_t)" + cName(parameter.name) + " % " + std::to_string(parameter.alignment) +
          " != 0)\n      return fly_refuse(FLY_ERROR_ARGUMENT, \"%s: `%s` must be aligned to " +
          std::to_string(parameter.alignment) + " bytes\", " + label + ", " + cString(parameter.name) + ");\n";
}

void assignSize(std::string &text, const std::string &to, const host::ExprRef &expr, int64_t otherwise,
                const std::vector<ParameterInfo> &parameters, const std::string &label, const std::string &indent) {
  host::ExprRef value = expr ? expr : host::intConstant(otherwise);
  std::string c = toC(*value, parameters);
  text += indent + to + " = " + (value->kind == host::ExprKind::Int ? c : "(int64_t)(" + c + ")") + ";\n";
  if (host::isConstant(*value))
    return;
  text += indent + "if (fly_fault)\n" + indent + "  return fly_refuse_requirement(" + label + ", fly_fault, " +
          quoted(host::toFly(*value)) + ", " + valuesOf(*value, parameters) + ");\n";
}

std::string signatureText(const std::string &name, const std::vector<std::pair<std::string, std::string>> &constants,
                          const std::vector<ParameterInfo> &parameters) {
  std::string text = name;
  for (size_t i = 0; i < constants.size(); ++i)
    text += (i ? ", " : "[") + constants[i].first + "=" + constants[i].second;
  text += constants.empty() ? "" : "]";
  for (const ParameterInfo &parameter : parameters)
    if ((!typeOf(parameter.type) && parameter.kind != ParameterKind::Struct) ||
        parameter.kind == ParameterKind::Tensor) {
      text += "; " + parameter.name + ": " + parameter.type + (parameter.elementBits ? " packed" : "");
      if (parameter.kind == ParameterKind::Tensor) {
        std::vector<std::string> extents;
        for (const host::ExprRef &extent : parameter.shape)
          extents.push_back(extent ? host::toFly(*extent) : "");
        text += " " + host::nestedText(parameter.modes, extents);
      }
    }
  return text;
}

std::string signatureComment(const std::string &name, const std::vector<std::pair<std::string, std::string>> &constants,
                             const std::vector<ParameterInfo> &parameters) {
  return cComment(signatureText(name, constants, parameters));
}

} // namespace fly::artifact
