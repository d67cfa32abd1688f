// The instruction tables, all families together, in the builds that exist of them.
//
// The files that execute instructions are compiled twice: for any x86-64 (or other machine), and for AVX2 with FMA and
// F16C, where a wave's loops run two to three times as fast. The machine decides at run time;
// FLY_EMULATOR_SIMD=portable in the environment forces the first, for tests. Both are the same sources, so both give
// the same bits.
#pragma once

#include "runtime/emulator/wave/Program.h"

namespace fly::emulator {

using RowTables = std::span<const std::span<const Row>>;

RowTables portableRows();
#ifdef FLY_EMULATOR_HAS_AVX2
RowTables avx2Rows();
#endif
/// The best that this machine can run.
RowTables selectedRows();
/// The row of an instruction, or null.
const Row *findRow(isa::Op op);

} // namespace fly::emulator
