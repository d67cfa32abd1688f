// See Launches.h. Steps are flat, in the order of the calls: what a call binds is in LaunchArguments.cpp, the guards of
// steps are made in LaunchConditions.cpp.
#include "compiler/sema/kernel/Launches.h"

#include "compiler/sema/kernel/Kernels.h"
#include "compiler/sema/kernel/LaunchArguments.h"
#include "compiler/sema/kernel/LaunchShapes.h"
#include "compiler/sema/kernel/ParameterStructs.h"
#include "compiler/sema/value/Key.h"

#include "llvm/ADT/ScopeExit.h"

namespace fly::sema {

using host::ExprKind;
using host::ExprOp;
using host::ExprRef;

// ---------------------------------------------------------------------------------------------------------
// Calls

/// A plan is on the stack of the program that runs it.
void PlanBuilder::checkSteps(SourceRange range) {
  constexpr size_t most = 256;
  if (std::max(plan.info.steps.size(), plan.info.workspace.size()) >= most)
    e.fail(diag::not_supported, range,
           {"a `@launch` function of more than " + std::to_string(most) + " steps", "call it several times"});
}

Value PlanBuilder::addSteps(const KernelValue &callee, const Arguments &arguments, SourceRange range) {
  if (depth >= 16)
    e.fail(diag::recursion_limit, range, {"16"});
  if (callee.byShape)
    return callByShape(callee, arguments, range);
  e.diags.frames.push_back({range, "in the call of `" + callee.kernel->name + "`"});
  llvm::scope_exit leave([&] { e.diags.frames.pop_back(); });
  auto info = describeInstance(e, callee, range);
  e.diags.frames.pop_back();
  leave.release();
  Bound bound = bind(info, *callee.kernel->def, arguments, range);
  auto constants = resolveConstants(e, callee, range);
  if (callee.kernel->isLaunch) {
    for (auto &requirement : bound.requirements) {
      facts.push_back(requirement.expr);
      if (guard) // `not guard or requirement`
        requirement.expr = host::make(ExprOp::Or, {host::make(ExprOp::Not, {guard}), requirement.expr});
      plan.info.requirements.push_back(requirement);
    }
    auto *outer = function;
    auto outerGuard = guard;
    ++depth;
    llvm::scope_exit restore([&] { --depth, function = outer, guard = outerGuard; });
    run(callee, constants, bound.values, info);
    return Value();
  }
  checkSteps(range);
  artifact::StepInfo step;
  step.when = guard;
  step.kernel = instanceKey(e.diags.sources, *callee.kernel, constants);
  step.name = callee.kernel->name;
  step.arguments = std::move(bound.arguments);
  step.requirements = bound.requirements;
  for (size_t axis = 0; axis < 3; ++axis) {
    step.grid[axis] = bound.expression(info.grid[axis]);
    step.block[axis] = bound.expression(info.block[axis]);
  }
  step.dynamicLds = info.dynamicLds ? bound.expression(info.dynamicLds) : nullptr;
  if (llvm::none_of(plan.kernels, [&](auto &k) { return k.key == step.kernel; }))
    plan.kernels.push_back({callee, step.kernel, range});
  plan.info.steps.push_back(std::move(step));
  return Value();
}

// ---------------------------------------------------------------------------------------------------------
// Workspace

/// `parts` of `parts = workspace(...)`, for messages.
static std::string nameOf(Elaborator &e) {
  auto [target, rest] = e.diags.sources.text(e.statement).split('=');
  target = target.trim();
  bool isName =
      !rest.empty() && !target.empty() && llvm::all_of(target, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isName ? target.str() : "workspace";
}

Value PlanBuilder::workspace(Type element, const Value &shape, const Value &stride, bool zero, SourceRange range) {
  auto tensor = std::make_shared<HostTensor>();
  tensor->name = nameOf(e);
  tensor->element = element.number;
  tensor->alignment = uint32_t(artifact::workspaceAlignment);
  tensor->isWorkspace = true;
  tensor->index = unsigned(plan.info.workspace.size());
  LaunchShape layout = readLaunchShape(e, shape, stride, range);
  tensor->shape = layout.shape;
  tensor->strides = layout.strides;
  tensor->modes = layout.modes;
  ExprRef elements = host::intConstant(1);
  const bool isPacked = stride.isNone() && !shape.is<LayoutValue>();
  for (size_t i = 0; i < layout.shape.size(); ++i) {
    auto steps = host::make(ExprOp::Sub, {layout.shape[i], host::intConstant(1)});
    elements = isPacked ? host::make(ExprOp::Mul, {layout.shape[layout.shape.size() - 1 - i], elements})
                        : host::make(ExprOp::Add, {elements, host::make(ExprOp::Mul, {steps, layout.strides[i]})});
  }
  auto bits = element.format().bits;
  ExprRef bytes =
      bits % 8 == 0 ? host::make(ExprOp::Mul, {elements, host::intConstant(bits / 8)})
                    : host::make(ExprOp::CeilDiv,
                                 {host::make(ExprOp::Mul, {elements, host::intConstant(bits)}), host::intConstant(8)});
  if (guard)
    bytes = host::make(ExprOp::Select, {guard, bytes, host::intConstant(0)});
  plan.info.workspace.push_back({tensor->name, element.format().name, bytes});
  checkSteps(range);
  if (zero) {
    artifact::StepInfo step;
    step.when = guard;
    step.name = tensor->name;
    step.fill = {{artifact::ArgumentInfo::Workspace, nullptr, tensor->index}, plan.info.workspace.back().bytes};
    plan.info.steps.push_back(std::move(step));
  }
  return Value(HostTensorValue{std::move(tensor)});
}

/// The byte that a number of the type consists of; none if its bytes differ.
static std::optional<uint8_t> byteOf(const Value &value, host::Number type) {
  auto scalar = scalarArgument(value, type);
  if (!scalar || host::format(type).bits < 8 || scalar->bytes.empty() ||
      scalar->bytes.find_first_not_of(scalar->bytes[0]) != std::string::npos)
    return std::nullopt;
  return uint8_t(scalar->bytes[0]);
}

void PlanBuilder::fill(const HostTensor &memory, const Value &value, SourceRange range) {
  const bool isZero = value.isNumber() && !value.is<bool>() && toText(value) == "0";
  const std::optional<uint8_t> byte = isZero ? std::optional<uint8_t>(0) : byteOf(value, memory.element);
  if (!byte)
    e.fail(diag::not_supported, range,
           {"filling memory with " + toText(value) + ", whose bytes differ", "let a kernel store it"});
  if (!isRowMajor(memory))
    e.fail(diag::not_supported, range,
           {"filling memory with gaps (" + layoutText(memory.shape, memory.strides, memory.modes) + ")",
            "fill the whole tensor, or let a kernel store it"});
  checkSteps(range);
  ExprRef elements = host::intConstant(1);
  for (auto &extent : memory.shape)
    elements = host::make(ExprOp::Mul, {elements, extent});
  Bound bound;
  artifact::StepInfo step;
  step.when = guard;
  step.name = memory.name;
  step.fill = {memoryArgument("fill", memory.name, artifact::Direction::Out, 1, memory, range, bound),
               bytesOf(memory, elements, range), *byte};
  step.requirements = std::move(bound.requirements);
  plan.info.steps.push_back(std::move(step));
}

// ---------------------------------------------------------------------------------------------------------
// The body

void PlanBuilder::run(const KernelValue &launch, const std::map<std::string, Value> &constants,
                      const Values &parameters, const artifact::InstanceInfo &info) {
  FrameScope scope(e, launch.kernel->module, *this);
  e.frame->isKernel = true;
  function = e.frame.get();
  for (auto &[name, value] : constants)
    e.frame->variables[name] = value;
  for (size_t i = 0; i < parameters.size(); ++i)
    e.frame->variables[info.parameters[i].name] = parameters[i];
  unsigned errors = e.failures;
  e.execBlock(launch.kernel->def->body);
  if (e.failures != errors)
    throw Failed{};
}

/// A struct parameter: its numbers are launch-time values, its pointers memory. Vectors are passed on only with the whole.
static Value withMemory(const artifact::StructInfo &info, const Value &record, const std::string &path,
                        unsigned parameter, uint32_t offset) {
  Values parts = *record.parts();
  for (size_t i = 0; i < parts.size(); ++i) {
    auto &field = info.fields[i];
    std::string name = path + "." + field.name;
    if (field.record)
      parts[i] = withMemory(*field.record, parts[i], name, parameter, offset + field.offset);
    else if (field.isPointer || field.lanes) {
      auto memory = std::make_shared<HostTensor>();
      memory->name = name;
      memory->index = parameter;
      memory->isVector = !field.isPointer;
      if (field.isPointer) {
        memory->pointee = field.type;
        memory->access = field.isReadOnly ? Access::Read : Access::ReadWrite;
        memory->alignment = field.alignment;
        memory->member = offset + field.offset;
      }
      parts[i] = Value(HostTensorValue{std::move(memory)});
    }
  }
  return record.withParts(std::move(parts));
}

LaunchPlan planLaunch(Elaborator &e, const KernelValue &launch, SourceRange range) {
  PlanBuilder planner(e);
  auto info = describeInstance(e, launch, range);
  auto &out = planner.plan.info;
  out.symbol = info.symbol;
  out.function = info.kernel;
  out.constants = info.constants;
  out.parameters = info.parameters;
  out.fields = info.fields;
  out.requirements = info.requirements;
  for (auto &requirement : info.requirements)
    planner.facts.push_back(requirement.expr);
  auto constants = resolveConstants(e, launch, range);
  Values parameters;
  std::vector<artifact::ParameterInfo> fields;
  auto node = launch.kernel->def->parameters.begin(); // compile-time parameters are the last
  for (size_t i = 0; i < info.parameters.size(); ++i, ++node) {
    auto &p = info.parameters[i];
    if (p.kind == artifact::ParameterKind::Struct) {
      FrameScope scope(e, launch.kernel->module);
      for (auto &[name, value] : constants)
        e.frame->variables[name] = value;
      Value type = e.eval(*node->annotation);
      parameters.push_back(
          withMemory(*p.record, launchStruct(*p.record, type, p.name, unsigned(info.parameters.size()), 0, fields),
                     p.name, unsigned(i), 0));
      planner.structs.push_back({parameters.back().as<StructValue>()->fields, unsigned(i)});
      continue;
    }
    if (p.kind == artifact::ParameterKind::Scalar) {
      auto number = *host::numberByName(p.type);
      auto &format = host::format(number);
      auto kind = format.isFloat() ? ExprKind::Float : format.isBool() ? ExprKind::Bool : ExprKind::Int;
      parameters.push_back(Value(HostValue{host::parameter(unsigned(i), p.name, kind), format.bits > 32 ? 64u : 32u}));
      continue;
    }
    auto tensor = std::make_shared<HostTensor>();
    tensor->name = p.name;
    if (p.kind == artifact::ParameterKind::Pointer)
      tensor->pointee = p.type;
    else
      tensor->element = *host::numberByName(p.type);
    tensor->access = p.direction == artifact::Direction::In    ? Access::Read
                     : p.direction == artifact::Direction::Out ? Access::Write
                                                               : Access::ReadWrite;
    tensor->alignment = p.alignment;
    tensor->shape = p.shape;
    tensor->strides = p.strides;
    tensor->modes = p.modes;
    tensor->index = unsigned(i);
    parameters.push_back(Value(HostTensorValue{std::move(tensor)}));
  }
  planner.run(launch, constants, parameters, info);
  if (planner.plan.kernels.empty())
    e.fail(diag::bad_decorator, launch.kernel->def->nameRange,
           {"`@launch` function `" + info.kernel + "` launches no kernel"});
  return std::move(planner.plan);
}

} // namespace fly::sema
