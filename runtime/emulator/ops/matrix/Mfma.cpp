// The matrix instructions of gfx942 and gfx950: v_mfma_*, v_mfma_scale_* and v_smfmac_*. See Matrix.h.
//
// Where elements lie (AMD's matrix instruction calculator; what came with gfx950: probes of AMD's functional emulator):
// A's and B's lanes come in groups of m (or n) that hold one row of A, or column of B, each. Instructions of one block
// give the groups consecutive runs of k; those of several blocks give each group a block. Three exceptions have their
// own maps: f64 4x4x4, f64 16x16x4's D, and 8-bit operands of f8f6f4, whose runs of k are 16 long, twice.
//
// Modifiers. cbsz and abid broadcast blocks of A, blgp exchanges lanes of B, where there are several blocks or the
// element is f32, f16, bf16 or i8; on f64 blgp's bits negate A, B and C; on f8f6f4 cbsz and blgp are formats; on
// v_smfmac cbsz and abid say which bits of the index register are used (CDNA3 and CDNA4 ISA, chapter 7).
// The 8-bit floats of gfx942 are the FNUZ formats, those of gfx950 OCP's.
#include "runtime/emulator/ops/matrix/Matrix.h"

#include <algorithm>

namespace fly::emulator {

namespace {

struct Shape {
  std::string_view name;
  uint8_t m; ///< and n
  uint8_t k, blocks;
  Element a, b, d;
};

constexpr Shape dense[] = {
    {"V_MFMA_F32_32X32X4BF16_1K", 32, 4, 2, Element::Bf16, Element::Bf16, Element::F32},
    {"V_MFMA_F32_32X32X8BF16_1K", 32, 8, 1, Element::Bf16, Element::Bf16, Element::F32},
    {"V_MFMA_F32_32X32X16_BF16", 32, 16, 1, Element::Bf16, Element::Bf16, Element::F32},
    {"V_MFMA_F32_16X16X4BF16_1K", 16, 4, 4, Element::Bf16, Element::Bf16, Element::F32},
    {"V_MFMA_F32_16X16X16BF16_1K", 16, 16, 1, Element::Bf16, Element::Bf16, Element::F32},
    {"V_MFMA_F32_16X16X32_BF16", 16, 32, 1, Element::Bf16, Element::Bf16, Element::F32},
    {"V_MFMA_F32_4X4X4BF16_1K", 4, 4, 16, Element::Bf16, Element::Bf16, Element::F32},
    {"V_MFMA_F32_32X32X16_BF8_BF8", 32, 16, 1, Element::Bf8, Element::Bf8, Element::F32},
    {"V_MFMA_F32_16X16X32_BF8_BF8", 16, 32, 1, Element::Bf8, Element::Bf8, Element::F32},
    {"V_MFMA_F32_32X32X16_BF8_FP8", 32, 16, 1, Element::Bf8, Element::Fp8, Element::F32},
    {"V_MFMA_F32_16X16X32_BF8_FP8", 16, 32, 1, Element::Bf8, Element::Fp8, Element::F32},
    {"V_MFMA_F32_32X32X4F16", 32, 4, 2, Element::F16, Element::F16, Element::F32},
    {"V_MFMA_F32_32X32X8F16", 32, 8, 1, Element::F16, Element::F16, Element::F32},
    {"V_MFMA_F32_32X32X16_F16", 32, 16, 1, Element::F16, Element::F16, Element::F32},
    {"V_MFMA_F32_16X16X4F16", 16, 4, 4, Element::F16, Element::F16, Element::F32},
    {"V_MFMA_F32_16X16X16F16", 16, 16, 1, Element::F16, Element::F16, Element::F32},
    {"V_MFMA_F32_16X16X32_F16", 16, 32, 1, Element::F16, Element::F16, Element::F32},
    {"V_MFMA_F32_4X4X4F16", 4, 4, 16, Element::F16, Element::F16, Element::F32},
    {"V_MFMA_F32_32X32X1F32", 32, 1, 2, Element::F32, Element::F32, Element::F32},
    {"V_MFMA_F32_32X32X2F32", 32, 2, 1, Element::F32, Element::F32, Element::F32},
    {"V_MFMA_F32_16X16X1F32", 16, 1, 4, Element::F32, Element::F32, Element::F32},
    {"V_MFMA_F32_16X16X4F32", 16, 4, 1, Element::F32, Element::F32, Element::F32},
    {"V_MFMA_F32_4X4X1F32", 4, 1, 16, Element::F32, Element::F32, Element::F32},
    {"V_MFMA_F32_32X32X16_FP8_BF8", 32, 16, 1, Element::Fp8, Element::Bf8, Element::F32},
    {"V_MFMA_F32_16X16X32_FP8_BF8", 16, 32, 1, Element::Fp8, Element::Bf8, Element::F32},
    {"V_MFMA_F32_32X32X16_FP8_FP8", 32, 16, 1, Element::Fp8, Element::Fp8, Element::F32},
    {"V_MFMA_F32_16X16X32_FP8_FP8", 16, 32, 1, Element::Fp8, Element::Fp8, Element::F32},
    {"V_MFMA_F32_32X32X4XF32", 32, 4, 1, Element::Xf32, Element::Xf32, Element::F32},
    {"V_MFMA_F32_16X16X8XF32", 16, 8, 1, Element::Xf32, Element::Xf32, Element::F32},
    {"V_MFMA_F64_16X16X4F64", 16, 4, 1, Element::F64, Element::F64, Element::F64},
    {"V_MFMA_F64_4X4X4F64", 4, 4, 4, Element::F64, Element::F64, Element::F64},
    {"V_MFMA_I32_32X32X4I8", 32, 4, 2, Element::I8, Element::I8, Element::I32},
    {"V_MFMA_I32_32X32X16I8", 32, 16, 1, Element::I8, Element::I8, Element::I32},
    {"V_MFMA_I32_32X32X32_I8", 32, 32, 1, Element::I8, Element::I8, Element::I32},
    {"V_MFMA_I32_16X16X4I8", 16, 4, 4, Element::I8, Element::I8, Element::I32},
    {"V_MFMA_I32_16X16X32I8", 16, 32, 1, Element::I8, Element::I8, Element::I32},
    {"V_MFMA_I32_16X16X64_I8", 16, 64, 1, Element::I8, Element::I8, Element::I32},
    {"V_MFMA_I32_4X4X4I8", 4, 4, 16, Element::I8, Element::I8, Element::I32},
};
constexpr Shape sparse[] = {
    {"V_SMFMAC_F32_32X32X16_BF16", 32, 16, 1, Element::Bf16, Element::Bf16, Element::F32},
    {"V_SMFMAC_F32_32X32X32_BF16", 32, 32, 1, Element::Bf16, Element::Bf16, Element::F32},
    {"V_SMFMAC_F32_16X16X32_BF16", 16, 32, 1, Element::Bf16, Element::Bf16, Element::F32},
    {"V_SMFMAC_F32_16X16X64_BF16", 16, 64, 1, Element::Bf16, Element::Bf16, Element::F32},
    {"V_SMFMAC_F32_32X32X32_BF8_BF8", 32, 32, 1, Element::Bf8, Element::Bf8, Element::F32},
    {"V_SMFMAC_F32_32X32X64_BF8_BF8", 32, 64, 1, Element::Bf8, Element::Bf8, Element::F32},
    {"V_SMFMAC_F32_16X16X64_BF8_BF8", 16, 64, 1, Element::Bf8, Element::Bf8, Element::F32},
    {"V_SMFMAC_F32_16X16X128_BF8_BF8", 16, 128, 1, Element::Bf8, Element::Bf8, Element::F32},
    {"V_SMFMAC_F32_32X32X32_BF8_FP8", 32, 32, 1, Element::Bf8, Element::Fp8, Element::F32},
    {"V_SMFMAC_F32_32X32X64_BF8_FP8", 32, 64, 1, Element::Bf8, Element::Fp8, Element::F32},
    {"V_SMFMAC_F32_16X16X64_BF8_FP8", 16, 64, 1, Element::Bf8, Element::Fp8, Element::F32},
    {"V_SMFMAC_F32_16X16X128_BF8_FP8", 16, 128, 1, Element::Bf8, Element::Fp8, Element::F32},
    {"V_SMFMAC_F32_32X32X16_F16", 32, 16, 1, Element::F16, Element::F16, Element::F32},
    {"V_SMFMAC_F32_32X32X32_F16", 32, 32, 1, Element::F16, Element::F16, Element::F32},
    {"V_SMFMAC_F32_16X16X32_F16", 16, 32, 1, Element::F16, Element::F16, Element::F32},
    {"V_SMFMAC_F32_16X16X64_F16", 16, 64, 1, Element::F16, Element::F16, Element::F32},
    {"V_SMFMAC_F32_32X32X32_FP8_BF8", 32, 32, 1, Element::Fp8, Element::Bf8, Element::F32},
    {"V_SMFMAC_F32_32X32X64_FP8_BF8", 32, 64, 1, Element::Fp8, Element::Bf8, Element::F32},
    {"V_SMFMAC_F32_16X16X64_FP8_BF8", 16, 64, 1, Element::Fp8, Element::Bf8, Element::F32},
    {"V_SMFMAC_F32_16X16X128_FP8_BF8", 16, 128, 1, Element::Fp8, Element::Bf8, Element::F32},
    {"V_SMFMAC_F32_32X32X32_FP8_FP8", 32, 32, 1, Element::Fp8, Element::Fp8, Element::F32},
    {"V_SMFMAC_F32_32X32X64_FP8_FP8", 32, 64, 1, Element::Fp8, Element::Fp8, Element::F32},
    {"V_SMFMAC_F32_16X16X64_FP8_FP8", 16, 64, 1, Element::Fp8, Element::Fp8, Element::F32},
    {"V_SMFMAC_F32_16X16X128_FP8_FP8", 16, 128, 1, Element::Fp8, Element::Fp8, Element::F32},
    {"V_SMFMAC_I32_32X32X32_I8", 32, 32, 1, Element::I8, Element::I8, Element::I32},
    {"V_SMFMAC_I32_32X32X64_I8", 32, 64, 1, Element::I8, Element::I8, Element::I32},
    {"V_SMFMAC_I32_16X16X64_I8", 16, 64, 1, Element::I8, Element::I8, Element::I32},
    {"V_SMFMAC_I32_16X16X128_I8", 16, 128, 1, Element::I8, Element::I8, Element::I32},
};
/// A's and B's types are in cbsz and blgp.
constexpr Shape mixed[] = {
    {"V_MFMA_F32_16X16X128_F8F6F4", 16, 128, 1, Element::Count, Element::Count, Element::F32},
    {"V_MFMA_F32_32X32X64_F8F6F4", 32, 64, 1, Element::Count, Element::Count, Element::F32},
    {"V_MFMA_SCALE_F32_16X16X128_F8F6F4", 16, 128, 1, Element::Count, Element::Count, Element::F32},
    {"V_MFMA_SCALE_F32_32X32X64_F8F6F4", 32, 64, 1, Element::Count, Element::Count, Element::F32},
};

//===--------------------------------------------------------------------------------------------------------===//
// Maps
//===--------------------------------------------------------------------------------------------------------===//

/// Row and k of A (or column and k of B) of element v in lane l, with `elements` per lane.
struct Inner {
  unsigned outer, k, block;
};
Inner inner(const Matrix &x, unsigned elements, unsigned v, unsigned lane) {
  unsigned group = lane / x.m;
  if (x.blocks > 1) return {lane % x.m, v, group};
  return {lane % x.m, group * elements + v, 0};
}
Place mapA(const Matrix &x, unsigned v, unsigned lane) {
  Inner p = inner(x, x.elementsA(), v, lane);
  return {p.outer, p.k, p.block};
}
Place mapB(const Matrix &x, unsigned v, unsigned lane) {
  Inner p = inner(x, x.elementsB(), v, lane);
  return {p.k, p.outer, p.block};
}
/// Columns along the lanes. 4 rows to a register run, so a group of lanes has rows 4 g to 4 g + 3, then (32x32) those 8
/// further; blocks follow.
Place mapD(const Matrix &x, unsigned v, unsigned lane) {
  unsigned group = lane / x.n, groups = 64u / x.n;
  if (x.m == 4) return {v, lane % 4, group};
  unsigned each = x.m / groups; // registers to a block
  return {v % each / 4 * 4 * groups + 4 * group + v % 4, lane % x.n, v / each};
}

/// f64 4x4x4: four blocks side by side in the lanes, k (for D: the row) across the quarters of the wave.
Place mapA4(const Matrix &, unsigned, unsigned lane) { return {lane % 4, lane / 16, lane / 4 % 4}; }
Place mapB4(const Matrix &, unsigned, unsigned lane) { return {lane / 16, lane % 4, lane / 4 % 4}; }
/// f64 16x16x4: four rows to a register, one in each quarter of the wave.
Place mapD64(const Matrix &, unsigned v, unsigned lane) { return {4 * v + lane / 16, lane % 16, 0}; }

/// 8-bit operands of f8f6f4: each half of a lane's elements is a run of 16 k's.
unsigned k8(const Matrix &x, unsigned v, unsigned lane) {
  unsigned groups = 64u / x.m;
  return 16 * groups * (v / 16) + 16 * (lane / x.m) + v % 16;
}
Place mapA8(const Matrix &x, unsigned v, unsigned lane) { return {lane % x.m, k8(x, v, lane), 0}; }
Place mapB8(const Matrix &x, unsigned v, unsigned lane) { return {k8(x, v, lane), lane % x.n, 0}; }

/// v_smfmac. A's registers come in pairs, two dense instructions' worth of elements in 2 n registers, and each pair
/// acts as if it were one more group of lanes: pair p of group g is group `pairs` g + p. Within a part of k that one
/// pair of each group covers, 16-bit elements of a group are adjacent; 8-bit ones cover 8 k's in each half. B's lanes
/// have runs of 8 k's. For gfx942's (one pair) this equals, up to a permutation of k, AMD's calculator; for gfx950's
/// 16x16 shapes it is what one-hot probes on the hardware found (a published note on the sparse instructions of
/// gfx950), and AMD's functional emulator has the same; its 32x32 shapes rest on that emulator alone.
struct SparseParts {
  unsigned pairs, groups, k;
};
SparseParts sparseParts(const Matrix &x) {
  unsigned pairs = x.elementsA() * bitsOf(x.a) / 64;
  return {pairs, 64u / x.m, x.k / pairs};
}
Place mapSparseA(const Matrix &x, unsigned v, unsigned lane) {
  SparseParts parts = sparseParts(x);
  unsigned each = 64 / bitsOf(x.a), u = v % each;
  unsigned group = parts.pairs * (lane / x.m) + v / each, part = group / parts.groups;
  group %= parts.groups;
  // Stored columns are half as many as dense ones: 4 for the 8 k's of a run.
  unsigned column = part * parts.k / 2 + 4 * group + u % 4 + u / 4 * (parts.k / 4);
  return {lane % x.m, column, 0};
}
Place mapSparseB(const Matrix &x, unsigned v, unsigned lane) {
  SparseParts parts = sparseParts(x);
  unsigned stride = bitsOf(x.b) == 8 ? parts.k / 2 : parts.k;
  return {v / 8 * stride + 8 * (lane / x.m) + v % 8, lane % x.n, 0};
}

/// Lane l scales row l % m in the l / m-th 32 k's, with the byte that op_sel picks.
LanePosition mapScale(const Matrix &x, bool isB, unsigned outer, unsigned kBlock) {
  return {kBlock * x.m + outer, x.scaleSelect[isB]};
}

//===--------------------------------------------------------------------------------------------------------===//
// Descriptions
//===--------------------------------------------------------------------------------------------------------===//

constexpr Element formats[] = {Element::Fp8, Element::Bf8, Element::Fp6, Element::Bf6, Element::Fp4};

Element forArchitecture(Element e, const ArchitectureRow &arch) {
  if (!arch.fnuz) return e;
  return e == Element::Fp8 ? Element::Fp8Fnuz : e == Element::Bf8 ? Element::Bf8Fnuz : e;
}

Matrix describe(const Shape &s, const ArchitectureRow &arch) {
  Matrix x;
  x.m = x.n = s.m;
  x.k = s.k;
  x.blocks = s.blocks;
  x.a = forArchitecture(s.a, arch);
  x.b = forArchitecture(s.b, arch);
  x.d = s.d;
  x.mapA = mapA;
  x.mapB = mapB;
  x.mapD = mapD;
  return x;
}

} // namespace

std::optional<Matrix> mfmaMatrix(const isa::Instruction &from, const ArchitectureRow &arch, std::string &why) {
  const std::string_view name = isa::name(from.op);
  const isa::Modifiers &m = from.modifiers;
  auto find = [&](std::span<const Shape> rows) {
    auto at = std::find_if(rows.begin(), rows.end(), [&](const Shape &s) { return s.name == name; });
    return at == rows.end() ? nullptr : &*at;
  };
  if (const Shape *s = find(mixed)) {
    if (m.cbsz >= std::size(formats) || m.blgp >= std::size(formats)) {
      why = "cbsz and blgp of f8f6f4 name formats 0 to 4";
      return std::nullopt;
    }
    Matrix x = describe(*s, arch);
    x.a = formats[m.cbsz];
    x.b = formats[m.blgp];
    if (bitsOf(x.a) == 8) x.mapA = mapA8;
    if (bitsOf(x.b) == 8) x.mapB = mapB8;
    if (m.scaled) {
      x.scaleBlock = 32;
      x.scaleMap = mapScale;
      const isa::Operand *scale[2] = {from.find(isa::Role::Scale0), from.find(isa::Role::Scale1)};
      for (unsigned n = 0; n < 2; ++n)
        if (scale[n]) x.scaleSelect[n] = static_cast<uint8_t>(scale[n]->opSel + 2 * scale[n]->opSelHi);
    }
    return x;
  }
  if (const Shape *s = find(sparse)) {
    Matrix x = describe(*s, arch);
    x.sparse = true;
    x.mapA = mapSparseA;
    x.mapB = mapSparseB;
    // One set of index bits covers a lane's elements of A; cbsz 0: abid picks the set, else the first.
    unsigned bits = 2 * x.elementsA();
    if (m.cbsz == 0) x.indexShift = static_cast<uint8_t>(m.abid % (32 / bits) * bits);
    return x;
  }
  const Shape *s = find(dense);
  if (!s) {
    why = "the matrix instruction is not emulated";
    return std::nullopt;
  }
  Matrix x = describe(*s, arch);
  if (x.d == Element::F64) {
    if (x.blocks > 1) {
      x.mapA = mapA4;
      x.mapB = x.mapD = mapB4;
    } else x.mapD = mapD64;
    if (m.blgp & 1) x.flipA[1] = 0x80000000u;
    if (m.blgp & 2) x.flipB[1] = 0x80000000u;
    x.negateC = m.blgp & 4;
    return x;
  }
  if ((1u << m.cbsz) > x.blocks || m.abid >= (1u << m.cbsz)) {
    why = "cbsz and abid broadcast a block that the instruction does not have";
    return std::nullopt;
  }
  // The shapes that gfx950 has in addition have eight 16-bit elements per lane; nothing is published on their sums.
  if (bitsOf(x.a) == 16 && x.elementsA() == 4) x.sum = Summation::Groups;
  if (x.a == Element::Xf32) x.sum = Summation::Groups;
  if (bitsOf(x.a) == 8 && arch.fnuz && x.d == Element::F32) x.sum = Summation::Halves;
  x.broadcastLog = m.cbsz;
  x.broadcastFrom = m.abid;
  x.laneFromB = m.blgp;
  return x;
}

std::vector<std::string_view> mfmaNames() {
  std::vector<std::string_view> names;
  for (std::span<const Shape> table :
       {std::span<const Shape>(dense), std::span<const Shape>(sparse), std::span<const Shape>(mixed)})
    for (const Shape &s : table) names.push_back(s.name);
  return names;
}

} // namespace fly::emulator
