// Expressions: one function that dispatches on the node, and small ones for the forms with special rules.
#include "compiler/sema/tensor/LayoutValues.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/HostExpressions.h"
#include "compiler/sema/control/ControlFlow.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/module/ModuleLoader.h"
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/number/Containers.h"
#include "compiler/sema/elaborator/Dicts.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/value/TextFormat.h"
#include "compiler/sema/number/Vectors.h"
#include "compiler/syntax/Walk.h"

#include "compiler/dialect/FlyOps.h"

#include "llvm/ADT/ScopeExit.h"

namespace fly::sema {

using ast::ExprKind;

Value Evaluator::lookUp(const std::string &name, SourceRange range) {
  for (Frame *f = frame.get(); f; f = f->enclosing.get())
    if (auto found = f->variables.find(name); found != f->variables.end()) {
      if (found->second.is<ErrorValue>())
        throw Failed{};
      if (auto *oneSided = found->second.as<OneSidedValue>()) {
        report(range, diag::branch_only_name{.name = name, .what = oneSided->what})
            .label(oneSided->condition, "decided at run time")
            .help("assign it before, `" + name + " = ...`, or move the use inside");
        throw Failed{};
      }
      return found->second;
    }
  if (frame->module) {
    auto found = frame->module->names.find(name);
    if (found != frame->module->names.end()) {
      if (found->second.is<ErrorValue>())
        throw Failed{};
      return found->second;
    }
  }
  if (auto value = preludeValue(*this, name, range))
    return *value;
  if (auto *builtin = loader.environment.builtins.find(name))
    return Value(BuiltinValue{builtin});
  // The resolver has seen the whole file: the name exists, but no assignment to it was reached.
  auto builder = report(range, diag::unassigned_name{.name = name});
  throw Failed{};
}

Values Evaluator::iterate(const Value &value, SourceRange range, llvm::StringRef purpose) {
  if (value.is<ErrorValue>())
    throw Failed{};
  refuseRunTime(value, range);
  if (auto *elements = value.sequence())
    return *elements;
  if (auto *text = value.as<std::string>()) {
    Values out;
    for (char c : *text)
      out.push_back(Value(std::string(1, c)));
    return out;
  }
  if (auto *dict = value.as<DictValue>())
    return *dict->keys;
  if (auto *run = value.as<RangeValue>()) {
    for (auto &part : *run->parts)
      if (auto *m = part.as<MachineValue>())
        fail(diag::not_compile_time, range, {"the range of " + purpose.str(), m->type.text()});
    Values out;
    forEach(*this, value, range, purpose, [&](const Value &element) {
      out.push_back(element);
      return true;
    });
    return out;
  }
  if (auto *m = value.as<MachineValue>(); m && m->type.isVector())
    return vectorElements(*this, *m, range);
  if (auto *array = value.as<ArrayValue>(); array && !array->array->shape.empty()) {
    Values out;
    for (int64_t i = 0; i < array->array->shape[0]; ++i)
      out.push_back(index(value, {Value(i)}, range, {range}));
    return out;
  }
  if (auto *object = value.as<LayoutValue>())
    if (auto modes = layoutModes(*object))
      return *modes;
  if (value.is<IndexValue>()) {
    Values out;
    for (const char *axis : {"x", "y", "z"})
      out.push_back(attribute(value, axis, range, range));
    return out;
  }
  auto builder = report(range, diag::not_iterable{.purpose = purpose.str(), .found = describe(value)});
  const std::string text = diags.sources.text(range).str();
  if (value.is<TensorValue>())
    builder.help("to iterate over the extent of a mode, use `range(" + text + ".shape[0])`");
  else if (auto *m = value.as<MachineValue>(); purpose == "`for`" && (value.is<Int>() || (m && m->type.isInteger())))
    builder.help("to count up to it, write `range(" + text + ")`", Fix::possible(range, "range(" + text + ")"));
  throw Failed{};
}

static Arguments evalArguments(Elaborator &e, const ast::CallExpr &call) {
  Arguments arguments;
  for (auto &argument : call.arguments) {
    if (auto *star = llvm::dyn_cast<ast::StarredExpr>(argument.value)) {
      for (auto &value : e.iterate(e.eval(*star->value), star->range, "`*`"))
        arguments.push_back({"", value, star->range});
      continue;
    }
    if (argument.keywords) { // `**dict`
      Value value = e.eval(*argument.value);
      auto *dict = value.as<DictValue>();
      if (!dict)
        e.fail(argument.value->range, diag::not_a_dict{.what = "an argument after `**`", .found = describe(value)});
      for (auto [key, each] : llvm::zip(*dict->keys, *dict->values)) {
        auto *name = key.as<std::string>();
        if (!name || name->empty())
          e.fail(diag::wrong_value, argument.value->range,
                 {"a key of `**`", "the name of a parameter", toText(key, true)});
        arguments.push_back({*name, each, argument.value->range});
      }
      continue;
    }
    arguments.push_back({argument.keyword, e.eval(*argument.value), argument.value->range});
  }
  return arguments;
}

static Value evalCall(Elaborator &e, const ast::CallExpr &call) {
  if (auto *member = llvm::dyn_cast<ast::AttributeExpr>(call.callee)) {
    Value base = e.eval(*member->base);
    bool mayChange = (base.is<ListValue>() || base.is<DictValue>()) && isMutator(member->name);
    if (mayChange)
      if (auto result = mutate(e, call, *member, std::move(base), [&] { return evalArguments(e, call); }))
        return *result;
    Value callee =
        e.attribute(mayChange ? e.eval(*member->base) : base, member->name, member->range, member->nameRange);
    return e.call(callee, evalArguments(e, call), call.range);
  }
  Value callee = e.eval(*call.callee);
  return e.call(callee, evalArguments(e, call), call.range);
}

namespace {
/// Runs the clauses of a comprehension inside each other and hands what they give to `out`.
struct Comprehension {
  Elaborator &e;
  const ast::ComprehensionExpr &expr;
  llvm::function_ref<void()> out;

  void run(size_t clause) {
    if (clause == expr.clauses.size())
      return out();
    auto &c = expr.clauses[clause];
    forEach(e, e.eval(*c.iterable), c.iterable->range, "a comprehension", [&](const Value &value) {
      e.step(expr.range);
      e.assign(*c.target, value);
      for (auto *test : c.tests)
        if (!truth(e, e.eval(*test), test->range))
          return true;
      run(clause + 1);
      return true;
    });
  }
};
} // namespace

static Value comprehend(Elaborator &e, const ast::ComprehensionExpr &expr) {
  if (expr.key) {
    DictBuilder dict;
    Comprehension{e, expr,
                  [&] {
                    Value key = e.eval(*expr.key);
                    dict.set(e, key, e.eval(*expr.element), expr.key->range);
                  }}
        .run(0);
    return dict.done();
  }
  Values out;
  Comprehension{e, expr, [&] { out.push_back(e.eval(*expr.element)); }}.run(0);
  return makeList(std::move(out));
}

/// `and` and `or` short-circuit at compile time and at run time; launch-time and array operands are combined.
static Value evalBoolOp(Elaborator &e, const ast::BoolOpExpr &expr) {
  std::optional<Value> soFar; // of run time or launch time
  SourceRange soFarRange;
  for (size_t i = 0; i < expr.operands.size(); ++i) {
    auto *operand = expr.operands[i];
    if (auto *m = soFar ? soFar->as<MachineValue>() : nullptr) {
      // The right side runs only where the left one leaves the matter open.
      auto lazily = [&] { return Value(toCondition(e, e.eval(*operand), operand->range)); };
      soFar = shortCircuit(e, expr.isAnd, *m, lazily, expr.range);
      continue;
    }
    Value value = e.eval(*operand);
    if (value.is<HostValue>() || (soFar && soFar->is<HostValue>())) {
      auto x = toHostExpr(e, value, host::ExprKind::Bool, operand->range);
      soFar = soFar ? Value(HostValue{host::make(expr.isAnd ? host::ExprOp::And : host::ExprOp::Or,
                                                 {toHostExpr(e, *soFar, host::ExprKind::Bool, soFarRange), x})})
                    : value;
      soFarRange = operand->range;
      continue;
    }
    if (value.is<MachineValue>()) {
      soFar = Value(toCondition(e, value, operand->range));
      continue;
    }
    if (value.is<ArrayValue>()) {
      soFar = soFar ? e.binary(expr.isAnd ? ast::BinaryOp::And : ast::BinaryOp::Or, *soFar, value, expr.range,
                               expr.range, expr.range, operand->range)
                    : value;
      continue;
    }
    if (soFar && soFar->is<ArrayValue>()) {
      soFar = e.binary(expr.isAnd ? ast::BinaryOp::And : ast::BinaryOp::Or, *soFar, value, expr.range, expr.range,
                       expr.range, operand->range);
      continue;
    }
    bool decided = truth(e, value, operand->range) != expr.isAnd;
    if (decided || i + 1 == expr.operands.size())
      return value;
  }
  return *soFar;
}

/// Whether the expression is a number of compile time that can be had without emitting anything.
static bool isNumber(Elaborator &e, const ast::Expr &expr) {
  bool is = true;
  ast::walk(expr, [&](const ast::Expr &part) {
    switch (part.kind) {
    case ExprKind::Int:
    case ExprKind::Float:
    case ExprKind::Unary:
    case ExprKind::Binary: return;
    case ExprKind::Name: is = is && e.lookUp(llvm::cast<ast::NameExpr>(part).name, part.range).isNumber(); return;
    default: is = false;
    }
  });
  return is;
}

/// One of two numbers. Neither has a type yet, so the value keeps both until it gets a type.
static std::optional<Value> chooseLiteral(Elaborator &e, MachineValue condition, Value yes, Value no,
                                          SourceRange range) {
  if (yes.is<bool>() || no.is<bool>() || condition.type.isVector())
    return std::nullopt;
  auto isNarrow = [](const Value &x) {
    return x.is<double>() || (toInt64(x) && host::representable(host::Number::I32, *toInt64(x)));
  };
  host::Number number = yes.is<double>() || no.is<double>() ? host::Number::F32
                        : isNarrow(yes) && isNarrow(no)     ? host::Number::I32
                                                            : host::Number::I64;
  Value out;
  out.choice = std::make_shared<const LiteralChoice>(LiteralChoice{condition.value, std::move(yes), std::move(no)});
  out.storage = MachineValue{selectLiteral(e, *out.choice, Type::scalar(number), range), Type::scalar(number)};
  return out;
}

static Value evalConditional(Elaborator &e, const ast::ConditionalExpr &expr) {
  Value test = e.eval(*expr.test);
  if (auto *h = test.as<HostValue>()) {
    auto x = e.eval(*expr.whenTrue), y = e.eval(*expr.whenFalse);
    auto kind = host::ExprKind::Int;
    if (x.is<double>() || y.is<double>())
      kind = host::ExprKind::Float;
    return Value(HostValue{host::make(host::ExprOp::Select, {h->expr, toHostExpr(e, x, kind, expr.whenTrue->range),
                                                             toHostExpr(e, y, kind, expr.whenFalse->range)})});
  }
  if (!test.is<MachineValue>())
    return e.eval(truth(e, test, expr.test->range) ? *expr.whenTrue : *expr.whenFalse);
  auto c = toCondition(e, test, expr.test->range);
  if (isNumber(e, *expr.whenTrue) && isNumber(e, *expr.whenFalse))
    if (auto chosen = chooseLiteral(e, c, e.eval(*expr.whenTrue), e.eval(*expr.whenFalse), expr.range))
      return *chosen;
  return e.branch(c, [&] { return e.eval(*expr.whenTrue); }, [&] { return e.eval(*expr.whenFalse); }, expr.range);
}

static Value evalCompare(Elaborator &e, const ast::CompareExpr &expr) {
  Value left = e.eval(*expr.operands[0]);
  Value result(true);
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    Value right = e.eval(*expr.operands[i + 1]);
    SourceRange pair = join(expr.operands[i]->range, expr.operands[i + 1]->range);
    Value one = e.compare(expr.ops[i].op, left, right, pair, expr.ops[i].range);
    if (i == 0)
      result = one;
    else if (result.is<bool>() && one.is<bool>())
      result = Value(*result.as<bool>() && *one.as<bool>());
    else if (result.is<HostValue>() || one.is<HostValue>())
      result = Value(HostValue{host::make(host::ExprOp::And, {toHostExpr(e, result, host::ExprKind::Bool, pair),
                                                              toHostExpr(e, one, host::ExprKind::Bool, pair)})});
    else
      result = e.binary(ast::BinaryOp::And, result, one, pair, pair, pair, pair);
    if (result.is<bool>() && !*result.as<bool>())
      return result;
    left = right;
  }
  return result;
}

static Value evalFString(Elaborator &e, const ast::FStringExpr &expr) {
  std::string out;
  for (auto &part : expr.parts) {
    if (!part.value) {
      out += part.text;
      continue;
    }
    Value value = e.eval(*part.value);
    if (auto *m = value.as<MachineValue>())
      e.report(diag::not_compile_time, part.value->range, {"a part of an f-string", m->type.text()})
          .help("to print it: `printf(\"... {} ...\\n\", " + e.diags.sources.text(part.value->range).str() + ")`"),
          throw Failed{};
    std::string spec = part.spec, error;
    if (part.format) { // its fields first: `{x:>{width}}`; a conversion stands before it
      std::string conversion = llvm::StringRef(spec).starts_with("!") ? spec.substr(0, 2) + ":" : "";
      spec = conversion + *evalFString(e, *llvm::cast<ast::FStringExpr>(part.format)).as<std::string>();
    }
    auto text = formatted(value, spec, error);
    if (!text)
      e.fail(diag::bad_fstring, part.value->range, {error});
    out += *text;
  }
  return Value(out);
}

/// In a trial, a literal in disguise (Carried.cpp) that has met its type has that type from then on.
static Value unmasked(Elaborator &e, Value value, SourceRange range) {
  auto *m = e.trialDepth && value.origin && value.origin->firstUse ? value.as<MachineValue>() : nullptr;
  if (!m || m->type == *value.origin->firstUse)
    return value;
  Type type = *value.origin->firstUse;
  return Value(MachineValue{ir::UndefinedOp::create(*e.kernel.builder, e.location(range), mlirType(e, type)), type});
}

/// `not x` of a number or a vector: the help has the same meaning as what was written.
[[noreturn]] static void failNegated(Elaborator &e, const MachineValue &operand, const ast::UnaryExpr &expr) {
  if (operand.type.isVector())
    toCondition(e, Value(operand), expr.operand->range); // reports it
  const std::string text = e.diags.sources.text(expr.operand->range).str() + " == 0";
  e.report(diag::bad_condition, expr.operand->range, {operand.type.text()})
      .help("replace `" + e.diags.sources.text(expr.range).str() + "` with `" + text + "`",
            Fix::possible(expr.range, "(" + text + ")"));
  throw Failed{};
}

Value Evaluator::eval(const ast::Expr &expr) { return watcher ? evaluateWatched(expr) : evaluate(expr); }

Value Evaluator::evaluateWatched(const ast::Expr &expr) {
  if (watcher->isStopped()) {
    fatal = true;
    throw Failed{};
  }
  Value value = evaluate(expr);
  watcher->evaluated(expr, value);
  return value;
}

Value Evaluator::evaluate(const ast::Expr &expr) {
  step(expr.range);
  if (!evaluatedOnce.empty())
    if (auto found = evaluatedOnce.find(&expr); found != evaluatedOnce.end())
      return found->second;
  if (++exprDepth > limits.exprDepth) {
    exprDepth = 0;
    fail(diag::recursion_limit, expr.range, {std::to_string(limits.callDepth)});
  }
  llvm::scope_exit leave([this] { exprDepth -= exprDepth > 0; });
  switch (expr.kind) {
  case ExprKind::Name: return unmasked(*this, lookUp(llvm::cast<ast::NameExpr>(expr).name, expr.range), expr.range);
  case ExprKind::Int: return Value(llvm::cast<ast::IntExpr>(expr).value);
  case ExprKind::Float: return Value(llvm::cast<ast::FloatExpr>(expr).value);
  case ExprKind::String: return Value(llvm::cast<ast::StringExpr>(expr).value);
  case ExprKind::FString: return evalFString(*this, llvm::cast<ast::FStringExpr>(expr));
  case ExprKind::Bool: return Value(llvm::cast<ast::BoolExpr>(expr).value);
  case ExprKind::None: return Value();
  case ExprKind::Tuple:
  case ExprKind::List: {
    bool isTuple = expr.kind == ExprKind::Tuple;
    Values out;
    for (auto *element :
         isTuple ? llvm::cast<ast::TupleExpr>(expr).elements : llvm::cast<ast::ListExpr>(expr).elements) {
      if (auto *star = llvm::dyn_cast<ast::StarredExpr>(element)) {
        for (auto &value : iterate(eval(*star->value), star->range, "`*`"))
          out.push_back(value);
        continue;
      }
      out.push_back(eval(*element));
    }
    return isTuple ? makeTuple(std::move(out)) : makeList(std::move(out));
  }
  case ExprKind::Dict: {
    DictBuilder dict;
    for (auto &entry : llvm::cast<ast::DictExpr>(expr).entries) {
      Value key = entry.key ? eval(*entry.key) : Value(), value = eval(*entry.value);
      if (entry.key) {
        dict.set(*this, key, std::move(value), entry.key->range);
        continue;
      }
      auto *other = value.as<DictValue>();
      if (!other)
        fail(entry.value->range, diag::not_a_dict{.what = "a value after `**`", .found = describe(value)});
      dict.setAll(*this, *other, entry.value->range);
    }
    return dict.done();
  }
  case ExprKind::Unary: {
    auto &node = llvm::cast<ast::UnaryExpr>(expr);
    Value operand = eval(*node.operand);
    if (auto *m = operand.as<MachineValue>(); m && node.op == ast::UnaryOp::Not && !m->type.isBool())
      failNegated(*this, *m, node);
    return unary(node.op, operand, expr.range);
  }
  case ExprKind::Binary: {
    auto &node = llvm::cast<ast::BinaryExpr>(expr);
    Value lhs = eval(*node.lhs), rhs = eval(*node.rhs);
    return binary(node.op, lhs, rhs, expr.range, node.opRange, node.lhs->range, node.rhs->range);
  }
  case ExprKind::Compare: return evalCompare(*this, llvm::cast<ast::CompareExpr>(expr));
  case ExprKind::BoolOp: return evalBoolOp(*this, llvm::cast<ast::BoolOpExpr>(expr));
  case ExprKind::Conditional: return evalConditional(*this, llvm::cast<ast::ConditionalExpr>(expr));
  case ExprKind::Call: return evalCall(*this, llvm::cast<ast::CallExpr>(expr));
  case ExprKind::Subscript: {
    auto &node = llvm::cast<ast::SubscriptExpr>(expr);
    return unmasked(*this, subscript(eval(*node.base), node), expr.range);
  }
  case ExprKind::Slice: {
    auto &node = llvm::cast<ast::SliceExpr>(expr);
    auto part = [&](const ast::Expr *p) { return p ? eval(*p) : Value(); };
    Values parts{part(node.start), part(node.stop), part(node.step)};
    return Value(SliceValue{std::make_shared<const Values>(std::move(parts))});
  }
  case ExprKind::Attribute: {
    auto &node = llvm::cast<ast::AttributeExpr>(expr);
    return unmasked(*this, attribute(eval(*node.base), node.name, expr.range, node.nameRange), expr.range);
  }
  case ExprKind::Lambda: {
    FunctionValue function;
    function.lambda = &llvm::cast<ast::LambdaExpr>(expr);
    function.enclosing = frame->isModule ? nullptr : frame;
    function.module = frame->module;
    evaluateDefaults(function.lambda->parameters, function);
    return Value(function);
  }
  case ExprKind::Comprehension: {
    // Its names have their own scope, as in Python.
    auto outer = frame;
    frame = std::make_shared<Frame>();
    frame->enclosing = outer;
    frame->module = outer->module;
    frame->function = outer->function;
    frame->isComprehension = true;
    llvm::scope_exit restore([&] { frame = outer; });
    return comprehend(*this, llvm::cast<ast::ComprehensionExpr>(expr));
  }
  case ExprKind::Starred: fail(expr.range, diag::misplaced_star{});
  }
  llvm_unreachable("every kind of expression is handled");
}

} // namespace fly::sema
