// Views of memory in a `@launch` function: other shapes, parts and pointers of what it received or has as workspace.
//
//     rows = x[first:last, :]             offset first * stride, the rows' extent last - first
//     flat = x.reshape(m * n)             of memory without gaps
//     a = make_tensor(x.ptr + k, (m, n), (lda, 1))
//
// A view is memory with an offset. What the numbers must satisfy (an index within the extent, as many elements after
// `reshape` as before) is checked where it is known, and else before the first step.
#include "compiler/sema/kernel/LaunchArguments.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/HostExpressions.h"
#include "compiler/sema/kernel/LaunchShapes.h"

namespace fly::sema {

using host::ExprOp;
using host::ExprRef;

static ExprRef zero() { return host::intConstant(0); }
static bool isNumber(const ExprRef &e, int64_t value) { return e->op == ExprOp::IntConstant && e->intValue == value; }
static ExprRef plus(const ExprRef &a, const ExprRef &b) {
  return isNumber(a, 0) ? b : isNumber(b, 0) ? a : host::make(ExprOp::Add, {a, b});
}
static ExprRef times(const ExprRef &a, const ExprRef &b) {
  if (isNumber(a, 0) || isNumber(b, 0))
    return zero();
  return isNumber(a, 1) ? b : isNumber(b, 1) ? a : host::make(ExprOp::Mul, {a, b});
}
static ExprRef allOf(const ExprRef &a, const ExprRef &b) { return host::make(ExprOp::And, {a, b}); }
static ExprRef atMost(const ExprRef &a, const ExprRef &b) { return host::make(ExprOp::Le, {a, b}); }

static Value tensorOf(HostTensor memory) {
  return Value(HostTensorValue{std::make_shared<HostTensor>(std::move(memory))});
}

void PlanBuilder::require(const ExprRef &condition, const std::string &what, SourceRange range) {
  if (condition->op == ExprOp::BoolConstant && condition->boolValue)
    return;
  if (condition->op == ExprOp::BoolConstant)
    e.fail(range, diag::bad_requires{.message = "this never holds: " + what});
  facts.push_back(condition);
  plan.info.requirements.push_back(impliedBy(
      guard ? host::make(ExprOp::Or, {host::make(ExprOp::Not, {guard}), condition}) : condition, what, range));
}

ExprRef PlanBuilder::bytesOf(const HostTensor &memory, const ExprRef &elements, SourceRange range) {
  std::optional<host::Number> number = memory.pointee.empty() ? memory.element : host::numberByName(memory.pointee);
  if (!number)
    e.fail(
        diag::not_supported, range,
        {"a part of memory of `" + memory.pointee + "` in a `@launch` function", "let a kernel compute the address"});
  const unsigned bits = host::memoryBits(host::format(*number));
  if (bits % 8 == 0)
    return times(elements, host::intConstant(bits / 8));
  const ExprRef all = times(elements, host::intConstant(bits));
  require(host::make(ExprOp::Eq, {host::make(ExprOp::Mod, {all, host::intConstant(8)}), zero()}),
          "`" + e.diags.sources.text(range).str() + "` begins and ends with a byte", range);
  return host::make(ExprOp::FloorDiv, {all, host::intConstant(8)});
}

bool PlanBuilder::isRowMajor(const HostTensor &memory) {
  if (!memory.modes.empty())
    return false;
  ExprRef expected = host::intConstant(1);
  for (size_t i = memory.shape.size(); i-- > 0; expected = times(memory.shape[i], expected)) {
    if (!isNumber(memory.shape[i], 1) && !host::provablyEqual(memory.strides[i], expected, facts))
      return false;
  }
  return true;
}

/// Views split modes by their numbers; a mode that is several numbers has no single stride.
static void requireFlat(Elaborator &e, const HostTensor &memory, const char *what, SourceRange range) {
  if (!memory.pointee.empty() || memory.isVector)
    e.fail(diag::bad_index, range, {describe(tensorOf(memory)), "`[...]`"});
  if (!memory.modes.empty())
    e.fail(
        diag::not_supported, range,
        {std::string(what) + " a tensor with a nested shape in a `@launch` function", "use `make_tensor(x.ptr, ...)`"});
}

std::optional<Value> PlanBuilder::slice(const HostTensor &memory, const Values &items, SourceRange range) {
  requireFlat(e, memory, "slicing", range);
  const std::string text = "`" + e.diags.sources.text(range).str() + "`";
  if (items.size() != memory.shape.size())
    e.fail(diag::bad_index, range, {describe(tensorOf(memory)), std::to_string(items.size()) + " indices"});
  HostTensor out = memory;
  out.shape.clear();
  out.strides.clear();
  out.offset = memory.offset ? memory.offset : zero();
  const auto integer = [&](const Value &value) { return toHostExpr(e, value, host::ExprKind::Int, range); };
  for (size_t i = 0; i < items.size(); ++i) {
    const ExprRef &extent = memory.shape[i], &stride = memory.strides[i];
    // As in Python, -1 is the last one; only a number that is known can be negative.
    const auto place = [&](const Value &value) {
      ExprRef at = integer(value);
      return at->op == ExprOp::IntConstant && at->intValue < 0 ? plus(extent, at) : at;
    };
    auto *part = items[i].as<SliceValue>();
    if (!part) {
      const ExprRef at = place(items[i]);
      require(allOf(atMost(zero(), at), host::make(ExprOp::Lt, {at, extent})), text + " is inside", range);
      out.offset = plus(out.offset, times(at, stride));
      continue;
    }
    const Values &ends = *part->parts;
    const ExprRef step = ends[2].isNone() ? host::intConstant(1) : integer(ends[2]);
    if (step->op != ExprOp::IntConstant || step->intValue < 1)
      e.fail(range, diag::not_positive{.what = "the step of a slice of memory", .found = host::toFly(*step)});
    const ExprRef first = ends[0].isNone() ? zero() : place(ends[0]), last = ends[1].isNone() ? extent : place(ends[1]);
    if (!ends[0].isNone() || !ends[1].isNone())
      require(allOf(allOf(atMost(zero(), first), atMost(first, last)), atMost(last, extent)), text + " is inside",
              range);
    const ExprRef length = isNumber(first, 0) ? last : host::make(ExprOp::Sub, {last, first});
    out.shape.push_back(step->intValue == 1 ? length : host::make(ExprOp::CeilDiv, {length, step}));
    out.strides.push_back(times(stride, step));
    out.offset = plus(out.offset, times(first, stride));
  }
  return tensorOf(std::move(out));
}

Value PlanBuilder::reshaped(const HostTensor &memory, const Value &shape, SourceRange range) {
  requireFlat(e, memory, "reshaping", range);
  if (!isRowMajor(memory))
    e.fail(diag::not_supported, range,
           {"reshaping a tensor that is not row-major without gaps (" +
                layoutText(memory.shape, memory.strides, memory.modes) + ")",
            "use `make_tensor(x.ptr, shape, stride)`"});
  ExprRef before = host::intConstant(1), after = before;
  for (auto &extent : memory.shape)
    before = times(before, extent);
  HostTensor out = memory;
  LaunchShape layout = readLaunchShape(e, shape, Value(), range);
  out.shape = layout.shape;
  out.strides = layout.strides;
  out.modes = layout.modes;
  for (auto &extent : layout.shape)
    after = times(after, extent);
  if (!host::provablyEqual(before, after, facts))
    require(host::make(ExprOp::Eq, {before, after}), "`" + e.diags.sources.text(range).str() + "` keeps all elements",
            range);
  return tensorOf(std::move(out));
}

Value PlanBuilder::transposed(const HostTensor &memory, const Value &order, SourceRange range) {
  requireFlat(e, memory, "transposing", range);
  std::vector<size_t> axes;
  if (order.isNone())
    for (size_t i = memory.shape.size(); i-- > 0;)
      axes.push_back(i);
  else
    for (auto &axis : order.sequence() ? *order.sequence() : Values{order})
      axes.push_back(size_t(requireInt(e, axis, range, "an axis")));
  std::vector<size_t> sorted = axes;
  llvm::sort(sorted);
  bool isOrder = sorted.size() == memory.shape.size();
  for (size_t i = 0; i < sorted.size(); ++i)
    isOrder &= sorted[i] == i;
  if (!isOrder)
    e.fail(diag::bad_array, range,
           {"`transpose` needs each of the axes 0 to " + std::to_string(memory.shape.size() - 1) + " once"});
  HostTensor out = memory;
  for (size_t i = 0; i < axes.size(); ++i) {
    out.shape[i] = memory.shape[axes[i]];
    out.strides[i] = memory.strides[axes[i]];
  }
  return tensorOf(std::move(out));
}

Value PlanBuilder::pointerTo(const HostTensor &memory, SourceRange) {
  HostTensor out = memory;
  out.pointee = host::format(memory.element).name;
  out.shape.clear();
  out.strides.clear();
  out.modes.clear();
  return tensorOf(std::move(out));
}

std::optional<Value> PlanBuilder::moved(const HostTensor &pointer, const Value &elements, bool back,
                                        SourceRange range) {
  if (pointer.pointee.empty() || pointer.isVector)
    e.fail(diag::bad_operand, range, {back ? "-" : "+", describe(tensorOf(pointer))});
  HostTensor out = pointer;
  const ExprRef start = out.offset ? out.offset : zero(), by = toHostExpr(e, elements, host::ExprKind::Int, range);
  out.offset = host::make(back ? ExprOp::Sub : ExprOp::Add, {start, by});
  return tensorOf(std::move(out));
}

std::optional<Value> PlanBuilder::tensorAt(const HostTensor &pointer, const Value &shape, const Value &stride,
                                           SourceRange range) {
  std::optional<host::Number> number;
  if (!pointer.pointee.empty() && !pointer.isVector)
    number = host::numberByName(pointer.pointee);
  if (!number)
    e.fail(range, diag::pointer_expected{.what = diag::argument("pointer", "make_tensor"),
                                         .to = " to numbers",
                                         .found = describe(tensorOf(pointer))});
  HostTensor out = pointer;
  out.element = *number;
  out.pointee.clear();
  LaunchShape layout = readLaunchShape(e, shape, stride, range);
  out.shape = layout.shape;
  out.strides = layout.strides;
  out.modes = layout.modes;
  return tensorOf(std::move(out));
}

} // namespace fly::sema
