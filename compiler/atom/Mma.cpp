// See Mma.h: queries of rows, and the thread/value layouts by family.
#include "compiler/atom/Mma.h"

#include "compiler/layout/Algebra.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace fly::atom {

using layout::IntTuple;
using layout::Layout;

int64_t MmaRow::threads() const { return call == MmaCall::Fma ? 1 : isMfma() ? 64 : 32; }

const MmaTarget *MmaRow::on(std::string_view arch) const {
  auto found = std::find_if(targets.begin(), targets.end(), [&](const MmaTarget &t) { return t.arch == arch; });
  return found == targets.end() ? nullptr : &*found;
}

const MmaRow *findMma(std::string_view name) {
  for (const MmaRow &row : mmaRows())
    if (name == row.name)
      return &row;
  return nullptr;
}

std::vector<std::string_view> typesOf(std::string_view type) {
  if (type == "float")
    return {"f16", "f32", "f64"};
  if (type == "fp8")
    return {"f8E4M3FN", "f8E4M3FNUZ"};
  if (type == "bf8")
    return {"f8E5M2", "f8E5M2FNUZ"};
  if (type == "iu8")
    return {"i8", "u8"};
  if (type == "iu4")
    return {"i4", "u4"};
  if (type == "f8f6f4")
    return {"f8E4M3FN", "f8E5M2", "f6E2M3", "f6E3M2", "f4E2M1"};
  return {type};
}

int64_t bitsOf(std::string_view type) {
  if (type == "tf32")
    return 32;
  const size_t digit = type.find_first_of("0123456789");
  assert(digit != type.npos);
  int64_t bits = 0;
  for (size_t at = digit; at < type.size() && type[at] >= '0' && type[at] <= '9'; ++at)
    bits = bits * 10 + type[at] - '0';
  return bits;
}

int formatOf(std::string_view type) {
  const auto all = typesOf("f8f6f4");
  auto found = std::find(all.begin(), all.end(), type);
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

int64_t cyclesOf(const MmaRow &row, std::string_view arch, std::string_view a, std::string_view b) {
  const MmaTarget *target = row.on(arch);
  if (!target)
    return 0;
  if (std::string_view(row.a) != "f8f6f4")
    return target->cycles;
  const int64_t widest = std::max(bitsOf(a), bitsOf(b));
  return widest <= (row.isMfma() ? 6 : 4) ? target->cycles / 2 : target->cycles;
}

std::span<const MmaModifier> modifiersOf(const MmaRow &row) {
  // A block of A for 2^cbsz blocks, that of number abid among them; lanes of B exchanged.
  static constexpr MmaModifier ofBlocks2[] = {{"cbsz", 1}, {"abid", 1}, {"blgp", 7}},
                               ofBlocks4[] = {{"cbsz", 2}, {"abid", 3}, {"blgp", 7}},
                               ofBlocks16[] = {{"cbsz", 4}, {"abid", 15}, {"blgp", 7}}, ofOneBlock[] = {{"blgp", 7}};
  static constexpr MmaModifier selects[] = {{"opsel_a", 3}, {"opsel_b", 3}};
  static constexpr MmaModifier scales[] = {{"opsel_a", 1}, {"opsel_b", 1}, {"format_a", 2}, {"format_b", 2}};
  const std::string_view a = row.a;
  switch (row.call) {
  case MmaCall::Mfma:
    if (a == "f64" || a == "tf32" || a == "fp8" || a == "bf8")
      return {};
    if (row.blocks == 1)
      return ofOneBlock;
    return row.blocks == 2   ? std::span<const MmaModifier>(ofBlocks2)
           : row.blocks == 4 ? std::span<const MmaModifier>(ofBlocks4)
                             : ofBlocks16;
  case MmaCall::MfmaScale: return selects;
  case MmaCall::WmmaScale:
  case MmaCall::WmmaScaleF4: return scales;
  default: return {};
  }
}

// ---------------------------------------------------------------------------------------------------------
// Layouts

namespace {

/// A mode as extents and strides.
using Steps = std::vector<std::array<int64_t, 2>>;

Layout modeOf(const Steps &steps) {
  if (steps.size() == 1)
    return Layout(steps[0][0], steps[0][1]);
  std::vector<IntTuple> shape, stride;
  for (auto [extent, by] : steps) {
    shape.emplace_back(extent);
    stride.emplace_back(by);
  }
  return Layout(IntTuple(std::move(shape)), IntTuple(std::move(stride)));
}
Layout threadsAndValues(const Steps &threads, const Steps &values) {
  return layout::layoutOfModes({modeOf(threads), modeOf(values)});
}

/// MFMA's A of (m, k, blocks), or B with n for m. Groups of m lanes hold consecutive runs of k or, where there are
/// several blocks, a block each.
Layout mfmaInput(const MmaRow &row, int64_t m, int64_t bits) {
  const int64_t groups = 64 / m;
  if (row.k == 4 && bits == 64) // f64: k across the quarters of the wave; in 4x4x4 blocks in between
    return row.blocks == 1 ? threadsAndValues({{16, 1}, {4, 16}}, {{1, 0}})
                           : threadsAndValues({{4, 1}, {4, 16}, {4, 4}}, {{1, 0}});
  if (row.blocks > 1)
    return threadsAndValues({{m, 1}, {groups, m * row.k}}, {{row.k, row.k == 1 ? 0 : m}});
  const int64_t values = row.k / groups;
  if (bits == 8 && values == 32) // of f8f6f4: runs of 16, in both halves of k
    return threadsAndValues({{m, 1}, {groups, 16 * m}}, {{16, m}, {2, 16 * groups * m}});
  return threadsAndValues({{m, 1}, {groups, values * m}}, {{values, values == 1 ? 0 : m}});
}

/// MFMA's C and D of (m, n, blocks): columns along the lanes, runs of four rows.
Layout mfmaOutput(const MmaRow &row) {
  const int64_t m = row.m, groups = 64 / row.n, area = row.m * row.n;
  if (bitsOf(row.c) == 64)
    return row.blocks == 1 ? threadsAndValues({{16, 16}, {4, 1}}, {{4, 4}})
                           : threadsAndValues({{4, 4}, {4, 16}, {4, 1}}, {{1, 0}});
  if (m == 4)
    return threadsAndValues({{4, 4}, {16, 16}}, {{4, 1}});
  const Steps lanes = {{row.n, m}, {groups, 4}};
  Steps values = {{4, 1}};
  if (m > 4 * groups)
    values.push_back({m / (4 * groups), 4 * groups});
  if (row.blocks > 1)
    values.push_back({row.blocks, area});
  return threadsAndValues(lanes, values);
}

/// WMMA's A of (m, k), or B with n for m: the halves of the wave take turns, runs of `run` elements of k each.
Layout wmmaInput(int64_t m, int64_t k, int64_t run) {
  Steps values = {{run, m}};
  if (k > 2 * run)
    values.push_back({k / (2 * run), 2 * run * m});
  if (m > 16)
    values.push_back({m / 16, 16});
  return threadsAndValues({{16, 1}, {2, run * m}}, values);
}

int64_t wmmaRun(const MmaRow &row, int64_t bits) {
  if (row.k == 4)
    return 2;                                            // f32
  const bool formats = row.call >= MmaCall::WmmaFormats; // CDNA5 ISA 7.12.2
  if (formats)
    return bits == 8 ? 16 : 32;
  return 8;
}

} // namespace

MmaLayouts mmaLayouts(const MmaRow &row, std::string_view a, std::string_view b) {
  if (row.call == MmaCall::Fma) {
    const Layout one = threadsAndValues({{1, 0}}, {{1, 0}});
    return {one, one, one};
  }
  const int64_t bitsA = bitsOf(a), bitsB = bitsOf(b);
  if (row.isMfma())
    return {mfmaInput(row, row.m, bitsA), mfmaInput(row, row.n, bitsB), mfmaOutput(row)};
  Steps rows = {{8, 1}};
  if (row.m > 16)
    rows.push_back({row.m / 16, 16});
  return {wmmaInput(row.m, row.k, wmmaRun(row, bitsA)), wmmaInput(row.n, row.k, wmmaRun(row, bitsB)),
          threadsAndValues({{16, row.m}, {2, 8}}, rows)};
}

std::string_view layoutSource(const MmaRow &row) {
  if (row.call == MmaCall::Fma)
    return "one thread";
  if (std::ranges::any_of(row.targets, &MmaTarget::inCalculator))
    return "AMD's matrix instruction calculator";
  if (row.scaleBlock == 16 || row.call == MmaCall::WmmaF4 || row.call == MmaCall::WmmaScaleF4)
    return "AMD's functional emulator alone";
  return row.isMfma() ? "CDNA4 ISA manual, AMD's functional emulator" : "CDNA5 ISA manual, AMD's functional emulator";
}

static int64_t valuesOf(const Layout &threadsAndValues) {
  layout::InferringArithmetic arithmetic;
  return layout::size(threadsAndValues.mode(1), arithmetic)->value;
}

int64_t MmaLayouts::valuesOfA() const { return valuesOf(a); }
int64_t MmaLayouts::valuesOfB() const { return valuesOf(b); }
int64_t MmaLayouts::valuesOfC() const { return valuesOf(c); }

} // namespace fly::atom
