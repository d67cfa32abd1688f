// Fetching sources and committing results: everything an encoding can do to an operand, in one place.
//
// Order of what happens to a source, as the hardware does it: the register or constant is read; DPP exchanges lanes;
// SDWA or op_sel selects bytes; then abs, then neg, at the operand's own width. What happens to a result: denormal
// flush, omod, clamp, then the merge into the register under EXEC.
#include "runtime/emulator/lanes/Lanes.h"

namespace fly::emulator {

namespace {

void broadcast(uint32_t *to, uint32_t value, unsigned count) {
  for (unsigned l = 0; l < count; ++l) to[l] = value;
}

/// Reads lanes through the DPP table; lanes without a source read 0 or are disabled.
void readDpp(Wave &w, const Inst &i, const uint32_t *from, uint32_t *to, bool first) {
  const DppTable &table = *i.dppTable;
  uint64_t exec = w.exec() & w.laneMask, allowed = table.enabled;
  for (unsigned l = 0; l < w.lanes; ++l) {
    int source = table.from[l];
    bool valid = source >= 0 && (table.fetchInactive || (exec >> source & 1));
    to[l] = valid ? from[source] : 0;
    if (!valid && !table.zeroInvalid) allowed &= ~(1ull << l);
  }
  if (first) w.dppActive = allowed;
}

uint32_t selectBytes(uint32_t v, unsigned select, bool sext) {
  switch (select) {
  case 0:
  case 1:
  case 2:
  case 3: {
    uint32_t b = v >> 8 * select & 0xff;
    return sext ? static_cast<uint32_t>(static_cast<int8_t>(b)) : b;
  }
  case 4:
  case 5: {
    uint32_t h = v >> 16 * (select - 4) & 0xffff;
    return sext ? static_cast<uint32_t>(static_cast<int16_t>(h)) : h;
  }
  default: return v;
  }
}

} // namespace

const uint32_t *sourceLanes(Wave &w, const Source &s, unsigned n, unsigned words) {
  uint32_t *buffer = w.sourceBuffer[n];
  switch (s.kind) {
  case Source::Vector: return w.reg(s.index);
  case Source::Constant: return s.lanes;
  case Source::Scalar:
    for (unsigned k = 0; k < words; ++k) broadcast(buffer + k * laneStride, w.scalar[s.index + k], w.lanes);
    return buffer;
  case Source::MaskZero: broadcast(buffer, w.mask(s.index) == 0, w.lanes); return buffer;
  case Source::None: broadcast(buffer, 0, w.lanes); return buffer;
  }
  return buffer;
}

const uint32_t *fetchSlow(Wave &w, const Inst &i, unsigned n, unsigned words, unsigned bits) {
  const Source &s = i.source[n];
  uint32_t *buffer = w.sourceBuffer[n];
  const unsigned count = w.lanes;
  const uint32_t *p = sourceLanes(w, s, n, words);
  if (i.dpp && n == 0) {
    alignas(64) uint32_t moved[2 * laneStride];
    for (unsigned k = 0; k < words; ++k) readDpp(w, i, p + k * laneStride, moved + k * laneStride, k == 0);
    std::memcpy(buffer, moved, words * laneStride * 4);
    p = buffer;
  }
  if (s.change == 0) return p;
  if (p != buffer) std::memcpy(buffer, p, words * laneStride * 4);
  if (s.change & Source::Selected)
    for (unsigned l = 0; l < count; ++l) buffer[l] = selectBytes(buffer[l], s.select, s.sext);
  if (s.change & Source::HighHalf)
    for (unsigned l = 0; l < count; ++l) buffer[l] >>= 16;
  uint32_t *top = buffer + (words == 2 ? laneStride : 0);
  uint32_t sign = bits == 16 ? 0x8000u : 0x80000000u;
  if (s.change & Source::Absolute)
    for (unsigned l = 0; l < count; ++l) top[l] &= ~sign;
  if (s.change & Source::Negate)
    for (unsigned l = 0; l < count; ++l) top[l] ^= sign;
  return buffer;
}

const uint32_t *fetchMask(Wave &w, const Inst &i, unsigned n) {
  const Source &s = i.source[n];
  uint64_t mask = s.kind == Source::Scalar     ? w.mask(s.index)
                  : s.kind == Source::Constant ? s.low | static_cast<uint64_t>(s.high) << 32
                                               : 0;
  uint32_t *buffer = w.sourceBuffer[n];
  for (unsigned l = 0; l < laneStride; ++l) buffer[l] = 0u - static_cast<uint32_t>(mask >> l & 1);
  return buffer;
}

const uint32_t *fetchPacked(Wave &w, const Inst &i, unsigned n) {
  const Source &s = i.source[n];
  const uint32_t *p = i.dpp ? fetchSlow(w, i, n, 1, 32) : sourceLanes(w, s, n, 1);
  if (!s.lowFromHigh && s.highFromHigh && !s.negateLow && !s.negateHigh) return p;
  uint32_t *buffer = w.sourceBuffer[n];
  unsigned low = s.lowFromHigh ? 16 : 0, high = s.highFromHigh ? 16 : 0;
  uint32_t flip = (s.negateLow ? 0x8000u : 0) | (s.negateHigh ? 0x80000000u : 0);
  for (unsigned l = 0; l < w.lanes; ++l) buffer[l] = ((p[l] >> low & 0xffffu) | (p[l] >> high & 0xffffu) << 16) ^ flip;
  return buffer;
}

const uint32_t *flushSource(Wave &w, const uint32_t *p, unsigned n, Precision precision) {
  bool flush =
      precision == Precision::Single || precision == Precision::BFloat ? w.mode.flushIn32 : w.mode.flushIn16_64;
  if (!flush) return p;
  uint32_t *buffer = w.sourceBuffer[n];
  if (precision == Precision::Double) {
    for (unsigned l = 0; l < w.lanes; ++l) {
      uint32_t high = p[l + laneStride];
      bool zero = (high & 0x7ff00000u) == 0;
      buffer[l] = zero ? 0 : p[l];
      buffer[l + laneStride] = zero ? high & 0x80000000u : high;
    }
    return buffer;
  }
  uint32_t exponent = precision == Precision::Single ? 0x7f800000u : precision == Precision::Half ? 0x7c00u : 0x7f80u;
  uint32_t sign = precision == Precision::Single ? 0x80000000u : 0x8000u;
  for (unsigned l = 0; l < w.lanes; ++l) buffer[l] = (p[l] & exponent) == 0 ? p[l] & sign : p[l];
  return buffer;
}

void flushResult(Wave &w, uint32_t *p, Precision precision) {
  bool flush =
      precision == Precision::Single || precision == Precision::BFloat ? w.mode.flushOut32 : w.mode.flushOut16_64;
  if (!flush) return;
  if (precision == Precision::Double) {
    for (unsigned l = 0; l < w.lanes; ++l)
      if ((p[l + laneStride] & 0x7ff00000u) == 0) {
        p[l] = 0;
        p[l + laneStride] &= 0x80000000u;
      }
    return;
  }
  uint32_t exponent = precision == Precision::Single ? 0x7f800000u : precision == Precision::Half ? 0x7c00u : 0x7f80u;
  uint32_t sign = precision == Precision::Single ? 0x80000000u : 0x8000u;
  for (unsigned l = 0; l < w.lanes; ++l)
    if ((p[l] & exponent) == 0) p[l] &= sign;
}

void clampOverflow(const Wave &w, uint32_t *p, Precision result, const uint32_t *const *sources, const Precision *kinds,
                   unsigned count) {
  auto infinite = [](Precision kind, const uint32_t *s, unsigned l) {
    switch (kind) {
    case Precision::Single: return (s[l] & 0x7fffffffu) == 0x7f800000u;
    case Precision::Double: return s[l] == 0 && (s[l + laneStride] & 0x7fffffffu) == 0x7ff00000u;
    case Precision::Half: return (s[l] & 0x7fffu) == 0x7c00u;
    case Precision::BFloat: return (s[l] & 0x7fffu) == 0x7f80u;
    case Precision::None: return false;
    }
    return false;
  };
  const uint32_t infinity = result == Precision::BFloat ? 0x7f80u : 0x7c00u;
  for (unsigned l = 0; l < w.lanes; ++l) {
    if ((p[l] & 0x7fffu) != infinity) continue;
    bool keeps = false;
    for (unsigned n = 0; n < count; ++n) keeps |= infinite(kinds[n], sources[n], l);
    if (!keeps) --p[l];
  }
}

void modifyResult(Wave &w, const Inst &i, uint32_t *p, Precision precision) {
  static constexpr double factors[4] = {1, 2, 4, 0.5};
  // "Output modifiers are not compatible with output denormals: if output denormals are enabled, then output modifiers
  // are ignored. If output denormals are disabled, then the output modifier is applied and denormals are flushed to
  // zero. [...] -0 is flushed to +0. Output modifiers are ignored if the IEEE mode bit is set to 1." (RDNA ISA
  // documents) CDNA5's applies them whatever MODE says of denormals (CDNA5 ISA, 7.2.3.1).
  const bool always = w.program->arch.cdna5Arithmetic;
  bool flushes = always || (precision == Precision::Single || precision == Precision::BFloat ? w.mode.flushOut32
                                                                                             : w.mode.flushOut16_64);
  bool modifies = i.omod && flushes && !w.mode.ieee;
  double factor = modifies ? factors[i.omod & 3] : 1;
  const double leastNormal = precision == Precision::Half     ? 0x1p-14
                             : precision == Precision::Double ? std::numeric_limits<double>::min()
                                                              : std::numeric_limits<float>::min();
  bool clamp = i.clamp, nanToZero = w.mode.dx10Clamp;
  auto modify = [&](auto v) {
    using F = decltype(v);
    if (modifies) v = v == F(0) ? F(0) : v * static_cast<F>(factor);
    if (modifies && always && std::fabs(v) < static_cast<F>(leastNormal)) v = F(0);
    if (clamp) {
      if (v != v) return nanToZero ? F(0) : v;
      v = v > F(0) ? v : F(0);
      v = v < F(1) ? v : F(1);
    }
    return v;
  };
  for (unsigned l = 0; l < w.lanes; ++l) switch (precision) {
    case Precision::Single: LaneType<float>::store(p, l, modify(LaneType<float>::load(p, l))); break;
    case Precision::Double: LaneType<double>::store(p, l, modify(LaneType<double>::load(p, l))); break;
    case Precision::Half:
      p[l] = doubleToHalfMode(static_cast<double>(modify(halfToFloat(p[l]))), w.mode.round16_64);
      break;
    case Precision::BFloat: p[l] = floatToBfloat(modify(bfloatToFloat(p[l]))); break;
    case Precision::None: break;
    }
  if (modifies) flushResult(w, p, precision);
}

void commit(Wave &w, const Inst &i, const uint32_t *p, unsigned words, unsigned bits, uint64_t active) {
  const uint32_t *mask = w.activeLanes(active);
  const unsigned count = w.lanes;
  uint32_t *d = w.reg(i.dst);
  if (i.sdwa && i.sdwaDst != 6) {
    unsigned shift = i.sdwaDst < 4 ? 8 * i.sdwaDst : 16 * (i.sdwaDst - 4);
    uint32_t field = i.sdwaDst < 4 ? 0xffu : 0xffffu;
    for (unsigned l = 0; l < count; ++l) {
      uint32_t v = (p[l] & field) << shift;
      if (i.sdwaUnused == 2) v |= d[l] & ~(field << shift);
      else if (i.sdwaUnused == 1 && (p[l] & (field ^ field >> 1))) v |= ~((field << shift) | ((1u << shift) - 1));
      d[l] = mask[l] ? v : d[l];
    }
    return;
  }
  if (bits == 16) {
    switch (i.half) {
    case Half16::ZeroHigh:
      for (unsigned l = 0; l < count; ++l) d[l] = mask[l] ? p[l] & 0xffffu : d[l];
      return;
    case Half16::KeepHigh:
      for (unsigned l = 0; l < count; ++l) d[l] = mask[l] ? (d[l] & 0xffff0000u) | (p[l] & 0xffffu) : d[l];
      return;
    case Half16::WriteHigh:
      for (unsigned l = 0; l < count; ++l) d[l] = mask[l] ? (d[l] & 0xffffu) | p[l] << 16 : d[l];
      return;
    }
  }
  for (unsigned k = 0; k < words; ++k) {
    uint32_t *to = d + k * laneStride;
    const uint32_t *from = p + k * laneStride;
    for (unsigned l = 0; l < count; ++l) to[l] = mask[l] ? from[l] : to[l];
  }
}

uint64_t packMask(const uint32_t *p, unsigned lanes) {
  typedef uint32_t Words __attribute__((ext_vector_type(16)));
  typedef bool Bits __attribute__((ext_vector_type(16)));
  uint64_t mask = 0;
  for (unsigned l = 0; l < lanes; l += 16) {
    Words v;
    std::memcpy(&v, p + l, sizeof v);
    Bits b = __builtin_convertvector(v != 0, Bits);
    mask |= static_cast<uint64_t>(__builtin_bit_cast(uint16_t, b)) << l;
  }
  return mask;
}

} // namespace fly::emulator
