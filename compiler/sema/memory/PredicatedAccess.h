// `view.load(pred=p, fill=x)`, `view.store(v, pred=p)`: accesses that only happen where `p` holds.
//
// Where `p` is false nothing is accessed, so the address may be anything. There a load returns `fill`, or unspecified
// bits (but never poison: results computed from them may be discarded).
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

struct Predicate {
  std::optional<Argument> on;   ///< `pred=`
  std::optional<Argument> fill; ///< `fill=`, of a load
};
/// Takes `pred=`, and where `takesFill` `fill=`, out of the arguments of `method`.
Predicate takePredicate(Elaborator &e, llvm::StringRef method, Arguments &arguments, bool takesFill);

/// The result of `load` where the predicate holds, else the fill as a `type`.
Value loadWhere(Elaborator &e, const Predicate &predicate, Type type, llvm::function_ref<mlir::Value()> load,
                SourceRange range);
/// Runs `store` where the predicate holds.
void storeWhere(Elaborator &e, const Predicate &predicate, llvm::function_ref<void()> store, SourceRange range);

} // namespace fly::sema
