// The purpose of each operand of an LLVM instruction, determined once per opcode.
//
// LLVM keeps the names of operands private. What is public: how many operands are results, each operand's type
// (register, source that may be a constant, source modifiers, branch target, plain immediate), which input is tied
// to which result, and the form. In each form these come in a fixed order, which the walks below write down:
//
//   vector     dst [sdst] [old] {[mods] src}... {immediates}      v_add_f32_dpp: dst old mods src0 mods src1 ...
//   MUBUF      [dst] [vdata] [vaddr] srsrc soffset {immediates} [old]
//   GLOBAL     load  [dst] [saddr] vaddr | store, atomic  [dst] vaddr vdata [saddr]
//   SCRATCH    load  [dst] [vaddr] [saddr] | store  vdata [vaddr] [saddr]
//   DS         [dst] [addr] [data0] [data1] {immediates} [old]
//   SMEM       [dst | vdata] sbase [soffset] {immediates}
//   scalar     [dst] src0 src1 [simm | target]
//
// with a few instructions apart (the `if`s by name). Plain immediates of vector and memory forms are told apart by
// the printer, see ImmediateProbe.cpp.
#include "compiler/isa/OperandRoles.h"

#include "compiler/isa/OpcodeNames.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::isa {

namespace {

/// Operand types of the AMDGPU target, in order from MCOI::OPERAND_FIRST_TARGET.
struct TypeRow {
  uint8_t bits;
  bool float64 = false;
};
// clang-format off
constexpr TypeRow types[] = {
    {32}, {64}, {16}, {32}, {64, true}, {16}, {16}, {32}, {32}, {32}, {32}, {32}, {32}, {32}, // register or constant
    {16}, {32}, {64}, {16}, {16}, {32}, {64, true}, {32}, {32}, {32},                         // ... inline only
    {32},                                                                                     // barrier id
    {32}, {16}, {64, true},                                                                   // K of madak, fmaak
    {32}, {32}, {64, true}, {64},                                                             // accumulators
};
// clang-format on
constexpr unsigned splitBarrier = 24, firstK = 25, lastK = 27, inputModifiers = 32;

unsigned targetType(const llvm::MCOperandInfo &info) {
  return info.OperandType >= llvm::MCOI::OPERAND_FIRST_TARGET
             ? info.OperandType - static_cast<unsigned>(llvm::MCOI::OPERAND_FIRST_TARGET)
             : ~0u;
}
bool isModifiers(const llvm::MCOperandInfo &info) { return targetType(info) == inputModifiers; }
bool isK(const llvm::MCOperandInfo &info) { return targetType(info) >= firstK && targetType(info) <= lastK; }
bool isPlainImmediate(const llvm::MCOperandInfo &info) {
  return targetType(info) == ~0u && info.OperandType != llvm::MCOI::OPERAND_REGISTER;
}

struct Walk {
  const Machine &machine;
  RegisterTable &registers;
  const llvm::MCInst &inst;
  const llvm::MCInstrDesc &desc;
  llvm::StringRef fullName, name;
  OpcodeRow &row;

  unsigned count() const { return desc.getNumOperands(); }
  const llvm::MCOperandInfo &info(unsigned i) const { return desc.operands()[i]; }
  bool tied(unsigned i) const { return desc.getOperandConstraint(i, llvm::MCOI::TIED_TO) >= 0; }
  bool isDef(unsigned i) const { return i < desc.getNumDefs(); }
  bool has(llvm::StringRef token) const {
    return hasToken({fullName.data(), fullName.size()}, {token.data(), token.size()});
  }
  const Operand *reg(unsigned i) const {
    if (i >= inst.getNumOperands() || !inst.getOperand(i).isReg()) return nullptr;
    return &registers[inst.getOperand(i).getReg()];
  }
  bool isVector(unsigned i) const {
    const Operand *o = reg(i);
    return o && (o->isVgpr() || o->isAgpr());
  }
  OperandSlot &assign(unsigned i, Role role, bool def = false) {
    OperandSlot &slot = row.slots[i];
    slot.slot = Slot::Operand;
    slot.role = role;
    slot.def = def;
    unsigned type = targetType(info(i));
    if (type < std::size(types)) {
      slot.bits = types[type].bits;
      slot.float64 = types[type].float64;
      slot.signed64 = name.ends_with("I64");
    }
    return slot;
  }
  void probe(unsigned i) { row.slots[i].slot = probeImmediate(machine, inst, i); }

  void vector();
  void dual();
  void buffer();
  void flat();
  void lds();
  void scalarMemory();
  void scalar();
  void others();
};

constexpr Role sources[] = {Role::Src0, Role::Src1, Role::Src2, Role::Old};

void Walk::vector() {
  const bool dpp = row.form == Form::DPP16 || row.form == Form::DPP8;
  const bool swap = name.starts_with("V_SWAP") || name.contains("_SWAP_");
  const bool sparse = name.starts_with("V_SMFMAC") || name.starts_with("V_SWMMAC");
  // The former result is an addend, not what remains of the destination.
  const bool accumulates = name.starts_with("V_FMAC") || name.starts_with("V_MAC_") || name.starts_with("V_PK_FMAC") ||
                           (name.starts_with("V_DOT") && name.contains("C_")) || sparse;
  const bool matrix = row.form == Form::MFMA || row.form == Form::WMMA;
  const bool compare = name.starts_with("V_CMP");
  unsigned source = 0, scale = 0, scaleModifiers = 0;
  std::array<unsigned, 2> scaleAt{};
  int pending = -1;
  for (unsigned i = 0; i < count(); ++i) {
    if (isDef(i)) {
      bool scalarResult = compare || (i == 1 && !swap);
      assign(i, scalarResult ? Role::Sdst : i == 1 ? Role::Dst1 : Role::Dst, true);
      continue;
    }
    if (isModifiers(info(i))) {
      row.slots[i].slot = Slot::SourceModifiers;
      pending = static_cast<int>(i);
      continue;
    }
    if (isK(info(i))) {
      assign(i, Role::Simm);
      continue;
    }
    if (isPlainImmediate(info(i))) {
      probe(i);
      // The modifiers of the scales of an MFMA follow both, and do not have the modifier type.
      if (row.form == Form::MFMA && scale == 2 && row.slots[i].slot == Slot::Ignored && scaleModifiers < 2) {
        row.slots[i].slot = Slot::SourceModifiers;
        row.slots[i].modifierOf = static_cast<int8_t>(scaleAt[scaleModifiers++]);
      }
      continue;
    }

    Role role;
    bool def = false;
    if (tied(i) && swap) role = desc.getOperandConstraint(i, llvm::MCOI::TIED_TO) ? Role::Src0 : Role::Src1;
    else if (dpp && i == desc.getNumDefs() && (tied(i) || accumulates)) role = Role::Old;
    else if (tied(i)) role = accumulates ? Role::Src2 : Role::Old;
    else if (desc.getNumDefs() == 0 && name.starts_with("V_MOVREL") && i == 0) role = Role::Dst, def = true;
    else if (matrix && source >= 3 && scale < 2) scaleAt[scale] = i, role = scale++ ? Role::Scale1 : Role::Scale0;
    else if (sparse && source == 2) role = Role::Index, source = 3;
    else role = sources[std::min(source++, 3u)];
    assign(i, role, def);
    if (pending >= 0) row.slots[pending].modifierOf = static_cast<int8_t>(i);
    pending = -1;
  }
}

/// VOPD: results of X and Y, then the sources of X, then those of Y, separated by counting what X needs.
void Walk::dual() {
  size_t split = fullName.find("_X_");
  std::string x = "V_" + fullName.substr(7, split - 7).str(), y = "V_" + fullName.substr(split + 3).str();
  row.componentOps = {findOp(semanticName(x)), findOp(semanticName(y))};
  struct Need {
    unsigned sources, constants, tied;
  };
  auto needOf = [&](llvm::StringRef op) -> Need {
    if (op.starts_with("V_MOV_")) return {1, 0, 0};
    if (op.starts_with("V_FMAAK") || op.starts_with("V_FMAMK")) return {2, 1, 0};
    if (op.starts_with("V_FMAC") || op.starts_with("V_DOT2C")) return {2, 0, 1};
    if (op.starts_with("V_FMA_")) return {3, 0, 0};
    if (op.starts_with("V_CNDMASK")) return {has("e96") ? 3u : 2u, 0, 0};
    return {2, 0, 0};
  };
  row.op = findOp("V_DUAL_" + std::string(isa::name(row.componentOps[0]).substr(2)) + "_X_" +
                  std::string(isa::name(row.componentOps[1]).substr(2)));
  Need left = needOf(x);
  uint8_t component = 0;
  unsigned source = 0;
  int pending = -1;
  for (unsigned i = 0; i < count(); ++i) {
    if (isDef(i)) {
      assign(i, Role::Dst, true).component = static_cast<uint8_t>(i);
      continue;
    }
    if (component == 0 && !left.sources && !left.constants && !left.tied) component = 1, source = 0;
    if (isModifiers(info(i))) {
      row.slots[i].slot = Slot::SourceModifiers;
      pending = static_cast<int>(i);
      continue;
    }
    Role role = Role::Other;
    if (isK(info(i))) role = Role::Simm, left.constants -= left.constants > 0;
    else if (isPlainImmediate(info(i))) {
      probe(i);
      row.slots[i].component = component;
      continue;
    } else if (tied(i)) role = Role::Src2, left.tied -= left.tied > 0;
    else role = sources[std::min(source++, 3u)], left.sources -= left.sources > 0;
    assign(i, role).component = component;
    if (pending >= 0) row.slots[pending].modifierOf = static_cast<int8_t>(i);
    pending = -1;
  }
}

void Walk::buffer() {
  const bool atomic = row.isAtomic;
  bool needData = desc.getNumDefs() == 0 && !row.modifiers.lds, sawResource = false, sawImmediate = false;
  for (unsigned i = 0; i < count(); ++i) {
    if (isDef(i)) {
      assign(i, Role::Dst, true);
      continue;
    }
    if (isPlainImmediate(info(i))) {
      probe(i);
      sawImmediate = true;
      continue;
    }
    if (tied(i)) {
      assign(i, atomic && !sawImmediate ? Role::Vdata : Role::Old);
      continue;
    }
    if (isVector(i) && !sawResource) {
      assign(i, needData ? Role::Vdata : Role::Vaddr);
      needData = false;
      continue;
    }
    assign(i, sawImmediate ? Role::Old : sawResource ? Role::Soffset : Role::Srsrc);
    sawResource = true;
  }
}

void Walk::flat() {
  const bool dataFirst =
      desc.getNumDefs() == 0 &&
      (name.starts_with("SCRATCH_STORE") || name.contains("ASYNC_TO_LDS") || name.contains("STORE_DWORD_ADDTID"));
  bool sawImmediate = false;
  unsigned vectors = 0;
  for (unsigned i = 0; i < count(); ++i) {
    if (isDef(i)) {
      assign(i, Role::Dst, true);
      continue;
    }
    if (isPlainImmediate(info(i))) {
      probe(i);
      sawImmediate = true;
      continue;
    }
    if (sawImmediate) {
      assign(i, Role::Old);
      continue;
    }
    if (!isVector(i)) {
      assign(i, Role::Saddr);
      continue;
    }
    assign(i, (vectors++ == 0) == dataFirst ? Role::Vdata : Role::Vaddr);
  }
}

void Walk::lds() {
  const bool noAddress = name.starts_with("DS_GWS_") || name.contains("ADDTID");
  bool sawImmediate = false;
  unsigned inputs = noAddress ? 1 : 0;
  constexpr Role roles[] = {Role::Vaddr, Role::Vdata, Role::Vdata1, Role::Other};
  for (unsigned i = 0; i < count(); ++i) {
    if (isDef(i)) {
      assign(i, i ? Role::Dst1 : Role::Dst, true);
      continue;
    }
    if (isPlainImmediate(info(i))) {
      probe(i);
      sawImmediate = true;
      continue;
    }
    if (sawImmediate || tied(i)) {
      assign(i, Role::Old);
      continue;
    }
    assign(i, roles[std::min(inputs++, 3u)]);
  }
}

void Walk::scalarMemory() {
  bool needData = desc.getNumDefs() == 0 && (name.contains("STORE") || name.contains("ATOMIC"));
  bool sawBase = name.contains("PC_REL"), sawOffset = false;
  for (unsigned i = 0; i < count(); ++i) {
    if (isDef(i)) {
      assign(i, Role::Dst, true);
      continue;
    }
    if (isPlainImmediate(info(i))) {
      if (i == 0 && name.contains("PROBE")) continue;
      probe(i);
      // The offset has no name in the text.
      if (row.slots[i].slot == Slot::Ignored && !sawOffset) row.slots[i].slot = Slot::Offset;
      sawOffset |= row.slots[i].slot == Slot::Offset;
      continue;
    }
    if (tied(i) || needData) {
      assign(i, Role::Vdata);
      needData = false;
      continue;
    }
    assign(i, sawBase ? Role::Soffset : Role::Saddr);
    sawBase = true;
  }
}

void Walk::scalar() {
  unsigned source = 0;
  for (unsigned i = 0; i < count(); ++i) {
    if (isDef(i)) {
      assign(i, Role::Dst, true);
      continue;
    }
    if (info(i).OperandType == llvm::MCOI::OPERAND_PCREL) {
      assign(i, Role::Target);
      continue;
    }
    if (isK(info(i)) || targetType(info(i)) == splitBarrier) {
      assign(i, Role::Simm);
      continue;
    }
    if (isPlainImmediate(info(i))) {
      assign(i, name == "S_SETREG_IMM32_B32" && i == 0 ? Role::Src0 : Role::Simm);
      continue;
    }
    if (name.starts_with("S_MOVRELD") && i == 0) {
      assign(i, Role::Dst, true);
      continue;
    }
    if (tied(i)) {
      assign(i, name.starts_with("S_FMAC") ? Role::Src2 : row.form == Form::SOPK ? Role::Src0 : Role::Old);
      continue;
    }
    assign(i, sources[std::min(source++, 3u)]);
  }
}

void Walk::others() {
  unsigned source = 0;
  for (unsigned i = 0; i < count(); ++i) {
    if (isDef(i)) {
      assign(i, Role::Dst, true);
      continue;
    }
    if (isPlainImmediate(info(i))) {
      probe(i);
      continue;
    }
    // The descriptor's groups 0 to 3.
    if (row.form == Form::TENSOR) {
      assign(i, source < 3 ? sources[source] : Role::Saddr);
      ++source;
      continue;
    }
    assign(i, isVector(i) ? Role::Vaddr : source++ ? Role::Ssamp : Role::Srsrc);
  }
}

/// LLVM has one encoding of gfx8 and gfx9 for LDS, and on gfx8 all of them read M0, as a limit of addresses.
bool readsM0(const Walk &walk) {
  if (walk.row.form != Form::DS || walk.machine.row->generation.encodings == target::Encodings::Gfx8) return true;
  static const char *const parts[] = {"GWS", "APPEND", "CONSUME", "ADDTID", "ORDERED", "PARAM_LOAD", "DIRECT_LOAD"};
  return llvm::any_of(parts, [&](const char *part) { return walk.name.contains(part); });
}

/// Implicit reads and writes. Masks and carries that are implicit in a short form have the same role as in the long
/// form.
void implicitOperands(Walk &walk) {
  auto add = [&](llvm::MCPhysReg reg, bool def) {
    Operand o = walk.registers[reg];
    o.implicit = true;
    o.def = def;
    o.role = Role::Implicit;
    if (o.isSpecial(Special::VCC) || o.isSpecial(Special::EXEC)) {
      o.width = walk.machine.waveSize == 64 ? 2 : 1;
      o.sub = 0;
    }
    bool taken = false;
    for (const Operand &other : walk.row.implicit) taken |= other.role == Role::Sdst;
    const bool hasSdst = std::any_of(walk.row.slots.begin(), walk.row.slots.end(), [](const OperandSlot &s) {
      return s.slot == Slot::Operand && s.role == Role::Sdst;
    });
    const bool vectorForm = walk.row.cls == Class::Vector;
    if (vectorForm && def && !taken && !hasSdst && (o.isSpecial(Special::VCC) || o.isSpecial(Special::EXEC)))
      o.role = Role::Sdst;
    if (vectorForm && !def && o.isSpecial(Special::VCC) && !walk.name.starts_with("V_DIV_FMAS")) o.role = Role::Src2;
    walk.row.implicit.push_back(o);
  };
  for (llvm::MCPhysReg reg : walk.desc.implicit_defs()) add(reg, true);
  for (llvm::MCPhysReg reg : walk.desc.implicit_uses())
    if (!walk.registers[reg].isSpecial(Special::M0) || readsM0(walk)) add(reg, false);
}

} // namespace

OpcodeRow resolveOpcode(const Machine &machine, RegisterTable &registers, const llvm::MCInst &inst,
                        llvm::ArrayRef<uint8_t> bytes) {
  OpcodeRow row;
  const llvm::MCInstrDesc &desc = machine.instructions->get(inst.getOpcode());
  llvm::StringRef fullName = machine.instructions->getName(inst.getOpcode());
  const std::string semantic = semanticName({fullName.data(), fullName.size()});
  llvm::StringRef name = semantic;
  uint32_t word = 0;
  for (unsigned i = 0; i < 4 && i < bytes.size(); ++i) word |= static_cast<uint32_t>(bytes[i]) << (8 * i);

  Walk walk{machine, registers, inst, desc, fullName, name, row};
  row.op = findOp(semantic);
  row.baseForm = row.form = encodingOf(machine.row->generation.encodings, fullName, word);
  if (walk.has("sdwa")) row.form = Form::SDWA, row.modifiers.sdwa = true;
  if (walk.has("dpp")) row.form = Form::DPP16, row.modifiers.dpp = true;
  if (walk.has("dpp8")) row.form = Form::DPP8, row.modifiers.dpp8 = true;
  row.cls = classOf(name, row.form, row.baseForm);
  row.mayLoad = desc.mayLoad();
  row.mayStore = desc.mayStore();
  row.isAtomic = name.contains("ATOMIC") || (row.baseForm == Form::DS && desc.mayLoad() && desc.mayStore());
  row.terminator =
      name == "S_BRANCH" || row.cls == Class::End || name.starts_with("S_SETPC") || name.starts_with("S_RFE");
  row.packed = row.baseForm == Form::VOP3P || row.baseForm == Form::MFMA || row.baseForm == Form::WMMA;
  row.mix = name.starts_with("V_FMA_MIX") || name.starts_with("V_MAD_MIX");
  row.signedSimm = row.form == Form::SOPK && name.ends_with("_I32");
  row.halfWidthResult = row.form == Form::MUBUF && name.contains("CMPSWAP");
  row.modifiers.offen = walk.has("OFFEN") || walk.has("BOTHEN");
  row.modifiers.idxen = walk.has("IDXEN") || walk.has("BOTHEN");
  row.modifiers.lds =
      walk.has("LDS") && row.cls == Class::VectorMemory && !name.contains("ASYNC") && row.form != Form::TENSOR;
  row.modifiers.tfe = walk.has("TFE");
  row.slots.resize(desc.getNumOperands());

  switch (row.baseForm) {
  case Form::VOP1:
  case Form::VOP2:
  case Form::VOPC:
  case Form::VOP3:
  case Form::VOP3P:
  case Form::MFMA:
  case Form::WMMA:
  case Form::VINTERP: walk.vector(); break;
  case Form::VOPD: walk.dual(); break;
  case Form::MUBUF:
  case Form::MTBUF: walk.buffer(); break;
  case Form::FLAT:
  case Form::GLOBAL:
  case Form::SCRATCH: walk.flat(); break;
  case Form::DS: walk.lds(); break;
  case Form::SMEM: walk.scalarMemory(); break;
  case Form::SOP1:
  case Form::SOP2:
  case Form::SOPC:
  case Form::SOPK:
  case Form::SOPP: walk.scalar(); break;
  default: walk.others(); break;
  }
  for (const OperandSlot &slot : row.slots)
    row.modifiers.scaled |= slot.slot == Slot::Operand && slot.role == Role::Scale0;
  implicitOperands(walk);
  row.increments = countersOf(*machine.row, name, row.baseForm, desc.getNumDefs() != 0, row.mayLoad, row.mayStore);
  return row;
}

} // namespace fly::isa
