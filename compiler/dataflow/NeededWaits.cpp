#include "compiler/dataflow/NeededWaits.h"

#include "compiler/dataflow/EarlyUses.h"
#include "compiler/dataflow/Solver.h"

#include <algorithm>

namespace fly::dataflow {

using isa::Counter;

/// Adds to `waits` what makes the instruction wait for all whose registers it uses, with the largest counts.
static void addNeeded(const EarlyUses &uses, llvm::ArrayRef<isa::Instruction> code, const InFlight &state,
                      uint32_t number, isa::Waits &waits) {
  auto lower = [&](Counter c, uint8_t count) {
    uint8_t &limit = waits.limit[unsigned(c)];
    limit = std::min(limit, count); // `none` is the largest
  };
  const bool isBarrier = arrivesAtBarrier(code[number]);
  for (const Outstanding &o : state) {
    if (isBarrier && storesToLds(code[o.operation]) && o.counter != Counter::X)
      lower(o.counter, o.line ? o.newer : 0);
    if (o.counter == Counter::X) {
      if (uses.overwrittenSource(number, o))
        lower(Counter::X, 0);
    } else if (uses.conflict(number, o) && uses.isUncovered(state, o.operation)) {
      lower(o.counter, o.line ? o.newer : 0);
    }
  }
}

std::vector<isa::Waits> findNeededWaits(llvm::ArrayRef<isa::Instruction> code, const isa::ControlFlow &flow,
                                        const target::Target &target, llvm::function_ref<bool(uint32_t)> isWanted) {
  const InFlightFlow inFlight(code, flow, target, Follow::ResultsAndLds);
  const EarlyUses uses(inFlight);
  const auto blocks = flow.blocks();
  std::vector<isa::Waits> all(code.size());
  std::vector<std::optional<InFlight>> in(blocks.size()); // none: not met yet
  if (blocks.empty())
    return all;
  in[0].emplace();
  llvm::BitVector entry(unsigned(blocks.size()));
  entry.set(0);
  solve(
      Direction::Forward, entry, in, [&](uint32_t b) -> llvm::ArrayRef<uint32_t> { return blocks[b].successors; },
      [&](uint32_t b, std::optional<InFlight> state) {
        for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
          if (isWanted(i))
            addNeeded(uses, code, *state, i, all[i]);
          if (all[i].any())
            inFlight.wait(*state, all[i]);
          inFlight.step(*state, i);
        }
        return state;
      },
      [](std::optional<InFlight> &to, const std::optional<InFlight> &from) {
        if (to)
          return unite(*to, *from);
        to = from;
        return true;
      });
  return all;
}

} // namespace fly::dataflow
