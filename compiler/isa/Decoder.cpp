// Decodes machine code: LLVM finds the instruction, our row for its opcode (OperandRoles.h) gives the numbers a
// meaning.
//
// Steps for one instruction:
//   1. LLVM's disassembler gives opcode and operand list, or the bytes are not an instruction.
//   2. The opcode's row is looked up, or worked out if this decoder has not met the opcode.
//   3. The row's slots turn the list into operands with roles and a Modifiers; constants become the bits the unit
//      sees; source modifiers go to their operand.
//   4. Waits are unpacked, branch targets made absolute, VOPD split in two.
//
// gfx1250 reaches more than 256 VGPRs through s_set_vgpr_msb, a state that LLVM's decoder leaves alone; decodeKernel
// follows it in a straight line (compilers reset it at the ends of blocks) and adds it to the register numbers.
#include "compiler/isa/Decoder.h"

#include "compiler/isa/DecoderImpl.h"
#include "compiler/target/Waitcnt.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <mutex>

namespace fly::isa {

namespace {

std::string hexBytes(llvm::ArrayRef<uint8_t> bytes, size_t limit) {
  std::string text;
  for (size_t i = 0; i < bytes.size() && i < limit; ++i) text += (i ? " " : "") + llvm::utohexstr(bytes[i], true, 2);
  return text;
}

/// The immediate's value, also when LLVM wraps a literal that an inline constant could express.
bool immediateValue(const llvm::MCOperand &o, int64_t &value, bool &wrapped) {
  wrapped = false;
  if (o.isImm()) {
    value = o.getImm();
    return true;
  }
  if (o.isExpr()) {
    wrapped = true;
    return o.getExpr()->evaluateAsAbsolute(value);
  }
  if (o.isDFPImm()) {
    value = static_cast<int64_t>(o.getDFPImm());
    return true;
  }
  if (o.isSFPImm()) {
    value = o.getSFPImm();
    return true;
  }
  return false;
}

bool isInlineInteger(int64_t v) { return v >= -16 && v <= 64; }
bool isInlineFloat(uint64_t v, unsigned bits) {
  static const uint64_t f64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                 0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                 0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
  static const uint64_t f32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                 0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
  static const uint64_t f16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400,
                                 0x3118, 0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4080, 0xc080, 0x3e22};
  for (uint64_t c : bits == 64 ? llvm::ArrayRef(f64) : llvm::ArrayRef(f32))
    if (v == c) return true;
  if (bits != 64)
    for (uint64_t c : f16)
      if (v == c) return true;
  return false;
}

void setConstant(Operand &o, const OperandSlot &slot, int64_t value, bool wrapped) {
  o.kind = Operand::Kind::Immediate;
  o.operandBits = slot.bits;
  o.literal = wrapped || (!isInlineInteger(value) && !isInlineFloat(static_cast<uint64_t>(value), slot.bits));
  uint64_t bits = static_cast<uint64_t>(value);
  if (slot.bits < 64) bits &= (uint64_t(1) << slot.bits) - 1;
  else if (o.literal && slot.float64 && (bits >> 32) == 0) bits <<= 32;
  else if (o.literal && slot.signed64 && (bits >> 32) == 0) bits = static_cast<uint64_t>(int64_t(int32_t(bits)));
  o.bits = bits;
}

void setSourceModifiers(Operand &o, const OpcodeRow &row, uint64_t bits) {
  if (row.form == Form::SDWA && (bits & 16)) {
    o.sext = true;
  }
  o.neg = bits & 1;
  if (row.packed && !row.mix) o.negHi = bits & 2;
  else o.abs = bits & 2;
  o.opSel = bits & 4;
  if (row.packed) o.opSelHi = bits & 8;
}

void setCachePolicy(Modifiers &m, const target::Target &row, uint64_t bits) {
  m.cachePolicy = static_cast<uint16_t>(bits);
  if (row.generation.hintAndScope) {
    m.temporalHint = bits & 7;
    m.scope = (bits >> 3) & 3;
    m.nonVolatile = bits & (1 << 5);
    m.scaleOffset = bits & (1 << 11);
    return;
  }
  m.sc0 = m.glc = bits & 1;
  m.nt = m.slc = bits & 2;
  m.sc1 = bits & 16;
}

/// Offsets are signed, except those of LDS and buffers and where the generation says so; LLVM returns the raw field.
int32_t offsetOf(const target::Target &row, Form form, uint64_t v) {
  auto extend = [&](unsigned bits) { return static_cast<int32_t>(bits ? llvm::SignExtend64(v, bits) : v); };
  switch (form) {
  case Form::GLOBAL:
  case Form::SCRATCH: return extend(row.generation.globalOffsetBits);
  case Form::FLAT: return extend(row.generation.flatOffsetBits);
  case Form::SMEM: return extend(row.generation.scalarOffsetBits);
  default: return static_cast<int32_t>(v);
  }
}

void setField(Modifiers &m, Operand *sources[2], const target::Target &row, Form form, Slot slot, uint64_t v) {
  const auto byte = static_cast<uint8_t>(v);
  switch (slot) {
  case Slot::Ignored:
  case Slot::Operand:
  case Slot::SourceModifiers: break;
  case Slot::Offset: m.offset = offsetOf(row, form, v); break;
  case Slot::Offset0: m.offset = byte; break;
  case Slot::Offset1: m.offset1 = byte; break;
  case Slot::CachePolicy: setCachePolicy(m, row, v); break;
  case Slot::Gds: m.gds = v; break;
  case Slot::Format: m.format = byte; break;
  case Slot::Clamp: m.clamp = v; break;
  case Slot::OutputModifier: m.omod = byte; break;
  case Slot::Bitop3: m.bitop3 = byte; break;
  case Slot::ByteSel: m.byteSel = byte; break;
  case Slot::ScaleSel: m.scaleSel = byte; break;
  case Slot::DppControl: m.dppControl = static_cast<uint16_t>(v); break;
  case Slot::RowMask: m.rowMask = byte; break;
  case Slot::BankMask: m.bankMask = byte; break;
  case Slot::BoundControl: m.boundCtrl = v; break;
  case Slot::FetchInactive: m.fetchInactive = v == 1 || v == 0xea; break; // DPP8 keeps its source code here
  case Slot::Dpp8:
    for (unsigned lane = 0; lane < 8; ++lane) m.dpp8Lanes[lane] = (v >> (3 * lane)) & 7;
    break;
  case Slot::SdwaDst: m.sdwaDst = byte; break;
  case Slot::SdwaUnused: m.sdwaUnused = byte; break;
  case Slot::SdwaSource0:
    if (sources[0]) sources[0]->sdwaSel = byte;
    break;
  case Slot::SdwaSource1:
    if (sources[1]) sources[1]->sdwaSel = byte;
    break;
  case Slot::Cbsz: m.cbsz = byte; break;
  case Slot::Abid: m.abid = byte; break;
  case Slot::Blgp: m.blgp = byte; break;
  case Slot::MatrixAFormat: m.matrixAFormat = byte; break;
  case Slot::MatrixBFormat: m.matrixBFormat = byte; break;
  case Slot::MatrixAScale: m.matrixAScale = byte; break;
  case Slot::MatrixBScale: m.matrixBScale = byte; break;
  case Slot::MatrixAScaleFormat: m.matrixAScaleFormat = byte; break;
  case Slot::MatrixBScaleFormat: m.matrixBScaleFormat = byte; break;
  case Slot::MatrixAReuse: m.matrixAReuse = v; break;
  case Slot::MatrixBReuse: m.matrixBReuse = v; break;
  case Slot::IndexKey: m.indexKey = byte; break;
  }
}

/// The immediate of a wait for single counters: where a counter's bits begin. There are as many as its capacity needs,
/// and a field full of ones waits for nothing.
struct SingleWait {
  const char *op;
  Counter counter;
  uint8_t shift;
};
constexpr SingleWait singleWaits[] = {
    {"S_WAITCNT_VSCNT", Counter::Vs, 0},
    {"S_WAITCNT_VMCNT", Counter::Vm, 0},
    {"S_WAITCNT_EXPCNT", Counter::Exp, 0},
    {"S_WAITCNT_LGKMCNT", Counter::Lgkm, 0},
    {"S_WAIT_LOADCNT", Counter::Load, 0},
    {"S_WAIT_STORECNT", Counter::Store, 0},
    {"S_WAIT_DSCNT", Counter::Ds, 0},
    {"S_WAIT_KMCNT", Counter::Km, 0},
    {"S_WAIT_EXPCNT", Counter::Exp, 0},
    {"S_WAIT_SAMPLECNT", Counter::Sample, 0},
    {"S_WAIT_BVHCNT", Counter::Bvh, 0},
    {"S_WAIT_ASYNCCNT", Counter::Async, 0},
    {"S_WAIT_TENSORCNT", Counter::Tensor, 0},
    {"S_WAIT_XCNT", Counter::X, 0},
    {"S_WAIT_LOADCNT_DSCNT", Counter::Load, 8},
    {"S_WAIT_LOADCNT_DSCNT", Counter::Ds, 0},
    {"S_WAIT_STORECNT_DSCNT", Counter::Store, 8},
    {"S_WAIT_STORECNT_DSCNT", Counter::Ds, 0},
};

Waits decodeWaits(const target::Target &row, std::string_view op, uint64_t simm) {
  Waits waits;
  const target::Generation &generation = row.generation;
  auto set = [&](Counter c, uint64_t value) {
    if (value != counterCapacity(c, generation)) waits.limit[static_cast<unsigned>(c)] = static_cast<uint8_t>(value);
  };
  if (op == "S_WAIT_IDLE")
    for (Counter c : {Counter::Vm, Counter::Lgkm, Counter::Exp, Counter::Vs, Counter::Load, Counter::Store, Counter::Ds,
                      Counter::Km, Counter::Sample, Counter::Bvh})
      if (hasCounter(row, c)) waits.limit[static_cast<unsigned>(c)] = 0;
  if (op == "S_WAITCNT") {
    const target::Waitcnt counts(generation, static_cast<uint32_t>(simm));
    set(Counter::Vm, counts.vmcnt);
    set(Counter::Exp, counts.expcnt);
    set(Counter::Lgkm, counts.lgkmcnt);
  }
  for (const SingleWait &wait : singleWaits)
    if (op == wait.op) set(wait.counter, (simm >> wait.shift) & counterCapacity(wait.counter, generation));
  return waits;
}

} // namespace

namespace {

/// Decoders that are not in use. Building LLVM's register tables and ours takes longer than decoding most kernels, and
/// a kernel is decoded several times: for its promises, for the emulator, for a report.
class IdleDecoders {
public:
  std::unique_ptr<Decoder::Impl> take(llvm::StringRef architecture, unsigned waveSize) {
    std::lock_guard lock(mutex);
    auto found = idle.find({architecture.str(), waveSize});
    if (found == idle.end() || found->second.empty()) return nullptr;
    auto impl = std::move(found->second.back());
    found->second.pop_back();
    return impl;
  }
  void give(std::unique_ptr<Decoder::Impl> impl) {
    for (auto &row : impl->rows) row.reset(); // what one user met is not to decide what another sees
    std::lock_guard lock(mutex);
    auto &there = idle[{impl->name, impl->machine->waveSize}];
    if (there.size() < most) there.push_back(std::move(impl));
  }

private:
  static constexpr size_t most = 8; ///< of one kind
  std::mutex mutex;
  std::map<std::pair<std::string, unsigned>, std::vector<std::unique_ptr<Decoder::Impl>>> idle;
};

IdleDecoders &idleDecoders() {
  static auto *decoders = new IdleDecoders; // never destroyed: decoders in static storage may end after it
  return *decoders;
}

} // namespace

Decoder::Decoder(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Decoder::~Decoder() { idleDecoders().give(std::move(impl)); }
const std::string &Decoder::architecture() const { return impl->name; }
unsigned Decoder::waveSize() const { return impl->machine->waveSize; }

llvm::Expected<std::unique_ptr<Decoder>> Decoder::create(llvm::StringRef architecture, unsigned waveSize) {
  const target::Target *row = target::findReadable(architecture);
  if (auto impl = idleDecoders().take(architecture, waveSize || !row ? waveSize : row->waveSize))
    return std::unique_ptr<Decoder>(new Decoder(std::move(impl)));
  auto machine = Machine::create(architecture, waveSize);
  if (!machine) return machine.takeError();
  return std::unique_ptr<Decoder>(new Decoder(std::make_unique<Impl>(std::move(*machine), architecture.str())));
}

const OpcodeRow &Decoder::Impl::rowOf(const llvm::MCInst &inst, llvm::ArrayRef<uint8_t> bytes) {
  std::unique_ptr<OpcodeRow> &row = rows[inst.getOpcode()];
  if (!row) row = std::make_unique<OpcodeRow>(resolveOpcode(*machine, registers, inst, bytes));
  return *row;
}

Instruction Decoder::Impl::convert(const llvm::MCInst &inst, llvm::ArrayRef<uint8_t> bytes, uint64_t address) {
  const OpcodeRow &row = rowOf(inst, bytes);
  Instruction result;
  result.address = address;
  result.size = static_cast<uint8_t>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), result.bytes.begin());
  result.op = row.op;
  result.form = row.form;
  result.baseForm = row.baseForm;
  result.cls = row.cls;
  result.opcode = inst.getOpcode();
  result.mayLoad = row.mayLoad;
  result.mayStore = row.mayStore;
  result.isAtomic = row.isAtomic;
  result.increments = row.increments;
  result.terminator = row.terminator;
  result.modifiers = row.modifiers;

  const llvm::MCInstrDesc &desc = machine->instructions->get(inst.getOpcode());
  const unsigned count = std::min<unsigned>(row.slots.size(), inst.getNumOperands());
  llvm::SmallVector<int, 12> position(row.slots.size(), -1);
  llvm::SmallVector<uint8_t, 8> component;
  for (unsigned i = 0; i < count; ++i) {
    const OperandSlot &slot = row.slots[i];
    if (slot.slot != Slot::Operand) continue;
    const llvm::MCOperand &from = inst.getOperand(i);
    Operand o;
    int64_t value = 0;
    bool wrapped = false;
    if (from.isReg()) {
      // A tied operand is the register of its definition. LLVM 22's decoder fills in another one for the accumulator
      // of VOPD's second half: in `v_dual_max_num_f32 v6, 0, v6 :: v_dual_fmac_f32 v5, s3, v1` it is v4.
      int definition = desc.getOperandConstraint(i, llvm::MCOI::TIED_TO);
      o = registers[definition >= 0 ? inst.getOperand(definition).getReg() : from.getReg()];
      if (row.halfWidthResult && slot.role == Role::Dst) o.width /= 2;
    } else if (immediateValue(from, value, wrapped)) {
      setConstant(o, slot, value, wrapped);
    } else {
      continue;
    }
    o.role = slot.role;
    o.def = slot.def;
    o.operandBits = slot.bits;
    if (slot.role == Role::Target) {
      o.bits = address + 4 + static_cast<uint64_t>(int64_t(int16_t(value)) * 4);
      o.operandBits = 64;
    } else if (slot.role == Role::Simm && o.isImmediate() && (row.cls != Class::Vector)) {
      o.literal = false;
      if (row.signedSimm) o.bits = static_cast<uint32_t>(int32_t(int16_t(value)));
    }
    position[i] = static_cast<int>(result.operands.size());
    result.operands.push_back(o);
    component.push_back(slot.component);
  }
  // LLVM's decoder leaves out the former result of d16 loads, which is the last operand.
  for (unsigned i = count; i < row.slots.size(); ++i)
    if (const Operand *dst = result.find(Role::Dst);
        dst && row.slots[i].slot == Slot::Operand && row.slots[i].role == Role::Old) {
      Operand old = *dst;
      old.role = Role::Old;
      old.def = false;
      result.operands.push_back(old);
      component.push_back(0);
    }
  // LLVM's v_pk_fmac_f16 has no operand for the addend, the former result.
  if (fly::isa::name(result.op) == "V_PK_FMAC_F16" && !result.find(Role::Src2))
    if (const Operand *dst = result.find(Role::Dst)) {
      Operand addend = *dst;
      addend.role = Role::Src2;
      addend.def = false;
      result.operands.push_back(addend);
      component.push_back(0);
    }
  Operand *sources[2] = {nullptr, nullptr};
  for (Operand &o : result.operands) {
    if (o.role == Role::Src0) sources[0] = &o;
    if (o.role == Role::Src1) sources[1] = &o;
  }
  for (unsigned i = 0; i < count; ++i) {
    const OperandSlot &slot = row.slots[i];
    int64_t value = 0;
    bool wrapped;
    if (slot.slot == Slot::Operand || slot.slot == Slot::Ignored || !immediateValue(inst.getOperand(i), value, wrapped))
      continue;
    if (slot.slot == Slot::SourceModifiers) {
      if (slot.modifierOf < 0 || position[slot.modifierOf] < 0) continue;
      Operand &o = result.operands[position[slot.modifierOf]];
      setSourceModifiers(o, row, static_cast<uint64_t>(value));
      // The op_sel of the destination travels with the first source.
      if (!row.packed && o.role == Role::Src0 && (value & 8))
        for (Operand &d : result.operands)
          if (d.role == Role::Dst) d.opSel = true;
      continue;
    }
    setField(result.modifiers, sources, *machine->row, row.baseForm, slot.slot, static_cast<uint64_t>(value));
  }
  if (row.baseForm == Form::VOPD) splitDual(result, row, component);
  result.operands.append(row.implicit.begin(), row.implicit.end());

  if (row.cls == Class::Wait) {
    // gfx10's waits for one counter add a register to the count; what that holds is not known here.
    const Operand *simm = result.find(Role::Simm), *more = result.find(Role::Src0);
    if (!more || more->isSpecial(Special::Null))
      result.waits = decodeWaits(*machine->row, isa::name(row.op), simm ? simm->bits : 0);
  }
  if (row.form == Form::SOPK)
    if (const Operand *simm = result.find(Role::Simm);
        simm && isa::name(row.op).find("ETREG") != std::string_view::npos) {
      result.modifiers.hardwareRegister = simm->bits & 63;
      result.modifiers.hardwareOffset = (simm->bits >> 6) & 31;
      result.modifiers.hardwareSize = static_cast<uint8_t>(((simm->bits >> 11) & 31) + 1);
    }
  return result;
}

void Decoder::Impl::splitDual(Instruction &pair, const OpcodeRow &row, llvm::ArrayRef<uint8_t> component) {
  for (unsigned c = 0; c < 2; ++c) {
    Instruction part;
    part.address = pair.address;
    part.size = pair.size;
    part.bytes = pair.bytes;
    part.op = row.componentOps[c];
    part.form = part.baseForm = Form::VOPD;
    part.cls = pair.cls;
    part.opcode = pair.opcode;
    part.modifiers = pair.modifiers;
    bool explicitMask = false;
    for (size_t i = 0; i < component.size(); ++i)
      if (component[i] == c) {
        part.operands.push_back(pair.operands[i]);
        explicitMask |= pair.operands[i].role == Role::Src2;
      }
    const bool readsVcc = isa::name(part.op) == "V_CNDMASK_B32" && !explicitMask;
    for (const Operand &o : row.implicit)
      if (!o.isSpecial(Special::VCC) || readsVcc) part.operands.push_back(o);
    pair.components.push_back(std::move(part));
  }
}

llvm::Expected<Instruction> Decoder::decodeOne(llvm::ArrayRef<uint8_t> code, uint64_t address) {
  llvm::MCInst inst;
  uint64_t size;
  if (!impl->machine->disassemble(code, address, inst, size))
    return makeError("no " + impl->name + " instruction at 0x" + llvm::utohexstr(address, true) + ": bytes " +
                     hexBytes(code, 16));
  return impl->convert(inst, code.take_front(size), address);
}

llvm::Expected<std::vector<Instruction>> Decoder::decodeKernel(llvm::ArrayRef<uint8_t> code, uint64_t baseAddress) {
  std::vector<Instruction> result;
  result.reserve(code.size() / 6);
  size_t keep = 0; // instructions up to the last one that is not padding after an end
  const bool hasVgprMsb = impl->machine->row->hasFeature("vgpr_msb");
  VgprMsb msb;
  for (size_t at = 0; at < code.size();) {
    // Zero words after the end are padding, not instructions.
    if (keep && result[keep - 1].terminator &&
        code.drop_front(at).take_front(4) == llvm::ArrayRef<uint8_t>({0, 0, 0, 0}) &&
        llvm::all_of(code.drop_front(at), [](uint8_t b) { return b == 0; }))
      break;
    auto inst = decodeOne(code.drop_front(at), baseAddress + at);
    if (!inst) return inst.takeError();
    at += inst->size;
    if (hasVgprMsb) msb.apply(*inst);
    result.push_back(std::move(*inst));
    const bool padding = result.back().cls == Class::Hint && keep && result[keep - 1].terminator;
    if (!padding) keep = result.size();
  }
  result.resize(keep);
  return result;
}

bool VgprMsb::set(const Instruction &inst) {
  constexpr unsigned mode = 1;
  if (name(inst.op) == "S_SET_VGPR_MSB") {
    if (const Operand *simm = inst.find(Role::Simm)) bits = static_cast<uint8_t>(simm->bits);
    return true;
  }
  if (name(inst.op) != "S_SETREG_IMM32_B32" || inst.modifiers.hardwareRegister != mode) return false;
  if (const Operand *value = inst.find(Role::Src0)) bits = ofMode(static_cast<uint32_t>(value->bits));
  return true;
}

void VgprMsb::apply(Instruction &inst) {
  if (set(inst) || bits == 0) return;
  const bool buffer = inst.form == Form::MUBUF || inst.form == Form::MTBUF;
  auto shiftOf = [&](Role role) -> int {
    switch (role) {
    case Role::Src0:
    case Role::Vaddr: return 0; // the scales of a WMMA are always among the first 256
    case Role::Src1: return 2;
    case Role::Vdata: return buffer ? 6 : 2;
    case Role::Src2:
    case Role::Vdata1:
    case Role::Index: return 4;
    case Role::Dst:
    case Role::Dst1:
    case Role::Old: return 6;
    default: return -1;
    }
  };
  auto adjust = [&](Instruction &i) {
    const Operand *dst = i.find(Role::Dst);
    const bool swap = i.find(Role::Dst1) && name(i.op).find("SWAP") != std::string_view::npos;
    const uint16_t dstIndex = dst ? dst->index : 0xffff;
    for (Operand &o : i.operands)
      if (int shift = shiftOf(o.role); o.isVgpr() && !o.implicit && shift >= 0) {
        if (swap && o.role == Role::Dst1) shift = 0; // v_swap, v_permlane*_swap: the operands are vdst and src0
        if (swap && o.role == Role::Src1) shift = 6;
        // A tied addend is the destination's register.
        if (o.role == Role::Src1 && name(i.op).starts_with("V_FMAMK")) shift = 4; // CDNA5 ISA, 3.3.2.3
        if (o.role == Role::Src2 && o.index == dstIndex && (i.baseForm == Form::VOP2 || i.find(Role::Index))) shift = 6;
        o.index = static_cast<uint16_t>(o.index + 256 * ((bits >> shift) & 3));
      }
  };
  adjust(inst);
  for (Instruction &part : inst.components) adjust(part);
}

std::string Decoder::print(const Instruction &inst) {
  llvm::MCInst mc;
  uint64_t size;
  if (!impl->machine->disassemble(llvm::ArrayRef(inst.bytes).take_front(inst.size), inst.address, mc, size))
    return "<invalid>";
  std::string text;
  llvm::raw_string_ostream out(text);
  impl->machine->printer->printInst(&mc, inst.address, "", *impl->machine->subtarget, out);
  for (char &c : text)
    if (c == '\t') c = ' ';
  return llvm::StringRef(text).trim().str();
}

llvm::Expected<std::unique_ptr<llvm::MCInst>> Decoder::machineInstruction(const Instruction &inst) {
  auto mc = std::make_unique<llvm::MCInst>();
  uint64_t size;
  if (!impl->machine->disassemble(llvm::ArrayRef(inst.bytes).take_front(inst.size), inst.address, *mc, size))
    return makeError("the bytes of the instruction at 0x" + llvm::utohexstr(inst.address, true) + " are not one");
  return mc;
}

} // namespace fly::isa
