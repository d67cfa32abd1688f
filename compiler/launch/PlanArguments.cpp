// The arguments of a launch, and every precondition of every step.
#include "runtime/sizes.h"
#include "compiler/launch/PlanRun.h"

#include <cstring>

namespace fly::driver {

namespace {
/// Lays a struct out as the C header's caller does.
struct StructWriter {
  size_t parameter;
  SourceRange range;
  std::string bytes;
  std::vector<sema::ScalarArgument> numbers; ///< in the order of `InstanceInfo::fields`
  std::vector<PointerArgument> pointers;
  std::pair<std::string, std::string> wanted; ///< of a mismatch: type and name
  std::string got;

  bool write(const artifact::StructInfo &info, const sema::Value &value, const std::string &path, uint32_t offset) {
    auto *record = value.as<sema::StructValue>();
    if (!record || record->definition->name != info.name || record->fields->size() != info.fields.size())
      return refuse("a `" + info.name + "`", path, value);
    for (size_t i = 0; i < info.fields.size(); ++i) {
      auto &field = info.fields[i];
      auto &given = (*record->fields)[i];
      std::string name = path + "." + field.name;
      if (field.record ? !write(*field.record, given, name, offset + field.offset)
                       : !number(field, given, name, offset + field.offset))
        return false;
    }
    return true;
  }

private:
  bool refuse(std::string type, const std::string &name, const sema::Value &value) {
    wanted = {std::move(type), name};
    got = describe(value);
    return false;
  }
  bool number(const artifact::FieldInfo &field, const sema::Value &value, const std::string &name, uint32_t offset) {
    if (field.isPointer) {
      pointers.push_back({name, field.type, parameter, offset, field.isReadOnly, &value, range});
      return true;
    }
    auto format = *host::numberByName(field.type);
    if (field.lanes == 0) {
      auto scalar = sema::scalarArgument(value, format);
      if (!scalar)
        return refuse("a value of type " + field.type, name, value);
      std::memcpy(&bytes[offset], scalar->bytes.data(), scalar->bytes.size());
      numbers.push_back(std::move(*scalar));
      return true;
    }
    auto *elements = value.sequence();
    if (!elements || elements->size() != field.lanes)
      return refuse("a tuple of " + std::to_string(field.lanes) + " " + field.type, name, value);
    for (size_t i = 0; i < elements->size(); ++i) {
      if (format == host::Number::U64 && (*elements)[i].is<sema::ArrayValue>()) { // its address
        pointers.push_back({name, "", parameter, uint32_t(offset + 8 * i), false, &(*elements)[i], range});
        continue;
      }
      auto scalar = sema::scalarArgument((*elements)[i], format);
      if (!scalar)
        return refuse("a value of type " + field.type, name, (*elements)[i]);
      std::memcpy(&bytes[offset + i * scalar->bytes.size()], scalar->bytes.data(), scalar->bytes.size());
    }
    return true;
  }
};
} // namespace

CheckRunner::Run::~Run() {
  for (auto &buffer : buffers)
    runner.free(buffer.address);
  for (auto &table : tables)
    runner.free(table.address);
  for (auto &part : parts)
    runner.free(part.address);
}

host::ScalarValue CheckRunner::Run::evaluate(const host::ExprRef &expr, const std::string &what) {
  auto known = host::substitute(expr, [&](const host::ExprRef &leaf) {
    return leaf->op == host::ExprOp::Device ? host::intConstant(runner.computeUnits()) : leaf;
  });
  auto result = host::evaluate(*known, values);
  if (!result.ok())
    runner.mismatch(what + ": " + result.error, range);
  return result.value;
}

int64_t CheckRunner::Run::integer(const host::ExprRef &expr, const std::string &what) {
  auto value = evaluate(expr, what);
  return std::holds_alternative<bool>(value) ? std::get<bool>(value) : std::get<int64_t>(value);
}

void CheckRunner::Run::readScalars() {
  for (size_t i = 0; i < bound.size(); ++i) {
    auto &p = plan.info.parameters[i];
    auto &value = bound[i]->value;
    if (p.kind == artifact::ParameterKind::Pointer) {
      content[i].assign(8, '\0');
      pointers.push_back({p.name, p.type, i, 0, p.direction == artifact::Direction::In, &value, bound[i]->range});
    }
    if (p.kind == artifact::ParameterKind::Struct)
      readStruct(i);
    if (p.kind != artifact::ParameterKind::Scalar)
      continue;
    auto scalar = sema::scalarArgument(value, *host::numberByName(p.type));
    if (!scalar)
      elaborator().fail(
          bound[i]->range,
          diag::argument_of_type{.what = diag::argument(p.name, name()), .type = p.type, .found = describe(value)});
    values[i] = scalar->value;
    content[i] = std::move(scalar->bytes);
  }
}

void CheckRunner::Run::readStruct(size_t index) {
  auto &p = plan.info.parameters[index];
  StructWriter writer{index, bound[index]->range, std::string(p.size, '\0'), {}, {}, {}, {}};
  if (!writer.write(*p.record, bound[index]->value, p.name, 0))
    elaborator().fail(diag::wrong_argument_type, bound[index]->range,
                      {name(), writer.wanted.first, writer.wanted.second, writer.got});
  content[index] = std::move(writer.bytes);
  llvm::append_range(pointers, writer.pointers);
  for (auto &number : writer.numbers) {
    values.push_back(number.value);
    content.push_back(std::move(number.bytes));
  }
}

std::string CheckRunner::Run::scalarText() {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    auto &p = i < bound.size() ? plan.info.parameters[i] : plan.info.fields[i - bound.size()];
    if (auto *v = std::get_if<int64_t>(&values[i]); v && p.kind == artifact::ParameterKind::Scalar)
      text += (text.empty() ? "" : ", ") + p.name + " = " + std::to_string(*v);
  }
  return text;
}

std::string CheckRunner::Run::computed(const host::Expr &expr) {
  if (expr.op < host::ExprOp::Lt || expr.op > host::ExprOp::Ne)
    return "";
  std::string out;
  for (auto &side : expr.operands)
    if (!side->operands.empty())
      if (auto value = evaluate(side, "`" + host::toFly(*side) + "`"); std::holds_alternative<int64_t>(value))
        out += "; " + host::toFly(*side) + " is " + std::to_string(std::get<int64_t>(value));
  return out;
}

bool CheckRunner::Run::refuse(const std::string &kernel, const std::string &why, const std::string &details) {
  if (runner.expectedRefusal && llvm::StringRef(why).contains(*runner.expectedRefusal) &&
      (!runner.expectedKernel || *runner.expectedKernel == kernel)) {
    runner.refused = true;
    return false;
  }
  const std::string instead =
      runner.expectedRefusal ? "\n  `expect_refused` waits for `" + *runner.expectedRefusal + "`" : "";
  runner.mismatch("launch refused: " + why + details + instead, range);
}

bool CheckRunner::Run::meets(const std::vector<artifact::RequirementInfo> &requirements, const std::string &kernel) {
  for (auto &requirement : requirements)
    if (!std::get<bool>(evaluate(requirement.expr, "`" + requirement.text + "`")))
      return refuse(kernel,
                    kernel + " needs " + (requirement.implied ? requirement.text : "`" + requirement.text + "`"),
                    "  [requires]\n  " + scalarText() + computed(*requirement.expr) + "\n  --> " + requirement.file +
                        ":" + std::to_string(requirement.line));
  return true;
}

bool CheckRunner::Run::check() {
  if (!meets(plan.info.requirements, name()))
    return false;
  for (size_t i = 0; i < plan.info.steps.size(); ++i) {
    auto &info = plan.info.steps[i];
    if (info.when && !std::get<bool>(evaluate(info.when, "`if`")))
      continue;
    Step step{&info, plan.steps[i], {}, {}};
    if (!meets(info.requirements, info.name))
      return false;
    if (!info.fill) {
      fly_launch sizes{};
      for (size_t axis = 0; axis < 3; ++axis) {
        sizes.grid[axis] = integer(info.grid[axis], "`grid=` of " + info.name);
        sizes.block[axis] = integer(info.block[axis], "`block=` of " + info.name);
      }
      sizes.dynamic_lds = info.dynamicLds ? integer(info.dynamicLds, "`lds=` of " + info.name) : 0;
      sizes.max_workgroup_size = plan.steps[i]->info.resources.maxWorkgroupSize;
      const std::string file = elaborator().frame->module->name;
      const fly_place place = {file.c_str(), info.name.c_str(), nullptr, 0, 0};
      if (fly_check_sizes(&place, &sizes) != FLY_OK) // the rules of the runtime, in its words
        return refuse(info.name, fly_error());
      for (size_t axis = 0; axis < 3; ++axis) {
        step.config.grid[axis] = uint32_t(sizes.grid[axis]);
        step.config.block[axis] = uint32_t(sizes.block[axis]);
      }
      auto &target = runner.compilation.target;
      const int64_t lds = sizes.dynamic_lds, all = lds + plan.steps[i]->info.resources.ldsBytes;
      if (all > int64_t(target.ldsBytes))
        return refuse(info.name, info.name + " needs " + std::to_string(all) + " bytes of LDS, " + std::to_string(lds) +
                                     " of them by `lds=`; " + std::string(target.name) + " has " +
                                     std::to_string(target.ldsBytes));
      step.config.dynamicLdsBytes = uint32_t(lds);
    }
    steps.push_back(std::move(step));
  }
  return true;
}

void CheckRunner::Run::tellPlanned() {
  PlannedLaunch::Function function;
  if (llvm::any_of(plan.info.steps, [](auto &step) { return !step.kernel.empty(); })) { // else it is a kernel's own
    function = {name(), plan.info.constants, {}};
    for (size_t i = 0; i < plan.info.parameters.size(); ++i)
      if (auto &p = plan.info.parameters[i]; p.kind == artifact::ParameterKind::Scalar)
        if (auto *number = std::get_if<int64_t>(&values[i]))
          function.scalars[p.name] = *number;
  }
  for (auto &step : steps) {
    if (step.info->fill)
      continue;
    PlannedLaunch launch{&step.code->info, &step.code->codeObject, step.config, {}, function};
    auto &parameters = step.code->info.parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].kind != artifact::ParameterKind::Scalar)
        continue;
      auto &argument = step.info->arguments[i];
      auto value = argument.kind == artifact::ArgumentInfo::Parameter
                       ? values[argument.index]
                       : evaluate(argument.value, "`" + parameters[i].name + "` of " + step.info->name);
      if (auto *number = std::get_if<int64_t>(&value))
        launch.scalars[parameters[i].name] = *number;
    }
    runner.planned->push_back(std::move(launch));
  }
}

} // namespace fly::driver
