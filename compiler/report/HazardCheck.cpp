// See HazardCheck.h. States are small: a producer is forgotten a few instructions later.
#include "compiler/report/HazardCheck.h"

namespace fly::report {

std::vector<Hazard> findHazards(const Code &code, const target::Target &target) {
  std::vector<Hazard> found;
  if (!isa::hasHazards(target))
    return found;
  std::vector<isa::HazardUse> uses;
  for (const isa::Instruction &i : code.instructions)
    uses.push_back(isa::hazardUse(i, target));
  const auto step = [&](isa::HazardState &state, uint32_t number) {
    if (code.isCall(number))
      state.clear();
    else
      state.advance(number, uses[number]);
  };
  auto blocks = code.flow.blocks();
  std::vector<isa::HazardState> in(blocks.size(), isa::HazardState(target.cdna5Arithmetic));
  std::vector<uint32_t> work;
  for (uint32_t b = blocks.size(); b > 0; --b)
    work.push_back(b - 1);
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    isa::HazardState state = in[b];
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
      step(state, i);
    for (uint32_t to : blocks[b].successors)
      if (in[to].join(state))
        work.push_back(to);
  }
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    isa::HazardState state = in[b];
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      if (uses[i].broken)
        found.push_back({i, {}, uses[i].broken, uses[i].brokenSource});
      if (auto finding = state.find(uses[i]))
        found.push_back({i, *finding});
      step(state, i);
    }
  }
  return found;
}

} // namespace fly::report
