// `sched` of `fly.amd`: hints for LLVM's instruction scheduler, and the scope that they apply to.
//
//   with sched.region():                        nothing passes its ends
//       ...
//       sched.group(ds_read=1, mfma=2)          then groups, in this order
#pragma once

#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/value/Object.h"

namespace fly::sema {

/// What `sched.region()` makes, for `with`.
class SchedulingRegion final : public Object {
public:
  std::string description() const override { return "a scheduling region"; }
  std::string text() const override { return "sched.region()"; }
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;

  /// A barrier for the scheduler: one before the region's first instruction, and one after its last.
  static void fence(Elaborator &e, SourceRange range);
};

} // namespace fly::sema
