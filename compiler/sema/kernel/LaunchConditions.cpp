// See Launches.h. Conditions that are known at launch: each step has the conjunction of those around it as its guard, a
// `return` under one adds its negation to the guard of all that follows, and a variable assigned on one side of an `if`
// becomes a selection. Guards and selections short-circuit, so that nothing is evaluated that the author put under a
// condition.
#include "compiler/sema/number/HostExpressions.h"
#include "compiler/sema/kernel/Launches.h"

namespace fly::sema {

using host::ExprKind;
using host::ExprOp;
using host::ExprRef;

static ExprRef conjunction(const ExprRef &a, const ExprRef &b) {
  return !a ? b : !b ? a : host::make(ExprOp::And, {a, b});
}

ExprRef PlanBuilder::under(ExprRef condition) const { return conjunction(guard, condition); }

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
      return v.is<bool>()        ? host::boolConstant(*v.as<bool>())
             : v.is<double>()    ? host::floatConstant(*v.as<double>())
             : v.is<HostValue>() ? v.as<HostValue>()->expr
             : toInt64(v)        ? host::intConstant(*toInt64(v))
                                 : nullptr;
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

Value PlanBuilder::join(const std::string &name, const ExprRef &condition, const Value &yes, const Value &no,
                        const ast::IfStmt &stmt) {
  for (auto *v : {&yes, &no})
    if (v->is<ErrorValue>() || v->is<OneSidedValue>())
      return *v;
  if (auto value = joined(condition, yes, no)) {
    if (auto *h = value->as<HostValue>(); h && host::tooLarge(*h->expr))
      e.fail(stmt.test->range, diag::launch_expression{});
    return *value;
  }
  // The side that has not assigned it shows what was before.
  auto within = [&](const Value &v) {
    return v.assigned.file == stmt.range.file && v.assigned.begin >= stmt.range.begin &&
           v.assigned.end <= stmt.range.end;
  };
  auto &changed = within(no) ? no : yes, &first = within(no) ? yes : no;
  auto builder = e.report(changed.assigned.valid() ? changed.assigned : stmt.range,
                          diag::branch_types{.what = "`" + name + "`",
                                             .first = describe(first),
                                             .through = "an `if`",
                                             .other = describeOther(first, changed)});
  if (first.assigned.valid())
    builder.label(first.assigned, describe(first) + " here");
  return Value(ErrorValue{});
}

std::optional<Flow> PlanBuilder::branch(const ast::IfStmt &stmt, const Value &test) {
  const ExprRef condition = toHostExpr(e, test, host::ExprKind::Bool, stmt.test->range);
  auto before = e.frame->variables;
  auto outer = guard;
  size_t returns = e.frame->returns.size();
  auto *loop = e.frame->loops.empty() ? nullptr : &e.frame->loops.back();
  size_t breaks = loop ? loop->breaks.size() : 0, continues = loop ? loop->continues.size() : 0;
  struct Side {
    Flow flow;
    decltype(before) variables;
    ExprRef start, end;
  };
  auto side = [&](const ast::Block &body, const ExprRef &when) {
    guard = conjunction(outer, when);
    if (host::tooLarge(*guard))
      e.fail(stmt.test->range, diag::launch_expression{});
    auto start = guard;
    e.frame->variables = before;
    Flow flow = e.execBlock(body);
    bool returned = e.frame.get() == function && e.frame->returns.size() > returns;
    e.frame->returns.resize(returns);
    if (loop) // nothing joins these edges: they are refused below
      loop->breaks.resize(breaks), loop->continues.resize(continues);
    if (flow == Flow::Jumped && !returned)
      e.fail(diag::not_supported, stmt.test->range,
             {"a jump under a launch-time condition",
              "use `return` from the `@launch` function itself, or `a if c else b`"});
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
    bool whole = yes.start == yes.end && no.start == no.end; // nobody returned within
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

} // namespace fly::sema
