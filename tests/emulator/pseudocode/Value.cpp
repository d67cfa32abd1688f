// Slices and insertions over the two parts of a Value.
#include "tests/emulator/pseudocode/Value.h"

#include <cstdlib>

namespace fly::pseudocode {

bool parseType(const std::string &name, Type &type) {
  struct { const char *name; Type type; } small[] = {
      {"fp8", {Type::Fp8, 8}}, {"bf8", {Type::Bf8, 8}}, {"fp6", {Type::Fp6, 6}}, {"bf6", {Type::Bf6, 6}},
      {"fp4", {Type::Fp4, 4}}, {"bf16", {Type::BFloat, 16}}};
  for (const auto &s : small)
    if (name == s.name) { type = s.type; return true; }
  if (name.size() < 2 || name.size() > 5) return false;
  for (size_t k = 1; k < name.size(); ++k)
    if (name[k] < '0' || name[k] > '9') return false;
  Type::Kind kind;
  switch (name[0]) {
  case 'b': kind = Type::Bits; break;
  case 'u': kind = Type::Unsigned; break;
  case 'i': kind = Type::Signed; break;
  case 'f': kind = Type::Float; break;
  default: return false;
  }
  type = {kind, static_cast<uint16_t>(std::atoi(name.c_str() + 1))};
  return type.bits > 0;
}

namespace {
/// 64 bits from bit `lo` on.
uint64_t word(const Value &v, unsigned lo) {
  auto part = [&](unsigned n) -> uint64_t {
    if (n < 2) return static_cast<uint64_t>(v.v >> 64 * n);
    return n - 2 < v.more.size() ? v.more[n - 2] : 0;
  };
  unsigned n = lo / 64, s = lo % 64;
  return s ? part(n) >> s | part(n + 1) << (64 - s) : part(n);
}
void setWord(Value &v, unsigned n, uint64_t bits) {
  if (n < 2) {
    v.v &= ~(Wide(~0ull) << 64 * n);
    v.v |= Wide(bits) << 64 * n;
  } else {
    if (v.more.size() < n - 1) v.more.resize(n - 1);
    v.more[n - 2] = bits;
  }
}
} // namespace

Value slice(const Value &from, unsigned lo, unsigned width) {
  Value r;
  r.type = {from.type.kind == Type::Bits ? Type::Bits : Type::Unsigned, static_cast<uint16_t>(width)};
  if (lo < 128 && lo + width <= 128) {
    r.v = from.v >> lo & maskOf(width);
    r.open = from.open >> lo & maskOf(width);
    if (lo == 0 && width == from.type.bits) r.ulps = from.ulps, r.absolute = from.absolute;
    return r;
  }
  for (unsigned k = 0; k < width; k += 64) {
    uint64_t w = word(from, lo + k);
    if (width - k < 64) w &= (1ull << (width - k)) - 1;
    setWord(r, k / 64, w);
  }
  return r;
}

void insert(Value &to, unsigned lo, unsigned width, const Value &bits) {
  if (lo + width > to.type.bits) to.type.bits = static_cast<uint16_t>(lo + width);
  if (lo < 128 && lo + width <= 128) {
    Wide mask = maskOf(width) << lo;
    to.v = (to.v & ~mask) | (bits.v << lo & mask);
    to.open = (to.open & ~mask) | (bits.open << lo & mask);
    return;
  }
  for (unsigned k = 0; k < width;) {
    unsigned n = (lo + k) / 64, s = (lo + k) % 64, count = width - k < 64 - s ? width - k : 64 - s;
    uint64_t mask = (count == 64 ? ~0ull : (1ull << count) - 1) << s;
    setWord(to, n, (word(to, n * 64) & ~mask) | (word(bits, k) << s & mask));
    k += count;
  }
}

Value reversed(const Value &v) {
  Value r = v;
  r.v = 0;
  for (unsigned k = 0; k < v.type.bits; ++k) r.v |= (v.v >> k & 1) << (v.type.bits - 1 - k);
  return r;
}

Value retype(const Value &v, Type type) {
  Value r = v;
  if (type.bits > v.type.bits && v.type.kind == Type::Signed) r.v = static_cast<Wide>(v.integer());
  r.type = type;
  if (type.bits <= 128) {
    r.v &= maskOf(type.bits);
    r.open &= maskOf(type.bits);
    r.more.clear();
  }
  return r;
}

} // namespace fly::pseudocode
