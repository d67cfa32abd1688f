// Private: fields of gfx12's encodings that an instruction does not use. The machine ignores them; LLVM's decoder
// demands one value of some, and older assemblers wrote another. A table has them per format.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <cstdint>

namespace fly::isa {

/// An instruction with what follows it: LLVM's decoder never reaches the end of the bytes within an instruction.
using CodeWindow = std::array<uint8_t, 32>;

/// Whether `decodes` takes the bytes with fields that are not used as LLVM demands them; then `code` has them so.
///
/// A field counts as not used if no other value of it means something else: `sameAs(b, a)` says whether the bytes `b` are
/// no instruction, or the same as `a`. So an operand that the instruction does use, and that is illegal, stays illegal.
bool clearIgnoredFields(CodeWindow &code, llvm::function_ref<bool(const CodeWindow &)> decodes,
                        llvm::function_ref<bool(const CodeWindow &, const CodeWindow &)> sameAs);

} // namespace fly::isa
