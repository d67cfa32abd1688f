// See Launches.h. Arguments of calls in a `@launch` function: each in terms of the function's own parameters.
#include "compiler/sema/kernel/LaunchArguments.h"

#include "compiler/sema/kernel/Kernels.h"
#include "compiler/sema/kernel/LaunchShapes.h"
#include "compiler/sema/kernel/ParameterStructs.h"
#include "compiler/sema/elaborator/Suggest.h"

namespace fly::sema {

using host::ExprKind;
using host::ExprOp;
using host::ExprRef;

/// `k(x, T=f16)`, where `T` is a constant: those are given in square brackets.
[[noreturn]] static void failConstant(Elaborator &e, const std::string &name, const Argument &argument) {
  const std::string given = argument.keyword + "=" + e.diags.sources.text(argument.range).str();
  e.report(diag::unknown_keyword, keywordIn(e.diags.sources, argument.range, argument.keyword),
           {name, argument.keyword, " among its arguments; it is known at compile time"})
      .help("constants go into square brackets: `" + name + "[" + given + "](...)`");
  throw Failed{};
}

std::vector<const Argument *> bindLaunchArguments(Elaborator &e, const ast::DefStmt &def,
                                                  const std::vector<artifact::ParameterInfo> &parameters,
                                                  const Arguments &arguments, SourceRange range) {
  const std::string &name = def.name;
  std::vector<const Argument *> bound(parameters.size());
  size_t next = 0;
  for (auto &argument : arguments) {
    size_t at = next;
    if (argument.keyword.empty()) {
      if (next >= bound.size())
        e.fail(diag::wrong_argument_count, range,
               {name, std::to_string(bound.size()) + " arguments", std::to_string(arguments.size())});
      ++next;
    } else {
      at = size_t(llvm::find_if(parameters, [&](auto &p) { return p.name == argument.keyword; }) - parameters.begin());
      if (at == bound.size()) {
        if (llvm::any_of(def.parameters, [&](auto &p) { return p.keywordOnly && p.name == argument.keyword; }))
          failConstant(e, name, argument);
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

artifact::ArgumentInfo PlanBuilder::scalar(const artifact::InstanceInfo &callee, size_t index, const Argument &argument,
                                           Bound &bound) {
  auto &parameter = callee.parameters[index];
  auto number = *host::numberByName(parameter.type);
  auto &format = host::format(number);
  artifact::ArgumentInfo out;
  auto refuse = [&](const std::string &got) {
    e.fail(argument.range, diag::argument_of_type{.what = diag::argument(parameter.name, callee.kernel),
                                                  .type = parameter.type,
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
    given = *host::numberByName(
        (expr.parameter < all.size() ? all[expr.parameter] : plan.info.fields[expr.parameter - all.size()]).type);
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
  bool narrower =
      expr.op == ExprOp::Parameter && host::lowestInteger(given) >= low && host::largestInteger(given) <= high;
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
  bool same = shape.size() == tensor.shape.size() && host::isSame({parameter.modes}, {tensor.modes});
  std::string where;
  for (size_t i = 0; same && i < shape.size(); ++i) {
    bool one = shape[i]->op == ExprOp::IntConstant && shape[i]->intValue == 1; // its stride is never used
    bool extents = host::provablyEqual(shape[i], tensor.shape[i], known);
    same = extents && (one || host::provablyEqual(strides[i], tensor.strides[i], known));
    if (!same)
      where = (parameter.modes.empty() ? "mode " : "number ") + std::to_string(i) +
              " is different, or cannot be shown to be the same: " +
              (extents ? "its stride is `" + host::toFly(*strides[i]) + "` in the kernel and `" +
                             host::toFly(*tensor.strides[i]) + "` here"
                       : "its extent is `" + host::toFly(*shape[i]) + "` in the kernel and `" +
                             host::toFly(*tensor.shape[i]) + "` here");
  }
  if (!same) {
    auto builder =
        e.report(range, diag::launch_layout{.parameter = parameter.name,
                                            .kernel = callee.kernel,
                                            .declared = layoutText(shape, strides, parameter.modes),
                                            .found = layoutText(tensor.shape, tensor.strides, tensor.modes)});
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
           x.isPointer == y.isPointer && x.isReadOnly == y.isReadOnly &&
           (!x.record || sameStruct(*x.record, *y.record));
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
    e.fail(argument.range, diag::argument_of_type{.what = diag::argument(parameter.name, callee.kernel),
                                                  .type = "`" + parameter.type + "`",
                                                  .found = describe(argument.value)});
  if (known == structs.end())
    e.fail(diag::not_supported, argument.range,
           {"passing on a struct made in a `@launch` function",
            "pass one that the function received as a parameter, or pass the numbers"});
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
    return isVector                 ? std::string()
           : memory.pointee.empty() ? std::string(host::format(memory.element).name)
                                    : memory.pointee;
  };
  if (!value || pointee(*value->tensor) != parameter.type)
    e.fail(argument.range, diag::pointer_expected{.what = diag::argument(parameter.name, callee.kernel),
                                                  .to = " to " + parameter.type,
                                                  .found = describe(argument.value)});
  if (value->tensor->isField)
    e.fail(diag::not_supported, argument.range,
           {"passing on a pointer from a struct", "pass the struct as a whole, or make the pointer a parameter"});
  passOn(callee, index, *value->tensor, argument.range, bound);
}

/// Memory that this function received or has as workspace, with the access rights and the alignment that the callee
/// requires.
void PlanBuilder::passOn(const artifact::InstanceInfo &callee, size_t index, const HostTensor &memory,
                         SourceRange range, Bound &bound) {
  auto &parameter = callee.parameters[index];
  if (memory.access == Access::Read && parameter.direction != artifact::Direction::In) {
    if (!memory.pointee.empty())
      e.fail(diag::wrong_argument_type, range,
             {callee.kernel, "a pointer to memory that may be written", parameter.name,
              "`" + memory.name + "`, which is constant"});
    e.fail(diag::write_to_input, range, {memory.name});
  }
  if (memory.alignment < parameter.alignment)
    e.fail(range, diag::launch_layout{.parameter = parameter.name,
                                      .kernel = callee.kernel,
                                      .declared = "aligned to " + std::to_string(parameter.alignment) + " bytes",
                                      .found = "aligned to " + std::to_string(memory.alignment)});
  auto &out = bound.arguments[index];
  out.kind = memory.isWorkspace ? artifact::ArgumentInfo::Workspace : artifact::ArgumentInfo::Parameter;
  out.index = memory.index;
  auto seen = std::make_shared<HostTensor>(memory);
  if (parameter.direction == artifact::Direction::In)
    seen->access = Access::Read;
  bound.values[index] = Value(HostTensorValue{std::move(seen)});
}

PlanBuilder::Bound PlanBuilder::bind(const artifact::InstanceInfo &callee, const ast::DefStmt &def,
                                     const Arguments &arguments, SourceRange range) {
  auto given = bindLaunchArguments(e, def, callee.parameters, arguments, range);
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
        e.fail(range, diag::bad_requires{.message = "`" + callee.kernel + "` requires `" + requirement.text +
                                                    "`, which never holds here"});
      continue;
    }
    bound.requirements.push_back(std::move(requirement));
  }
  for (size_t i = 0; i < given.size(); ++i) {
    auto &parameter = callee.parameters[i];
    if (parameter.kind != artifact::ParameterKind::Tensor)
      continue;
    auto *value = given[i]->value.as<HostTensorValue>();
    if (!value || !value->tensor->pointee.empty() || value->tensor->isField ||
        host::format(value->tensor->element).name != parameter.type)
      e.fail(diag::wrong_argument_type, given[i]->range,
             {callee.kernel, "a tensor of " + parameter.type, parameter.name, describe(given[i]->value)});
    checkLayout(callee, parameter, *value->tensor, bound, given[i]->range);
    passOn(callee, i, *value->tensor, given[i]->range, bound);
  }
  return bound;
}

} // namespace fly::sema
