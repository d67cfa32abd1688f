/* Launches the kernels of vec_add.h and checks every element; valid as C11 and as C++17. */
#include <stdio.h>

#include "vec_add.h"

enum { N = 4099, SPARE = 5 };

static float a[N + SPARE], b[N + SPARE], c[N + SPARE];

static int failed(const char *what) {
  printf("%s: %s\n", what, fly_error());
  return 1;
}

int main(void) {
  void *da, *db, *dc;
  int i, n, vectors;
  for (i = 0; i < N + SPARE; ++i) {
    a[i] = (float)i;
    b[i] = 0.25f * (float)i;
  }
  if (fly_malloc(&da, sizeof a) || fly_malloc(&db, sizeof b) || fly_malloc(&dc, sizeof c) ||
      fly_copy_to_device(da, a, sizeof a) || fly_copy_to_device(db, b, sizeof b))
    return failed("memory");
  if (vec_add_add_f32(NULL, (const float *)da, (const float *)db, (float *)dc, 6) != FLY_ERROR_REQUIREMENT)
    return failed("six elements should be refused");
  printf("refused: %s\n", fly_error());
  for (vectors = 0; vectors < 2; ++vectors) {
    n = vectors ? 4096 : N;
    for (i = 0; i < N + SPARE; ++i)
      c[i] = -1.0f;
    if (fly_copy_to_device(dc, c, sizeof c))
      return failed("copy");
    if (vectors ? vec_add_add_f32(NULL, (const float *)da, (const float *)db, (float *)dc, n)
                : vec_add_add_scalar(NULL, (const float *)da, (const float *)db, (float *)dc, n))
      return failed("launch");
    if (fly_synchronize() || fly_copy_to_host(c, dc, sizeof c))
      return failed("copy back");
    for (i = 0; i < N + SPARE; ++i)
      if (c[i] != (i < n ? a[i] + b[i] : -1.0f)) {
        printf("element %d of %d is %g\n", i, n, (double)c[i]);
        return 1;
      }
  }
  if (fly_free(da) || fly_free(db) || fly_free(dc))
    return failed("free");
  puts("all sums right");
  return 0;
}
