// Cache policies of memory instructions, as data.
//
// Two fields, which are encoded differently (`cacheFields`). A temporal hint tells how soon the data is used again. A
// scope tells whose writes a load must see, and who must see a store: caches that the scope does not share are
// bypassed. The bits are those of LLVM's buffer intrinsics (IntrinsicsAMDGPU.td, "auxiliary/cachepolicy"):
//
//   RDNA 3   glc = 1, slc = 2, dlc = 4
//   CDNA     sc0 = 1, nt = 2, sc1 = 16
//   gfx12    th = 0 to 7, scope = 8 * (CU, SE, DEV, SYS), on gfx1250 nv = 32
#pragma once

#include "compiler/target/Target.h"

namespace fly::target {

enum class MemoryAccess { Load, Store, Atomic };
enum class CacheScope { Wave, Workgroup, Cluster, Agent, System };

struct CacheHint {
  std::string_view name;       ///< "stream"; on gfx12 else as in its assembly, "nt_rt" for TH_LOAD_NT_RT
  int load, store, atomic;     ///< the bits; -1: there is none
  bool isOfSystem = false;     ///< has its meaning only with the system scope, which it implies
  bool excludesSystem = false; ///< its bits mean that other hint there

  int bits(MemoryAccess access) const {
    return access == MemoryAccess::Load ? load : access == MemoryAccess::Store ? store : atomic;
  }
};

/// The hints that a target has.
std::span<const CacheHint> cacheHints(const Target &target);
/// The bits of a scope.
uint32_t scopeBits(const Target &target, MemoryAccess access, CacheScope scope);
/// All bits that an instruction may have; for atomics, without the one that returns the old value.
uint32_t cacheBits(const Target &target, MemoryAccess access);
/// Their names: "sc0 = 1, nt = 2, sc1 = 16".
std::string_view cacheBitNames(const Target &target);

} // namespace fly::target
