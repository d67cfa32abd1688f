// See PlanTables.h. The numbers are those of fly/plan.h.
#include "compiler/artifact/PlanTables.h"

#include "compiler/artifact/HeaderParts.h"

#include "compiler/host/NumberFormat.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace fly::artifact {

using host::Expr;
using host::ExprOp;
using host::ExprRef;

namespace {

/// FLY_PLAN_WITH_FLOATS.
constexpr unsigned withFloats = 4;
/// FLY_STEP_FILL.
constexpr uint32_t fillStep = UINT32_MAX;

/// FLY_PLAN_VALUE, ...
enum From : uint8_t { Value, Bits, Passed, Workspace, Needed, Member };

/// FLY_PLAN_ADDRESS, ...: the position is the number.
constexpr const char *typeNames[] = {"address", "bool", "i4",  "u4",  "i8",  "u8",  "i16",
                                     "u16",     "i32",  "u32", "i64", "u64", "f32", "f64"};
unsigned typeNumber(const std::string &type) {
  auto found = std::find(std::begin(typeNames), std::end(typeNames), type);
  return found == std::end(typeNames) ? 0 : unsigned(found - std::begin(typeNames));
}

template <typename... Numbers> std::string row(Numbers... numbers) {
  std::string text;
  ((text += (text.empty() ? "" : ",") + std::to_string(numbers)), ...);
  return text;
}

/// The bits of a constant whose type C does not have.
uint32_t constantBits(const Expr &value, const std::string &type) {
  const double d = value.op == ExprOp::FloatConstant ? value.floatValue : double(value.intValue);
  return uint32_t(host::encode(*host::numberByName(type), d));
}

/// Of a kernel's block of arguments.
uint32_t blockBytes(const InstanceInfo &kernel) {
  uint32_t bytes = 0;
  for (const ParameterInfo &parameter : kernel.parameters)
    bytes = std::max(bytes, parameter.offset + parameter.size);
  return bytes;
}

/// `static const TYPE NAME[] = {...};` with lines of at most 120 columns.
std::string table(const std::string &type, const std::string &name, const std::vector<std::string> &elements) {
  std::string text = "  static const " + type + name + "[] = {", line = "\n     ";
  for (const std::string &element : elements) {
    if (line.size() + element.size() + 2 > 120) {
      text += line;
      line = "\n     ";
    }
    line += " " + element + ",";
  }
  return text + line + "};\n";
}

} // namespace

uint32_t PlanTables::Rows::add(const std::string &row) {
  auto [found, isNew] = known.insert({row, uint32_t(rows.size())});
  if (isNew)
    rows.push_back(row);
  return found->second;
}

PlanTables::PlanTables() {
  nodes.rows.push_back(row(0, 0, 0, 0, 0)); // none; `False` is another node
  texts.add("\"\"");
}

void PlanTables::beginWithConstants(const PlanTables &seen) {
  texts = seen.texts;
  constants = seen.constants;
  for (const std::string &each : constants)
    nodes.add(each);
}

// --- Expressions ---

uint32_t PlanTables::leaf(const Expr &expr) {
  const unsigned op = unsigned(expr.op), kind = unsigned(expr.kind);
  uint64_t bits = uint64_t(expr.intValue);
  switch (expr.op) {
  case ExprOp::BoolConstant: bits = expr.boolValue; break;
  case ExprOp::FloatConstant: std::memcpy(&bits, &expr.floatValue, sizeof bits); break;
  case ExprOp::IntConstant: break;
  case ExprOp::Device: asksDevice = true; return nodes.add(row(op, kind, 0, 0, texts.add(cString(host::toFly(expr)))));
  default: {
    const bool isNumber = expr.parameter < named.size() && named[expr.parameter].kind == ParameterKind::Scalar;
    const unsigned type = isNumber ? typeNumber(named[expr.parameter].type) : 0;
    return nodes.add(row(op, kind, expr.parameter, type, texts.add(cString(expr.parameterName))));
  }
  }
  const uint32_t text = expr.op == ExprOp::FloatConstant ? texts.add(cString(host::toFly(expr))) : 0;
  const std::string constant = row(op, kind, uint32_t(bits), uint32_t(bits >> 32), text);
  if (!nodes.known.count(constant))
    constants.push_back(constant);
  return nodes.add(constant);
}

uint32_t PlanTables::node(const ExprRef &expr) {
  if (auto known = byPointer.find(expr.get()); known != byPointer.end())
    return known->second;
  uint32_t index;
  if (expr->operands.empty()) {
    index = leaf(*expr);
  } else {
    uint32_t operands[3];
    bool isFloat = expr->kind == host::ExprKind::Float;
    for (size_t i = 0; i < expr->operands.size(); ++i) {
      operands[i] = node(expr->operands[i]);
      isFloat |= expr->operands[i]->kind == host::ExprKind::Float;
    }
    if (expr->operands.size() < 2) // so that the runtime need not ask how many there are
      operands[1] = operands[0];
    index = nodes.add(row(unsigned(expr->op), unsigned(expr->kind) + (isFloat ? withFloats : 0), operands[0],
                          operands[1], expr->operands.size() > 2 ? operands[2] : 0));
  }
  kept.push_back(expr);
  return byPointer[expr.get()] = index;
}

uint32_t PlanTables::list(const std::vector<uint32_t> &elements) {
  if (elements.empty())
    return 0;
  auto [found, isNew] = knownLists.insert({elements, uint32_t(lists.size())});
  if (isNew) {
    lists.push_back(uint32_t(elements.size()));
    lists.insert(lists.end(), elements.begin(), elements.end());
  }
  return found->second;
}

// --- Checks ---

uint32_t PlanTables::check(const RequirementInfo &requirement) {
  const std::string &text = requirement.text;
  const uint32_t shown = text.empty() ? 0 : texts.add(requirement.implied ? cString(text) : quoted(text));
  return checks.add(row(node(requirement.expr), shown));
}

uint32_t PlanTables::checksOf(const std::vector<RequirementInfo> &requirements) {
  std::vector<uint32_t> all;
  for (const RequirementInfo &requirement : requirements)
    if (requirement.expr)
      all.push_back(check(requirement));
  return list(all);
}

// --- Arguments ---

uint32_t PlanTables::argument(const std::string &type, bool isPointer, uint32_t offset, uint32_t bytes,
                              const ArgumentInfo &given) {
  if (given.member)
    return arguments.add(row(Member, 0, offset, *given.member, given.index, given.offset ? node(given.offset) : 0));
  if (given.kind == ArgumentInfo::Workspace || given.kind == ArgumentInfo::Parameter)
    return arguments.add(row(given.kind == ArgumentInfo::Workspace ? Workspace : Passed, 0, offset, bytes, given.index,
                             given.offset ? node(given.offset) : 0));
  if (isPointer || !given.value) // the only pointer that is not a parameter: null
    return arguments.add(row(Bits, 0, offset, bytes, 0, 0));
  if (typeOf(type))
    return arguments.add(row(Value, typeNumber(type), offset, bytes, 0, node(given.value)));
  return arguments.add(row(Bits, 0, offset, bytes, constantBits(*given.value, type), 0));
}

void PlanTables::structArgument(const StructInfo &info, uint32_t offset, const ArgumentInfo &given,
                                std::vector<uint32_t> &to) {
  for (size_t i = 0; i < info.fields.size(); ++i) {
    const FieldInfo &field = info.fields[i];
    const ArgumentInfo &part = given.fields[i];
    if (field.record)
      structArgument(*field.record, offset + field.offset, part, to);
    else if (field.lanes)
      for (uint32_t lane = 0, size = field.size / field.lanes; lane < field.lanes; ++lane)
        to.push_back(argument(field.type, false, offset + field.offset + lane * size, size, part.fields[lane]));
    else
      to.push_back(argument(field.type, field.isPointer, offset + field.offset, field.size, part));
  }
}

// --- Steps ---

uint32_t PlanTables::filling(const StepInfo &step) {
  const uint32_t when = step.when ? node(step.when) : 0, checked = checksOf(step.requirements);
  const uint32_t memory = list({argument("", true, 0, 8, step.fill->memory)});
  const uint32_t bytes = list({node(step.fill->bytes ? step.fill->bytes : host::intConstant(0))});
  return steps.add(row(fillStep, 0, when, checked, memory, bytes, unsigned(step.fill->value), 0));
}

uint32_t PlanTables::kernelStep(const StepInfo &step, const InstanceInfo &kernel, uint32_t number) {
  const uint32_t name = texts.add(cString(step.name)), when = step.when ? node(step.when) : 0;
  const uint32_t checked = checksOf(step.requirements);
  std::vector<uint32_t> passed, sizes;
  auto size = [&](const ExprRef &expr, int64_t otherwise) {
    sizes.push_back(node(expr ? expr : host::intConstant(otherwise)));
  };
  for (size_t i = 0; i < 3; ++i) {
    size(step.grid[i], 1);
    size(step.block[i], 1);
  }
  size(step.dynamicLds, 0);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ParameterInfo &to = kernel.parameters[i];
    const ArgumentInfo &given = step.arguments[i];
    if (to.kind == ParameterKind::Tensor && to.isUsed && given.kind == ArgumentInfo::Parameter)
      if (const auto extents = extentsOfMemory(named[given.index])) {
        std::vector<uint32_t> all;
        for (const ExprRef &extent : *extents)
          all.push_back(node(extent));
        const uint32_t name = texts.add(cString(named[given.index].name));
        passed.push_back(arguments.add(row(Needed, 0, 0, name, given.index, list(all))));
      }
    if (given.kind == ArgumentInfo::Struct)
      structArgument(*to.record, to.offset, given, passed);
    else
      passed.push_back(argument(to.type, to.kind == ParameterKind::Pointer, to.offset, to.size, given));
  }
  const uint32_t put = list(passed), computed = list(sizes);
  return steps.add(
      row(number, name, when, checked, put, computed, kernel.resources.maxWorkgroupSize, blockBytes(kernel)));
}

uint32_t PlanTables::add(const LaunchInfo &plan,
                         const std::function<const InstanceInfo &(const std::string &)> &kernelOf,
                         const std::function<uint32_t(const std::string &)> &numberOf) {
  named = namedBy(plan);
  const uint32_t checked = checksOf(plan.requirements);
  std::vector<RequirementInfo> extents;
  for (const ExprRef &extent : extentsToCheck(plan.parameters))
    extents.push_back({host::make(ExprOp::Ge, {extent, host::intConstant(0)}), "", "", 0, true});
  const uint32_t notNegative = checksOf(extents);
  std::vector<uint32_t> aligned, placed, taken;
  for (size_t i = 0; i < plan.parameters.size(); ++i)
    if (const ParameterInfo &parameter = plan.parameters[i]; isAddress(parameter) && parameter.alignment > 1)
      aligned.insert(aligned.end(), {uint32_t(i), texts.add(cString(parameter.name)), parameter.alignment});
  for (const WorkspaceInfo &part : plan.workspace) {
    const uint32_t bytes = node(part.bytes ? part.bytes : host::intConstant(0));
    placed.push_back(parts.add(row(bytes, texts.add(cString("the size of workspace `" + part.name + "`")))));
  }
  size_t bytes = 0;
  for (const StepInfo &step : plan.steps) {
    if (step.fill) {
      taken.push_back(filling(step));
      continue;
    }
    const InstanceInfo &kernel = kernelOf(step.kernel);
    taken.push_back(kernelStep(step, kernel, numberOf(step.kernel)));
    bytes += (blockBytes(kernel) + 7) / 8 * 8;
  }
  partCount = std::max(partCount, placed.size());
  stepCount = std::max(stepCount, taken.size());
  argumentBytes = std::max(argumentBytes, bytes);
  const uint32_t alignments = list(aligned), partList = list(placed), stepList = list(taken);
  return bodies.add(row(checked, notNegative, alignments, partList, stepList));
}

// --- C ---

std::string PlanTables::text(const std::vector<uint32_t> &places) const {
  auto structs = [](const char *type, const char *name, const Rows &rows, unsigned fields) {
    std::vector<std::string> elements;
    for (const std::string &each : rows.rows)
      elements.push_back("{" + each + "}");
    if (elements.empty()) { // no array in C is
      std::string zeros = "{0";
      for (unsigned i = 1; i < fields; ++i)
        zeros += ",0";
      elements.push_back(zeros + "}");
    }
    return table(std::string(type) + " ", name, elements);
  };
  auto numbers = [](const char *name, const std::vector<uint32_t> &values) {
    std::vector<std::string> elements;
    for (uint32_t value : values)
      elements.push_back(value == nowhere ? "FLY_PLAN_NOWHERE" : std::to_string(value));
    return table("uint32_t ", name, elements);
  };
  return numbers("places", places) + structs("fly_plan_node", "nodes", nodes, 5) + numbers("lists", lists) +
         table("char *const ", "texts", texts.rows) + structs("fly_plan_check", "checks", checks, 2) +
         structs("fly_plan_part", "parts", parts, 2) + structs("fly_plan_argument", "arguments", arguments, 6) +
         structs("fly_plan_step", "steps", steps, 8) + structs("fly_plan_body", "bodies", bodies, 5) +
         "  static const fly_plan plan = {" + std::to_string(planVersion) + ", " + (asksDevice ? "1, " : "0, ") +
         std::to_string(1 + constants.size()) + ", " + std::to_string(nodeCount()) +
         ",\n                                places, nodes, lists, texts, checks, parts, arguments, steps, bodies};\n";
}

} // namespace fly::artifact
