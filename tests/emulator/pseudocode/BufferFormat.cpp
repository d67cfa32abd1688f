// See BufferFormat.h.
#include "tests/emulator/pseudocode/BufferFormat.h"

namespace fly::pseudocode {

namespace {

constexpr Type f16{Type::Float, 16}, f32{Type::Float, 32}, f64{Type::Float, 64};

BufferFormat named(const std::string &text) {
  BufferFormat f;
  static constexpr struct {
    const char *name;
    BufferFormat::Number number;
  } numbers[] = {{"_UNORM", BufferFormat::Unorm},     {"_SNORM", BufferFormat::Snorm},
                 {"_USCALED", BufferFormat::Uscaled}, {"_SSCALED", BufferFormat::Sscaled},
                 {"_UINT", BufferFormat::Uint},       {"_SINT", BufferFormat::Sint},
                 {"_FLOAT", BufferFormat::Float}};
  bool found = false;
  for (const auto &n : numbers)
    if (text.find(n.name) != std::string::npos) {
      f.number = n.number;
      found = true;
    }
  size_t at = text.find("BUF_DATA_FORMAT_");
  at = at != std::string::npos ? at + 16 : text.find("BUF_FMT_") + 8;
  if (text.find("BUF_") == std::string::npos || !found) return f;
  std::vector<unsigned> widths;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    widths.push_back(static_cast<unsigned>(std::atoi(text.c_str() + at)));
    at = text.find_first_not_of("0123456789", at);
    if (at == std::string::npos || text[at] != '_') break;
    ++at;
  }
  if (widths.empty() || widths.size() > 4) return f;
  f.valid = true;
  for (size_t k = 0; k < widths.size(); ++k) {
    unsigned w = f.bits[k] = widths[widths.size() - 1 - k];
    if (w == 32) f.valid &= f.integer() || f.number == BufferFormat::Float;
    else if (w == 11) f.valid &= f.number == BufferFormat::Float;
    else if (w != 16 && widths.size() != 3) f.valid &= f.number != BufferFormat::Float;
  }
  return f;
}

Value ratio(SignedWide numerator, SignedWide denominator) {
  Value r = compute(FloatOp::Divide, f32, fromInteger(numerator, f64, {}), fromInteger(denominator, f64, {}), {}, {});
  r.ulps = 0; // rounded correctly, unlike what divides in shaders
  return r;
}

} // namespace

unsigned BufferFormat::position(unsigned channel) const {
  unsigned at = 0;
  for (unsigned k = 0; k < channel; ++k) at += bits[k];
  return at;
}

Value BufferFormat::one(bool half) const {
  if (integer()) return {{Type::Bits, static_cast<uint16_t>(half ? 16 : 32)}, 1};
  return fromInteger(1, half ? f16 : f32, {});
}

Value BufferFormat::decode(Value field, bool half) const {
  unsigned width = field.type.bits;
  SignedWide v = static_cast<SignedWide>(field.v), extended = retype(field, {Type::Signed, field.type.bits}).integer();
  Value r;
  switch (number) {
  case Unorm: r = ratio(v, static_cast<SignedWide>(maskOf(width))); break;
  case Snorm: {
    SignedWide most = static_cast<SignedWide>(maskOf(width - 1));
    r = ratio(extended < -most ? -most : extended, most);
    break;
  }
  case Uscaled: r = fromInteger(v, f32, {}); break;
  case Sscaled: r = fromInteger(extended, f32, {}); break;
  case Float:
    r = width == 32 ? retype(field, f32)
                    : convertFloat({f16, width == 16 ? field.v : field.v << (15 - width)}, f32, {}, true);
    if (isSignalling(r, {})) r.open |= 1u << 22; // whether a conversion quiets it is not said
    break;
  case Uint:
  case Sint: {
    Type to{number == Uint ? Type::Unsigned : Type::Signed, static_cast<uint16_t>(half ? 16 : 32)};
    SignedWide x = number == Uint ? v : extended;
    Value whole(to, static_cast<Wide>(x));
    if (whole.integer() != x) whole.open = maskOf(to.bits);
    return whole;
  }
  }
  if (!half) return r;
  Wide open = r.open;
  r = convertFloat(r, f16, {}, true);
  if (open || isNan(r, {})) r.open = 0x83ff;
  return r;
}

Value BufferFormat::encode(const Value &word, unsigned channel, bool half) const {
  unsigned width = bits[channel];
  Type to{Type::Bits, static_cast<uint16_t>(width)};
  Value result(to, 0);
  if (integer()) {
    uint16_t wide = half ? 16 : 32;
    SignedWide x =
        number == Uint ? static_cast<SignedWide>(word.v & maskOf(wide)) : retype(word, {Type::Signed, wide}).integer();
    result.v = static_cast<Wide>(x) & maskOf(width);
    Value back({number == Uint ? Type::Unsigned : Type::Signed, to.bits}, result.v);
    if (back.integer() != x) result.open = maskOf(width);
    return result;
  }
  Value f = half ? convertFloat(retype(word, f16), f32, {}, true) : retype(word, f32);
  switch (number) {
  case Unorm: result.v = toNormalized(f, {Type::Unsigned, to.bits}, 0, static_cast<int>(maskOf(width)), {}).v; break;
  case Snorm:
    result.v = toNormalized(f, {Type::Signed, to.bits}, -static_cast<int>(maskOf(width - 1)),
                            static_cast<int>(maskOf(width - 1)), {})
                   .v;
    break;
  case Uscaled:
  case Sscaled: {
    Type integers{number == Uscaled ? Type::Unsigned : Type::Signed, to.bits};
    Value down = toInteger(f, integers, 2, {}), up = toInteger(f, integers, 1, {});
    result.v = down.v;
    if (isNan(f, {}) || down.v != up.v) result.open = maskOf(width);
    break;
  }
  case Float:
    if (width == 32) result.v = f.v;
    else if (width == 16) {
      Value r = convertFloat(f, f16, {}, true);
      result.v = r.v;
      if (isNan(r, {})) result.open = 0x83ff;
    } else result.open = maskOf(width);
    break;
  default: break;
  }
  return result;
}

const BufferFormat &BufferFormats::operator[](unsigned code) {
  auto [it, fresh] = known.try_emplace(code);
  if (!fresh) return it->second;
  const char *offset = emulator::test::isGfx12(bench.row) ? "null" : "0";
  int n =
      bench.add(std::string("tbuffer_load_format_x v4, off, s[36:39], ") + offset + " format:" + std::to_string(code));
  // Printed without a format, it is the default one: a single byte, unsigned and normalised.
  if (n >= 0) {
    std::string text = bench.print(n);
    it->second = named(text.find("format:") == std::string::npos ? "BUF_FMT_8_UNORM" : text);
  }
  return it->second;
}

} // namespace fly::pseudocode
