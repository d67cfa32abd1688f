// See TuneOffers.h.
//
//     @kernel(block=256, grid=...)
//     @tune(BM=[64, 128], STAGES=[2, 3], where=BM * STAGES <= 256, key=(m, n))
//
// The lists are evaluated once, at the top level of the file. A table of `flyc tune` holds values as text, so a value
// is of a kind whose text says all of it, and no two values of a list have the same text. `where=` is evaluated for
// each combination (compiler/search/tune/TuneSearch.cpp), and `key=` is never evaluated: it names parameters.
#include "compiler/sema/language/TuneOffers.h"

#include "compiler/sema/elaborator/Kinds.h"
#include "compiler/sema/elaborator/LlvmOptions.h"
#include "compiler/sema/elaborator/Suggest.h"

namespace fly::sema {

namespace {

bool isText(const Value &value) {
  if (auto *parts = value.sequence())
    return llvm::all_of(*parts, isText);
  return value.isNone() || value.isNumber() || value.is<bool>() || value.is<std::string>() || value.is<Type>();
}

Values readList(Elaborator &e, const ast::Parameter &parameter, const ast::Argument &argument) {
  Values list = e.iterate(e.eval(*argument.value), argument.value->range, "`@tune`");
  if (list.empty())
    e.fail(argument.value->range, diag::empty_value{.what = "the list of `" + parameter.name + "`"});
  std::set<std::string> texts;
  for (Value &value : list) {
    if (!isText(value))
      e.fail(diag::bad_decorator, argument.value->range,
             {"`@tune` offers numbers, types, strings and tuples of them, not " + describe(value)});
    value = checkConstant(e, "@tune", parameter, std::move(value), argument.value->range);
    if (!texts.insert(toText(value, true)).second)
      e.fail(diag::bad_decorator, argument.value->range,
             {"`@tune` offers `" + toText(value, true) + "` twice for `" + parameter.name + "`"});
  }
  return list;
}

/// Dicts of LLVM options.
Values readLlvmList(Elaborator &e, const ast::Argument &argument) {
  Values list = e.iterate(e.eval(*argument.value), argument.value->range, "`@tune`");
  if (list.empty())
    e.fail(argument.value->range, diag::empty_value{.what = "the list of `llvm`"});
  auto *display = llvm::dyn_cast<ast::ListExpr>(argument.value);
  std::set<std::string> texts;
  for (auto [i, value] : llvm::enumerate(list)) {
    auto *expr = display && display->elements.size() == list.size() ? display->elements[i] : argument.value;
    LlvmOptions checked;
    readLlvmOptions(e, value, expr->range, expr, checked);
    if (!texts.insert(toText(value, true)).second)
      e.fail(diag::bad_decorator, expr->range, {"`@tune` offers `" + toText(value, true) + "` twice for `llvm`"});
  }
  return list;
}

/// `(m, n, k)` or `m`: parameters that a launch gets.
std::vector<std::string> readKey(Elaborator &e, const ast::Expr &expr, const ast::DefStmt &kernel) {
  std::vector<const ast::Expr *> names{&expr};
  if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&expr))
    names.assign(tuple->elements.begin(), tuple->elements.end());
  std::vector<std::string> key;
  for (auto *each : names) {
    auto *name = llvm::dyn_cast<ast::NameExpr>(each);
    auto found =
        llvm::find_if(kernel.parameters, [&](auto &p) { return name && p.name == name->name && !p.keywordOnly; });
    if (found == kernel.parameters.end())
      e.fail(diag::bad_decorator, each->range,
             {"`key=` names scalar parameters of the kernel, as in `key=(m, n)`; `" +
              e.diags.sources.text(each->range).str() + "` is not one"});
    key.push_back(name->name);
  }
  if (key.empty())
    e.fail(expr.range, diag::empty_value{.what = "`key=`"});
  return key;
}

} // namespace

std::unique_ptr<const TuneOffer> readTuneOffer(Elaborator &e, const ast::Expr &decorator, const ast::DefStmt &kernel) {
  auto *call = llvm::dyn_cast<ast::CallExpr>(&decorator);
  auto offer = std::make_unique<TuneOffer>();
  std::set<std::string> seen;
  for (auto &argument : call ? call->arguments : std::vector<ast::Argument>{}) {
    if (argument.keyword.empty())
      e.fail(diag::bad_decorator, argument.range, {"`@tune` takes only keywords: `BM=[64, 128]`"});
    if (!seen.insert(argument.keyword).second)
      e.fail(diag::duplicate_argument, argument.range, {"@tune", argument.keyword});
    auto parameter =
        llvm::find_if(kernel.parameters, [&](auto &p) { return p.keywordOnly && p.name == argument.keyword; });
    if (parameter != kernel.parameters.end()) {
      if (!parameter->defaultValue)
        e.fail(diag::bad_decorator, argument.range,
               {"`@tune` varies `" + argument.keyword + "`, which needs a default, the value without a tuning table"});
      offer->offered.push_back({argument.keyword, readList(e, *parameter, argument)});
    } else if (argument.keyword == llvmConstant) {
      offer->offered.push_back({argument.keyword, readLlvmList(e, argument)});
    } else if (argument.keyword == "where") {
      offer->where = argument.value;
    } else if (argument.keyword == "key") {
      offer->key = readKey(e, *argument.value, kernel);
    } else {
      std::vector<std::string> names{"where", "key", "llvm"};
      for (auto &p : kernel.parameters)
        if (p.keywordOnly)
          names.push_back(p.name);
      failUnknown(e, diag::unknown_keyword, argument.range, "@tune", argument.keyword, names);
    }
  }
  if (offer->offered.empty())
    e.fail(diag::bad_decorator, decorator.range,
           {"`@tune` needs values for a `Constexpr` parameter: `@tune(BM=[64, 128])`"});
  return offer;
}

} // namespace fly::sema
