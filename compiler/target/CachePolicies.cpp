// See CachePolicies.h. Sources: LLVM's SIDefines.h (CPol), and for scopes, the bits that LLVM uses for relaxed atomic
// accesses (SIMemoryLegalizer; AMDGPUUsage, "Memory Model gfx942", "Memory Model GFX12").
#include "compiler/target/CachePolicies.h"

namespace fly::target {

namespace {

constexpr int none = -1;

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
  uint32_t load, atomic;
};
constexpr ScopeBits cdnaScopes[] = {{0, 0}, {1, 0}, {16, 0}, {16, 0}, {17, 16}};
constexpr ScopeBits gfx12Scopes[] = {{0, 0}, {8, 8}, {16, 16}, {16, 16}, {24, 24}};
constexpr ScopeBits gfx1250Scopes[] = {{0, 0}, {0, 0}, {8, 8}, {16, 16}, {24, 24}};

} // namespace

std::span<const CacheHint> cacheHints(const Target &target) {
  if (target.has("th_scope"))
    return gfx12Hints;
  return cdnaHints;
}

uint32_t scopeBits(const Target &target, MemoryAccess access, CacheScope scope) {
  const ScopeBits *row = (target.has("nv")         ? gfx1250Scopes
                          : target.has("th_scope") ? gfx12Scopes
                                                   : cdnaScopes) +
                         size_t(scope);
  return access == MemoryAccess::Atomic ? row->atomic : row->load;
}

uint32_t cacheBits(const Target &target, MemoryAccess access) {
  uint32_t all = target.has("nv") ? 0x3f : target.has("th_scope") ? 0x1f : 0x13;
  return access == MemoryAccess::Atomic ? all & ~1u : all;
}

std::string_view cacheBitNames(const Target &target) {
  return target.has("nv")         ? "th = 0 to 7, scope = 0, 8, 16, 24, nv = 32"
         : target.has("th_scope") ? "th = 0 to 7, scope = 0, 8, 16, 24"
                                  : "sc0 = 1, nt = 2, sc1 = 16";
}

} // namespace fly::target
