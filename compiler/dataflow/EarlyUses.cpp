#include "compiler/dataflow/EarlyUses.h"

#include "compiler/dataflow/Units.h"
#include "compiler/isa/Counters.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace fly::dataflow {

using isa::Counter;
using isa::Instruction;
using isa::Operand;

namespace {

/// Half registers, one row of numbers for all files.
struct Range {
  uint32_t begin = 0, end = 0;
  bool overlaps(const Range &o) const { return begin < o.end && o.begin < end; }
};

uint32_t firstOf(const Operand &o) { return o.isSpecial() ? o.index * 64u + o.sub : o.index; }

Range rangeOf(const Operand &o) {
  constexpr uint32_t file = 1u << 16;
  const uint32_t first = firstOf(o);
  Range r{unsigned(o.file) * file + 2 * first, unsigned(o.file) * file + 2 * (first + o.width)};
  if (o.half == isa::Half::Low && o.width == 1)
    --r.end;
  if (o.half == isa::Half::High && o.width == 1)
    ++r.begin;
  return r;
}

/// A hash of the registers into 64 bits.
uint64_t filterOf(const Range &r) {
  uint64_t bits = 0;
  for (uint32_t k = r.begin / 2; k < (r.end + 1) / 2; ++k)
    bits |= uint64_t(1) << ((k + 5 * (r.begin >> 16)) % 64);
  return bits;
}

/// The registers that both have, of operands that overlap.
Operand sharedOf(Operand result, const Operand &other) {
  const uint32_t first = std::max(firstOf(result), firstOf(other));
  const uint32_t end = std::min(firstOf(result) + result.width, firstOf(other) + other.width);
  if (result.isSpecial())
    result.sub = uint8_t(result.sub + (first - firstOf(result)));
  else
    result.index = uint16_t(first);
  result.width = uint8_t(end - first);
  return result;
}

/// Old is what a write of a part leaves as it is. The write itself is an operand, too.
bool isOld(const Operand &o) { return o.role == isa::Role::Old; }

} // namespace

EarlyUses::EarlyUses(const InFlightFlow &flow) : flow(flow), ends(flow.flow.blocks().size()) {
  filters.reserve(flow.code.size());
  for (const Instruction &i : flow.code) {
    uint64_t bits = 0;
    forEachRegister(i, [&](const Operand &o) {
      if (!isOld(o))
        bits |= filterOf(rangeOf(o));
    });
    filters.push_back(bits);
  }
}

void EarlyUses::walk(Visit visit) const {
  auto blocks = flow.flow.blocks();
  llvm::SmallVector<EarlyUse, 2> uses;
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!flow.flow.reachable(b))
      continue;
    InFlight state = flow.before(b);
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      uses.clear();
      findAt(state, i, uses);
      visit(i, uses, state);
      flow.step(state, i);
    }
  }
}

void EarlyUses::findAt(InFlight &state, uint32_t number, llvm::SmallVectorImpl<EarlyUse> &uses) const {
  for (size_t k = 0; k < state.size();) {
    const Outstanding o = state[k];
    auto found = o.counter == Counter::X || !mayMeet(number, o.operation) ? std::nullopt : conflict(number, o);
    if (!found) {
      ++k;
      continue;
    }
    EarlyUse use{number, o.operation, *found, isUncovered(state, o.operation), {}};
    for (const Outstanding &each : state)
      if (each.operation == o.operation && each.counter != Counter::X)
        use.waits.push_back({each.counter, each.line ? each.newer : uint8_t(0)});
    uses.push_back(std::move(use));
    llvm::erase_if(
        state, [&](const Outstanding &each) { return each.operation == o.operation && each.counter != Counter::X; });
    k = 0;
  }
}

std::optional<Conflict> EarlyUses::conflict(uint32_t number, const Outstanding &o) const {
  if (!mayMeet(number, o.operation))
    return std::nullopt;
  std::optional<Conflict> read, overwritten;
  for (const Operand &result : flow.code[o.operation].operands) {
    if (!isFilled(result))
      continue;
    forEachRegister(flow.code[number], [&](const Operand &other) {
      if (isOld(other) || !rangeOf(result).overlaps(rangeOf(other)))
        return;
      if (!other.def && !read)
        read = Conflict{other, sharedOf(result, other), true};
      if (other.def && !overwritten && !returnsInOrder(number, o))
        overwritten = Conflict{other, sharedOf(result, other), false};
    });
  }
  return read ? read : overwritten;
}

bool EarlyUses::returnsInOrder(uint32_t newer, const Outstanding &o) const {
  const target::Generation &generation = flow.target.generation;
  if (countersOf(flow.code[newer]) != countersOf(flow.code[o.operation]) || !o.line)
    return false;
  const bool lds = o.counter == Counter::Lgkm || o.counter == Counter::Ds;
  return (lds || generation.vectorMemoryInOrder) &&
         isa::completionLine(flow.code[newer], o.counter, generation) == o.line;
}

bool EarlyUses::isUncovered(const InFlight &state, uint32_t operation) const {
  const isa::CounterMask mask = countersOf(flow.code[operation]);
  for (unsigned c = 0; c < isa::counterCount; ++c)
    if (mask & (1u << c) && llvm::none_of(state, [&](const Outstanding &o) {
          return o.operation == operation && o.counter == Counter(c) && !o.done;
        }))
      return false;
  return true;
}

std::optional<Conflict> EarlyUses::overwrittenSource(uint32_t number, const Outstanding &o) const {
  const Instruction &i = flow.code[number], &operation = flow.code[o.operation];
  if (o.newer || !mayMeet(number, o.operation) || i.increments & isa::maskOf(Counter::X))
    return std::nullopt;
  std::optional<Conflict> found;
  forEachRegister(i, [&](const Operand &def) {
    if (!found && def.def)
      for (const Operand &source : operation.operands)
        if (!found && source.isRegister() && !source.def && !source.implicit && !isOld(source) &&
            rangeOf(source).overlaps(rangeOf(def)))
          found = Conflict{def, sharedOf(source, def), false};
  });
  return found;
}

const InFlight &EarlyUses::endOf(uint32_t block) const {
  if (!ends[block])
    ends[block] = flow.after(block);
  return *ends[block];
}

/// Breadth first against the edges, from the instruction's block to the operation's.
std::vector<uint32_t> EarlyUses::path(uint32_t operation, uint32_t instruction, bool translation) const {
  const uint32_t from = flow.flow.blockOf(operation), to = flow.flow.blockOf(instruction);
  if (from == to && operation < instruction)
    return {};
  const auto isOutstanding = [&](const Outstanding &o) {
    return o.operation == operation && (translation ? o.counter == Counter::X : o.counter != Counter::X && !o.done);
  };
  auto blocks = flow.flow.blocks();
  std::vector<uint32_t> next(blocks.size(), ~0u), work{to};
  for (size_t at = 0; at < work.size(); ++at)
    for (uint32_t p : blocks[work[at]].predecessors) {
      if (next[p] != ~0u || !flow.flow.reachable(p) || llvm::none_of(endOf(p), isOutstanding))
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

} // namespace fly::dataflow
