// What a text finds in its names when it begins: operands with their modifiers, the wave's state, fields of the
// encoding.
#include "tests/emulator/pseudocode/MachineParts.h"

#include "runtime/emulator/device/Architecture.h"

namespace fly::pseudocode {

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

namespace {

FloatMode floatMode(const StepBench &bench, const Instruction &what) {
  FloatMode m;
  uint32_t bits = bench.mode();
  m.round32 = bits & 3;
  m.round16_64 = bits >> 2 & 3;
  m.keepIn32 = bits >> 4 & 1;
  m.keepOut32 = bits >> 5 & 1;
  m.keepIn16_64 = bits >> 6 & 1;
  m.keepOut16_64 = bits >> 7 & 1;
  m.alignedDots = emulator::test::isGfx12(bench.row);
  m.fnuz = bench.arch == "gfx942";
  // The approximations of f32 flush denormals whatever MODE says: LLVM's lowering of f32 sqrt, rcp, log2 and exp2
  // scales denormal operands before it uses them (AMDGPULegalizerInfo: "v_sqrt_f32 and the like do not handle
  // denormals"). v_cmp_class asks about the bits: LLVM selects it for llvm.is.fpclass in every denormal mode.
  // v_div_fmas keeps denormal operands in every mode (AMD's rocjitsu, checked on gfx1201).
  if (what.name.find("_class_") != std::string::npos || what.name.find("div_fmas") != std::string::npos)
    m.keepIn32 = m.keepIn16_64 = true;
  if (what.name.find("_class_") != std::string::npos) m.keepIn32 = m.keepIn16_64 = true;
  if (what.shape.approximates && what.shape.floatBits[0] == 32) m.keepIn32 = m.keepOut32 = false;
  // MODE says neither how these round, which is to nearest even, nor what becomes of denormals (CDNA5 ISA, 7.7).
  const bool packedBfloat = what.name.rfind("v_pk_", 0) == 0 && what.name.find("_bf16") != std::string::npos;
  if (packedBfloat) m.round32 = m.round16_64 = 0, m.keepIn32 = m.keepOut32 = m.keepIn16_64 = m.keepOut16_64 = true;
  if (what.shape.approximates) m.round32 = m.round16_64 = 0; // nor does MODE say how they round
  return m;
}
constexpr Role roles[] = {Role::Src0, Role::Src1, Role::Src2};
const char *const names[] = {"S0", "S1", "S2"}, *const numbers[] = {"SRC0", "SRC1", "SRC2"};
bool immediateIsS0(const Instruction &what, const isa::Instruction &inst) {
  return inst.form == Form::SOPK && inst.find(Role::Simm) &&
         std::string_view(isa::name(inst.op)).find("CMPK") == std::string_view::npos && what.encoding == "SOPK" &&
         what.name.find("setreg") == std::string::npos;
}
bool writesHigh(const Instruction &what, const isa::Instruction &inst, const Operand &dst) {
  return isVector(dst) && (dst.half == isa::Half::High || (dst.opSel && what.shape.resultBits == 16 &&
                                                           inst.baseForm != Form::VOP3P && !what.text->uses("OPSEL")));
}

} // namespace

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
  if (o.isRegister() && inst.baseForm != Form::VOP3P) bits = std::max(bits, 32u * o.width);
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
    Value low = slice(v, o.opSel && !shape.choosesWords ? half : 0, half),
          high = slice(v, o.opSelHi || shape.choosesWords ? half : 0, half);
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
    if (o.role == Role::Old && o.opSel && !inst.find(Role::Src2)) opsel |= 4; // of a destination by bytes
  }
  for (unsigned n = 0; n < 3; ++n)
    if (in[n]) {
      opsel |= (in[n]->opSel || in[n]->half == isa::Half::High) << n;
      opselHi |= in[n]->opSelHi << n;
      neg |= in[n]->neg << n;
    }
  if (inst.modifiers.byteSel)
    opsel |= static_cast<unsigned>(inst.modifiers.byteSel) << 2 | (inst.modifiers.byteSel >> 1 & 1) |
             (inst.modifiers.byteSel & 1) << 1;
  if (const Operand *target = inst.find(Role::Target))
    run.provide("SIMM16", Value({Type::Bits, 16},
                                static_cast<uint64_t>(static_cast<int64_t>(target->bits - inst.address - 4) / 4)));
  if (const Operand *simm = inst.find(Role::Simm)) {
    run.provide("SIMM16", Value({Type::Bits, 16}, simm->bits));
    if (!in[1] && inst.form == Form::SOPC) run.provide("SRC1", Value({Type::Bits, 32}, simm->bits)); // s_set_gpr_idx_on
    const Operand *literal = inst.find(Role::Src0); // s_setreg_imm32 has two immediates
    bool both = what.text->uses("SIMM16") && literal && literal->isImmediate();
    run.provide("SIMM32", Value({Type::Bits, 32}, both ? literal->bits : simm->bits), true);
    if (inst.form == Form::SOPK && what.name.find("setreg") == std::string::npos)
      run.provide(immediateIsS0(what, inst) ? "S0" : "S1", Value({Type::Bits, 32}, simm->bits));
  }
  if (shape.mixed) {
    run.provide("S", Value({Type::Bits, 32}, 0), true);
    run.cell("S")->array = true;
  }
  for (unsigned n = 0; n < 3; ++n) {
    if (!in[n]) continue;
    if (isVector(*in[n]) || in[n]->isSgpr())
      run.provide(numbers[n], makeUnsigned(isVector(*in[n]) ? registerOf(*in[n]) : in[n]->index));
    else if (in[n]->isImmediate() && inst.cls == isa::Class::Scalar) run.provide(numbers[n], makeUnsigned(in[n]->bits));
    else if (run.cell(numbers[n]) && shape.byRegister)
      throw Unsupported("a register number of an operand that is not a vector register");
  }
  const Operand *dst = inst.find(Role::Dst);
  if (dst && isVector(*dst)) run.provide("VDST", makeUnsigned(registerOf(*dst)));
  if (dst && (isVector(*dst) || dst->isSgpr()))
    run.provide("DST", makeUnsigned(isVector(*dst) ? registerOf(*dst) : dst->index));

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
  run.provide("CLAMP", makeUnsigned(inst.modifiers.clamp, 1));
  run.provide("OPSEL_HI", Value({Type::Bits, 3}, opselHi));
  run.provide("NEG", Value({Type::Bits, 3}, neg));
  run.provide("INST.OMOD", Value({Type::Bits, 2}, inst.modifiers.bitop3 >> 6));
  run.provide("INST.ABS", Value({Type::Bits, 3}, inst.modifiers.bitop3 >> 3));
  run.provide("INST.NEG", Value({Type::Bits, 3}, inst.modifiers.bitop3));
  run.provide("SDWA_SRC0_SEL", Value({Type::Bits, 3}, in[0] ? in[0]->sdwaSel : 6));
  run.provide("TRAPSTS.INVALID", makeUnsigned(0, 1));
  run.provide("WAVE_MODE.IEEE", makeUnsigned(bench.wave().mode.ieee, 1));
  run.ieee = bench.wave().mode.ieee;
  run.provide("WAVE_STATUS.PRIV", makeUnsigned(0, 1));
  // There is none.
  for (const char *debugger : {"WAVE_STATUS.COND_DBG_SYS", "WAVE_STATUS.COND_DBG_USER"})
    run.provide(debugger, makeUnsigned(0, 1));
  run.provide("WAVE_MODE.GPR_IDX_EN", makeUnsigned(bench.mode() >> 27, 1));
  run.provide("VSKIP", makeUnsigned(bench.mode() >> 28, 1));
  run.provide("MODE.SCALAR_PREFETCH_EN", makeUnsigned(1, 1));
  if (Cell *c = run.cell("HW_REGISTERS")) {
    run.provide("HW_REGISTERS", Value({Type::Bits, 32}, 0));
    c->array = true;
    c->elements.assign(64, Value({Type::Bits, 32}, 0));
    c->elements[1].v = bench.mode();
  }
  run.mode = floatMode(bench, what);
  run.exactIntegers = inst.modifiers.clamp && !shape.resultFloat;
}

} // namespace fly::pseudocode
