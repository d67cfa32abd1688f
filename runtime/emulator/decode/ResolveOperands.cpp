// Where an instruction's operands are: slots of scalar state, numbers of vector registers, constants, and which lane
// reads which under DPP.
#include "runtime/emulator/decode/Resolve.h"
#include "runtime/emulator/formats/Text.h"

#include <algorithm>

namespace fly::emulator {

using isa::Instruction;
using isa::Operand;
using isa::Role;
using isa::Special;

uint16_t Resolver::scalarSlot(const Operand &o, bool write) {
  if (o.isSgpr()) {
    if (o.index + o.width > program.limits.sgprs)
      refuse("register " + toString(o) + " is beyond the kernel's " + std::to_string(program.limits.sgprs) + " SGPRs");
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
bool Resolver::tiedAccumulator() const {
  std::string_view name = isa::name(from.op);
  return name.find("FMAC") != name.npos || name.find("V_MAC") != name.npos || name.find("V_DOT2C") != name.npos ||
         name.find("V_DOT2ACC") != name.npos || from.find(Role::Index);
}

/// gfx1250: the two bits that s_set_vgpr_msb holds for an operand's role. The second register of v_fmamk has those of
/// src2 (CDNA5 ISA, 3.3.2.3; so does LLVM).
unsigned Resolver::highBits(Role role) const {
  // v_swap, v_permlane*_swap: the operands are vdst and src0, and each is both read and written.
  if (from.find(Role::Dst1) && isa::name(from.op).find("SWAP") != std::string_view::npos) {
    if (role == Role::Dst1) return msb & 3;
    if (role == Role::Src1) return msb >> 6 & 3;
  }
  switch (role) {
  case Role::Src0:
  case Role::Vaddr: return msb & 3;
  case Role::Src1: return isa::name(from.op).starts_with("V_FMAMK") ? msb >> 4 & 3 : msb >> 2 & 3;
  case Role::Vdata: {
    // LDS address of an asynchronous load: in the field of the destination
    bool inDst = from.form == isa::Form::MUBUF || from.form == isa::Form::MTBUF ||
                 isa::name(from.op).find("_ASYNC_TO_LDS") != std::string_view::npos;
    return inDst ? msb >> 6 & 3 : msb >> 2 & 3;
  }
  case Role::Src2: return tiedAccumulator() ? msb >> 6 & 3 : msb >> 4 & 3;
  case Role::Vdata1:
  case Role::Index: return msb >> 4 & 3;
  case Role::Dst:
  case Role::Old: return msb >> 6 & 3;
  default: return 0;
  }
}

uint16_t Resolver::vectorRegister(const Operand &o, Role role) {
  unsigned index = o.index, limit = o.isAgpr() ? program.limits.agprs : program.limits.vgprs;
  if (msb && o.isVgpr()) index += highBits(role) * 256;
  if (index + o.width > limit) {
    refuse("register " + toString(o) + " is beyond the kernel's " + std::to_string(limit) +
           (o.isAgpr() ? " AGPRs" : " VGPRs"));
    return 0;
  }
  return static_cast<uint16_t>(o.isAgpr() ? program.limits.firstAgpr + index : index);
}

void Resolver::source(unsigned n, const Operand &o) {
  Source &s = inst.source[n];
  s.width = o.width;
  s.bits = o.operandBits;
  if (o.isVgpr() || o.isAgpr()) {
    s.kind = Source::Vector;
    s.index = vectorRegister(o, o.role);
  } else if (o.isRegister()) {
    switch (o.special()) {
    case Special::VCCZ:
      s.kind = Source::MaskZero;
      s.index = slot::vcc;
      break;
    case Special::EXECZ:
      s.kind = Source::MaskZero;
      s.index = slot::exec;
      break;
    case Special::SharedBase:
      s.kind = Source::Constant;
      s.high = sharedAperture;
      break;
    case Special::PrivateBase:
      s.kind = Source::Constant;
      s.high = privateAperture;
      break;
    case Special::SharedLimit:
      s.kind = Source::Constant;
      s.low = ~0u;
      s.high = sharedAperture;
      break;
    case Special::PrivateLimit:
      s.kind = Source::Constant;
      s.low = ~0u;
      s.high = privateAperture;
      break;
    default: s.kind = Source::Scalar; s.index = scalarSlot(o, false);
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

void Resolver::destination(const Operand &o) {
  inst.hasDst = true;
  inst.dstWidth = o.width;
  if (o.isVgpr() || o.isAgpr()) {
    inst.dst = vectorRegister(o, Role::Dst);
    bool high = o.half == isa::Half::High || (o.opSel && from.baseForm != isa::Form::VOP3P);
    // gfx9 clears the high half, except in the three-operand VOP3 instructions and where op_sel writes it. v_mac_f16
    // has the accumulator as third operand and clears it too ({ 16'0, tmp.f16 } in AMD's pseudocode).
    const bool keepsHigh = from.find(Role::Src2) && from.baseForm == isa::Form::VOP3 && !(row->extra & Row::ClearsHigh);
    const bool clears = program.arch.zeroesHigh16 && !keepsHigh && o.half == isa::Half::Whole;
    inst.half = high ? Half16::WriteHigh : clears ? Half16::ZeroHigh : Half16::KeepHigh;
  } else {
    inst.dstScalar = true;
    inst.dst = scalarSlot(o, true);
  }
}

/// The immediate of SOPK and SOPP is also the source for which the encoding has no field: Src1 of s_cmpk, the K of
/// v_fmaak (Src2) and v_fmamk (Src1).
void Resolver::simm(const Operand &o) {
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

void Resolver::dppTable() {
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
    else if (c == 0x130) from = l + 1 < static_cast<int>(lanes) ? l + 1 : -1; // wave_shl:1
    else if (c == 0x134) from = (l + 1) % static_cast<int>(lanes);            // wave_rol:1
    else if (c == 0x138) from = l - 1;                                        // wave_shr:1
    else if (c == 0x13c) from = (l + static_cast<int>(lanes) - 1) % static_cast<int>(lanes);
    else if (c == 0x140) from = row | (15 - in);                                     // row_mirror
    else if (c == 0x141) from = (l & ~7) | (7 - (l & 7));                            // row_half_mirror
    else if (c == 0x142) from = l < 16 ? -1 : row - 1;                               // row_bcast:15
    else if (c == 0x143) from = l < 32 ? -1 : 31;                                    // row_bcast:31
    else if (c >= 0x150 && c <= 0x15f) from = row | static_cast<int>(c & 15);        // row_share, row_newbcast
    else if (c >= 0x160 && c <= 0x16f) from = row | (in ^ static_cast<int>(c & 15)); // row_xmask
    else {
      refuse("DPP control " + hex(c) + " is not emulated");
      break;
    }
    t.from[l] = static_cast<int8_t>(from);
    if (m.dpp8 || ((m.rowMask >> (l >> 4 & 3) & 1) && (m.bankMask >> (in >> 2) & 1))) t.enabled |= 1ull << l;
  }
  if (m.dpp8) t.zeroInvalid = true;
  program.dppTables.push_back(t);
  inst.dppTable = &program.dppTables.back();
  inst.dpp = true;
}

} // namespace fly::emulator
