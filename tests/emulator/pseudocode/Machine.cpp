// See Machine.h.
#include "tests/emulator/pseudocode/Machine.h"

#include "runtime/emulator/Architecture.h"

#include <cmath>
#include <cstring>

namespace fly::pseudocode {

using isa::Form;
using isa::Operand;
using isa::Role;
using isa::Special;
namespace slot = emulator::slot;
constexpr unsigned stride = emulator::laneStride;

namespace {

int scalarSlot(const Operand &o) {
  if (o.isSgpr()) return o.index;
  switch (o.special()) {
  case Special::VCC: return slot::vcc + o.sub;
  case Special::EXEC: return slot::exec + o.sub;
  case Special::SCC: return slot::scc;
  case Special::M0: return slot::m0;
  case Special::TTMP: return slot::ttmp + o.sub;
  case Special::Null: return -1;
  default: throw Unsupported("operand " + toString(o));
  }
}
bool isVector(const Operand &o) { return o.isVgpr() || o.isAgpr(); }
bool isMix(const isa::Instruction &inst) {
  std::string_view n = isa::name(inst.op);
  return n.find("_MIX") != n.npos;
}
bool isMemory(const isa::Instruction &inst) {
  return inst.cls == isa::Class::VectorMemory || inst.cls == isa::Class::Lds || inst.cls == isa::Class::ScalarMemory;
}
FloatMode floatMode(const StepBench &bench, const Instruction &what) {
  FloatMode m;
  uint32_t bits = bench.mode();
  m.round32 = bits & 3;
  m.round16_64 = bits >> 2 & 3;
  m.keepIn32 = bits >> 4 & 1;
  m.keepOut32 = bits >> 5 & 1;
  m.keepIn16_64 = bits >> 6 & 1;
  m.keepOut16_64 = bits >> 7 & 1;
  m.fnuz = bench.arch == "gfx942";
  // The approximations of f32 flush denormals whatever MODE says: LLVM's lowering of f32 sqrt, rcp, log2 and exp2 scales
  // denormal operands before it uses them (AMDGPULegalizerInfo: "v_sqrt_f32 and the like do not handle denormals").
  // v_cmp_class asks about the bits: LLVM selects it for llvm.is.fpclass in every denormal mode.
  if (what.name.find("_class_") != std::string::npos) m.keepIn32 = m.keepIn16_64 = true;
  if (what.shape.approximates && what.shape.floatBits[0] == 32) m.keepIn32 = m.keepOut32 = false;
  return m;
}

} // namespace

//===--------------------------------------------------------------------------------------------------------===//
// Host
//===--------------------------------------------------------------------------------------------------------===//

const Text *Machine::instruction(const std::string &name) {
  const Instruction *i = library.find(name);
  if (!i) i = functions.find(name);
  return i && i->text ? &*i->text : nullptr;
}
uint32_t Machine::readVgpr(unsigned lane, unsigned index) {
  size_t at = static_cast<size_t>(index) * stride + lane;
  if (at >= vector.size() || lane >= bench.lanes()) throw Unsupported("a register that does not exist");
  return vector[at];
}
void Machine::writeVgpr(unsigned lane, unsigned index, uint32_t v) {
  size_t at = static_cast<size_t>(index) * stride + lane;
  if (at >= vector.size() || lane >= bench.lanes()) throw Unsupported("a register that does not exist");
  vector[at] = v;
}
Value Machine::readMemory(uint64_t address, unsigned bytes) {
  Value v({Type::Bits, static_cast<uint16_t>(8 * bytes)}, 0);
  const std::vector<uint8_t> &from = space == Space::Lds ? lds : space == Space::Scratch ? scratch : memory;
  uint64_t at = space == Space::Global ? address - memoryBase : space == Space::Scratch ? address + currentLane * bench.wave().scratchBytes : address & 0xffffffffu;
  if (at + bytes > from.size()) throw Unsupported("an address outside of the test's memory");
  const std::vector<uint8_t> &undetermined = space == Space::Lds ? ldsOpen : space == Space::Scratch ? scratchOpen : memoryOpen;
  for (unsigned k = bytes; k-- > 0;) {
    v.v = v.v << 8 | from[at + k];
    v.open = v.open << 8 | undetermined[at + k];
  }
  return v;
}
void Machine::writeMemory(uint64_t address, unsigned bytes, const Value &v) {
  std::vector<uint8_t> &to = space == Space::Lds ? lds : space == Space::Scratch ? scratch : memory;
  uint64_t at = space == Space::Global ? address - memoryBase : space == Space::Scratch ? address + currentLane * bench.wave().scratchBytes : address & 0xffffffffu;
  if (at + bytes > to.size()) throw Unsupported("an address outside of the test's memory");
  std::vector<uint8_t> &undetermined = space == Space::Lds ? ldsOpen : space == Space::Scratch ? scratchOpen : memoryOpen;
  for (unsigned k = 0; k < bytes; ++k) {
    to[at + k] = static_cast<uint8_t>(v.v >> 8 * k);
    undetermined[at + k] = static_cast<uint8_t>(v.open >> 8 * k);
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Operands
//===--------------------------------------------------------------------------------------------------------===//

size_t Machine::registerOf(const Operand &o) const { return o.isAgpr() ? bench.vgprCount() + o.index : o.index; }

Value Machine::fetchBits(const Operand &o, unsigned lane, unsigned bits) {
  Value v({Type::Bits, static_cast<uint16_t>(bits)}, 0);
  unsigned words = (bits + 31) / 32;
  if (o.isImmediate()) {
    v.v = o.bits & maskOf(bits);
    return v;
  }
  for (unsigned k = 0; k < words; ++k) {
    uint32_t w;
    if (isVector(o)) {
      size_t at = (registerOf(o) + k) * stride + lane;
      if (at >= before.size()) throw Unsupported("an operand beyond the registers");
      w = before[at];
    } else {
      int s = scalarSlot(o);
      w = s < 0 ? 0 : k >= o.width ? 0 : scalarBefore[s + static_cast<int>(k)];
    }
    insert(v, 32 * k, 32, Value({Type::Bits, 32}, w));
  }
  v.type.bits = static_cast<uint16_t>(bits);
  return v;
}

Value Machine::source(const isa::Instruction &inst, const Operand &o, unsigned n, unsigned lane, const Shape &shape) {
  unsigned bits = std::max(shape.bits[n], 32u);
  Value v = fetchBits(o, lane, bits);
  bool packed = inst.baseForm == Form::VOP3P || std::string_view(isa::name(inst.op)) == "V_PK_FMAC_F16";
  if (packed && std::string_view(isa::name(inst.op)).find("_DOT") != std::string_view::npos) return v;
  if (packed && inst.baseForm != Form::VOP3P) return v;
  if (packed) {
    if (isMix(inst)) { // neg_hi is the absolute value
      unsigned sign = !o.opSelHi ? 31 : o.opSel ? 31 : 15;
      if (o.abs) v.v &= ~(Wide(1) << sign);
      if (o.neg) v.v ^= Wide(1) << sign;
      return v;
    }
    unsigned half = bits / 2;
    Value low = slice(v, o.opSel ? half : 0, half), high = slice(v, o.opSelHi ? half : 0, half);
    if (!o.isRegister() && bits == 64) low = high = slice(v, 0, 32);
    Value r({Type::Bits, static_cast<uint16_t>(bits)}, 0);
    insert(r, 0, half, low);
    insert(r, half, half, high);
    if (o.neg) r.v ^= Wide(1) << (half - 1);
    if (o.negHi) r.v ^= Wide(1) << (bits - 1);
    return r;
  }
  if (o.half == isa::Half::High || (o.opSel && shape.bits[n] == 16)) v.v >>= 16;
  unsigned sign = shape.floatBits[n] ? shape.floatBits[n] : o.operandBits;
  if ((o.abs || o.neg) && sign) {
    if (o.abs) v.v &= ~(Wide(1) << (sign - 1));
    if (o.neg) v.v ^= Wide(1) << (sign - 1);
  }
  return v;
}

void Machine::writeScalarOperand(const Operand &o, const Value &v, unsigned bits) {
  int s = scalarSlot(o);
  if (s < 0) return;
  for (unsigned k = 0; k < (bits + 31) / 32; ++k) {
    scalar[s + static_cast<int>(k)] = static_cast<uint32_t>(slice(v, 32 * k, 32).v);
    scalarOpen[s + static_cast<int>(k)] = static_cast<uint32_t>(v.open >> 32 * k);
  }
}

/// omod, then clamp, of a float result in bits `bits`.
void Machine::finishFloat(const isa::Instruction &inst, Value &v, unsigned bits, Type::Kind kind, const FloatMode &mode) {
  const isa::Modifiers &m = inst.modifiers;
  if (!m.omod && !m.clamp) return;
  Type t{kind, static_cast<uint16_t>(bits)};
  Value f = slice(v, 0, bits);
  f.type = t;
  f.ulps = v.ulps;
  f.absolute = v.absolute;
  // "Output modifiers are not compatible with output denormals: if output denormals are enabled, then output modifiers
  // are ignored. If output denormals are disabled, then the output modifier is applied and denormals are flushed to zero.
  // [...] -0 is flushed to +0. Output modifiers are ignored if the IEEE mode bit is set to 1." (RDNA ISA documents)
  bool keepsDenormals = bench.mode() >> (bits == 32 ? 5 : 7) & 1;
  bool modifies = m.omod && !keepsDenormals && !bench.wave().mode.ieee;
  if (modifies && isZero(f, mode)) f = Value(t, 0);
  else if (modifies && !isNan(f, mode)) f = scaleTo(f, m.omod == 3 ? -1 : m.omod, t, false, mode);
  if (m.clamp) {
    bool nanToZero = bench.wave().mode.dx10Clamp;
    Value one = fromInteger(1, t, FloatMode());
    if (isNan(f, mode)) { if (nanToZero) f = Value(t, 0); }
    else if (signOf(f) || isZero(f, mode)) f = Value(t, 0);
    else if (compare(f, one, mode) > 0) f = one;
  }
  insert(v, 0, bits, f);
}

//===--------------------------------------------------------------------------------------------------------===//
// Running
//===--------------------------------------------------------------------------------------------------------===//

namespace {
constexpr Role roles[] = {Role::Src0, Role::Src1, Role::Src2};
const char *const names[] = {"S0", "S1", "S2"}, *const numbers[] = {"SRC0", "SRC1", "SRC2"};
bool immediateIsS0(const Instruction &what, const isa::Instruction &inst) {
  return inst.form == Form::SOPK && inst.find(Role::Simm) && std::string_view(isa::name(inst.op)).find("CMPK") == std::string_view::npos && what.encoding == "SOPK";
}
bool writesHigh(const Instruction &what, const isa::Instruction &inst, const Operand &dst) {
  return isVector(dst) && (dst.half == isa::Half::High || (dst.opSel && what.shape.resultBits == 16 && inst.baseForm != Form::VOP3P && !what.text->uses("OPSEL")));
}
} // namespace

/// What differs between lanes.
void Machine::prepareLane(Interpreter &run, const Instruction &what, const isa::Instruction &inst, unsigned lane) {
  const Shape &shape = what.shape;
  if (Cell *c = shape.mixed ? run.cell("S") : nullptr) c->elements.assign(3, Value({Type::Bits, 32}, 0));
  for (const Operand &o : inst.operands)
    for (unsigned n = 0; n < 3; ++n)
      if (o.role == roles[n] && !o.def && n < shape.sources && !(n == 0 && immediateIsS0(what, inst))) {
        if (shape.mixed) run.cell("S")->elements[n] = source(inst, o, n, lane, shape);
        else if (run.cell(names[n])) run.provide(names[n], source(inst, o, n, lane, shape), true);
      }
  const Operand *dst = inst.find(Role::Dst);
  if (shape.maskResult) run.provide("D0", Value({Type::Bits, 64}, 0));
  else if (dst) {
    Value old = fetchBits(*dst, lane, std::max(32u, 32u * dst->width));
    if (writesHigh(what, inst, *dst)) old.v >>= 16;
    run.provide("D0", old, true);
    run.provide("D", old, true);
  } else run.provide("D0", Value({Type::Bits, 64}, 0));
  run.provide("D1", Value({Type::Bits, 1}, 0));
  run.provide("laneId", makeUnsigned(lane));
  run.provide("laneID", makeUnsigned(lane));
  if (isMemory(inst)) memoryOperands(run, inst, lane);
}

/// What all lanes share.
void Machine::prepare(Interpreter &run, const Instruction &what, const isa::Instruction &inst) {
  const Shape &shape = what.shape;
  run.reset();
  const Operand *in[3] = {nullptr, nullptr, nullptr};
  unsigned opsel = 0, opselHi = 0, neg = 0;
  for (const Operand &o : inst.operands) {
    for (unsigned n = 0; n < 3; ++n)
      if (o.role == roles[n] && !o.def) in[n] = &o;
    if (o.role == Role::Dst && o.opSel) opsel |= 8;
  }
  for (unsigned n = 0; n < 3; ++n)
    if (in[n]) {
      opsel |= in[n]->opSel << n;
      opselHi |= in[n]->opSelHi << n;
      neg |= in[n]->neg << n;
    }
  if (inst.modifiers.byteSel) opsel |= static_cast<unsigned>(inst.modifiers.byteSel) << 2 | (inst.modifiers.byteSel >> 1 & 1) | (inst.modifiers.byteSel & 1) << 1;
  if (const Operand *target = inst.find(Role::Target))
    run.provide("SIMM16", Value({Type::Bits, 16}, static_cast<uint64_t>(static_cast<int64_t>(target->bits - inst.address - 4) / 4)));
  if (const Operand *simm = inst.find(Role::Simm)) {
    run.provide("SIMM16", Value({Type::Bits, 16}, simm->bits));
    run.provide("SIMM32", Value({Type::Bits, 32}, simm->bits), true);
    if (inst.form == Form::SOPK) run.provide(immediateIsS0(what, inst) ? "S0" : "S1", Value({Type::Bits, 32}, simm->bits));
  }
  if (shape.mixed) {
    run.provide("S", Value({Type::Bits, 32}, 0), true);
    run.cell("S")->array = true;
  }
  for (unsigned n = 0; n < 3; ++n) {
    if (!in[n]) continue;
    if (isVector(*in[n])) run.provide(numbers[n], makeUnsigned(registerOf(*in[n])));
    else if (run.cell(numbers[n]) && shape.byRegister) throw Unsupported("a register number of an operand that is no vector register");
  }
  const Operand *dst = inst.find(Role::Dst);
  if (dst && isVector(*dst)) run.provide("VDST", makeUnsigned(registerOf(*dst)));

  uint64_t vcc = scalarBefore[slot::vcc] | static_cast<uint64_t>(scalarBefore[slot::vcc + 1]) << 32;
  bool carryIn = shape.sources <= 2 && in[2] && !isVector(*in[2]) && inst.cls != isa::Class::Scalar;
  run.provide("VCC", carryIn ? fetchBits(*in[2], 0, 64) : Value({Type::Bits, 64}, vcc));
  uint64_t exec = scalarBefore[slot::exec] | static_cast<uint64_t>(scalarBefore[slot::exec + 1]) << 32;
  run.provide("EXEC", Value({Type::Bits, 64}, exec));
  run.provide("EXEC_LO", Value({Type::Bits, 32}, exec));
  run.provide("VCCZ", makeUnsigned((bench.lanes() == 64 ? vcc : vcc & 0xffffffffu) == 0, 1));
  run.provide("EXECZ", makeUnsigned((bench.lanes() == 64 ? exec : exec & 0xffffffffu) == 0, 1));
  run.provide("SCC", makeUnsigned(scalarBefore[slot::scc], 1));
  run.provide("M0", Value({Type::Bits, 32}, scalarBefore[slot::m0]));
  run.provide("PC", makeSigned(static_cast<int64_t>(inst.address), 64));
  run.provide("WAVE32", makeUnsigned(bench.lanes() == 32, 1));
  run.provide("wave32", makeUnsigned(bench.lanes() == 32, 1));
  run.provide("WAVE64", makeUnsigned(bench.lanes() == 64, 1));
  run.provide("OPSEL", Value({Type::Bits, 4}, opsel));
  run.provide("OPSEL_HI", Value({Type::Bits, 3}, opselHi));
  run.provide("NEG", Value({Type::Bits, 3}, neg));
  run.provide("INST.OMOD", Value({Type::Bits, 2}, inst.modifiers.bitop3 >> 6));
  run.provide("INST.ABS", Value({Type::Bits, 3}, inst.modifiers.bitop3 >> 3));
  run.provide("INST.NEG", Value({Type::Bits, 3}, inst.modifiers.bitop3));
  run.provide("SDWA_SRC0_SEL", Value({Type::Bits, 3}, 0));
  run.provide("TRAPSTS.INVALID", makeUnsigned(0, 1));
  run.provide("WAVE_MODE.IEEE", makeUnsigned(bench.wave().mode.ieee, 1));
  run.ieee = bench.wave().mode.ieee;
  run.provide("WAVE_STATUS.PRIV", makeUnsigned(0, 1));
  run.mode = floatMode(bench, what);
  run.exactIntegers = inst.modifiers.clamp && !shape.resultFloat;
}

uint64_t Machine::fullAddress(const isa::Instruction &inst, unsigned lane, bool withOffset) {
  uint64_t a = withOffset ? static_cast<uint64_t>(static_cast<int64_t>(inst.modifiers.offset)) : 0;
  const Operand *vaddr = inst.find(Role::Vaddr), *saddr = inst.find(Role::Saddr), *srsrc = inst.find(Role::Srsrc), *soffset = inst.find(Role::Soffset);
  if (inst.form == Form::DS) return (a + static_cast<uint64_t>(fetchBits(*vaddr, lane, 32).v)) & 0xffffffffu;
  if (vaddr && vaddr->isRegister()) a += static_cast<uint64_t>(fetchBits(*vaddr, lane, vaddr->width >= 2 && !srsrc ? 64 : 32).v);
  if (saddr && saddr->isRegister() && !saddr->isSpecial(Special::Null)) a += static_cast<uint64_t>(fetchBits(*saddr, lane, saddr->width >= 2 ? 64 : 32).v);
  if (saddr && saddr->width == 4) a &= 0xffffffffffffull; // a buffer of s_buffer_load
  if (srsrc) a += static_cast<uint64_t>(fetchBits(*srsrc, lane, 64).v) & 0xffffffffffffull;
  if (soffset && (soffset->isImmediate() || !soffset->isSpecial(Special::Null))) a += static_cast<uint64_t>(fetchBits(*soffset, lane, 32).v);
  return a;
}

void Machine::memoryOperands(Interpreter &run, const isa::Instruction &inst, unsigned lane) {
  space = inst.form == Form::DS ? Space::Lds : inst.form == Form::SCRATCH ? Space::Scratch : Space::Global;
  currentLane = lane;
  auto give = [&](const char *name, const Operand *o, bool number = false) {
    if (!o || !run.cell(name)) return;
    if (number) run.provide(name, makeUnsigned(registerOf(*o)));
    else run.provide(name, fetchBits(*o, lane, std::max(32u, 32u * o->width)));
  };
  const Operand *dst = inst.find(Role::Dst), *data = inst.find(Role::Vdata), *data1 = inst.find(Role::Vdata1), *vaddr = inst.find(Role::Vaddr);
  bool numbers = run.cell("VGPR") != nullptr;
  give("RETURN_DATA", dst);
  if (!dst && run.cell("RETURN_DATA")) run.provide("RETURN_DATA", Value({Type::Bits, 64}, 0));
  give("SDATA", dst);
  give("VDATA", data ? data : dst);
  give("DATA", data);
  give("DATA0", data, numbers);
  give("DATA2", data1);
  give("DATA1", data1);
  uint64_t full = inst.form == Form::DS && !vaddr ? 0 : fullAddress(inst, lane, true), plain = inst.form == Form::DS && !vaddr ? 0 : fullAddress(inst, lane, false);
  Value address({Type::Unsigned, 64}, full), bare({Type::Unsigned, 64}, plain);
  for (const char *name : {"CalcDsAddr", "CalcFlatAddr", "CalcGlobalAddr", "CalcScratchAddr", "CalcBufferAddr", "CalcScalarGlobalAddr", "CalcScalarBufferAddr"})
    if (Cell *c = run.cell(name)) c->elements = {address, bare};
  if (Cell *c = run.cell("ADDR")) {
    run.provide("ADDR", vaddr ? numbers ? makeUnsigned(registerOf(*vaddr)) : fetchBits(*vaddr, lane, 32) : bare);
    c->elements = {address};
  }
  if (vaddr) give("ADDR_BASE", vaddr);
  run.provide("OFFSET", Value({Type::Bits, 32}, static_cast<uint32_t>(inst.modifiers.offset)));
  bool pair = std::string_view(isa::name(inst.op)).find("2") != std::string_view::npos;
  run.provide("OFFSET0", Value({Type::Bits, 8}, pair ? static_cast<uint32_t>(inst.modifiers.offset) & 255 : static_cast<uint32_t>(inst.modifiers.offset) & 255));
  run.provide("OFFSET1", Value({Type::Bits, 8}, inst.modifiers.offset1 ? inst.modifiers.offset1 : static_cast<uint32_t>(inst.modifiers.offset) >> 8));
  for (const char *name : {"vgpr_a", "offset", "v_addr", "s_saddr", "v_addr_off", "s_saddr_off", "sgpr_base", "sgpr_o", "SBASE", "SOFFSET", "SADDR", "VADDR", "SRSRC", "flat_scratch"})
    if (Cell *c = run.cell(name); c && !c->set) run.provide(name, Value({Type::Bits, 64}, 0)); // arguments of Calc..Addr
}

void Machine::collect(Interpreter &run, const Instruction &what, const isa::Instruction &inst, unsigned lane) {
  const Text &text = *what.text;
  const Operand *dst = inst.find(Role::Dst);
  if (Cell *c = run.cell("VCC")) vccResult |= static_cast<uint64_t>(c->value.v >> lane & 1) << lane;
  if (Cell *c = run.cell("EXEC")) execResult |= static_cast<uint64_t>(c->value.v >> lane & 1) << lane;
  if (Cell *c = run.cell("D1")) d1Result |= static_cast<uint64_t>(c->value.v & 1) << lane;
  Cell *d = what.shape.writes.count("D0") ? run.cell("D0") : what.shape.writes.count("D") ? run.cell("D") : nullptr;
  if (isMemory(inst))
    for (const char *name : {"RETURN_DATA", "SDATA", "VDATA"})
      if (run.cell(name) && what.shape.writes.count(name)) d = run.cell(name);
  if (what.shape.maskResult) {
    maskResult |= static_cast<uint64_t>(d->value.v >> lane & 1) << lane;
    return;
  }
  if (run.cell("S0") && what.shape.writes.count("S0"))
    if (const Operand *second = inst.find(Role::Dst1)) {
      Value old({Type::Bits, 32}, before[registerOf(*second) * stride + lane]);
      unsigned lo = second->half == isa::Half::High ? 16 : 0, width = text.uses("D0") && what.name.find("b16") != std::string::npos ? 16 : 32;
      insert(old, lo, width, run.cell("S0")->value);
      vector[registerOf(*second) * stride + lane] = static_cast<uint32_t>(old.v);
    }
  if (!d || !dst || (isMemory(inst) && inst.isAtomic && !dst)) return;
  Value v = d->value;
  unsigned bits = std::max(32u, 32u * dst->width);
  Type result = d->elements.empty() ? Type{Type::Bits, 0} : d->elements[0].type;
  if (result.isFloat() && !isMemory(inst) && (inst.baseForm != Form::VOP3P || d->typedBits == 32)) finishFloat(inst, v, result.bits, result.kind, run.mode);
  else if (inst.modifiers.clamp && inst.baseForm == Form::VOP3P && std::string_view(isa::name(inst.op)).find("_F16") != std::string_view::npos && what.shape.resultBits <= 32 && !isMix(inst))
    for (unsigned k = 0; k < 32; k += 16) {
      Value half = slice(v, k, 16);
      finishFloat(inst, half, 16, Type::Float, run.mode);
      insert(v, k, 16, half);
    }
  else if (inst.modifiers.clamp && inst.baseForm == Form::VOP3P && what.shape.floatBits[0] == 32)
    for (unsigned k = 0; k < bits; k += 32) {
      Value half = slice(v, k, 32);
      finishFloat(inst, half, 32, Type::Float, run.mode);
      insert(v, k, 32, half);
    }
  else if (inst.modifiers.clamp && isMix(inst)) {
    bool high = what.name.find("mixhi") != std::string::npos, whole = what.name.find("mix_") != std::string::npos;
    Value part = slice(v, high ? 16 : 0, whole ? 32 : 16);
    finishFloat(inst, part, whole ? 32 : 16, Type::Float, run.mode);
    insert(v, high ? 16 : 0, whole ? 32 : 16, part);
  }
  if (!isVector(*dst)) {
    // A 16-bit result of the scalar unit: the documents do not say what becomes of bits 31:16.
    if (d->typedBits == 16) v.open |= Wide(0xffff) << 16;
    writeScalarOperand(*dst, v, bits);
    if ((v.ulps > 0 || v.absolute > 0) && scalarSlot(*dst) >= 0) approximate.push_back({static_cast<size_t>(scalarSlot(*dst)), true, 1, result, v.ulps, v.absolute});
    return;
  }
  if (d->typedBits == 16 && inst.baseForm != Form::VOP3P) {
    bool high = dst->half == isa::Half::High || dst->opSel;
    Value whole({Type::Bits, 32}, before[registerOf(*dst) * stride + lane]);
    insert(whole, high ? 16 : 0, 16, v);
    // The high half: cleared on gfx9 except by what that generation introduced (LLVM's zeroesHigh16BitsOfDest), kept on gfx12.
    static const std::set<std::string> keep = {"v_fma_f16", "v_mad_f16", "v_mad_u16", "v_mad_i16", "v_div_fixup_f16",
                                               "v_min3_f16", "v_max3_f16", "v_med3_f16", "v_min3_i16", "v_max3_i16", "v_med3_i16", "v_min3_u16", "v_max3_u16",
                                               "v_med3_u16"};
    static const std::set<std::string> unknown = {"v_add_i16", "v_sub_i16", "v_bitop3_b16"}; // not in that list, which is by experiment
    if (!high && bench.row.zeroesHigh16 && !keep.count(mnemonicOf(what.name)) && !isMemory(inst)) insert(whole, 16, 16, Value({Type::Bits, 16}, 0));
    if (!high && bench.row.zeroesHigh16 && unknown.count(mnemonicOf(what.name))) whole.open |= Wide(0xffff) << 16;
    whole.ulps = v.ulps;
    whole.absolute = v.absolute;
    v = whole;
    if (v.ulps > 0 || v.absolute > 0) approximate.push_back({registerOf(*dst) * stride + lane, false, 1, result, v.ulps, v.absolute});
  } else if (v.ulps > 0 || v.absolute > 0) approximate.push_back({registerOf(*dst) * stride + lane, false, bits / 32, result, v.ulps, v.absolute});
  for (unsigned k = 0; k < bits / 32; ++k) {
    size_t at = (registerOf(*dst) + k) * stride + lane;
    vector[at] = static_cast<uint32_t>(slice(v, 32 * k, 32).v);
    open[at] = k < 4 ? static_cast<uint32_t>(v.open >> 32 * k) : 0;
  }
}

void Machine::expect(const Instruction &what, const isa::Instruction &inst) {
  size_t count = static_cast<size_t>(bench.vgprCount() + bench.agprCount()) * stride;
  before.assign(bench.wave().vector, bench.wave().vector + count);
  vector = before;
  open.assign(count, 0);
  std::memcpy(scalar, bench.wave().scalar, sizeof scalar);
  std::memcpy(scalarBefore, scalar, sizeof scalar);
  std::memset(scalarOpen, 0, sizeof scalarOpen);
  lds = bench.lds;
  scratch = bench.scratch;
  if (isMemory(inst)) {
    ldsOpen.assign(lds.size(), 0);
    scratchOpen.assign(scratch.size(), 0);
    memoryOpen.assign(memory.size(), 0);
  }
  std::memcpy(memory.data(), memoryHost, memory.size());
  approximate.clear();
  maskResult = vccResult = execResult = d1Result = 0;
  jumps = jumpTaken = false;
  const Text &text = *what.text;
  const Shape &shape = what.shape;
  const Operand *dst = inst.find(Role::Dst);
  bool scalarUnit = inst.cls == isa::Class::Scalar || inst.cls == isa::Class::Branch || inst.cls == isa::Class::ScalarMemory || inst.cls == isa::Class::Hint;
  if (inst.form == Form::VOPD && inst.components.size() == 2) {
    const Instruction *move = library.find("v_dual_mov_b32");
    vectorLanes(what, inst.components[0]);
    vectorLanes(*move, inst.components[1]);
    return;
  }
  if (!scalarUnit && !shape.wave && (!dst || isVector(*dst) || shape.maskResult)) return vectorLanes(what, inst);
  Interpreter run(text, *this);
  prepare(run, what, inst);
  prepareLane(run, what, inst, 0);
  run.run();
  if (!shape.wave || (dst && !isVector(*dst))) collect(run, what, inst, 0);
  if (!scalarUnit) return;
  if (shape.writes.count("SCC")) scalar[slot::scc] = run.cell("SCC")->value.truth();
  if (shape.writes.count("M0")) scalar[slot::m0] = static_cast<uint32_t>(run.cell("M0")->value.v);
  if (shape.writes.count("EXEC"))
    for (unsigned k = 0; k < 2; ++k) scalar[slot::exec + k] = static_cast<uint32_t>(run.cell("EXEC")->value.v >> 32 * k);
  if (shape.writes.count("PC")) {
    jumps = true;
    jumpTaken = run.cell("PC")->value.integer() != static_cast<int64_t>(inst.address) + inst.size;
  }
}

void Machine::vectorLanes(const Instruction &what, const isa::Instruction &inst) {
  const Shape &shape = what.shape;
  const Operand *dst = inst.find(Role::Dst), *sdst = inst.find(Role::Sdst);
  uint64_t exec = bench.exec() & bench.laneMask();
  unsigned maskBits = bench.lanes();
  Interpreter run(*what.text, *this);
  prepare(run, what, inst);
  const std::vector<Cell> shared = run.state();
  for (unsigned lane = 0; lane < bench.lanes(); ++lane) {
    if (!(exec >> lane & 1)) continue;
    run.restore(shared);
    prepareLane(run, what, inst, lane);
    run.run();
    collect(run, what, inst, lane);
  }
  if (shape.maskResult) {
    const Operand *to = sdst ? sdst : dst && !isVector(*dst) ? dst : nullptr;
    if (to && !to->isSpecial(Special::EXEC)) writeScalarOperand(*to, Value({Type::Bits, 64}, maskResult), maskBits);
  }
  if (shape.writes.count("EXEC")) {
    scalar[slot::exec] = static_cast<uint32_t>(execResult);
    if (maskBits == 64) scalar[slot::exec + 1] = static_cast<uint32_t>(execResult >> 32);
  }
  if (shape.writes.count("VCC") && sdst) writeScalarOperand(*sdst, Value({Type::Bits, 64}, vccResult & exec), maskBits);
  if (shape.writes.count("D1") && sdst) writeScalarOperand(*sdst, Value({Type::Bits, 64}, d1Result), maskBits);
}

std::string Machine::difference() {
  char buffer[256];
  const emulator::Wave &w = bench.wave();
  for (const Approximate &a : approximate) { // within the hardware's error: take the emulator's value
    Wide got = 0, want = 0;
    const uint32_t *from = a.scalar ? w.scalar : w.vector;
    uint32_t *into = a.scalar ? scalar : vector.data();
    for (unsigned k = 0; k < a.words; ++k) {
      got |= Wide(from[a.at + k * stride]) << 32 * k;
      want |= Wide(into[a.at + k * stride]) << 32 * k;
    }
    got &= maskOf(a.type.bits);
    want &= maskOf(a.type.bits);
    FloatMode m;
    Value g(a.type, got), e(a.type, want);
    if (isNan(e, m) || isNan(g, m)) continue;
    bool near = distance(got, want, a.type) <= a.ulps || std::fabs(toDouble(g, m) - toDouble(e, m)) <= a.absolute;
    if (near)
      for (unsigned k = 0; k < a.words; ++k) {
        uint32_t mask = static_cast<uint32_t>(maskOf(a.type.bits) >> 32 * k), &to = into[a.at + k * stride];
        to = (to & ~mask) | (from[a.at + k * stride] & mask);
      }
  }
  for (size_t at = 0; at < vector.size(); ++at)
    if (((w.vector[at] ^ vector[at]) & ~open[at]) && at % stride < bench.lanes()) {
      unsigned reg = static_cast<unsigned>(at / stride);
      std::snprintf(buffer, sizeof buffer, "%c%u lane %u is 0x%08x, expected 0x%08x (open 0x%08x), was 0x%08x", reg < bench.vgprCount() ? 'v' : 'a',
                    reg < bench.vgprCount() ? reg : reg - bench.vgprCount(), static_cast<unsigned>(at % stride), w.vector[at], vector[at], open[at], before[at]);
      return buffer;
    }
  for (unsigned s = 0; s < slot::zero; ++s)
    if ((w.scalar[s] ^ scalar[s]) & ~scalarOpen[s]) {
      const char *name = s < slot::vcc ? "s" : s < slot::exec ? "vcc+" : s < slot::m0 ? "exec+" : s == slot::m0 ? "m0 " : s == slot::scc ? "scc " : "slot ";
      std::snprintf(buffer, sizeof buffer, "%s%u is 0x%08x, expected 0x%08x, was 0x%08x", name, s < slot::vcc ? s : s < slot::exec ? s - slot::vcc : s < slot::m0 ? s - slot::exec : s,
                    w.scalar[s], scalar[s], scalarBefore[s]);
      return buffer;
    }
  auto bytes = [&](const char *name, const uint8_t *got, const std::vector<uint8_t> &want, const std::vector<uint8_t> &undetermined) -> std::string {
    if (!std::memcmp(got, want.data(), want.size())) return {};
    size_t k = 0;
    while (k < want.size() && !((got[k] ^ want[k]) & ~(undetermined.empty() ? 0 : undetermined[k]))) ++k;
    if (k == want.size()) return {};
    std::snprintf(buffer, sizeof buffer, "%s byte 0x%zx is 0x%02x, expected 0x%02x", name, k, got[k], want[k]);
    return buffer;
  };
  if (std::string d = bytes("LDS", bench.lds.data(), lds, ldsOpen); !d.empty()) return d;
  if (std::string d = bytes("scratch", bench.scratch.data(), scratch, scratchOpen); !d.empty()) return d;
  if (memoryHost)
    if (std::string d = bytes("memory", memoryHost, memory, memoryOpen); !d.empty()) return d;
  bool jumped = bench.jumped() != 0 || bench.wave().fault.kind == emulator::FaultKind::BadJump; // to where no code is
  if (jumps && jumped != jumpTaken) return jumpTaken ? "did not jump" : "jumped";
  return {};
}

} // namespace fly::pseudocode
