// The f16 matrix product of tools/emulator-bench by MFMA and WMMA builtins, against float64.
#include "tests/emulator/programs/ProgramSupport.h"

#include <cmath>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

/// |got - want| <= n * 2^-24 * sum |a b|: the bound of a sum of n terms in f32, whatever its order.
void product(const char *arch, const char *level, uint32_t n) {
  SCOPED_TRACE(std::string(arch) + " " + level);
  Machine m("matrix", arch, level);
  ASSERT_TRUE(m.module) << m.error;
  auto fa = randomFloats(n * n, 1, -1, 1), fb = randomFloats(n * n, 2, -1, 1);
  std::vector<_Float16> a(fa.begin(), fa.end()), b(fb.begin(), fb.end());
  uint64_t d = m.device.allocate(uint64_t(n) * n * 4, "d");
  LaunchConfig c;
  c.grid = {n / 64, n / 64, 1};
  c.block = {256, 1, 1};
  run(m, "gemm", c, d, m.upload(a, "a"), m.upload(b, "b"), int32_t(n));
  auto got = m.download<float>(d, size_t(n) * n);
  for (size_t k = 0; k < a.size(); ++k) {
    fa[k] = a[k];
    fb[k] = b[k];
  }
  unsigned wrong = 0;
  for (uint32_t i = 0; i < n && wrong < 5; ++i)
    for (uint32_t j = 0; j < n && wrong < 5; ++j) {
      double want = 0, size = 0;
      for (uint32_t k = 0; k < n; ++k) {
        double p = static_cast<double>(fa[size_t(i) * n + k]) * fb[size_t(j) * n + k];
        want += p;
        size += std::fabs(p);
      }
      if (!(std::fabs(got[size_t(i) * n + j] - want) <= n * 0x1p-24 * size)) {
        ++wrong;
        ADD_FAILURE() << "D(" << i << ", " << j << ") is " << got[size_t(i) * n + j] << ", not " << want;
      }
    }
}

TEST(MatrixPrograms, ProductOf128) {
  for (const char *arch : architectures)
    for (const char *level : {"O0", "O1", "O2", "O3"}) product(arch, level, 128);
}
TEST(MatrixPrograms, ProductOf1024) { product("gfx942", "O3", 1024); }

} // namespace
