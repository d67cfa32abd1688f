// Square roots against IEEE's, which the host computes; NaNs of every format.
#include "compiler/reference/Floats.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace fly::reference {
namespace {

template <typename Real, typename Bits> void holdRootsAgainstHost(unsigned count) {
  std::mt19937_64 random(7);
  for (unsigned i = 0; i < count; ++i) {
    auto bits = Bits(random());
    if (i % 3 == 0) // perfect squares and their neighbours
      bits = [&] {
        const auto root = Real(random() % 4096);
        const Real square = root * root;
        Bits of;
        std::memcpy(&of, &square, sizeof of);
        return Bits(of + i % 2);
      }();
    Real value;
    std::memcpy(&value, &bits, sizeof value);
    const llvm::APFloat root = squareRoot(llvm::APFloat(value));
    const Real expected = std::sqrt(value);
    if (std::isnan(expected)) {
      EXPECT_TRUE(root.isNaN()) << value;
      continue;
    }
    EXPECT_TRUE(root.bitwiseIsEqual(llvm::APFloat(expected))) << value;
  }
}

TEST(Reference, RootsAreRoundedOnce) {
  holdRootsAgainstHost<float, uint32_t>(30000);
  holdRootsAgainstHost<double, uint64_t>(30000);
}

TEST(Reference, NaNsAreKnownAsAClass) {
  for (const char *name : {"f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"}) {
    const FloatFormat format(*formatByName(name));
    const Cell nan = format.nan();
    EXPECT_TRUE(format.value(nan).isNaN()) << name;
    EXPECT_TRUE(format.isUsable(nan)) << name;
    EXPECT_FALSE(format.isUsable(Cell::unknown())) << name;
    // Whatever the open bits are, it stays one.
    EXPECT_TRUE(format.value(Cell::of(nan.bits | ~nan.known, format.width)).isNaN()) << name;
  }
}

} // namespace
} // namespace fly::reference
