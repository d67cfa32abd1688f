// Forward data flow. The state is a list of outstanding operations: (operation, counter, pass) with the smallest number
// of newer operations of its line on any path on which it is outstanding. At joins, lists are merged and the smallest
// number is kept; a wait removes what it covers. At a join, numbers only fall and lists only grow, so the analysis
// terminates.
//
// FLAT completes in any order, because it may go to LDS or to memory. A compiler that knows which it is counts on the
// order of that unit, though, so a missing wait is one that is missing even then: `likely` is the number of newer
// operations if all FLAT ones go to the unit of this counter, and `done` says that a wait covers the operation then.
//
// A counter that is full lets the next operation wait until the oldest of the line is done: what has as many newer
// ones as the counter can hold is done.
#include "compiler/report/WaitCoverage.h"

#include "compiler/isa/Counters.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <optional>

namespace fly::report {

using isa::Counter;
using isa::Instruction;
using target::Generation;

namespace {

constexpr uint8_t oldestPass = 3;
struct Outstanding {
  uint32_t operation;
  Counter counter;
  uint8_t pass, line, newer;
  uint8_t likely = 0;
  bool done = false;
  std::tuple<uint32_t, Counter, uint8_t> key() const { return {operation, counter, pass}; }
  bool operator==(const Outstanding &) const = default;
};
using State = std::vector<Outstanding>; ///< sorted by key

void normalise(State &state) {
  llvm::sort(state, [](auto &a, auto &b) { return a.key() < b.key(); });
  size_t kept = 0;
  for (const Outstanding &o : state)
    if (kept && state[kept - 1].key() == o.key()) {
      Outstanding &known = state[kept - 1];
      known.newer = std::min(known.newer, o.newer);
      known.likely = std::min(known.likely, o.likely);
      known.done &= o.done;
    } else {
      state[kept++] = o;
    }
  state.resize(kept);
}

bool isFlat(const Instruction &i) { return i.form == isa::Form::FLAT; }

bool isCoveredBy(const Outstanding &o, const isa::Waits &waits) {
  uint8_t limit = waits[o.counter];
  return limit != isa::Waits::none && (limit == 0 || (o.line && o.newer >= limit));
}

/// What an instruction waits for. A call: LLVM's functions begin with waits for all that their registers may depend on.
isa::Waits waitsAt(const Code &code, uint32_t number) {
  if (!code.isCall(number))
    return code.instructions[number].waits;
  isa::Waits out;
  for (Counter c : {Counter::Vm, Counter::Lgkm, Counter::Exp, Counter::Load, Counter::Ds, Counter::Km, Counter::Sample,
                    Counter::Bvh})
    out.limit[unsigned(c)] = 0;
  return out;
}

void step(State &state, const Code &code, uint32_t number, Generation generation) {
  const Instruction &i = code.instructions[number];
  if (isa::Waits waits = waitsAt(code, number); waits.any()) {
    llvm::erase_if(state, [&](auto &o) { return isCoveredBy(o, waits); });
    for (Outstanding &o : state)
      if (uint8_t limit = waits[o.counter]; limit != isa::Waits::none)
        o.done |= o.likely >= limit && (o.line || isFlat(code.instructions[o.operation]));
    return;
  }
  isa::CounterMask mask = WaitCoverage::followed(i);
  if (!mask)
    return;
  for (unsigned c = 0; c < isa::counterCount; ++c) {
    Counter counter = Counter(c);
    if (!(mask & isa::maskOf(counter)))
      continue;
    unsigned line = isa::completionLine(i, counter, generation);
    for (Outstanding &o : state)
      if (o.counter == counter) {
        o.newer += line && o.line == line;
        const bool inOrder = (line && o.line == line) || (line && isFlat(code.instructions[o.operation])) ||
                             (isFlat(i) && (o.line || isFlat(code.instructions[o.operation])));
        o.likely += inOrder && o.likely < 255;
        o.pass += o.operation == number && o.pass < oldestPass;
      }
    llvm::erase_if(state, [&](auto &o) {
      return o.counter == counter && o.line && o.newer >= target::counterCapacity(counter, generation);
    });
    state.push_back({.operation = number, .counter = counter, .pass = 0, .line = uint8_t(line), .newer = 0});
  }
  normalise(state);
}

/// Whether it may be under way, at the most favourable order of FLAT.
bool isOutstanding(const State &state, uint32_t operation, Counter counter) {
  return llvm::any_of(state, [&](auto &o) { return o.operation == operation && o.counter == counter && !o.done; });
}

/// Whether the operation has not been waited for by any of its counters.
bool isUncovered(const State &state, const Code &code, const Outstanding &o) {
  isa::CounterMask mask = WaitCoverage::followed(code.instructions[o.operation]);
  for (unsigned c = 0; c < isa::counterCount; ++c)
    if (Counter(c) != o.counter && (mask & (1u << c)) && !isOutstanding(state, o.operation, Counter(c)))
      return false;
  return true;
}

/// Adds what the instruction touches too early to `out`; the operations.
llvm::SmallVector<uint32_t, 2> findMissing(const State &state, const Code &code, uint32_t number,
                                           std::vector<MissingWait> &out) {
  llvm::SmallVector<uint32_t, 2> found;
  for (const Outstanding &o : state) {
    if (o.done || llvm::is_contained(found, o.operation))
      continue;
    auto conflict = conflictOf(code.instructions[number], code.instructions[o.operation], o.counter);
    if (!conflict || !isUncovered(state, code, o))
      continue;
    found.push_back(o.operation);
    out.push_back({number, o.operation, o.counter, o.pass, std::max(o.newer, o.likely), *conflict, {}});
  }
  return found;
}

/// A shortest way along which the operation stays outstanding; `out` is the state after each block.
std::vector<uint32_t> pathOf(const MissingWait &missing, const Code &code, llvm::ArrayRef<State> out) {
  const uint32_t from = code.flow.blockOf(missing.operation), to = code.flow.blockOf(missing.instruction);
  if (from == to && missing.operation < missing.instruction && missing.passesAgo == 0)
    return {};
  std::vector<uint32_t> next(out.size(), ~0u), work{to};
  for (size_t at = 0; at < work.size(); ++at)
    for (uint32_t p : code.flow.blocks()[work[at]].predecessors) {
      if (!isOutstanding(out[p], missing.operation, missing.counter) || next[p] != ~0u)
        continue;
      next[p] = work[at];
      if (p != from) {
        work.push_back(p);
        continue;
      }
      std::vector<uint32_t> path;
      for (uint32_t b = next[p];; b = next[b]) {
        path.push_back(b);
        if (b == to)
          return path;
      }
    }
  return {};
}

} // namespace

isa::CounterMask WaitCoverage::followed(const Instruction &i) { return i.increments & ~isa::maskOf(Counter::X); }

bool WaitCoverage::waitsFor(const Instruction &i) {
  for (unsigned c = 0; c < isa::counterCount; ++c)
    if (i.is(isa::Class::Wait) && Counter(c) != Counter::X && i.waits.limit[c] != isa::Waits::none)
      return true;
  return false;
}

WaitCoverage::WaitCoverage(const Code &code, Generation generation)
    : covered(code.instructions.size()), waits(code.instructions.size()) {
  auto blocks = code.flow.blocks();
  std::vector<State> in(blocks.size());
  std::vector<uint32_t> work;
  std::vector<bool> queued(blocks.size(), true);
  for (uint32_t b = blocks.size(); b > 0; --b)
    work.push_back(b - 1);
  while (!work.empty()) {
    uint32_t b = work.back();
    work.pop_back();
    queued[b] = false;
    State state = in[b];
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
      step(state, code, i, generation);
    for (uint32_t to : blocks[b].successors) {
      State joined = in[to];
      joined.insert(joined.end(), state.begin(), state.end());
      normalise(joined);
      if (joined == in[to])
        continue;
      in[to] = std::move(joined);
      if (!queued[to]) {
        queued[to] = true;
        work.push_back(to);
      }
    }
  }
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    State state = in[b];
    std::optional<State> unreported; // the same without what has been reported, once something has
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      if (auto found = findMissing(unreported ? *unreported : state, code, i, missingWaits); !found.empty()) {
        if (!unreported)
          unreported = state;
        llvm::erase_if(*unreported, [&](auto &o) { return llvm::is_contained(found, o.operation); });
      }
      if (unreported)
        step(*unreported, code, i, generation);
      if (isa::Waits waits = waitsAt(code, i); waits.any())
        for (const Outstanding &o : state) // of several passes, the last is named: earlier ones are done too
          if (isCoveredBy(o, waits) && (covered[i].empty() || covered[i].back().operation != o.operation ||
                                        covered[i].back().counter != o.counter)) {
            covered[i].push_back({o.operation, o.counter, o.pass});
            this->waits[o.operation].push_back({i, o.counter, o.pass});
          }
      step(state, code, i, generation);
    }
  }
  for (auto &list : waits)
    llvm::sort(list);
  if (missingWaits.empty())
    return;
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
      step(in[b], code, i, generation);
  for (MissingWait &missing : llvm::MutableArrayRef(missingWaits).take_front(shownMissing))
    missing.path = pathOf(missing, code, in);
}

} // namespace fly::report
