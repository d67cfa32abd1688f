// Registers that differ between the two runs; see SecondRegisters.h.
#include "runtime/emulator/watch/SecondRegisters.h"

#include <algorithm>

namespace fly::emulator {

namespace {

/// Scalar slots that kernels may name and the launch may leave unset.
bool isTracked(unsigned s) { return s < slot::vcc + 2u || s == slot::m0 || s == slot::scc; }

} // namespace

void SecondRegisters::begin(Wave &w, const ScalarSet &scalars) {
  wave = &w;
  const unsigned count = w.program->registerCount();
  registers.resize(size_t(count) * laneStride);
  for (unsigned r = 0; r < count; ++r)
    for (unsigned l = 0; l < laneStride; ++l) registers[size_t(r) * laneStride + l] = secondPoison(l, r);
  other = Wave();
  other.vector = registers.data();
  other.lanes = w.lanes;
  other.laneMask = w.laneMask;
  other.program = w.program;
  other.memory = w.memory;
  other.scratchBytes = w.scratchBytes;
  other.index = w.index;
  other.checkWaits = other.checkHazards = CheckMode::Off;

  std::fill(std::begin(unsetVectors), std::end(unsetVectors), uint16_t(0));
  std::fill(std::begin(unsetScalars), std::end(unsetScalars), uint16_t(0));
  w.unsetVector = w.unsetScalar = 0;
  same.assign(count, w.laneMask);
  origins.assign(count, Origin());
  for (unsigned r = 1; r < count; ++r) setSame(r, 0), origins[r] = {Origin::Vector, r};
  for (unsigned s = 0; s < slot::count; ++s) {
    sameScalar[s] = ~0u;
    if (!isTracked(s) || scalars[s]) continue;
    setScalar(s, false);
    scalarOrigins[s] = {Origin::Scalar, s};
    other.scalar[s] = s == slot::scc ? !w.scc() : ~w.scalar[s];
  }
  all.clear();
  for (const bool written : {false, true}) {
    for (unsigned r = 0; r < count; r += 128)
      all.push_back({static_cast<uint16_t>(r), static_cast<uint8_t>(std::min(128u, count - r)), false, written});
    all.push_back({0, slot::vcc + 2, true, written});
    all.push_back({slot::m0, 2, true, written}); // and SCC
  }
}

void SecondRegisters::setSame(unsigned r, uint64_t lanes) {
  const bool was = !unset(r);
  same[r] = lanes;
  const bool is = !unset(r);
  if (was == is) return;
  uint16_t &count = unsetVectors[r & 63];
  count = static_cast<uint16_t>(count + (is ? -1 : 1));
  const uint64_t bit = vectorFilter(r, 1);
  wave->unsetVector = count ? wave->unsetVector | bit : wave->unsetVector & ~bit;
}

void SecondRegisters::setScalar(unsigned s, bool isSame) {
  if (!isTracked(s) || (sameScalar[s] != 0) == isSame) return;
  sameScalar[s] = isSame ? ~0u : 0;
  const uint64_t bit = scalarFilter(s, 1);
  uint16_t &count = unsetScalars[std::countr_zero(bit)];
  count = static_cast<uint16_t>(count + (isSame ? -1 : 1));
  wave->unsetScalar = count ? wave->unsetScalar | bit : wave->unsetScalar & ~bit;
}

bool SecondRegisters::isUnset(const RegisterRange &range, uint64_t lanes) const {
  for (unsigned k = 0; k < range.count; ++k)
    if (range.scalar ? isScalarUnset(range.first + k) : (unset(range.first + k) & lanes) != 0) return true;
  return false;
}

std::span<const RegisterRange> SecondRegisters::rangesOf(const Inst &i) const {
  if (i.vectorUse == ~0ull && i.scalarUse == ~0ull) return all;
  return {i.ranges, i.rangeCount};
}

void SecondRegisters::copy(std::span<const RegisterRange> ranges) {
  Wave &w = *wave;
  for (const RegisterRange &range : ranges) {
    if (range.scalar) continue;
    for (unsigned r = range.first; r < range.first + unsigned(range.count); ++r) {
      const uint32_t *from = w.reg(r);
      uint32_t *to = other.reg(r);
      if (!unset(r)) std::memcpy(to, from, laneStride * 4);
      else
        for (unsigned l = 0; l < w.lanes; ++l) to[l] = same[r] >> l & 1 ? from[l] : to[l];
    }
  }
  for (unsigned s = 0; s < slot::count; ++s)
    other.scalar[s] = (w.scalar[s] & sameScalar[s]) | (other.scalar[s] & ~sameScalar[s]);
  other.mode = w.mode;
  other.code = w.code;
  other.codeState = w.codeState;
  other.pc = w.pc;
  other.at = w.at;
  other.executed = w.executed;
  other.dppActive = w.dppActive;
  other.stop = Stop::None;
}

void SecondRegisters::setOrigin(Origin &origin, Origin from, bool scalar, unsigned index) {
  if (from.kind != Origin::None) origin = from;
  else if (origin.kind == Origin::None) origin = {scalar ? Origin::Scalar : Origin::Vector, index};
}

void SecondRegisters::compare(std::span<const RegisterRange> ranges, Origin from) {
  Wave &w = *wave;
  for (const RegisterRange &range : ranges) {
    if (!range.written) continue;
    for (unsigned r = range.first; r < range.first + unsigned(range.count); ++r) {
      if (range.scalar) {
        const bool is = w.scalar[r] == other.scalar[r];
        setScalar(r, is);
        if (!is) setOrigin(scalarOrigins[r], from, true, r);
        continue;
      }
      const uint32_t *a = w.reg(r), *b = other.reg(r);
      uint64_t equal = 0;
      for (unsigned l = 0; l < w.lanes; ++l) equal |= static_cast<uint64_t>(a[l] == b[l]) << l;
      setSame(r, equal);
      if (unset(r) & w.exec()) setOrigin(origins[r], from, false, r);
    }
  }
}

void SecondRegisters::settle(const RegisterRange &range, uint64_t lanes) {
  for (unsigned k = range.first; k < range.first + unsigned(range.count); ++k)
    if (range.scalar) setScalar(k, true);
    else if (unset(k) & lanes) setSame(k, same[k] | lanes);
}

Origin SecondRegisters::originOf(const RegisterRange &range, uint64_t lanes) const {
  for (unsigned k = range.first; k < range.first + unsigned(range.count); ++k)
    if (range.scalar ? isScalarUnset(k) : (unset(k) & lanes) != 0) return range.scalar ? scalarOrigins[k] : origins[k];
  return {};
}

} // namespace fly::emulator
