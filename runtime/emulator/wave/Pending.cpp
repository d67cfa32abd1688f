// The queue of outstanding memory operations; see Pending.h.
#include "runtime/emulator/wave/Pending.h"
#include "runtime/emulator/wave/Observer.h"

#include <algorithm>
#include <utility>

namespace fly::emulator {

using isa::Counter;
using isa::maskOf;

namespace {

constexpr uint32_t patience = 1024;
constexpr unsigned blockSize = 8;

/// The queue within a counter in which operations complete in order; 0: any order.
unsigned lineOf(const Pending &p, Counter c) {
  switch (p.order) {
  case MemoryOrder::None: return 0;
  case MemoryOrder::InOrder: return 1;
  case MemoryOrder::ScratchStore: return c == Counter::Store ? 2 : 1;
  case MemoryOrder::AsyncStore: return 2;
  }
  return 0;
}

bool mustPrecede(const Pending &older, const Pending &p) {
  if (!older.ordered || !p.ordered) return false;
  if ((older.writes || p.writes) && older.range.overlaps(p.range)) return true;
  // The LDS side of a transfer is performed after earlier LDS operations, but not necessarily before later ones.
  if (p.ldsRange.high && (((p.writesLds || older.writes) && older.range.overlaps(p.ldsRange)) ||
                          ((p.writesLds || older.writesLds) && older.ldsRange.overlaps(p.ldsRange))))
    return true;
  return false;
}

/// Tells of an operation of the wave.
void tell(Wave &w, void (WaveObserver::*what)(Wave &, const Pending &), const Pending &p) {
  w.observers.tell(Hook::Operation, what, w, p);
}

} // namespace

PendingQueue::PendingQueue() {
  queue.reserve(96);
  chosen.reserve(96);
}
PendingQueue::~PendingQueue() = default;

void PendingQueue::grow() {
  blocks.push_back(std::make_unique_for_overwrite<Pending[]>(blockSize));
  for (unsigned k = blockSize; k > 0; --k) idle.push_back(&blocks.back()[k - 1]);
}

void PendingQueue::reset() {
  for (Pending *p : queue) idle.push_back(p);
  queue.clear();
  std::fill(std::begin(outstanding), std::end(outstanding), uint8_t(0));
  waits = 0;
}

void PendingQueue::refilter(Wave &w) const {
  w.pendingVector = w.pendingScalar = 0;
  if (w.checkWaits == CheckMode::Off) return;
  for (const Pending *p : queue)
    if (p->words)
      (p->scalar ? w.pendingScalar : w.pendingVector) |=
          p->scalar ? scalarFilter(p->dst, p->words) : vectorFilter(p->dst, p->registers());
}

void PendingQueue::add(Wave &w, Pending &p) {
  for (unsigned m = p.remaining; m; m &= m - 1)
    if (auto c = static_cast<unsigned>(std::countr_zero(m)); outstanding[c]++ == w.program->arch.counterCapacity[c])
        [[unlikely]]
      makeRoom(w, c);
  p.age = waits;
  queue.push_back(&p);
  tell(w, &WaveObserver::issue, p);
  if (p.words && w.checkWaits != CheckMode::Off) {
    if (p.scalar) w.pendingScalar |= scalarFilter(p.dst, p.words);
    else w.pendingVector |= vectorFilter(p.dst, p.words);
  }
}

/// A full counter delays the issue until an operation completes. Which one completes is certain only for operations
/// that complete in order; others stay as long as there are such.
void PendingQueue::makeRoom(Wave &w, unsigned c) {
  while (outstanding[c] > w.program->arch.counterCapacity[c]) {
    size_t victim = queue.size(), any = queue.size();
    for (size_t k = 0; k < queue.size() && victim == queue.size(); ++k) {
      if (!(queue[k]->remaining >> c & 1)) continue;
      if (any == queue.size()) any = k;
      if (lineOf(*queue[k], static_cast<Counter>(c))) victim = k;
    }
    if (victim == queue.size()) victim = any;
    if (victim == queue.size()) break;
    Pending *p = queue[victim];
    // Its other counter, if it has one, still holds the result back.
    --outstanding[c];
    p->remaining &= static_cast<uint16_t>(~(1u << c));
    if (!p->remaining) {
      complete(w, *p, victim);
      queue.erase(queue.begin() + static_cast<ptrdiff_t>(victim));
      idle.push_back(p);
      refilter(w);
    }
  }
}

/// Performs those before `position` that must precede it.
void PendingQueue::performOlder(Wave &w, size_t position) {
  for (size_t k = 0; k < position; ++k)
    if (!queue[k]->performed && mustPrecede(*queue[k], *queue[position])) perform(w, k);
}

void PendingQueue::perform(Wave &w, size_t position) {
  performOlder(w, position);
  Pending &p = *queue[position];
  p.performed = true;
  tell(w, &WaveObserver::perform, p);
  if (WaveObserver *executor = w.observers.executor()) [[unlikely]]
    return executor->carryOut(w, p);
  if (p.actions->perform) p.actions->perform(w, p);
}

void PendingQueue::complete(Wave &w, Pending &p, size_t position) {
  if (!p.performed) performOlder(w, position);
  finish(w, p);
}

/// Performs and delivers what nothing older must precede any more.
void PendingQueue::finish(Wave &w, Pending &p) {
  if (p.status) [[unlikely]] {
    uint32_t *status = w.reg(p.dst + p.words);
    for (uint64_t m = p.active; m; m &= m - 1) status[std::countr_zero(m)] = 0;
  }
  WaveObserver *const executor = w.observers.executor();
  if (!p.performed) {
    p.performed = true;
    tell(w, &WaveObserver::perform, p);
    if (p.actions->direct && (!executor || executor->isPlain(w, p))) return p.actions->direct(w, p);
    if (executor) [[unlikely]]
      executor->carryOut(w, p);
    else if (p.actions->perform) p.actions->perform(w, p);
  } else {
    tell(w, &WaveObserver::waitedFor, p);
  }
  if (executor) [[unlikely]]
    return executor->deliver(w, p);
  if (p.actions->deliver && p.words) p.actions->deliver(w, p);
}

/// Waits for everything, if no other counter holds any of it back: there is no choice to make.
bool PendingQueue::waitForAll(Wave &w, unsigned c) {
  if (outstanding[c] != queue.size()) return false;
  for (const Pending *p : queue)
    if (p->remaining != 1u << c) return false;
  for (Pending *p : queue)
    if (w.stop != Stop::Fault) finish(w, *p);
  for (Pending *p : queue) idle.push_back(p);
  queue.clear();
  outstanding[c] = 0;
  w.pendingVector = w.pendingScalar = 0;
  return true;
}

void PendingQueue::wait(Wave &w, Counter counter, unsigned limit) {
  const unsigned c = static_cast<unsigned>(counter);
  if (outstanding[c] <= limit || (limit == 0 && !isLate && waitForAll(w, c))) return;
  size_t count = queue.size();
  chosen.assign(count, 0);
  // From the youngest: an operation may remain while at most `limit` of its line, itself counted, are outstanding.
  unsigned younger[3] = {0, 0, 0};
  bool any = false;
  for (size_t k = count; k-- > 0;) {
    const Pending &p = *queue[k];
    if (!(p.remaining >> c & 1)) continue;
    unsigned line = lineOf(p, counter);
    chosen[k] = line == 0 ? limit == 0 : younger[line]++ >= limit;
    if (isLate && chosen[k] && !std::exchange(queue[k]->missed, true)) [[unlikely]]
      chosen[k] = p.scalar && p.remaining & maskOf(Counter::Lgkm);
    any |= chosen[k];
  }
  if (!any) return;
  size_t kept = 0;
  bool registers = false;
  for (size_t k = 0; k < count; ++k) {
    Pending *p = queue[k];
    if (chosen[k]) {
      --outstanding[c];
      p->remaining &= static_cast<uint16_t>(~(1u << c));
      chosen[k] = p->remaining == 0;
    }
    if (!chosen[k]) continue;
    complete(w, *p, k);
    registers |= p->words != 0;
    if (w.stop == Stop::Fault) break;
  }
  for (size_t k = 0; k < count; ++k) {
    if (chosen[k]) idle.push_back(queue[k]);
    else queue[kept++] = queue[k];
  }
  queue.resize(kept);
  if (registers) refilter(w);
}

void PendingQueue::passed(Wave &w) {
  if (++waits % patience) return;
  for (size_t k = 0; k < queue.size(); ++k) {
    Pending &p = *queue[k];
    if (!p.performed && (p.writes || p.writesLds) && waits - p.age >= patience) perform(w, k);
  }
}

bool PendingQueue::performWrites(Wave &w) {
  bool any = false;
  for (size_t k = 0; k < queue.size(); ++k) {
    if (queue[k]->performed || !(queue[k]->writes || queue[k]->writesLds)) continue;
    perform(w, k);
    any = true;
  }
  return any;
}

void PendingQueue::completeAll(Wave &w) {
  for (size_t k = 0; k < queue.size() && w.stop != Stop::Fault; ++k) complete(w, *queue[k], k);
  uint32_t passedWaits = waits;
  reset();
  waits = passedWaits;
  w.pendingVector = w.pendingScalar = 0;
}

Pending &beginPending(Wave &w, const Inst &i, const PendingActions &actions) {
  if (!w.pending) [[unlikely]]
    w.pending.reset(new PendingQueue);
  Pending &p = w.pending->take();
  p.actions = &actions;
  p.number = i.number;
  p.remaining = i.counters;
  p.order = i.order;
  p.writes = p.writesLds = false;
  p.ordered = true;
  p.performed = p.missed = false;
  p.dst = i.dst;
  p.words = 0;
  p.status = false;
  p.scalar = i.dstScalar;
  p.contiguous = false;
  p.active = w.exec() & w.laneMask;
  p.outside = p.partial = 0;
  p.range = p.ldsRange = HostRange();
  p.base = 0;
  p.second = 0;
  p.bytes = 0;
  p.twin = nullptr;
  return p;
}

void deliverWords(Wave &w, Pending &p) {
  uint32_t *d = w.reg(p.dst);
  if (p.active == w.laneMask) {
    std::memcpy(d, p.data, static_cast<size_t>(p.words - 1) * laneStride * 4 + w.lanes * 4);
    return;
  }
  for (unsigned k = 0; k < p.words; ++k)
    for (uint64_t m = p.active; m; m &= m - 1) {
      unsigned at = k * laneStride + static_cast<unsigned>(std::countr_zero(m));
      d[at] = p.data[at];
    }
}

void deliverLater(Wave &w, const Inst &i, const uint32_t *lanes, unsigned words) {
  static constexpr PendingActions actions{nullptr, deliverWords, nullptr};
  Pending &p = beginPending(w, i, actions);
  p.words = static_cast<uint8_t>(words);
  std::memcpy(p.data, lanes, words * laneStride * 4);
  submit(w, p);
}

void deliverScalarLater(Wave &w, const Inst &i, uint64_t value, unsigned words) {
  static constexpr PendingActions actions{
      nullptr, [](Wave &w, Pending &p) { std::memcpy(w.scalar + p.dst, p.data, p.words * 4u); }, nullptr};
  Pending &p = beginPending(w, i, actions);
  p.words = static_cast<uint8_t>(words);
  p.scalar = true;
  std::memcpy(p.data, &value, 8);
  submit(w, p);
}

void drainPending(Wave &w) {
  if (w.pending && !w.pending->empty()) w.pending->completeAll(w);
}

void PendingDelete::operator()(PendingQueue *q) const { delete q; }

//===--------------------------------------------------------------------------------------------------------===//
// Registers with pending values
//===--------------------------------------------------------------------------------------------------------===//

namespace {

/// Of s_waitcnt, of an instruction for the counter alone.
struct CounterText {
  Counter counter;
  const char *joint, *single;
};
constexpr CounterText counterTexts[] = {{Counter::Vm, "s_waitcnt vmcnt", ""},
                                        {Counter::Lgkm, "s_waitcnt lgkmcnt", ""},
                                        {Counter::Exp, "s_waitcnt expcnt", "s_wait_expcnt"},
                                        {Counter::Load, "", "s_wait_loadcnt"},
                                        {Counter::Store, "", "s_wait_storecnt"},
                                        {Counter::Ds, "", "s_wait_dscnt"},
                                        {Counter::Km, "", "s_wait_kmcnt"},
                                        {Counter::Sample, "", "s_wait_samplecnt"},
                                        {Counter::Bvh, "", "s_wait_bvhcnt"},
                                        {Counter::Async, "", "s_wait_asynccnt"},
                                        {Counter::Tensor, "", "s_wait_tensorcnt"},
                                        {Counter::X, "", "s_wait_xcnt"}};

/// The largest count of a counter that completes the operation, as far as this counter is concerned.
unsigned neededCount(const std::vector<Pending *> &queue, const Pending &p, Counter c) {
  unsigned line = lineOf(p, c), limit = 0;
  if (line)
    for (size_t k = queue.size(); k-- > 0 && queue[k] != &p;)
      limit += (queue[k]->remaining & maskOf(c)) && lineOf(*queue[k], c) == line;
  return limit;
}

/// "s_waitcnt vmcnt(2)": the largest counts that would do.
std::string missingWait(const std::vector<Pending *> &queue, const Pending &p) {
  std::string text;
  for (unsigned m = p.remaining; m; m &= m - 1) {
    auto c = static_cast<Counter>(std::countr_zero(m));
    unsigned limit = neededCount(queue, p, c);
    for (const CounterText &t : counterTexts)
      if (t.counter == c) {
        if (!text.empty()) text += " and ";
        text += *t.single ? std::string(t.single) + " " + std::to_string(limit)
                          : std::string(t.joint) + "(" + std::to_string(limit) + ")";
      }
  }
  return text;
}

/// A use of a register whose value is on its way.
struct EarlyUse {
  Pending *pending = nullptr; ///< null: there is none
  unsigned reg = 0;
  bool written = false;
};

EarlyUse findEarlyUse(const Wave &w, const Inst &i) {
  const bool vectorInOrder = w.program->arch.generation.vectorMemoryInOrder;
  for (unsigned n = 0; n < i.rangeCount; ++n) {
    const RegisterRange &r = i.ranges[n];
    for (Pending *p : w.pending->records()) {
      if (!p->words || p->scalar != r.scalar || p->dst >= r.first + r.count || r.first >= p->dst + p->registers())
        continue;
      if (!p->active && !p->scalar) continue;
      // A later load of the same kind writes the register after this one.
      bool lds = p->remaining & (maskOf(Counter::Lgkm) | maskOf(Counter::Ds));
      if (r.written && p->order == MemoryOrder::InOrder && i.order == MemoryOrder::InOrder &&
          i.counters == p->remaining && (lds || vectorInOrder))
        continue;
      return {p, std::max<unsigned>(p->dst, r.first), r.written};
    }
  }
  return {};
}

/// Does what the wait would have done that is missing for the operation.
void waitFor(Wave &w, const Pending &p) {
  isa::Waits waits;
  for (unsigned m = p.remaining; m; m &= m - 1) {
    auto c = static_cast<Counter>(std::countr_zero(m));
    waits.limit[static_cast<unsigned>(c)] = static_cast<uint8_t>(neededCount(w.pending->records(), p, c));
  }
  w.pending->wait(w, waits);
}

} // namespace

bool mayUse(Wave &w, const Inst &i) {
  for (EarlyUse use; (use = findEarlyUse(w, i)).pending;) {
    Fault fault{
        FaultKind::MissingWait,
        registerText(*w.program, use.pending->scalar, use.reg) + (use.written ? " is overwritten" : " is read") +
            " before its value has arrived: " + missingWait(w.pending->records(), *use.pending) + " is missing"};
    fault.earlier = use.pending->number;
    if (w.checkWaits == CheckMode::Error) {
      w.fail(std::move(fault));
      return false;
    }
    w.observers.found(w, fault);
    waitFor(w, *use.pending);
    if (w.stop == Stop::Fault) return false;
  }
  return true;
}

} // namespace fly::emulator
