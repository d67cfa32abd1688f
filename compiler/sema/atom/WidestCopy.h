// copy("auto", source, destination): the widest accesses that are legal for both sides, and what kept them from wider
// ones.
#pragma once

#include "compiler/sema/atom/CopyAtom.h"

namespace fly::sema {

/// The atom of the widest accesses of mode 0 that both sides allow: `BufferCopy`, whose predicates need no branch, if
/// one of them is a buffer, else `UniversalCopy`. Fails if there is none because elements are not whole bytes.
std::shared_ptr<const CopyAtom> widestCopy(Elaborator &e, BoundCall &call, size_t source, size_t destination);

/// Warns if accesses have a single element although mode 0 has more (FLY0619), and on request notes which atom a copy
/// uses (FLY0654). Both list what forbids each wider access. `call` is a copy whose argument 0 is "auto".
void tellOfWidestCopy(Elaborator &e, const BoundCall &call, const CopyAtom &atom, size_t source, size_t destination);

} // namespace fly::sema
