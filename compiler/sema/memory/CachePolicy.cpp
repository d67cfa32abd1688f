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

/// `"stream", "ht", or an integer of the bits ...`: what the accesses have.
static std::string legalText(const target::Target &target, llvm::ArrayRef<MemoryAccess> accesses) {
  std::string out;
  for (const CacheHint &hint : target::cacheHints(target))
    if (llvm::any_of(accesses, [&](MemoryAccess access) { return hint.bits(access) >= 0; }))
      out += (out.empty() ? "\"" : ", \"") + std::string(hint.name) + "\"";
  return out + ", or an integer of the bits " + std::string(target::cacheBitNames(target)) + " on " + std::string(target.name);
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
  auto refuse = [&](const std::string &found) { e.fail(diag::wrong_value, range, {"`cache`", legalText(e.target, accesses), found}); };
  if (auto bits = given.is<bool>() ? std::nullopt : toInt64(given)) {
    uint32_t all = 0;
    for (MemoryAccess access : accesses)
      all |= target::cacheBits(e.target, access);
    if (*bits < 0 || (*bits & ~int64_t(all)))
      refuse(std::to_string(*bits));
    if (policy.scope)
      e.fail(diag::wrong_value, call.ranges[scopeAt], {"`scope` beside the bits of `cache`", "left out: it is among them", "\"" + ir::stringifyMemoryScope(*policy.scope).str() + "\""});
    policy.raw = uint32_t(*bits);
    return policy;
  }
  auto *name = given.as<std::string>();
  const CacheHint *hint = name ? hintNamed(e.target, *name) : nullptr;
  if (!hint || llvm::none_of(accesses, [&](MemoryAccess access) { return hint->bits(access) >= 0; }))
    refuse(name ? "\"" + *name + "\"" : describe(given));
  const bool isOfSystem = policy.scope == ir::MemoryScope::System;
  if ((hint->isOfSystem && policy.scope && !isOfSystem) || (hint->excludesSystem && isOfSystem))
    e.fail(diag::wrong_value, call.ranges[scopeAt], {"`scope` beside `cache=\"" + *name + "\"`", hint->isOfSystem ? "\"system\", or left out" : "a narrower one: with \"system\", the bits mean \"bypass\"", "\"" + ir::stringifyMemoryScope(*policy.scope).str() + "\""});
  policy.hint = *name;
  return policy;
}

uint32_t cacheBitsOf(Elaborator &e, const CachePolicy &policy, MemoryAccess access, SourceRange range) {
  if (policy.raw) {
    if (uint32_t beyond = *policy.raw & ~target::cacheBits(e.target, access))
      e.fail(diag::wrong_value, range, {std::string("the bits of `cache` of this ") + nameOf(access), "among " + std::to_string(target::cacheBits(e.target, access)), std::to_string(beyond)});
    return *policy.raw;
  }
  uint32_t bits = 0;
  std::optional<ir::MemoryScope> scope = policy.scope;
  if (!policy.hint.empty()) {
    const CacheHint *hint = hintNamed(e.target, policy.hint);
    if (hint->bits(access) < 0)
      e.fail(diag::wrong_value, range, {std::string("`cache` of a ") + nameOf(access), legalText(e.target, {access}), "\"" + policy.hint + "\""});
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
    e.report(diag::wrong_value, range, {"`cache` of a plain access to global memory", "\"stream\"", policy.raw ? std::to_string(*policy.raw) : "\"" + policy.hint + "\""})
        .help("a buffer's accesses have all policies: `copy(BufferCopy(...), buffer(t), ...)`"), throw Failed{};
  if (policy.scope && bits > 64)
    e.report(diag::wrong_value, range, {"a plain access to global memory with a `scope`", "of at most 64 bits", std::to_string(bits)})
        .help("a buffer's accesses of 128 bits have one: `copy(BufferCopy(128, T, scope=...), buffer(t), ...)`"), throw Failed{};
}

} // namespace fly::sema
