// WMMA and SWMMAC of gfx12: which elements each lane holds, and what the modifiers change.
//
// A wave's lanes are groups of sixteen: lane % 16 is the row of A or the column of B and D, the group says which k's
// (of D: which rows). In wave32 a lane holds runs of neighbouring k's that alternate between the two groups:
//
//     16x16x16 f16, wave32: lane 0  k 0 1 2 3 8 9 10 11      16x16x64 fp8: lane 0   k 0..15, 32..47
//                           lane 16 k 4 5 6 7 12 13 14 15                  lane 16  k 16..31, 48..63
//
// How long the runs are is visible only where the k's of A and B mean different things: scales of blocks of k, operands
// of different width, sparse A. Sources: for gfx1201 AMD's matrix instruction calculator and Mesa's RADV (wave64), for
// gfx1250 probes of AMD's functional emulator; AMD's FPSan library says the same in other words
// (tests/facts/wmma_bits.json), for mixed widths, blocks of 16 and 32x16x128 too, where the reference DSL's layouts are
// wrong. In wave64 (gfx1201) a register of a wave32 becomes half a wave, the upper lanes holding what the later
// registers of the lower ones held; so rows 4 to 7 and 12 to 15 of D are in lanes 32 to 63.
//
// Sparse A has two of every four k's. On gfx1201 their positions are, in A's order, in the same lane's index register;
// index_key selects the part of it. On gfx1250 this is different: the index of lane l holds the first (lanes 0 to 15)
// or the second half of the registers of *both* lanes l % 16 and l % 16 + 16. AMD's emulator found that with kernels
// that ran on hardware, against its own ISA document; FPSan has the same.
//
// Modifiers: neg_lo and neg_hi negate the even and the odd elements of 16-bit A and B; neg_lo negates f32; on integers
// neg_lo means signed. Of C neg_lo negates, neg_hi takes the magnitude first. matrix_a_reuse and matrix_b_reuse are
// hints for the hardware's caches.
//
// Single source: E5M3 scales (LLVM's name and AMD's emulator), the lanes of iu4 in wave64 (AMD's emulator), index_key
// on gfx1250 (LLVM's selection: it shifts the register right by 16, by 32 where the index is a pair).
#include "runtime/emulator/ops/matrix/Matrix.h"

#include <algorithm>

namespace fly::emulator {

namespace {

using enum Element;

struct Shape {
  std::string_view name;
  Element d, c, a, b;
  uint16_t k;
  uint8_t m = 16, scaleBlock = 0;
};
// f8f6f4: the types come from matrix_a_fmt and matrix_b_fmt. Integers: from neg_lo.
constexpr Shape shapes[] = {
    {"V_WMMA_F32_16X16X4_F32", F32, F32, F32, F32, 4},
    {"V_WMMA_F32_16X16X16_F16", F32, F32, F16, F16, 16},
    {"V_WMMA_F32_16X16X16_BF16", F32, F32, Bf16, Bf16, 16},
    {"V_WMMA_F16_16X16X16_F16", F16, F16, F16, F16, 16},
    {"V_WMMA_BF16_16X16X16_BF16", Bf16, Bf16, Bf16, Bf16, 16},
    {"V_WMMA_F32_16X16X16_FP8_FP8", F32, F32, Fp8, Fp8, 16},
    {"V_WMMA_F32_16X16X16_FP8_BF8", F32, F32, Fp8, Bf8, 16},
    {"V_WMMA_F32_16X16X16_BF8_FP8", F32, F32, Bf8, Fp8, 16},
    {"V_WMMA_F32_16X16X16_BF8_BF8", F32, F32, Bf8, Bf8, 16},
    {"V_WMMA_I32_16X16X16_IU8", I32, I32, U8, U8, 16},
    {"V_WMMA_I32_16X16X16_IU4", I32, I32, U4, U4, 16},
    {"V_WMMA_I32_16X16X32_IU4", I32, I32, U4, U4, 32},
    {"V_WMMA_F32_16X16X32_F16", F32, F32, F16, F16, 32},
    {"V_WMMA_F32_16X16X32_BF16", F32, F32, Bf16, Bf16, 32},
    {"V_WMMA_F16_16X16X32_F16", F16, F16, F16, F16, 32},
    {"V_WMMA_BF16_16X16X32_BF16", Bf16, Bf16, Bf16, Bf16, 32},
    {"V_WMMA_BF16F32_16X16X32_BF16", Bf16, F32, Bf16, Bf16, 32},
    {"V_WMMA_F32_16X16X64_FP8_FP8", F32, F32, Fp8, Fp8, 64},
    {"V_WMMA_F32_16X16X64_FP8_BF8", F32, F32, Fp8, Bf8, 64},
    {"V_WMMA_F32_16X16X64_BF8_FP8", F32, F32, Bf8, Fp8, 64},
    {"V_WMMA_F32_16X16X64_BF8_BF8", F32, F32, Bf8, Bf8, 64},
    {"V_WMMA_F16_16X16X64_FP8_FP8", F16, F16, Fp8, Fp8, 64},
    {"V_WMMA_F16_16X16X64_FP8_BF8", F16, F16, Fp8, Bf8, 64},
    {"V_WMMA_F16_16X16X64_BF8_FP8", F16, F16, Bf8, Fp8, 64},
    {"V_WMMA_F16_16X16X64_BF8_BF8", F16, F16, Bf8, Bf8, 64},
    {"V_WMMA_I32_16X16X64_IU8", I32, I32, U8, U8, 64},
    {"V_WMMA_F32_16X16X128_FP8_FP8", F32, F32, Fp8, Fp8, 128},
    {"V_WMMA_F32_16X16X128_FP8_BF8", F32, F32, Fp8, Bf8, 128},
    {"V_WMMA_F32_16X16X128_BF8_FP8", F32, F32, Bf8, Fp8, 128},
    {"V_WMMA_F32_16X16X128_BF8_BF8", F32, F32, Bf8, Bf8, 128},
    {"V_WMMA_F16_16X16X128_FP8_FP8", F16, F16, Fp8, Fp8, 128},
    {"V_WMMA_F16_16X16X128_FP8_BF8", F16, F16, Fp8, Bf8, 128},
    {"V_WMMA_F16_16X16X128_BF8_FP8", F16, F16, Bf8, Fp8, 128},
    {"V_WMMA_F16_16X16X128_BF8_BF8", F16, F16, Bf8, Bf8, 128},
    {"V_WMMA_F32_16X16X128_F8F6F4", F32, F32, Count, Count, 128},
    {"V_WMMA_SCALE_F32_16X16X128_F8F6F4", F32, F32, Count, Count, 128, 16, 32},
    {"V_WMMA_SCALE16_F32_16X16X128_F8F6F4", F32, F32, Count, Count, 128, 16, 16},
    {"V_WMMA_F32_32X16X128_F4", F32, F32, Fp4, Fp4, 128, 32},
    {"V_WMMA_SCALE_F32_32X16X128_F4", F32, F32, Fp4, Fp4, 128, 32, 32},
    {"V_WMMA_SCALE16_F32_32X16X128_F4", F32, F32, Fp4, Fp4, 128, 32, 16},

    {"V_SWMMAC_F32_16X16X32_F16", F32, F32, F16, F16, 32},
    {"V_SWMMAC_F32_16X16X32_BF16", F32, F32, Bf16, Bf16, 32},
    {"V_SWMMAC_F16_16X16X32_F16", F16, F16, F16, F16, 32},
    {"V_SWMMAC_BF16_16X16X32_BF16", Bf16, Bf16, Bf16, Bf16, 32},
    {"V_SWMMAC_F32_16X16X32_FP8_FP8", F32, F32, Fp8, Fp8, 32},
    {"V_SWMMAC_F32_16X16X32_FP8_BF8", F32, F32, Fp8, Bf8, 32},
    {"V_SWMMAC_F32_16X16X32_BF8_FP8", F32, F32, Bf8, Fp8, 32},
    {"V_SWMMAC_F32_16X16X32_BF8_BF8", F32, F32, Bf8, Bf8, 32},
    {"V_SWMMAC_I32_16X16X32_IU8", I32, I32, U8, U8, 32},
    {"V_SWMMAC_I32_16X16X32_IU4", I32, I32, U4, U4, 32},
    {"V_SWMMAC_I32_16X16X64_IU4", I32, I32, U4, U4, 64},
    {"V_SWMMAC_F32_16X16X64_F16", F32, F32, F16, F16, 64},
    {"V_SWMMAC_F32_16X16X64_BF16", F32, F32, Bf16, Bf16, 64},
    {"V_SWMMAC_F16_16X16X64_F16", F16, F16, F16, F16, 64},
    {"V_SWMMAC_BF16_16X16X64_BF16", Bf16, Bf16, Bf16, Bf16, 64},
    {"V_SWMMAC_BF16F32_16X16X64_BF16", Bf16, F32, Bf16, Bf16, 64},
    {"V_SWMMAC_F32_16X16X128_FP8_FP8", F32, F32, Fp8, Fp8, 128},
    {"V_SWMMAC_F32_16X16X128_FP8_BF8", F32, F32, Fp8, Bf8, 128},
    {"V_SWMMAC_F32_16X16X128_BF8_FP8", F32, F32, Bf8, Fp8, 128},
    {"V_SWMMAC_F32_16X16X128_BF8_BF8", F32, F32, Bf8, Bf8, 128},
    {"V_SWMMAC_F16_16X16X128_FP8_FP8", F16, F16, Fp8, Fp8, 128},
    {"V_SWMMAC_F16_16X16X128_FP8_BF8", F16, F16, Fp8, Bf8, 128},
    {"V_SWMMAC_F16_16X16X128_BF8_FP8", F16, F16, Bf8, Fp8, 128},
    {"V_SWMMAC_F16_16X16X128_BF8_BF8", F16, F16, Bf8, Bf8, 128},
    {"V_SWMMAC_I32_16X16X128_IU8", I32, I32, U8, U8, 128},
};

//===--------------------------------------------------------------------------------------------------------===//
// Layouts
//===--------------------------------------------------------------------------------------------------------===//

bool isInteger(Element e) { return e == I8 || e == U8 || e == I4 || e == U4; }

/// Neighbouring k's that a lane holds; more than it has elements: all are neighbours.
unsigned runLength(const Matrix &x, Element e) {
  const unsigned bits = bitsOf(e);
  if (x.lanes == 64) return 32;
  if (x.sparse) return x.k == 32 && bits <= 8 ? 16 : x.k / 4; // of B; of A half as long
  if (bits == 32) return 2;
  if (bits == 16) return x.k == 16 ? 4 : 8;
  return bits == 8 ? 16 : isInteger(e) ? 8 : 32;
}
/// The k of element v in lane group `group` of `groups`.
unsigned placeInRuns(unsigned v, unsigned group, unsigned groups, unsigned run) {
  return v / run * run * groups + group * run + v % run;
}

Place placeA(const Matrix &x, unsigned v, unsigned lane) {
  const unsigned half = x.elementsA() / (x.m / 16); // 32 rows: the upper sixteen after the lower
  const unsigned run = std::min(half, runLength(x, x.a) / (x.sparse ? 2 : 1));
  return {lane % 16 + v / half * 16, placeInRuns(v % half, lane / 16, x.lanesA() / 16, run)};
}
Place placeB(const Matrix &x, unsigned v, unsigned lane) {
  unsigned group = lane / 16;
  // Where A needs only half the wave, B's two registers of a wave32 are in the two halves.
  if (x.sparse && x.lanesA() < x.lanesB()) group = (group & 1) << 1 | group >> 1;
  return {placeInRuns(v, group, x.lanesB() / 16, std::min(x.elementsB(), runLength(x, x.b))), lane % 16};
}
Place placeD(const Matrix &x, unsigned v, unsigned lane) {
  const unsigned group = lane / 16;
  if (x.lanes == 64) return {8 * (group & 1) + 4 * (group >> 1) + v, lane % 16};
  return {v / 8 * 16 + 8 * group + v % 8, lane % 16};
}

/// gfx1250's index.
LanePosition placeIndex(const Matrix &x, unsigned v, unsigned lane) {
  const unsigned half = x.elementsA() / 2;
  return {lane % 16 + 16 * (v / half), x.indexShift + 2 * (half * (lane / 16) + v % half)};
}

LanePosition placeScale(const Matrix &x, bool isB, unsigned outer, unsigned kBlock) {
  const bool allLanes = !isB && x.m == 32;
  return {outer + (!allLanes && x.scaleSelect[isB] ? 16u : 0u), kBlock};
}

constexpr Element narrowFormats[] = {Fp8, Bf8, Fp6, Bf6, Fp4};

} // namespace

std::optional<Matrix> wmmaMatrix(const isa::Instruction &from, const ArchitectureRow &arch, unsigned waveSize,
                                 std::string &why) {
  const std::string_view name = isa::name(from.op);
  const Shape *shape =
      std::find_if(std::begin(shapes), std::end(shapes), [&](const Shape &s) { return s.name == name; });
  const isa::Operand *a = from.find(isa::Role::Src0), *b = from.find(isa::Role::Src1), *c = from.find(isa::Role::Src2);
  auto refuse = [&](const char *text) {
    why = text;
    return std::optional<Matrix>();
  };
  if (shape == std::end(shapes) || !a || !b || !c) return refuse("the matrix instruction is not emulated");
  const isa::Modifiers &modifiers = from.modifiers;
  Matrix x;
  x.m = shape->m;
  x.n = 16;
  x.k = shape->k;
  x.lanes = static_cast<uint8_t>(waveSize);
  x.a = shape->a;
  x.b = shape->b;
  x.c = shape->c;
  x.d = shape->d;
  x.mapA = placeA;
  x.mapB = placeB;
  x.mapD = placeD;
  x.clamp = modifiers.clamp;

  if (x.a == Count) {
    if (modifiers.matrixAFormat >= std::size(narrowFormats) || modifiers.matrixBFormat >= std::size(narrowFormats))
      return refuse("the format of A or B does not exist");
    x.a = narrowFormats[modifiers.matrixAFormat];
    x.b = narrowFormats[modifiers.matrixBFormat];
  }
  auto flip = [&](const isa::Operand &o, Element &e, uint32_t (&mask)[2]) {
    if (e == U8 && o.neg) e = I8;
    else if (e == U4 && o.neg) e = I4;
    else if (bitsOf(e) == 16) mask[0] = mask[1] = (o.neg ? 0x8000u : 0) | (o.negHi ? 0x80000000u : 0);
    else if (e == F32) mask[0] = mask[1] = o.neg ? 0x80000000u : 0;
  };
  if (x.a == F32 && (a->negHi || b->negHi)) return refuse("neg_hi of an f32 matrix has no known meaning");
  flip(*a, x.a, x.flipA);
  flip(*b, x.b, x.flipB);

  x.sparse = from.find(isa::Role::Index);
  x.saturates = bitsOf(x.d) == 16 && !arch.pairedWmma;
  if (arch.pairedWmma && !x.sparse && bitsOf(x.a) == 16) x.sum = Summation::Pairs;
  if (!x.sparse && x.d != I32) {
    x.negateC = c->neg;
    x.absoluteC = c->negHi;
  }
  // Eight elements of four bits fill a register of 32 lanes.
  if (x.lanes == 64 && bitsOf(x.a) == 4 && x.storedK() == 16) x.heldByA = 32;
  if (x.lanes == 64 && bitsOf(x.b) == 4 && x.k == 16) x.heldByB = 32;
  if (x.sparse) {
    x.indexShift = static_cast<uint8_t>(modifiers.indexKey * 2 * x.elementsA());
    if (x.k > 32 && bitsOf(x.a) > 4) {
      x.indexMap = placeIndex;
      x.indexShift = static_cast<uint8_t>(modifiers.indexKey * (bitsOf(x.a) == 16 ? 16 : 32));
    }
  }
  if (shape->scaleBlock) {
    x.scaleBlock = shape->scaleBlock;
    x.scaleMap = placeScale;
    x.scalarScale = ScalarScale::LowByte;
    x.scaleSelect[0] = modifiers.matrixAScale;
    x.scaleSelect[1] = modifiers.matrixBScale;
    const unsigned formats[2] = {modifiers.matrixAScaleFormat, modifiers.matrixBScaleFormat};
    for (unsigned side = 0; side < 2; ++side) {
      if (formats[side] > 2) return refuse("the format of the scales does not exist");
      x.scaleFormat[side] = static_cast<ScaleFormat>(formats[side]);
    }
  }
  return x;
}

std::vector<std::string_view> wmmaNames() {
  std::vector<std::string_view> names;
  for (const Shape &s : shapes) names.push_back(s.name);
  return names;
}

} // namespace fly::emulator
