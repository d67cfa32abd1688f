/* A code object that was compiled for one block: others are refused by the runtime itself. */
#include "fly/runtime.h"

#include <stdio.h>

int main(int argc, char **argv) {
  static const int64_t blocks[][3] = {{256, 1, 1}, {128, 1, 1}, {64, 4, 1}, {1, 1, 256}};
  static float x[64];
  void *dx = x;
  int32_t n = 64;
  float factor = 2.0f;
  const void *values[] = {&dx, &dx, &n, &factor};
  const size_t sizes[] = {8, 8, 4, 4};
  fly_object *object;
  const fly_kernel *kernel;
  size_t i;
  if (argc != 2 || fly_object_open(&object, argv[1]) || fly_object_kernel(object, "scale", &kernel)) {
    puts(fly_error());
    return 1;
  }
  for (i = 0; i < sizeof blocks / sizeof blocks[0]; ++i) {
    fly_launch launch = {{1, 1, 1}, {0, 0, 0}, 0, 0, NULL, 0};
    fly_status status;
    memcpy(launch.block, blocks[i], sizeof launch.block);
    status = fly_kernel_launch_values(kernel, &launch, NULL, 4, values, sizes);
    printf("%s: %s\n", fly_status_name(status), status == FLY_OK ? "launched" : fly_error());
  }
  return fly_object_close(object) != FLY_OK;
}
