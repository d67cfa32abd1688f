// Launches the three kernels and compares with the host. With HIP the pointers may as well come from hipMalloc, and the
// null stream be a hipStream_t.
#include "norm.h"
#include "saxpy.h"
#include "softmax.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(fly_status status) {
  if (status != FLY_OK) {
    std::fprintf(stderr, "%s: %s\n", fly_status_name(status), fly_error());
    std::exit(1);
  }
}

// Floats on the device.
class Buffer {
public:
  explicit Buffer(size_t count) : count(count) { check(fly_malloc(&memory, count * sizeof(float))); }
  explicit Buffer(const std::vector<float> &values) : Buffer(values.size()) {
    check(fly_copy_to_device(memory, values.data(), count * sizeof(float)));
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { fly_free(memory); }
  float *get() const { return static_cast<float *>(memory); }
  std::vector<float> read() const {
    std::vector<float> values(count);
    check(fly_copy_to_host(values.data(), memory, count * sizeof(float)));
    return values;
  }

private:
  void *memory = nullptr;
  size_t count;
};

static int differences = 0;

static void compare(const char *what, const std::vector<float> &got, const std::vector<double> &expected) {
  int wrong = 0;
  for (size_t i = 0; i < got.size(); ++i)
    wrong += !(std::fabs(got[i] - expected[i]) <= 1e-5 * (1 + std::fabs(expected[i])));
  std::printf("%-8s %zu results, %d differ\n", what, got.size(), wrong);
  differences += wrong;
}

int main() {
  const int m = 5, n = 300;
  std::vector<float> x(m * n), y(m * n);
  for (int i = 0; i < m * n; ++i) {
    x[i] = float((i * 37) % 101) / 50 - 1;
    y[i] = float((i * 13) % 17);
  }
  char architecture[32];
  check(fly_device_architecture(architecture, sizeof architecture));
  std::printf("device   %s\n", architecture);

  Buffer dx(x), dy(y), soft(m * n), norms(m);
  check(saxpy_saxpy(nullptr, 2, dx.get(), dy.get(), m * n));
  check(softmax_softmax(nullptr, dx.get(), soft.get(), m, n));
  size_t bytes = 0;
  check(norm_norm_workspace_bytes(&bytes, m, n));
  Buffer workspace((bytes + sizeof(float) - 1) / sizeof(float));
  check(norm_norm(nullptr, workspace.get(), dx.get(), norms.get(), m, n));
  check(fly_synchronize());

  std::vector<double> sums(m * n), softmax(m * n), roots(m);
  for (int i = 0; i < m; ++i) {
    double total = 0, squares = 0;
    for (int j = i * n; j < (i + 1) * n; ++j) {
      sums[j] = 2.0 * x[j] + y[j];
      total += std::exp(double(x[j]));
      squares += double(x[j]) * x[j];
    }
    for (int j = i * n; j < (i + 1) * n; ++j)
      softmax[j] = std::exp(double(x[j])) / total;
    roots[i] = std::sqrt(squares);
  }
  compare("saxpy", dy.read(), sums);
  compare("softmax", soft.read(), softmax);
  compare("norm", norms.read(), roots);
  return differences ? 1 : 0;
}
