// See HazardPaths.h. States are small: a producer is forgotten a few instructions later.
#include "compiler/isa/HazardPaths.h"

#include "llvm/ADT/StringRef.h"

#include <set>

namespace fly::isa {

/// The state at the beginning of each block, of all paths from the blocks that `begins` admits.
template <class State, class Step, class Begins>
static std::vector<State> statesOf(const ControlFlow &flow, const State &start, Step step, Begins begins) {
  auto blocks = flow.blocks();
  std::vector<State> in(blocks.size(), start);
  std::set<uint32_t> work;
  for (uint32_t b = 0; b < blocks.size(); ++b)
    if (begins(b)) work.insert(b);
  while (!work.empty()) {
    const uint32_t b = *work.begin();
    work.erase(work.begin());
    State state = in[b];
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) step(state, i);
    for (uint32_t to : blocks[b].successors)
      if (in[to].join(state)) work.insert(to);
  }
  return in;
}

std::vector<Hazard> findHazards(llvm::ArrayRef<Instruction> instructions, const ControlFlow &flow,
                                const target::Target &target, HazardBound bound) {
  std::vector<Hazard> found;
  if (!hasHazards(target)) return found;
  std::vector<HazardUse> uses;
  for (const Instruction &i : instructions) uses.push_back(hazardUse(i, target));
  const auto step = [&](HazardState &state, uint32_t number) {
    if (isCall(instructions[number])) state.clear();
    else state.advance(number, uses[number]);
  };
  std::vector<HazardState> in =
      statesOf(flow, HazardState(target.cdna5Arithmetic, bound), step, [](uint32_t) { return true; });
  auto blocks = flow.blocks();
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    HazardState state = in[b];
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      if (uses[i].broken) found.push_back({i, {}, uses[i].broken, uses[i].brokenSource});
      if (auto finding = state.find(uses[i])) found.push_back({i, *finding});
      step(state, i);
    }
  }
  return found;
}

std::vector<WaitStatePair> findWaitStates(llvm::ArrayRef<Instruction> instructions, const ControlFlow &flow,
                                          const target::Target &target) {
  std::vector<WaitStatePair> found;
  if (!hasWaitStates(target)) return found;
  std::vector<WaitStateUse> uses;
  uses.reserve(instructions.size());
  for (const Instruction &i : instructions) uses.push_back(waitStateUse(i, target));
  const auto step = [&](WaitStateQueue &state, uint32_t i) {
    if (isCall(instructions[i])) state.clear();
    else state.advance(i, uses[i], uses);
  };
  const auto isReachable = [&](uint32_t block) { return flow.reachable(block); };
  std::vector<WaitStateQueue> in = statesOf(flow, WaitStateQueue(WaitStateQueue::machineOf(target)), step, isReachable);
  auto blocks = flow.blocks();
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!isReachable(b)) continue;
    WaitStateQueue state = in[b];
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      if (uses[i].second)
        state.find(uses[i], uses, [&](const WaitStateFinding &finding) { found.push_back({i, finding}); });
      step(state, i);
    }
  }
  return found;
}

std::vector<SgprPair> findSgprHazards(llvm::ArrayRef<Instruction> instructions, const ControlFlow &flow,
                                      const target::Target &target) {
  std::vector<SgprPair> found;
  if (!hasSgprHazards(target)) return found;
  std::vector<SgprUse> uses;
  uses.reserve(instructions.size());
  for (const Instruction &i : instructions) uses.push_back(sgprUse(i, target));
  const auto step = [&](SgprState &state, uint32_t i) { state.advance(i, uses[i]); };
  const auto isReachable = [&](uint32_t block) { return flow.reachable(block); };
  std::vector<SgprState> in = statesOf(flow, SgprState(target.waveSize), step, isReachable);
  auto blocks = flow.blocks();
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!isReachable(b)) continue;
    SgprState state = in[b];
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
      if (auto finding = state.advance(i, uses[i])) found.push_back({i, *finding});
  }
  return found;
}

} // namespace fly::isa
