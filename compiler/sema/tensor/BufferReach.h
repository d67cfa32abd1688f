// How far a buffer reaches. An access has 32 bits of offset after the start of its buffer. A tensor beyond 2 GiB is a
// far buffer: an access to it goes through a buffer that begins where a part was cut out by coordinates that all lanes
// share. Which coordinates these are is known when the kernel is complete (compiler/analysis/RebaseFarBuffers.cpp).
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// `buffer(part)` of a far buffer: one that begins there. The kernel stops where it is too large.
TensorValue rebasedHere(Elaborator &e, const TensorValue &part, SourceRange range);
/// Before an access to a view: refuses one of a far buffer that is known to span more than offsets reach.
void checkReach(Elaborator &e, const TensorValue &piece, SourceRange range);
/// Refuses an access to more than offsets reach.
[[noreturn]] void failBeyondReach(Elaborator &e, const TensorValue &part, SourceRange range);

} // namespace fly::sema
