// See CachePolicies.h. Sources: LLVM's SIDefines.h (CPol), and for scopes, the bits that LLVM uses for relaxed atomic
// accesses (SIMemoryLegalizer; AMDGPUUsage, "Memory Model GFX10-GFX11", "Memory Model gfx942", "Memory Model GFX12").
#include "compiler/target/CachePolicies.h"

#include <iterator>

namespace fly::target {

namespace {

constexpr int none = -1;

constexpr CacheHint glcHints[] = {
    {"stream", 6, 7, 2},
};
constexpr CacheHint cdnaHints[] = {
    {"stream", 2, 2, 2},
};
constexpr CacheHint gfx12Hints[] = {
    {"stream", 1, 1, 2},                 // NT: not again soon
    {"ht", 2, 2, none},                  // high temporal: again and again
    {"lu", 3, none, none, false, true},  // last use: need not be written back
    {"wb", none, 3, none, false, true},  // write back: again soon, and from memory
    {"bypass", 3, 3, none, true, false}, // bypasses all caches
    {"nt_rt", 4, 4, none},               // in near caches not again soon, in far ones as usual
    {"rt_nt", 5, 5, none},
    {"nt_ht", 6, 6, none},
    {"nt_wb", none, 7, none},
};

/// By CacheScope. gfx1250's workgroups never span two compute units' caches.
struct ScopeBits {
  uint32_t load, store, atomic;
};
constexpr ScopeBits glcScopes[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
constexpr ScopeBits cdnaScopes[] = {{0, 0, 0}, {1, 1, 0}, {16, 16, 0}, {16, 16, 0}, {17, 17, 16}};
constexpr ScopeBits gfx12Scopes[] = {{0, 0, 0}, {8, 8, 8}, {16, 16, 16}, {16, 16, 16}, {24, 24, 24}};
constexpr ScopeBits gfx1250Scopes[] = {{0, 0, 0}, {0, 0, 0}, {8, 8, 8}, {16, 16, 16}, {24, 24, 24}};

/// By CacheFields.
struct PolicyRow {
  std::span<const CacheHint> hints;
  std::span<const ScopeBits> scopes;
  uint32_t all; ///< bits of the policy; atomics use bit 0, or the lowest of the hint, for themselves
  std::string_view names;
};
constexpr PolicyRow policies[] = {
    {glcHints, glcScopes, 0x7, "glc = 1, slc = 2, dlc = 4"},
    {cdnaHints, cdnaScopes, 0x13, "sc0 = 1, nt = 2, sc1 = 16"},
    {gfx12Hints, gfx12Scopes, 0x1f, "th = 0 to 7, scope = 0, 8, 16, 24"},
    {gfx12Hints, gfx1250Scopes, 0x3f, "th = 0 to 7, scope = 0, 8, 16, 24, nv = 32"},
};
static_assert(std::size(policies) == size_t(CacheFields::HintScopeNv) + 1);

const PolicyRow &policyOf(const Target &target) { return policies[size_t(target.cacheFields)]; }

} // namespace

std::span<const CacheHint> cacheHints(const Target &target) { return policyOf(target).hints; }

uint32_t scopeBits(const Target &target, MemoryAccess access, CacheScope scope) {
  const ScopeBits &row = policyOf(target).scopes[size_t(scope)];
  switch (access) {
  case MemoryAccess::Load: return row.load;
  case MemoryAccess::Store: return row.store;
  case MemoryAccess::Atomic: break;
  }
  return row.atomic;
}

uint32_t cacheBits(const Target &target, MemoryAccess access) {
  const uint32_t all = policyOf(target).all;
  return access == MemoryAccess::Atomic ? all & ~1u : all;
}

std::string_view cacheBitNames(const Target &target) { return policyOf(target).names; }

} // namespace fly::target
