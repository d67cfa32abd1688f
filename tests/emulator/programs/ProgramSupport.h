// What the tests of whole programs share: machines with each program's code objects, and the records of what they
// prove.
#pragma once

#include "tests/emulator/TestSupport.h"

namespace fly::emulator::test {

/// Rounds up.
inline uint32_t blocks(size_t items, uint32_t block) { return static_cast<uint32_t>((items + block - 1) / block); }

/// Launches and fails the test with the emulator's report.
template <class... T>
inline void run(Machine &m, const char *kernel, const LaunchConfig &config, T... values) {
  LaunchResult result = m.device.launch(*m.module, kernel, config, arguments(values...));
  ASSERT_TRUE(result.ok) << result.report.text();
}

inline std::vector<uint32_t> randomWords(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> v(count);
  for (auto &x : v) x = static_cast<uint32_t>(random());
  return v;
}
inline std::vector<float> randomFloats(size_t count, unsigned seed, float low, float high) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> v(count);
  for (auto &x : v) x = distribution(random);
  return v;
}

/// Relative to the largest magnitude of `want`.
template <class T> double worstError(const std::vector<T> &got, const std::vector<double> &want) {
  double scale = 0, worst = 0;
  for (double w : want) scale = std::max(scale, std::abs(w));
  for (size_t k = 0; k < want.size(); ++k) {
    double e = std::abs(static_cast<double>(got[k]) - want[k]) / scale;
    worst = e == e ? std::max(worst, e) : INFINITY;
  }
  return worst;
}

} // namespace fly::emulator::test
