// MMA atoms: the instructions that multiply matrices, as rows of a table. Free of MLIR and of the language.
#pragma once

#include "compiler/layout/Layout.h"

#include <cstdint>
#include <vector>

namespace fly::atom {

enum class MmaKind : uint32_t {
  UniversalFma, ///< d = a * b + c within one thread, rounded once: 1 x 1 x 1, on every target
};

struct MmaRow {
  MmaKind kind;
  const char *name;           ///< in the language
  int64_t m, n, k;
  int64_t threads;            ///< that act together
};
const MmaRow &row(MmaKind kind);
/// In the order of `MmaKind`.
const std::vector<MmaRow> &mmaRows();

/// (thread, value) to the column-major place in A of (M, K), B of (N, K), and C and D of (M, N).
struct MmaLayouts {
  layout::Layout a, b, c;
  int64_t valuesOfA() const;
  int64_t valuesOfB() const;
  int64_t valuesOfC() const;
};
MmaLayouts mmaLayouts(MmaKind kind);

} // namespace fly::atom
