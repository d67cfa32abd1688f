// Fragments in registers that the program names: `fragment(f32, (8, 4), at=reg.a[0:32])`.
//
// Its slots stay storage (`fly.slot at "a" 0`), and compiler/codegen/machine/PinnedRegisters.h makes instructions use these
// very registers. Nothing else in the kernel gets them: flyc's own budget of VGPRs ends below the first one.
#pragma once

#include "compiler/sema/tensor/Fragment.h"

namespace fly::sema {

/// Puts a fragment that was just made into `registers`, which must be as many as it takes, and pinned by no other one.
void pinFragment(Elaborator &e, const Value &fragment, const Value &registers, SourceRange range);

} // namespace fly::sema
