// See LlvmOptions.h.
#include "compiler/sema/elaborator/LlvmOptions.h"

#include "compiler/sema/elaborator/Suggest.h"

namespace fly::sema {

bool takesLlvmOptions(const KernelDefinition &kernel) {
  return llvm::none_of(kernel.def->parameters, [](auto &p) { return p.keywordOnly && p.name == llvmConstant; });
}

/// The value as LLVM's command line has it; none for None.
static std::optional<std::string> textOf(Elaborator &e, const std::string &name, const Value &value,
                                         SourceRange range) {
  if (value.isNone())
    return std::nullopt;
  if (auto *truth = value.as<bool>())
    return *truth ? "true" : "false";
  if (auto *text = value.as<std::string>())
    return *text;
  if (value.isNumber())
    return toText(value);
  e.fail(range, diag::bad_llvm_option{.name = name,
                                      .value = toText(value, true),
                                      .problem = "a value is True, False, a number, a string or None"});
}

static SourceRange entryRange(const ast::DictExpr *display, size_t size, size_t at, bool key, SourceRange otherwise) {
  const bool isPlain = display && display->entries.size() == size &&
                       llvm::all_of(display->entries, [](auto &entry) { return entry.key != nullptr; });
  return isPlain ? (key ? display->entries[at].key : display->entries[at].value)->range : otherwise;
}

void readLlvmOptions(Elaborator &e, const Value &dict, SourceRange range, const ast::Expr *expr, LlvmOptions &into) {
  auto *options = dict.as<DictValue>();
  if (!options)
    e.fail(range,
           diag::unknown_llvm_option{.name = toText(dict, true),
                                     .guess = "; `llvm=` takes a dict, as in `{\"enable-post-misched\": False}`"});
  auto *display = llvm::dyn_cast_or_null<ast::DictExpr>(expr);
  const size_t size = options->keys->size();
  for (size_t i = 0; i < size; ++i) {
    const SourceRange keyAt = entryRange(display, size, i, true, range);
    const SourceRange valueAt = entryRange(display, size, i, false, range);
    auto *name = (*options->keys)[i].as<std::string>();
    if (!name)
      e.fail(keyAt,
             diag::unknown_llvm_option{.name = toText((*options->keys)[i], true), .guess = "; a name is a string"});
    if (!e.llvmOptions->has(*name)) {
      auto guess = didYouMean(*name, e.llvmOptions->names());
      e.report(keyAt,
               diag::unknown_llvm_option{.name = *name, .guess = guess ? "; did you mean `" + *guess + "`?" : ""});
      throw Failed{};
    }
    auto text = textOf(e, *name, (*options->values)[i], valueAt);
    if (std::string problem = text ? e.llvmOptions->problem(*name, *text) : ""; !problem.empty())
      e.fail(valueAt, diag::bad_llvm_option{.name = *name, .value = *text, .problem = problem});
    into[*name] = {std::move(text), valueAt};
  }
}

} // namespace fly::sema
