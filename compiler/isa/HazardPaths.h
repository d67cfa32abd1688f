// Instructions that software must keep apart and that are too close on some path: by the VALU instructions of gfx12
// (Hazards.h), by the wait states of gfx942 and gfx950 (WaitStates.h); SGPRs of gfx1201 that are read before they have
// been written (SgprHazards.h).
//
// Forward data flow: which producers are how many instructions ago, at least. A call ends what is known, since the
// callee's instructions are between.
#pragma once

#include "compiler/isa/ControlFlow.h"
#include "compiler/isa/Hazards.h"
#include "compiler/isa/SgprHazards.h"
#include "compiler/isa/WaitStates.h"

namespace fly::isa {

struct Hazard {
  uint32_t instruction = 0;
  HazardFinding finding;
  const char *broken = nullptr, *brokenSource = nullptr; ///< the instruction is wrong by itself: there is no finding
};
/// By instruction; of one, what has the most instructions missing. `flow` is that of the instructions.
std::vector<Hazard> findHazards(llvm::ArrayRef<Instruction> instructions, const ControlFlow &flow,
                                const target::Target &target, HazardBound bound = HazardBound::Both);

struct WaitStatePair {
  uint32_t instruction = 0;
  WaitStateFinding finding;
};
/// By instruction; of two instructions, the rule with the most states missing. None where hasWaitStates is false.
std::vector<WaitStatePair> findWaitStates(llvm::ArrayRef<Instruction> instructions, const ControlFlow &flow,
                                          const target::Target &target);

struct SgprPair {
  uint32_t instruction = 0;
  SgprFinding finding;
};
/// By instruction. None where hasSgprHazards is false.
std::vector<SgprPair> findSgprHazards(llvm::ArrayRef<Instruction> instructions, const ControlFlow &flow,
                                      const target::Target &target);

} // namespace fly::isa
