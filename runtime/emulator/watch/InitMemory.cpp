// Memory operations of values that were never written; see InitCheck.h.
//
// At issue: addresses must not depend on unset values. If stored data does, the instruction also issues in the second
// run, which gives a record with that run's data: a twin. Global memory is then compared with the twin and takes none;
// for LDS and scratch the twin stays with the record.
//
// When the record is performed, its bytes of LDS and scratch may be unset: then a twin is made, if there is none, and
// both are performed, each on its memory. Results are delivered to both register files.
#include "runtime/emulator/watch/InitCheck.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace fly::emulator {

using isa::Class;
using isa::Operand;
using isa::Role;

namespace {

template <class F> void forLanes(uint64_t mask, F f) {
  for (; mask; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

/// Lanes exchange registers: nothing is addressed, though the instruction belongs to LDS.
bool isExchange(const isa::Instruction &from) {
  const std::string_view name = isa::name(from.op);
  return name.starts_with("DS_PERMUTE") || name.starts_with("DS_BPERMUTE") || name.starts_with("DS_SWIZZLE");
}
/// M0 is a part of the address.
bool usesM0(const isa::Instruction &from) {
  const std::string_view name = isa::name(from.op);
  return from.modifiers.lds || name.find("_LDS_D") != name.npos || name.find("ADDTID") != name.npos ||
         name.starts_with("DS_APPEND") || name.starts_with("DS_CONSUME");
}
bool isBlock(const isa::Instruction &from) { return isa::name(from.op).ends_with("_BLOCK"); }
/// Global memory is the destination, LDS the source.
bool isStoreFromLds(const isa::Instruction &from) {
  return isa::name(from.op).find("ASYNC_FROM_LDS") != std::string_view::npos;
}

/// The register of an operand of a memory instruction.
std::optional<RegisterRange> rangeOf(const Inst &i, const Operand &o) {
  if (!o.isRegister() || o.def) return std::nullopt;
  RegisterRange r{0, o.width, true, false};
  if (o.isVgpr() || o.isAgpr()) {
    if (o.role != Role::Vaddr && o.role != Role::Vdata && o.role != Role::Vdata1) return std::nullopt;
    r.first = i.source[o.role == Role::Vaddr ? 0 : o.role == Role::Vdata ? 1 : 2].index;
    r.scalar = false;
  } else if (o.isSgpr()) r.first = o.index;
  else if (o.isSpecial(isa::Special::VCC)) r.first = static_cast<uint16_t>(slot::vcc + o.sub);
  else if (o.isSpecial(isa::Special::M0)) r.first = slot::m0;
  else return std::nullopt;
  return r;
}

/// How many bytes a lane stores, or gives to an atomic.
unsigned bytesStored(const isa::Instruction &from, const Pending &p) {
  unsigned words = 0;
  for (const Operand &o : from.operands)
    if (o.role == Role::Vdata || o.role == Role::Vdata1) words += o.width;
  return std::min(p.bytes && !from.isAtomic ? p.bytes : 4 * words, 16u);
}

void performIn(Wave &w, Pending &p) {
  if (p.actions->perform) p.actions->perform(w, p);
}

} // namespace

InitCheck::Twin &InitCheck::makeTwin(const Pending &from) {
  if (idleTwins.empty()) idleTwins.push_back(&twins.emplace_back());
  Twin &t = *idleTwins.back();
  idleTwins.pop_back();
  static_cast<Pending &>(t) = from;
  t.twin = nullptr;
  t.origin = Origin();
  return t;
}

void InitCheck::dropTwin(Pending &p) {
  if (p.twin) idleTwins.push_back(static_cast<Twin *>(p.twin));
  p.twin = nullptr;
}

//===--------------------------------------------------------------------------------------------------------===//
// Issue
//===--------------------------------------------------------------------------------------------------------===//

/// False if the wave has failed.
bool InitCheck::checkAddresses(Wave &w, const Inst &i) {
  const isa::Instruction &from = instructionOf(w, i);
  const uint64_t active = w.exec() & w.laneMask;
  const bool scalarOnly = from.cls == Class::ScalarMemory;
  if (!(from.mayLoad || from.mayStore) || (!scalarOnly && !active)) return true;
  for (const Operand &o : from.operands) {
    const bool address = o.role == Role::Vaddr || o.role == Role::Saddr || o.role == Role::Srsrc ||
                         o.role == Role::Soffset || (o.isSpecial(isa::Special::M0) && usesM0(from));
    const auto r = address ? rangeOf(i, o) : std::nullopt;
    if (!r || !registers.isUnset(*r, active)) continue;
    unsigned reg = r->first;
    while (!registers.isUnset({static_cast<uint16_t>(reg), 1, r->scalar, false}, active)) ++reg;
    Origin origin = registers.originOf(*r, active);
    if (!origin.reader) origin.reader = i.number;
    const std::string text = registerText(*w.program, r->scalar, reg);
    report(w, "an address is in " + text, text, origin,
           r->scalar ? -1 : std::countr_zero(registers.unset(reg) & active));
    registers.settle(*r, active);
    if (w.stop == Stop::Fault) return false;
  }
  return true;
}

/// Compares what a store gives to global memory in both runs.
void InitCheck::checkStored(Wave &w, const Inst &i, const Pending &p, const Pending &q, uint64_t lanes, Origin from) {
  const unsigned bytes = bytesStored(instructionOf(w, i), p);
  bool done = false;
  forLanes(p.lanes() & lanes, [&](unsigned l) {
    const unsigned count = p.partial >> l & 1 ? std::min(bytes, 4 * p.wordsInside(l)) : bytes;
    for (unsigned k = 0; k < count && !done; ++k) {
      const unsigned at = k / 4 * laneStride + l;
      if (!((p.data[at] ^ q.data[at]) >> 8 * (k % 4) & 0xff)) continue;
      const uint64_t host =
          reinterpret_cast<uint64_t>(p.contiguous ? p.at(0) + size_t(p.bytes ? p.bytes : bytes) * l : p.at(l)) + k;
      const Allocation *all = w.lastAllocation;
      const bool known = all && host - reinterpret_cast<uint64_t>(all->host) < all->bytes;
      const std::string reg = registerText(*w.program, false, i.source[1].index + k / 4);
      report(w, (known && !all->name.empty() ? "a store to `" + all->name + "` writes " : "a store writes ") + reg, reg,
             from, static_cast<int>(l), known ? host - reinterpret_cast<uint64_t>(all->host) + all->address : 0, known);
      done = true;
    }
  });
}

void InitCheck::executeMemory(Wave &w, const Inst &i) {
  const isa::Instruction &from = instructionOf(w, i);
  if ((from.mayLoad || from.mayStore) && !concerns(w, i)) return i.run(w, i);
  const bool exchange = isExchange(from);
  const uint64_t active = w.exec() & w.laneMask;
  if (!exchange && !checkAddresses(w, i)) return;
  Origin origin;
  bool unset = false;
  for (const Operand &o : from.operands) {
    const bool data = o.role == Role::Vdata || o.role == Role::Vdata1 || (exchange && o.role == Role::Vaddr);
    const auto r = data ? rangeOf(i, o) : std::nullopt;
    const uint64_t lanes = exchange ? w.laneMask : active;
    if (!r || !registers.isUnset(*r, lanes)) continue;
    unset = true;
    if (r->scalar || isStoreFromLds(from)) { // an LDS address, or the data of a scalar store
      const std::string reg = registerText(*w.program, r->scalar, r->first);
      report(w, (r->scalar ? "a store writes " : "an address is in ") + reg, reg, registers.originOf(*r, active), -1);
      registers.settle(*r, active);
      if (w.stop == Stop::Fault) return;
      unset = false;
      continue;
    }
    if (origin.kind == Origin::None) origin = registers.originOf(*r, lanes);
  }
  if (!unset || isBlock(from)) {
    i.run(w, i);
    if (isBlock(from))
      for (const RegisterRange &r : registers.rangesOf(i))
        if (r.written) registers.settle(r, active);
    return;
  }
  if (!origin.reader) origin.reader = i.number;
  registers.copy(registers.rangesOf(i));
  i.run(w, i);
  if (w.stop == Stop::Fault || !w.pending || w.pending->empty()) return;
  Wave &other = registers.other;
  i.run(other, i);
  if (!other.pending || other.pending->empty()) return;
  Pending &p = *w.pending->records().back(), &q = *other.pending->records().back();
  if (p.number == i.number) {
    const uint64_t local = exchange ? p.active : localLanes(p);
    if (p.lanes() & ~local) {
      checkStored(w, i, p, q, ~local, origin);
      for (const Operand &o : from.operands)
        if (o.role == Role::Vdata || o.role == Role::Vdata1)
          if (const auto r = rangeOf(i, o)) registers.settle(*r, active & ~local);
    }
    if (local) {
      Twin &twin = makeTwin(q);
      twin.origin = origin;
      p.twin = &twin;
    }
  }
  other.pending->reset();
}

//===--------------------------------------------------------------------------------------------------------===//
// Completion
//===--------------------------------------------------------------------------------------------------------===//

/// Lanes that access LDS or scratch.
uint64_t InitCheck::localLanes(const Pending &p) const {
  if (memories.find(p.range.low) && memories.find(p.range.low) == memories.find(p.range.high - 1)) return p.active;
  if (p.contiguous || p.scalar || !memories.overlap(p.range.low, p.range.high)) return 0;
  uint64_t lanes = 0;
  forLanes(p.lanes(), [&](unsigned l) {
    if (memories.find(reinterpret_cast<uint64_t>(p.at(l)))) lanes |= 1ull << l;
  });
  return lanes;
}

/// The LDS or scratch that an operation reads or writes; null if it does neither.
SecondMemory *InitCheck::memoryOf(const Pending &p) const {
  if (p.writesLds) return &memories.lds;
  if (p.scalar || p.range.low == p.range.high) return nullptr;
  if (SecondMemory *m = memories.find(p.range.low)) return m;
  const uint64_t lanes = localLanes(p);
  return lanes ? memories.find(reinterpret_cast<uint64_t>(p.at(static_cast<unsigned>(std::countr_zero(lanes)))))
               : nullptr;
}

/// Calls f(low, high) for the bytes that an operation may touch in LDS and scratch.
template <class F> void InitCheck::windows(const Wave &w, const Pending &p, F f) const {
  constexpr uint64_t near = 512;
  if (p.writesLds) {
    if (p.ldsRange.high) return f(p.ldsRange.low, p.ldsRange.high);
    const uint64_t lds = reinterpret_cast<uint64_t>(w.group->lds); // the tensor mover: anything
    return f(lds, lds + w.group->ldsBytes);
  }
  if (p.contiguous || (!p.bytes && p.range.high - p.range.low <= near)) return f(p.range.low, p.range.high);
  const unsigned bytes = p.bytes ? p.bytes : 16;
  forLanes(p.lanes(), [&](unsigned l) {
    const uint64_t at = reinterpret_cast<uint64_t>(p.at(l));
    f(at, at + bytes);
    if (p.second) f(at + static_cast<uint64_t>(p.second), at + static_cast<uint64_t>(p.second) + bytes);
  });
}

Origin InitCheck::originAt(const Wave &w, const SecondMemory &m, uint64_t at, uint32_t reader) const {
  Origin from = m.storedFrom(at);
  if (from.kind == Origin::None) {
    const bool lds = &m == &memories.lds;
    const uint64_t base = reinterpret_cast<uint64_t>(lds ? w.group->lds : w.scratch);
    from = {lds ? Origin::Lds : Origin::Scratch, static_cast<uint32_t>(lds ? at - base : (at - base) % w.scratchBytes)};
  }
  if (!from.reader) from.reader = reader;
  return from;
}

/// Of the unset bytes of the operation, the origin of the first; none if there are none.
Origin InitCheck::unsetIn(const Wave &w, const SecondMemory &m, const Pending &p) const {
  Origin from;
  if (!m.anyUnset() || (!p.writesLds && !m.isUnset(p.range.low, p.range.high))) return from;
  if (!p.contiguous && !p.writesLds && !p.second && p.bytes && p.bytes <= 64 && m.holds(p.range.low, p.range.high)) {
    bool any = false;
    forLanes(p.lanes(), [&](unsigned l) { any |= m.isUnset(reinterpret_cast<uint64_t>(p.at(l)), p.bytes); });
    if (!any) return from;
  }
  windows(w, p, [&](uint64_t low, uint64_t high) {
    if (from.kind != Origin::None) return;
    if (const uint64_t at = m.findUnset(low, high); at != high) from = originAt(w, m, at, p.number);
  });
  return from;
}

bool InitCheck::isPlain(const Wave &w, const Pending &p) const {
  if (p.twin || p.scalar || registers.isUnset({p.dst, static_cast<uint8_t>(p.registers()), false, true}, p.active))
    return false;
  const SecondMemory *m = memoryOf(p);
  return !m || unsetIn(w, *m, p).kind == Origin::None;
}

/// A store of LDS to global memory: the bytes of LDS must be set.
void InitCheck::checkTransfer(Wave &w, const Pending &p) {
  bool done = false;
  forLanes(p.active, [&](unsigned l) {
    const uint64_t at = reinterpret_cast<uint64_t>(w.group->lds) + p.data[l], end = at + p.bytes;
    const uint64_t unset = memories.lds.findUnset(at, end);
    if (done || unset == end) return;
    done = true;
    const uint32_t now = std::exchange(w.at, p.number);
    report(w, "a store from LDS writes bytes", "", originAt(w, memories.lds, unset, p.number), static_cast<int>(l));
    if (w.stop != Stop::Fault) w.at = now;
  });
}

void InitCheck::carryOut(Wave &w, Pending &p) {
  const isa::Instruction &from = w.program->instructions[p.number];
  if (!p.writesLds && p.ldsRange.high && isStoreFromLds(from)) {
    checkTransfer(w, p);
    if (w.stop != Stop::Fault) performIn(w, p);
    return;
  }
  SecondMemory *m = memoryOf(p);
  if (!p.bytes && isBlock(from)) {
    performIn(w, p);
    if (m && p.writes) m->settle(p.range.low, p.range.high);
    return;
  }
  const Origin unset = m ? unsetIn(w, *m, p) : Origin();
  if (!p.twin && unset.kind == Origin::None) return performIn(w, p);
  if (!m) return performIn(w, p); // an exchange: each record has its lanes
  if (!p.twin) {
    Twin &q = makeTwin(p);
    p.twin = &q;
    if (p.writesLds) q.extra[0] += memories.lds.distance(); // where transfers to LDS have their destination
    else if (p.contiguous || (memories.find(p.range.low) == m && memories.find(p.range.high - 1) == m))
      q.base += m->distance();
    else {
      q.base = 0;
      forLanes(p.lanes(), [&](unsigned l) {
        const uint64_t at = reinterpret_cast<uint64_t>(p.at(l));
        const SecondMemory *local = memories.find(at);
        q.address[l] = at + (local ? local->distance() : 0);
      });
    }
  }
  Twin &q = static_cast<Twin &>(*p.twin);
  if (q.origin.kind == Origin::None) q.origin = unset;
  const uint64_t local = p.writesLds ? p.active : localLanes(p);
  for (SecondMemory *each : {&memories.lds, &memories.scratch})
    windows(w, p, [&](uint64_t low, uint64_t high) { each->copy(low, high); });
  performIn(w, p);
  registers.copy({});
  q.active &= local;
  if (q.active || !q.words) performIn(registers.other, q);
  q.active = p.active;
  if (p.words)
    for (unsigned k = 0; k < p.words; ++k)
      forLanes(p.active & ~local, [&](unsigned l) { q.data[k * laneStride + l] = p.data[k * laneStride + l]; });
  for (SecondMemory *each : {&memories.lds, &memories.scratch})
    windows(w, p, [&](uint64_t low, uint64_t high) { each->compare(low, high, q.origin, p.writes && p.bytes); });
}

void InitCheck::deliver(Wave &w, Pending &p) {
  const RegisterRange range{p.dst, static_cast<uint8_t>(p.words), p.scalar, true};
  if (p.scalar && p.words) registers.settle(range, 0); // some have been written when the operation was performed
  if (!p.actions->deliver || !p.words) return dropTwin(p);
  if (p.scalar || (!p.twin && !registers.isUnset(range, p.active))) {
    p.actions->deliver(w, p);
  } else {
    registers.copy({&range, 1});
    p.actions->deliver(w, p);
    p.actions->deliver(registers.other, p.twin ? *p.twin : p);
    registers.compare({&range, 1}, p.twin ? static_cast<Twin *>(p.twin)->origin : Origin());
  }
  if (p.status) registers.settle({static_cast<uint16_t>(p.dst + p.words), 1, false, true}, p.active);
  dropTwin(p);
}

} // namespace fly::emulator
