// See Forms.h.
#include "compiler/hardware/forms/Forms.h"

#include "compiler/isa/Assembler.h"
#include "compiler/isa/ExampleText.h"
#include "compiler/isa/OpcodeList.h"
#include "compiler/target/Target.h"
#include "runtime/emulator/decode/Rows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace fly::hardware {

namespace {

using isa::AsmInstruction;
using isa::AsmOperand;
using isa::Class;
using isa::RegisterFile;

struct LeftOut {
  llvm::StringLiteral prefix;
  const char *why;
};
constexpr const char *state = "it changes or reads how the wave runs, not values";
constexpr const char *clockOf = "it reads a clock or a number of the machine";
constexpr const char *scalarWrite =
    "a scalar store or atomic: other caches, and not all GPUs of the generation have it";
constexpr LeftOut leftOut[] = {
    {"s_set_gpr_idx", state},
    {"s_set_vgpr_msb", state},
    {"s_setvskip", state},
    {"s_alloc_vgpr", state},
    {"s_setkill", state},
    {"s_setreg", state},
    {"s_round_mode", state},
    {"s_denorm_mode", state},
    {"s_getpc", "its result is where the code is"},
    {"s_add_pc", "it jumps"},
    {"s_cbranch", "it jumps"},
    {"s_getreg", clockOf},
    {"s_memtime", clockOf},
    {"s_memrealtime", clockOf},
    {"s_get_shader_cycles", clockOf},
    {"s_get_waveid", clockOf},
    {"s_get_barrier_state", clockOf},
    {"s_sendmsg", "it is a message"},
    {"s_store_", scalarWrite},
    {"s_buffer_store_", scalarWrite},
    {"s_scratch_", scalarWrite},
    {"s_atomic_", scalarWrite},
    {"s_buffer_atomic_", scalarWrite},
    {"tensor_", "it needs a descriptor: kernels and the litmus tests have it"},
    {"cluster_", "it needs a cluster: kernels have it"},
    {"v_swaprel_", "it names registers by m0"},
    {"ds_gws_", "global wave sync"},
    {"ds_ordered_count", "global data share"},
    {"ds_bvh_stack", "ray tracing"},
    {"image_", "an image"},
    {"export", "an export"},
};

std::string whyLeftOut(const Form &form) {
  switch (form.cls) {
  case Class::Wait:
  case Class::Barrier:
  case Class::Hint: return "it leaves no value: the litmus tests and kernels show what it does";
  case Class::Branch: return "it jumps: kernels show that";
  case Class::End:
  case Class::Message: return state;
  case Class::Unknown: return "it belongs to no unit";
  default: break;
  }
  const llvm::StringRef text = form.text;
  for (const LeftOut &row : leftOut)
    if (text.starts_with(row.prefix))
      return row.why;
  if (text.contains(" gds"))
    return "global data share";
  bool leavesSomething = false;
  if (const isa::Operand *base = form.decoded.find(isa::Role::Saddr); base && base->isSpecial())
    return "its address is in a special register";
  if (text.contains("_addtid_b32") && text.ends_with(" off"))
    return "it has no address: a lane's number alone";
  for (const isa::Instruction &part : partsOf(form.decoded)) {
    if (!emulator::findRow(part.op))
      return "the emulator does not execute it";
    leavesSomething |= part.mayStore || part.modifiers.lds;
    part.forEachDef([&](const isa::Operand &) { leavesSomething = true; });
  }
  return leavesSomething ? "" : "it leaves no value";
}

/// Gives registers to operands: of each file from a first one on, tuples aligned, a free register behind each.
class Renaming {
public:
  /// With `apart`, also operands of the same register get one each; else equal ones stay equal, as the encoding needs
  /// where one is the result and a source.
  explicit Renaming(bool apart) : apart(apart) {}

  AsmInstruction of(AsmInstruction instruction) {
    for (AsmOperand &operand : instruction.operands)
      if (operand.isRegister())
        operand.index = static_cast<uint16_t>(place(operand));
    if (instruction.second)
      instruction.second = std::make_shared<AsmInstruction>(of(*instruction.second));
    return instruction;
  }
  /// Whether what is left to programs is free.
  bool fits() const {
    return next[size_t(RegisterFile::VGPR)] <= firstOwnVgpr && next[size_t(RegisterFile::AGPR)] <= firstOwnVgpr &&
           next[size_t(RegisterFile::SGPR)] <= firstOwnSgpr;
  }

private:
  unsigned place(const AsmOperand &operand) {
    auto [known, isNew] = given.try_emplace({operand.file, operand.index, operand.width}, 0);
    if (!isNew && !apart)
      return known->second;
    unsigned &free = next[size_t(operand.file)];
    const bool isScalar = operand.file == RegisterFile::SGPR;
    constexpr unsigned banks = 4; // of VGPRs: the halves of a dual instruction must read different ones
    unsigned at = operand.width > 1 ? llvm::alignTo(free, isScalar && operand.width > 2 ? 4 : 2) : free;
    if (operand.width == 1 && !isScalar)
      while (at % banks != operand.index % banks)
        ++at;
    free = at + operand.width + 1;
    return known->second = at;
  }

  bool apart;
  std::map<std::tuple<RegisterFile, unsigned, unsigned>, unsigned> given;
  std::array<unsigned, 4> next{/*SGPR*/ 16, /*VGPR*/ 8, /*AGPR*/ 0, 0};
};

/// Examples of a half become pairs with a move that the hardware takes beside it.
std::vector<AsmInstruction> withPartner(const AsmInstruction &half, bool isSecond) {
  std::vector<AsmInstruction> pairs;
  for (unsigned to : {200u, 201u})
    for (unsigned from : {208u, 209u, 210u, 211u}) {
      AsmInstruction move;
      move.name = "v_dual_mov_b32";
      move.operands = {AsmOperand::ofRegister(RegisterFile::VGPR, to),
                       AsmOperand::ofRegister(RegisterFile::VGPR, from)};
      AsmInstruction first = isSecond ? move : half;
      first.second = std::make_shared<AsmInstruction>(isSecond ? half : move);
      pairs.push_back(std::move(first));
    }
  return pairs;
}

/// LLVM's examples have zeros for modifiers: DPP that reads lane 0 and writes no row, SDWA of the lowest byte.
AsmInstruction withTellingModifiers(AsmInstruction instruction) {
  llvm::erase_if(instruction.modifiers, [](const isa::AsmModifier &modifier) {
    return modifier.name == "row_mask:0x0" || modifier.name == "bank_mask:0x0";
  });
  static const std::map<std::string, std::string, std::less<>> better{
      {"quad_perm:[0,0,0,0]", "quad_perm:[1,3,0,2]"}, {"dpp8:[0,0,0,0,0,0,0,0]", "dpp8:[7,1,2,0,4,6,5,3]"},
      {"dst_sel:BYTE_0", "dst_sel:BYTE_1"},           {"dst_unused:UNUSED_PAD", "dst_unused:UNUSED_PRESERVE"},
      {"src0_sel:BYTE_0", "src0_sel:WORD_1"},         {"src1_sel:BYTE_0", "src1_sel:BYTE_2"}};
  for (isa::AsmModifier &modifier : instruction.modifiers)
    if (auto known = better.find(modifier.name); known != better.end())
      modifier.name = known->second;
  return instruction;
}

/// The lane controls of DPP, which work alike in every instruction that has it: shown with a move.
std::vector<AsmInstruction> withLaneControls(const AsmInstruction &move) {
  std::vector<AsmInstruction> all{move};
  if (move.name != "v_mov_b32_dpp")
    return all;
  for (const char *control :
       {"row_shl:1", "row_shr:3", "row_ror:5", "wave_shl:1", "wave_rol:1", "wave_shr:1", "wave_ror:1", "row_mirror",
        "row_half_mirror", "row_bcast:15", "row_bcast:31", "row_newbcast:3", "row_share:3", "row_xmask:5"}) {
    all.push_back(move);
    all.back().modifiers = {{control, true}, {"row_mask:0xb", true}, {"bank_mask:0x7", true}, {"bound_ctrl:1", true}};
  }
  return all;
}

/// What tells forms apart: all but the numbers of registers.
std::string signatureOf(const AsmInstruction &instruction, bool isSecond) {
  AsmInstruction plain = instruction;
  for (AsmOperand &operand : plain.operands)
    if (operand.isRegister())
      operand.index = 0;
  return isa::textOf(plain) + (isSecond ? " second" : "");
}

struct Collector {
  isa::Assembler &assembler;
  bool tellsWaveSize;
  std::vector<Form> &forms;
  std::set<std::string> known = {}, titles = {};

  void add(const isa::OpcodeEntry &entry, const isa::OpcodeExample &example) {
    const AsmInstruction parsed = withTellingModifiers(isa::parseExample(example.text));
    std::vector<AsmInstruction> variants = withLaneControls(example.form == isa::Form::VOPD ? parsed : mended(parsed));
    if (llvm::StringRef(parsed.name).ends_with("_f8f6f4") && parsed.operands.size() >= 4)
      variants = isa::withFormats(parsed);
    for (const AsmInstruction &variant : variants) {
      if (!known.insert(signatureOf(variant, example.second)).second)
        continue;
      if (example.form == isa::Form::VOPD) {
        for (const AsmInstruction &pair : withPartner(variant, example.second))
          if (enter(entry, pair))
            break;
      } else if (enter(entry, variant) && (example.form == isa::Form::VOP3 || example.form == isa::Form::VOP3P)) {
        enter(entry, withSourceModifiers(variant));
      }
    }
  }

  /// LLVM prints a register of a wrong file in some examples, or a modifier that it does not read: what it takes with
  /// the fewest operands in the other file, or constant.
  AsmInstruction mended(const AsmInstruction &example) {
    const size_t operands = example.operands.size();
    auto attempt = [&](auto &self, AsmInstruction changed, size_t from,
                       unsigned changes) -> std::optional<AsmInstruction> {
      if (changes == 0)
        return assembler.assemble(changed) ? std::optional(changed) : std::nullopt;
      for (size_t n = from; n < operands; ++n) {
        const AsmOperand &operand = example.operands[n];
        if (!operand.isRegister())
          continue;
        const bool isScalar = operand.file == RegisterFile::SGPR;
        for (const AsmOperand &other :
             {AsmOperand::ofRegister(isScalar ? RegisterFile::VGPR : RegisterFile::SGPR, operand.index, operand.width),
              AsmOperand::ofInteger(3)}) {
          changed.operands[n] = other;
          if (auto taken = self(self, changed, n + 1, changes - 1))
            return taken;
        }
        changed.operands[n] = operand;
      }
      return std::nullopt;
    };
    AsmInstruction bare = example;
    bare.modifiers.clear();
    for (unsigned changes = 0; changes <= operands; ++changes)
      for (const AsmInstruction &begin : {example, bare})
        if (auto taken = attempt(attempt, begin, 0, changes))
          return *taken;
    return example;
  }

  /// With as many of the modifiers of sources and results as it takes.
  AsmInstruction withSourceModifiers(AsmInstruction instruction) {
    auto attempt = [&](auto change) {
      AsmInstruction changed = instruction;
      change(changed);
      if (assembler.assemble(changed))
        instruction = std::move(changed);
    };
    for (size_t n = 1; n < instruction.operands.size(); ++n) {
      if (instruction.operands[n].isRegister())
        attempt([&](AsmInstruction &changed) { (n % 2 ? changed.operands[n].neg : changed.operands[n].abs) = true; });
    }
    for (const char *modifier : {"clamp", "mul:2", "op_sel:[1,0]", "op_sel:[0,1,1,0]", "op_sel_hi:[0,1]",
                                 "op_sel_hi:[0,1,0]", "neg_lo:[1,0]", "neg_lo:[1,0,1]", "neg_hi:[0,1]"})
      attempt([&](AsmInstruction &changed) { changed.modifiers.push_back({modifier, true}); });
    return instruction;
  }

  bool enter(const isa::OpcodeEntry &entry, const AsmInstruction &instruction) {
    for (bool apart : {true, false}) {
      Renaming renaming(apart);
      AsmInstruction renamed = renaming.of(instruction);
      if (!renaming.fits())
        continue;
      Form form;
      form.text = isa::textOf(renamed);
      auto code = assembler.assemble(llvm::StringRef(form.text));
      if (!code)
        continue;
      auto decoded = assembler.decode(*code);
      if (!decoded) {
        llvm::consumeError(decoded.takeError());
        continue;
      }
      form.decoded = std::move(*decoded);
      form.cls = entry.cls;
      form.waveSize = assembler.waveSize();
      form.leftOut = whyLeftOut(form);
      form.title = form.text + (tellsWaveSize ? " (wave" + std::to_string(form.waveSize) + ")" : "");
      if (titles.insert(form.title).second)
        forms.push_back(std::move(form));
      return true;
    }
    return false;
  }
};

/// In which order they run: memory last, where a wrong address may cost the GPU.
constexpr unsigned ranks = 4;
unsigned rankOf(Class cls) {
  switch (cls) {
  case Class::Lds: return 1;
  case Class::VectorMemory: return 2;
  case Class::ScalarMemory: return 3;
  default: return 0;
  }
}

} // namespace

llvm::Expected<std::vector<Form>> formsOf(llvm::StringRef architecture) {
  const target::Target *target = target::find(architecture);
  auto opcodes = isa::listOpcodes(architecture);
  if (!opcodes)
    return opcodes.takeError();
  const bool hasTwo = target->hasWaveSize(32) && target->hasWaveSize(64);
  std::vector<Form> forms;
  for (unsigned waveSize : {64u, 32u}) {
    if (!target->hasWaveSize(waveSize))
      continue;
    auto assembler = isa::Assembler::create(architecture, waveSize);
    if (!assembler)
      return assembler.takeError();
    Collector collector{**assembler, hasTwo, forms};
    for (const isa::OpcodeEntry &entry : opcodes->entries)
      for (const isa::OpcodeExample &example : entry.examples)
        if (example.waveSize == waveSize)
          collector.add(entry, example);
  }
  std::vector<Form> sorted;
  for (unsigned rank = 0; rank < ranks; ++rank)
    for (Form &form : forms)
      if (rankOf(form.cls) == rank)
        sorted.push_back(std::move(form));
  return sorted;
}

} // namespace fly::hardware
