// See WaitCoverage.h.
#include "compiler/report/WaitCoverage.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::report {

using isa::Counter;
using isa::Instruction;

bool WaitCoverage::waitsFor(const Instruction &i) {
  for (unsigned c = 0; c < isa::counterCount; ++c)
    if (i.is(isa::Class::Wait) && Counter(c) != Counter::X && i.waits.limit[c] != isa::Waits::none)
      return true;
  return false;
}

static std::vector<MissingWait> findMissing(const Code &code, const target::Target &target) {
  const dataflow::InFlightFlow flow(code.instructions, code.flow, target, dataflow::Follow::Results);
  const dataflow::EarlyUses uses(flow);
  std::vector<MissingWait> out;
  uses.walk([&](uint32_t, llvm::ArrayRef<dataflow::EarlyUse> early, const dataflow::InFlight &) {
    for (const dataflow::EarlyUse &use : early)
      if (use.certain) {
        const auto &wait = use.waits.front();
        out.push_back(
            {use.instruction, use.operation, wait.counter, wait.count, use.conflict.shared, use.conflict.reads, {}});
      }
  });
  for (MissingWait &missing : llvm::MutableArrayRef(out).take_front(shownMissing))
    missing.path = uses.path(missing.operation, missing.instruction);
  return out;
}

WaitCoverage::WaitCoverage(const Code &code, const target::Target &target)
    : covered(code.instructions.size()), waits(code.instructions.size()), missingWaits(findMissing(code, target)) {
  const dataflow::InFlightFlow flow(code.instructions, code.flow, target, dataflow::Follow::Everything);
  auto blocks = code.flow.blocks();
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    dataflow::InFlight state = flow.before(b);
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      if (isa::Waits waits = dataflow::waitsOf(code.instructions[i]); waits.any())
        for (const dataflow::Outstanding &o : state) // of several passes, the last is named: earlier ones are done too
          if (dataflow::isCovered(o, waits) && (covered[i].empty() || covered[i].back().operation != o.operation ||
                                                covered[i].back().counter != o.counter)) {
            covered[i].push_back({o.operation, o.counter, o.pass});
            this->waits[o.operation].push_back({i, o.counter, o.pass});
          }
      flow.step(state, i);
    }
  }
  for (auto &list : waits)
    llvm::sort(list);
}

} // namespace fly::report
