/* A launch function with a struct and pointers, through the header of tests/language/launch_structs.fly. C11 and
 * C++17. */
#include "launch_structs.h"

#include <stdio.h>

enum { ROWS = 65, COLS = 7 };

static int failed(const char *what) {
  fprintf(stderr, "%s: %s\n", what, fly_error());
  return 1;
}

int main(void) {
  static float x[ROWS * COLS], y[ROWS], bias[COLS];
  static int32_t mask[ROWS];
  float *device_x, *device_y, *device_bias;
  int32_t *device_mask;
  void *workspace = NULL;
  size_t bytes = 0;
  int i, j, masked;
  launch_structs_Params p;
  memset(&p, 0, sizeof p);
  for (i = 0; i < ROWS * COLS; ++i)
    x[i] = (float)(i % 11);
  for (i = 0; i < COLS; ++i)
    bias[i] = (float)i;
  for (i = 0; i < ROWS; ++i)
    mask[i] = i % 3;
  if (fly_malloc((void **)&device_x, sizeof x) || fly_malloc((void **)&device_y, sizeof y) ||
      fly_malloc((void **)&device_bias, sizeof bias) || fly_malloc((void **)&device_mask, sizeof mask) ||
      fly_copy_to_device(device_x, x, sizeof x) || fly_copy_to_device(device_bias, bias, sizeof bias) ||
      fly_copy_to_device(device_mask, mask, sizeof mask))
    return failed("memory");
  p.shape.rows = ROWS;
  p.shape.cols = COLS;
  p.scale = 2.0f;
  p.half.bits = 0x3800; /* 0.5 */
  p.bias = device_bias;
  p.steps[0] = 1;
  p.steps[1] = -3;
  if (launch_structs_scaled_sums_workspace_bytes(&bytes, p, true) || fly_malloc(&workspace, bytes))
    return failed("workspace");
  printf("workspace: %d bytes\n", (int)bytes);
  for (masked = 0; masked < 2; ++masked) {
    if (launch_structs_scaled_sums(NULL, workspace, p, device_x, device_y, device_mask, masked != 0) ||
        fly_copy_to_host(y, device_y, sizeof y))
      return failed("launch");
    for (i = 0; i < ROWS; ++i) {
      float sum = 0.5f;
      for (j = 0; j < COLS; ++j)
        sum += x[i * COLS + j] * 2.0f + bias[j] - 2.0f;
      if (masked && mask[i] == 0)
        sum = 0;
      if (y[i] != sum) {
        fprintf(stderr, "masked = %d: y[%d] = %g, not %g\n", masked, i, (double)y[i], (double)sum);
        return 1;
      }
    }
  }
  puts("all sums right");
  {
    launch_structs_Outer outer;
    launch_structs_Both other;
    memset(&outer, 0, sizeof outer);
    memset(&other, 0, sizeof other);
    outer.scale = 3.0f;
    outer.both.count = other.count = 20;
    outer.both.source = device_x;
    outer.both.target = device_x + 64;
    other.target = device_x + 128;
    if (launch_structs_scale_outer(NULL, outer, other) || fly_copy_to_host(x, device_x, sizeof x))
      return failed("pointers of structs");
    for (i = 0; i < 20; ++i)
      for (j = 64; j <= 128; j += 64)
        if (x[j + i] != x[i] * 3.0f || x[j + 20 + i] != x[i + 1]) {
          fprintf(stderr, "x[%d] = %g, x[%d] = %g\n", i + j, (double)x[i + j], i + j + 20, (double)x[i + j + 20]);
          return 1;
        }
  }
  puts("pointers of structs: right");
  p.shape.cols = 0;
  if (launch_structs_scaled_sums(NULL, workspace, p, device_x, device_y, device_mask, false) != FLY_ERROR_REQUIREMENT)
    return failed("not refused");
  printf("refused: %s\n", fly_error());
  if (launch_structs_fills(NULL, workspace, device_x, device_x + 1, 4) != FLY_ERROR_ARGUMENT)
    return failed("not aligned");
  printf("refused: %s\n", fly_error());
  return 0;
}
