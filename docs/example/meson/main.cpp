// Adds two vectors on the device. With HIP the pointers may as well come from hipMalloc, and the null stream be a
// hipStream_t.
#include "vec_add.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(fly_status status) {
  if (status != FLY_OK) {
    std::fprintf(stderr, "%s: %s\n", fly_status_name(status), fly_error());
    std::exit(1);
  }
}

int main() {
  const int n = 1000;
  const size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) {
    a[i] = float(i);
    b[i] = 0.5f * float(i);
  }

  void *memory[3];
  for (void *&each : memory)
    check(fly_malloc(&each, bytes));
  check(fly_copy_to_device(memory[0], a.data(), bytes));
  check(fly_copy_to_device(memory[1], b.data(), bytes));
  check(vec_add_vec_add(nullptr, static_cast<float *>(memory[0]), static_cast<float *>(memory[1]),
                        static_cast<float *>(memory[2]), n));
  check(fly_copy_to_host(c.data(), memory[2], bytes));
  for (void *each : memory)
    check(fly_free(each));

  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += c[i] != a[i] + b[i];
  char architecture[32];
  check(fly_device_architecture(architecture, sizeof architecture));
  std::printf("%s: %d sums, %d wrong, the last is %g\n", architecture, n, wrong, c[n - 1]);
  return wrong != 0;
}
