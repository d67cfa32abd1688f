// The engine of the matrix instructions: gathers operands into panels, multiplies, scatters; see Matrix.h.
//
// The panels live on the stack (about 80 KB at most). What loops over elements of every instruction is in
// MatrixKernels.cpp and AlignedProducts.cpp; here are the rare forms: negations, broadcasts, 16-bit results, bytes of
// scales and indices.
#include "runtime/emulator/ops/matrix/Rows.h"
#include "runtime/emulator/ops/matrix/Matrix.h"

#include "runtime/emulator/formats/SmallFloat.h"
#include "runtime/emulator/formats/TinyFloat.h"

#include <algorithm>
#include <array>
#include <limits>

namespace fly::emulator {

namespace {

constexpr unsigned maxRegisters = 32;

Runs runsOf(const PanelMap &map) { return {map.elements, map.run, map.runs, map.place.data()}; }

/// The registers of a source; a source that is not a vector register is broadcast into `buffer`.
const uint32_t *registersOf(Wave &w, const Source &s, unsigned count, unsigned words, uint32_t *buffer) {
  if (s.kind == Source::Vector) return w.reg(s.index);
  uint32_t value[2] = {s.low, s.high};
  if (s.kind == Source::Scalar) std::memcpy(value, w.scalar + s.index, 4 * words);
  for (unsigned r = 0; r < count; ++r) std::fill_n(buffer + r * laneStride, laneStride, value[words == 2 ? r & 1 : 0]);
  return buffer;
}

/// Lane from which MFMA's B is read: 1, 2 one half of the wave for both, 3 sixteen lanes further, 4 to 7 one sixteen
/// for all (CDNA3 ISA, BLGP).
unsigned laneOfB(unsigned pattern, unsigned lane) {
  switch (pattern) {
  case 1: return lane & 31;
  case 2: return 32 | (lane & 31);
  case 3: return (lane + 16) & 63;
  case 4:
  case 5:
  case 6:
  case 7: return (pattern - 4) * 16 + (lane & 15);
  default: return lane;
  }
}

/// A's or B's registers as the product needs them: from other lanes, with signs flipped.
const uint32_t *changedRegisters(const uint32_t *from, unsigned count, const uint32_t (&flip)[2], unsigned pattern,
                                 uint32_t *buffer) {
  if (!flip[0] && !flip[1] && !pattern) return from;
  alignas(64) uint32_t copy[laneStride];
  for (unsigned r = 0; r < count; ++r) {
    for (unsigned l = 0; l < laneStride; ++l) copy[l] = from[r * laneStride + laneOfB(pattern, l)] ^ flip[r & 1];
    std::memcpy(buffer + r * laneStride, copy, sizeof copy);
  }
  return buffer;
}

/// The doubles that a scale's byte can mean.
const double *scaleValues(ScaleFormat format) {
  static const auto tables = [] {
    std::array<std::array<double, 256>, 3> t;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      t[0][byte] = byte == 255 ? std::numeric_limits<double>::quiet_NaN() : powerOfTwo(static_cast<int>(byte) - 127);
      t[1][byte] = decodeTiny<tiny::ufp8>(byte);
      t[2][byte] = decodeTiny<tiny::fp8>(byte & 127);
    }
    return t;
  }();
  return tables[static_cast<unsigned>(format)].data();
}

/// The exponent of a type's least normal number.
int leastNormal(Element e) {
  switch (e) {
  case Element::F16: return -14;
  case Element::Fp8Fnuz: return -7;
  case Element::Bf8Fnuz: return -15;
  default: return -126;
  }
}

/// Infinities to the largest numbers of f16 or bf16, and what would round to infinity.
void saturate16(float *d, unsigned count, bool bfloat) {
  const float most = bfloat ? 0x1.fep127f : 65504.0f;
  for (unsigned n = 0; n < count; ++n) d[n] = d[n] > most ? most : d[n] < -most ? -most : d[n];
}

uint32_t halfOf(float f) {
#ifdef __F16C__
  return __builtin_bit_cast(uint16_t, static_cast<_Float16>(f));
#else
  return floatToHalf(f);
#endif
}

/// Puts 16-bit results into the halves of their registers.
void scatter16(uint32_t *registers, const Runs &runs, const float *panel, bool bfloat) {
  for (unsigned v = 0; v < runs.elements; ++v)
    for (unsigned r = 0; r < runs.runs; ++r) {
      uint32_t *to = registers + v / 2 * laneStride + r * runs.run;
      const float *from = panel + runs.place[v * runs.runs + r];
      const unsigned shift = v % 2 * 16;
      for (unsigned l = 0; l < runs.run; ++l)
        to[l] = (to[l] & ~(0xffffu << shift)) | (bfloat ? floatToBfloat(from[l]) : halfOf(from[l])) << shift;
    }
}

struct Engine {
  Wave &w;
  const Inst &i;
  const MatrixPlan &plan;
  const Matrix &x = plan.matrix;
  uint32_t *buffer; ///< maxRegisters of them

  const uint32_t *operandA() {
    const uint32_t *p = registersOf(w, i.source[0], plan.registersA, bitsOf(x.a) == 64 ? 2 : 1, buffer);
    return changedRegisters(p, plan.registersA, x.flipA, 0, buffer);
  }
  const uint32_t *operandB() {
    const uint32_t *p = registersOf(w, i.source[1], plan.registersB, bitsOf(x.b) == 64 ? 2 : 1, buffer);
    return changedRegisters(p, plan.registersB, x.flipB, x.laneFromB, buffer);
  }
  const uint32_t *operandC() {
    const Source &s = i.source[2];
    if (s.kind != Source::Vector && bitsOf(x.typeC()) == 16) { // a constant is the value of one element
      uint32_t half = (s.kind == Source::Scalar ? w.scalar[s.index] : s.low) & 0xffff;
      std::fill_n(buffer, plan.registersC * laneStride, half | half << 16);
      return buffer;
    }
    return registersOf(w, s, plan.registersC, bitsOf(x.d) == 64 ? 2 : 1, buffer);
  }
  /// Which block of A block n uses.
  unsigned blockOfA(unsigned n) const {
    return x.broadcastLog ? ((n >> x.broadcastLog) << x.broadcastLog) + x.broadcastFrom : n;
  }
  unsigned sizeD() const { return x.m * x.n * x.blocks; }

  bool aligned() const { return x.sum != Summation::Chain && !w.mode.fastMatrix; }
  void products(float *d);
  void alignedProducts(float *d, const float *a, const float *b);
  void scaled(float *d, const float *a, const float *b);
  void single();
  void integer();
  void twice();
};

/// d += A B
void Engine::products(float *d) {
  alignas(64) float a[maxPanelA], b[maxPanelB];
  panel::unpack(x.a, operandA(), runsOf(plan.a), a);
  panel::unpack(x.b, operandB(), runsOf(plan.b), b);
  if (aligned()) return alignedProducts(d, a, b);
  if (x.scaleBlock) return scaled(d, a, b);
  if (x.sparse) {
    uint8_t select[maxPanelA];
    const unsigned m = x.m, stored = x.storedK();
    const uint32_t *index = registersOf(w, i.source[3], plan.indexRegisters, 1, buffer);
    if (const unsigned have = i.source[3].width; have < plan.indexRegisters) {
      std::memcpy(buffer, index, have * laneStride * 4);
      std::fill_n(buffer + have * laneStride, (plan.indexRegisters - have) * laneStride, 0u);
      index = buffer;
    }
    if (!x.indexMap) panel::select(index, runsOf(plan.a), m, x.indexShift, select);
    else
      for (unsigned s = 0; s < stored; ++s)
        for (unsigned r = 0; r < m; ++r) {
          unsigned at = plan.indexAt[s * m + r];
          select[s * m + r] = static_cast<uint8_t>(s / 2 * 4 + (index[at / 32] >> at % 32 & 3));
        }
    return panel::multiplySparse(d, a, select, b, m, x.n, stored, plan.exact);
  }
  for (unsigned n = 0; n < x.blocks; ++n)
    panel::multiply(d + n * x.m * x.n, a + blockOfA(n) * x.m * x.k, b + n * x.n * x.k, x.m, x.n, x.k, plan.exact);
}

void Engine::alignedProducts(float *d, const float *a, const float *b) {
  int32_t ofA[maxPanelA];
  int16_t ofB[maxPanelB];
  panel::Places placesA{nullptr, ofA, leastNormal(x.a), 0, 0}, placesB{ofB, nullptr, leastNormal(x.b), 0, 0};
  panel::findPlaces(a, x.m * x.k * x.blocks, placesA);
  panel::findPlaces(b, x.n * x.k * x.blocks, placesB);
  const Narrow narrow = x.d == Element::F32    ? Narrow::Single
                        : x.d == Element::Bf16 ? Narrow::BFloat
                        : w.mode.clampsHalf    ? Narrow::HalfLargest
                                               : Narrow::Half;
  for (unsigned n = 0; n < x.blocks; ++n) {
    const unsigned atA = blockOfA(n) * x.m * x.k, atB = n * x.n * x.k;
    panel::Places blockA = placesA, blockB = placesB;
    blockA.twice += atA;
    blockB.of += atB;
    float *to = d + n * x.m * x.n;
    if (x.sum == Summation::Pairs)
      panel::multiplyPairs(to, a + atA, blockA, b + atB, blockB, x.k, x.a == Element::Bf16, narrow);
    else
      panel::multiplyGroups(to, a + atA, blockA, b + atB, blockB, x.m, x.k,
                            x.a == Element::Xf32 ? 4u : std::min<unsigned>(x.k, 8), x.sum == Summation::Halves);
  }
}

void Engine::scaled(float *d, const float *a, const float *b) {
  double scale[2][maxPanelA / 16];
  for (unsigned side = 0; side < 2; ++side) {
    const Source &source = i.source[3 + side];
    const double *values = scaleValues(x.scaleFormat[side]);
    if (source.kind != Source::Vector) {
      const uint32_t word = source.kind == Source::Scalar ? w.scalar[source.index] : source.low;
      const bool neutral = source.kind == Source::Constant && word == 0 && x.scalarScale == ScalarScale::LowByte;
      const uint32_t byte = (x.scalarScale == ScalarScale::Exponent ? word >> 23 : word) & 0xff;
      std::fill_n(scale[side], plan.scaleAt[side].size(), neutral ? 1.0 : values[byte]);
      continue;
    }
    const uint32_t *registers = w.reg(source.index);
    for (size_t n = 0; n < plan.scaleAt[side].size(); ++n) {
      unsigned at = plan.scaleAt[side][n];
      scale[side][n] = values[registers[at / 32] >> at % 32 & 0xff];
    }
  }
  double sum[maxPanelD];
  std::fill_n(sum, sizeD(), 0.0);
  alignas(64) float part[maxPanelD];
  for (unsigned k = 0; k < x.k; k += x.scaleBlock) {
    std::fill_n(part, sizeD(), 0.0f);
    panel::multiply(part, a + k * x.m, b + k * x.n, x.m, x.n, x.scaleBlock, plan.exact);
    unsigned block = k / x.scaleBlock;
    panel::addScaled(sum, part, scale[0] + block * x.m, scale[1] + block * x.n, x.m, x.n);
  }
  for (unsigned n = 0; n < sizeD(); ++n) d[n] = static_cast<float>(sum[n] + static_cast<double>(d[n]));
}

void Engine::single() {
  alignas(64) float d[maxPanelD];
  panel::unpack(x.typeC(), operandC(), runsOf(plan.d), d);
  if (x.absoluteC || x.negateC)
    for (unsigned n = 0; n < sizeD(); ++n) {
      float c = x.absoluteC ? std::fabs(d[n]) : d[n];
      d[n] = x.negateC ? -c : c;
    }
  products(d);
  if (!aligned()) {
    panel::settle(d, sizeD());
    if (x.saturates && w.mode.clampsHalf) saturate16(d, sizeD(), x.d == Element::Bf16);
  }
  if (x.d == Element::F32) panel::scatter32(w.reg(i.dst), runsOf(plan.d), reinterpret_cast<const uint32_t *>(d));
  else scatter16(w.reg(i.dst), runsOf(plan.d), d, x.d == Element::Bf16);
}

/// Products of 8-bit integers sum up to less than 2^24 for all k there are, so f32 holds them exactly.
void Engine::integer() {
  alignas(64) float d[maxPanelD];
  alignas(64) uint32_t c[maxPanelD];
  std::fill_n(d, sizeD(), 0.0f);
  panel::gather32(operandC(), runsOf(plan.d), c);
  products(d);
  if (x.clamp)
    for (unsigned n = 0; n < sizeD(); ++n) {
      int64_t sum = static_cast<int64_t>(static_cast<int32_t>(c[n])) + static_cast<int64_t>(d[n]);
      c[n] = static_cast<uint32_t>(
          std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
    }
  else
    for (unsigned n = 0; n < sizeD(); ++n) c[n] += static_cast<uint32_t>(static_cast<int32_t>(d[n]));
  panel::scatter32(w.reg(i.dst), runsOf(plan.d), c);
}

void Engine::twice() {
  alignas(64) double a[maxPanelA / 16], b[maxPanelB / 16], d[maxPanelD / 2];
  panel::gather64(operandC(), runsOf(plan.d), d);
  if (x.negateC)
    for (unsigned n = 0; n < sizeD(); ++n) d[n] = -d[n];
  panel::gather64(operandA(), runsOf(plan.a), a);
  panel::gather64(operandB(), runsOf(plan.b), b);
  for (unsigned n = 0; n < x.blocks; ++n)
    panel::multiply64(d + n * x.m * x.n, a + blockOfA(n) * x.m * x.k, b + n * x.n * x.k, x.m, x.n, x.k);
  for (unsigned n = 0; n < sizeD(); ++n) d[n] = d[n] == d[n] ? d[n] : defaultNan<double>();
  panel::scatter64(w.reg(i.dst), runsOf(plan.d), d);
}

} // namespace

void runMatrix(Wave &w, const Inst &i) {
  alignas(64) uint32_t buffer[maxRegisters * laneStride];
  Engine engine{.w = w, .i = i, .plan = *static_cast<const MatrixPlan *>(i.detail), .buffer = buffer};
  switch (engine.x.d) {
  case Element::F64: return engine.twice();
  case Element::I32: return engine.integer();
  default: return engine.single();
  }
}

namespace {

std::vector<Row> rowsOf(const std::vector<std::string_view> &names) {
  std::vector<Row> rows;
  for (std::string_view name : names) rows.push_back({name, runMatrix, Row::Other});
  return rows;
}

} // namespace

std::span<const Row> mfmaRows() {
  static const std::vector<Row> rows = rowsOf(mfmaNames());
  return rows;
}
std::span<const Row> wmmaRows() {
  static const std::vector<Row> rows = rowsOf(wmmaNames());
  return rows;
}

} // namespace fly::emulator
