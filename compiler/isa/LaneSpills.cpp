// See LaneSpills.h.
#include "compiler/isa/LaneSpills.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <optional>
#include <set>

namespace fly::isa {

namespace {

struct LaneMove {
  uint16_t vgpr;
  uint64_t lane;
  bool writes;
};

/// None for another instruction, and for a lane that is not constant.
std::optional<LaneMove> laneMoveOf(const Instruction &instruction) {
  const llvm::StringRef op = name(instruction.op);
  const bool writes = op.starts_with("V_WRITELANE_B32");
  if (!writes && !op.starts_with("V_READLANE_B32")) return std::nullopt;
  const Operand *vector = instruction.find(writes ? Role::Dst : Role::Src0), *lane = instruction.find(Role::Src1);
  if (!vector || !vector->isVgpr() || !lane || !lane->isImmediate()) return std::nullopt;
  return LaneMove{vector->index, lane->bits, writes};
}

/// Saves or restores all lanes: a move to or from an AGPR, or scratch memory.
bool movesWhole(const Instruction &instruction) {
  const llvm::StringRef op = name(instruction.op);
  return op.starts_with("V_ACCVGPR") || op.starts_with("SCRATCH_LOAD") || op.starts_with("SCRATCH_STORE");
}

struct Uses {
  std::map<uint64_t, std::pair<bool, bool>> lanes; ///< written, read
  bool isOther = false;
};

std::map<uint16_t, Uses> usesOf(llvm::ArrayRef<Instruction> code) {
  std::map<uint16_t, Uses> uses;
  for (const Instruction &instruction : code)
    if (auto move = laneMoveOf(instruction)) {
      auto &[written, read] = uses[move->vgpr].lanes[move->lane];
      (move->writes ? written : read) = true;
    }
  for (const Instruction &instruction : code)
    if (!laneMoveOf(instruction) && !movesWhole(instruction))
      for (const Operand &operand : instruction.operands)
        if (operand.isVgpr())
          for (unsigned i = 0; i < operand.width; ++i)
            if (auto found = uses.find(uint16_t(operand.index + i)); found != uses.end()) found->second.isOther = true;
  return uses;
}

using UsesByVgpr = std::map<uint16_t, Uses>;

bool isSpill(const UsesByVgpr &uses, const Instruction &instruction) {
  const auto move = laneMoveOf(instruction);
  if (!move || uses.at(move->vgpr).isOther) return false;
  auto &[written, read] = uses.at(move->vgpr).lanes.at(move->lane);
  return written && read;
}

} // namespace

LaneSpills laneSpills(llvm::ArrayRef<Instruction> code) {
  const UsesByVgpr all = usesOf(code);
  LaneSpills spills;
  for (auto &[vgpr, uses] : all)
    if (!uses.isOther)
      for (auto &[lane, both] : uses.lanes) spills.registers += both.first && both.second;
  for (const Instruction &instruction : code) spills.moves += isSpill(all, instruction);
  return spills;
}

std::vector<bool> movesOfLaneSpills(llvm::ArrayRef<Instruction> code) {
  const UsesByVgpr uses = usesOf(code);
  std::vector<bool> moves;
  for (const Instruction &instruction : code) moves.push_back(isSpill(uses, instruction));
  return moves;
}

} // namespace fly::isa
