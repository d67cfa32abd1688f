// What compile-time values can do, as methods: strings, tuples, lists, dicts, ranges, numbers.
//
// Lists and dicts are values, so a method that changes one (`append`, `update`) changes the variable, element or field
// that it is called on, not a copy: `mutate`.
#pragma once

#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/value/KnownRange.h"

namespace fly::sema {

/// The method of a value of this kind that leaves it as it is; null if there is none.
const Builtin *findMethod(const Value &self, llvm::StringRef name);
/// The names of all methods, for suggestions.
std::vector<std::string> methodNames(const Value &self);
Value callMethodOf(Elaborator &e, const Builtin &method, const Value &self, Arguments &arguments, SourceRange range);

/// `base.name(arguments)` where that changes the list or dict `base`; none if it is not such a call.
std::optional<Value> mutate(Elaborator &e, const ast::CallExpr &call, const ast::AttributeExpr &callee, Value base,
                            const std::function<Arguments()> &arguments);
/// Whether a method of this name may change what it is called on.
bool isMutator(llvm::StringRef name);
/// The place of the name in `target`, whose value is changed in part; refuses a name of a surrounding function.
void checkOwned(Elaborator &e, const ast::Expr &target);

/// Visits the elements one after the other without making a list of a range; false stops.
void forEach(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef purpose,
             llvm::function_ref<bool(const Value &)> visit);

/// In a stable order; `key` may be None.
void sortValues(Elaborator &e, Values &values, const Value &key, bool descending, SourceRange range);
/// Calls a function of compile time with positional arguments.
Value apply(Elaborator &e, const Value &function, Values arguments, SourceRange range);

} // namespace fly::sema
