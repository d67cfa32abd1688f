// See Copy.h. Which lane of a transposing atom gets what was taken from the emulator's tables, which name their sources
// (runtime/emulator/ops/memory/LdsOps.cpp, TransposeLoadOps.cpp).
#include "compiler/atom/Copy.h"

#include <algorithm>

namespace fly::atom {

using layout::IntTuple;
using layout::Layout;

const std::vector<CopyRow> &copyRows() {
  using K = CopyKind;
  static const std::vector<CopyRow> rows = {
      {.kind = K::Universal, .name = "UniversalCopy", .bits = {8, 16, 32, 64, 96, 128}, .hasPowersOfTwo = true},
      {.kind = K::Buffer, .name = "BufferCopy", .bits = {8, 16, 32, 64, 96, 128}, .hasPowersOfTwo = true},
      {.kind = K::BufferToLds,
       .name = "BufferCopyLDS",
       .bits = {32, 96, 128},
       .lanesTogether = true,
       .bypassesRegisters = true},
      {.kind = K::GlobalToLds,
       .name = "GlobalCopyLDS",
       .bits = {32, 96, 128},
       .lanesTogether = true,
       .bypassesRegisters = true},
      {.kind = K::Async, .name = "AsyncCopy", .bits = {8, 32, 64, 128}, .bypassesRegisters = true},
      {.kind = K::LdsTransposing, .name = "LDSReadTrans", .bits = {64, 96, 128}, .transposes = true},
      {.kind = K::GlobalTransposing, .name = "GlobalReadTrans", .bits = {64, 96, 128}, .transposes = true},
      {.kind = K::UniversalAtomic, .name = "UniversalAtomic", .bits = {32, 64}, .isOperation = true},
      {.kind = K::BufferAtomic, .name = "BufferAtomic", .bits = {32, 64}, .isOperation = true},
  };
  return rows;
}

const CopyRow &row(CopyKind kind) { return copyRows()[size_t(kind)]; }

/// (thread, value) of an atom whose thread t reads `values` elements at t * values.
static Layout rowsOf(int64_t threads, int64_t values) {
  return Layout(IntTuple(std::vector<IntTuple>{threads, values}), IntTuple(std::vector<IntTuple>{values, 1}));
}

static CopyLayouts transposing(int64_t values, int64_t elementBits, int64_t waveSize) {
  if (waveSize == 64) { // gfx950: 16 columns of one row after the other
    Layout columns(IntTuple(std::vector<IntTuple>{16, values}), IntTuple(std::vector<IntTuple>{1, 16}));
    return {16, rowsOf(16, values), columns, columns};
  }
  struct Form {
    int64_t bits, threads;
    const char *columns;
  };
  static constexpr Form forms[] = {
      {16, 8, "(8,8):(1,8)"},                   // 8x8 among 8 lanes
      {8, 16, "((8,2),(4,2)):((1,32),(8,64))"}, // 8x8 twice among 16 lanes, in alternating runs of four rows
      {6, 32,
       "((16,2),(4,4)):((1,64),(16,128))"}, // 16 columns for each half of the wave, alternating runs of four rows
      {4, 32, "((16,2),(8,2)):((1,128),(16,256))"}, // the same in runs of eight rows
  };
  const Form &form =
      *std::find_if(std::begin(forms), std::end(forms), [&](auto &form) { return form.bits == elementBits; });
  Layout columns = *layout::parseLayout(form.columns);
  return {form.threads, rowsOf(form.threads, values), columns, columns};
}

CopyLayouts copyLayouts(CopyKind kind, int64_t bits, int64_t elementBits, int64_t waveSize) {
  const int64_t values = bits / elementBits;
  if (row(kind).transposes)
    return transposing(values, elementBits, waveSize);
  Layout own(IntTuple(std::vector<IntTuple>{1, values}), IntTuple(std::vector<IntTuple>{0, 1}));
  return {1, own, own, own};
}

} // namespace fly::atom
