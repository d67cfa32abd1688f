// clang's kernels that reach memory through buffers (inputs/buffers.c), against the host: sizes at and below the
// workgroup's, into poisoned outputs.
#include "tests/emulator/TestSupport.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fly::emulator::test {

namespace {

constexpr uint32_t workgroup = 256;

struct BufferKernels : ::testing::TestWithParam<std::tuple<const char *, uint32_t>> {
  Machine m{"buffers", std::get<0>(GetParam()), "O2"};
  const uint32_t n = std::get<1>(GetParam());
  std::mt19937 random{n};
  void SetUp() override { ASSERT_TRUE(m.module) << m.error; }

  /// What `kernel` makes of x, with some bytes after it that must stay as they are.
  template <class T> std::vector<T> run(const char *kernel, const std::vector<T> &x, uint32_t rows) {
    std::vector<T> y(x.size() + 16, T(77));
    uint64_t in = m.upload(x, "x"), out = m.upload(y, "y");
    LaunchResult r = m.device.launch(*m.module, kernel, shape(rows, workgroup), arguments(in, out, n));
    EXPECT_TRUE(r.ok) << r.report.text();
    y = m.download<T>(out, y.size());
    for (size_t k = x.size(); k < y.size(); ++k) EXPECT_EQ(y[k], T(77)) << "written beyond its end";
    y.resize(x.size());
    return y;
  }
  std::vector<float> floats(uint32_t rows) {
    std::vector<float> x(rows * n);
    for (float &v : x) v = float(int(random() % 20000) - 10000) / 1000.0f;
    return x;
  }
};

TEST_P(BufferKernels, Softmax) {
  auto x = floats(3), y = run("softmax", x, 3);
  for (uint32_t row = 0; row < 3; ++row) {
    const float *from = x.data() + row * n;
    double sum = 0, largest = *std::max_element(from, from + n);
    for (uint32_t k = 0; k < n; ++k) sum += std::exp(from[k] - largest);
    for (uint32_t k = 0; k < n; ++k) {
      const double expected = std::exp(from[k] - largest) / sum;
      EXPECT_NEAR(y[row * n + k], expected, 4e-6 * expected + 1e-12) << row << " " << k;
    }
  }
}

TEST_P(BufferKernels, LayerNorm) {
  auto x = floats(3), y = run("layer_norm", x, 3);
  for (uint32_t row = 0; row < 3; ++row) {
    const float *from = x.data() + row * n;
    double mean = std::accumulate(from, from + n, 0.0) / n, variance = 0;
    for (uint32_t k = 0; k < n; ++k) variance += (from[k] - mean) * (from[k] - mean) / n;
    for (uint32_t k = 0; k < n; ++k)
      EXPECT_NEAR(y[row * n + k], (from[k] - mean) / std::sqrt(variance + 1e-5), 2e-5) << row << " " << k;
  }
}

TEST_P(BufferKernels, ScanAndSort) {
  std::vector<uint32_t> x(n);
  for (uint32_t &v : x) v = static_cast<uint32_t>(random());
  std::vector<uint32_t> sums(n), sorted = x;
  std::partial_sum(x.begin(), x.end(), sums.begin());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(run("scan", x, 1), sums);
  EXPECT_EQ(run("sort", x, 1), sorted);
}

INSTANTIATE_TEST_SUITE_P(Each, BufferKernels,
                         ::testing::Combine(::testing::ValuesIn(architectures),
                                            ::testing::Values(1u, 97u, 255u, 256u)));

} // namespace

} // namespace fly::emulator::test
