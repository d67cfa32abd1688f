// See LaunchShapes.h.
#include "compiler/sema/kernel/LaunchShapes.h"

#include "compiler/sema/number/HostExpressions.h"
#include "compiler/sema/tensor/LayoutValues.h"

namespace fly::sema {

using host::ExprOp;
using host::ExprRef;

namespace {

class Reader {
public:
  Reader(Elaborator &e, SourceRange range) : e(e), range(range) {}

  /// The modes of a tuple, or the one that a number is.
  host::Profiles modes(const Value &tuple, std::vector<ExprRef> &leaves) {
    host::Profiles out;
    for (auto &mode : tuple.sequence() ? *tuple.sequence() : Values{tuple})
      out.push_back(profile(mode, leaves, 1));
    return out;
  }

  unsigned bits = 32;

private:
  host::Profile profile(const Value &mode, std::vector<ExprRef> &leaves, unsigned depth) {
    host::Profile out;
    auto *parts = mode.sequence();
    if (!parts) {
      leaves.push_back(leaf(mode));
      return out;
    }
    if (depth == layout::maximumDepth)
      e.fail(diag::bad_layout, range,
             {"a shape nests deeper than " + std::to_string(layout::maximumDepth) + " levels"});
    if (parts->empty())
      e.fail(diag::bad_layout, range, {"a mode of the shape is an empty tuple"});
    for (auto &part : *parts)
      out.parts.push_back(profile(part, leaves, depth + 1));
    return out;
  }

  ExprRef leaf(const Value &value) {
    if (auto *h = value.as<HostValue>())
      bits = std::max(bits, h->bits);
    auto expr = toHostExpr(e, value, host::ExprKind::Int, range);
    if (expr->kind != host::ExprKind::Int)
      e.fail(range, diag::not_an_integer{.what = "an extent or stride", .found = "`" + host::toFly(*expr) + "`"});
    if (expr->op == ExprOp::IntConstant && expr->intValue < 0)
      e.fail(range, diag::negative_value{.what = "an extent or stride", .found = std::to_string(expr->intValue)});
    if (expr->op == ExprOp::IntConstant && expr->intValue > INT32_MAX)
      bits = 64;
    return expr;
  }

  Elaborator &e;
  SourceRange range;
};

bool isFlat(const host::Profiles &modes) {
  return llvm::all_of(modes, [](auto &mode) { return mode.parts.empty(); });
}

} // namespace

LaunchShape readLaunchShape(Elaborator &e, const Value &shape, const Value &stride, SourceRange range) {
  if (auto *object = shape.as<LayoutValue>(); object && stride.isNone()) {
    auto *plain = object->object->as<layout::Layout>();
    if (!plain)
      e.fail(diag::not_supported, range,
             {object->object->description() + " of memory that a launch passes", "use a layout `shape:stride`"});
    return readLaunchShape(e, fromTuple(plain->shape()), fromTuple(plain->stride()), range);
  }
  LaunchShape out;
  Reader reader(e, range);
  out.modes = reader.modes(shape, out.shape);
  if (stride.isNone()) {
    if (!isFlat(out.modes))
      e.fail(diag::not_supported, range,
             {"a nested shape without strides", "write `shape:stride`, with strides nested like the shape"});
    host::ExprRef elements = host::intConstant(1);
    for (auto extent = out.shape.rbegin(); extent != out.shape.rend(); ++extent) {
      out.strides.insert(out.strides.begin(), elements);
      elements = host::make(ExprOp::Mul, {*extent, elements});
    }
  } else {
    host::Profiles modes = reader.modes(stride, out.strides);
    if (modes.size() != out.modes.size())
      e.fail(range, diag::stride_count{.modes = int64_t(out.modes.size()), .found = int64_t(modes.size())});
    if (!host::isSame({modes}, {out.modes}))
      e.fail(diag::bad_layout, range,
             {"the strides are not nested like the shape: " + layoutText(out.shape, {}, out.modes) + " and " +
              layoutText(out.strides, {}, modes)});
  }
  if (isFlat(out.modes))
    out.modes.clear();
  out.bits = reader.bits;
  return out;
}

std::string layoutText(const std::vector<ExprRef> &shape, const std::vector<ExprRef> &strides,
                       const host::Profiles &modes) {
  auto text = [&](const std::vector<ExprRef> &list) {
    std::vector<std::string> leaves;
    for (auto &expr : list)
      leaves.push_back(host::toFly(*expr));
    return host::nestedText(modes, leaves);
  };
  return text(shape) + (strides.empty() ? "" : ":" + text(strides));
}

} // namespace fly::sema
