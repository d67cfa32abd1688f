// Calls: binding arguments, elaborating functions anew at each call, and the services every part uses.
#include "compiler/sema/Builtins.h"
#include "compiler/sema/Elaborator.h"
#include "compiler/sema/Launches.h"

#include "llvm/ADT/ScopeExit.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <set>

namespace fly::sema {

Elaborator::Elaborator(DiagnosticEngine &diags, const target::Target &target, ModuleLoader &loader,
                       mlir::MLIRContext &context)
    : diags(diags), target(target), loader(loader), context(context), frame(std::make_shared<Frame>()) {}

DiagnosticBuilder Elaborator::report(diag::Kind kind, SourceRange range, std::initializer_list<std::string> args) {
  failures += info(kind).severity == Severity::Error;
  auto builder = diags.report(kind, range);
  for (auto &arg : args)
    builder.arg(arg);
  return builder;
}

void Elaborator::fail(diag::Kind kind, SourceRange range, std::initializer_list<std::string> args) {
  report(kind, range, args);
  throw Failed{};
}

void Elaborator::step(SourceRange range) {
  if (++steps <= limits.steps)
    return;
  if (!fatal) {
    auto builder = report(diag::step_limit, range, {std::to_string(limits.steps)});
    builder.help("a loop that runs on the device needs bounds or an effect of run time; a compile-time one, fewer turns");
  }
  fatal = true;
  throw Failed{};
}

void Elaborator::checkSize(const Value &value, SourceRange range) {
  constexpr uint64_t most = uint64_t(1) << 24;
  if (value.weight() > most)
    fail(diag::literal_out_of_range, range, {"this " + std::string(value.is<TupleValue>() ? "tuple" : "list"), "a compile-time value", "up to 2^24 elements, those of elements included"});
}

mlir::OpBuilder &Elaborator::ir(SourceRange range, llvm::StringRef what) {
  if (!builder)
    fail(diag::not_in_kernel, range, {what.str()});
  return *builder;
}

mlir::Location Elaborator::location(SourceRange range) {
  auto one = [&](SourceRange r) -> mlir::Location {
    if (!r.valid())
      return mlir::UnknownLoc::get(&context);
    auto at = diags.sources.lineColumn(r.file, r.begin);
    auto name = locationNames ? locationNames(r.file) : diags.sources.name(r.file).str();
    return mlir::FileLineColLoc::get(&context, name, at.line, at.column);
  };
  if (cachedRange.file == range.file && cachedRange.begin == range.begin && cachedDepth == callSites.size() && cachedLocation)
    return mlir::Location(cachedLocation);
  mlir::Location loc = one(range);
  for (size_t i = callSites.size(); i-- > 0;)
    loc = mlir::CallSiteLoc::get(loc, one(callSites[i]));
  cachedRange = range, cachedDepth = callSites.size(), cachedLocation = loc;
  return loc;
}

static std::string countText(size_t least, size_t most) {
  auto noun = [](size_t n) { return std::to_string(n) + (n == 1 ? " argument" : " arguments"); };
  return least == most ? noun(most) : std::to_string(least) + " to " + noun(most);
}

void Elaborator::bindArguments(const std::vector<ast::Parameter> &parameters, llvm::StringRef what,
                               SourceRange definition, Arguments arguments, SourceRange range, Frame &into) {
  size_t positional = 0, required = 0;
  for (auto &p : parameters) {
    positional += !p.keywordOnly;
    required += !p.keywordOnly && !p.defaultValue;
  }
  std::set<std::string> given;
  size_t next = 0;
  for (auto &argument : arguments) {
    const ast::Parameter *parameter = nullptr;
    if (argument.keyword.empty()) {
      if (next >= positional) {
        size_t count = llvm::count_if(arguments, [](auto &a) { return a.keyword.empty(); });
        auto builder = report(diag::wrong_argument_count, range, {what.str(), countText(required, positional), std::to_string(count)});
        if (definition.valid())
          builder.note(definition, "`" + what + "` is defined here");
        throw Failed{};
      }
      parameter = &parameters[next++];
    } else {
      auto found = llvm::find_if(parameters, [&](auto &p) { return p.name == argument.keyword; });
      if (found == parameters.end()) {
        std::vector<std::string> names;
        for (auto &p : parameters)
          names.push_back(p.name);
        auto guess = didYouMean(argument.keyword, names);
        fail(diag::unknown_keyword, argument.range,
             {what.str(), argument.keyword, guess ? "; did you mean `" + *guess + "`?" : ""});
      }
      parameter = &*found;
    }
    if (!given.insert(parameter->name).second)
      fail(diag::duplicate_argument, argument.range, {what.str(), parameter->name});
    Value value = argument.value;
    checkSize(value, argument.range);
    if (parameter->annotation)
      value = coerce(std::move(value), eval(*parameter->annotation), argument.range, what, parameter->name);
    value.assigned = parameter->range;
    into.variables[parameter->name] = value;
  }
  auto outer = frame;
  llvm::scope_exit restore([&] { frame = outer; });
  for (auto &p : parameters) {
    if (given.count(p.name))
      continue;
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

Value Elaborator::callFunction(const FunctionValue &function, Arguments arguments, SourceRange range) {
  if (callSites.size() >= limits.callDepth) {
    if (!fatal)
      report(diag::recursion_limit, range, {std::to_string(limits.callDepth)})
          .help("a recursion must end by a condition that is known at compile time");
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
    bindArguments(function.def ? function.def->parameters : function.lambda->parameters, name, definition,
                  std::move(arguments), range, *callee);
  }
  auto caller = frame;
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
  Value value = joinReturns(flow, function.def->nameRange);
  if (failures != errors)
    throw Failed{}; // its value would be wrong
  return value;
}

Value Elaborator::call(const Value &callee, Arguments arguments, SourceRange range) {
  if (callee.is<ErrorValue>())
    throw Failed{};
  for (auto &argument : arguments)
    if (argument.value.is<ErrorValue>())
      throw Failed{};
  if (auto *function = callee.as<FunctionValue>())
    return callFunction(*function, std::move(arguments), range);
  if (auto *builtin = callee.as<BuiltinValue>()) {
    BoundCall bound = bindBuiltin(*this, *builtin->builtin, arguments, range);
    return builtin->builtin->elaborate(*this, bound);
  }
  if (auto *method = callee.as<MethodValue>())
    return callMethod(*method, arguments, range);
  if (auto *type = callee.as<Type>()) { // T(x)
    if (arguments.size() != 1 || !arguments[0].keyword.empty())
      fail(diag::wrong_argument_count, range, {type->text(), "1 argument", std::to_string(arguments.size())});
    if (type->isVector() && arguments[0].value.sequence())
      return vectorOf(*type, *arguments[0].value.sequence(), range);
    return convert(arguments[0].value, *type, range);
  }
  if (auto *record = callee.as<StructValue>(); record && record->definition->methods.count("__call__"))
    return callStructMethod(*record, "__call__", std::move(arguments), range);
  if (auto *type = callee.as<StructTypeValue>())
    return construct(*type->definition, std::move(arguments), range);
  if (auto *kernel = callee.as<KernelValue>()) {
    if (onDevice())
      fail(diag::not_callable, range, {"a kernel inside of a kernel"});
    if (planner)
      return planner->call(*kernel, arguments, range);
    if (!runner)
      fail(diag::not_callable, range, {"a kernel outside of a `@check` or `@launch` function"});
    runner->launch(*kernel, std::move(arguments), range);
    return Value();
  }
  fail(diag::not_callable, range, {describe(callee)});
}

Value Elaborator::vectorOf(Type type, const Values &elements, SourceRange range) {
  if (elements.size() != type.lanes)
    fail(diag::wrong_argument_count, range, {type.text(), std::to_string(type.lanes) + " elements", std::to_string(elements.size())});
  llvm::SmallVector<mlir::Value> values;
  for (auto &element : elements)
    values.push_back(toMachine(element, type.element(), range).value);
  auto &b = ir(range, type.text());
  return Value(MachineValue{mlir::vector::FromElementsOp::create(b, location(range), llvm::cast<mlir::VectorType>(mlirType(type)), values), type});
}

} // namespace fly::sema
