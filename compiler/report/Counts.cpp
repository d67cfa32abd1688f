// Counting. Width and direction of an access are read from the name that all targets share, where "DWORDX4", "B128" and
// "X2" of an atomic are widths; the rest follows from the decoded form. A pair (VOPD) is one instruction of its class,
// as the hardware issues it; its two mnemonics are not taken apart.
#include "compiler/report/Counts.h"

#include "compiler/isa/InstructionClasses.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::report {

using isa::Class;
using isa::Instruction;
using isa::Operand;
using isa::Role;

AccessWidth accessWidth(llvm::StringRef op) {
  auto named = [](unsigned bits, unsigned times = 1) {
    std::string one = "b" + std::to_string(bits);
    return AccessWidth{bits * times, times == 1 ? one : std::to_string(times) + "x" + one};
  };
  const unsigned times = op.contains("READ2") || op.contains("WRITE2") || op.contains("WRXCHG2") ? 2 : 1;
  const bool packed = op.contains("_PK_"); // two halves in 32 bits
  llvm::SmallVector<llvm::StringRef, 8> words;
  op.split(words, '_');
  for (llvm::StringRef word : words) {
    unsigned number;
    if (word == "BYTE" || word == "UBYTE" || word == "SBYTE")
      return named(8, times);
    if (word == "SHORT" || word == "USHORT" || word == "SSHORT")
      return named(16, times);
    if (word.consume_front("DWORDX") && !word.getAsInteger(10, number) && number <= 16)
      return named(32 * number, times);
    if (word == "DWORD" || (word == "U32" || word == "I32" || word == "F32"))
      return named(32, times);
    if (word == "X2")
      return named(64, times);
    llvm::StringRef digits = word.drop_front(!word.empty() && llvm::StringRef("BUIF").contains(word[0]));
    if (digits.size() < word.size() && !digits.getAsInteger(10, number) && number >= 8 && number <= 1024)
      return named(packed && number < 32 ? 32 : number, times);
  }
  return op.contains("ATOMIC") ? named(32) : AccessWidth{0, "other"};
}

namespace {

const char *unitOf(const Instruction &i) {
  switch (i.cls) {
  case Class::Lds: return "lds";
  case Class::VectorMemory: return "vmem";
  case Class::ScalarMemory: return "smem";
  default: return nullptr;
  }
}

const char *directionOf(const Instruction &i) {
  llvm::StringRef op = isa::name(i.op);
  if (op.contains("PERMUTE") || op.contains("SWIZZLE"))
    return "permute";
  if (op.contains("_TO_LDS") || op.contains("_LOAD_LDS") || op.contains("LOAD_ASYNC") || i.modifiers.lds)
    return "to_lds";
  if (op.contains("FROM_LDS") || op.contains("STORE_ASYNC"))
    return "from_lds";
  if (i.isAtomic)
    return "atomic";
  if (op.contains("LOAD") || op.contains("READ"))
    return "read";
  if (op.contains("STORE") || op.contains("WRITE"))
    return "write";
  return "other"; // caches, prefetches, time, exports
}

const char *fileName(const Operand &o) {
  switch (o.file) {
  case isa::RegisterFile::VGPR: return "vgpr";
  case isa::RegisterFile::AGPR: return "agpr";
  case isa::RegisterFile::SGPR: return "sgpr";
  case isa::RegisterFile::Special: break;
  }
  switch (o.special()) {
  case isa::Special::VCC:
  case isa::Special::M0:
  case isa::Special::EXEC:
  case isa::Special::TTMP: return "sgpr"; // in the scalar file
  default: return nullptr;
  }
}

/// "vgpr_to_sgpr"; empty if it is not a move, or a move of a constant.
std::string moveOf(const Instruction &i) {
  constexpr llvm::StringRef moves[] = {"V_MOV_B32",         "V_MOV_B64",           "V_MOV_B16",
                                       "V_PK_MOV_B32",      "V_READFIRSTLANE_B32", "V_READLANE_B32",
                                       "V_WRITELANE_B32",   "V_ACCVGPR_READ_B32",  "V_ACCVGPR_WRITE_B32",
                                       "V_ACCVGPR_MOV_B32", "S_MOV_B32",           "S_MOV_B64"};
  llvm::StringRef op = isa::name(i.op);
  const Operand *to = i.find(Role::Dst), *from = i.find(Role::Src0);
  if (!llvm::is_contained(moves, op) || i.modifiers.dpp || i.modifiers.dpp8 || i.modifiers.sdwa)
    return "";
  if (!to)
    to = i.find(Role::Sdst);
  if (!to || !from || !to->isRegister() || !from->isRegister())
    return "";
  const char *source = fileName(*from), *target = fileName(*to);
  return source && target ? std::string(source) + "_to_" + target : "";
}

} // namespace

Counts count(const Code &code, llvm::ArrayRef<uint32_t> instructions) {
  Counts out;
  auto classes = isa::instructionClasses();
  out.classes.resize(classes.size());
  for (uint32_t number : instructions) {
    const Instruction &i = code.instructions[number];
    out.bytes += i.size;
    for (size_t c = 0; c < classes.size(); ++c)
      out.classes[c] += classes[c].holds(i);
    out.dual += i.form == isa::Form::VOPD;
    if (const char *unit = unitOf(i))
      ++out.accesses[unit][directionOf(i)][accessWidth(isa::name(i.op))];
    for (unsigned c = 0; c < isa::counterCount; ++c)
      if (i.is(Class::Wait) && i.waits.limit[c] != isa::Waits::none)
        ++out.waits[isa::Counter(c)][i.waits.limit[c]];
    if (code.spillMoves[number])
      ++out.moves["spills"];
    else if (std::string move = moveOf(i); !move.empty())
      ++out.moves[move];
    llvm::StringRef mnemonic = isa::mnemonic(code.texts[number]);
    ++out.mnemonics[mnemonic.str()];
    if (i.is(Class::Matrix))
      ++out.matrix[matrixInstruction(i, mnemonic)];
    if (i.is(Class::Hint) && isa::name(i.op) == "S_NOP")
      if (const Operand *states = i.find(Role::Simm))
        out.nopStates += uint32_t(states->bits & 0xf) + 1;
  }
  return out;
}

Work workOf(const Counts &counts, unsigned waveSize) {
  Work out;
  for (auto &[instruction, number] : counts.matrix)
    out.matrixFlop += instruction.flop() * number;
  for (auto &[unit, directions] : counts.accesses) {
    Work::Bytes &to = unit == "lds" ? out.lds : unit == "vmem" ? out.vmem : out.smem;
    const uint64_t lanes = unit == "smem" ? 1 : waveSize;
    for (auto &[direction, widths] : directions) {
      if (direction == "permute" || direction == "other")
        continue;
      for (auto &[width, number] : widths) {
        const uint64_t bytes = lanes * width.bits / 8 * number;
        out.unknown += width.bits == 0 ? number : 0;
        if (direction == "atomic")
          to.atomic += bytes;
        else if (direction == "read" || direction == "to_lds")
          to.read += bytes;
        else
          to.written += bytes;
        if (direction == "to_lds")
          out.lds.written += bytes;
        if (direction == "from_lds")
          out.lds.read += bytes;
      }
    }
  }
  return out;
}

} // namespace fly::report
