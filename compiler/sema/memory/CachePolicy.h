// The cache policy of an access: `BufferCopy(128, f32, cache="stream")`, `buffer_load(b, f32, scope="system")`.
//
//   cache=   how soon the data is used again: a hint of the target by name, or an integer, the bits of the instruction
//   scope=   the threads whose writes a load sees and that see a store: caches nearer than that are bypassed
//
// Names and bits are the target's (compiler/target/CachePolicies.h). Plain accesses to global memory, which the backend
// chooses itself, have less: "stream", and a scope up to 64 bits, as relaxed atomic accesses.
#pragma once

#include "compiler/dialect/FlyDialect.h"
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/target/CachePolicies.h"

namespace fly::sema {

struct CachePolicy {
  std::string hint; ///< empty: none
  std::optional<ir::MemoryScope> scope;
  std::optional<uint32_t> raw; ///< the instruction's bits; then neither of the others

  bool isUsual() const { return hint.empty() && !scope && !raw; }
  /// As it was written: `cache="stream", scope="agent"`; empty if there is none.
  std::string text() const;
};

/// The policy of a call's arguments, `scopeAt` after `cacheAt`. Refuses a policy that no access in `accesses` has on
/// the target.
CachePolicy cachePolicyOf(Elaborator &e, const BoundCall &call, size_t cacheAt,
                          llvm::ArrayRef<target::MemoryAccess> accesses);
/// Its bits in an instruction, which may lack the hint.
uint32_t cacheBitsOf(Elaborator &e, const CachePolicy &policy, target::MemoryAccess access, SourceRange range);
/// The bits of `t.load(volatile=, nontemporal=)` of a buffer.
uint32_t cacheBitsOf(Elaborator &e, bool isVolatile, bool isNontemporal, target::MemoryAccess access);
/// Refuses a policy that a plain global memory access of this many bits cannot have.
void checkPlainPolicy(Elaborator &e, const CachePolicy &policy, int64_t bits, SourceRange range);

} // namespace fly::sema
