// What the conversions to and from formats below 16 bits share (TinyConvertOps.cpp, ScaledConvertOps.cpp).
//
// Which format "fp8" is depends on the machine: fnuz on gfx942, OCP on the others, and on gfx1250 with clamp the
// unsigned one. Which byte of a register is read or written is in the encoding as op_sel or byte_sel, with another
// meaning for each kind of instruction; Resolve.cpp puts these bits into Inst::flags as the enumerators below say.
#pragma once

#include "runtime/emulator/lanes/Lanes.h"
#include "runtime/emulator/formats/TinyFloat.h"

namespace fly::emulator {

/// Inst::flags of rows with Row::Selectors.
namespace cvt {
enum : uint8_t {
  sourceBits = 3,       ///< op_sel[1:0], or byte_sel of a source
  destinationShift = 2, ///< op_sel[3:2], or byte_sel of a destination
  unsignedE5M3 = 16,    ///< clamp on gfx1250
  fnuz = 32,            ///< gfx942
  negativeNan = 64,     ///< gfx1201: NaN becomes the negative one, whatever its sign (captured on RDNA4)
};
}

/// The types on the wide side of a conversion.
enum class Wide : uint8_t { Single, Half, BFloat };
constexpr unsigned mantissaOf(Wide w) { return w == Wide::Single ? 23 : w == Wide::Half ? 10 : 7; }
/// Whether MODE flushes denormals of a format: f32 and bf16 by one pair of bits, f16 by the other.
template <Wide W> inline bool flushesIn(const Mode &m) { return W == Wide::Half ? m.flushIn16_64 : m.flushIn32; }
template <Wide W> inline bool flushesOut(const Mode &m) { return W == Wide::Half ? m.flushOut16_64 : m.flushOut32; }
/// A denormal as zero of its sign; `bits` as wide as the format.
template <Wide W> inline uint32_t flushedBits(uint32_t bits) {
  constexpr uint32_t exponent = W == Wide::Single ? 0x7f800000u : W == Wide::Half ? 0x7c00u : 0x7f80u;
  constexpr uint32_t sign = W == Wide::Single ? 0x80000000u : 0x8000u;
  return bits & exponent ? bits : bits & sign;
}
template <Wide W> inline double widen(uint32_t bits, const Mode &mode) {
  if constexpr (W != Wide::Single) bits &= 0xffff;
  if (flushesIn<W>(mode)) bits = flushedBits<W>(bits);
  return W == Wide::Single ? floatOf(bits) : W == Wide::Half ? halfToFloat(bits) : bfloatToFloat(bits);
}
/// Rounded to nearest even; with MODE.FP16_OVFL a finite value too large for f16 becomes the largest f16.
template <Wide W> inline uint32_t narrowTo(double v, const Mode &mode) {
  uint32_t r = W == Wide::Single   ? bitsOf(static_cast<float>(v))
               : W == Wide::BFloat ? doubleToBfloat(v)
                                   : doubleToHalf(v);
  if (W == Wide::Half && mode.clampsHalf && (r & 0x7fff) == 0x7c00 && std::fabs(v) != HUGE_VAL) --r;
  return flushesOut<W>(mode) ? flushedBits<W>(r) : r;
}

/// Runs `body.operator()<Format>()` with the format that the instruction means by FP8 or BF8.
template <bool Bf, class Body> inline void withByteFormat(const Inst &i, Body body) {
  if constexpr (Bf) {
    if (i.flags & cvt::fnuz) body.template operator()<tiny::bf8Fnuz>();
    else body.template operator()<tiny::bf8>();
  } else {
    if (i.flags & cvt::unsignedE5M3) body.template operator()<tiny::ufp8>();
    else if (i.flags & cvt::fnuz) body.template operator()<tiny::fp8Fnuz>();
    else body.template operator()<tiny::fp8>();
  }
}
/// One element to a code.
template <TinyFormat F> inline uint32_t encodeElement(const Wave &w, const Inst &i, double v) {
  if ((i.flags & cvt::negativeNan) && v != v) v = -std::fabs(v);
  return encodeTiny<F>(v, w.mode.clampsHalf);
}
template <TinyFormat F>
inline uint32_t encodeElementStochastic(const Wave &w, const Inst &i, double v, Wide from, uint32_t random) {
  if ((i.flags & cvt::negativeNan) && v != v) v = -std::fabs(v);
  return encodeTinyStochastic<F>(v, mantissaOf(from), random, w.mode.clampsHalf);
}

/// Replaces `field` bits at `shift` of the destination in the active lanes, and leaves its other bits.
inline void insertField(Wave &w, const Inst &i, const uint32_t *value, unsigned shift, uint32_t field,
                        uint64_t active) {
  const uint32_t *mask = w.activeLanes(active);
  uint32_t *d = w.reg(i.dst);
  const uint32_t where = field << shift;
  for (unsigned l = 0; l < w.lanes; ++l) d[l] = mask[l] ? (d[l] & ~where) | (value[l] << shift & where) : d[l];
}

} // namespace fly::emulator
