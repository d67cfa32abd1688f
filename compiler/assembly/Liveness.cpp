// Two data flows over the blocks: forwards what has been written, backwards what is needed, and in which lanes.
#include "compiler/assembly/Liveness.h"

#include "compiler/dataflow/Solver.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::assembly {

using isa::RegisterFile;

RegisterFile Liveness::fileOf(unsigned unit) const {
  if (auto variable = variableOf(unit))
    return program.variables[*variable].file;
  return dataflow::fileOf(unit);
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

Liveness::Liveness(const Program &program, llvm::ArrayRef<isa::Instruction> code, llvm::ArrayRef<uint32_t> itemOf,
                   const Paths &paths)
    : program(program) {
  count = fixedUnits;
  for (auto [number, v] : llvm::enumerate(program.variables)) {
    firstUnits.push_back(count);
    count += v.width;
    variables.insert(variables.end(), v.width, static_cast<uint32_t>(number));
  }
  findUses(code, itemOf);
  if (paths.hasComputedJump())
    addComputedJumps(code, paths);
  const ExecMask exec(code, paths, program.assembler->waveSize());
  const auto written = findWritten(paths);
  const auto neededAfter = findNeeded(code, paths, exec);
  lives.resize(count);
  for (uint32_t b = 0; b < paths.blocks().size(); ++b) {
    if (!paths.reached(b)) {
      for (uint32_t i = paths.blocks()[b].first; i < paths.blocks()[b].last; ++i)
        for (const Access &a : uses[i])
          if (a.unit >= fixedUnits)
            unreached.push_back({i, a.unit});
          else if (paths.hasComputedJump())
            lives[a.unit] = {{0, 2 * static_cast<uint32_t>(code.size())}};
      continue;
    }
    findIntervals(b, paths, written[b], neededAfter[b].any);
  }
}

/// What each instruction reads and writes.
void Liveness::findUses(llvm::ArrayRef<isa::Instruction> code, llvm::ArrayRef<uint32_t> itemOf) {
  uses.resize(code.size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    const Item &item = program.items[itemOf[i]];
    auto unitOf = [&](const isa::Operand &o, unsigned k) -> std::optional<unsigned> {
      const unsigned index = o.index + k;
      for (const Item::StandIn &s : item.standIns)
        if (s.file == o.file && index >= s.first && index < unsigned(s.first) + s.width)
          return firstUnits[s.reference.variable] + s.reference.offset + (index - s.first);
      return dataflow::unitOf(o.file, index);
    };
    const bool ownLanes = readsOwnLanes(item.shape->decoded);
    dataflow::forEachRegister(item.shape->decoded, [&](const isa::Operand &o) {
      if (o.isSpecial())
        return;
      for (unsigned k = 0; k < o.width; ++k)
        if (auto unit = unitOf(o, k))
          uses[i].push_back(
              {*unit, o.def, o.def && item.shape->clobbersEarly, o.half != isa::Half::Whole || o.opSel, ownLanes});
    });
  }
}

/// Where a jump through a register leads to is not known: numbered registers that the program writes may be read there.
void Liveness::addComputedJumps(llvm::ArrayRef<isa::Instruction> code, const Paths &paths) {
  llvm::BitVector named(fixedUnits);
  for (const auto &list : uses)
    for (const Access &a : list)
      if (a.writes && a.unit < fixedUnits)
        named.set(a.unit);
  for (uint32_t i = 0; i < code.size(); ++i)
    if (isComputedJump(code[i]) && paths.reachedAt(i))
      for (unsigned unit : named.set_bits())
        uses[i].push_back({unit, false});
}

/// What some path has written, at the beginning of each block.
std::vector<llvm::BitVector> Liveness::findWritten(const Paths &paths) const {
  const auto blocks = paths.blocks();
  std::vector<llvm::BitVector> written(blocks.size(), llvm::BitVector(count));
  llvm::BitVector entry(count);
  entry.set(0, fixedUnits); // what a fixed register holds at the start is the author's to know
  for (auto [number, v] : llvm::enumerate(program.variables))
    if (v.input != Input::None)
      entry.set(firstUnits[number], firstUnits[number] + v.width);
  if (!blocks.empty())
    written[0] = entry;
  llvm::BitVector reached(unsigned(blocks.size()));
  for (uint32_t b = 0; b < blocks.size(); ++b)
    if (paths.reached(b))
      reached.set(b);
  dataflow::solve(
      dataflow::Direction::Forward, reached, written, [&](uint32_t b) { return paths.successors(b); },
      [&](uint32_t b, llvm::BitVector state) {
        for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
          for (const Access &a : uses[i])
            if (a.writes)
              state.set(a.unit);
        return state;
      },
      dataflow::uniteSets);
  return written;
}

/// What is needed at the end of each block; on the way, which writes end a life.
std::vector<Liveness::Need> Liveness::findNeeded(llvm::ArrayRef<isa::Instruction> code, const Paths &paths,
                                                 const ExecMask &exec) {
  const auto blocks = paths.blocks();
  killsAt.resize(code.size());
  auto step = [&](Need &state, uint32_t i) {
    if (exec.changesAt(i))
      state.wide |= state.any; // what is read after it is read in other lanes
    const bool writesAll = exec.isFull(i) || code[i].is(isa::Class::Matrix);
    killsAt[i].resize(static_cast<unsigned>(uses[i].size()));
    for (unsigned k = 0; k < uses[i].size(); ++k) {
      const Access &a = uses[i][k];
      const bool kills =
          a.writes && !a.partly && (writesAll || fileOf(a.unit) == RegisterFile::SGPR || !state.wide.test(a.unit));
      killsAt[i][k] = kills;
    }
    for (unsigned k = 0; k < uses[i].size(); ++k)
      if (killsAt[i][k])
        state.any.reset(uses[i][k].unit), state.wide.reset(uses[i][k].unit);
    for (const Access &a : uses[i])
      if (!a.writes) {
        state.any.set(a.unit);
        if (!a.ofOwnLane)
          state.wide.set(a.unit);
      }
  };
  std::vector<Need> after(blocks.size(), Need{llvm::BitVector(count), llvm::BitVector(count)});
  dataflow::solve(
      dataflow::Direction::Backward, llvm::BitVector(unsigned(blocks.size()), true), after,
      [&](uint32_t b) { return paths.predecessors(b); },
      [&](uint32_t b, Need state) {
        for (uint32_t i = blocks[b].last; i-- > blocks[b].first;)
          step(state, i);
        if (exec.mergesAt(b))
          state.wide |= state.any;
        return state;
      },
      [](Need &to, const Need &from) {
        const bool any = dataflow::uniteSets(to.any, from.any), wide = dataflow::uniteSets(to.wide, from.wide);
        return any || wide;
      });
  return after;
}

/// The points of a block at which a unit is both needed and written. `after`: needed at its end.
void Liveness::findIntervals(uint32_t block, const Paths &paths, llvm::BitVector written,
                             const llvm::BitVector &after) {
  const uint32_t first = paths.blocks()[block].first, last = paths.blocks()[block].last;
  const llvm::BitVector atBegin = written;
  // Where each unit that is needed at the end, or read, is needed from the end of: walk backwards, keep ends.
  std::vector<std::pair<unsigned, Interval>> found;
  std::vector<uint32_t> endOf(count, 0);
  for (unsigned unit : after.set_bits())
    endOf[unit] = 2 * last;
  for (uint32_t i = last; i-- > first;) {
    for (unsigned k = 0; k < uses[i].size(); ++k) {
      const Access &a = uses[i][k];
      if (!a.writes)
        continue;
      const uint32_t begin = a.early ? 2 * i : 2 * i + 1;
      if (killsAt[i][k]) {
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
  std::vector<uint32_t> firstWrite(count, ~0u);
  for (uint32_t i = first; i < last; ++i) {
    for (const Access &a : uses[i])
      if (!a.writes && !written.test(a.unit) && a.unit >= fixedUnits)
        unwritten.push_back({i, a.unit});
    for (const Access &a : uses[i])
      if (a.writes) {
        if (!written.test(a.unit))
          firstWrite[a.unit] = std::min(firstWrite[a.unit], a.early ? 2 * i : 2 * i + 1);
        written.set(a.unit);
      }
  }
  for (auto &[unit, interval] : found) {
    if (!atBegin.test(unit)) {
      if (firstWrite[unit] == ~0u)
        continue;
      interval.begin = std::max(interval.begin, firstWrite[unit]);
    }
  }
  llvm::stable_sort(
      found, [](auto &x, auto &y) { return std::pair(x.first, x.second.begin) < std::pair(y.first, y.second.begin); });
  for (auto &[unit, interval] : found) {
    if (interval.begin >= interval.end)
      continue;
    auto &list = lives[unit];
    if (!list.empty() && list.back().end >= interval.begin)
      list.back().end = std::max(list.back().end, interval.end);
    else
      list.push_back(interval);
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
