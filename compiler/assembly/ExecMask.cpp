// See ExecMask.h. Each write of EXEC makes a value of its own. Where paths with different values join, that is one
// more.
#include "compiler/assembly/ExecMask.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace fly::assembly {

namespace {

bool writesExec(const isa::Instruction &i) {
  auto writes = [](const isa::Operand &o) { return o.def && o.isSpecial(isa::Special::EXEC); };
  return llvm::any_of(i.operands, writes) ||
         llvm::any_of(i.components, [&](const isa::Instruction &half) { return llvm::any_of(half.operands, writes); });
}

/// `s_mov_b64 exec, -1`: all lanes of a wave of 64, and `s_mov_b32 exec_lo, -1` of one of 32.
bool fillsExec(const isa::Instruction &i, unsigned waveSize) {
  if (llvm::StringRef(isa::name(i.op)) != (waveSize == 64 ? "S_MOV_B64" : "S_MOV_B32"))
    return false;
  auto isExec = [&](const isa::Operand &o) {
    return o.def && o.isSpecial(isa::Special::EXEC) && o.sub == 0 && o.width == waveSize / 32;
  };
  const isa::Operand *source = i.find(isa::Role::Src0);
  return llvm::any_of(i.operands, isExec) && source && source->isImmediate() &&
         source->bits == (waveSize == 64 ? ~uint64_t(0) : 0xffffffffu);
}

} // namespace

bool readsOwnLanes(const isa::Instruction &i) {
  const llvm::StringRef op = isa::name(i.op);
  auto has = [&](llvm::StringRef part) { return op.contains(part); };
  switch (i.cls) {
  case isa::Class::Vector:
  case isa::Class::Transcendental: // readlane, permlane, and registers whose number is in M0
    return !i.modifiers.dpp && !i.modifiers.dpp8 && !has("LANE") && !has("MOVREL");
  case isa::Class::VectorMemory: return !has("_TR_") && !has("_TR") && !has("TENSOR");
  case isa::Class::Lds: return !has("PERMUTE") && !has("SWIZZLE") && !has("_TR");
  default: return false;
  }
}

ExecMask::ExecMask(llvm::ArrayRef<isa::Instruction> code, const Paths &paths, unsigned waveSize) {
  const auto blocks = paths.blocks();
  full.assign(code.size(), true);
  changes.resize(code.size());
  merges.resize(blocks.size());
  for (uint32_t i = 0; i < code.size(); ++i)
    changes[i] = writesExec(code[i]) || isComputedJump(code[i]);

  // Values: 0 of the start, 1 + i of instruction i, and one for each block where several meet. A block that meets its
  // own value again has that of the others.
  const uint32_t ofBlocks = static_cast<uint32_t>(code.size()) + 1, none = ~0u;
  std::vector<uint32_t> atEnd(blocks.size(), none);
  std::vector<bool> fullAtEnd(blocks.size(), true);
  constexpr unsigned patience = 16; // then what meets once stays so, and it ends
  unsigned round = 0;
  for (bool again = true; again; ++round) {
    again = false;
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      uint32_t value = b == 0 ? 0 : none;
      bool isFull = true, meets = merges[b] && round >= patience;
      for (uint32_t p : paths.predecessors(b)) {
        if (atEnd[p] == none || atEnd[p] == ofBlocks + b)
          continue;
        meets |= value != none && value != atEnd[p];
        value = atEnd[p];
      }
      for (uint32_t p : paths.predecessors(b))
        isFull = isFull && (atEnd[p] == none || fullAtEnd[p]);
      if (value == none)
        continue;
      merges[b] = meets;
      if (meets)
        value = ofBlocks + b;
      for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
        full[i] = isFull;
        if (changes[i])
          value = 1 + i, isFull = fillsExec(code[i], waveSize);
      }
      again |= value != atEnd[b] || isFull != fullAtEnd[b];
      atEnd[b] = value;
      fullAtEnd[b] = isFull;
    }
  }
}

} // namespace fly::assembly
