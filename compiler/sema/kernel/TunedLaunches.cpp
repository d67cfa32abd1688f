// `tuned(kernel)(arguments)` in a `@launch` function: the instance that a table of `flyc tune` has for the arguments.
//
//     table: m=64 -> BM=32; m=4096 -> BM=128          plan: when distance(64) <= distance(4096)  multiply[BM=32]
//     tuned(multiply)(a, b, c, m)                           when not that                        multiply[BM=128]
//
// Shapes with equal values are one class, which is one step. The class whose nearest shape is nearest to the
// arguments is taken. The distance of two shapes is the product of the ratios of their sizes, the larger by the
// smaller. A class whose preconditions the arguments do not meet is not taken; if none is left, the kernel's own
// values are.
#include "compiler/sema/elaborator/Trial.h"
#include "compiler/sema/kernel/LaunchArguments.h"
#include "compiler/sema/kernel/TunedConstants.h"

#include "llvm/ADT/ScopeExit.h"

namespace fly::sema {

using host::ExprOp;
using host::ExprRef;

namespace {
/// Shapes with the same values.
struct ShapeClass {
  KernelValue instance;
  std::vector<const Tuning::Entry *> entries;
  ExprRef meets, distance; ///< null `meets`: the instance has no preconditions
};

std::string textOf(const std::map<std::string, Value> &values) {
  std::string text;
  for (auto &[name, value] : values)
    text += name + "=" + toText(value, true) + ";";
  return text;
}

/// The larger by the smaller; sizes below 1 count as 1.
ExprRef ratio(const ExprRef &size, int64_t tuned) {
  auto wanted = host::intConstant(std::max<int64_t>(tuned, 1));
  auto smaller = host::make(ExprOp::Max, {host::make(ExprOp::Min, {size, wanted}), host::intConstant(1)});
  return host::make(ExprOp::Div, {host::make(ExprOp::ToFloat, {host::make(ExprOp::Max, {size, wanted})}),
                                  host::make(ExprOp::ToFloat, {smaller})});
}

ExprRef distanceTo(const std::map<std::string, int64_t> &shape, const std::map<std::string, ExprRef> &sizes) {
  ExprRef product;
  for (auto &[name, size] : shape)
    if (auto found = sizes.find(name); found != sizes.end()) {
      auto one = ratio(found->second, size);
      product = product ? host::make(ExprOp::Mul, {product, one}) : one;
    }
  return product ? product : host::floatConstant(1);
}

ExprRef conjunction(const ExprRef &a, const ExprRef &b) { return a && b ? host::make(ExprOp::And, {a, b}) : a ? a : b; }

std::optional<bool> known(const ExprRef &condition) {
  return condition->op == ExprOp::BoolConstant ? std::optional(condition->boolValue) : std::nullopt;
}
} // namespace

Value PlanBuilder::callByShape(const KernelValue &callee, const Arguments &arguments, SourceRange range) {
  auto own = ownConstants(e, callee, range);
  auto entries = tunedEntries(e, callee, own);
  KernelValue plain = callee;
  plain.byShape = false;
  if (entries.empty())
    return addSteps(plain, arguments, range);

  std::vector<ShapeClass> classes;
  for (auto &entry : entries) {
    auto same = llvm::find_if(classes, [&](auto &c) { return textOf(c.entries[0]->values) == textOf(entry.values); });
    if (same == classes.end())
      same = classes.insert(classes.end(), {withConstants(plain, entry.values), {}, nullptr, nullptr});
    same->entries.push_back(&entry);
  }
  // What the arguments can never meet is not a class; what is wrong with the arguments is reported by the step itself.
  llvm::erase_if(classes, [&](ShapeClass &each) {
    const Unheard unheard(e);
    try {
      auto info = describeInstance(e, each.instance, range);
      Bound bound = bind(info, *callee.kernel->def, arguments, range);
      for (auto &requirement : bound.requirements)
        each.meets = conjunction(each.meets, requirement.expr);
      std::map<std::string, ExprRef> sizes;
      for (size_t i = 0; i < info.parameters.size(); ++i)
        if (auto &scalar = bound.scalars[i]; scalar && scalar->kind == host::ExprKind::Int)
          sizes[info.parameters[i].name] = scalar;
      for (auto *entry : each.entries) {
        auto one = distanceTo(entry->shape, sizes);
        each.distance = each.distance ? host::make(ExprOp::Min, {each.distance, one}) : one;
      }
      return false;
    } catch (Failed &) {
      return true;
    }
  });

  auto outer = guard;
  llvm::scope_exit restore([&] { guard = outer; });
  for (size_t i = 0; i < classes.size(); ++i) {
    ExprRef taken = classes[i].meets;
    for (size_t k = i + 1; k < classes.size(); ++k) {
      auto nearer = host::make(ExprOp::Le, {classes[i].distance, classes[k].distance});
      if (classes[k].meets)
        nearer = host::make(ExprOp::Or, {host::make(ExprOp::Not, {classes[k].meets}), nearer});
      if (known(nearer) != true)
        taken = conjunction(taken, nearer);
    }
    if (taken && known(taken) == false)
      continue;
    auto before = guard;
    if (taken && known(taken) != true) {
      guard = under(taken);
      if (host::tooLarge(*guard))
        e.fail(range, diag::launch_expression{});
    }
    addSteps(classes[i].instance, arguments, range);
    if (!taken || known(taken) == true)
      return Value(); // nothing is left for the others
    guard = conjunction(before, host::make(ExprOp::Not, {taken}));
  }
  for (auto &[name, values] : callee.kernel->tune->offered)
    plain = withConstants(plain, {{name, own.at(name)}});
  return addSteps(plain, arguments, range);
}

} // namespace fly::sema
