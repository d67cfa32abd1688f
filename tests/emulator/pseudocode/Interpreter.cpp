// See Interpreter.h. The rules of types that the documents leave unsaid, as their texts use them: integers narrower than
// 32 bits are widened for + - * << (v_lerp_u8), slices and concatenations have exact widths, a view of a float under
// another float type converts it (-INF.f16), a cast of bits to a float reinterprets them (32'F(0xffc00000)).
#include "tests/emulator/pseudocode/Interpreter.h"

namespace fly::pseudocode {

namespace {
constexpr Type bits32{Type::Bits, 32};
}

void Interpreter::provide(const std::string &name, const Value &v, bool operand) {
  Cell *c = cell(name);
  if (!c) return;
  c->value = v;
  c->declared = v.type;
  c->set = c->fixed = c->external = true;
  c->operand = operand;
  c->typedBits = 0;
  c->array = false;
}

void Interpreter::reset() { cells.assign(text.symbols.size(), Cell()); }

void Interpreter::run() {
  mode.override = -1;
  execute(*text.body);
}

//===--------------------------------------------------------------------------------------------------------===//
// Statements
//===--------------------------------------------------------------------------------------------------------===//

Interpreter::Flow Interpreter::execute(const Node &n) {
  switch (n.op) {
  case Op::Block:
    for (const auto &s : n.children)
      if (Flow f = execute(*s); f != Flow::Normal) return f;
    return Flow::Normal;
  case Op::Assign: {
    Value v = evaluate(*n.children[1]);
    if (n.operation != Op::Assign) v = binary(n.operation, evaluate(*n.children[0]), v);
    assign(*n.children[0], v);
    return Flow::Normal;
  }
  case Op::If:
    if (evaluate(*n.children[0]).truth()) return execute(*n.children[1]);
    return n.children.size() > 2 ? execute(*n.children[2]) : Flow::Normal;
  case Op::For: {
    Value first = evaluate(*n.children[0]);
    SignedWide last = evaluate(*n.children[1]).integer();
    Cell &c = cells[static_cast<size_t>(n.symbol)];
    for (SignedWide i = first.integer(); i <= last; ++i) {
      c.value = Value(c.fixed ? c.declared : first.type, static_cast<Wide>(i));
      c.set = true;
      Flow f = execute(*n.children[2]);
      if (f == Flow::Break) break;
      if (f == Flow::Return) return f;
    }
    return Flow::Normal;
  }
  case Op::While:
    for (unsigned k = 0; evaluate(*n.children[0]).truth(); ++k) {
      if (k > 100000) throw Unsupported("an endless loop");
      Flow f = execute(*n.children[1]);
      if (f == Flow::Break) break;
      if (f == Flow::Return) return f;
    }
    return Flow::Normal;
  case Op::Break: return Flow::Break;
  case Op::Return: returned = evaluate(*n.children[0]); return Flow::Return;
  case Op::Declare: {
    Cell &c = cells[static_cast<size_t>(n.symbol)];
    if (c.external) return Flow::Normal; // the text only repeats what the encoding gives
    c.declared = n.type;
    c.fixed = true;
    c.set = true;
    c.array = n.elements > 0;
    c.elements.assign(n.elements, Value(n.type, 0));
    c.value = Value(n.type, 0);
    return Flow::Normal;
  }
  case Op::Lambda: cells[static_cast<size_t>(n.symbol)].lambda = &n; return Flow::Normal;
  case Op::Evaluate: evaluate(*n.children[0]); return Flow::Normal;
  default: throw Unsupported("not a statement");
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Places
//===--------------------------------------------------------------------------------------------------------===//

Interpreter::Place Interpreter::place(const Node &n) {
  switch (n.op) {
  case Op::Name: {
    Place p;
    p.symbol = n.symbol;
    return p;
  }
  case Op::As: {
    Place p = place(*n.children[0]);
    p.typed = true;
    p.type = n.type;
    return p;
  }
  case Op::Call:
    if (nameOf(n) == "LDS") {
      Place p;
      p.kind = Place::Memory;
      p.address = static_cast<uint64_t>(evaluate(*n.children[0]).v);
      return p;
    }
    break;
  case Op::Index: {
    const Node &base = *n.children[0];
    if (isNamed(base, "MEM")) {
      Place p;
      p.kind = Place::Memory;
      const Node &where = *n.children[1];
      if (isNamed(where, "ADDR")) {
        // MEM[ADDR] is the whole address, offset included; ADDR.b32 and VGPR[lane][ADDR] are not.
        int s = text.find("ADDR");
        p.address = static_cast<uint64_t>(cells[static_cast<size_t>(s)].elements.empty() ? cells[static_cast<size_t>(s)].value.v
                                                                                       : cells[static_cast<size_t>(s)].elements[0].v);
      } else p.address = static_cast<uint64_t>(evaluate(where).integer());
      return p;
    }
    if (base.op == Op::Index && isNamed(*base.children[0], "VGPR")) {
      Place p;
      p.kind = Place::Vgpr;
      p.lane = static_cast<unsigned>(evaluate(*base.children[1]).v);
      p.index = static_cast<unsigned>(evaluate(*n.children[1]).v);
      return p;
    }
    if (isNamed(base, "SGPR")) {
      Place p;
      p.kind = Place::Sgpr;
      p.index = static_cast<unsigned>(evaluate(*n.children[1]).v);
      return p;
    }
    Place p = place(base);
    SignedWide i = evaluate(*n.children[1]).integer();
    if (p.kind == Place::CellPlace && p.element < 0 && !p.sliced && cells[static_cast<size_t>(p.symbol)].array) {
      if (i < 0 || static_cast<size_t>(i) >= cells[static_cast<size_t>(p.symbol)].elements.size()) throw Unsupported("array index out of range");
      p.element = static_cast<int>(i);
      return p;
    }
    if (i < 0 || i > 4096) throw Unsupported("bit index out of range");
    p.lo += static_cast<unsigned>(i);
    p.width = 1;
    p.sliced = true;
    p.typed = false;
    return p;
  }
  case Op::Slice: case Op::SlicePlus: {
    Place p = place(*n.children[0]);
    SignedWide a = evaluate(*n.children[1]).integer(), b = evaluate(*n.children[2]).integer();
    if (n.op == Op::SlicePlus) { b = a; a = b + evaluate(*n.children[2]).integer() - 1; }
    p.reverse = a < b;
    if (p.reverse) std::swap(a, b);
    if (b < 0 || a > 4096) throw Unsupported("slice out of range");
    p.lo += static_cast<unsigned>(b);
    p.width = static_cast<unsigned>(a - b + 1);
    p.sliced = true;
    p.typed = false;
    return p;
  }
  default: break;
  }
  throw Unsupported("an assignment to something that is no place");
}

Value Interpreter::load(const Place &p) {
  Value v;
  unsigned width = p.typed && !p.sliced ? p.type.bits : p.lo + p.width ? p.lo + p.width : 32;
  switch (p.kind) {
  case Place::Memory: v = host.readMemory(p.address, (width + 7) / 8); break;
  case Place::Vgpr:
    v = Value(bits32, host.readVgpr(p.lane, p.index));
    if (width > 32) v = Value({Type::Bits, 64}, v.v | Wide(host.readVgpr(p.lane, p.index + 1)) << 32);
    break;
  case Place::Sgpr:
    v = Value(bits32, host.readSgpr(p.index));
    if (width > 32) v = Value({Type::Bits, 64}, v.v | Wide(host.readSgpr(p.index + 1)) << 32);
    break;
  case Place::CellPlace: {
    const Cell &c = cells[static_cast<size_t>(p.symbol)];
    v = p.element >= 0 ? c.elements[static_cast<size_t>(p.element)] : c.value;
    break;
  }
  }
  if (p.sliced) v = slice(v, p.lo, p.width);
  if (p.reverse) v = reversed(v);
  if (p.typed) v = view(v, p.type);
  return v;
}

void Interpreter::store(const Place &p, const Value &given) {
  Value v = given;
  if (p.typed) {
    // A float view takes a float (converted if it is another format), an integer view an integer.
    if (p.type.isFloat() && v.type.isFloat() && v.type != p.type) v = convertFloat(v, p.type, mode, true);
    if (exactIntegers && !p.type.isFloat() && p.type.kind != Type::Bits && !v.type.isFloat() && v.type.bits > p.type.bits) {
      SignedWide x = v.integer(), high = static_cast<SignedWide>(maskOf(p.type.kind == Type::Signed ? p.type.bits - 1u : p.type.bits));
      SignedWide low = p.type.kind == Type::Signed ? -high - 1 : 0;
      v = Value(p.type, static_cast<Wide>(x > high ? high : x < low ? low : x));
    }
    float ulps = v.ulps, absolute = v.absolute;
    v = retype(v, p.type);
    if (p.type.isFloat() && p.type.bits >= 16 && p.kind == Place::CellPlace) {
      if (!mode.keepOut(p.type)) v = flushed(v, mode);
      // Whether an instruction that hands on an operand quiets a signalling NaN is not said.
      if (isSignalling(v, mode)) v.open |= Wide(1) << (formatOf(p.type, mode).mantissa - 1);
    }
    v.ulps = ulps;
    v.absolute = absolute;
  }
  unsigned width = p.sliced ? p.width : p.typed ? p.type.bits : v.type.bits;
  if (p.reverse) v = reversed(retype(v, {v.type.kind, static_cast<uint16_t>(width)}));
  switch (p.kind) {
  case Place::Memory: host.writeMemory(p.address, width / 8, v); return;
  case Place::Vgpr: case Place::Sgpr: {
    bool vector = p.kind == Place::Vgpr;
    for (unsigned k = 0; k < (p.lo + width + 31) / 32; ++k) {
      uint32_t old = vector ? host.readVgpr(p.lane, p.index + k) : host.readSgpr(p.index + k);
      Value whole(bits32, old);
      unsigned lo = k == 0 ? p.lo : 0;
      insert(whole, lo, std::min(32 - lo, width - 32 * k), k ? slice(v, 32 * k, std::min(32u, width - 32 * k)) : v);
      if (vector) host.writeVgpr(p.lane, p.index + k, static_cast<uint32_t>(whole.v));
      else host.writeSgpr(p.index + k, static_cast<uint32_t>(whole.v));
    }
    return;
  }
  case Place::CellPlace: break;
  }
  Cell &c = cells[static_cast<size_t>(p.symbol)];
  if (p.element >= 0) {
    Value &e = c.elements[static_cast<size_t>(p.element)];
    if (p.sliced || p.typed) insert(e, p.lo, width, v);
    else e = retype(v, c.declared);
    return;
  }
  bool register_ = c.external || c.fixed;
  if (register_) {
    if (p.sliced || p.typed) insert(c.value, p.lo, width, v);
    else {
      Value whole = retype(v, c.declared);
      if (c.declared.bits > v.type.bits && c.external) insert(c.value, 0, v.type.bits, v);
      else c.value = whole;
    }
    c.value.ulps = p.sliced ? std::max(c.value.ulps, v.ulps) : v.ulps;
    c.value.absolute = p.sliced ? std::max(c.value.absolute, v.absolute) : v.absolute;
    if (c.external) {
      c.value.type = {c.declared.kind, std::max(c.declared.bits, c.value.type.bits)};
      c.typedBits = p.sliced ? 0 : p.typed ? p.type.bits : v.type.bits;
      if (p.typed && !p.sliced) c.elements.assign(1, Value(p.type, 0)); // remembers the view, for calls
    }
    return;
  }
  if (p.sliced) {
    if (!c.set) c.value = Value({Type::Bits, 0}, 0);
    insert(c.value, p.lo, width, v);
  } else c.value = v;
  c.set = true;
}

void Interpreter::assign(const Node &target, const Value &v) {
  if (target.op == Op::Concat) {
    std::vector<Place> places;
    unsigned lo = 0;
    for (size_t k = target.children.size(); k-- > 0;) {
      Place p = place(*target.children[k]);
      unsigned width = p.sliced ? p.width : p.typed ? p.type.bits : p.kind == Place::CellPlace ? cells[static_cast<size_t>(p.symbol)].value.type.bits : 32;
      store(p, slice(v, lo, width));
      lo += width;
    }
    return;
  }
  Place p = place(target);
  store(p, v);
  if (target.op == Op::Name && nameOf(target) == "ROUND_MODE") {
    SignedWide r = v.integer();
    mode.override = r > 3 ? -1 : static_cast<int>(r);
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Expressions
//===--------------------------------------------------------------------------------------------------------===//

Value Interpreter::view(const Value &v, Type type) {
  if (type.isFloat() && v.type.isFloat() && !v.more.empty()) { // 2.0F ** n, a factor of any size
    Value r = v;
    r.type = type;
    return r;
  }
  if (type.isFloat() && v.type.isFloat() && v.type != type) return convertFloat(v, type, mode, true);
  return retype(v, type);
}

Value Interpreter::cast(const Value &v, Type type) {
  return view(v, type);
}

Value Interpreter::flush(const Node &source, Value v) {
  const Node *n = &source;
  while (n->op == Op::As || n->op == Op::Index || n->op == Op::Slice) n = n->children[0].get();
  if (n->op == Op::Name && cells[static_cast<size_t>(n->symbol)].operand && !mode.keepIn(v.type) && v.type.bits >= 16) return flushed(v, mode);
  return v;
}

Value Interpreter::constantNamed(const std::string &name) {
  auto real = [](uint64_t bits) { return Value({Type::Float, 64}, bits); };
  static const std::map<std::string, Value> constants = {
      {"INF", real(0x7ff0000000000000ull)}, {"NAN", Value({Type::Float, 64}, 0x7ff8000000000000ull)},
      {"PI", real(0x400921fb54442d18ull)}, {"MAX_FLOAT_F32", Value({Type::Float, 32}, 0x7f7fffffu)},
      {"OVERFLOW_F32", Value({Type::Float, 32}, 0x7f800000u)}, {"UNDERFLOW_F32", Value({Type::Float, 32}, 0)},
      {"OVERFLOW_F64", real(0x7ff0000000000000ull)}, {"UNDERFLOW_F64", real(0)},
      {"ROUND_NEAREST_EVEN", makeUnsigned(0)}, {"ROUND_TOWARD_ZERO", makeUnsigned(3)}, {"ROUND_MODE", makeUnsigned(255)},
      {"BYTE0", makeUnsigned(0)}, {"BYTE1", makeUnsigned(1)}, {"BYTE2", makeUnsigned(2)}, {"BYTE3", makeUnsigned(3)},
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
    bool stored = base.op == Op::Index && (isNamed(*base.children[0], "MEM") || isNamed(*base.children[0], "SGPR") ||
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
    if (isNamed(base, "MEM") || isNamed(base, "SGPR") || (base.op == Op::Index && isNamed(*base.children[0], "VGPR"))) return load(place(n));
    if (base.op == Op::Name && cells[static_cast<size_t>(base.symbol)].array) return load(place(n));
    Value v = evaluate(base);
    SignedWide i = evaluate(*n.children[1]).integer();
    if (i < 0 || i > 4096) throw Unsupported("bit index out of range");
    return slice(v, static_cast<unsigned>(i), 1);
  }
  case Op::Slice: case Op::SlicePlus: {
    Value v = evaluate(*n.children[0]);
    SignedWide a = evaluate(*n.children[1]).integer(), b = evaluate(*n.children[2]).integer();
    if (n.op == Op::SlicePlus) { SignedWide width = b; b = a; a = b + width - 1; }
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
      return isNan(x, mode) ? someNan(t) : scaleTo(mode.keepIn(x.type) ? x : flushed(x, mode), static_cast<int>(std::min<int64_t>(std::max<int64_t>(e, -5000), 5000)), t, false, mode);
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
    return {t, static_cast<Wide>(t.kind == Type::Signed ? x >> static_cast<unsigned>(n > 127 ? 127 : n)
                                                        : static_cast<SignedWide>(n > 127 ? 0 : a.v >> static_cast<unsigned>(n)))};
  }
  unsigned width = std::max<unsigned>(a.type.bits, b.type.bits);
  bool sa = a.type.kind == Type::Signed, sb = b.type.kind == Type::Signed;
  bool isSigned = a.type.bits == b.type.bits ? sa && sb : a.type.bits > b.type.bits ? sa : sb;
  bool arithmetic = op == Op::Add || op == Op::Subtract || op == Op::Multiply;
  if (arithmetic && width < 32) width = 32;
  Type t{isSigned ? Type::Signed : a.type.kind == Type::Bits && b.type.kind == Type::Bits ? Type::Bits : Type::Unsigned, static_cast<uint16_t>(width)};
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
  case Op::Divide: case Op::Remainder:
    if (y == 0) throw Unsupported("a division by zero");
    if (isSigned) return {t, static_cast<Wide>(op == Op::Divide ? x / y : x % y)};
    return {t, op == Op::Divide ? ux / uy : ux % uy};
  case Op::And: case Op::Or: case Op::Xor: {
    Value r(t, op == Op::And ? ux & uy : op == Op::Or ? ux | uy : ux ^ uy);
    r.open = a.open | b.open;
    return r;
  }
  case Op::Equal: return makeBool(ux == uy);
  case Op::NotEqual: case Op::LessGreater: return makeBool(ux != uy);
  case Op::Less: return makeBool(isSigned ? x < y : ux < uy);
  case Op::Greater: return makeBool(isSigned ? x > y : ux > uy);
  case Op::LessEqual: return makeBool(isSigned ? x <= y : ux <= uy);
  case Op::GreaterEqual: return makeBool(isSigned ? x >= y : ux >= uy);
  default: throw Unsupported("this operation on integers");
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Calls
//===--------------------------------------------------------------------------------------------------------===//

Value Interpreter::call(const Node &n) {
  const std::string &name = nameOf(n);
  if (name.compare(0, 4, "Calc") == 0) { // the address of this lane's access, which the caller computes
    bool constantOffset = n.children.size() > 1 && n.children.back()->op == Op::Constant;
    Cell &address = cells[static_cast<size_t>(n.symbol)];
    if (address.elements.size() < 2) throw Unsupported("no address");
    return address.elements[constantOffset ? 1 : 0];
  }
  if (name == "LDS") return load(place(n));
  if ((name == "sin" || name == "cos") && n.children.size() == 1 && n.children[0]->op == Op::Multiply) {
    // sin(S0 * 2 * PI): the hardware takes turns, the product is never rounded.
    Value turns = evaluate(*n.children[0]->children[0]);
    turns.more.assign(1, 0);
    return callBuiltin(name, {turns}, mode);
  }
  std::vector<Value> arguments;
  for (const auto &c : n.children) arguments.push_back(evaluate(*c));
  if (const Node *lambda = cells[static_cast<size_t>(n.symbol)].lambda) {
    if (arguments.size() != lambda->parameters.size()) throw Unsupported("a lambda called with other parameters");
    if (++depth > 20) throw Unsupported("recursion");
    std::vector<Cell> saved;
    for (size_t k = 0; k < arguments.size(); ++k) {
      Cell &c = cells[static_cast<size_t>(lambda->parameters[k])];
      saved.push_back(c);
      c = Cell();
      c.value = arguments[k];
      c.set = true;
    }
    if (execute(*lambda->children[0]) != Flow::Return) throw Unsupported("a lambda without result");
    for (size_t k = 0; k < arguments.size(); ++k) cells[static_cast<size_t>(lambda->parameters[k])] = saved[k];
    --depth;
    return returned;
  }
  if (isBuiltin(name)) return callBuiltin(name, arguments, mode);
  if (const Text *other = host.instruction(name)) return callText(*other, name, arguments);
  throw Unsupported("the function `" + name + "` is not defined");
}

Value Interpreter::callText(const Text &other, const std::string &name, const std::vector<Value> &arguments) {
  Interpreter inner(other, host);
  inner.mode = mode;
  inner.mode.keepOut32 = inner.mode.keepOut16_64 = true; // one instruction, whose result alone is flushed
  inner.exactIntegers = false;
  static const char *const operands[] = {"S0", "S1", "S2"};
  for (size_t k = 0; k < arguments.size() && k < 3; ++k) inner.provide(operands[k], arguments[k]);
  inner.provide("D0", Value({Type::Bits, 32}, 0));
  inner.provide("TRAPSTS.INVALID", makeUnsigned(0, 1));
  for (const char *shared : {"WAVE_MODE.IEEE"})
    if (Cell *mine = cell(shared); mine && mine->set) inner.provide(shared, mine->value);
    else inner.provide(shared, makeUnsigned(ieee, 1));
  inner.ieee = ieee;
  inner.execute(*other.body);
  Cell *d = inner.cell("D0");
  if (!d) throw Unsupported("`" + name + "` has no D0");
  Type t = d->elements.empty() ? d->value.type : d->elements[0].type;
  return retype(d->value, t);
}

} // namespace fly::pseudocode
