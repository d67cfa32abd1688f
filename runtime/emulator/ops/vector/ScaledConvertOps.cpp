// Scaled conversions of gfx950 and gfx1250: v_cvt_scalef32_* and v_cvt_scale_pk*.
//
// The scale of v_cvt_scalef32_* is the exponent field of an f32, that is an E8M0 number: narrowing divides by
// 2^(field - 127), widening multiplies; field 255 gives NaN. Sign and mantissa of the scale do not count. A single
// rounding follows the scaling. Narrow elements are consecutive from bit 0, fp6 across word boundaries.
//
// Stochastic rounding takes a new random number for each element on gfx950. On gfx1250 it takes one for every two, the
// low half first, and with FP16_OVFL an infinity gives NaN (CDNA5 ISA, 15.14 and 7.6.2). Which of the dropped bits the
// 16 random ones meet is not said there; here it is the uppermost ones.
//
// gfx1250's v_cvt_scale_pk8/pk16 widen with E8M0 bytes that are placed like the scales of WMMA, in lanes 0-15 or 16-31
// of a register, whatever lane converts. scale_sel selects them, according to MLIR's documentation of
// amdgpu.scaled_ext_packed_matrix and its lowering. CDNA5's manual has the same places in the opposite order of the
// bits (7.6.3, tables 36 and 37), and a third reading in the instructions' formulas; the order is unverified:
//
//     fp4, fp6, bf6   bit 0  blocks of 16 (else 32)   bit 1  second pair of bytes   bit 2  scales in lanes 16-31
//                     bytes for lanes 0-15 and 16-31: blocks of 32: 2*b, 2*b + 1; of 16: b, b + 2   (b is bit 1)
//     fp8, bf8        bit 0  blocks of 16             bits 2:1  byte                bit 3  scales in lanes 16-31
//                     blocks of 32: this byte for all; of 16: this byte and the next
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/lanes/TinyConvert.h"

#include <cmath>
#include <limits>

namespace fly::emulator {

namespace {

using U32 = uint32_t;

/// Where the elements come from: one each from Src0 and Src1; consecutive registers from Src0; the same from Src0 and
/// Src1, alternating.
enum class From : uint8_t { TwoSources, Block, TwoBlocks };
/// Where narrow results go: whole registers, or the word or byte of one register that op_sel names.
enum class Place : uint8_t { Registers, Word, Byte };

struct Narrowing {
  TinyFormat to;
  Wide wide;
  unsigned count;
  From from;
  Place place;
  bool stochastic = false;
};

/// The lanes of the registers of a source: any operand if it is at most a pair, else a VGPR tuple.
template <Wide W, unsigned Registers> const U32 *fetchBlock(Wave &w, const Inst &i, unsigned n) {
  if constexpr (Registers == 1) return W == Wide::Single ? fetch<float>(w, i, n) : fetch<U32>(w, i, n);
  else if constexpr (Registers == 2) return fetch<uint64_t>(w, i, n);
  else return w.reg(i.source[n].index);
}
/// Element k of a lane.
template <Wide W> inline double element(const U32 *p, unsigned k, unsigned l, const Mode &mode) {
  return widen<W>(W == Wide::Single ? p[k * laneStride + l] : p[k / 2 * laneStride + l] >> 16 * (k & 1), mode);
}
inline uint32_t exponentCode(U32 scale) { return scale >> 23 & 255; }
/// With a NaN scale, the result is a NaN with the element's sign.
inline double scaledDown(double v, double scale) { return scale != scale ? std::copysign(scale, v) : v / scale; }
inline double scaledUp(double v, double scale) { return scale != scale ? std::copysign(scale, v) : v * scale; }

template <Narrowing N> void narrow(Wave &w, const Inst &i) {
  constexpr unsigned perSource = N.from == From::Block ? N.count : N.count / 2;
  constexpr unsigned registers = N.wide == Wide::Single || perSource == 1 ? perSource : perSource / 2;
  constexpr unsigned scaleSource = N.stochastic || N.from != From::Block ? 2 : 1;
  constexpr unsigned width = N.to.bits(), words = (N.count * width + 31) / 32;
  w.dppActive = ~0ull;
  // A single f16 or bf16 is a 16-bit operand: op_sel chooses its half.
  const U32 *a =
      N.wide != Wide::Single && N.count == 1 ? fetch<uint16_t>(w, i, 0) : fetchBlock<N.wide, registers>(w, i, 0);
  const U32 *b = N.from == From::Block ? nullptr : fetchBlock<N.wide, registers>(w, i, 1);
  const U32 *random = N.stochastic ? fetch<U32>(w, i, 1) : nullptr;
  const U32 *scale = fetch<U32>(w, i, scaleSource);
  const uint64_t active = w.exec() & w.laneMask;
  const U32 *mask = w.activeLanes(active);
  const bool cdna5 = w.program->arch.cdna5Arithmetic, infinityIsNan = cdna5 && w.mode.clampsHalf;
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!mask[l]) continue;
    const double divisor = decodeScale(exponentCode(scale[l]));
    U32 r = N.stochastic ? random[l] : 0;
    uint64_t bits[4] = {};
    for (unsigned k = 0; k < N.count; ++k) {
      double v = N.from == From::TwoSources  ? element<N.wide>(k ? b : a, 0, l, w.mode)
                 : N.from == From::TwoBlocks ? element<N.wide>(k & 1 ? b : a, k / 2, l, w.mode)
                                             : element<N.wide>(a, k, l, w.mode);
      v = scaledDown(v, divisor);
      if (infinityIsNan && std::isinf(v)) v = std::copysign(std::numeric_limits<double>::quiet_NaN(), v);
      const U32 part = !cdna5 ? r : k & 1 ? r & 0xffff0000u : r << 16;
      uint64_t code =
          N.stochastic ? encodeElementStochastic<N.to>(w, i, v, N.wide, part) : encodeElement<N.to>(w, i, v);
      if (N.stochastic && (!cdna5 || k & 1)) r = nextRandom(r);
      const unsigned at = k * width;
      bits[at / 64] |= code << at % 64;
      if (at % 64 + width > 64) bits[at / 64 + 1] |= code >> (64 - at % 64);
    }
    if constexpr (N.place == Place::Registers)
      for (unsigned k = 0; k < words; ++k) w.reg(i.dst + k)[l] = static_cast<U32>(bits[k / 2] >> 32 * (k & 1));
    else {
      const unsigned select = i.flags >> cvt::destinationShift & 3;
      const unsigned shift = N.place == Place::Word ? (select & 2) * 8 : select * 8;
      const U32 field = (N.place == Place::Word ? 0xffffu : 0xffu) << shift;
      U32 &d = w.reg(i.dst)[l];
      d = (d & ~field) | (static_cast<U32>(bits[0]) << shift & field);
    }
  }
}

/// Which part of Src0 is widened: whole registers, or the word or byte that op_sel names.
struct Widening {
  TinyFormat from;
  Wide wide;
  unsigned count;
  Place place;
  bool packedScales = false; ///< gfx1250's E8M0 bytes
};

/// The lane and the byte of gfx1250's packed scales, see the top of the file.
struct ScalePlace {
  unsigned firstLane, byte[2]; ///< for lanes 0-15, 16-31
  ScalePlace(unsigned select, unsigned elementBits) {
    const bool blocks16 = select & 1;
    if (elementBits == 8) {
      firstLane = select & 8 ? 16 : 0;
      byte[0] = select >> 1 & 3;
      byte[1] = (byte[0] + blocks16) & 3;
    } else {
      const unsigned second = select >> 1 & 1;
      firstLane = select & 4 ? 16 : 0;
      byte[0] = blocks16 ? second : 2 * second;
      byte[1] = byte[0] + (blocks16 ? 2 : 1);
    }
  }
};

template <Widening N> void widenBlock(Wave &w, const Inst &i) {
  constexpr unsigned width = N.from.bits(), sourceWords = (N.count * width + 31) / 32;
  constexpr unsigned words = N.wide == Wide::Single ? N.count : (N.count + 1) / 2;
  w.dppActive = ~0ull;
  const U32 *source = sourceWords <= 1   ? fetch<U32>(w, i, 0)
                      : sourceWords == 2 ? fetch<uint64_t>(w, i, 0)
                                         : w.reg(i.source[0].index);
  alignas(64) U32 scale[laneStride]; // a copy: other lanes' scales are read, and the result may overlap them
  std::memcpy(scale, fetch<U32>(w, i, 1), sizeof scale);
  const uint64_t active = w.exec() & w.laneMask;
  const U32 *mask = w.activeLanes(active);
  const ScalePlace place(i.immediate, width);
  const unsigned select = i.flags & cvt::sourceBits;
  const unsigned shift = N.place == Place::Word ? (select & 1) * 16 : N.place == Place::Byte ? select * 8 : 0;
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!mask[l]) continue;
    const double factor = decodeScale(N.packedScales ? scale[place.firstLane + (l & 15)] >> 8 * place.byte[l >> 4 & 1]
                                                     : exponentCode(scale[l]));
    uint64_t bits[4] = {};
    for (unsigned k = 0; k < sourceWords; ++k)
      bits[k / 2] |= static_cast<uint64_t>(source[k * laneStride + l]) << 32 * (k & 1);
    bits[0] >>= shift;
    U32 result[words] = {};
    for (unsigned k = 0; k < N.count; ++k) {
      const unsigned at = k * width;
      uint64_t code = bits[at / 64] >> at % 64;
      if (at % 64 + width > 64) code |= bits[at / 64 + 1] << (64 - at % 64);
      U32 r = narrowTo<N.wide>(scaledUp(decodeTiny<N.from>(static_cast<U32>(code)), factor), w.mode);
      if constexpr (N.wide == Wide::Single) result[k] = r;
      else result[k / 2] |= r << 16 * (k & 1);
    }
    if constexpr (N.count == 1 && N.wide != Wide::Single) { // to the half that op_sel[3] names
      U32 &d = w.reg(i.dst)[l];
      d = i.flags >> cvt::destinationShift & 2 ? (d & 0xffff) | result[0] << 16 : (d & 0xffff0000u) | result[0];
    } else
      for (unsigned k = 0; k < words; ++k) w.reg(i.dst + k)[l] = result[k];
  }
}

using tiny::bf6;
using tiny::bf8;
using tiny::fp4;
using tiny::fp6;
using tiny::fp8;
constexpr Wide single = Wide::Single, half = Wide::Half, bfloat = Wide::BFloat;

template <Narrowing N> constexpr Row rowOf(std::string_view name) {
  const unsigned format = N.to == fp8 ? Row::Fp8 : 0, place = N.stochastic ? Row::DestinationByte : 0;
  return Row{name, narrow<N>, Row::Other}.with(Row::Selectors | format | place);
}
template <Widening N> constexpr Row rowOf(std::string_view name) {
  return Row{name, widenBlock<N>, Row::Other}.with(Row::Selectors | (N.from == fp8 ? Row::Fp8 : 0));
}

#define NARROW(NAME, ...) rowOf<Narrowing{__VA_ARGS__}>("V_CVT_SCALEF32_" NAME)
#define WIDEN(NAME, ...) rowOf<Widening{__VA_ARGS__}>("V_CVT_SCALEF32_" NAME)
#define WIDEN_PACKED(NAME, FORMAT, WIDE, COUNT)                                                                        \
  rowOf<Widening{FORMAT, WIDE, COUNT, Place::Registers, true}>("V_CVT_SCALE_" NAME)

constexpr Narrowing blockOf(TinyFormat f, Wide wide, unsigned count, Place place, bool stochastic) {
  return {f, wide, count, From::Block, place, stochastic};
}
#define ROW(NAME, ...) rowOf<blockOf(__VA_ARGS__)>("V_CVT_SCALEF32_" NAME)
/// gfx950, 8 bits: NAME is FP8 or BF8.
#define BYTES(NAME, F)                                                                                                 \
  NARROW("PK_" NAME "_F32", F, single, 2, From::TwoSources, Place::Word),                                              \
  ROW("PK_" NAME "_F16", F, half, 2, Place::Word, false), ROW("PK_" NAME "_BF16", F, bfloat, 2, Place::Word, false),   \
  ROW("SR_" NAME "_F32", F, single, 1, Place::Byte, true), ROW("SR_" NAME "_F16", F, half, 1, Place::Byte, true),      \
  ROW("SR_" NAME "_BF16", F, bfloat, 1, Place::Byte, true),                                                            \
  WIDEN("PK_F32_" NAME, F, single, 2, Place::Word), WIDEN("PK_F16_" NAME, F, half, 2, Place::Word),                    \
  WIDEN("PK_BF16_" NAME, F, bfloat, 2, Place::Word), WIDEN("F32_" NAME, F, single, 1, Place::Byte),                    \
  WIDEN("F16_" NAME, F, half, 1, Place::Byte)
/// gfx950, 6 bits.
#define SIXES(NAME, F)                                                                                                 \
  NARROW("2XPK16_" NAME "_F32", F, single, 32, From::TwoBlocks, Place::Registers),                                     \
  ROW("PK32_" NAME "_F16", F, half, 32, Place::Registers, false),                                                      \
  ROW("PK32_" NAME "_BF16", F, bfloat, 32, Place::Registers, false),                                                   \
  ROW("SR_PK32_" NAME "_F32", F, single, 32, Place::Registers, true),                                                  \
  ROW("SR_PK32_" NAME "_F16", F, half, 32, Place::Registers, true),                                                    \
  ROW("SR_PK32_" NAME "_BF16", F, bfloat, 32, Place::Registers, true),                                                 \
  WIDEN("PK32_F32_" NAME, F, single, 32, Place::Registers), WIDEN("PK32_F16_" NAME, F, half, 32, Place::Registers),    \
  WIDEN("PK32_BF16_" NAME, F, bfloat, 32, Place::Registers)
/// gfx1250: PK is PK8 or PK16.
#define BLOCKS(PK, NAME, F, COUNT)                                                                                     \
  ROW(PK "_" NAME "_F32", F, single, COUNT, Place::Registers, false),                                                  \
  ROW(PK "_" NAME "_F16", F, half, COUNT, Place::Registers, false),                                                    \
  ROW(PK "_" NAME "_BF16", F, bfloat, COUNT, Place::Registers, false),                                                 \
  ROW("SR_" PK "_" NAME "_F32", F, single, COUNT, Place::Registers, true),                                             \
  ROW("SR_" PK "_" NAME "_F16", F, half, COUNT, Place::Registers, true),                                               \
  ROW("SR_" PK "_" NAME "_BF16", F, bfloat, COUNT, Place::Registers, true),                                            \
  WIDEN_PACKED(PK "_F32_" NAME, F, single, COUNT), WIDEN_PACKED(PK "_F16_" NAME, F, half, COUNT),                      \
  WIDEN_PACKED(PK "_BF16_" NAME, F, bfloat, COUNT)

// clang-format off
constexpr Row rows[] = {
    BYTES("FP8", fp8), BYTES("BF8", bf8), SIXES("FP6", fp6), SIXES("BF6", bf6),
    NARROW("PK_FP4_F32", fp4, single, 2, From::TwoSources, Place::Byte),
    ROW("PK_FP4_F16", fp4, half, 2, Place::Byte, false), ROW("PK_FP4_BF16", fp4, bfloat, 2, Place::Byte, false),
    ROW("SR_PK_FP4_F32", fp4, single, 2, Place::Byte, true), ROW("SR_PK_FP4_F16", fp4, half, 2, Place::Byte, true),
    ROW("SR_PK_FP4_BF16", fp4, bfloat, 2, Place::Byte, true),
    WIDEN("PK_F32_FP4", fp4, single, 2, Place::Byte), WIDEN("PK_F16_FP4", fp4, half, 2, Place::Byte),
    WIDEN("PK_BF16_FP4", fp4, bfloat, 2, Place::Byte),
    BLOCKS("PK8", "FP8", fp8, 8), BLOCKS("PK8", "BF8", bf8, 8), BLOCKS("PK8", "FP4", fp4, 8),
    BLOCKS("PK16", "FP6", fp6, 16), BLOCKS("PK16", "BF6", bf6, 16),
};
// clang-format on

} // namespace

std::span<const Row> scaledConvertRows() { return rows; }

} // namespace fly::emulator
