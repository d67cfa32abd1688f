// See Launches.h. Steps are flat: each has the conjunction of the conditions around it as its guard, a `return` under a
// condition adds its negation to the guard of all that follows, and a variable assigned on one side of an `if` becomes
// a selection. Guards and selections short-circuit, so that nothing is evaluated that the author put under a condition.
#include "compiler/sema/kernel/Launches.h"

#include "compiler/sema/kernel/Kernels.h"
#include "compiler/sema/kernel/ParameterStructs.h"
#include "compiler/sema/elaborator/Suggest.h"

#include "llvm/ADT/ScopeExit.h"

namespace fly::sema {

using host::ExprKind;
using host::ExprOp;
using host::ExprRef;

struct PlanBuilder::Bound {
  std::vector<ExprRef> scalars;                     ///< by parameter, null for tensors; then by field of structs
  std::vector<artifact::ArgumentInfo> arguments;
  Values values;                                    ///< by parameter, as a launch function sees them
  std::vector<artifact::RequirementInfo> requirements;

  ExprRef expression(const ExprRef &of) const {
    return host::substitute(of, [&](const ExprRef &leaf) {
      return leaf->op == ExprOp::Parameter ? scalars[leaf->parameter] : leaf;
    });
  }
};

std::vector<const Argument *> bindLaunchArguments(Elaborator &e, const std::string &name,
                                                  const std::vector<artifact::ParameterInfo> &parameters,
                                                  const Arguments &arguments, SourceRange range) {
  std::vector<const Argument *> bound(parameters.size());
  size_t next = 0;
  for (auto &argument : arguments) {
    size_t at = next;
    if (argument.keyword.empty()) {
      if (next >= bound.size())
        e.fail(diag::wrong_argument_count, range, {name, std::to_string(bound.size()) + " arguments", std::to_string(arguments.size())});
      ++next;
    } else {
      at = size_t(llvm::find_if(parameters, [&](auto &p) { return p.name == argument.keyword; }) - parameters.begin());
      if (at == bound.size()) {
        std::vector<std::string> names;
        for (auto &p : parameters)
          names.push_back(p.name);
        failUnknown(e, diag::unknown_keyword, argument.range, name, argument.keyword, names);
      }
    }
    if (bound[at])
      e.fail(diag::duplicate_argument, argument.range, {name, parameters[at].name});
    bound[at] = &argument;
  }
  for (size_t i = 0; i < bound.size(); ++i)
    if (!bound[i])
      e.fail(diag::missing_argument, range, {name, parameters[i].name});
  return bound;
}

std::optional<ScalarArgument> scalarArgument(const Value &value, host::Number number) {
  auto &format = host::format(number);
  ScalarArgument out;
  uint64_t bits = 0;
  if (format.isFloat()) {
    double d;
    if (auto *f = value.as<double>())
      d = *f;
    else if (auto i = toInt64(value))
      d = double(*i);
    else
      return std::nullopt;
    bits = host::encode(number, d);
    out.value = host::decode(number, bits);
  } else if (format.isBool()) {
    if (!value.is<bool>())
      return std::nullopt;
    bits = *value.as<bool>();
    out.value = bits != 0;
  } else {
    auto i = value.is<double>() ? std::nullopt : toInt64(value);
    if (!i || !host::representable(number, *i))
      return std::nullopt;
    bits = host::encodeInteger(number, *i);
    out.value = *i;
  }
  out.bytes.assign(reinterpret_cast<const char *>(&bits), format.bytes());
  return out;
}

static ExprRef constantOf(const host::ScalarValue &value) {
  if (auto *b = std::get_if<bool>(&value))
    return host::boolConstant(*b);
  if (auto *i = std::get_if<int64_t>(&value))
    return host::intConstant(*i);
  return host::floatConstant(std::get<double>(value));
}

static ExprRef conjunction(const ExprRef &a, const ExprRef &b) {
  return !a ? b : !b ? a : host::make(ExprOp::And, {a, b});
}

ExprRef PlanBuilder::under(ExprRef condition) const { return conjunction(guard, condition); }

// ---------------------------------------------------------------------------------------------------------
// Calls

artifact::ArgumentInfo PlanBuilder::scalar(const artifact::InstanceInfo &callee, size_t index, const Argument &argument,
                                             Bound &bound) {
  auto &parameter = callee.parameters[index];
  auto number = *host::numberByName(parameter.type);
  auto &format = host::format(number);
  artifact::ArgumentInfo out;
  auto refuse = [&](const std::string &got) {
    e.fail(argument.range,
           diag::argument_of_type{.what = diag::argument(parameter.name, callee.kernel), .type = parameter.type,
                                  .found = got});
  };
  if (argument.value.isNumber()) {
    auto constant = scalarArgument(argument.value, number);
    if (!constant)
      refuse(describe(argument.value));
    out.value = bound.scalars[index] = constantOf(constant->value);
    return out;
  }
  auto *h = argument.value.as<HostValue>();
  if (!h)
    refuse(describe(argument.value));
  const host::Expr &expr = *h->expr;
  bound.scalars[index] = out.value = h->expr;
  host::Number given = number;
  if (expr.op == ExprOp::Parameter) {
    auto &all = plan.info.parameters;
    given = *host::numberByName((expr.parameter < all.size() ? all[expr.parameter] : plan.info.fields[expr.parameter - all.size()]).type);
    if (given == number) {
      out.kind = artifact::ArgumentInfo::Parameter;
      out.index = expr.parameter;
      return out;
    }
  }
  auto kind = format.isFloat() ? ExprKind::Float : format.isBool() ? ExprKind::Bool : ExprKind::Int;
  bool expressible = number == host::Number::F32 || number == host::Number::F64 || kind != ExprKind::Float;
  if (expr.kind != kind || !expressible)
    refuse(describe(argument.value));
  if (kind != ExprKind::Int)
    return out;
  auto low = host::lowestInteger(number), high = host::largestInteger(number);
  bool narrower = expr.op == ExprOp::Parameter && host::lowestInteger(given) >= low && host::largestInteger(given) <= high;
  if (narrower)
    return out;
  // 64 bits hold every launch-time integer.
  ExprRef fits = host::make(ExprOp::Ge, {h->expr, host::intConstant(low < INT64_MIN ? INT64_MIN : int64_t(low))});
  if (high < INT64_MAX)
    fits = host::make(ExprOp::And, {fits, host::make(ExprOp::Le, {h->expr, host::intConstant(int64_t(high))})});
  if (number == host::Number::I64)
    return out;
  artifact::RequirementInfo requirement;
  requirement.expr = fits;
  requirement.text = "`" + parameter.name + "` = `" + host::toFly(expr) + "` is an " + parameter.type;
  requirement.file = e.locationName(argument.range.file);
  requirement.line = e.diags.sources.lineColumn(argument.range.file, argument.range.begin).line;
  requirement.implied = true;
  bound.requirements.push_back(std::move(requirement));
  return out;
}

static std::string layoutText(const std::vector<ExprRef> &shape, const std::vector<ExprRef> &strides) {
  auto tuple = [](const std::vector<ExprRef> &list) {
    std::string text;
    for (auto &expr : list)
      text += (text.empty() ? "" : ", ") + host::toFly(*expr);
    return "(" + text + (list.size() == 1 ? ",)" : ")");
  };
  return tuple(shape) + ":" + tuple(strides);
}

void PlanBuilder::checkLayout(const artifact::InstanceInfo &callee, const artifact::ParameterInfo &parameter,
                                const HostTensor &tensor, const Bound &bound, SourceRange range) {
  std::vector<ExprRef> shape, strides, known = facts;
  for (auto &extent : parameter.shape)
    shape.push_back(bound.expression(extent));
  for (auto &stride : parameter.strides)
    strides.push_back(bound.expression(stride));
  for (auto &requirement : bound.requirements)
    known.push_back(requirement.expr);
  if (guard)
    known.push_back(guard);
  bool same = shape.size() == tensor.shape.size();
  std::string where;
  for (size_t i = 0; same && i < shape.size(); ++i) {
    bool one = shape[i]->op == ExprOp::IntConstant && shape[i]->intValue == 1; // its stride is never used
    bool extents = host::provablyEqual(shape[i], tensor.shape[i], known);
    same = extents && (one || host::provablyEqual(strides[i], tensor.strides[i], known));
    if (!same)
      where = "mode " + std::to_string(i) + " is different, or cannot be shown to be the same: " +
              (extents ? "its stride is `" + host::toFly(*strides[i]) + "` in the kernel and `" + host::toFly(*tensor.strides[i]) + "` here"
                       : "its extent is `" + host::toFly(*shape[i]) + "` in the kernel and `" + host::toFly(*tensor.shape[i]) + "` here");
  }
  if (!same) {
    auto builder = e.report(diag::launch_layout, range, {parameter.name, callee.kernel, layoutText(shape, strides),
                                                         layoutText(tensor.shape, tensor.strides)});
    if (!where.empty())
      builder.note(where);
    builder.help("state in `requires=` of either function which sizes are equal, for example `lda == k`");
    throw Failed{};
  }
}

/// Whether the bytes of one are the bytes of the other.
static bool sameStruct(const artifact::StructInfo &a, const artifact::StructInfo &b) {
  auto same = [](const artifact::FieldInfo &x, const artifact::FieldInfo &y) {
    return x.name == y.name && x.type == y.type && x.offset == y.offset && x.size == y.size && x.lanes == y.lanes &&
           x.isPointer == y.isPointer && x.isReadOnly == y.isReadOnly && (!x.record || sameStruct(*x.record, *y.record));
  };
  return a.name == b.name && a.size == b.size && a.fields.size() == b.fields.size() &&
         std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), same);
}

void PlanBuilder::record(const artifact::InstanceInfo &callee, size_t index, const Argument &argument, Bound &bound) {
  auto &parameter = callee.parameters[index];
  auto *value = argument.value.as<StructValue>();
  auto known = value ? llvm::find_if(structs, [&](auto &each) { return each.first == value->fields; }) : structs.end();
  if (!value || value->definition->name != parameter.type ||
      (known != structs.end() && !sameStruct(*parameter.record, *plan.info.parameters[known->second].record)))
    e.fail(argument.range,
           diag::argument_of_type{.what = diag::argument(parameter.name, callee.kernel),
                                  .type = "`" + parameter.type + "`", .found = describe(argument.value)});
  if (known == structs.end())
    e.fail(diag::not_supported, argument.range, {"passing on a struct made in a `@launch` function", "pass one that it got as a parameter, or the numbers"});
  bound.arguments[index].kind = artifact::ArgumentInfo::Parameter;
  bound.arguments[index].index = known->second;
  bound.values[index] = argument.value;
  Values numbers;
  numbersOf(*parameter.record, argument.value, numbers);
  for (auto &number : numbers)
    bound.scalars.push_back(number.as<HostValue>()->expr);
}

void PlanBuilder::pointer(const artifact::InstanceInfo &callee, size_t index, const Argument &argument, Bound &bound) {
  auto &parameter = callee.parameters[index];
  auto &out = bound.arguments[index];
  if (argument.value.isNone()) {
    out.value = host::intConstant(0);
    return;
  }
  auto *value = argument.value.as<HostTensorValue>();
  auto pointee = [](const HostTensor &memory) {
    bool isVector = memory.isField && memory.pointee.empty();
    return isVector ? std::string() : memory.pointee.empty() ? std::string(host::format(memory.element).name) : memory.pointee;
  };
  if (!value || pointee(*value->tensor) != parameter.type)
    e.fail(argument.range,
           diag::pointer_expected{.what = diag::argument(parameter.name, callee.kernel),
                                  .to = " to " + parameter.type, .found = describe(argument.value)});
  if (value->tensor->isField)
    e.fail(diag::not_supported, argument.range, {"passing on a pointer from a struct", "pass the struct as a whole, or make the pointer a parameter"});
  passOn(callee, index, *value->tensor, argument.range, bound);
}

/// Memory that this function received or has as workspace, with the access rights and the alignment that the callee
/// requires.
void PlanBuilder::passOn(const artifact::InstanceInfo &callee, size_t index, const HostTensor &memory, SourceRange range, Bound &bound) {
  auto &parameter = callee.parameters[index];
  if (memory.access == Access::Read && parameter.direction != artifact::Direction::In) {
    if (!memory.pointee.empty())
      e.fail(diag::wrong_argument_type, range, {callee.kernel, "a pointer to memory that may be written", parameter.name, "`" + memory.name + "`, which is constant"});
    e.fail(diag::write_to_input, range, {memory.name});
  }
  if (memory.alignment < parameter.alignment)
    e.fail(diag::launch_layout, range, {parameter.name, callee.kernel, "aligned to " + std::to_string(parameter.alignment) + " bytes",
                                        "aligned to " + std::to_string(memory.alignment)});
  auto &out = bound.arguments[index];
  out.kind = memory.isWorkspace ? artifact::ArgumentInfo::Workspace : artifact::ArgumentInfo::Parameter;
  out.index = memory.index;
  auto seen = std::make_shared<HostTensor>(memory);
  if (parameter.direction == artifact::Direction::In)
    seen->access = Access::Read;
  bound.values[index] = Value(HostTensorValue{std::move(seen)});
}

PlanBuilder::Bound PlanBuilder::bind(const artifact::InstanceInfo &callee, const Arguments &arguments, SourceRange range) {
  auto given = bindLaunchArguments(e, callee.kernel, callee.parameters, arguments, range);
  Bound bound;
  bound.scalars.resize(given.size());
  bound.arguments.resize(given.size());
  bound.values.resize(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    auto &parameter = callee.parameters[i];
    if (parameter.kind == artifact::ParameterKind::Struct)
      record(callee, i, *given[i], bound);
    if (parameter.kind == artifact::ParameterKind::Pointer)
      pointer(callee, i, *given[i], bound);
    if (parameter.kind != artifact::ParameterKind::Scalar)
      continue;
    bound.arguments[i] = scalar(callee, i, *given[i], bound);
    bound.values[i] = Value(HostValue{bound.scalars[i], parameter.elementBytes > 4 ? 64u : 32u});
  }
  for (auto requirement : callee.requirements) {
    requirement.expr = bound.expression(requirement.expr);
    if (requirement.expr->op == ExprOp::BoolConstant) {
      if (!requirement.expr->boolValue)
        e.fail(diag::bad_requires, range, {"`" + callee.kernel + "` requires `" + requirement.text + "`, which never holds here"});
      continue;
    }
    bound.requirements.push_back(std::move(requirement));
  }
  for (size_t i = 0; i < given.size(); ++i) {
    auto &parameter = callee.parameters[i];
    if (parameter.kind != artifact::ParameterKind::Tensor)
      continue;
    auto *value = given[i]->value.as<HostTensorValue>();
    if (!value || !value->tensor->pointee.empty() || value->tensor->isField || host::format(value->tensor->element).name != parameter.type)
      e.fail(diag::wrong_argument_type, given[i]->range, {callee.kernel, "a tensor of " + parameter.type, parameter.name, describe(given[i]->value)});
    checkLayout(callee, parameter, *value->tensor, bound, given[i]->range);
    passOn(callee, i, *value->tensor, given[i]->range, bound);
  }
  return bound;
}

/// A plan is on the stack of the program that runs it.
void PlanBuilder::checkSteps(SourceRange range) {
  constexpr size_t most = 256;
  if (std::max(plan.info.steps.size(), plan.info.workspace.size()) >= most)
    e.fail(diag::not_supported, range, {"a `@launch` function of more than " + std::to_string(most) + " steps", "call it several times"});
}

Value PlanBuilder::call(const KernelValue &callee, const Arguments &arguments, SourceRange range) {
  if (depth >= 16)
    e.fail(diag::recursion_limit, range, {"16"});
  e.diags.frames.push_back({range, "in the call of `" + callee.kernel->name + "`"});
  llvm::scope_exit leave([&] { e.diags.frames.pop_back(); });
  auto info = describeInstance(e, callee, range);
  e.diags.frames.pop_back();
  leave.release();
  Bound bound = bind(info, arguments, range);
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
  step.kernel = instanceKey(*callee.kernel, constants);
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
  auto list = [&](const Value &value, std::vector<ExprRef> &out) {
    for (auto &extent : value.sequence() ? *value.sequence() : Values{value}) {
      out.push_back(e.toHostExpr(extent, ExprKind::Int, range));
      auto &expr = *out.back();
      if (expr.kind != ExprKind::Int)
        e.fail(range, diag::not_an_integer{.what = "an extent or stride", .found = "`" + host::toFly(expr) + "`"});
      if (expr.op == ExprOp::IntConstant && expr.intValue < 0)
        e.fail(range, diag::negative_value{.what = "an extent or stride", .found = std::to_string(expr.intValue)});
    }
  };
  list(shape, tensor->shape);
  ExprRef elements = host::intConstant(1);
  if (stride.isNone()) {
    for (auto extent = tensor->shape.rbegin(); extent != tensor->shape.rend(); ++extent) {
      tensor->strides.insert(tensor->strides.begin(), elements);
      elements = host::make(ExprOp::Mul, {*extent, elements});
    }
  } else {
    list(stride, tensor->strides);
    if (tensor->strides.size() != tensor->shape.size())
      e.fail(range,
             diag::stride_count{.modes = int64_t(tensor->shape.size()), .found = int64_t(tensor->strides.size())});
    for (size_t i = 0; i < tensor->shape.size(); ++i)
      elements = host::make(ExprOp::Add, {elements, host::make(ExprOp::Mul, {host::make(ExprOp::Sub, {tensor->shape[i], host::intConstant(1)}), tensor->strides[i]})});
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
    step.zero = tensor->index;
    plan.info.steps.push_back(std::move(step));
  }
  return Value(HostTensorValue{std::move(tensor)});
}

// ---------------------------------------------------------------------------------------------------------
// Conditions

std::optional<Value> PlanBuilder::joined(const ExprRef &condition, const Value &yes, const Value &no) {
  if (auto *a = yes.as<StructValue>(), *b = no.as<StructValue>(); a && b && a->fields == b->fields)
    return yes; // a parameter, which may be passed on as such
  auto isScalar = [](const Value &v) { return v.isNumber() || v.is<HostValue>(); };
  if (auto *a = yes.as<HostTensorValue>(), *b = no.as<HostTensorValue>(); a && b)
    return a->tensor == b->tensor ? std::optional(yes) : std::nullopt;
  if (yes.isCompileTime() && no.isCompileTime() && yes.storage.index() == no.storage.index() && !yes.parts() &&
      equal(yes, no).value_or(toText(yes) == toText(no)))
    return yes;
  if (isScalar(yes) && isScalar(no)) {
    auto exprOf = [&](const Value &v) {
      return v.is<bool>() ? host::boolConstant(*v.as<bool>()) : v.is<double>() ? host::floatConstant(*v.as<double>())
             : v.is<HostValue>() ? v.as<HostValue>()->expr : toInt64(v) ? host::intConstant(*toInt64(v)) : nullptr;
    };
    auto a = exprOf(yes), b = exprOf(no);
    if (a == b)
      return yes;
    if (!a || !b || (a->kind == ExprKind::Bool) != (b->kind == ExprKind::Bool))
      return std::nullopt;
    auto bits = [](const Value &v) { return v.is<HostValue>() ? v.as<HostValue>()->bits : 32u; };
    return Value(HostValue{host::make(ExprOp::Select, {condition, a, b}), std::max(bits(yes), bits(no))});
  }
  if (!yes.parts() || !yes.sameShape(no))
    return std::nullopt;
  Values parts;
  for (size_t i = 0; i < yes.parts()->size(); ++i) {
    auto part = joined(condition, (*yes.parts())[i], (*no.parts())[i]);
    if (!part)
      return std::nullopt;
    parts.push_back(std::move(*part));
  }
  return yes.withParts(std::move(parts));
}

Value PlanBuilder::join(const std::string &name, const ExprRef &condition, const Value &yes, const Value &no, const ast::IfStmt &stmt) {
  for (auto *v : {&yes, &no})
    if (v->is<ErrorValue>() || v->is<OneSidedValue>())
      return *v;
  if (auto value = joined(condition, yes, no)) {
    if (auto *h = value->as<HostValue>(); h && host::tooLarge(*h->expr))
      e.fail(diag::launch_expression, stmt.test->range, {});
    return *value;
  }
  // The side that has not assigned it shows what was before.
  auto within = [&](const Value &v) { return v.assigned.file == stmt.range.file && v.assigned.begin >= stmt.range.begin && v.assigned.end <= stmt.range.end; };
  auto &changed = within(no) ? no : yes, &first = within(no) ? yes : no;
  auto builder = e.report(diag::branch_types, changed.assigned.valid() ? changed.assigned : stmt.range,
                          {"`" + name + "`", describe(first), describeOther(first, changed), "an `if`"});
  if (first.assigned.valid())
    builder.label(first.assigned, describe(first) + " here");
  return Value(ErrorValue{});
}

Flow PlanBuilder::branch(const ast::IfStmt &stmt, ExprRef condition) {
  auto before = e.frame->variables;
  auto outer = guard;
  size_t returns = e.frame->returns.size();
  auto *loop = e.frame->loops.empty() ? nullptr : &e.frame->loops.back();
  size_t breaks = loop ? loop->breaks.size() : 0, continues = loop ? loop->continues.size() : 0;
  struct Side { Flow flow; decltype(before) variables; ExprRef start, end; };
  auto side = [&](const ast::Block &body, const ExprRef &when) {
    guard = conjunction(outer, when);
    if (host::tooLarge(*guard))
      e.fail(diag::launch_expression, stmt.test->range, {});
    auto start = guard;
    e.frame->variables = before;
    Flow flow = e.execBlock(body);
    bool returned = e.frame.get() == function && e.frame->returns.size() > returns;
    e.frame->returns.resize(returns);
    if (loop) // nothing joins these edges: they are refused below
      loop->breaks.resize(breaks), loop->continues.resize(continues);
    if (flow == Flow::Jumped && !returned)
      e.fail(diag::not_supported, stmt.test->range, {"a jump under a launch-time condition", "there is `return` from the `@launch` function itself, and `a if c else b`"});
    return Side{flow, e.frame->variables, start, guard};
  };
  try {
    Side yes = side(stmt.body, condition), no = side(stmt.orelse, host::make(ExprOp::Not, {condition}));
    if (yes.flow == Flow::Jumped && no.flow == Flow::Jumped) {
      guard = outer;
      return Flow::Jumped;
    }
    if (yes.flow == Flow::Jumped || no.flow == Flow::Jumped) {
      Side &goesOn = yes.flow == Flow::Jumped ? no : yes;
      guard = goesOn.end;
      e.frame->variables = std::move(goesOn.variables);
      return Flow::Next;
    }
    bool whole = yes.start == yes.end && no.start == no.end; // no return inside
    guard = whole ? outer : host::make(ExprOp::Or, {yes.end, no.end});
    decltype(before) variables;
    std::set<std::string> names;
    Variables::difference(yes.variables, no.variables, names);
    variables = yes.variables;
    for (auto &name : names) {
      auto a = yes.variables.find(name), b = no.variables.find(name);
      variables[name] = a == yes.variables.end() || b == no.variables.end()
                            ? Value(OneSidedValue{stmt.test->range, "an `if`"})
                            : join(name, condition, a->second, b->second, stmt);
    }
    e.frame->variables = std::move(variables);
    return Flow::Next;
  } catch (Failed &) {
    guard = outer;
    e.frame->variables = before;
    throw;
  }
}

// ---------------------------------------------------------------------------------------------------------
// The body

void PlanBuilder::run(const KernelValue &launch, const std::map<std::string, Value> &constants,
                      const Values &parameters, const artifact::InstanceInfo &info) {
  FrameScope scope(e, launch.kernel->module);
  e.planner = this;
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

/// A struct parameter: its numbers are launch-time values, pointers and vectors can only be passed on with the whole.
static Value withMemory(const artifact::StructInfo &info, const Value &record, const std::string &path) {
  Values parts = *record.parts();
  for (size_t i = 0; i < parts.size(); ++i) {
    auto &field = info.fields[i];
    std::string name = path + "." + field.name;
    if (field.record)
      parts[i] = withMemory(*field.record, parts[i], name);
    else if (field.isPointer || field.lanes) {
      auto memory = std::make_shared<HostTensor>();
      memory->name = name;
      memory->isField = true;
      if (field.isPointer)
        memory->pointee = field.type;
      else
        memory->element = *host::numberByName(field.type);
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
      parameters.push_back(withMemory(
          *p.record, launchStruct(*p.record, type, p.name, unsigned(info.parameters.size()), 0, fields), p.name));
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
    tensor->index = unsigned(i);
    parameters.push_back(Value(HostTensorValue{std::move(tensor)}));
  }
  planner.run(launch, constants, parameters, info);
  if (planner.plan.kernels.empty())
    e.fail(diag::bad_decorator, launch.kernel->def->nameRange, {"`@launch` function `" + info.kernel + "` launches no kernel"});
  return std::move(planner.plan);
}

} // namespace fly::sema
