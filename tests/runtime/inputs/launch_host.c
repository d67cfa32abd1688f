/* Split-K sums through the generated header of tests/language/launch.fly. C11 and C++17. */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 200, K = 48 };

static int failed(const char *what) {
  fprintf(stderr, "%s: %s\n", what, fly_error());
  return 1;
}

int main(void) {
  static const int splits[] = {1, 3, 8};
  float *x = (float *)malloc(sizeof(float) * N * K), y[N];
  void *device_x, *device_y, *workspace = NULL;
  size_t bytes = 0, most = 0;
  int i, j, s;
  for (i = 0; i < N * K; ++i)
    x[i] = (float)(i % 17) - 8.0f;
  if (fly_malloc(&device_x, sizeof(float) * N * K) || fly_malloc(&device_y, sizeof y) ||
      fly_copy_to_device(device_x, x, sizeof(float) * N * K))
    return failed("memory");
  if (launch_sum_rows_workspace_bytes(&most, N, K, 8) || fly_malloc(&workspace, most))
    return failed("workspace");
  printf("workspace: %d bytes\n", (int)most);
  for (s = 0; s < 3; ++s) {
    if (launch_sum_rows_workspace_bytes(&bytes, N, K, splits[s]) || bytes > most)
      return failed("workspace_bytes");
    if (launch_sum_rows(NULL, workspace, (const float *)device_x, (float *)device_y, N, K, splits[s]) ||
        fly_copy_to_host(y, device_y, sizeof y))
      return failed("launch");
    for (i = 0; i < N; ++i) {
      float sum = 0;
      for (j = 0; j < K; ++j)
        sum += x[i * K + j];
      if (y[i] != sum) {
        fprintf(stderr, "splits = %d: y[%d] = %g, not %g\n", splits[s], i, (double)y[i], (double)sum);
        return 1;
      }
    }
  }
  puts("all sums right");
  /* Of the second kernel; the first has not run. */
  memset(y, 0, sizeof y);
  fly_copy_to_device(device_y, y, sizeof y);
  if (launch_sum_rows(NULL, workspace, (const float *)device_x, (float *)device_y, N, 34, 17) != FLY_ERROR_REQUIREMENT)
    return failed("not refused");
  printf("refused: %s\n", fly_error());
  if (launch_sum_rows(NULL, NULL, (const float *)device_x, (float *)device_y, N, K, 3) != FLY_ERROR_ARGUMENT)
    return failed("no workspace");
  printf("refused: %s\n", fly_error());
  fly_copy_to_host(y, device_y, sizeof y);
  for (i = 0; i < N; ++i)
    if (y[i] != 0)
      return 1;
  {
    int32_t *device_n, z[3] = {-1, -1, -1};
    if (fly_malloc((void **)&device_n, 4096) || launch_by_compute_units(NULL, workspace, device_n, 3) ||
        fly_copy_to_host(z, device_n, sizeof z) || z[0] < 1 || z[2] != z[0])
      return failed("compute units");
    puts("knows the device");
    if (fly_copy_to_device(device_n, memset(z, 0, sizeof z), sizeof z) || launch_conditional(NULL, device_n, 3, 4) ||
        fly_copy_to_host(z, device_n, sizeof z) || z[0] != 100)
      return failed("conditional");
    puts("takes conditions");
  }
  return 0;
}
