// `sched` of `fly.amd`: hints for LLVM's instruction scheduler, and the scope that they apply to.
//
//   with sched.region():                        nothing passes its ends
//       ...
//       sched.group(ds_read=1, mfma=2)          then groups, in this order
//   with sched.fixed():                         memory and matrix instructions in the order of the source
//       ...
//   sched.interleave(first, second)             two streams, whose instructions alternate
//   sched.in_shadow(product, work)              what executes while a matrix instruction does
#pragma once

#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/value/Object.h"

namespace fly::sema {

/// What `sched.region()` and `sched.fixed()` make, for `with`.
class SchedulingRegion final : public Object {
public:
  explicit SchedulingRegion(bool isFixed) : isFixed(isFixed) {}
  std::string description() const override { return "a scheduling region"; }
  std::string text() const override { return isFixed ? "sched.fixed()" : "sched.region()"; }
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;

  /// Elaborates the statements that are in the region.
  Flow exec(Elaborator &e, const ast::WithStmt &stmt, SourceRange range) const;

private:
  bool isFixed;
};

} // namespace fly::sema
