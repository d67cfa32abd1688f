// `conflict_free_swizzle(layout, write=, read=)`: the swizzle of a tile in LDS that its copies want.
//
//     tile = layout[(128, 64):(64, 1)]
//     banks = conflict_free_swizzle(tile, write=store, read=tiled_copy_A(lds, MMA))
//     sa = shared(f16, composed(banks, tile))
//
// For each wave and each access of the copies, the addresses of the lanes are known. A swizzle is free of conflicts if
// no access takes more cycles than it has phases (compiler/target/LdsBanks.h), which is tried, not concluded.
#pragma once

#include "compiler/sema/atom/TiledCopy.h"

namespace fly::sema {

Value conflictFreeSwizzle(Elaborator &e, BoundCall &call);

} // namespace fly::sema
