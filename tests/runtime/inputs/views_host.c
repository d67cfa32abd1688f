/* The C functions of `@launch` functions with views, structs, fills and absent tensors (tests/launch/inputs/views.fly). */
#include "views.h"

#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("line %d: does not hold: %s (%s)\n", __LINE__, #condition, fly_error());                                  \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static float host[1024];
static float *upload(int count, float start) {
  void *device = NULL;
  int i;
  for (i = 0; i < count; ++i)
    host[i] = start + (float)i;
  EXPECT(fly_malloc(&device, (size_t)count * 4) == FLY_OK);
  EXPECT(fly_copy_to_device(device, host, (size_t)count * 4) == FLY_OK);
  return (float *)device;
}
static float *fetch(const void *device, int count) {
  EXPECT(fly_synchronize() == FLY_OK);
  EXPECT(fly_copy_to_host(host, device, (size_t)count * 4) == FLY_OK);
  return host;
}

int main(void) {
  float *x = upload(96, 0), *y = upload(97, 100), *got;
  void *workspace = NULL, *marks = NULL;
  size_t bytes = 0;
  int i, row;
  EXPECT(views_slices(NULL, x, 2, 6, 16) == FLY_OK);
  got = fetch(x, 96);
  for (i = 0; i < 96; ++i) {
    row = i / 16;
    EXPECT(got[i] == (float)(i + (row >= 2 ? 1 : 0) + (row == 2 ? 2 : 0) + (row == 5 ? 4 : 0) +
                             (i % 16 == 1 || i % 16 == 2 ? 8 : 0) + (row % 2 == 0 ? 16 : 0) + (row == 1 ? 32 : 0)));
  }
  EXPECT(views_slices(NULL, x, 6, 6, 16) == FLY_ERROR_REQUIREMENT);
  printf("%s\n", fly_error());

  x = upload(40, 0);
  y = upload(41, 100);
  EXPECT(views_makes_struct(NULL, x, y, 3.0f, 40) == FLY_OK);
  got = fetch(x, 40);
  for (i = 0; i < 40; ++i) {
    const float once = (float)i * 3 + 40 + (101 + (float)i) + 7;
    EXPECT(got[i] == once * 2 + 2 + (100 + (float)i) + 20);
  }

  x = upload(20, 5);
  y = upload(40, 1);
  marks = upload(20, 0);
  EXPECT(views_fills_workspace_bytes(&bytes, 20) == FLY_OK && bytes > 0);
  EXPECT(fly_malloc(&workspace, bytes) == FLY_OK);
  EXPECT(views_fills(NULL, workspace, x, y, (int32_t *)marks, 20) == FLY_OK);
  got = fetch(y, 40);
  for (i = 0; i < 40; ++i)
    EXPECT(got[i] == (i < 20 ? 5 + (float)i : 0));
  EXPECT(((int32_t *)fetch(marks, 20))[7] == -1);

  EXPECT(views_maybe_bias_absent(NULL, x, NULL, 20) == FLY_OK);
  EXPECT(fetch(x, 20)[3] == 9);
  EXPECT(views_maybe_bias(NULL, x, NULL, 20) == FLY_ERROR_ARGUMENT);
  printf("%s\n", fly_error());
  return 0;
}
