// Instructions that software must keep apart; compiler/isa/Hazards.h, WaitStates.h and SgprHazards.h have the rules.
#include "runtime/emulator/wave/Program.h"
#include "runtime/emulator/wave/Observer.h"

namespace fly::emulator {

namespace {

/// Whether the wave continues.
bool report(Wave &w, CheckMode mode, std::string what, uint32_t earlier) {
  Fault fault{FaultKind::Hazard, std::move(what)};
  fault.earlier = earlier;
  if (mode == CheckMode::Off) return true;
  if (mode == CheckMode::Error) {
    w.fail(std::move(fault));
    return false;
  }
  w.observers.found(w, fault);
  return true;
}

/// gfx942 and gfx950.
bool hasWaitStates(Wave &w, const Inst &i) {
  const llvm::ArrayRef<isa::WaitStateUse> all = w.program->waitStates;
  const isa::WaitStateUse &use = all[i.number];
  bool continues = true;
  if (use.second)
    w.waitStates.find(use, all, [&](const isa::WaitStateFinding &found) {
      const std::string what = isa::toString(found) + " (" + found.rule->source + ")";
      if (continues)
        continues = found.doubt
                        ? report(w, w.checkDoubts, "hazard in doubt: " + what + "; but " + found.doubt, found.first)
                        : report(w, w.checkHazards, "hazard: " + what, found.first);
    });
  w.waitStates.advance(i.number, use, all);
  return continues;
}

} // namespace

bool mayFollow(Wave &w, const Inst &i) {
  if (w.checkHazards == CheckMode::Off) return true;
  if (!i.hazard) return hasWaitStates(w, i);
  const isa::HazardUse &use = *i.hazard;
  if (use.broken && !report(w, w.checkHazards, "hazard: " + std::string(use.broken) + " (" + use.brokenSource + ")", 0))
    return false;
  if (auto found = w.hazards.find(use);
      found && !report(w, w.checkHazards, "hazard: this " + isa::toString(*found), found->producer))
    return false;
  w.hazards.advance(i.number, use);
  if (i.sgprs)
    if (auto found = w.sgprs.advance(i.number, *i.sgprs))
      return report(w, w.checkHazards, "hazard: " + isa::toString(*found) + " (" + isa::sgprHazardSource + ")",
                    found->writer);
  return true;
}

} // namespace fly::emulator
