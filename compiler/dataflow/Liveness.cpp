// Two problems over sets of registers:
//
//   needed    backward  out = union of the successors' in;    in = (out - writes) + reads
//   defined   forward   in = union of the predecessors' out;  out = in + writes + partial
//
// live = needed and defined. Blocks that end with an indirect jump or run off the end need nothing further: the needs
// of the code after them are unknown.
#include "compiler/dataflow/Liveness.h"

#include "compiler/dataflow/Solver.h"

namespace fly::dataflow {

namespace {

void stepBack(llvm::BitVector &needed, const RegisterEffects &e) {
  for (unsigned k : e.writes)
    needed.reset(k);
  for (unsigned k : e.reads)
    needed.set(k);
}
void stepForward(llvm::BitVector &defined, const RegisterEffects &e) {
  for (unsigned k : e.writes)
    defined.set(k);
  for (unsigned k : e.partial)
    defined.set(k);
}

LiveCount countOf(const llvm::BitVector &needed, const llvm::BitVector &defined) {
  LiveCount out;
  for (int k = needed.find_first(); k >= 0; k = needed.find_next(unsigned(k)))
    if (defined.test(unsigned(k)))
      ++(unsigned(k) < unit::firstAgpr ? out.vgprs : unsigned(k) < unit::firstSgpr ? out.agprs : out.sgprs);
  return out;
}

} // namespace

Liveness::Liveness(const isa::ControlFlow &flow, std::vector<RegisterEffects> effectList,
                   const llvm::BitVector &initial)
    : flow(flow), effects(std::move(effectList)), counts(effects.size()) {
  const auto blocks = flow.blocks();
  if (blocks.empty())
    return;
  neededAfter.assign(blocks.size(), llvm::BitVector(unit::count));
  definedBefore = neededAfter;
  definedBefore[0] = initial;
  const llvm::BitVector all(unsigned(blocks.size()), true);
  solve(
      Direction::Backward, all, neededAfter,
      [&](uint32_t b) -> llvm::ArrayRef<uint32_t> { return blocks[b].predecessors; },
      [&](uint32_t b, llvm::BitVector needed) {
        for (uint32_t i = blocks[b].last; i > blocks[b].first; --i)
          stepBack(needed, effects[i - 1]);
        return needed;
      },
      uniteSets);
  solve(
      Direction::Forward, all, definedBefore,
      [&](uint32_t b) -> llvm::ArrayRef<uint32_t> { return blocks[b].successors; },
      [&](uint32_t b, llvm::BitVector defined) {
        for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
          stepForward(defined, effects[i]);
        return defined;
      },
      uniteSets);

  for (uint32_t b = 0; b < blocks.size(); ++b) {
    const isa::Block &block = blocks[b];
    std::vector<llvm::BitVector> needed(block.last - block.first, llvm::BitVector());
    llvm::BitVector now = neededAfter[b];
    for (uint32_t i = block.last; i > block.first; --i) {
      stepBack(now, effects[i - 1]);
      needed[i - 1 - block.first] = now;
    }
    llvm::BitVector defined = definedBefore[b];
    for (uint32_t i = block.first; i < block.last; ++i) {
      counts[i] = countOf(needed[i - block.first], defined);
      stepForward(defined, effects[i]);
    }
  }
}

llvm::BitVector Liveness::registersBefore(uint32_t instruction) const {
  const uint32_t b = flow.blockOf(instruction);
  const isa::Block &block = flow.blocks()[b];
  llvm::BitVector now = neededAfter[b], defined = definedBefore[b];
  for (uint32_t i = block.last; i > instruction; --i)
    stepBack(now, effects[i - 1]);
  for (uint32_t i = block.first; i < instruction; ++i)
    stepForward(defined, effects[i]);
  return now &= defined;
}

Liveness::Peak Liveness::peak() const {
  Peak out;
  for (uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i].vgprs > out.most.vgprs)
      out.most.vgprs = counts[i].vgprs, out.vgprsAt = i;
    if (counts[i].agprs > out.most.agprs)
      out.most.agprs = counts[i].agprs, out.agprsAt = i;
    if (counts[i].sgprs > out.most.sgprs)
      out.most.sgprs = counts[i].sgprs, out.sgprsAt = i;
  }
  return out;
}

} // namespace fly::dataflow
