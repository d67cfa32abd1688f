// From an isa::Instruction (operands by role) to an Inst (slots, register numbers, handler).
//
// Everything that can be known before running is decided here: which slot of scalar state a register is, whether a
// register exists under the descriptor's count, the DPP lane table, how a 16-bit result is merged, which path an
// operand takes. What cannot be executed gets a handler that reports why.
#include "runtime/emulator/Matrix.h"
#include "runtime/emulator/Text.h"
#include "runtime/emulator/TinyConvert.h"

#include <algorithm>

namespace fly::emulator {

using isa::Instruction;
using isa::Operand;
using isa::Role;
using isa::Special;

namespace {

struct Resolver {
  Program &program;
  const Instruction &from;
  uint32_t msb;
  Inst &inst;
  bool bad = false;
  std::string reason;

  void refuse(std::string why) {
    if (!bad) reason = std::move(why);
    bad = true;
  }

  /// Scalar slot of an SGPR or special register; `write` picks the sink for NULL.
  uint16_t scalarSlot(const Operand &o, bool write) {
    if (o.isSgpr()) {
      if (o.index + o.width > program.limits.sgprs) refuse("register " + toString(o) + " is beyond the kernel's " + std::to_string(program.limits.sgprs) + " SGPRs");
      return std::min<uint16_t>(o.index, 104);
    }
    switch (o.special()) {
    case Special::VCC: return slot::vcc + o.sub;
    case Special::EXEC: return slot::exec + o.sub;
    case Special::SCC: return slot::scc;
    case Special::M0: return slot::m0;
    case Special::FlatScratch: return slot::flatScratch + o.sub;
    case Special::FlatScratchBase: return slot::flatScratch + o.sub;
    case Special::XnackMask: return slot::xnackMask + o.sub;
    case Special::TTMP: return slot::ttmp + std::min<unsigned>(o.sub, 15);
    case Special::TBA: return slot::tba + o.sub;
    case Special::TMA: return slot::tma + o.sub;
    case Special::Null: return write ? slot::sink : slot::zero;
    default: refuse("register " + toString(o) + " is not emulated"); return slot::zero;
    }
  }

  /// v_fmac and the like: Src2 is Dst, and its high bits are Dst's.
  bool tiedAccumulator() const {
    std::string_view name = isa::name(from.op);
    return name.find("FMAC") != name.npos || name.find("V_MAC") != name.npos || name.find("V_DOT2C") != name.npos ||
           name.find("V_DOT2ACC") != name.npos || from.find(Role::Index);
  }

  /// gfx1250: the two bits that s_set_vgpr_msb holds for an operand's role.
  unsigned highBits(Role role) const {
    switch (role) {
    case Role::Src0: case Role::Vaddr: return msb & 3;
    case Role::Src1: return msb >> 2 & 3;
    case Role::Vdata: {
      // LDS address of an asynchronous load: in the field of the destination
      bool inDst = from.form == isa::Form::MUBUF || from.form == isa::Form::MTBUF || isa::name(from.op).find("_ASYNC_TO_LDS") != std::string_view::npos;
      return inDst ? msb >> 6 & 3 : msb >> 2 & 3;
    }
    case Role::Src2: return tiedAccumulator() ? msb >> 6 & 3 : msb >> 4 & 3;
    case Role::Vdata1: case Role::Index: return msb >> 4 & 3;
    case Role::Dst: case Role::Old: return msb >> 6 & 3;
    default: return 0;
    }
  }

  uint16_t vectorRegister(const Operand &o, Role role) {
    unsigned index = o.index, limit = o.isAgpr() ? program.limits.agprs : program.limits.vgprs;
    if (msb && o.isVgpr()) index += highBits(role) * 256;
    if (index + o.width > limit) {
      refuse("register " + toString(o) + " is beyond the kernel's " + std::to_string(limit) + (o.isAgpr() ? " AGPRs" : " VGPRs"));
      return 0;
    }
    return static_cast<uint16_t>(o.isAgpr() ? program.limits.vgprs + index : index);
  }

  void source(unsigned n, const Operand &o) {
    Source &s = inst.source[n];
    s.width = o.width;
    s.bits = o.operandBits;
    if (o.isVgpr() || o.isAgpr()) {
      s.kind = Source::Vector;
      s.index = vectorRegister(o, o.role);
    } else if (o.isRegister()) {
      switch (o.special()) {
      case Special::VCCZ: s.kind = Source::MaskZero; s.index = slot::vcc; break;
      case Special::EXECZ: s.kind = Source::MaskZero; s.index = slot::exec; break;
      case Special::SharedBase: s.kind = Source::Constant; s.high = sharedAperture; break;
      case Special::PrivateBase: s.kind = Source::Constant; s.high = privateAperture; break;
      case Special::SharedLimit: s.kind = Source::Constant; s.low = ~0u; s.high = sharedAperture; break;
      case Special::PrivateLimit: s.kind = Source::Constant; s.low = ~0u; s.high = privateAperture; break;
      default:
        s.kind = Source::Scalar;
        s.index = scalarSlot(o, false);
      }
    } else {
      s.kind = Source::Constant;
      s.low = static_cast<uint32_t>(o.bits);
      s.high = static_cast<uint32_t>(o.bits >> 32);
    }
    bool packedForm = from.baseForm == isa::Form::VOP3P;
    if (packedForm) {
      s.lowFromHigh = o.opSel;
      s.highFromHigh = o.opSelHi;
      s.negateLow = o.neg;
      s.negateHigh = o.negHi;
      if (o.abs) s.change |= Source::Absolute; // v_fma_mix
    } else {
      s.highFromHigh = true; // v_pk_fmac_f16, the packed instruction of VOP2
      if (o.neg) s.change |= Source::Negate;
      if (o.abs) s.change |= Source::Absolute;
      if ((o.opSel && o.operandBits == 16) || o.half == isa::Half::High) s.change |= Source::HighHalf;
    }
    if (from.modifiers.sdwa && o.role != Role::Src2 && (o.sdwaSel != 6 || o.sext)) {
      s.change |= Source::Selected;
      s.select = o.sdwaSel;
      s.sext = o.sext;
    }
  }

  void destination(const Operand &o) {
    inst.hasDst = true;
    inst.dstWidth = o.width;
    if (o.isVgpr() || o.isAgpr()) {
      inst.dst = vectorRegister(o, Role::Dst);
      bool high = o.half == isa::Half::High || (o.opSel && from.baseForm != isa::Form::VOP3P);
      // gfx9 clears the high half, except in the three-operand VOP3 instructions and where op_sel writes it.
      bool threeOperand = from.find(Role::Src2) && from.baseForm == isa::Form::VOP3 && isa::name(from.op).find("_LEGACY_") == std::string_view::npos;
      inst.half = high ? Half16::WriteHigh
                  : program.arch.zeroesHigh16 && !threeOperand && o.half == isa::Half::Whole ? Half16::ZeroHigh
                                                                                            : Half16::KeepHigh;
    } else {
      inst.dstScalar = true;
      inst.dst = scalarSlot(o, true);
    }
  }

  void dppTable() {
    const isa::Modifiers &m = from.modifiers;
    DppTable t;
    t.enabled = 0;
    t.zeroInvalid = m.boundCtrl;
    t.fetchInactive = m.fetchInactive;
    unsigned lanes = program.waveSize, c = m.dppControl;
    for (int l = 0; l < static_cast<int>(laneStride); ++l) {
      int row = l & ~15, in = l & 15, from = -1;
      if (m.dpp8) from = (l & ~7) | m.dpp8Lanes[l & 7];
      else if (c <= 0xff) from = (l & ~3) | (c >> 2 * (l & 3) & 3);
      else if (c >= 0x101 && c <= 0x10f) from = in + static_cast<int>(c & 15) < 16 ? l + static_cast<int>(c & 15) : -1;
      else if (c >= 0x111 && c <= 0x11f) from = in >= static_cast<int>(c & 15) ? l - static_cast<int>(c & 15) : -1;
      else if (c >= 0x121 && c <= 0x12f) from = row | ((in - static_cast<int>(c & 15)) & 15);
      else if (c == 0x130) from = l + 1 < static_cast<int>(lanes) ? l + 1 : -1;          // wave_shl:1
      else if (c == 0x134) from = (l + 1) % static_cast<int>(lanes);                      // wave_rol:1
      else if (c == 0x138) from = l - 1;                                                  // wave_shr:1
      else if (c == 0x13c) from = (l + static_cast<int>(lanes) - 1) % static_cast<int>(lanes);
      else if (c == 0x140) from = row | (15 - in);                                        // row_mirror
      else if (c == 0x141) from = (l & ~7) | (7 - (l & 7));                               // row_half_mirror
      else if (c == 0x142) from = l < 16 ? -1 : row - 1;                                  // row_bcast:15
      else if (c == 0x143) from = l < 32 ? -1 : 31;                                       // row_bcast:31
      else if (c >= 0x150 && c <= 0x15f) from = row | static_cast<int>(c & 15);           // row_share, row_newbcast
      else if (c >= 0x160 && c <= 0x16f) from = row | (in ^ static_cast<int>(c & 15));    // row_xmask
      else { refuse("DPP control " + hex(c) + " is not emulated"); break; }
      t.from[l] = static_cast<int8_t>(from);
      if (m.dpp8 || ((m.rowMask >> (l >> 4 & 3) & 1) && (m.bankMask >> (in >> 2) & 1))) t.enabled |= 1ull << l;
    }
    if (m.dpp8) t.zeroInvalid = true;
    program.dppTables.push_back(t);
    inst.dppTable = &program.dppTables.back();
    inst.dpp = true;
  }

  /// The immediate of SOPK and SOPP is also the source that the encoding has no field for: Src1 of s_cmpk, the K of
  /// v_fmaak (Src2) and v_fmamk (Src1).
  void simm(const Operand &o) {
    inst.immediate = static_cast<uint32_t>(o.bits);
    // s_barrier_signal's number is a source too.
    for (unsigned n : {0u, 1u, 2u})
      if (inst.source[n].kind == Source::None && !from.find(static_cast<Role>(static_cast<unsigned>(Role::Src0) + n))) {
        Source &s = inst.source[n];
        s.kind = Source::Constant;
        s.low = static_cast<uint32_t>(o.bits);
        s.high = static_cast<uint32_t>(o.bits >> 32);
        s.bits = o.operandBits;
        break;
      }
  }

  void addRange(std::vector<RegisterRange> &to, const Operand &o, bool memory) const;
  void registerUse();
  void waits();
  void dual();
  void conversion(std::string_view name);
  void run();
};

/// Registers whose values may be under way: vector registers, SGPRs, VCC, M0 and trap registers.
void Resolver::addRange(std::vector<RegisterRange> &to, const Operand &o, bool memory) const {
  if (!o.isRegister()) return;
  RegisterRange r{};
  r.count = o.width;
  r.written = o.def || (memory && o.role == Role::Old);
  if (o.isVgpr() || o.isAgpr()) {
    unsigned index = o.index + (msb && o.isVgpr() ? highBits(o.role) * 256 : 0);
    r.first = static_cast<uint16_t>(o.isAgpr() ? program.limits.vgprs + index : index);
    inst.vectorUse |= vectorFilter(r.first, r.count);
  } else {
    r.scalar = true;
    if (o.isSgpr()) r.first = o.index;
    else if (o.isSpecial(Special::VCC)) r.first = slot::vcc + o.sub;
    else if (o.isSpecial(Special::M0)) r.first = slot::m0;
    else if (o.isSpecial(Special::TTMP)) r.first = slot::ttmp + o.sub;
    else return;
    inst.scalarUse |= scalarFilter(r.first, r.count);
  }
  to.push_back(r);
}

void Resolver::registerUse() {
  std::vector<RegisterRange> ranges;
  const bool memory = from.increments != 0;
  inst.vectorUse = inst.scalarUse = 0;
  for (const Operand &o : from.operands) addRange(ranges, o, memory);
  for (const Instruction &part : from.components)
    for (const Operand &o : part.operands) addRange(ranges, o, memory);
  if (ranges.empty()) return;
  // A register that is read and written is reported as read.
  std::sort(ranges.begin(), ranges.end(), [](const RegisterRange &a, const RegisterRange &b) { return a.written < b.written; });
  program.ranges.push_back(std::move(ranges));
  inst.ranges = program.ranges.back().data();
  inst.rangeCount = static_cast<uint8_t>(std::min<size_t>(program.ranges.back().size(), 255));
}

/// Which counters go up, and in which order the operation counts down; see Pending.h.
void Resolver::waits() {
  using isa::Counter;
  inst.counters = from.increments & static_cast<uint16_t>(~(isa::maskOf(Counter::X) | isa::maskOf(Counter::Exp)));
  if (from.cls == isa::Class::Wait) {
    program.waits.push_back(from.waits);
    inst.detail = &program.waits.back();
  }
  const bool toStoreCounter = from.increments & isa::maskOf(Counter::Store);
  switch (from.baseForm) {
  case isa::Form::DS: case isa::Form::GLOBAL: case isa::Form::MUBUF: case isa::Form::MTBUF: case isa::Form::TENSOR:
    inst.order = MemoryOrder::InOrder;
    break;
  case isa::Form::SCRATCH: inst.order = toStoreCounter ? MemoryOrder::ScratchStore : MemoryOrder::InOrder; break;
  case isa::Form::FLAT:
    inst.order = !program.arch.gfx12 ? MemoryOrder::None : toStoreCounter ? MemoryOrder::ScratchStore : MemoryOrder::InOrder;
    break;
  default: inst.order = MemoryOrder::None;
  }
}

/// The selectors of the conversions of small formats; see TinyConvert.h. A result smaller than its register keeps the
/// rest of it, which LLVM expresses by a tied operand.
void Resolver::conversion(std::string_view name) {
  const isa::Modifiers &m = from.modifiers;
  const Operand *dst = from.find(Role::Dst), *s0 = from.find(Role::Src0), *s1 = from.find(Role::Src1);
  const Operand *s2 = from.find(Role::Src2), *old = from.find(Role::Old);
  if (old && !m.dpp && !m.sdwa && inst.half == Half16::ZeroHigh) inst.half = Half16::KeepHigh;
  if (inst.dstScalar || (s0 && inst.source[0].width > 2 && inst.source[0].kind != Source::Vector)) return refuse("a conversion of scalar registers");
  const Operand *third = s2 ? s2 : old;
  inst.flags = static_cast<uint8_t>((s0 && s0->opSel ? 1 : 0) | (s1 && s1->opSel ? 2 : 0) | (third && third->opSel ? 4 : 0) | (dst && dst->opSel ? 8 : 0));
  if (program.arch.gfx12) inst.flags = static_cast<uint8_t>(name.find("_SR_") != name.npos ? m.byteSel << cvt::destinationShift : m.byteSel);
  if (program.arch.name == "gfx942") inst.flags |= cvt::fnuz;
  if (program.arch.name == "gfx1201") inst.flags |= cvt::negativeNan;
  inst.immediate = m.scaleSel;
  if (program.arch.name == "gfx1250" && m.clamp && name.find("_FP8") != name.npos) {
    inst.flags |= cvt::unsignedE5M3;
    inst.clamp = false;
  }
}

/// VOPD: both halves read before either writes. Order them so that neither sees the other's result; when each reads
/// what the other writes, X goes to a hidden register first.
void Resolver::dual() {
  if (from.components.size() != 2) return refuse("VOPD without two components");
  const Instruction &x = from.components[0], &y = from.components[1];
  std::vector<Inst> parts(2);
  resolve(program, x, inst.number, msb, parts[0]);
  resolve(program, y, inst.number, msb, parts[1]);
  for (Inst &part : parts)
    if (part.run == runUnknown || part.run == runBadRegister) {
      inst = part;
      return;
    }
  auto readsOf = [](const Inst &reader, const Inst &writer) {
    for (const Source &s : reader.source)
      if (s.kind == Source::Vector && s.index < writer.dst + writer.dstWidth && writer.dst < s.index + s.width) return true;
    return false;
  };
  if (readsOf(parts[1], parts[0])) {
    if (!readsOf(parts[0], parts[1])) std::swap(parts[0], parts[1]);
    else {
      Inst move;
      const Row *row = findRow(isa::findOp(parts[0].dstWidth == 2 ? "V_MOV_B64" : "V_MOV_B32"));
      move.run = row ? row->run : runUnknown;
      move.number = inst.number;
      move.source[0].kind = Source::Vector;
      move.source[0].index = static_cast<uint16_t>(program.hiddenRegister());
      move.dst = parts[0].dst;
      move.dstWidth = parts[0].dstWidth;
      parts[0].dst = move.source[0].index;
      parts.push_back(move);
    }
  }
  program.components.push_back(std::move(parts));
  inst.detail = &program.components.back();
  inst.run = runDual;
}

void Resolver::run() {
  if (from.op == isa::Op::Invalid) {
    inst.run = runUnknown;
    if (from.size == 0) inst.run = runBadJump;
    return;
  }
  if (from.form == isa::Form::VOPD && !from.components.empty()) {
    dual();
    if (!bad) return;
  }
  const Row *row = findRow(from.op);
  if (!row) {
    inst.run = runUnknown;
    return;
  }
  const isa::Modifiers &m = from.modifiers;
  if (m.tfe || m.gds) { // a status register more; global data share
    inst.run = runUnknown;
    return;
  }
  inst.run = row->run;
  inst.offset = m.offset;
  inst.clamp = m.clamp;
  inst.omod = m.omod;
  inst.immediate = from.form == isa::Form::MTBUF ? m.format : m.offset1;
  for (const Operand &o : from.operands) {
    switch (o.role) {
    case Role::Dst: destination(o); break;
    case Role::Sdst: inst.sdst = scalarSlot(o, true); break;
    case Role::Src0: case Role::Src1: case Role::Src2:
      if (o.def) break;
      source(static_cast<unsigned>(o.role) - static_cast<unsigned>(Role::Src0), o);
      break;
    case Role::Vaddr: source(0, o); inst.hasVaddr = true; break;
    case Role::Vdata: source(1, o); break;
    case Role::Vdata1: source(2, o); break;
    case Role::Saddr: case Role::Srsrc:
      if (o.isRegister() && o.special() != Special::Null) {
        inst.saddr = scalarSlot(o, false);
        inst.hasSaddr = true;
      }
      break;
    case Role::Soffset: source(2, o); break;
    case Role::Simm: simm(o); break;
    case Role::Index: case Role::Scale0: source(3, o); break;
    case Role::Scale1: source(4, o); break;
    case Role::Target: inst.target = program.indexOf(o.bits + program.loadBias); break;
    case Role::Old: inst.old = o.isVgpr() || o.isAgpr() ? vectorRegister(o, Role::Old) : 0; break;
    default: break;
    }
  }
  std::string_view name = isa::name(from.op);
  if (name.find("FMAMK") != name.npos || name.find("MADMK") != name.npos)
    std::swap(inst.source[1], inst.source[2]); // D = Src0 * K + Src1, in the order of v_fma
  if (name.substr(0, 10) == "V_DIV_FMAS") {
    inst.source[3].kind = Source::Scalar;
    inst.source[3].index = slot::vcc;
  }
  if (from.cls == isa::Class::Matrix) {
    std::string why;
    if (!prepareMatrix(program, from, inst, why)) refuse(why);
  }
  if (m.dpp) dppTable();
  if (m.sdwa) {
    inst.sdwa = true;
    inst.sdwaDst = m.sdwaDst;
    inst.sdwaUnused = m.sdwaUnused;
  }
  if (m.offen) inst.flags |= 1;
  if (m.idxen) inst.flags |= 2;
  if (m.lds) inst.flags |= 4;
  if (m.scaleOffset) inst.flags |= 8;
  if (name.substr(0, 6) == "V_CVT_") conversion(name);
  if (name.substr(0, 7) == "V_BITOP") inst.flags = m.bitop3;
  if (name.substr(0, 10) == "V_PERMLANE") {
    const Operand *fetchInactive = from.find(Role::Src0), *zero = from.find(Role::Src1);
    inst.flags = (fetchInactive && fetchInactive->opSel ? 1 : 0) | (zero && zero->opSel ? 2 : 0);
  }
  inst.slowSource = inst.dpp;
  inst.slowResult = m.clamp || m.omod || (m.sdwa && m.sdwaDst != 6);
  if (m.clamp && row->clamped) inst.run = row->clamped;
  else if (m.clamp && row->shape == Row::Lanes && name.find("_F16") == name.npos && name.find("_F32") == name.npos &&
           name.find("_F64") == name.npos && name.find("_BF16") == name.npos)
    inst.run = runUnknown; // saturation that the table does not have
  if (!inst.run || (row->shape == Row::Lanes && inst.dstScalar && inst.hasDst)) inst.run = runUnknown;
}

} // namespace

void resolve(Program &program, const Instruction &instruction, uint32_t number, uint32_t state, Inst &inst) {
  inst = Inst();
  inst.number = number;
  Resolver r{program, instruction, state & 0xff, inst, false, {}};
  r.run();
  r.registerUse();
  r.waits();
  for (Source &s : inst.source)
    if (s.kind == Source::Constant) s.lanes = program.broadcast(s.low, s.high);
  if (r.bad) {
    program.reasons.push_back(r.reason);
    inst.detail = &program.reasons.back();
    inst.run = runBadRegister;
  }
  if (program.broken == instruction.op && !r.bad && instruction.op != isa::Op::Invalid) breakInstruction(program, instruction, inst);
  bool vector = instruction.cls == isa::Class::Vector || instruction.cls == isa::Class::Transcendental;
  if (uint32_t mode = state >> 8; mode && vector && !r.bad) {
    program.components.push_back({inst});
    Inst wrapped;
    wrapped.number = number;
    wrapped.immediate = mode;
    wrapped.detail = &program.components.back();
    wrapped.run = runIndexed;
    wrapped.ranges = inst.ranges;
    wrapped.rangeCount = inst.rangeCount;
    wrapped.vectorUse = inst.vectorUse;
    wrapped.scalarUse = inst.scalarUse;
    inst = wrapped;
  }
}

} // namespace fly::emulator
