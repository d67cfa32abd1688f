// Which build of the rows executes, and its rows by instruction; see Rows.h.
#include "runtime/emulator/decode/Rows.h"

#include <cstdlib>

namespace fly::emulator {

namespace {

/// Rows by isa::Op.
const Row *const *rowTable(size_t &size) {
  static const std::vector<const Row *> table = [] {
    std::vector<const Row *> t;
    for (auto rows : selectedRows())
      for (const Row &row : rows) {
        size_t op = static_cast<size_t>(isa::findOp(row.name));
        if (t.size() <= op) t.resize(op + 1);
        t[op] = &row;
      }
    return t;
  }();
  size = table.size();
  return table.data();
}

} // namespace

RowTables selectedRows() {
#ifdef FLY_EMULATOR_HAS_AVX2
  const char *wanted = std::getenv("FLY_EMULATOR_SIMD");
  bool portable = wanted && std::string_view(wanted) == "portable";
  if (!portable && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"))
    return avx2Rows();
#endif
  return portableRows();
}

const Row *findRow(isa::Op op) {
  size_t size;
  const Row *const *table = rowTable(size);
  size_t index = static_cast<size_t>(op);
  return index < size ? table[index] : nullptr;
}

} // namespace fly::emulator
