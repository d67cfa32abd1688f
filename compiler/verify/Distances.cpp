// Both tables of distances on every path: wait states of gfx942 and gfx950 (compiler/isa/WaitStates.h) and what gfx12
// counts in VALU instructions (compiler/isa/Hazards.h, which the emulator follows along one path).
#include "compiler/isa/HazardPaths.h"
#include "compiler/isa/WaitStates.h"
#include "compiler/verify/Program.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace fly::verify {

namespace {

const char *ruleOf(const isa::HazardRule &rule) {
  switch (rule.producer) {
  case isa::HazardProducer::Transcendental: return "transcendental";
  case isa::HazardProducer::CompareExec: return "permlane";
  case isa::HazardProducer::SetMode: return "mode";
  default: return "wmma";
  }
}

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
      finding.rule = findRule(ruleOf(*h.finding.rule));
      finding.first = h.finding.producer;
      finding.message = "this " + isa::toString(h.finding);
      finding.source = h.finding.rule->source;
      finding.path = program.path(finding.first, finding.second);
    }
    program.found(std::move(finding));
  }
}

void findWaitStates(Program &program) {
  std::vector<isa::WaitStateUse> uses;
  uses.reserve(program.code.size());
  for (const isa::Instruction &i : program.code)
    uses.push_back(isa::waitStateUse(i, program.target));
  auto blocks = program.flow.blocks();
  std::vector<isa::WaitStateQueue> in(blocks.size(),
                                      isa::WaitStateQueue(isa::WaitStateQueue::machineOf(program.target)));
  const auto step = [&](isa::WaitStateQueue &state, uint32_t i) {
    if (program.isCall(i))
      state.clear();
    else
      state.advance(i, uses[i], uses);
  };
  std::set<uint32_t> work;
  for (uint32_t b = 0; b < blocks.size(); ++b)
    if (program.flow.reachable(b))
      work.insert(b);
  while (!work.empty()) {
    const uint32_t b = *work.begin();
    work.erase(work.begin());
    isa::WaitStateQueue state = in[b];
    // The queue holds the last states alone: of a long block only its end matters.
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
      step(state, i);
    for (uint32_t to : blocks[b].successors)
      if (in[to].join(state))
        work.insert(to);
  }
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!program.flow.reachable(b))
      continue;
    isa::WaitStateQueue state = in[b];
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      if (uses[i].second)
        state.find(uses[i], uses, [&](const isa::WaitStateFinding &f) {
          program.found({findRule(f.rule->name), f.first, i, isa::toString(f), f.rule->source,
                         program.path(f.first, i)});
        });
      step(state, i);
    }
  }
}

} // namespace

void findDistances(Program &program) {
  if (isa::hasWaitStates(program.target))
    return findWaitStates(program);
  if (isa::hasHazards(program.target))
    return findHazards(program);
  program.doubt(0, "the distances that software keeps on " + std::string(program.target.name) + " are not known");
}

} // namespace fly::verify
