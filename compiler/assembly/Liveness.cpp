// Two data flows over the blocks: backwards what is needed, forwards what has been written, and where EXEC is what the
// wave started with.
#include "compiler/assembly/Liveness.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::assembly {

using isa::RegisterFile;

namespace {

/// Operands of an instruction and of its halves.
template <class F> void forEachRegister(const isa::Instruction &i, F &&f) {
  for (const isa::Operand &o : i.operands)
    if (o.isRegister())
      f(o);
  for (const isa::Instruction &half : i.components)
    for (const isa::Operand &o : half.operands)
      if (o.isRegister())
        f(o);
}

bool changesExec(const isa::Instruction &i) {
  bool changes = false;
  forEachRegister(i, [&](const isa::Operand &o) { changes |= o.def && o.isSpecial(isa::Special::EXEC); });
  return changes;
}

} // namespace

RegisterFile Liveness::fileOf(unsigned unit) const {
  if (auto variable = variableOf(unit))
    return program.variables[*variable].file;
  return unit < sgprs ? RegisterFile::SGPR : unit < sgprs + vgprs ? RegisterFile::VGPR : RegisterFile::AGPR;
}
std::optional<uint32_t> Liveness::variableOf(unsigned unit) const {
  return unit < fixedUnits ? std::nullopt : std::optional(variables[unit - fixedUnits]);
}

bool Liveness::overlap(llvm::ArrayRef<Interval> a, llvm::ArrayRef<Interval> b) {
  auto i = a.begin(), j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->end <= j->begin)
      ++i;
    else if (j->end <= i->begin)
      ++j;
    else
      return true;
  }
  return false;
}

Liveness::Liveness(const Program &program, llvm::ArrayRef<isa::Instruction> code, llvm::ArrayRef<uint32_t> itemOf)
    : program(program) {
  count = fixedUnits;
  for (auto [number, v] : llvm::enumerate(program.variables)) {
    firstUnits.push_back(count);
    count += v.width;
    variables.insert(variables.end(), v.width, static_cast<uint32_t>(number));
  }
  // What each instruction reads and writes.
  uses.resize(code.size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    const Item &item = program.items[itemOf[i]];
    auto unitOf = [&](const isa::Operand &o, unsigned k) -> std::optional<unsigned> {
      const unsigned index = o.index + k;
      for (const Item::StandIn &s : item.standIns)
        if (s.file == o.file && index >= s.first && index < unsigned(s.first) + s.width)
          return firstUnits[s.reference.variable] + s.reference.offset + (index - s.first);
      const unsigned limit = o.isSgpr() ? sgprs : o.isVgpr() ? vgprs : agprs;
      return index < limit ? std::optional(fixedUnit(o.file, index)) : std::nullopt;
    };
    forEachRegister(item.shape->decoded, [&](const isa::Operand &o) {
      if (o.isSpecial())
        return;
      for (unsigned k = 0; k < o.width; ++k)
        if (auto unit = unitOf(o, k))
          uses[i].push_back({*unit, o.def, o.def && item.shape->clobbersEarly, o.half != isa::Half::Whole});
    });
  }
  const isa::ControlFlow flow(code);
  auto blocks = flow.blocks();
  std::vector<bool> execIsInitial(code.size(), true);
  {
    std::vector<bool> changedAt(blocks.size(), false);
    for (bool again = true; again;) {
      again = false;
      for (uint32_t b = 0; b < blocks.size(); ++b) {
        bool changed = changedAt[b];
        for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
          execIsInitial[i] = !changed;
          changed |= changesExec(code[i]);
        }
        if (changed)
          for (uint32_t to : blocks[b].successors)
            if (!changedAt[to])
              changedAt[to] = true, again = true;
      }
    }
  }
  auto kills = [&](uint32_t i, const Access &a) {
    return a.writes && !a.partly &&
           (execIsInitial[i] || fileOf(a.unit) == RegisterFile::SGPR || code[i].is(isa::Class::Matrix));
  };

  std::vector<llvm::BitVector> written(blocks.size(), llvm::BitVector(count));
  std::vector<bool> met(blocks.size());
  llvm::BitVector entry(count);
  entry.set(0, fixedUnits); // what a fixed register holds at the start is the author's to know
  for (auto [number, v] : llvm::enumerate(program.variables))
    if (v.input != Input::None)
      entry.set(firstUnits[number], firstUnits[number] + v.width);
  if (!blocks.empty())
    written[0] = entry, met[0] = true;
  for (bool again = true; again;) {
    again = false;
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      if (!met[b])
        continue;
      llvm::BitVector state = written[b];
      for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
        for (const Access &a : uses[i])
          if (a.writes)
            state.set(a.unit);
      for (uint32_t to : blocks[b].successors) {
        if (met[to] && !state.test(written[to]))
          continue; // nothing new
        written[to] |= state;
        met[to] = true;
        again = true;
      }
    }
  }
  std::vector<llvm::BitVector> needed(blocks.size(), llvm::BitVector(count)); // at the start of a block
  auto needAt = [&](llvm::BitVector &state, uint32_t i) {
    for (const Access &a : uses[i])
      if (kills(i, a))
        state.reset(a.unit);
    for (const Access &a : uses[i])
      if (!a.writes)
        state.set(a.unit);
  };
  for (bool again = true; again;) {
    again = false;
    for (uint32_t b = static_cast<uint32_t>(blocks.size()); b-- > 0;) {
      llvm::BitVector state(count);
      for (uint32_t to : blocks[b].successors)
        state |= needed[to];
      for (uint32_t i = blocks[b].last; i-- > blocks[b].first;)
        needAt(state, i);
      if (state != needed[b])
        needed[b] = std::move(state), again = true;
    }
  }
  // Intervals: of each block the points at which a unit is both needed and written.
  lives.resize(count);
  auto addInterval = [&](unsigned unit, uint32_t begin, uint32_t end) {
    if (begin >= end)
      return;
    auto &list = lives[unit];
    if (!list.empty() && list.back().end >= begin)
      list.back().end = std::max(list.back().end, end);
    else
      list.push_back({begin, end});
  };
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!met[b] || blocks[b].first == blocks[b].last)
      continue;
    const uint32_t first = blocks[b].first, last = blocks[b].last;
    // Where each unit that is needed at the end, or read, is needed from the end of: walk backwards, keep ends.
    llvm::BitVector after(count);
    for (uint32_t to : blocks[b].successors)
      after |= needed[to];
    std::vector<std::pair<unsigned, Interval>> found;
    std::vector<uint32_t> endOf(count, 0);
    for (unsigned unit : after.set_bits())
      endOf[unit] = 2 * last;
    for (uint32_t i = last; i-- > first;) {
      for (const Access &a : uses[i]) {
        if (!a.writes)
          continue;
        const uint32_t begin = a.early ? 2 * i : 2 * i + 1;
        if (kills(i, a)) {
          found.push_back({a.unit, {begin, std::max(endOf[a.unit], 2 * i + 2)}});
          endOf[a.unit] = 0;
        } else if (!endOf[a.unit]) {
          found.push_back({a.unit, {begin, 2 * i + 2}}); // a result that nobody reads still arrives
        }
      }
      for (const Access &a : uses[i])
        if (!a.writes && !endOf[a.unit])
          endOf[a.unit] = 2 * i + 1;
    }
    for (unsigned unit = 0; unit < count; ++unit)
      if (endOf[unit])
        found.push_back({unit, {2 * first, endOf[unit]}});
    // What has not been written yet does not live: begin at the first write of the block.
    llvm::BitVector state = written[b];
    std::vector<uint32_t> firstWrite(count, ~0u);
    for (uint32_t i = first; i < last; ++i) {
      for (const Access &a : uses[i])
        if (!a.writes && !state.test(a.unit) && a.unit >= fixedUnits)
          unwritten.push_back({i, a.unit});
      for (const Access &a : uses[i])
        if (a.writes) {
          if (!state.test(a.unit))
            firstWrite[a.unit] = std::min(firstWrite[a.unit], a.early ? 2 * i : 2 * i + 1);
          state.set(a.unit);
        }
    }
    for (auto &[unit, interval] : found) {
      if (!written[b].test(unit)) {
        if (firstWrite[unit] == ~0u)
          continue;
        interval.begin = std::max(interval.begin, firstWrite[unit]);
      }
    }
    llvm::stable_sort(found, [](auto &x, auto &y) {
      return std::pair(x.first, x.second.begin) < std::pair(y.first, y.second.begin);
    });
    for (auto &[unit, interval] : found)
      addInterval(unit, interval.begin, interval.end);
  }
}

std::vector<unsigned> Liveness::pressure(RegisterFile file) const {
  std::vector<int> change(2 * uses.size() + 2, 0);
  for (unsigned unit = 0; unit < count; ++unit) {
    if (fileOf(unit) != file)
      continue;
    for (Interval life : lives[unit])
      ++change[life.begin], --change[life.end];
  }
  std::vector<unsigned> result(uses.size());
  int now = 0;
  for (size_t point = 0; point < 2 * uses.size(); ++point) {
    now += change[point];
    result[point / 2] = std::max(result[point / 2], static_cast<unsigned>(now));
  }
  return result;
}

} // namespace fly::assembly
