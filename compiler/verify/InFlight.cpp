#include "compiler/verify/InFlight.h"

#include "compiler/isa/Counters.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

namespace fly::verify {

using isa::Class;
using isa::Counter;
using isa::Instruction;

namespace {

/// What a call waits for: LLVM's functions begin with waits for all that registers may depend on, and end with them.
isa::Waits waitsAt(const Program &program, uint32_t number) {
  if (!program.isCall(number))
    return program.code[number].waits;
  isa::Waits all;
  all.limit.fill(0);
  return all;
}

bool readsRegister(const Instruction &i) {
  return llvm::any_of(i.operands, [](const isa::Operand &o) {
    return o.isRegister() && !o.def && !o.implicit && !o.isSpecial(isa::Special::Null);
  });
}

} // namespace

bool unite(InFlight &to, const InFlight &from) {
  InFlight out;
  out.reserve(to.size() + from.size());
  auto a = to.begin();
  bool changed = false;
  for (const Outstanding &b : from) {
    while (a != to.end() && a->key() < b.key())
      out.push_back(*a++);
    if (a == to.end() || a->key() != b.key()) {
      out.push_back(b);
      changed = true;
      continue;
    }
    Outstanding both = *a++;
    both.newer = std::min(both.newer, b.newer);
    both.likely = std::min(both.likely, b.likely);
    both.done &= b.done;
    changed |= both != *(a - 1);
    out.push_back(both);
  }
  out.insert(out.end(), a, to.end());
  if (changed)
    to = std::move(out);
  return changed;
}

bool movesToLds(const Instruction &i) {
  return i.mayLoad && (i.modifiers.lds || llvm::StringRef(isa::name(i.op)).contains("_LDS_") ||
                       llvm::StringRef(isa::name(i.op)).starts_with("TENSOR_LOAD"));
}

bool storesToLds(const Instruction &i) { return i.is(Class::Lds) && i.mayStore; }
bool arrivesAtBarrier(const Instruction &i) {
  const llvm::StringRef op = isa::name(i.op);
  return i.is(Class::Barrier) && (op == "S_BARRIER" || op.starts_with("S_BARRIER_SIGNAL"));
}

/// LLVM 22 waits for the translations of no asynchronous operation and of no transfer of tensors.
bool translates(const Instruction &i) {
  constexpr isa::CounterMask others = isa::maskOf(Counter::Async) | isa::maskOf(Counter::Tensor);
  return i.increments & isa::maskOf(Counter::X) && !(i.increments & others) && readsRegister(i);
}

bool isFilled(const isa::Operand &o) {
  return o.isRegister() && o.def && !o.isSpecial(isa::Special::Null) && !o.isSpecial(isa::Special::AsyncCnt) &&
         !o.isSpecial(isa::Special::TensorCnt);
}
bool fillsRegister(const Instruction &i) { return llvm::any_of(i.operands, isFilled); }

isa::CounterMask countersOf(const Instruction &i) { return i.increments & ~isa::maskOf(Counter::X); }

InFlightFlow::InFlightFlow(const Program &program, bool writesOfLds) : program(program) {
  raises.reserve(program.code.size());
  for (const Instruction &i : program.code) {
    const bool tracked = fillsRegister(i) || translates(i) || (writesOfLds && (movesToLds(i) || storesToLds(i)));
    raises.push_back({i.increments, i.form == isa::Form::FLAT, i.increments && tracked});
  }
  for (const isa::Block &block : program.flow.blocks()) {
    auto &list = relevant.emplace_back();
    for (uint32_t i = block.first; i < block.last; ++i)
      if (raises[i].counters || waitsAt(program, i).any())
        list.push_back(i);
  }
  run();
}

void InFlightFlow::run() {
  auto blocks = program.flow.blocks();
  in.resize(blocks.size());
  std::set<uint32_t> work;
  for (uint32_t b = 0; b < blocks.size(); ++b)
    if (program.flow.reachable(b))
      work.insert(b);
  while (!work.empty()) {
    const uint32_t b = *work.begin();
    work.erase(work.begin());
    InFlight state = in[b];
    for (uint32_t i : relevant[b])
      step(state, i);
    for (uint32_t to : blocks[b].successors)
      if (unite(in[to], state))
        work.insert(to);
  }
}

void InFlightFlow::wait(InFlight &state, const isa::Waits &waits) const {
  llvm::SmallVector<uint32_t, 16> complete;
  llvm::erase_if(state, [&](const Outstanding &o) {
    const uint8_t limit = waits[o.counter];
    const bool covered = limit != isa::Waits::none && (limit == 0 || (o.line && o.newer >= limit));
    if (covered && o.counter != Counter::X && program.target.translationCounter)
      complete.push_back(o.operation);
    return covered;
  });
  // An operation that is complete has translated its addresses.
  if (!complete.empty())
    llvm::erase_if(state, [&](const Outstanding &o) {
      return o.counter == Counter::X && llvm::is_contained(complete, o.operation);
    });
  for (Outstanding &o : state)
    if (const uint8_t limit = waits[o.counter]; limit != isa::Waits::none)
      o.done |= o.likely >= limit && (o.line || raises[o.operation].flat);
}

void InFlightFlow::step(InFlight &state, uint32_t number) const {
  const target::Generation generation = program.target.generation;
  if (isa::Waits waits = waitsAt(program, number); waits.any())
    return wait(state, waits);
  const Raise &raise = raises[number];
  if (!raise.counters)
    return;
  if (raise.counters & isa::maskOf(Counter::X)) // the hardware waits between scalar and vector memory by itself
    llvm::erase_if(state, [&](const Outstanding &o) {
      return o.counter == Counter::X &&
             program.code[o.operation].is(Class::ScalarMemory) != program.code[number].is(Class::ScalarMemory);
    });
  for (unsigned c = 0; c < isa::counterCount; ++c) {
    const Counter counter = Counter(c);
    if (!(raise.counters & isa::maskOf(counter)))
      continue;
    const unsigned line = isa::completionLine(program.code[number], counter, generation);
    const uint8_t capacity = target::counterCapacity(counter, generation);
    for (Outstanding &o : state) {
      if (o.counter != counter)
        continue;
      const bool flat = raises[o.operation].flat;
      o.newer += counter == Counter::X ? o.newer < 255 : line && o.line == line;
      o.likely += o.likely < 255 && ((line && (o.line == line || flat)) || (raise.flat && (o.line || flat)));
    }
    llvm::erase_if(state, [&](const Outstanding &o) {
      return o.counter == counter && ((o.line && o.newer >= capacity) || o.operation == number);
    });
    if (!raise.tracked)
      continue;
    const Outstanding begun{number, counter, uint8_t(line)};
    state.insert(llvm::lower_bound(state, begun, [](auto &a, auto &b) { return a.key() < b.key(); }), begun);
  }
}

bool InFlightFlow::isOutstandingAfter(uint32_t block, uint32_t operation, bool translation) const {
  InFlight state = in[block];
  for (uint32_t i : relevant[block])
    step(state, i);
  return llvm::any_of(state, [&](const Outstanding &o) {
    return o.operation == operation && (o.counter == Counter::X) == translation;
  });
}

} // namespace fly::verify
