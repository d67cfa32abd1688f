// How wide an access of one thread may be. The checks of copies, the search of `copy("auto")`, -Wperf and the lowering
// all ask here.
//
//   width     8 to 128 bits, powers of two; of elements of 6 bits 96, three dwords
//   elements  next to each other, in order
//   place     a multiple of the width, of three dwords a multiple of one; vector memory takes any place, at some cost
//   end       an access across the end of a buffer may lose what is inside; `fly.buffer` says how wide none does
//
//   (4,2):(1,8) of f32, align=16     two accesses of 128 bits
//   the same, align=4                in LDS eight of 32 bits; in global memory two of 128
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/layout/Runs.h"

namespace fly::ir {

/// The widest access of any target.
inline constexpr int64_t widestBits = 128;

/// How many elements of so many bits each an access of `bits` holds at most: a power of two.
int64_t mostElements(unsigned elementBits, int64_t bits = widestBits);
/// The largest power of two of elements that a place known to be a multiple of `alignment` bytes is enough for: of 6
/// bits 4 at any byte, 16 at a dword.
int64_t elementsAligned(unsigned elementBits, unsigned alignment);

/// The bytes that the place of an access of `bits` must be a multiple of: the largest power of two that divides it.
int64_t neededAlignment(int64_t bits);
/// Whether neighbours of `bits` in all are one access at a place known to be a multiple of `alignment` bytes.
bool isOneAccess(int64_t bits, int64_t alignment);
/// Whether vectors may be accessed at any address that suits their elements: vector memory instructions may, as amdhsa
/// sets SH_MEM_CONFIG.alignment_mode to UNALIGNED (LLVM, AMDGPUUsage: unaligned-access-mode). LDS instructions may too,
/// but take more cycles than several narrow ones.
bool takesAnyAddress(AddressSpace space);

/// What keeps all elements of a piece of memory, which fill the width of an access, from being one.
enum class AccessObstacle { Apart, Misaligned };
std::optional<AccessObstacle> obstacleTo(TensorType piece);

/// The accesses that `fly.load_vector` and `fly.store_vector` make of a tensor, each of at most `bits`.
layout::Result<layout::Runs> accessesOf(TensorType type, int64_t bits = widestBits);

/// The widest accesses, in bits, that the values of a thread allow, wherever threads and tiles lead: of a view by
/// ((threads, values), rest). 0 where the values' places are not known.
int64_t widestOfThread(mlir::Value partition);

/// The bits of the widest access to a view that does not lie across the end of its buffer.
int64_t widestInside(mlir::Value view);
/// Of a buffer made of a layout: bytes. `checksDwords`: the target looks at each dword of an access for itself.
int64_t widestInBuffer(const layout::AnyLayout &layout, unsigned elementBits, bool checksDwords);

} // namespace fly::ir
