// See Launches.h. Arguments of calls in a `@launch` function: each in terms of the function's own parameters.
#include "compiler/sema/kernel/LaunchArguments.h"

#include "compiler/sema/elaborator/InputWrites.h"
#include "compiler/sema/number/HostExpressions.h"
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
    auto i = value.is<double>() ? std::nullopt : toHostInt(value);
    if (!i || !host::representable(number, *i))
      return std::nullopt;
    bits = host::encodeInteger(number, *i);
    out.value =
        int64_t(*i); // launch-time arithmetic has 63 bits: a larger u64 is negative there, and refused as a size
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

artifact::ArgumentInfo PlanBuilder::scalar(const std::string &callee, const std::string &name, const std::string &type,
                                           const Value &value, SourceRange range, Bound &bound) {
  auto number = *host::numberByName(type);
  auto &format = host::format(number);
  artifact::ArgumentInfo out;
  auto refuse = [&](const std::string &got) {
    auto builder =
        e.report(range, diag::argument_of_type{.what = diag::argument(name, callee), .type = type, .found = got});
    if (value.is<HostTensorValue>())
      builder.note("only the shape and the strides of a tensor are known at launch, not its elements");
    throw Failed{};
  };
  if (value.isNumber()) {
    auto constant = scalarArgument(value, number);
    if (!constant)
      refuse(describe(value));
    out.value = constantOf(constant->value);
    return out;
  }
  auto *h = value.as<HostValue>();
  if (!h)
    refuse(describe(value));
  const host::Expr &expr = *h->expr;
  out.value = h->expr;
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
    refuse(describe(value));
  if (kind != ExprKind::Int)
    return out;
  auto low = host::lowestInteger(number), high = host::largestInteger(number);
  bool narrower =
      expr.op == ExprOp::Parameter && host::lowestInteger(given) >= low && host::largestInteger(given) <= high;
  if (narrower || number == host::Number::I64) // 64 bits hold every launch-time integer
    return out;
  ExprRef fits = host::make(ExprOp::Ge, {h->expr, host::intConstant(low < INT64_MIN ? INT64_MIN : int64_t(low))});
  if (high < INT64_MAX)
    fits = host::make(ExprOp::And, {fits, host::make(ExprOp::Le, {h->expr, host::intConstant(int64_t(high))})});
  bound.requirements.push_back(impliedBy(fits, "`" + name + "` = `" + host::toFly(expr) + "` is an " + type, range));
  return out;
}

artifact::RequirementInfo PlanBuilder::impliedBy(const ExprRef &condition, std::string text, SourceRange range) {
  artifact::RequirementInfo requirement;
  requirement.expr = condition;
  requirement.text = std::move(text);
  requirement.file = e.locationName(range.file);
  requirement.line = e.diags.sources.lineColumn(range.file, range.begin).line;
  requirement.implied = true;
  return requirement;
}

/// Whether one is a number and the other is known only at launch: then it is compared there.
static bool isComparedAtLaunch(const ExprRef &a, const ExprRef &b) {
  return (a->op == ExprOp::IntConstant) != (b->op == ExprOp::IntConstant);
}

void PlanBuilder::checkLayout(const artifact::InstanceInfo &callee, const artifact::ParameterInfo &parameter,
                              const HostTensor &tensor, Bound &bound, SourceRange range) {
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
  ExprRef atLaunch; // what is a number on one side only
  auto equal = [&](const ExprRef &declared, const ExprRef &found) {
    if (host::provablyEqual(declared, found, known))
      return true;
    if (!isComparedAtLaunch(declared, found))
      return false;
    const ExprRef condition = host::make(ExprOp::Eq, {found, declared});
    atLaunch = atLaunch ? host::make(ExprOp::And, {atLaunch, condition}) : condition;
    known.push_back(condition);
    return true;
  };
  for (size_t i = 0; same && i < shape.size(); ++i) {
    bool one = shape[i]->op == ExprOp::IntConstant && shape[i]->intValue == 1; // its stride is never used
    bool extents = equal(shape[i], tensor.shape[i]);
    same = extents && (one || equal(strides[i], tensor.strides[i]));
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
    if (shape.size() != tensor.shape.size())
      builder.help("pass a view: `x.reshape(m * n)` has another shape, `x[i, :]` is one row, `x[i:i + 1, :]` keeps the "
                   "mode of the rows");
    else
      builder.help("state in `requires=` of either function which sizes are equal, for example `lda == k`");
    throw Failed{};
  }
  if (atLaunch)
    bound.requirements.push_back(impliedBy(
        atLaunch, "`" + parameter.name + "` with the layout `" + layoutText(shape, strides, parameter.modes) + "`",
        range));
}

static ExprRef scalarExpression(Elaborator &e, const Value &number, SourceRange range) {
  return toHostExpr(e, number,
                    number.is<bool>()     ? ExprKind::Bool
                    : number.is<double>() ? ExprKind::Float
                                          : ExprKind::Int,
                    range);
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
    bound.arguments[index] =
        madeStruct(callee.kernel, *parameter.record, parameter.name, argument.value, argument.range, bound);
  else {
    bound.arguments[index].kind = artifact::ArgumentInfo::Parameter;
    bound.arguments[index].index = known->second;
  }
  bound.values[index] = argument.value;
  Values numbers;
  numbersOf(*parameter.record, argument.value, numbers);
  for (auto &number : numbers)
    bound.scalars.push_back(number.is<HostValue>() ? number.as<HostValue>()->expr
                                                   : scalarExpression(e, number, argument.range));
}

/// A struct that the function has made: each of its fields is an argument.
artifact::ArgumentInfo PlanBuilder::madeStruct(const std::string &callee, const artifact::StructInfo &info,
                                               const std::string &path, const Value &value, SourceRange range,
                                               Bound &bound) {
  artifact::ArgumentInfo out;
  out.kind = artifact::ArgumentInfo::Struct;
  const Values *parts = value.parts();
  if (!parts || parts->size() != info.fields.size())
    e.fail(range, diag::argument_of_type{
                      .what = diag::argument(path, callee), .type = "`" + info.name + "`", .found = describe(value)});
  for (size_t i = 0; i < info.fields.size(); ++i) {
    const artifact::FieldInfo &field = info.fields[i];
    const Value &part = (*parts)[i];
    const std::string name = path + "." + field.name;
    if (field.record)
      out.fields.push_back(madeStruct(callee, *field.record, name, part, range, bound));
    else if (field.isPointer)
      out.fields.push_back(pointerArgument(callee, name, field.type,
                                           field.isReadOnly ? artifact::Direction::In : artifact::Direction::InOut, 1,
                                           part, range, bound));
    else if (field.lanes) {
      const Values *lanes = part.sequence();
      if (!lanes || lanes->size() != field.lanes)
        e.fail(range, diag::argument_of_type{.what = diag::argument(name, callee),
                                             .type = "vec[" + field.type + ", " + std::to_string(field.lanes) + "]",
                                             .found = describe(part)});
      artifact::ArgumentInfo vector;
      vector.kind = artifact::ArgumentInfo::Struct;
      for (auto &lane : *lanes)
        vector.fields.push_back(scalar(callee, name, field.type, lane, range, bound));
      out.fields.push_back(std::move(vector));
    } else
      out.fields.push_back(scalar(callee, name, field.type, part, range, bound));
  }
  return out;
}

artifact::ArgumentInfo PlanBuilder::pointerArgument(const std::string &callee, const std::string &name,
                                                    const std::string &type, artifact::Direction direction,
                                                    uint32_t alignment, const Value &given, SourceRange range,
                                                    Bound &bound) {
  if (given.isNone())
    return {};
  auto *value = given.as<HostTensorValue>();
  auto pointee = [](const HostTensor &memory) {
    return memory.isVector          ? std::string()
           : memory.pointee.empty() ? std::string(host::format(memory.element).name)
                                    : memory.pointee;
  };
  if (!value || pointee(*value->tensor) != type)
    e.fail(range,
           diag::pointer_expected{.what = diag::argument(name, callee), .to = " to " + type, .found = describe(given)});
  return memoryArgument(callee, name, direction, alignment, *value->tensor, range, bound);
}

/// Memory that this function received or has as workspace, with the access rights and the alignment that the callee
/// requires.
artifact::ArgumentInfo PlanBuilder::memoryArgument(const std::string &callee, const std::string &name,
                                                   artifact::Direction direction, uint32_t alignment,
                                                   const HostTensor &memory, SourceRange range, Bound &bound) {
  if (memory.access == Access::Read && direction != artifact::Direction::In) {
    if (!memory.pointee.empty())
      e.fail(diag::wrong_argument_type, range,
             {callee, "a pointer to memory that may be written", name, "`" + memory.name + "`, which is constant"});
    failInput(e, range, memory.name);
  }
  artifact::ArgumentInfo out;
  out.kind = memory.isWorkspace ? artifact::ArgumentInfo::Workspace : artifact::ArgumentInfo::Parameter;
  out.index = memory.index;
  out.member = memory.member;
  uint32_t aligned = memory.alignment;
  const bool isMoved = memory.offset && !(memory.offset->op == ExprOp::IntConstant && memory.offset->intValue == 0);
  if (isMoved) {
    out.offset = bytesOf(memory, memory.offset, range);
    if (out.offset->op == ExprOp::IntConstant)
      aligned = std::min(aligned, uint32_t(out.offset->intValue & -out.offset->intValue));
    else if (alignment > 1) {
      const ExprRef rest = host::make(ExprOp::Mod, {out.offset, host::intConstant(alignment)});
      if (!host::provablyEqual(rest, host::intConstant(0), facts))
        bound.requirements.push_back(impliedBy(host::make(ExprOp::Eq, {rest, host::intConstant(0)}),
                                               "`" + name + "` aligned to " + std::to_string(alignment) + " bytes",
                                               range));
    }
  }
  if (aligned < alignment)
    e.fail(range, diag::launch_layout{.parameter = name,
                                      .kernel = callee,
                                      .declared = "aligned to " + std::to_string(alignment) + " bytes",
                                      .found = "aligned to " + std::to_string(aligned)});
  return out;
}

/// As the callee sees it.
static Value seenBy(artifact::Direction direction, const Value &given) {
  auto *value = given.as<HostTensorValue>();
  if (!value)
    return given;
  auto seen = std::make_shared<HostTensor>(*value->tensor);
  if (direction == artifact::Direction::In)
    seen->access = Access::Read;
  return Value(HostTensorValue{std::move(seen)});
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
    if (parameter.kind == artifact::ParameterKind::Pointer) {
      bound.arguments[i] = pointerArgument(callee.kernel, parameter.name, parameter.type, parameter.direction,
                                           parameter.alignment, given[i]->value, given[i]->range, bound);
      bound.values[i] = seenBy(parameter.direction, given[i]->value);
    }
    if (parameter.kind != artifact::ParameterKind::Scalar)
      continue;
    bound.arguments[i] = scalar(callee.kernel, parameter.name, parameter.type, given[i]->value, given[i]->range, bound);
    bound.scalars[i] = bound.arguments[i].value;
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
    if (given[i]->value.isNone()) // memory that this instance does not use
      continue;
    auto *value = given[i]->value.as<HostTensorValue>();
    if (!value || !value->tensor->pointee.empty() || value->tensor->isVector ||
        host::format(value->tensor->element).name != parameter.type)
      e.fail(diag::wrong_argument_type, given[i]->range,
             {callee.kernel, "a tensor of " + parameter.type, parameter.name, describe(given[i]->value)});
    checkLayout(callee, parameter, *value->tensor, bound, given[i]->range);
    bound.arguments[i] = memoryArgument(callee.kernel, parameter.name, parameter.direction, parameter.alignment,
                                        *value->tensor, given[i]->range, bound);
    bound.values[i] = seenBy(parameter.direction, given[i]->value);
  }
  return bound;
}

} // namespace fly::sema
