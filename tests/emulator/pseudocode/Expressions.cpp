// Values of expressions. The rules of types that the documents leave unsaid, as their texts use them: integers narrower
// than 32 bits are widened for + - * << (v_lerp_u8), slices and concatenations have exact widths, a view of a float
// under another float type converts it (-INF.f16), a cast of bits to a float reinterprets them (32'F(0xffc00000)).
#include "tests/emulator/pseudocode/Interpreter.h"

namespace fly::pseudocode {

Value Interpreter::view(const Value &v, Type type) {
  if (type.isFloat() && v.type.isFloat() && !v.more.empty()) { // 2.0F ** n, a factor of any size
    Value r = v;
    r.type = type;
    return r;
  }
  if (type.isFloat() && v.type.isFloat() && v.type != type) return convertFloat(v, type, mode, true);
  return retype(v, type);
}

Value Interpreter::cast(const Value &v, Type type) { return view(v, type); }

Value Interpreter::flush(const Node &source, Value v) {
  const Node *n = &source;
  while (n->op == Op::As || n->op == Op::Index || n->op == Op::Slice) n = n->children[0].get();
  if (n->op == Op::Name && cells[static_cast<size_t>(n->symbol)].operand && !mode.keepIn(v.type) && v.type.bits >= 16)
    return flushed(v, mode);
  return v;
}

Value Interpreter::constantNamed(const std::string &name) {
  auto real = [](uint64_t bits) { return Value({Type::Float, 64}, bits); };
  static const std::map<std::string, Value> constants = {
      {"INF", real(0x7ff0000000000000ull)},
      {"NAN", Value({Type::Float, 64}, 0x7ff8000000000000ull)},
      {"PI", real(0x400921fb54442d18ull)},
      {"MAX_FLOAT_F32", Value({Type::Float, 32}, 0x7f7fffffu)},
      {"OVERFLOW_F32", Value({Type::Float, 32}, 0x7f800000u)},
      {"UNDERFLOW_F32", Value({Type::Float, 32}, 0)},
      {"OVERFLOW_F64", real(0x7ff0000000000000ull)},
      {"UNDERFLOW_F64", real(0)},
      {"ROUND_NEAREST_EVEN", makeUnsigned(0)},
      {"ROUND_TOWARD_ZERO", makeUnsigned(3)},
      {"ROUND_MODE", makeUnsigned(255)},
      {"BYTE0", makeUnsigned(0)},
      {"BYTE1", makeUnsigned(1)},
      {"BYTE2", makeUnsigned(2)},
      {"BYTE3", makeUnsigned(3)},
      {"WORD1", makeUnsigned(1)}, // the low bits of the SDWA selector
  };
  auto it = constants.find(name);
  if (it == constants.end()) throw Unsupported("`" + name + "` is nothing that the encoding or the state provides");
  return it->second;
}

Value Interpreter::named(const Node &n) {
  Cell &c = cells[static_cast<size_t>(n.symbol)];
  if (c.set) return c.value;
  return constantNamed(nameOf(n));
}

Value Interpreter::evaluate(const Node &n) {
  switch (n.op) {
  case Op::Constant: return n.constant;
  case Op::Name: return named(n);
  case Op::As: {
    const Node &base = *n.children[0];
    bool stored =
        base.op == Op::Index &&
        (isNamed(*base.children[0], "MEM") || isNamed(*base.children[0], "LDS") || isNamed(*base.children[0], "SGPR") ||
         (base.children[0]->op == Op::Index && isNamed(*base.children[0]->children[0], "VGPR")));
    if (stored) return load(place(n));
    Value v = view(evaluate(base), n.type);
    return n.type.isFloat() ? flush(base, v) : v;
  }
  case Op::Cast: {
    Value v = evaluate(*n.children[0]);
    return cast(v, n.type);
  }
  case Op::Index: {
    const Node &base = *n.children[0];
    if (isNamed(base, "MEM") || isNamed(base, "LDS") || isNamed(base, "SGPR") ||
        (base.op == Op::Index && isNamed(*base.children[0], "VGPR")))
      return load(place(n));
    if (base.op == Op::Name && cells[static_cast<size_t>(base.symbol)].array) return load(place(n));
    Value v = evaluate(base);
    SignedWide i = evaluate(*n.children[1]).integer();
    if (i < 0 || i > 4096) throw Unsupported("bit index out of range");
    return slice(v, static_cast<unsigned>(i), 1);
  }
  case Op::Slice:
  case Op::SlicePlus: {
    Value v = evaluate(*n.children[0]);
    SignedWide a = evaluate(*n.children[1]).integer(), b = evaluate(*n.children[2]).integer();
    if (n.op == Op::SlicePlus) {
      SignedWide width = b;
      b = a;
      a = b + width - 1;
    }
    bool reverse = a < b;
    if (reverse) std::swap(a, b);
    if (b < 0 || a > 4096) throw Unsupported("slice out of range");
    v = slice(v, static_cast<unsigned>(b), static_cast<unsigned>(a - b + 1));
    return reverse ? reversed(v) : v;
  }
  case Op::Negate: {
    Value v = evaluate(*n.children[0]);
    if (v.type.isFloat()) {
      v.v ^= Wide(1) << (v.type.bits - 1);
      return v;
    }
    Type t = v.type;
    if (t.bits < 32) t.bits = 32;
    if (exactIntegers) t = {Type::Signed, 120};
    return {t, static_cast<Wide>(-v.integer())};
  }
  case Op::Not: return makeBool(!evaluate(*n.children[0]).truth());
  case Op::Complement: {
    Value v = evaluate(*n.children[0]);
    v.v = ~v.v & maskOf(v.type.bits);
    return v;
  }
  case Op::Ternary: return evaluate(*n.children[evaluate(*n.children[0]).truth() ? 1 : 2]);
  case Op::LogicalAnd: return makeBool(evaluate(*n.children[0]).truth() && evaluate(*n.children[1]).truth());
  case Op::LogicalOr: return makeBool(evaluate(*n.children[0]).truth() || evaluate(*n.children[1]).truth());
  case Op::AssignValue: {
    Value v = evaluate(*n.children[1]);
    assign(*n.children[0], v);
    return v;
  }
  case Op::Concat: {
    Value r({Type::Bits, 0}, 0);
    unsigned lo = 0;
    for (size_t k = n.children.size(); k-- > 0;) {
      Value part = evaluate(*n.children[k]);
      insert(r, lo, part.type.bits, part);
      lo += part.type.bits;
    }
    return r;
  }
  case Op::Call: return call(n);
  case Op::Power: {
    Value base = evaluate(*n.children[0]), exponent = evaluate(*n.children[1]);
    if (!base.type.isFloat() || exponent.type.isFloat()) throw Unsupported("a power of that kind");
    if (toDouble(base, mode) != 2.0) throw Unsupported("a power of another base than 2");
    // The factor of a ldexp: exact however far it lies outside the format's range.
    Value r({Type::Signed, 32}, exponent.v);
    r.type = {Type::Float, base.type.bits};
    r.more.assign(1, static_cast<uint64_t>(static_cast<int64_t>(exponent.integer())));
    return r;
  }
  default: {
    Value a = evaluate(*n.children[0]);
    if (n.op == Op::Equal && n.children[1]->elements == 1 && a.type.isFloat()) {
      Value zero = evaluate(*n.children[1]);
      return makeBool(isZero(a, mode) && signOf(a) == signOf(zero));
    }
    return binary(n.op, a, evaluate(*n.children[1]));
  }
  }
}

Value Interpreter::binary(Op op, const Value &a, const Value &b) {
  if (a.type.isFloat() && b.type.isFloat()) {
    Type t = a.type.bits >= b.type.bits ? a.type : b.type;
    if (!a.more.empty() || !b.more.empty()) { // 2.0F ** n as a factor
      if (op != Op::Multiply) throw Unsupported("a power outside of a product");
      const Value &x = a.more.empty() ? a : b, &power = a.more.empty() ? b : a;
      int64_t e = static_cast<int64_t>(power.more[0]);
      return isNan(x, mode) ? someNan(t)
                            : scaleTo(mode.keepIn(x.type) ? x : flushed(x, mode),
                                      static_cast<int>(std::min<int64_t>(std::max<int64_t>(e, -5000), 5000)), t, mode);
    }
    Value x = convertFloat(a, t, mode, true), y = convertFloat(b, t, mode, true), none;
    int c;
    switch (op) {
    case Op::Add: return compute(FloatOp::Add, t, x, y, none, mode);
    case Op::Subtract: return compute(FloatOp::Subtract, t, x, y, none, mode);
    case Op::Multiply: return compute(FloatOp::Multiply, t, x, y, none, mode);
    case Op::Divide: {
      Value r = compute(FloatOp::Divide, t, x, y, none, mode);
      r.ulps += a.ulps + b.ulps;
      return r;
    }
    case Op::Equal: return makeBool(compare(x, y, mode) == 0);
    case Op::NotEqual: return makeBool(compare(x, y, mode) != 0);
    case Op::LessGreater: c = compare(x, y, mode); return makeBool(c == -1 || c == 1);
    case Op::Less: return makeBool(compare(x, y, mode) == -1);
    case Op::Greater: return makeBool(compare(x, y, mode) == 1);
    case Op::LessEqual: c = compare(x, y, mode); return makeBool(c == -1 || c == 0);
    case Op::GreaterEqual: c = compare(x, y, mode); return makeBool(c == 1 || c == 0);
    default: break;
    }
    throw Unsupported("this operation on floats");
  }
  if (a.type.isFloat() || b.type.isFloat()) throw Unsupported("an operation on a float and an integer");

  if (op == Op::ShiftLeft || op == Op::ShiftRight) {
    Type t = a.type;
    if (op == Op::ShiftLeft && t.bits < 32) t.bits = 32;
    Wide n = b.v;
    if (op == Op::ShiftLeft) return {t, n >= 128 ? 0 : static_cast<Wide>(a.integer()) << static_cast<unsigned>(n)};
    SignedWide x = a.integer();
    return {t, static_cast<Wide>(t.kind == Type::Signed
                                     ? x >> static_cast<unsigned>(n > 127 ? 127 : n)
                                     : static_cast<SignedWide>(n > 127 ? 0 : a.v >> static_cast<unsigned>(n)))};
  }
  unsigned width = std::max<unsigned>(a.type.bits, b.type.bits);
  bool sa = a.type.kind == Type::Signed, sb = b.type.kind == Type::Signed;
  bool isSigned = a.type.bits == b.type.bits ? sa && sb : a.type.bits > b.type.bits ? sa : sb;
  bool arithmetic = op == Op::Add || op == Op::Subtract || op == Op::Multiply;
  if (arithmetic && width < 32) width = 32;
  Type t{isSigned                                                 ? Type::Signed
         : a.type.kind == Type::Bits && b.type.kind == Type::Bits ? Type::Bits
                                                                  : Type::Unsigned,
         static_cast<uint16_t>(width)};
  SignedWide x = a.integer(), y = b.integer();
  Wide ux = static_cast<Wide>(x) & maskOf(width), uy = static_cast<Wide>(y) & maskOf(width);
  if (exactIntegers && arithmetic) {
    SignedWide r = op == Op::Add ? x + y : op == Op::Subtract ? x - y : x * y;
    return {{Type::Signed, 120}, static_cast<Wide>(r)};
  }
  switch (op) {
  case Op::Add: return {t, ux + uy};
  case Op::Subtract: return {t, ux - uy};
  case Op::Multiply: return {t, ux * uy};
  case Op::Divide:
  case Op::Remainder:
    if (y == 0) throw Unsupported("a division by zero");
    if (isSigned) return {t, static_cast<Wide>(op == Op::Divide ? x / y : x % y)};
    return {t, op == Op::Divide ? ux / uy : ux % uy};
  case Op::And:
  case Op::Or:
  case Op::Xor: {
    Value r(t, op == Op::And ? ux & uy : op == Op::Or ? ux | uy : ux ^ uy);
    r.open = a.open | b.open;
    return r;
  }
  case Op::Equal: return makeBool(ux == uy);
  case Op::NotEqual:
  case Op::LessGreater: return makeBool(ux != uy);
  case Op::Less: return makeBool(isSigned ? x < y : ux < uy);
  case Op::Greater: return makeBool(isSigned ? x > y : ux > uy);
  case Op::LessEqual: return makeBool(isSigned ? x <= y : ux <= uy);
  case Op::GreaterEqual: return makeBool(isSigned ? x >= y : ux >= uy);
  default: throw Unsupported("this operation on integers");
  }
}

} // namespace fly::pseudocode
