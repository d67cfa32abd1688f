// See InstructionList.h. For each name:
//
//   1. Its examples are parsed, and modifiers that they can do without are taken off. DPP and SDWA are left out: their
//      operands are those of the plain instruction.
//   2. At each place of an example every kind of operand is tried. What examples with as many operands take is united.
//   3. With registers in as many places as possible, the decoder says what each is for, which gives it a name.
//   4. Modifiers are tried one by one.
//
// Halves of a VOPD pair are tried with a v_dual_mov_b32 as the other half.
#include "compiler/isa/InstructionList.h"

#include "compiler/isa/ExampleText.h"
#include "compiler/isa/InstructionClasses.h"
#include "compiler/isa/KernelUse.h"
#include "compiler/isa/Machine.h"
#include "compiler/isa/Meanings.h"
#include "compiler/isa/OpcodeList.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/GlobPattern.h"

#include <map>
#include <set>

namespace fly::isa {

namespace {

//===--------------------------------------------- families -------------------------------------------------------===//

struct FamilyRow {
  InstructionFamily family;
  const char *name, *note;
};
constexpr FamilyRow families[] = {
    {InstructionFamily::Valu, "VALU",
     "They act on each active lane. DPP and SDWA stand for all of their modifiers: quad_perm, row_shl, dst_sel, ..."},
    {InstructionFamily::Dual, "VALU, two in one",
     "Halves of one instruction: `isa.dual` in ISA mode. The registers of the two must be in different banks. "
     "v_dual_cndmask_b32 without c takes VCC."},
    {InstructionFamily::Matrix, "matrix",
     "The matrices are spread over the lanes: `flyc layout 'MFMA(...)'` and `WMMA(...)` show how."},
    {InstructionFamily::Scalar, "scalar", "They act once for the wave."},
    {InstructionFamily::Lds, "LDS",
     "LDS is what lies at addr + offset. Where a lane updates it, others see the value before or after that."},
    {InstructionFamily::Buffer, "buffer",
     "buffer is a resource of four registers. addr is `off`; with offen it is an offset, with idxen an index, with "
     "both "
     "an index and an offset. soffset (gfx12: `null` for none) and the modifier offset are added."},
    {InstructionFamily::Global, "global, flat and scratch memory",
     "addr is an address of 64 bits if saddr is `off` or not there, else an offset of 32 bits to saddr. The modifier "
     "offset is added. Of flat instructions, memory is global memory, LDS or scratch memory, as the address says."},
    {InstructionFamily::ScalarMemory, "scalar memory",
     "addr is an address of 64 bits, buffer a resource; offset is added."},
    {InstructionFamily::Tensor, "tensor mover", "The operands are groups of a descriptor."},
    {InstructionFamily::Control, "waits and control", "A wave executes them once."},
    {InstructionFamily::Export, "exports", ""},
};

InstructionFamily familyOf(const OpcodeEntry &entry, llvm::StringRef name) {
  if (name.starts_with("v_dual_")) return InstructionFamily::Dual;
  if (name.starts_with("tensor_")) return InstructionFamily::Tensor;
  if (name.starts_with("ds_")) return InstructionFamily::Lds;
  if (name.starts_with("buffer_") || name.starts_with("tbuffer_")) return InstructionFamily::Buffer;
  switch (entry.cls) {
  case Class::Matrix: return InstructionFamily::Matrix;
  case Class::Scalar:
    for (llvm::StringRef prefix : {"s_sleep", "s_get", "s_set", "s_alloc_vgpr", "s_version", "s_wakeup"})
      if (name.starts_with(prefix)) return InstructionFamily::Control;
    return InstructionFamily::Scalar;
  case Class::ScalarMemory: return InstructionFamily::ScalarMemory;
  case Class::VectorMemory: return name == "export" ? InstructionFamily::Export : InstructionFamily::Global;
  case Class::Wait:
  case Class::Barrier:
  case Class::Branch:
  case Class::End:
  case Class::Message:
  case Class::Hint: return InstructionFamily::Control;
  default: return InstructionFamily::Valu;
  }
}

//===--------------------------------------------- operands -------------------------------------------------------===//

/// "" if the decoder does not tell.
std::string nameOf(const OperandShape &shape, unsigned position, llvm::StringRef instruction) {
  const bool isScalarMemory = instruction.starts_with("s_");
  if (instruction.starts_with("tensor_")) return "group" + std::to_string(position);
  if (position == 0 && shape.writes && shape.role != Role::Vdata) return "d";
  switch (shape.role) {
  case Role::Dst:
  case Role::Dst1: return position == 0 ? "d" : "d" + std::to_string(position);
  case Role::Sdst: return position == 0 ? "d" : instruction.contains("div_scale") ? "mask" : "carry";
  case Role::Src0: return "a";
  case Role::Src1: return "b";
  case Role::Src2: return "c";
  case Role::Old: return "d";
  case Role::Vaddr: return "addr";
  case Role::Saddr: return !isScalarMemory ? "saddr" : instruction.contains("buffer") ? "buffer" : "addr";
  case Role::Vdata: return instruction.contains("_async_") ? "lds" : "data"; // the address there
  case Role::Vdata1: return "data1";
  case Role::Srsrc: return "buffer";
  case Role::Soffset: return isScalarMemory ? "offset" : "soffset";
  case Role::Simm: return "k";
  case Role::Target: return "target";
  case Role::Scale0: return "scale_a";
  case Role::Scale1: return "scale_b";
  case Role::Index: return "index";
  default: return "";
  }
}

/// For what is not named by then: constants, and `off`.
std::string otherName(const InstructionForm &form, unsigned position, const ListedInstruction &listed) {
  const ListedOperand &operand = form.operands[position];
  const size_t fromEnd = form.operands.size() - position;
  if (llvm::any_of(operand.kinds, [](const AsmOperand &k) { return llvm::StringRef(k.symbol).starts_with("hwreg("); }))
    return "hwreg";
  if (llvm::StringRef(listed.name).contains("prefetch") && fromEnd <= 2 &&
      listed.family == InstructionFamily::ScalarMemory)
    return fromEnd == 2 ? "length" : "k";
  switch (listed.family) {
  case InstructionFamily::ScalarMemory:
    return llvm::StringRef(listed.name).starts_with("s_atc_") && position == 0 ? "k" : "offset";
  case InstructionFamily::Buffer: return "addr";
  case InstructionFamily::Global:
    return operand.kinds.front().isRegister() && operand.kinds.front().file == RegisterFile::VGPR ? "addr" : "saddr";
  default: return "k";
  }
}

/// Whether a modifier only says what an operand is: an address.
bool choosesOperand(llvm::StringRef modifier) { return modifier == "offen" || modifier == "idxen"; }

struct Describer {
  Assembler &assembler;

  bool takes(const AsmInstruction &i) { return bool(assembler.assemble(i)); }

  /// The example with registers that do not overlap, and as few modifiers as possible. None if it does not assemble.
  std::optional<AsmInstruction> reduced(const AsmInstruction &whole) {
    AsmInstruction apart = whole;
    for (auto [n, operand] : llvm::enumerate(apart.operands))
      for (const AsmOperand &kind : usualKinds(static_cast<unsigned>(n)))
        if (operand.isRegister() && kind.isRegister() && kind.file == operand.file && kind.width == operand.width)
          operand.index = kind.index;
    if (auto less = withFewerModifiers(apart)) return less;
    if (auto less = withFewerModifiers(whole)) return less;
    AsmInstruction open{whole.name, std::vector<AsmOperand>(whole.operands.size(), AsmOperand::any()), {}, nullptr};
    if (auto found = shapeOf(assembler, open)) return found->assembly;
    return std::nullopt;
  }
  std::optional<AsmInstruction> withFewerModifiers(const AsmInstruction &whole) {
    AsmInstruction less = whole;
    less.modifiers.clear();
    if (takes(less)) return less;
    for (const AsmModifier &one : whole.modifiers) {
      less.modifiers = {one};
      if (takes(less)) return less;
    }
    less = whole;
    for (size_t i = 0; i < less.modifiers.size();) { // from the front, what can go
      AsmInstruction without = less;
      without.modifiers.erase(without.modifiers.begin() + static_cast<ptrdiff_t>(i));
      if (takes(without)) less = without;
      else ++i;
    }
    if (takes(less)) return less;
    return std::nullopt;
  }

  /// Names of the operands, and what becomes of them. `decoded` is left with the instruction.
  void nameOperands(InstructionForm &form, const AsmInstruction &example, std::optional<Instruction> &decoded) {
    AsmInstruction filled = example;
    for (auto [n, operand] : llvm::enumerate(form.operands)) {
      // Registers of their own, so that the decoder's can be told apart; constants rather than `vcc` or `m0`.
      auto best = llvm::find_if(operand.kinds, [&](const AsmOperand &kind) {
        AsmInstruction changed = filled;
        changed.operands[n] = kind;
        return kind.kind != AsmOperand::Kind::Symbol && takes(changed);
      });
      if (best != operand.kinds.end()) filled.operands[n] = *best;
    }
    auto code = assembler.assemble(filled);
    if (!code) return;
    auto instruction = assembler.decode(*code);
    if (!instruction) return llvm::consumeError(instruction.takeError());
    const auto isFixed = [&](const ListedOperand &o) { // their name follows from the instruction's
      return llvm::any_of(o.kinds,
                          [](const AsmOperand &k) { return llvm::StringRef(k.symbol).starts_with("hwreg("); }) ||
             (llvm::StringRef(filled.name).contains("prefetch") &&
              &o + 2 >= form.operands.data() + form.operands.size());
    };
    auto shapes = shapesOf(filled, *instruction);
    llvm::SmallVector<const Operand *, 4> constants;
    for (const Operand &o : instruction->operands)
      if (!o.isRegister() && !o.implicit) constants.push_back(&o);
    size_t nextConstant = 0;
    for (auto [n, operand] : llvm::enumerate(form.operands)) {
      OperandShape &shape = shapes[n];
      if (!filled.operands[n].isRegister() && filled.operands[n].symbol != "off" && nextConstant < constants.size())
        shape.role = constants[nextConstant++]->role;
      if (operand.name.empty() && !isFixed(operand))
        operand.name = nameOf(shape, static_cast<unsigned>(n), filled.name);
      operand.writes |= shape.writes, operand.reads |= shape.reads;
      operand.isLabel |= shape.role == Role::Target;
    }
    decoded = std::move(*instruction);
  }

  /// The same with VGPRs in place of SGPRs where it takes them, since it may take only one SGPR.
  AsmInstruction withVectorRegisters(AsmInstruction example) {
    for (auto [n, operand] : llvm::enumerate(example.operands)) {
      if (!operand.isRegister() || operand.file != RegisterFile::SGPR ||
          !llvm::StringRef(example.name).starts_with("v_"))
        continue;
      AsmInstruction changed = example;
      for (const AsmOperand &kind : usualKinds(static_cast<unsigned>(n)))
        if (kind.isRegister() && kind.file == RegisterFile::VGPR && kind.width == operand.width &&
            kind.half == Half::Whole)
          changed.operands[n] = kind;
      if (takes(changed)) example = changed;
    }
    return example;
  }

  /// What the place takes, the other operands being as they are. Some must be in the same file, such as d and c of a
  /// matrix instruction, so another one is changed along if that is what it takes.
  std::vector<AsmOperand> acceptedIn(const AsmInstruction &base, unsigned position) {
    std::vector<AsmOperand> accepted;
    const AsmOperand &own = base.operands[position];
    for (const AsmOperand &kind : usualKinds(position)) {
      AsmInstruction changed = base;
      changed.operands[position] = kind;
      bool good = takes(changed);
      const bool isOtherFile =
          kind.isRegister() && own.isRegister() && kind.file != own.file && kind.width == own.width;
      if (!good && kind.isRegister() && kind.file == RegisterFile::SGPR) { // of which some targets take but one
        AsmInstruction alone = changed;
        for (size_t other = 0; other < base.operands.size(); ++other)
          if (other != position && alone.operands[other].isRegister() &&
              alone.operands[other].file == RegisterFile::SGPR)
            alone.operands[other] = AsmOperand::ofInteger(0);
        good = takes(alone);
      }
      for (size_t other = 0; isOtherFile && !good && other < base.operands.size(); ++other) {
        if (other == position || !base.operands[other].isRegister() || base.operands[other].file != own.file) continue;
        AsmInstruction along = changed;
        along.operands[other].file = kind.file;
        good = takes(along);
      }
      if (good) accepted.push_back(kind);
    }
    if (accepted.empty()) accepted.push_back(own);
    return accepted;
  }

  void describe(ListedInstruction &listed, llvm::ArrayRef<AsmInstruction> examples);
  void describeDual(ListedInstruction &listed, llvm::ArrayRef<std::pair<AsmInstruction, bool>> examples);
  void probeModifiers(ListedInstruction &listed, const AsmInstruction &example);
};

/// In the order of usualKinds.
void unite(std::vector<AsmOperand> &kinds, llvm::ArrayRef<AsmOperand> more) {
  for (const AsmOperand &kind : more)
    if (llvm::none_of(kinds, [&](const AsmOperand &k) { return textOf(k) == textOf(kind); })) kinds.push_back(kind);
  auto rank = [](const AsmOperand &k) {
    static constexpr unsigned files[] = {1, 0, 2}; // SGPR, VGPR, AGPR
    const unsigned file = k.isRegister()                        ? files[static_cast<unsigned>(k.file)]
                          : k.kind == AsmOperand::Kind::Integer ? 3
                                                                : 4;
    return std::make_tuple(file, k.isRegister() ? k.width : 0u, k.half != Half::Whole);
  };
  llvm::sort(kinds, [&](const AsmOperand &a, const AsmOperand &b) {
    return std::make_pair(rank(a), textOf(a)) < std::make_pair(rank(b), textOf(b));
  });
}

void Describer::describe(ListedInstruction &listed, llvm::ArrayRef<AsmInstruction> examples) {
  std::map<std::pair<size_t, std::vector<std::string>>, std::pair<InstructionForm, std::vector<AsmInstruction>>>
      byCount;
  std::set<std::string> met;
  for (const AsmInstruction &whole : examples) {
    auto example = reduced(whole);
    if (!example) continue;
    const AsmInstruction kept = withVectorRegisters(*example);
    if (!met.insert(textOf(kept)).second) continue;
    std::vector<std::string> needs;
    for (const AsmModifier &m : kept.modifiers)
      if (!choosesOperand(m.name)) needs.push_back(m.name);
    if (llvm::is_contained(needs, "tfe")) continue; // one register more; for graphics
    auto &[form, bases] = byCount[{kept.operands.size(), needs}];
    form.operands.resize(kept.operands.size());
    form.needs = std::move(needs);
    bases.push_back(kept);
    for (unsigned n = 0; n < kept.operands.size(); ++n) unite(form.operands[n].kinds, acceptedIn(kept, n));
  }
  std::multimap<size_t, std::pair<InstructionForm, std::vector<AsmInstruction>>> sorted; // by how much they need
  for (auto &[count, both] : byCount) sorted.emplace(both.first.needs.size(), std::move(both));
  for (auto &[needs, both] : sorted) {
    auto &[form, bases] = both;
    std::optional<Instruction> decoded;
    for (const AsmInstruction &base : bases) nameOperands(form, base, decoded);
    form.readsM0 = decoded && readsM0(*decoded);
    for (auto [n, operand] : llvm::enumerate(form.operands)) {
      if (operand.name.empty()) operand.name = otherName(form, static_cast<unsigned>(n), listed);
      // `flat_atomic_cmpswap_b32 v[0:1], v[2:3], s[0:1]` is another form, with as many operands.
      if (listed.family == InstructionFamily::Global && operand.name == "data")
        llvm::erase_if(operand.kinds,
                       [](const AsmOperand &k) { return k.isRegister() && k.file == RegisterFile::SGPR; });
      if (operand.writes)
        llvm::erase_if(operand.kinds, [](const AsmOperand &k) { return k.kind == AsmOperand::Kind::Integer; });
    }
    if (decoded && listed.forms.empty()) {
      size_t results = 0;
      while (results < form.operands.size() && form.operands[results].writes && !form.operands[results].reads)
        ++results;
      listed.notInKernel = whyNotInKernel(*decoded, results);
    }
    if (decoded) probeModifiers(listed, bases.front());
    listed.forms.push_back(std::move(form));
  }
}

/// By their order: d, a, b, c, and k where there is a constant and nothing else, as in v_dual_fmamk_f32.
void nameDualOperands(InstructionForm &form, const AsmInstruction &half, const Instruction &decoded) {
  char next = 'a';
  const auto shapes = shapesOf(half, decoded);
  for (auto [n, operand] : llvm::enumerate(form.operands)) {
    const bool isConstant = operand.kinds.size() == 1 && !operand.kinds[0].isRegister();
    operand.name = n == 0 ? "d" : isConstant ? "k" : std::string(1, next++);
    operand.writes = n == 0, operand.reads = n != 0 || shapes[0].reads;
  }
}

void Describer::describeDual(ListedInstruction &listed, llvm::ArrayRef<std::pair<AsmInstruction, bool>> examples) {
  listed.notInKernel = "is a half of two instructions in one";
  auto pairOf = [&](const AsmInstruction &half, bool second, unsigned reg) {
    AsmInstruction first{
        "v_dual_mov_b32", {AsmOperand::ofRegister(RegisterFile::VGPR, reg), AsmOperand::ofInteger(0)}, {}, nullptr};
    AsmInstruction other = half;
    if (!second) std::swap(first, other);
    first.second = std::make_shared<AsmInstruction>(std::move(other));
    return first;
  };
  std::map<size_t, InstructionForm> byCount;
  std::set<std::string> met; // an instruction is in many pairs
  for (auto &[half, second] : examples) {
    if (!met.insert(textOf(half) + (second ? " ::" : "")).second) continue;
    // The results must be in registers of different parity, or banks.
    const unsigned registers[] = {255, 254, 253, 252};
    auto *reg = llvm::find_if(registers, [&](unsigned r) { return takes(pairOf(half, second, r)); });
    if (reg == std::end(registers)) continue;
    InstructionForm &form = byCount[half.operands.size()];
    form.operands.resize(half.operands.size());
    for (auto [n, operand] : llvm::enumerate(form.operands)) {
      std::vector<AsmOperand> accepted;
      for (const AsmOperand &kind : usualKinds(static_cast<unsigned>(n))) {
        AsmInstruction changed = half;
        changed.operands[n] = kind;
        // A register of a file that it takes may be of the wrong parity for the other half.
        if (llvm::any_of(registers,
                         [&](unsigned r) { return (r == *reg || n == 0) && takes(pairOf(changed, second, r)); }))
          accepted.push_back(kind);
      }
      unite(operand.kinds, accepted);
    }
    auto code = assembler.assemble(pairOf(half, second, *reg));
    if (!code) continue;
    auto decoded = assembler.decode(*code);
    if (decoded) nameDualOperands(form, half, decoded->components[second ? 1 : 0]);
    else llvm::consumeError(decoded.takeError());
  }
  for (auto &[count, form] : byCount) listed.forms.push_back(std::move(form));
}

/// A modifier, and values with which some instruction takes it. One of DPP and one of SDWA stand for all.
struct ModifierRow {
  const char *name;
  std::initializer_list<const char *> texts;
};
const ModifierRow modifierRows[] = {
    {"abid", {"abid:1"}},
    {"bitop3", {"bitop3:1"}},
    {"blgp", {"blgp:1"}},
    {"byte_sel", {"byte_sel:1"}},
    {"cbsz", {"cbsz:1"}},
    {"clamp", {"clamp"}},
    {"div", {"div:2"}},
    {"done", {"done"}},
    {"dpp8", {"dpp8:[1,0,2,3,4,5,6,7]"}},
    {"format", {"format:1"}},
    {"gds", {"gds"}},
    {"index_key", {"index_key:1"}},
    {"lds", {"lds"}},
    {"matrix_a_fmt", {"matrix_a_fmt:MATRIX_FMT_BF8"}},
    {"matrix_a_reuse", {"matrix_a_reuse"}},
    {"matrix_a_scale", {"matrix_a_scale:MATRIX_SCALE_ROW1"}},
    {"matrix_a_scale_fmt", {"matrix_a_scale_fmt:MATRIX_SCALE_FMT_E4M3"}},
    {"matrix_b_fmt", {"matrix_b_fmt:MATRIX_FMT_BF8"}},
    {"matrix_b_reuse", {"matrix_b_reuse"}},
    {"matrix_b_scale", {"matrix_b_scale:MATRIX_SCALE_ROW1"}},
    {"matrix_b_scale_fmt", {"matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3"}},
    {"mul", {"mul:2"}},
    {"neg_hi", {"neg_hi:[1,0]", "neg_hi:[1,0,0]", "neg_hi:[1]"}},
    {"neg_lo", {"neg_lo:[1,0]", "neg_lo:[1,0,0]", "neg_lo:[1]"}},
    {"nt", {"nt"}},
    {"nv", {"nv"}},
    {"offset", {"offset:4"}},
    {"offset0", {"offset0:1"}},
    {"offset1", {"offset1:1"}},
    {"op_sel", {"op_sel:[1]", "op_sel:[1,0]", "op_sel:[1,0,0]", "op_sel:[1,0,0,0]", "op_sel:[0,1]"}},
    {"op_sel_hi", {"op_sel_hi:[0]", "op_sel_hi:[0,1]", "op_sel_hi:[0,1,1]"}},
    {"DPP", {"quad_perm:[1,0,3,2]", "row_shl:1"}},
    {"row_en", {"row_en"}},
    {"sc0", {"sc0"}},
    {"sc1", {"sc1"}},
    {"scale_offset", {"scale_offset"}},
    {"scale_sel", {"scale_sel:1"}},
    {"scope", {"scope:SCOPE_SYS"}},
    {"SDWA", {"src0_sel:WORD_1", "dst_sel:WORD_1"}},
    {"tfe", {"tfe"}},
    {"th", {"th:TH_LOAD_NT", "th:TH_STORE_NT", "th:TH_ATOMIC_NT"}},
    {"wait_exp", {"wait_exp:1"}},
};

void Describer::probeModifiers(ListedInstruction &listed, const AsmInstruction &example) {
  std::set<std::string> names(listed.modifiers.begin(), listed.modifiers.end());
  for (const AsmModifier &m : example.modifiers) names.insert(llvm::StringRef(m.name).split(':').first.str());
  for (const ModifierRow &row : modifierRows)
    for (const char *text : row.texts) {
      if (names.count(row.name)) break;
      AsmInstruction with = example;
      with.modifiers.push_back({text, true});
      if (takes(with)) names.insert(row.name);
    }
  if (listed.family == InstructionFamily::Buffer) names.insert({"offen", "idxen"});
  for (size_t n = 0; n < example.operands.size(); ++n)
    for (bool isAbs : {false, true}) {
      AsmInstruction with = example;
      if (!with.operands[n].isRegister()) continue;
      (isAbs ? with.operands[n].abs : with.operands[n].neg) = true;
      if (takes(with)) names.insert(isAbs ? "abs" : "neg");
    }
  listed.modifiers.assign(names.begin(), names.end());
}

} // namespace

std::string_view name(InstructionFamily family) {
  return llvm::find_if(families, [&](auto &row) { return row.family == family; })->name;
}
std::string_view noteOn(InstructionFamily family) {
  return llvm::find_if(families, [&](auto &row) { return row.family == family; })->note;
}
llvm::ArrayRef<InstructionFamily> instructionFamilies() {
  static const auto all = [] {
    std::vector<InstructionFamily> list;
    for (const FamilyRow &row : families) list.push_back(row.family);
    return list;
  }();
  return all;
}

std::vector<std::pair<std::string, std::string>> mnemonicsIn(const OpcodeList &opcodes) {
  std::set<std::string> names;
  for (const OpcodeEntry &entry : opcodes.entries)
    for (const OpcodeExample &example : entry.examples) names.insert(mnemonic(parseExample(example.text).name).str());
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string &name : names) result.emplace_back(name, meaningOf(name));
  return result;
}

llvm::Expected<std::vector<ListedInstruction>> listInstructions(llvm::StringRef architecture, llvm::StringRef pattern) {
  auto opcodes = listOpcodes(architecture);
  if (!opcodes) return opcodes.takeError();
  return listInstructions(architecture, *opcodes, pattern);
}

llvm::Expected<std::vector<ListedInstruction>> listInstructions(llvm::StringRef architecture, const OpcodeList &opcodes,
                                                                llvm::StringRef pattern) {
  auto glob = llvm::GlobPattern::create(pattern);
  if (!glob) return glob.takeError();
  auto assembler = Assembler::create(architecture);
  if (!assembler) return assembler.takeError();
  Describer describer{**assembler};
  std::map<std::string, ListedInstruction> listed;
  for (const OpcodeEntry &entry : opcodes.entries) {
    std::map<std::string, std::vector<std::pair<AsmInstruction, bool>>> byName;
    for (const OpcodeExample &example : entry.examples) {
      AsmInstruction parsed = parseExample(example.text);
      parsed.name = mnemonic(parsed.name).str();
      if (!glob->match(parsed.name)) continue;
      auto &all = byName[parsed.name];
      const bool isVariant = example.form == Form::SDWA || example.form == Form::DPP16 || example.form == Form::DPP8;
      if (!isVariant && example.waveSize == (*assembler)->waveSize())
        all.push_back({std::move(parsed), example.second});
    }
    for (auto &[name, examples] : byName) {
      ListedInstruction &one = listed[name];
      one.name = name;
      one.family = familyOf(entry, name);
      one.meaning = meaningOf(name);
      if (one.family == InstructionFamily::Dual) {
        describer.describeDual(one, examples);
        continue;
      }
      std::vector<AsmInstruction> plain;
      for (auto &[instruction, second] : examples) plain.push_back(std::move(instruction));
      if (llvm::StringRef(name).ends_with("_f8f6f4") && !plain.empty() && plain.front().operands.size() >= 4)
        plain = withFormats(plain.front());
      describer.describe(one, plain);
    }
  }
  std::vector<ListedInstruction> result;
  for (auto &[name, one] : listed) result.push_back(std::move(one));
  return result;
}

std::vector<std::string> kindsOf(const ListedOperand &operand) {
  if (operand.isLabel) return {"a label"};
  const bool takesScalars =
      llvm::any_of(operand.kinds, [](const AsmOperand &k) { return k.isRegister() && k.file == RegisterFile::SGPR; });
  std::vector<std::string> names;
  for (const AsmOperand &kind : operand.kinds) {
    // vcc, m0 and exec are SGPRs.
    if (kind.kind == AsmOperand::Kind::Symbol && takesScalars && kind.symbol != "off" &&
        !llvm::StringRef(kind.symbol).contains('('))
      continue;
    names.push_back(describeKinds(kind));
  }
  return names;
}

std::string textOf(const InstructionForm &form) {
  std::string text;
  for (const ListedOperand &operand : form.operands) {
    text += (text.empty() ? "" : "; ") + operand.name;
    if (operand.writes && operand.reads) text += ", read and written";
    const auto kinds = kindsOf(operand);
    for (size_t i = 0; i < kinds.size(); ++i)
      text += (i == 0 ? ": " : i + 1 == kinds.size() ? " or " : ", ") + kinds[i];
  }
  return text;
}

} // namespace fly::isa
