// Instructions that software must keep apart (Hazards.h) and that are too close on some path.
//
// Forward data flow: which producers are how many instructions ago, at least. A call ends what is known, since the
// callee's instructions are between.
#pragma once

#include "compiler/isa/ControlFlow.h"
#include "compiler/isa/Hazards.h"

namespace fly::isa {

struct Hazard {
  uint32_t instruction = 0;
  HazardFinding finding;
  const char *broken = nullptr, *brokenSource = nullptr; ///< the instruction is wrong by itself: there is no finding
};
/// By instruction; of one, what has the most instructions missing. `flow` is that of the instructions.
std::vector<Hazard> findHazards(llvm::ArrayRef<Instruction> instructions, const ControlFlow &flow,
                                const target::Target &target, HazardBound bound = HazardBound::Both);

} // namespace fly::isa
