// The functions that the pseudocode calls without defining them.
//
// Conversions are recognised by their names' pattern, FROM_to_TO with a suffix: `_scale` multiplies or divides by a
// power of two given as a biased exponent (AMD's MX conversions), `_sr` rounds stochastically. What these two do with a
// scale of 255, with overflow (infinity or NaN, as without a scale: "gfx950 HW behavior") and with NaN where the format
// has none is what HIP's headers compute on the host (amd_hip_ocp_host.hpp). What the documents say about a function in
// prose only is cited at its line.
#include "tests/emulator/pseudocode/Interpreter.h"

namespace fly::pseudocode {

namespace {

using Arguments = const std::vector<Value> &;
using Function = Value (*)(Arguments, const FloatMode &);

const Value none;

void wantFloat(const Value &v) {
  if (!v.type.isFloat()) throw Unsupported("a float function of an integer");
}

Value absoluteValue(Arguments a, const FloatMode &) {
  wantFloat(a[0]);
  Value r = a[0];
  r.v &= maskOf(r.type.bits - 1u);
  return r;
}
Value unary(FloatOp op, const Value &a, const FloatMode &mode) {
  wantFloat(a);
  return compute(op, a.type, a, none, none, mode);
}
template <FloatOp Op> Value floatFunction(Arguments a, const FloatMode &mode) { return unary(Op, a[0], mode); }

/// sin(S0 * 2 * PI): the product is never rounded in hardware; the argument is the number of turns times the constant.
template <FloatOp Op> Value ofTurns(Arguments a, const FloatMode &mode) {
  wantFloat(a[0]);
  if (a[0].more.empty()) throw Unsupported("the sine of something that is not turns");
  Value turns = a[0];
  turns.more.clear();
  return compute(Op, turns.type, turns, none, none, mode);
}

Value signExtend(Arguments a, const FloatMode &) {
  return {{Type::Signed, 64}, static_cast<Wide>(retype(a[0], {Type::Signed, a[0].type.bits}).integer())};
}
Value signExtendFromBit(Arguments a, const FloatMode &) {
  uint16_t n = static_cast<uint16_t>(a[1].v > a[0].type.bits ? a[0].type.bits : a[1].v);
  if (n == 0) return {a[0].type, 0};
  Value narrow({Type::Signed, n}, a[0].v);
  return {a[0].type, static_cast<Wide>(narrow.integer())};
}
Value bitCount(Arguments a, const FloatMode &) {
  unsigned n = 0;
  for (Wide v = a[0].v; v; v &= v - 1) ++n;
  return makeUnsigned(n);
}
Value firstOne(Arguments a, const FloatMode &) {
  for (unsigned k = 0; k < a[0].type.bits; ++k)
    if (a[0].v >> k & 1) return makeSigned(k);
  return makeSigned(-1);
}
Value even(Arguments a, const FloatMode &mode) {
  wantFloat(a[0]);
  if (isNan(a[0], mode) || isInfinite(a[0], mode)) return makeBool(false);
  Value half = scaleTo(a[0], -1, {Type::Float, 64}, FloatMode());
  return makeBool(isZero(compute(FloatOp::Fract, half.type, half, none, none, FloatMode()), mode));
}
Value loadExponent(Arguments a, const FloatMode &mode) {
  wantFloat(a[0]);
  if (isNan(a[0], mode)) return someNan(a[0].type);
  SignedWide e = a[1].integer();
  return scaleTo(mode.keepIn(a[0].type) ? a[0] : flushed(a[0], mode),
                 static_cast<int>(e > 5000    ? 5000
                                  : e < -5000 ? -5000
                                              : e),
                 a[0].type, mode);
}
Value compose(Arguments a, const FloatMode &) { // float32(sign, exponent, mantissa)
  return {{Type::Float, 32}, (a[0].v & 1) << 31 | (a[1].v & 255) << 23 | (a[2].v & 0x7fffff)};
}
Value powerOf(Arguments a, const FloatMode &mode) {
  wantFloat(a[0]);
  if (toDouble(a[0], mode) != 2) throw Unsupported("a power of another base than 2");
  return unary(FloatOp::Exp2, a[1], mode);
}
Value fused(Arguments a, const FloatMode &mode) {
  wantFloat(a[0]);
  return compute(FloatOp::Fma, a[0].type, a[0], a[1], a[2], mode);
}
/// Rounded once, to 16 bits.
template <Type::Kind To> Value fusedTo(Arguments a, const FloatMode &mode) {
  return compute(FloatOp::Fma, {To, 16}, a[0], a[1], a[2], mode);
}
Value toShort(Type t, const Value &v, const FloatMode &mode) { return toInteger(v, t, 3, mode); }

// What errata.cpp puts in the place of wrong formulas.
Value roundEven(Arguments a, const FloatMode &m) { return unary(FloatOp::RoundEven, a[0], m); }
Value roundHalfUp(Arguments a, const FloatMode &m) { return unary(FloatOp::RoundHalfUp, a[0], m); }
Value fractBelowOne(Arguments a, const FloatMode &m) {
  Value r = unary(FloatOp::Fract, a[0], m), one = fromInteger(1, a[0].type, FloatMode());
  if (!isNan(r, m) && compare(r, one, m) >= 0) r.v = one.v - 1;
  return r;
}
Value frexpExponent(Arguments a, const FloatMode &m) {
  wantFloat(a[0]);
  if (isZero(a[0], m)) return makeSigned(0);
  Format f = formatOf(a[0].type, m);
  int e = static_cast<int>(biasedExponent(a[0], m));
  Wide fraction = a[0].v & maskOf(f.mantissa);
  if (e == 0)
    for (e = 1; !(fraction >> f.mantissa & 1); --e) fraction <<= 1;
  return makeSigned(e - f.bias + 1);
}
/// a the data, b what is in memory.
Value selected(const Value &a, const Value &b, int wanted, const FloatMode &m) {
  if (isNan(a, m) && isNan(b, m)) return quieted(a, m);
  if (isNan(a, m) || isNan(b, m)) return isNan(a, m) ? b : a;
  int c = compare(a, b, m);
  if (c == 0 && signOf(a) != signOf(b)) c = signOf(a) ? -1 : 1; // -0 is less than +0
  return c == wanted ? a : b;
}
Value minNum(Arguments a, const FloatMode &m) { return selected(a[0], a[1], -1, m); }
Value maxNum(Arguments a, const FloatMode &m) { return selected(a[0], a[1], 1, m); }
Value twoOverPi(Arguments a, const FloatMode &) { return twoOverPiBits(static_cast<unsigned>(a[0].v)); }

/// aligneddot(the sum as the text has it, S0, S1, addend)
template <Type::Kind A, Type::Kind B> Value dot(Arguments a, const FloatMode &m) {
  constexpr uint16_t bits = A == Type::Fp8 || A == Type::Bf8 ? 8 : 16;
  return m.alignedDots ? alignedDot(a[1], {A, bits}, a[2], {B, bits}, a[3], a[3].type, m) : a[0];
}

struct Entry {
  const char *name;
  unsigned arguments;
  Function function;
};
constexpr Entry entries[] = {
    {"abs", 1, absoluteValue},
    {"fma", 3, fused},
    {"floor", 1, floatFunction<FloatOp::Floor>},
    {"trunc", 1, floatFunction<FloatOp::Trunc>},
    {"fract", 1, floatFunction<FloatOp::Fract>},
    {"sqrt", 1, floatFunction<FloatOp::Sqrt>},
    {"log2", 1, floatFunction<FloatOp::Log2>},
    {"mantissa", 1, floatFunction<FloatOp::Mantissa>},
    {"pow", 2, powerOf},
    {"ldexp", 2, loadExponent},
    {"sin", 1, ofTurns<FloatOp::Sin>},
    {"cos", 1, ofTurns<FloatOp::Cos>},
    {"isEven", 1, even},
    {"float32", 3, compose},
    {"signext", 1, signExtend},
    {"signext_from_bit", 2, signExtendFromBit},
    {"bitCount", 1, bitCount},
    {"countbits", 1, bitCount},
    {"s_ff1_i32_b32", 1, firstOne},
    {"s_ff1_i32_b64", 1, firstOne},
    {"isNAN", 1,
     [](Arguments a, const FloatMode &m) {
       wantFloat(a[0]);
       return makeBool(isNan(a[0], m));
     }},
    {"isSignalNAN", 1,
     [](Arguments a, const FloatMode &m) {
       wantFloat(a[0]);
       return makeBool(isSignalling(a[0], m));
     }},
    {"isQuietNAN", 1,
     [](Arguments a, const FloatMode &m) {
       wantFloat(a[0]);
       return makeBool(isNan(a[0], m) && !isSignalling(a[0], m));
     }},
    {"cvtToQuietNAN", 1,
     [](Arguments a, const FloatMode &m) {
       wantFloat(a[0]);
       return quieted(a[0], m);
     }},
    {"sign", 1, [](Arguments a, const FloatMode &) { return makeBool(signOf(a[0])); }},
    {"exponent", 1,
     [](Arguments a, const FloatMode &m) {
       wantFloat(a[0]);
       return makeSigned(biasedExponent(a[0], m));
     }},
    {"v_cvt_i16_f32", 1, [](Arguments a, const FloatMode &m) { return toShort({Type::Signed, 16}, a[0], m); }},
    {"v_cvt_u16_f32", 1, [](Arguments a, const FloatMode &m) { return toShort({Type::Unsigned, 16}, a[0], m); }},
    {"roundeven", 1, roundEven},
    {"roundhalfup", 1, roundHalfUp},
    {"fractbelowone", 1, fractBelowOne},
    {"frexpexponent", 1, frexpExponent},
    {"fma_to_f16", 3, fusedTo<Type::Float>},
    {"fma_to_bf16", 3, fusedTo<Type::BFloat>},
    {"minnum", 2, minNum},
    {"maxnum", 2, maxNum},
    {"twooverpi", 1, twoOverPi},
    {"fmascaled", 4,
     [](Arguments a, const FloatMode &m) {
       return fusedScaled(a[0], a[1], a[2], static_cast<int>(a[3].integer()), m);
     }},
    {"PrefetchScalarData", 2, [](Arguments, const FloatMode &) { return Value(); }}, // fills caches
    {"PrefetchScalarInst", 2, [](Arguments, const FloatMode &) { return Value(); }},
    // Of MODE, all a user's.
    {"HwRegWriteMask", 2, [](Arguments, const FloatMode &) { return makeUnsigned(0xffffffffu); }},
    {"writeableBitMask", 2, [](Arguments, const FloatMode &) { return makeUnsigned(0xffffffffu); }},
    {"aligneddot_f16_f16", 4, dot<Type::Float, Type::Float>},
    {"aligneddot_bf16_bf16", 4, dot<Type::BFloat, Type::BFloat>},
    {"aligneddot_fp8_fp8", 4, dot<Type::Fp8, Type::Fp8>},
    {"aligneddot_fp8_bf8", 4, dot<Type::Fp8, Type::Bf8>},
    {"aligneddot_bf8_fp8", 4, dot<Type::Bf8, Type::Fp8>},
    {"aligneddot_bf8_bf8", 4, dot<Type::Bf8, Type::Bf8>},
    {"nop", 0, [](Arguments, const FloatMode &) { return Value(); }},
    {"s_nop", 1, [](Arguments, const FloatMode &) { return Value(); }},
};

/// FROM_to_TO[_snorm...]; false if `name` is none.
bool parseConversion(const std::string &name, Type &from, Type &to, std::string &suffix) {
  size_t at = name.find("_to_");
  if (at == std::string::npos) return false;
  std::string rest = name.substr(at + 4);
  size_t end = rest.find('_');
  suffix = end == std::string::npos ? "" : rest.substr(end);
  for (char &c : suffix) c = c == 'S' ? 's' : c == 'R' ? 'r' : c;
  rest = rest.substr(0, end);
  if (!parseType(name.substr(0, at), from)) return false;
  if (rest == "snorm" || rest == "unorm") {
    suffix = rest;
    to = {rest == "snorm" ? Type::Signed : Type::Unsigned, 16};
    return true;
  }
  return parseType(rest, to);
}

Value convert(const std::string &name, Arguments a, const FloatMode &mode) {
  Type from, to;
  std::string suffix;
  parseConversion(name, from, to, suffix);
  if (a.empty()) throw Unsupported("a conversion of nothing");
  Value v = a[0].type == from ? a[0] : retype(a[0], from);
  v.ulps = a[0].ulps;
  if (suffix == "snorm") return toNormalized(v, to, -32767, 32767, mode);
  if (suffix == "unorm") return toNormalized(v, to, 0, 65535, mode);
  if (suffix == "_sr") return stochasticTo(v, 0, static_cast<uint32_t>(a[1].v), to, mode);
  if (suffix == "_scale" || suffix == "_sr_scale") {
    bool random = suffix == "_sr_scale";
    if (a.size() != (random ? 3u : 2u)) throw Unsupported("a scaled conversion without scale");
    unsigned field = static_cast<unsigned>(a.back().v & 255); // E8M0: 255 is NaN
    if (field == 255) return nanOf(v, to, mode);
    int power = to.bits < from.bits ? 127 - static_cast<int>(field) : static_cast<int>(field) - 127;
    FloatMode nearest = mode;
    nearest.override = 0;
    return random ? stochasticTo(v, power, static_cast<uint32_t>(a[1].v), to, mode) : scaleTo(v, power, to, nearest);
  }
  if (!suffix.empty()) throw Unsupported("the conversion `" + name + "`");
  if (from.isFloat() && to.isFloat()) {
    return convertFloat(v, to, mode, false); // of operands denormals are flushed already
  }
  if (from.isFloat()) return toInteger(v, to, to.bits == 8 ? mode.round(v.type) : 3, mode);
  if (to.isFloat()) return fromInteger(v.integer(), to, mode);
  // Integer to a narrower integer saturates (v_cvt_pk_u16_u32: "clamp to the range").
  if (to.bits < from.bits) {
    SignedWide high = static_cast<SignedWide>(maskOf(to.kind == Type::Signed ? to.bits - 1u : to.bits)),
               low = to.kind == Type::Signed ? -high - 1 : 0;
    SignedWide x = v.integer();
    return {to, static_cast<Wide>(x > high ? high : x < low ? low : x)};
  }
  return retype(v, to);
}

const Entry *find(const std::string &name) {
  for (const Entry &e : entries)
    if (name == e.name) return &e;
  return nullptr;
}

} // namespace

bool isBuiltin(const std::string &name) {
  Type from, to;
  std::string suffix;
  return find(name) || parseConversion(name, from, to, suffix);
}

Value callBuiltin(const std::string &name, const std::vector<Value> &arguments, const FloatMode &mode) {
  const Entry *e = find(name);
  if (!e) return convert(name, arguments, mode);
  if (arguments.size() != e->arguments) throw Unsupported("`" + name + "` with another number of arguments");
  return e->function(arguments, mode);
}

} // namespace fly::pseudocode
