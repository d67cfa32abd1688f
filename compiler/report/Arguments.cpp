// Forward data flow: the SGPRs that begin a pair which holds the address, on all paths. Sets only shrink, so it ends.
#include "compiler/report/Arguments.h"

#include "compiler/report/Counts.h"

#include "llvm/ADT/BitVector.h"

#include <set>

namespace fly::report {

namespace {

using isa::Operand;
using isa::Role;

constexpr unsigned sgprs = 128;

/// The first of the two registers; ~0 if the kernel is not given the address.
unsigned addressRegister(const isa::KernelDescriptor &d) {
  if (!d.kernargSegmentPtr)
    return ~0u;
  return (d.privateSegmentBuffer ? 4 : 0) + (d.dispatchPtr ? 2 : 0) + (d.queuePtr ? 2 : 0);
}

void step(llvm::BitVector &holds, const isa::Instruction &i) {
  const Operand *to = i.find(Role::Dst), *from = i.find(Role::Src0);
  const bool copies = isa::name(i.op) == "S_MOV_B64" && to && to->isSgpr() && from && from->isSgpr() &&
                      from->index < sgprs && holds.test(from->index);
  i.forEachDef([&](const Operand &o) {
    for (unsigned k = 0; o.isSgpr() && k < o.width; ++k)
      for (unsigned first : {unsigned(o.index) + k, unsigned(o.index) + k - 1})
        if (first < sgprs)
          holds.reset(first);
  });
  if (copies && to->index < sgprs)
    holds.set(to->index);
}

} // namespace

std::vector<ArgumentRead> argumentReads(const Code &code) {
  std::set<ArgumentRead> found;
  const isa::KernelDescriptor &d = code.kernel->descriptor;
  if (d.preloadLength)
    found.insert({d.preloadOffset * 4u, d.preloadLength * 4u, true});
  auto blocks = code.flow.blocks();
  const unsigned first = addressRegister(d);
  if (first >= sgprs || blocks.empty())
    return {found.begin(), found.end()};
  std::vector<llvm::BitVector> in(blocks.size(), llvm::BitVector(sgprs, true));
  in[0].reset();
  in[0].set(first);
  std::vector<uint32_t> work{0};
  std::vector<bool> seen(blocks.size());
  while (!work.empty()) {
    uint32_t b = work.back();
    work.pop_back();
    llvm::BitVector state = in[b];
    seen[b] = true;
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
      step(state, code.instructions[i]);
    for (uint32_t to : blocks[b].successors) {
      llvm::BitVector joined = in[to];
      joined &= state;
      if (seen[to] && joined == in[to])
        continue;
      seen[to] = true;
      in[to] = std::move(joined);
      work.push_back(to);
    }
  }
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!seen[b])
      continue;
    llvm::BitVector state = std::move(in[b]);
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      const isa::Instruction &load = code.instructions[i];
      const Operand *base = load.find(Role::Saddr), *offset = load.find(Role::Soffset);
      if (load.is(isa::Class::ScalarMemory) && load.mayLoad && base && base->isSgpr() && base->index < sgprs &&
          state.test(base->index) && load.modifiers.offset >= 0) {
        const bool constant = !offset || offset->isImmediate() || offset->isSpecial(isa::Special::Null);
        const uint32_t more = offset && offset->isImmediate() ? uint32_t(offset->bits) : 0;
        if (unsigned bits = accessWidth(isa::name(load.op)).bits; bits && constant)
          found.insert({uint32_t(load.modifiers.offset) + more, bits / 8, false});
      }
      step(state, load);
    }
  }
  return {found.begin(), found.end()};
}

} // namespace fly::report
