// copy("auto", source, destination): the widest accesses that are legal for both sides, and what kept them from wider ones.
#pragma once

#include "compiler/sema/atom/CopyAtom.h"

namespace fly::sema {

/// The atom of the widest accesses of mode 0 that both sides allow: `BufferCopy` where one of them is a buffer, whose predicates
/// need no branch, else `UniversalCopy`. Fails where there is none: elements that are no whole bytes.
std::shared_ptr<const CopyAtom> widestCopy(Elaborator &e, BoundCall &call, size_t source, size_t destination);

/// Warns of single elements where mode 0 has more (FLY0619), and says, if asked, which atom a copy takes (FLY0654); both with
/// what forbids each wider access, side by side. `call` is a copy whose argument 0 is "auto".
void tellOfWidestCopy(Elaborator &e, const BoundCall &call, const CopyAtom &atom, size_t source, size_t destination);

} // namespace fly::sema
