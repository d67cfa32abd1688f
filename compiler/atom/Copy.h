// Copy atoms: the instructions that move data, as rows of a table. Free of MLIR and of the language: the front end
// checks a copy by its row, the dialect verifies it, the lowering chooses instructions.
#pragma once

#include "compiler/layout/Layout.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fly::atom {

enum class CopyKind : uint32_t {
  Universal,         ///< one thread's plain access, in any memory
  Buffer,            ///< an access through a buffer resource
  BufferToLds,       ///< bypassing registers; a wave's lanes write one after the other
  GlobalToLds,       ///< the same from global memory
  Async,             ///< between global memory and LDS bypassing registers; each lane has its own addresses
  LdsTransposing,    ///< reads LDS and transposes among lanes
  GlobalTransposing, ///< the same from global memory
  UniversalAtomic,   ///< changes global or shared memory at once
  BufferAtomic,      ///< the same through a buffer resource
};

struct CopyRow {
  CopyKind kind;
  const char *name;            ///< in the language
  std::vector<int64_t> bits;   ///< widths of what a thread moves
  bool lanesTogether = false;  ///< a wave writes to one place, lane after lane
  bool isOperation = false;    ///< written `(operation, type)`
  bool hasPowersOfTwo = false; ///< and 96 bits only for elements of 6
  bool transposes = false;     ///< lanes exchange what they read: into registers, without predicates
  bool bypassesRegisters = false;
};
const CopyRow &row(CopyKind kind);
/// In the order of `CopyKind`.
const std::vector<CopyRow> &copyRows();

/// The threads that act together, and (thread, value) to the column-major place in the piece that they move.
struct CopyLayouts {
  int64_t threads;
  layout::Layout source, destination, reference;
};
/// Of an atom that moves `bits` per thread, of elements of `elementBits`; transposing atoms differ by the wave's size.
/// Sources: CDNA4 ISA manual, "DS_READ_B64_TR_B16"; RDNA4 ISA manual 11.6.2; LLVM's IntrinsicsAMDGPU.td.
CopyLayouts copyLayouts(CopyKind kind, int64_t bits, int64_t elementBits, int64_t waveSize);

} // namespace fly::atom
