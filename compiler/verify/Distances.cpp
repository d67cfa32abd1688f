// What software must keep apart, on every path: by the wait states of gfx942 and gfx950 (compiler/isa/WaitStates.h), by
// the VALU instructions of gfx12 (compiler/isa/Hazards.h), and by s_wait_alu on gfx1201 (compiler/isa/SgprHazards.h).
// The emulator follows the same rules along one path.
#include "compiler/isa/HazardPaths.h"
#include "compiler/verify/Program.h"

namespace fly::verify {

namespace {

void findHazards(Program &program) {
  for (const isa::Hazard &h : isa::findHazards(program.code, program.flow, program.target)) {
    if (!program.flow.reachable(program.flow.blockOf(h.instruction)))
      continue;
    Finding finding;
    finding.second = h.instruction;
    if (h.broken) {
      finding.rule = findRule("encoding");
      finding.first = h.instruction;
      finding.message = h.broken;
      finding.source = h.brokenSource;
    } else {
      finding.rule = findRule(isa::nameOf(*h.finding.rule));
      finding.first = h.finding.producer;
      finding.message = "this " + isa::toString(h.finding);
      finding.source = h.finding.rule->source;
      finding.path = program.path(finding.first, finding.second);
    }
    program.found(std::move(finding));
  }
}

void findWaitStates(Program &program) {
  for (const isa::WaitStatePair &pair : isa::findWaitStates(program.code, program.flow, program.target)) {
    const isa::WaitStateFinding &f = pair.finding;
    Finding finding{findRule(f.rule->name), f.first, pair.instruction, isa::toString(f), f.rule->source};
    finding.doubt = f.doubt ? f.doubt : "";
    finding.path = program.path(f.first, pair.instruction);
    program.found(std::move(finding));
  }
}

void findSgprHazards(Program &program) {
  for (const isa::SgprPair &pair : isa::findSgprHazards(program.code, program.flow, program.target))
    program.found({findRule("sgpr"), pair.finding.writer, pair.instruction, isa::toString(pair.finding),
                   isa::sgprHazardSource, program.path(pair.finding.writer, pair.instruction)});
}

} // namespace

void findDistances(Program &program) {
  if (isa::hasWaitStates(program.target))
    return findWaitStates(program);
  if (isa::hasHazards(program.target))
    return findHazards(program), findSgprHazards(program);
  program.gap(0, "the distances that software keeps on " + std::string(program.target.name) + " are not known");
}

} // namespace fly::verify
