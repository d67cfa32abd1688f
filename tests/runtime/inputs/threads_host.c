/* A dozen threads launch, check, unload, and open and close an object of the same kernels, all at once. */
#include "hip_kernels.h"

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 12, ROUNDS = 30, N = 300 };
static const char *path;

static int run(unsigned me) {
  float x[N], y[N], factor = (float)me;
  fly_stream stream;
  void *dx, *dy;
  int round, i;
  if (fly_set_device((int)(me % 2)) || fly_stream_create(&stream) || fly_malloc(&dx, sizeof x) ||
      fly_malloc(&dy, sizeof y))
    return 1;
  for (round = 0; round < ROUNDS; ++round) {
    for (i = 0; i < N; ++i)
      x[i] = (float)(i + round), y[i] = -1.0f;
    if (fly_copy_to_device(dx, x, sizeof x))
      return 2;
    if (round % 5 == (int)me % 5) {
      fly_object *object;
      const fly_kernel *kernel;
      fly_launch launch = {{2, 1, 1}, {256, 1, 1}, 0, 0, NULL, 0};
      const void *values[4];
      size_t sizes[4] = {8, 8, 4, 4};
      int n = N;
      values[0] = &dx, values[1] = &dy, values[2] = &n, values[3] = &factor;
      if (fly_object_open(&object, path) || fly_object_kernel(object, "scale", &kernel) ||
          fly_kernel_launch_values(kernel, &launch, stream, 4, values, sizes) || fly_object_close(object))
        return 3;
    } else if (hip_kernels_scale(stream, (float *)dx, (float *)dy, N, factor)) {
      return 4;
    }
    if (round % 7 == (int)me % 7 && fly_module_unload(hip_kernels_module()))
      return 5;
    if (fly_stream_synchronize(stream) || fly_copy_to_host(y, dy, sizeof y))
      return 6;
    for (i = 0; i < N; ++i)
      if (y[i] != factor * x[i] + 1.0f)
        return 7;
  }
  return fly_free(dx) || fly_free(dy) || fly_stream_destroy(stream) ? 8 : 0;
}

static void *thread(void *number) {
  int result = run((unsigned)(size_t)number);
  if (result)
    printf("thread %u: %d: %s\n", (unsigned)(size_t)number, result, fly_error());
  return result ? number : NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  size_t i;
  if (argc != 2)
    return 2;
  path = argv[1];
  /* The emulator's tables are made when they are first needed, behind guards that ThreadSanitizer cannot see in code
   * that is not instrumented: make them before the threads. */
  if (run(0) || fly_module_unload(hip_kernels_module()))
    return 1;
  for (i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], NULL, thread, (void *)(i + 1));
  for (i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  puts("threads: done");
  return 0;
}
