// Slices and insertions over the two parts of a Value.
#include "tests/emulator/pseudocode/Value.h"

#include <cstdlib>

namespace fly::pseudocode {

bool parseType(const std::string &name, Type &type) {
  struct {
    const char *name;
    Type type;
  } small[] = {{"fp8", {Type::Fp8, 8}}, {"bf8", {Type::Bf8, 8}}, {"fp6", {Type::Fp6, 6}},
               {"bf6", {Type::Bf6, 6}}, {"fp4", {Type::Fp4, 4}}, {"bf16", {Type::BFloat, 16}}};
  for (const auto &s : small)
    if (name == s.name) {
      type = s.type;
      return true;
    }
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
/// 64 bits from bit `lo` on of a number whose first 128 are `low`.
uint64_t word(const Wide &low, const std::vector<uint64_t> &more, unsigned lo) {
  auto part = [&](unsigned n) -> uint64_t {
    if (n < 2) return static_cast<uint64_t>(low >> 64 * n);
    return n - 2 < more.size() ? more[n - 2] : 0;
  };
  unsigned n = lo / 64, s = lo % 64;
  return s ? part(n) >> s | part(n + 1) << (64 - s) : part(n);
}
void setWord(Wide &low, std::vector<uint64_t> &more, unsigned n, uint64_t bits) {
  if (n < 2) {
    low &= ~(Wide(~0ull) << 64 * n);
    low |= Wide(bits) << 64 * n;
  } else {
    if (more.size() < n - 1) more.resize(n - 1);
    more[n - 2] = bits;
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
    uint64_t mask = width - k < 64 ? (1ull << (width - k)) - 1 : ~0ull;
    setWord(r.v, r.more, k / 64, word(from.v, from.more, lo + k) & mask);
    setWord(r.open, r.moreOpen, k / 64, word(from.open, from.moreOpen, lo + k) & mask);
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
    setWord(to.v, to.more, n, (word(to.v, to.more, n * 64) & ~mask) | (word(bits.v, bits.more, k) << s & mask));
    setWord(to.open, to.moreOpen, n,
            (word(to.open, to.moreOpen, n * 64) & ~mask) | (word(bits.open, bits.moreOpen, k) << s & mask));
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
    r.moreOpen.clear();
  }
  return r;
}

} // namespace fly::pseudocode
