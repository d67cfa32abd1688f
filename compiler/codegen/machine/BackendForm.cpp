// See BackendForm.h. Several instructions of the backend may be emitted as one: LDS instructions with and without M0,
// WMMA whose result is or is not in the registers of C, buffer instructions that may read outside of the buffer. They
// are tried in an order, and the first one whose operands fit is it.
#include "compiler/codegen/machine/BackendForm.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"

#include <mutex>
#include <string>

namespace llvm::AMDGPU {
/// LLVM's own (AMDGPUBaseInfo.h, which is not installed): what `opcode` is emitted as on a family of targets. Negative
/// or 0xffff if it is nothing there.
int getMCOpcode(uint16_t opcode, unsigned family);
} // namespace llvm::AMDGPU

namespace fly::codegen {

namespace {

using Opcodes = llvm::SmallVector<unsigned, 4>;

/// Families of targets that are encoded alike have small numbers.
constexpr unsigned families = 20;

/// LLVM has one table of instructions for all targets.
struct Tables {
  llvm::DenseMap<unsigned, Opcodes> byEncoded; ///< opcodes of the backend
  llvm::StringMap<unsigned> withoutM0;         ///< DS_READ_B32_gfx9, by "DS_READ_B32"
};

const Tables &tablesOf(const llvm::MCInstrInfo &instructions) {
  static std::once_flag once;
  static Tables tables;
  std::call_once(once, [&] {
    for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode) {
      if (!instructions.get(opcode).isPseudo())
        continue;
      if (llvm::StringRef name = instructions.getName(opcode); name.starts_with("DS_") && name.consume_back("_gfx9"))
        tables.withoutM0[name] = opcode;
      for (unsigned family = 0; family < families; ++family) {
        const int encoded = llvm::AMDGPU::getMCOpcode(static_cast<uint16_t>(opcode), family);
        if (encoded < 0 || unsigned(encoded) >= instructions.getNumOpcodes())
          continue;
        Opcodes &all = tables.byEncoded[unsigned(encoded)];
        if (!llvm::is_contained(all, opcode))
          all.push_back(opcode);
      }
    }
  });
  return tables;
}

/// Smaller is better.
unsigned rankOf(llvm::StringRef name, llvm::StringRef encoded) {
  unsigned rank = 0;
  if (name.ends_with("_exact")) // it must not be widened
    rank += 8;
  if (name.contains("_VBUFFER") != encoded.contains("_VBUFFER")) // of another family
    rank += 4;
  if (name.contains("threeaddr")) // takes more than one that may have its result in C
    rank += 2;
  if (!name.ends_with("_gfx9")) // of LDS: without M0
    rank += 1;
  return rank;
}

/// Opcodes of the backend for an encoded one, the best first.
Opcodes candidatesFor(const llvm::MCInstrInfo &instructions, unsigned encoded) {
  const Tables &tables = tablesOf(instructions);
  auto found = tables.byEncoded.find(encoded);
  if (found == tables.byEncoded.end())
    return {encoded};
  Opcodes candidates = found->second;
  for (unsigned opcode : found->second)
    if (auto without = tables.withoutM0.find(instructions.getName(opcode)); without != tables.withoutM0.end())
      candidates.push_back(without->second);
  llvm::stable_sort(candidates, [&](unsigned a, unsigned b) {
    const llvm::StringRef name = instructions.getName(encoded);
    return rankOf(instructions.getName(a), name) < rankOf(instructions.getName(b), name);
  });
  return candidates;
}

/// Which matched operand each of the description's is; none if they do not fit.
std::optional<llvm::SmallVector<unsigned>> align(const llvm::MCInstrDesc &description, const llvm::MCInst &matched) {
  const unsigned defs = description.getNumDefs(), count = description.getNumOperands();
  auto tiedTo = [&](unsigned i) { return description.getOperandConstraint(i, llvm::MCOI::TIED_TO); };
  llvm::SmallVector<unsigned> sources, others; // a former value has the register of the result
  bool hasFormer = false;
  for (unsigned k = 0; k < matched.getNumOperands(); ++k) {
    const llvm::MCOperand &operand = matched.getOperand(k);
    const bool isFormer =
        k >= defs && operand.isReg() && operand.getReg() && llvm::any_of(llvm::seq(0u, defs), [&](unsigned def) {
          const llvm::MCOperand &result = matched.getOperand(def);
          return result.isReg() && result.getReg() == operand.getReg();
        });
    hasFormer |= isFormer;
    if (!isFormer)
      (k < defs ? sources : others).push_back(k);
  }
  const bool isAsLong = matched.getNumOperands() == count;
  const bool areTiedGiven = isAsLong && llvm::all_of(llvm::seq(defs, count), [&](unsigned i) {
                              return tiedTo(i) < 0 || matched.getOperand(i).isReg();
                            });
  if (!hasFormer && areTiedGiven) { // of a WMMA, C may be tied to the result
    llvm::append_range(sources, llvm::seq(defs, count));
    return sources;
  }
  unsigned wanted = 0;
  for (unsigned i = defs; i < count; ++i)
    wanted += tiedTo(i) < 0;
  // Behind them may be whether inactive lanes are read (gfx12's DPP), or a zero in place of the former value.
  if (others.size() == wanted + 1)
    if (const llvm::MCOperand &last = matched.getOperand(others.back()); last.isImm() && last.getImm() == 0)
      others.pop_back();
  if (others.size() != wanted)
    return std::nullopt;
  size_t next = 0;
  for (unsigned i = defs; i < count; ++i)
    sources.push_back(tiedTo(i) < 0 ? others[next++] : unsigned(tiedTo(i)));
  return sources;
}

} // namespace

std::optional<BackendForm> backendFormOf(const llvm::MCInstrInfo &instructions, const llvm::MCInst &matched) {
  const llvm::MCInstrDesc &encoded = instructions.get(matched.getOpcode());
  for (unsigned opcode : candidatesFor(instructions, matched.getOpcode())) {
    const llvm::MCInstrDesc &description = instructions.get(opcode);
    if (description.getNumDefs() != encoded.getNumDefs())
      continue;
    if (auto sources = align(description, matched))
      return BackendForm{&description, std::move(*sources)};
  }
  return std::nullopt;
}

} // namespace fly::codegen
