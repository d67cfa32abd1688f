// Instructions that software must keep apart (compiler/isa/Hazards.h) and that are too close on some path.
//
// Forward data flow: which producers are how many instructions ago, at least. A call ends what is known, since the callee's
// instructions are between.
#pragma once

#include "compiler/isa/Hazards.h"
#include "compiler/report/Code.h"

namespace fly::report {

struct Hazard {
  uint32_t instruction = 0;
  isa::HazardFinding finding;
  const char *broken = nullptr, *brokenSource = nullptr; ///< the instruction is wrong by itself: there is no finding
};
/// By instruction; of one, what has the most instructions missing.
std::vector<Hazard> findHazards(const Code &code, const target::Target &target);

} // namespace fly::report
