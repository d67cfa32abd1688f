// See CachePolicy.h.
#include "compiler/sema/memory/CachePolicy.h"

#include "compiler/sema/memory/Pointers.h"

namespace fly::sema {

using target::CacheHint;
using target::MemoryAccess;

std::string CachePolicy::text() const {
  std::string out;
  if (raw)
    out = "cache=" + std::to_string(*raw);
  else if (!hint.empty())
    out = "cache=\"" + hint + "\"";
  if (scope)
    out += (out.empty() ? "scope=\"" : ", scope=\"") + ir::stringifyMemoryScope(*scope).str() + "\"";
  return out;
}

static target::CacheScope cacheScopeOf(ir::MemoryScope scope) {
  switch (scope) {
  case ir::MemoryScope::Wave: return target::CacheScope::Wave;
  case ir::MemoryScope::Workgroup: return target::CacheScope::Workgroup;
  case ir::MemoryScope::Cluster: return target::CacheScope::Cluster;
  case ir::MemoryScope::Agent: return target::CacheScope::Agent;
  case ir::MemoryScope::System: return target::CacheScope::System;
  }
  llvm_unreachable("every scope is handled");
}

static const CacheHint *hintNamed(const target::Target &target, std::string_view name) {
  auto hints = target::cacheHints(target);
  auto found = llvm::find_if(hints, [&](const CacheHint &hint) { return hint.name == name; });
  return found == hints.end() ? nullptr : &*found;
}

static const char *nameOf(MemoryAccess access) {
  return access == MemoryAccess::Load ? "load" : access == MemoryAccess::Store ? "store" : "atomic operation";
}

/// "stream", "ht", an integer of the bits ...: what the accesses have.
static diag::Choices legalPolicies(const target::Target &target, llvm::ArrayRef<MemoryAccess> accesses) {
  diag::Choices out;
  for (const CacheHint &hint : target::cacheHints(target))
    if (llvm::any_of(accesses, [&](MemoryAccess access) { return hint.bits(access) >= 0; }))
      out.push_back("\"" + std::string(hint.name) + "\"");
  out.push_back("an integer of the bits " + std::string(target::cacheBitNames(target)) + " on " +
                std::string(target.name));
  return out;
}

CachePolicy cachePolicyOf(Elaborator &e, const BoundCall &call, size_t cacheAt, llvm::ArrayRef<MemoryAccess> accesses) {
  CachePolicy policy;
  const size_t scopeAt = cacheAt + 1;
  auto isGiven = [&](size_t i) { return call.given[i] && !call[i].isNone(); };
  if (isGiven(scopeAt))
    policy.scope = scopeOf(e, call[scopeAt], call.ranges[scopeAt]);
  if (!isGiven(cacheAt))
    return policy;
  const Value &given = call[cacheAt];
  SourceRange range = call.ranges[cacheAt];
  auto refuse = [&](const std::string &found) {
    e.fail(range,
           diag::unknown_choice{.what = "`cache`", .choices = legalPolicies(e.target, accesses), .found = found});
  };
  if (auto bits = given.is<bool>() ? std::nullopt : toInt64(given)) {
    uint32_t all = 0;
    for (MemoryAccess access : accesses)
      all |= target::cacheBits(e.target, access);
    if (*bits < 0 || (*bits & ~int64_t(all)))
      refuse(std::to_string(*bits));
    if (policy.scope)
      e.fail(call.ranges[scopeAt],
             diag::scope_conflict{.scope = ir::stringifyMemoryScope(*policy.scope).str(),
                                  .cache = std::to_string(*bits),
                                  .instead = "leave it out, because the bits of `cache` include it"});
    policy.raw = uint32_t(*bits);
    return policy;
  }
  auto *name = given.as<std::string>();
  const CacheHint *hint = name ? hintNamed(e.target, *name) : nullptr;
  if (!hint || llvm::none_of(accesses, [&](MemoryAccess access) { return hint->bits(access) >= 0; }))
    refuse(name ? "\"" + *name + "\"" : describe(given));
  const bool isOfSystem = policy.scope == ir::MemoryScope::System;
  if ((hint->isOfSystem && policy.scope && !isOfSystem) || (hint->excludesSystem && isOfSystem))
    e.fail(call.ranges[scopeAt],
           diag::scope_conflict{.scope = ir::stringifyMemoryScope(*policy.scope).str(),
                                .cache = "\"" + *name + "\"",
                                .instead = hint->isOfSystem
                                               ? "use \"system\", or leave it out"
                                               : "use a narrower scope: with \"system\", the bits mean \"bypass\""});
  policy.hint = *name;
  return policy;
}

uint32_t cacheBitsOf(Elaborator &e, const CachePolicy &policy, MemoryAccess access, SourceRange range) {
  if (policy.raw) {
    if (uint32_t beyond = *policy.raw & ~target::cacheBits(e.target, access))
      e.fail(diag::wrong_value, range,
             {std::string("the bits of `cache` of this ") + nameOf(access),
              "among " + std::to_string(target::cacheBits(e.target, access)), std::to_string(beyond)});
    return *policy.raw;
  }
  uint32_t bits = 0;
  std::optional<ir::MemoryScope> scope = policy.scope;
  if (!policy.hint.empty()) {
    const CacheHint *hint = hintNamed(e.target, policy.hint);
    if (hint->bits(access) < 0)
      e.fail(range, diag::unknown_choice{.what = std::string("`cache` of a ") + nameOf(access),
                                         .choices = legalPolicies(e.target, {access}),
                                         .found = "\"" + policy.hint + "\""});
    bits = uint32_t(hint->bits(access));
    if (hint->isOfSystem)
      scope = ir::MemoryScope::System;
  }
  return bits | (scope ? target::scopeBits(e.target, access, cacheScopeOf(*scope)) : 0);
}

uint32_t cacheBitsOf(Elaborator &e, bool isVolatile, bool isNontemporal, MemoryAccess access) {
  constexpr uint32_t volatileBit = uint32_t(1) << 31; // of LLVM's intrinsics, not of the instruction
  return (isNontemporal ? uint32_t(hintNamed(e.target, "stream")->bits(access)) : 0) | (isVolatile ? volatileBit : 0);
}

void checkPlainPolicy(Elaborator &e, const CachePolicy &policy, int64_t bits, SourceRange range) {
  if (policy.raw || (!policy.hint.empty() && policy.hint != "stream"))
    e.report(range, diag::unknown_choice{.what = "`cache` of a plain access to global memory",
                                         .choices = {"\"stream\""},
                                         .found = policy.raw ? std::to_string(*policy.raw) : "\"" + policy.hint + "\""})
        .help("a buffer's accesses have all policies: `copy(BufferCopy(...), buffer(t), ...)`"),
        throw Failed{};
  if (policy.scope && bits > 64)
    e.report(range, diag::above_limit{.what = "the number of bits of a plain access to global memory with a `scope`",
                                      .limit = 64,
                                      .found = bits})
        .help("a buffer's accesses of 128 bits have one: `copy(BufferCopy(128, T, scope=...), buffer(t), ...)`"),
        throw Failed{};
}

} // namespace fly::sema
