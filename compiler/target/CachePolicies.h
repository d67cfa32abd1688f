// Cache policies: what a memory instruction says to the caches, as data.
//
// Two fields, which CDNA and gfx12 encode differently. A temporal hint says how soon the data is used again. A scope says whose
// writes a load must see, and who must see a store: caches nearer than what the scope shares are passed by. The bits are those of
// LLVM's buffer intrinsics (IntrinsicsAMDGPU.td, "auxiliary/cachepolicy"):
//
//   CDNA     sc0 = 1, nt = 2, sc1 = 16
//   gfx12    th = 0 to 7, scope = 8 * (CU, SE, DEV, SYS), on gfx1250 nv = 32
#pragma once

#include "compiler/target/Target.h"

namespace fly::target {

enum class MemoryAccess { Load, Store, Atomic };
enum class CacheScope { Wave, Workgroup, Cluster, Agent, System };

struct CacheHint {
  std::string_view name;      ///< "stream"; on gfx12 else as in its assembly, "nt_rt" for TH_LOAD_NT_RT
  int load, store, atomic;    ///< the bits; -1: there is none
  bool isOfSystem = false;    ///< means what it says only with the system's scope, which it brings along
  bool excludesSystem = false; ///< its bits mean that other hint there

  int bits(MemoryAccess access) const { return access == MemoryAccess::Load ? load : access == MemoryAccess::Store ? store : atomic; }
};

/// The hints that a target has.
std::span<const CacheHint> cacheHints(const Target &target);
/// The bits of a scope.
uint32_t scopeBits(const Target &target, MemoryAccess access, CacheScope scope);
/// All bits that an instruction may have; of atomics without the one that asks for what was there.
uint32_t cacheBits(const Target &target, MemoryAccess access);
/// Their names: "sc0 = 1, nt = 2, sc1 = 16".
std::string_view cacheBitNames(const Target &target);

} // namespace fly::target
