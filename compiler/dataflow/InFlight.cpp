#include "compiler/dataflow/InFlight.h"

#include "compiler/dataflow/Solver.h"
#include "compiler/isa/Counters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace fly::dataflow {

using isa::Class;
using isa::Counter;
using isa::Instruction;

namespace {

bool readsRegister(const Instruction &i) {
  return llvm::any_of(i.operands, [](const isa::Operand &o) {
    return o.isRegister() && !o.def && !o.implicit && !o.isSpecial(isa::Special::Null);
  });
}

/// Takes over what another state knows of the same operation.
void keepLess(Outstanding &to, const Outstanding &from) {
  to.newer = std::min(to.newer, from.newer);
  to.likely = std::min(to.likely, from.likely);
  to.done &= from.done;
}

} // namespace

isa::Waits waitsOf(const Instruction &i) {
  if (!isa::isCall(i))
    return i.waits;
  isa::Waits all;
  all.limit.fill(0);
  for (Counter c : {Counter::Store, Counter::Vs, Counter::Async, Counter::Tensor})
    all.limit[unsigned(c)] = isa::Waits::none;
  return all;
}

bool isCovered(const Outstanding &o, const isa::Waits &waits) {
  const uint8_t limit = waits[o.counter];
  return limit != isa::Waits::none && (limit == 0 || (o.line && o.newer >= limit));
}

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
    keepLess(both, b);
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

InFlightFlow::InFlightFlow(llvm::ArrayRef<Instruction> code, const isa::ControlFlow &flow, const target::Target &target,
                           Follow follow)
    : code(code), flow(flow), target(target), byPass(follow == Follow::Everything) {
  raises.reserve(code.size());
  for (const Instruction &i : code) {
    const bool tracked = follow == Follow::Everything || fillsRegister(i) || translates(i) ||
                         (follow == Follow::ResultsAndLds && (movesToLds(i) || storesToLds(i)));
    const isa::CounterMask counters = follow == Follow::Everything ? countersOf(i) : i.increments;
    raises.push_back({counters, i.form == isa::Form::FLAT, counters && tracked});
  }
  for (const isa::Block &block : flow.blocks()) {
    auto &list = relevant.emplace_back();
    for (uint32_t i = block.first; i < block.last; ++i)
      if (raises[i].counters || waitsOf(code[i]).any())
        list.push_back(i);
  }
  run(/*reachableAlone=*/follow != Follow::Everything);
}

void InFlightFlow::run(bool reachableAlone) {
  auto blocks = flow.blocks();
  in.resize(blocks.size());
  llvm::BitVector pending(unsigned(blocks.size()));
  for (uint32_t b = 0; b < blocks.size(); ++b)
    if (!reachableAlone || flow.reachable(b))
      pending.set(b);
  solve(
      Direction::Forward, pending, in,
      [&](uint32_t b) {
        llvm::SmallVector<uint32_t, 2> next = blocks[b].successors;
        if (!flow.reachable(b))
          llvm::erase_if(next, [&](uint32_t to) { return flow.reachable(to); });
        return next;
      },
      [&](uint32_t b, InFlight state) {
        for (uint32_t i : relevant[b])
          step(state, i);
        return state;
      },
      [](InFlight &to, const InFlight &from) { return unite(to, from); });
}

InFlight InFlightFlow::after(uint32_t block) const {
  InFlight state = in[block];
  for (uint32_t i : relevant[block])
    step(state, i);
  return state;
}

void InFlightFlow::wait(InFlight &state, const isa::Waits &waits) const {
  llvm::SmallVector<uint32_t, 16> complete;
  llvm::erase_if(state, [&](const Outstanding &o) {
    const bool covered = isCovered(o, waits);
    if (covered && o.counter != Counter::X && target.translationCounter)
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
  const target::Generation &generation = target.generation;
  if (isa::Waits waits = waitsOf(code[number]); waits.any())
    return wait(state, waits);
  const Raise &raise = raises[number];
  if (!raise.counters)
    return;
  if (raise.counters & isa::maskOf(Counter::X)) // the hardware waits between scalar and vector memory by itself
    llvm::erase_if(state, [&](const Outstanding &o) {
      return o.counter == Counter::X &&
             code[o.operation].is(Class::ScalarMemory) != code[number].is(Class::ScalarMemory);
    });
  for (unsigned c = 0; c < isa::counterCount; ++c) {
    const Counter counter = Counter(c);
    if (!(raise.counters & isa::maskOf(counter)))
      continue;
    const unsigned line = isa::completionLine(code[number], counter, generation);
    const uint8_t capacity = target::counterCapacity(counter, generation);
    for (Outstanding &o : state) {
      if (o.counter != counter)
        continue;
      const bool flat = raises[o.operation].flat;
      o.newer += counter == Counter::X ? o.newer < 255 : line && o.line == line;
      o.likely += o.likely < 255 && ((line && (o.line == line || flat)) || (raise.flat && (o.line || flat)));
      o.pass += byPass && o.operation == number && o.pass < oldestPass;
    }
    llvm::erase_if(state, [&](const Outstanding &o) {
      return o.counter == counter && ((o.line && o.newer >= capacity) || (!byPass && o.operation == number));
    });
    if (!raise.tracked)
      continue;
    const Outstanding begun{number, counter, uint8_t(line)};
    auto at = state.insert(llvm::lower_bound(state, begun, [](auto &a, auto &b) { return a.key() < b.key(); }), begun);
    // The two oldest instances of an operation are one.
    while (byPass && ++at != state.end() && at->operation == number && at->counter == counter)
      if (auto before = at - 1; before->pass == at->pass)
        keepLess(*before, *at), at = state.erase(at) - 1;
  }
}

} // namespace fly::dataflow
