/* Launches the kernels of clusters.h; valid as C11 and as C++17. */
#include <stdio.h>

#include "clusters.h"

enum { N = 128 };

static int32_t out[N];

static int failed(const char *what) {
  printf("%s: %s\n", what, fly_error());
  return 1;
}

int main(void) {
  void *device;
  int i;
  if (fly_malloc(&device, sizeof out))
    return failed("memory");
  if (clusters_whole(NULL, (int32_t *)device, 65) != FLY_ERROR_REQUIREMENT)
    return failed("three workgroups should be refused");
  printf("refused: %s\n", fly_error());
  if (clusters_whole(NULL, (int32_t *)device, N) || fly_synchronize() || fly_copy_to_host(out, device, sizeof out))
    return failed("launch");
  for (i = 0; i < N; ++i)
    if (out[i] != 10 * (i / 64) + i / 32 % 2)
      return failed("a place is wrong");
  if (fly_free(device))
    return failed("free");
  puts("all places right");
  return 0;
}
