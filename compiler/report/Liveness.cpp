// Two data-flow problems over sets of registers, each solved with a work list:
//
//   needed    backward  out = union of the successors' in;    in = (out - writes) + reads
//   defined   forward   in = union of the predecessors' out;  out = in + writes + partial
//
// live = needed and defined. Blocks that end with an indirect jump or run off the end need nothing further: the needs
// of the code after them are unknown.
#include "compiler/report/Liveness.h"

namespace fly::report {

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

Liveness::Liveness(const Code &code) : code(code), counts(code.instructions.size()) {
  auto blocks = code.flow.blocks();
  for (uint32_t i = 0; i < code.instructions.size(); ++i)
    effects.push_back(effectsOf(code, i));
  if (blocks.empty())
    return;
  std::vector<llvm::BitVector> liveIn(blocks.size(), llvm::BitVector(unit::count));
  liveOut = definedIn = liveIn;
  auto solve = [&](auto &&flowThrough) { // until nothing changes; starts with all blocks
    std::vector<uint32_t> work;
    std::vector<bool> queued(blocks.size(), true);
    for (uint32_t b = 0; b < blocks.size(); ++b)
      work.push_back(b);
    while (!work.empty()) {
      uint32_t b = work.back();
      work.pop_back();
      queued[b] = false;
      for (uint32_t next : flowThrough(b))
        if (!queued[next]) {
          queued[next] = true;
          work.push_back(next);
        }
    }
  };
  solve([&](uint32_t b) -> llvm::ArrayRef<uint32_t> {
    llvm::BitVector &out = liveOut[b];
    for (uint32_t s : blocks[b].successors)
      out |= liveIn[s];
    llvm::BitVector in = out;
    for (uint32_t i = blocks[b].last; i > blocks[b].first; --i)
      stepBack(in, effects[i - 1]);
    if (in == liveIn[b])
      return {};
    liveIn[b] = std::move(in);
    return blocks[b].predecessors;
  });
  std::vector<llvm::BitVector> definedOut(blocks.size(), llvm::BitVector(unit::count));
  definedIn[0] = initialRegisters(code);
  solve([&](uint32_t b) -> llvm::ArrayRef<uint32_t> {
    for (uint32_t p : blocks[b].predecessors)
      definedIn[b] |= definedOut[p];
    llvm::BitVector out = definedIn[b];
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
      stepForward(out, effects[i]);
    if (out == definedOut[b])
      return {};
    definedOut[b] = std::move(out);
    return blocks[b].successors;
  });

  for (uint32_t b = 0; b < blocks.size(); ++b) {
    const isa::Block &block = blocks[b];
    std::vector<llvm::BitVector> needed(block.last - block.first, llvm::BitVector());
    llvm::BitVector now = liveOut[b];
    for (uint32_t i = block.last; i > block.first; --i) {
      stepBack(now, effects[i - 1]);
      needed[i - 1 - block.first] = now;
    }
    llvm::BitVector defined = definedIn[b];
    for (uint32_t i = block.first; i < block.last; ++i) {
      counts[i] = countOf(needed[i - block.first], defined);
      stepForward(defined, effects[i]);
    }
  }
}

llvm::BitVector Liveness::registersBefore(uint32_t instruction) const {
  const uint32_t b = code.flow.blockOf(instruction);
  const isa::Block &block = code.flow.blocks()[b];
  llvm::BitVector now = liveOut[b], defined = definedIn[b];
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

} // namespace fly::report
