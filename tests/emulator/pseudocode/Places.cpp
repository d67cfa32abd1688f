// Where assignments go, and what stands there. A register keeps its width whatever is stored into a part or a view of
// it; a variable of the text takes the type of what it is given; memory and registers by number belong to the host.
#include "tests/emulator/pseudocode/Interpreter.h"

namespace fly::pseudocode {

namespace {
constexpr Type bits32{Type::Bits, 32};
}

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
    if (isNamed(base, "MEM") || isNamed(base, "LDS")) {
      Place p;
      p.kind = Place::Memory;
      const Node &where = *n.children[1];
      if (isNamed(where, "ADDR")) {
        // MEM[ADDR] is the whole address, offset included; ADDR.b32 and VGPR[lane][ADDR] are not.
        int s = text.find("ADDR");
        p.address = static_cast<uint64_t>(cells[static_cast<size_t>(s)].elements.empty()
                                              ? cells[static_cast<size_t>(s)].value.v
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
      if (i < 0 || static_cast<size_t>(i) >= cells[static_cast<size_t>(p.symbol)].elements.size())
        throw Unsupported("array index out of range");
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
  case Op::Slice:
  case Op::SlicePlus: {
    Place p = place(*n.children[0]);
    SignedWide a = evaluate(*n.children[1]).integer(), b = evaluate(*n.children[2]).integer();
    if (n.op == Op::SlicePlus) {
      b = a;
      a = b + evaluate(*n.children[2]).integer() - 1;
    }
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
  throw Unsupported("an assignment to something that is not a place");
}

Value Interpreter::load(const Place &p) {
  Value v;
  unsigned width = p.typed && !p.sliced ? p.type.bits : p.lo + p.width ? p.lo + p.width : 32;
  switch (p.kind) {
  case Place::Memory: v = host.readMemory(p.address, (width + 7) / 8); break;
  case Place::Vgpr:
    v = host.readVgpr(p.lane, p.index);
    if (width > 32) {
      v.type.bits = 64;
      insert(v, 32, 32, host.readVgpr(p.lane, p.index + 1));
    }
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
    if (exactIntegers && !p.type.isFloat() && p.type.kind != Type::Bits && !v.type.isFloat() &&
        v.type.bits > p.type.bits) {
      SignedWide x = v.integer(),
                 high = static_cast<SignedWide>(maskOf(p.type.kind == Type::Signed ? p.type.bits - 1u : p.type.bits));
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
  case Place::Vgpr:
  case Place::Sgpr: {
    bool vector = p.kind == Place::Vgpr;
    for (unsigned k = 0; k < (p.lo + width + 31) / 32; ++k) {
      Value whole = vector ? host.readVgpr(p.lane, p.index + k) : Value(bits32, host.readSgpr(p.index + k));
      unsigned lo = k == 0 ? p.lo : 0;
      insert(whole, lo, std::min(32 - lo, width - 32 * k), k ? slice(v, 32 * k, std::min(32u, width - 32 * k)) : v);
      if (vector) host.writeVgpr(p.lane, p.index + k, whole);
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
      unsigned width = p.sliced                     ? p.width
                       : p.typed                    ? p.type.bits
                       : p.kind == Place::CellPlace ? cells[static_cast<size_t>(p.symbol)].value.type.bits
                                                    : 32;
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

} // namespace fly::pseudocode
