/* The way of a launch allocates nothing: every allocation of the program is counted. */
#include "hip_kernels.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned long allocations;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes) {
  ++allocations;
  return __libc_realloc(old, bytes);
}

int main(int argc, char **argv) {
  static float x[64];
  const void *values[4];
  size_t sizes[4] = {8, 8, 4, 4};
  fly_launch launch = {{1, 1, 1}, {256, 1, 1}, 0, 0, NULL, 0};
  fly_object *object;
  const fly_kernel *kernel;
  void *px = x;
  float factor = 1.0f;
  unsigned long before;
  int n = 64, i;
  values[0] = values[1] = &px, values[2] = &n, values[3] = &factor;
  if (argc != 2 || fly_module_load(hip_kernels_module()) || fly_object_open(&object, argv[1]) ||
      fly_object_kernel(object, "scale", &kernel))
    return puts(fly_error()), 1;
  before = allocations;
  for (i = 0; i < 1000; ++i)
    if (hip_kernels_scale((void *)x, x, x, n, 1.0f) ||
        fly_kernel_launch_values(kernel, &launch, NULL, 4, values, sizes) ||
        fly_kernel_launch_values(kernel, &launch, NULL, 3, values, sizes) != FLY_ERROR_ARGUMENT)
      return puts(fly_error()), 1;
  printf("allocations: %lu while launching, %s before\n", allocations - before, before ? "some" : "none");
  return 0;
}
