// See Expectations.h. A refused launch or a fault ends only that launch, and the body continues. An error ends its
// statement, as elsewhere, but goes to a separate list instead of the user.
#include "compiler/sema/check/Expectations.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/elaborator/CodeRole.h"
#include "compiler/sema/elaborator/Suggest.h"

#include "llvm/ADT/ScopeExit.h"

namespace fly::sema {

namespace {

Flow refused(Elaborator &e, KernelRunner &runner, const std::string &condition, std::optional<std::string> kernel,
             const ast::WithStmt &stmt) {
  llvm::scope_exit restore([&] { runner.expectedRefusal.reset(), runner.expectedKernel.reset(); });
  runner.expectedRefusal = condition;
  runner.expectedKernel = kernel;
  runner.refused = false;
  Flow flow = e.execBlock(stmt.body);
  ++runner.expectations;
  if (!runner.refused)
    runner.mismatch("no launch was refused because of `" + condition + "`" + (kernel ? " of `" + *kernel + "`" : ""),
                    stmt.range);
  return flow;
}

Flow faulted(Elaborator &e, KernelRunner &runner, const std::string &text, const ast::WithStmt &stmt) {
  llvm::scope_exit restore([&] { runner.expectedFault.reset(); });
  runner.expectedFault = text;
  runner.faulted = false;
  Flow flow = e.execBlock(stmt.body);
  ++runner.expectations;
  if (!runner.faulted)
    runner.mismatch("no launch ended with a fault of `" + text + "`", stmt.range);
  return flow;
}

Flow failed(Elaborator &e, KernelRunner &runner, const std::string &code, SourceRange codeRange,
            const ast::WithStmt &stmt) {
  auto kind = findDiagnostic(code);
  if (!kind)
    e.fail(diag::wrong_value, codeRange,
           {"the argument of `expect_error`", "the code or name of a diagnostic", "`" + code + "`"});
  std::vector<Diagnostic> found;
  unsigned failures = e.failures;
  {
    auto *outer = e.diags.expected;
    llvm::scope_exit restore([&] { e.diags.expected = outer, e.failures = failures, e.fatal = false; });
    e.diags.expected = &found;
    try {
      e.execBlock(stmt.body);
    } catch (Failed &) {
    }
  }
  ++runner.expectations;
  ++runner.launches; // of a kernel that must not compile there is no other
  auto nameOf = [](diag::Kind k) { return std::string(info(k).code) + " " + info(k).name; };
  if (found.empty())
    runner.mismatch("expected the error " + nameOf(*kind) + ", there was none", stmt.range);
  for (auto &diagnostic : found)
    if (diagnostic.kind != *kind)
      runner.mismatch("expected the error " + nameOf(*kind) + ", got " + nameOf(diagnostic.kind) + ": " +
                          diagnostic.message,
                      stmt.range);
  return Flow::Next;
}

/// A workgroup of a grid: a number, or a tuple of up to three, x first.
std::array<uint32_t, 3> workgroupOf(Elaborator &e, const Value &value, SourceRange range) {
  const auto *tuple = value.as<TupleValue>();
  const Values parts = tuple ? *tuple->elements : Values{value};
  if (parts.empty() || parts.size() > 3)
    e.fail(range, diag::out_of_range{.what = "the number of dimensions of a workgroup",
                                     .low = 1,
                                     .high = 3,
                                     .found = std::to_string(parts.size())});
  std::array<uint32_t, 3> id{};
  for (size_t k = 0; k < parts.size(); ++k) {
    const int64_t at = requireInt(e, parts[k], range, "a workgroup of `only_workgroups`");
    if (at < 0 || at > INT32_MAX)
      e.fail(range,
             diag::out_of_range{
                 .what = "a workgroup of `only_workgroups`", .low = 0, .high = INT32_MAX, .found = std::to_string(at)});
    id[k] = uint32_t(at);
  }
  return id;
}

/// Launches in the body execute only these workgroups.
Flow limited(Elaborator &e, KernelRunner &runner, const ast::CallExpr &call, const ast::WithStmt &stmt) {
  std::vector<std::array<uint32_t, 3>> chosen;
  for (auto &argument : call.arguments) {
    if (!argument.keyword.empty())
      failUnknown(e, diag::unknown_keyword, argument.range, "only_workgroups", argument.keyword, {});
    const Value value = e.eval(*argument.value);
    if (const auto *list = value.as<ListValue>())
      for (const Value &each : *list->elements)
        chosen.push_back(workgroupOf(e, each, argument.range));
    else
      chosen.push_back(workgroupOf(e, value, argument.range));
  }
  if (chosen.empty())
    e.fail(diag::missing_argument, call.range, {"only_workgroups", "workgroup"});
  auto &only = runner.onlyWorkgroups;
  llvm::scope_exit restore([&, outer = only] { only = outer; });
  only = std::move(chosen);
  return e.execBlock(stmt.body);
}

void takesNothing(Elaborator &e, const ast::CallExpr &call, llvm::StringRef name) {
  if (!call.arguments.empty())
    e.fail(diag::wrong_argument_count, call.range, {name.str(), "no argument", std::to_string(call.arguments.size())});
}

/// Results of launches in the body may depend on the order in which waves run.
Flow inAnyOrder(Elaborator &e, KernelRunner &runner, const ast::CallExpr &call, const ast::WithStmt &stmt) {
  takesNothing(e, call, "any_order");
  llvm::scope_exit restore([&, outer = runner.anyOrder] { runner.anyOrder = outer; });
  runner.anyOrder = true;
  return e.execBlock(stmt.body);
}

/// Launches in the body run at once.
Flow together(Elaborator &e, KernelRunner &runner, const ast::CallExpr &call, const ast::WithStmt &stmt) {
  takesNothing(e, call, "together");
  if (runner.isTogether)
    e.fail(diag::not_supported, call.range, {"`with together()` inside another one", "its launches run at once, too"});
  runner.beginTogether(call.range);
  runner.isTogether = true;
  bool runs = false;
  llvm::scope_exit end([&] {
    runner.isTogether = false;
    if (!runs)
      runner.endTogether(false);
  });
  Flow flow = e.execBlock(stmt.body);
  runs = true;
  runner.endTogether(true);
  return flow;
}

} // namespace

std::optional<Flow> execExpectation(Elaborator &e, llvm::StringRef name, const ast::CallExpr &call,
                                    const ast::WithStmt &stmt) {
  bool isRefused = name == "expect_refused", isError = name == "expect_error", isFault = name == "expect_fault";
  const bool isLimit = name == "only_workgroups", isTogether = name == "together";
  const bool isAnyOrder = name == "any_order";
  if (!isRefused && !isError && !isFault && !isLimit && !isTogether && !isAnyOrder)
    return std::nullopt;
  KernelRunner &runner = e.role->runner(e, name, call.range);
  if (isLimit)
    return limited(e, runner, call, stmt);
  if (isTogether)
    return together(e, runner, call, stmt);
  if (isAnyOrder)
    return inAnyOrder(e, runner, call, stmt);
  std::optional<std::string> text, kernel;
  SourceRange range = call.range;
  for (auto &argument : call.arguments) {
    bool isKernel = isRefused && argument.keyword == "kernel";
    if (!argument.keyword.empty() && !isKernel)
      failUnknown(e, diag::unknown_keyword, argument.range, name.str(), argument.keyword,
                  isRefused ? std::vector<std::string>{"kernel"} : std::vector<std::string>{});
    if (!isKernel && text)
      e.fail(diag::wrong_argument_count, call.range, {name.str(), "1 argument", std::to_string(call.arguments.size())});
    Value value = e.eval(*argument.value);
    if (!value.is<std::string>())
      e.fail(argument.value->range, diag::not_a_string{.what = isKernel ? "the kernel of `expect_refused`"
                                                                        : "the argument of `" + name.str() + "`",
                                                       .found = describe(value)});
    (isKernel ? kernel : text) = *value.as<std::string>();
    if (!isKernel)
      range = argument.value->range;
  }
  if (!text)
    e.fail(diag::missing_argument, call.range, {name.str(), isRefused ? "condition" : isError ? "code" : "text"});
  return isRefused ? refused(e, runner, *text, kernel, stmt)
         : isError ? failed(e, runner, *text, range, stmt)
                   : faulted(e, runner, *text, stmt);
}

} // namespace fly::sema
