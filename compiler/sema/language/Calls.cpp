// Calls: binding arguments, elaborating functions at each call.
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/control/ControlFlow.h"
#include "compiler/sema/elaborator/CodeRole.h"
#include "compiler/sema/elaborator/Trial.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/sema/module/ModuleLoader.h"
#include "compiler/sema/value/Object.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/FastMath.h"
#include "compiler/sema/tensor/LayoutValues.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/number/Vectors.h"
#include "compiler/syntax/Walk.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/ScopeExit.h"

#include <set>

namespace fly::sema {

static std::string countText(size_t least, size_t most) {
  return least == most ? counted(most, "argument") : std::to_string(least) + " to " + counted(most, "argument");
}

/// Whether the expression reads one of the names; what a lambda or comprehension binds itself counts too.
static bool reads(const ast::Expr &expr, llvm::ArrayRef<ast::Parameter> names) {
  bool found = false;
  ast::walk(expr, [&](const ast::Expr &part) {
    if (auto *name = llvm::dyn_cast<ast::NameExpr>(&part))
      found |= llvm::any_of(names, [&](auto &p) { return p.name == name->name; });
  });
  return found;
}

void Evaluator::evaluateDefaults(const std::vector<ast::Parameter> &parameters, FunctionValue &function) {
  if (llvm::none_of(parameters, [](auto &p) { return p.defaultValue; }))
    return;
  auto defaults = std::make_shared<std::vector<std::optional<Value>>>(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto *value = parameters[i].defaultValue;
    if (!value || reads(*value, llvm::ArrayRef(parameters).take_front(i)))
      continue;
    // Expressions that cannot be evaluated here, such as `thread_id.x` at module level, are left to the call, together
    // with their errors.
    const Unheard unheard(*this);
    try {
      (*defaults)[i] = eval(*value);
    } catch (Failed &) {
    }
  }
  function.defaults = std::move(defaults);
}

void Evaluator::bindArguments(const std::vector<ast::Parameter> &parameters, const FunctionValue &function,
                              llvm::StringRef what, SourceRange definition, Arguments arguments, SourceRange range,
                              Frame &into) {
  size_t positional = 0, required = 0;
  const ast::Parameter *restParameter = nullptr, *keywordsParameter = nullptr;
  for (auto &p : parameters) {
    if (p.kind != ast::Parameter::One) {
      (p.kind == ast::Parameter::Rest ? restParameter : keywordsParameter) = &p;
      continue;
    }
    positional += !p.keywordOnly;
    required += !p.keywordOnly && !p.defaultValue;
  }
  std::set<std::string> given;
  size_t next = 0;
  Values rest, keys, values;
  auto coerced = [&](const ast::Parameter &parameter, const Argument &argument) {
    checkSize(argument.value, argument.range);
    return parameter.annotation
               ? coerce(argument.value, eval(*parameter.annotation), argument.range, what, parameter.name)
               : argument.value;
  };
  for (auto &argument : arguments) {
    const ast::Parameter *parameter = nullptr;
    if (argument.keyword.empty()) {
      if (next >= positional && restParameter) {
        rest.push_back(coerced(*restParameter, argument));
        continue;
      }
      if (next >= positional) {
        size_t count = llvm::count_if(arguments, [](auto &a) { return a.keyword.empty(); });
        auto builder = report(diag::wrong_argument_count, range,
                              {what.str(), countText(required, positional), std::to_string(count)});
        if (definition.valid())
          builder.note(definition, "`" + what + "` is defined here");
        throw Failed{};
      }
      parameter = &parameters[next++];
    } else {
      auto found = llvm::find_if(parameters,
                                 [&](auto &p) { return p.kind == ast::Parameter::One && p.name == argument.keyword; });
      if (found == parameters.end() && keywordsParameter) {
        Value key(argument.keyword);
        if (llvm::any_of(keys, [&](auto &k) { return *k.template as<std::string>() == argument.keyword; }))
          fail(diag::duplicate_argument, argument.range, {what.str(), argument.keyword});
        keys.push_back(key);
        values.push_back(coerced(*keywordsParameter, argument));
        continue;
      }
      if (found == parameters.end()) {
        std::vector<std::string> names;
        for (auto &p : parameters)
          names.push_back(p.name);
        failUnknown(*this, diag::unknown_keyword, argument.range, what.str(), argument.keyword, names);
      }
      parameter = &*found;
    }
    if (!given.insert(parameter->name).second)
      fail(diag::duplicate_argument, argument.range, {what.str(), parameter->name});
    Value value = coerced(*parameter, argument);
    value.assigned = parameter->range;
    into.variables[parameter->name] = value;
  }
  if (restParameter)
    into.variables[restParameter->name] = makeTuple(std::move(rest));
  if (keywordsParameter)
    into.variables[keywordsParameter->name] = makeDict(std::move(keys), std::move(values));
  auto outer = frame;
  llvm::scope_exit restore([&] { frame = outer; });
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto &p = parameters[i];
    if (given.count(p.name) || p.kind != ast::Parameter::One)
      continue;
    if (function.defaults && (*function.defaults)[i]) {
      Value value = *(*function.defaults)[i];
      if (p.annotation && onDevice())
        value = coerce(std::move(value), eval(*p.annotation), p.defaultValue->range, what, p.name);
      into.variables[p.name] = std::move(value);
      continue;
    }
    if (!p.defaultValue) {
      auto builder = report(diag::missing_argument, range, {what.str(), p.name});
      if (definition.valid())
        builder.note(p.range, "`" + p.name + "` is declared here");
      throw Failed{};
    }
    // A default may use earlier parameters.
    frame = std::make_shared<Frame>();
    frame->variables = into.variables;
    frame->enclosing = into.enclosing;
    frame->module = into.module;
    into.variables[p.name] = eval(*p.defaultValue);
  }
}

Value Evaluator::callFunction(const FunctionValue &function, Arguments arguments, SourceRange range) {
  if (callSites.size() >= limits.callDepth) {
    if (!fatal)
      report(diag::recursion_limit, range, {std::to_string(limits.callDepth)})
          .help("recursion must end with a condition that is known at compile time");
    fatal = true;
    throw Failed{};
  }
  step(range);
  auto callee = std::make_shared<Frame>();
  callee->enclosing = function.enclosing;
  callee->module = function.module;
  callee->function = function.def;
  callee->methodOf = function.methodOf;
  callee->isCall = true;
  std::string name = function.def ? function.def->name : "lambda";
  SourceRange definition = function.def ? function.def->nameRange : function.lambda->range;
  {
    auto caller = frame;
    llvm::scope_exit restore([&] { frame = caller; });
    auto scope = std::make_shared<Frame>();
    scope->enclosing = function.enclosing;
    scope->module = function.module;
    frame = scope;
    bindArguments(function.def ? function.def->parameters : function.lambda->parameters, function, name, definition,
                  std::move(arguments), range, *callee);
  }
  auto caller = frame;
  CallFastMath flags(*this, caller->module, function.module);
  frame = callee;
  callSites.push_back(range);
  diags.frames.push_back({range, "in the call of `" + name + "`"});
  llvm::scope_exit restore([&] {
    frame = caller;
    callSites.pop_back();
    diags.frames.pop_back();
  });
  if (function.lambda)
    return eval(*function.lambda->body);
  unsigned errors = failures;
  Flow flow = execBlock(function.def->body);
  Value value = joinReturns(*this, flow, function.def->nameRange);
  if (failures != errors)
    throw Failed{}; // its value would be wrong
  return value;
}

namespace {
/// A call, by the kind of what is called: one overload for each that can be.
struct Call {
  Evaluator &e;
  const Value &callee;
  Arguments &arguments;
  SourceRange range;

  Value operator()(const FunctionValue &function) { return e.callFunction(function, std::move(arguments), range); }
  Value operator()(const ExternValue &function) {
    return e.callExtern(*function.definition, std::move(arguments), range);
  }
  Value operator()(const BuiltinValue &function) {
    const Builtin &builtin = *function.builtin;
    FastMathScope flags(e, builtin.takes == Takes::FastMath ? takeFastMath(e, arguments) : e.fastmath);
    BoundCall bound = bindBuiltin(e, builtin, arguments, range);
    return builtin.elaborate(e, bound);
  }
  Value operator()(const MethodValue &method) { return e.callMethod(method, arguments, range); }
  Value operator()(const KernelValue &kernel) { return e.role->call(e, kernel, std::move(arguments), range); }
  Value operator()(const StructTypeValue &type) { return e.construct(*type.definition, std::move(arguments), range); }
  Value operator()(const StructValue &record) {
    const bool isCallable = record.definition->methods.count("__call__");
    return isCallable ? e.callStructMethod(record, "__call__", std::move(arguments), range) : notCallable();
  }
  Value operator()(const ObjectValue &value) {
    return value.object->isCallable() ? value.object->call(e, arguments, range) : notCallable();
  }
  Value operator()(const LayoutValue &layout) { // L((1, 2)), swizzle(3, 3, 3)(x)
    return callLayout(e, layout, arguments, range);
  }
  Value operator()(const GenericValue &generic) { // layout("(4,8):(8,1)")
    return generic.generic == Generic::Layout ? layoutOfText(e, arguments, range) : notCallable();
  }
  Value operator()(const Type &type) { // T(x), vec[T, N](x, y, ...)
    const Conversion how = takeConversion(e, arguments, type.text());
    if (type.isVector() && arguments.size() == 1 && arguments[0].value.sequence())
      return e.vectorOf(type, *arguments[0].value.sequence(), range);
    if (type.isVector() && arguments.size() > 1) {
      Values elements;
      for (auto &argument : arguments)
        elements.push_back(argument.value);
      return e.vectorOf(type, elements, range);
    }
    if (arguments.size() != 1)
      wrongCount(type.text());
    return convert(e, arguments[0].value, type, range, how);
  }
  Value operator()(const PointerTypeValue &type) { // Pointer[T, space](x)
    if (arguments.size() != 1 || !arguments[0].keyword.empty())
      wrongCount(toText(callee));
    return makePointer(e, type, arguments[0].value, range);
  }
  template <typename T> Value operator()(const T &) { notCallable(); }

private:
  [[noreturn]] void wrongCount(const std::string &what) {
    e.fail(diag::wrong_argument_count, range, {what, "1 argument", std::to_string(arguments.size())});
  }

  [[noreturn]] Value notCallable() {
    auto builder = e.report(diag::not_callable, range, {describe(callee)});
    const llvm::StringRef text = e.diags.sources.text(range);
    const std::string name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).str();
    if (callee.is<IndexValue>())
      builder.help("use one axis: `" + name + ".x`");
    else if (callee.is<TensorValue>())
      builder.help("to access an element, write `" + name + "[...]`");
    else if (callee.is<GenericValue>())
      builder.help("write its arguments in square brackets: `" + name + "[...]`");
    else if (text.drop_front(name.size()).ltrim().starts_with("(") &&
             llvm::is_contained(preludeNames(e.loader.environment.builtins), name))
      builder.help("the variable `" + name + "` hides the function; rename it");
    throw Failed{};
  }
};
} // namespace

Value Evaluator::call(const Value &callee, Arguments arguments, SourceRange range) {
  if (callee.is<ErrorValue>())
    throw Failed{};
  for (auto &argument : arguments)
    if (argument.value.is<ErrorValue>())
      throw Failed{};
  return std::visit(Call{*this, callee, arguments, range}, callee.storage);
}

Value Evaluator::vectorOf(Type type, const Values &elements, SourceRange range) {
  size_t lanes = 0;
  for (auto &element : elements) {
    auto *m = element.as<MachineValue>();
    lanes += m ? std::max(1u, m->type.lanes) : 1;
  }
  if (lanes != type.lanes)
    fail(diag::wrong_argument_count, range, {type.text(), counted(type.lanes, "element"), std::to_string(lanes)});
  return Value(vectorOfParts(*this, type, elements, range));
}

} // namespace fly::sema
