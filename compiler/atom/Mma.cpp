// See Mma.h.
#include "compiler/atom/Mma.h"

#include "compiler/layout/Algebra.h"

namespace fly::atom {

using layout::IntTuple;
using layout::Layout;

const std::vector<MmaRow> &mmaRows() {
  static const std::vector<MmaRow> rows = {
      {.kind = MmaKind::UniversalFma, .name = "UniversalFMA", .m = 1, .n = 1, .k = 1, .threads = 1},
  };
  return rows;
}

const MmaRow &row(MmaKind kind) { return mmaRows()[size_t(kind)]; }

MmaLayouts mmaLayouts(MmaKind) {
  Layout one(IntTuple(std::vector<IntTuple>{1, 1}), IntTuple(std::vector<IntTuple>{0, 0}));
  return {one, one, one};
}

static int64_t valuesOf(const Layout &threadsAndValues) {
  layout::InferringArithmetic arithmetic;
  return layout::size(threadsAndValues.mode(1), arithmetic)->value;
}

int64_t MmaLayouts::valuesOfA() const { return valuesOf(a); }
int64_t MmaLayouts::valuesOfB() const { return valuesOf(b); }
int64_t MmaLayouts::valuesOfC() const { return valuesOf(c); }

} // namespace fly::atom
