// Instructions that software must keep apart; compiler/isa/Hazards.h has the table.
#include "runtime/emulator/wave/Program.h"
#include "runtime/emulator/wave/Watcher.h"

namespace fly::emulator {

namespace {

/// Whether the wave continues.
bool report(Wave &w, std::string what, uint32_t earlier) {
  Fault fault{FaultKind::Hazard, std::move(what)};
  fault.earlier = earlier;
  if (w.checkHazards == CheckMode::Error) {
    w.fail(std::move(fault));
    return false;
  }
  w.findings->found(w, fault);
  return true;
}

} // namespace

bool mayFollow(Wave &w, const Inst &i) {
  if (w.checkHazards == CheckMode::Off) return true;
  const isa::HazardUse &use = *i.hazard;
  if (use.broken && !report(w, "hazard: " + std::string(use.broken) + " (" + use.brokenSource + ")", 0)) return false;
  if (auto found = w.hazards.find(use); found && !report(w, "hazard: this " + isa::toString(*found), found->producer))
    return false;
  w.hazards.advance(i.number, use);
  return true;
}

} // namespace fly::emulator
