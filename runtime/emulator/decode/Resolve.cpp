// Resolves a whole instruction: its row, its modifiers, the halves of VOPD, the selectors of conversions.
#include "runtime/emulator/decode/Resolve.h"

#include "runtime/emulator/decode/Broken.h"
#include "runtime/emulator/decode/Rows.h"
#include "runtime/emulator/ops/scalar/Rows.h"
#include "runtime/emulator/ops/memory/Rows.h"
#include "runtime/emulator/ops/matrix/Matrix.h"
#include "runtime/emulator/lanes/TinyConvert.h"
#include "runtime/emulator/wave/Observer.h"

#include <algorithm>

namespace fly::emulator {

using isa::Instruction;
using isa::Operand;
using isa::Role;
using isa::Special;

void Resolver::refuse(std::string why) {
  if (!bad) reason = std::move(why);
  bad = true;
}

/// The selectors of the conversions of small formats; see TinyConvert.h. A result smaller than its register preserves
/// the rest of it, which LLVM expresses by a tied operand.
void Resolver::selectors() {
  const isa::Modifiers &m = from.modifiers;
  const Operand *dst = from.find(Role::Dst), *s0 = from.find(Role::Src0), *s1 = from.find(Role::Src1);
  const Operand *s2 = from.find(Role::Src2), *old = from.find(Role::Old);
  if (old && !m.dpp && !m.dpp8 && !m.sdwa && inst.half == Half16::ZeroHigh) inst.half = Half16::KeepHigh;
  if (inst.dstScalar || (s0 && inst.source[0].width > 2 && inst.source[0].kind != Source::Vector))
    return refuse("a conversion of scalar registers");
  const Operand *third = s2 ? s2 : old;
  inst.flags = static_cast<uint8_t>((s0 && s0->opSel ? 1 : 0) | (s1 && s1->opSel ? 2 : 0) |
                                    (third && third->opSel ? 4 : 0) | (dst && dst->opSel ? 8 : 0));
  const unsigned byteShift = row->extra & Row::DestinationByte ? cvt::destinationShift : 0;
  if (program.arch.generation.byteSelect) inst.flags = static_cast<uint8_t>(m.byteSel << byteShift);
  if (program.arch.fnuz) inst.flags |= cvt::fnuz;
  if (program.arch.negativeFp8Nan) inst.flags |= cvt::negativeNan;
  inst.immediate = m.scaleSel;
  if (program.arch.clampedFp8IsE5M3 && m.clamp && (row->extra & Row::Fp8)) {
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
      if (s.kind == Source::Vector && s.index < writer.dst + writer.dstWidth && writer.dst < s.index + s.width)
        return true;
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
  row = findRow(from.op);
  if (!row) {
    inst.run = runUnknown;
    return;
  }
  const isa::Modifiers &m = from.modifiers;
  if (m.gds || (m.tfe && from.form != isa::Form::MUBUF)) {
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
    case Role::Src0:
    case Role::Src1:
    case Role::Src2:
      if (o.def) break;
      source(static_cast<unsigned>(o.role) - static_cast<unsigned>(Role::Src0), o);
      break;
    case Role::Vaddr:
      source(0, o);
      inst.hasVaddr = true;
      break;
    case Role::Vdata: source(1, o); break;
    case Role::Vdata1: source(2, o); break;
    case Role::Saddr:
    case Role::Srsrc:
      if (o.isRegister() && o.special() != Special::Null) {
        inst.saddr = scalarSlot(o, false);
        inst.hasSaddr = true;
      }
      break;
    case Role::Soffset: source(2, o); break;
    case Role::Simm: simm(o); break;
    case Role::Index:
    case Role::Scale0: source(3, o); break;
    case Role::Scale1: source(4, o); break;
    case Role::Target: inst.target = program.indexOf(o.bits + program.loadBias); break;
    case Role::Old: inst.old = o.isVgpr() || o.isAgpr() ? vectorRegister(o, Role::Old) : 0; break;
    default: break;
    }
  }
  if (row->extra & Row::ConstantSecond) std::swap(inst.source[1], inst.source[2]);
  if (row->extra & Row::ReadsVcc) {
    inst.source[3].kind = Source::Scalar;
    inst.source[3].index = slot::vcc;
  }
  if (from.cls == isa::Class::Matrix) {
    std::string why;
    if (!prepareMatrix(program, from, inst, why)) refuse(why);
  }
  if (m.dpp || m.dpp8) dppTable();
  if (m.sdwa) {
    inst.sdwa = true;
    inst.sdwaDst = m.sdwaDst;
    inst.sdwaUnused = m.sdwaUnused;
  }
  if (m.offen) inst.flags |= 1;
  if (m.idxen) inst.flags |= 2;
  if (m.lds) inst.flags |= 4;
  if (m.scaleOffset) inst.flags |= 8;
  if (row->extra & Row::Selectors) selectors();
  if (row->extra & Row::TruthTable) inst.flags = m.bitop3;
  if (row->extra & Row::LaneSelectors) {
    const Operand *fetchInactive = from.find(Role::Src0), *zero = from.find(Role::Src1);
    inst.flags = (fetchInactive && fetchInactive->opSel ? 1 : 0) | (zero && zero->opSel ? 2 : 0);
  }
  inst.lanesApart = row->shape == Row::Lanes && !inst.dpp;
  inst.slowSource = inst.dpp;
  inst.slowResult = m.clamp || m.omod || (m.sdwa && m.sdwaDst != 6);
  const std::string_view name = isa::name(from.op);
  if (m.clamp && row->clamped) inst.run = row->clamped;
  else if (m.clamp && row->shape == Row::Lanes && name.find("_F16") == name.npos && name.find("_F32") == name.npos &&
           name.find("_F64") == name.npos && name.find("_BF16") == name.npos)
    inst.run = runUnknown; // saturation that the table does not have
  if (m.tfe && !inst.hasDst) inst.run = runUnknown;
  if (!inst.run || (row->shape == Row::Lanes && inst.dstScalar && inst.hasDst)) inst.run = runUnknown;
}

void resolve(Program &program, const Instruction &instruction, uint32_t number, uint32_t state, Inst &inst) {
  inst = Inst();
  inst.number = number;
  using isa::Class;
  const bool arithmetic = instruction.cls == Class::Vector || instruction.cls == Class::Transcendental;
  if ((state & codeSkipping) && (arithmetic || instruction.cls == Class::Matrix ||
                                 instruction.cls == Class::VectorMemory || instruction.cls == Class::Lds)) {
    inst.run = runSkipped;
    return;
  }
  Resolver r{program, instruction, state & 0xff, inst};
  r.run();
  r.registerUse();
  if ((state & codeIndexed) || isa::name(instruction.op).find("_MOVREL") != std::string_view::npos)
    inst.vectorUse = inst.scalarUse = ~0ull; // which registers it uses is only known when it runs
  r.waits();
  r.hazards();
  for (Source &s : inst.source)
    if (s.kind == Source::Constant) s.lanes = program.broadcast(s.low, s.high);
  if (r.bad) {
    program.reasons.push_back(r.reason);
    inst.detail = &program.reasons.back();
    inst.run = runBadRegister;
  }
  if (program.broken && program.broken.op == instruction.op && !r.bad) breakInstruction(program, instruction, inst);
  auto wrap = [&](Handler run) {
    program.components.push_back({inst});
    inst.detail = &program.components.back();
    inst.run = run;
  };
  if ((state & codeIndexed) && arithmetic && !r.bad) wrap(runIndexed);
  if (instruction.modifiers.tfe && !r.bad && inst.run != runUnknown) wrap(runWithStatus);
  if (instruction.cls == Class::VectorMemory && inst.hasDst && !r.bad && inst.run != runUnknown &&
      isa::name(instruction.op).find("_LOAD_") != std::string_view::npos && reachOf(instruction) != Reach::Group)
    wrap(runPolling);
}

} // namespace fly::emulator
