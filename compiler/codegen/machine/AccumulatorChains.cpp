// See AccumulatorChains.h.
//
//   1. every D and C of a matrix product is an accumulator; so is what copies carry from one to another;
//   2. D and C of a product become one chain unless both are needed at the same time. That is not a mistake: D then has
//      other registers than C, which the instruction allows. The same for the two sides of a copy;
//   3. two kinds of chains stay in VGPRs, because other instructions of the loop would pay moves for each register:
//      those that begin and end within one trip of every loop (the scores of attention), and, up to 128 registers of
//      them, those that the loop also computes with other instructions (its output, which it rescales). D and C must be
//      in the same file, so this is decided for all chains that meet in a product;
//   4. the others get AGPRs of their own, largest first. If there are not enough, chains that are never alive at the
//      same time share them.
//
// Chains are exact to the register: an accumulator may be part of a wider register, at an offset.
#include "compiler/codegen/machine/AccumulatorChains.h"

#include "compiler/codegen/machine/PlaceAccumulators.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#include <algorithm>

namespace fly::codegen {

namespace {
constexpr unsigned registerBits = 32, widestTuple = 32;

/// Whether two sorted lists of half-open ranges meet.
template <typename Ranges> bool meet(const Ranges &a, const Ranges &b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->second <= j->first)
      ++i;
    else if (j->second <= i->first)
      ++j;
    else
      return true;
  }
  return false;
}

template <typename Ranges> Ranges merged(const Ranges &a, const Ranges &b) {
  Ranges both;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

bool isWholeCopy(const llvm::MachineInstr &instruction) {
  return instruction.isCopy() && instruction.getOperand(0).getReg().isVirtual() &&
         instruction.getOperand(1).getReg().isVirtual();
}
} // namespace

bool isMatrixProduct(const llvm::MachineInstr &instruction, const llvm::TargetInstrInfo &instructions) {
  llvm::StringRef name = instructions.getName(instruction.getOpcode());
  return name.starts_with("V_MFMA_") || name.starts_with("V_SMFMAC_");
}

unsigned accumulatorOperand(const llvm::MachineInstr &product) {
  unsigned tied = 3;
  product.isRegTiedToUseOperand(0, &tied);
  return tied;
}

AgprTuples::AgprTuples(const llvm::TargetRegisterInfo &registers) : registers(registers), lanes(widestTuple) {
  for (unsigned reg = 1; reg < registers.getNumRegs(); ++reg)
    if (llvm::StringRef name = registers.getName(reg); name.starts_with("AGPR"))
      byName[name] = llvm::MCRegister(reg);
  for (unsigned index = 1; index < registers.getNumSubRegIndices(); ++index)
    if (int offset = offsetOf(index);
        offset >= 0 && unsigned(offset) < widestTuple && registers.getSubRegIdxSize(index) == registerBits)
      lanes[unsigned(offset)] = registers.getSubRegIndexLaneMask(index);
}

llvm::MCRegister AgprTuples::tuple(unsigned first, unsigned count) const {
  std::string name;
  for (unsigned i = 0; i < count; ++i)
    name += (i ? "_AGPR" : "AGPR") + std::to_string(first + i);
  return byName.lookup(name);
}

int AgprTuples::offsetOf(unsigned subregister) const {
  if (subregister == 0)
    return 0;
  const unsigned offset = registers.getSubRegIdxOffset(subregister), size = registers.getSubRegIdxSize(subregister);
  return offset % registerBits == 0 && size % registerBits == 0 ? int(offset / registerBits) : -1;
}

AccumulatorChains::AccumulatorChains(llvm::MachineFunction &function, const llvm::LiveIntervals &intervals,
                                     const llvm::MachineLoopInfo &loops, const AgprTuples &tuples)
    : function(function), intervals(intervals), loops(loops), tuples(tuples),
      instructions(*function.getSubtarget().getInstrInfo()), registers(*function.getSubtarget().getRegisterInfo()) {
  for (llvm::MachineBasicBlock &block : function)
    for (llvm::MachineInstr &instruction : block)
      if (isMatrixProduct(instruction, instructions))
        products.push_back(&instruction);
      else if (isWholeCopy(instruction))
        copies.push_back(&instruction);
  uniteProducts();
  addCopied();
  uniteCopies();
  collect();
  choose();
}

unsigned AccumulatorChains::registersOf(llvm::Register reg) const {
  return registers.getRegSizeInBits(*function.getRegInfo().getRegClass(reg)) / registerBits;
}

/// Half-open ranges. A result that must not share registers with operands counts from where other results do, so that
/// D meets C only where C is needed later.
AccumulatorChains::Segments AccumulatorChains::lifeOf(llvm::Register reg, unsigned lane) const {
  Segments segments;
  auto append = [&](const llvm::LiveRange &range) {
    for (const llvm::LiveRange::Segment &s : range)
      segments.emplace_back(s.start.isEarlyClobber() ? s.start.getRegSlot() : s.start, s.end);
  };
  const llvm::LiveInterval &interval = intervals.getInterval(reg);
  if (!interval.hasSubRanges())
    append(interval);
  else
    for (const llvm::LiveInterval::SubRange &range : interval.subranges())
      if ((range.LaneMask & tuples.lanesOf(lane)).any())
        append(range);
  llvm::sort(segments);
  return segments;
}

void AccumulatorChains::add(llvm::Register reg) {
  if (!classOf.insert({reg, {unsigned(classes.size()), 0}}).second)
    return;
  Class &one = classes.emplace_back();
  one.members.emplace_back(reg, 0);
  for (unsigned lane = 0; lane < registersOf(reg); ++lane)
    one.life[int(lane)] = lifeOf(reg, lane);
}

/// Makes register `aOffset` of `a` the same as `bOffset` of `b`, and so all their others.
bool AccumulatorChains::unite(llvm::Register a, unsigned aOffset, llvm::Register b, unsigned bOffset) {
  auto [to, aStart] = classOf[a];
  auto [from, bStart] = classOf[b];
  const int shift = aStart + int(aOffset) - bStart - int(bOffset);
  if (to == from)
    return shift == 0;
  for (auto &[lane, life] : classes[from].life)
    if (auto found = classes[to].life.find(lane + shift); found != classes[to].life.end() && meet(found->second, life))
      return false;
  for (auto &[lane, life] : classes[from].life) {
    Segments &there = classes[to].life[lane + shift];
    there = merged(there, life);
  }
  for (auto [reg, offset] : classes[from].members) {
    classes[to].members.emplace_back(reg, offset + shift);
    classOf[reg] = {to, offset + shift};
  }
  classes[from] = {};
  return true;
}

void AccumulatorChains::uniteProducts() {
  for (llvm::MachineInstr *product : products) {
    add(product->getOperand(0).getReg());
    const llvm::MachineOperand &c = product->getOperand(accumulatorOperand(*product));
    if (c.isReg()) {
      add(c.getReg());
      sameFile.emplace_back(product->getOperand(0).getReg(), c.getReg());
    }
  }
  for (llvm::MachineInstr *product : products) {
    const llvm::MachineOperand &d = product->getOperand(0), &c = product->getOperand(accumulatorOperand(*product));
    const int dOffset = tuples.offsetOf(d.getSubReg()), cOffset = c.isReg() ? tuples.offsetOf(c.getSubReg()) : -1;
    if (dOffset >= 0 && cOffset >= 0)
      unite(d.getReg(), unsigned(dOffset), c.getReg(), unsigned(cOffset));
  }
}

/// What copies carry from an accumulator to an accumulator is one itself.
void AccumulatorChains::addCopied() {
  llvm::DenseMap<llvm::Register, unsigned> reached; // 1: from an accumulator, 2: on the way to one
  for (auto &[reg, unused] : classOf)
    reached[reg] = 3;
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::MachineInstr *copy : copies) {
      unsigned &to = reached[copy->getOperand(0).getReg()];
      const unsigned forwards = to | (reached.lookup(copy->getOperand(1).getReg()) & 1);
      changed |= forwards != to;
      to = forwards;
      const unsigned on = reached.lookup(copy->getOperand(0).getReg()) & 2;
      unsigned &from = reached[copy->getOperand(1).getReg()];
      changed |= (from | on) != from;
      from |= on;
    }
  }
  for (const llvm::MachineInstr *copy : copies)
    for (unsigned side : {0u, 1u})
      if (llvm::Register reg = copy->getOperand(side).getReg(); reached.lookup(reg) == 3)
        add(reg);
}

void AccumulatorChains::uniteCopies() {
  for (const llvm::MachineInstr *copy : copies) {
    const llvm::MachineOperand &to = copy->getOperand(0), &from = copy->getOperand(1);
    const int toOffset = tuples.offsetOf(to.getSubReg()), fromOffset = tuples.offsetOf(from.getSubReg());
    if (!classOf.contains(to.getReg()) || !classOf.contains(from.getReg()) || toOffset < 0 || fromOffset < 0)
      continue;
    sameFile.emplace_back(to.getReg(), from.getReg());
    unite(to.getReg(), unsigned(toOffset), from.getReg(), unsigned(fromOffset));
  }
}

/// Classes to chains, in the order of the code.
void AccumulatorChains::collect() {
  llvm::DenseMap<unsigned, unsigned> chainOfClass;
  for (auto &[reg, where] : classOf) {
    if (!chainOfClass.try_emplace(where.first, chains.size()).second)
      continue;
    Chain &chain = chains.emplace_back();
    int least = 0, end = 0;
    for (auto &[lane, life] : classes[where.first].life)
      least = std::min(least, lane), end = std::max(end, lane + 1);
    chain.size = unsigned(end - least);
    for (auto [member, offset] : classes[where.first].members) {
      chain.members.push_back({member, unsigned(offset - least)});
      chainOf[member] = {unsigned(chains.size() - 1), unsigned(offset - least)};
    }
  }
  for (llvm::MachineInstr *product : products)
    chains[chainOf.lookup(product->getOperand(0).getReg()).first].products.push_back(product);
}

const Chain *AccumulatorChains::find(llvm::Register reg, unsigned *offset) const {
  auto found = chainOf.find(reg);
  if (found == chainOf.end())
    return nullptr;
  if (offset)
    *offset = found->second.second;
  return &chains[found->second.first];
}

/// Into the next trip of a loop that computes it, or computed outside of all loops.
bool AccumulatorChains::isCarried(const Chain &chain) const {
  for (const llvm::MachineInstr *product : chain.products) {
    const llvm::MachineLoop *loop = loops.getLoopFor(product->getParent());
    if (!loop)
      return true;
    for (; loop; loop = loop->getParentLoop())
      for (const Chain::Member &member : chain.members)
        if (intervals.isLiveInToMBB(intervals.getInterval(member.reg), loop->getHeader()))
          return true;
  }
  return false;
}

/// By something that is not a matrix product, in the innermost loop of one.
bool AccumulatorChains::isComputedOtherwise(const Chain &chain) const {
  for (const Chain::Member &member : chain.members)
    for (const llvm::MachineInstr &definition : function.getRegInfo().def_instructions(member.reg)) {
      const llvm::MachineLoop *loop = loops.getLoopFor(definition.getParent());
      if (loop && !definition.isCopy() && !definition.isImplicitDef() && !isMatrixProduct(definition, instructions) &&
          llvm::any_of(chain.products, [&](auto *product) { return loops.getLoopFor(product->getParent()) == loop; }))
        return true;
    }
  return false;
}

void AccumulatorChains::choose() {
  llvm::EquivalenceClasses<unsigned> files;
  for (unsigned i = 0; i < chains.size(); ++i)
    files.insert(i);
  for (auto [a, b] : sameFile)
    files.unionSets(chainOf.lookup(a).first, chainOf.lookup(b).first);
  struct File {
    bool carried = false, computed = false;
  };
  llvm::DenseMap<unsigned, File> all;
  for (unsigned i = 0; i < chains.size(); ++i) {
    File &file = all[files.getLeaderValue(i)];
    file.carried |= isCarried(chains[i]);
    file.computed |= isComputedOtherwise(chains[i]);
  }
  unsigned computed = 0;
  for (unsigned i = 0; i < chains.size(); ++i)
    if (const File &file = all[files.getLeaderValue(i)]; file.carried && file.computed)
      computed += chains[i].size;
  for (unsigned i = 0; i < chains.size(); ++i) {
    const File &file = all[files.getLeaderValue(i)];
    chains[i].placed = file.carried && (!file.computed || computed > mostAccumulatorsInVgprs);
  }
}

unsigned AccumulatorChains::place(unsigned agprs) {
  llvm::SmallVector<Chain *> order;
  for (Chain &chain : chains)
    if (chain.placed)
      order.push_back(&chain);
  llvm::sort(order, [](const Chain *a, const Chain *b) { return a->size != b->size ? a->size > b->size : a < b; });
  unsigned next = 0;
  for (Chain *chain : order) {
    chain->first = next;
    next += (chain->size + 1) / 2 * 2; // tuples begin at even registers
  }
  return next <= agprs ? next : placeShared(order);
}

/// First fit. A chain that ends where another begins does not make room for it: D must not overlap a part of C.
unsigned AccumulatorChains::placeShared(llvm::ArrayRef<Chain *> order) {
  std::vector<Segments> taken;
  unsigned end = 0;
  for (Chain *chain : order) {
    std::vector<Segments> life(chain->size);
    for (const Chain::Member &member : chain->members)
      for (unsigned lane = 0; lane < registersOf(member.reg); ++lane) {
        Segments own = lifeOf(member.reg, lane);
        for (auto &segment : own)
          segment.first = segment.first.getBaseIndex();
        life[member.offset + lane] = merged(life[member.offset + lane], own);
      }
    auto fits = [&](unsigned first) {
      for (unsigned i = 0; i < chain->size && first + i < taken.size(); ++i)
        if (meet(taken[first + i], life[i]))
          return false;
      return true;
    };
    chain->first = 0;
    while (!fits(chain->first))
      chain->first += 2;
    end = std::max(end, chain->first + chain->size);
    taken.resize(std::max<size_t>(taken.size(), end));
    for (unsigned i = 0; i < chain->size; ++i)
      taken[chain->first + i] = merged(taken[chain->first + i], life[i]);
  }
  return end;
}

const Chain *AccumulatorChains::findMoved() const {
  for (const llvm::MachineInstr *copy : copies) {
    unsigned to = 0, from = 0;
    const Chain *a = find(copy->getOperand(0).getReg(), &to), *b = find(copy->getOperand(1).getReg(), &from);
    const llvm::MachineLoop *loop = loops.getLoopFor(copy->getParent());
    if (!loop || !a || !b || !a->placed || !b->placed)
      continue;
    const int toOffset = tuples.offsetOf(copy->getOperand(0).getSubReg());
    const int fromOffset = tuples.offsetOf(copy->getOperand(1).getSubReg());
    auto computes = [&](const Chain *chain) {
      return llvm::any_of(chain->products,
                          [&](auto *product) { return loops.getLoopFor(product->getParent()) == loop; });
    };
    if ((a != b || int(to) + toOffset != int(from) + fromOffset) && (computes(a) || computes(b)))
      return computes(a) ? a : b;
  }
  return nullptr;
}

} // namespace fly::codegen
