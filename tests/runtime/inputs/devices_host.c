/* Several devices, asynchronous copies, graphs, and element types of fly/types.h, on two emulated devices. */
#include "devices.h"

#include <stdio.h>
#include <stdlib.h>

#define DO(call)                                                                                                       \
  do {                                                                                                                 \
    if ((call) != FLY_OK) {                                                                                            \
      fprintf(stderr, "%s: %s\n", #call, fly_error());                                                                 \
      return 1;                                                                                                        \
    }                                                                                                                  \
  } while (0)

enum { N = 1000 };

int main(int argc, char **argv) {
  int count = 0, can = 0, device = 0, i;
  float *host, *x0, *x1;
  void *memory;
  fly_stream stream;
  fly_graph graph;
  uint16_t halves[64];
  DO(fly_device_count(&count));
  DO(fly_module_load_all(devices_module()));
  DO(fly_get_device(&device));
  printf("devices %d, current %d\n", count, device);

  DO(fly_host_malloc(&memory, N * sizeof(float)));
  host = (float *)memory;
  for (i = 0; i < N; ++i)
    host[i] = (float)i;
  DO(fly_malloc(&memory, N * sizeof(float)));
  x0 = (float *)memory;
  DO(fly_stream_create(&stream));
  DO(fly_graph_begin(stream)); /* modules are loaded */
  DO(fly_copy_to_device_async(x0, host, N * sizeof(float), stream));
  DO(devices_add_one(stream, x0, N));
  DO(devices_add_one(stream, x0, N));
  DO(fly_copy_to_host_async(host, x0, N * sizeof(float), stream));
  DO(fly_graph_end(stream, &graph));
  printf("recorded: %g\n", host[7]);
  for (i = 0; i < 3; ++i)
    DO(fly_graph_launch(graph, stream));
  DO(fly_stream_synchronize(stream));
  printf("after three launches: %g %g\n", host[7], host[N - 1]);
  DO(fly_graph_destroy(graph));

  DO(fly_set_device(1));
  DO(fly_malloc(&memory, N * sizeof(float)));
  x1 = (float *)memory;
  DO(fly_copy_async(x1, x0, N * sizeof(float), NULL)); /* from device 0 */
  DO(fly_can_access_peer(&can, 1, 0));
  printf("can access: %d\n", can);
  if (argc < 2 || strcmp(argv[1], "alone") != 0) {
    DO(fly_enable_peer_access(0));
    DO(fly_enable_peer_access(0));
  }
  DO(devices_add_one(NULL, x1, N));
  DO(devices_add_one(NULL, x0, N)); /* memory of device 0 */
  DO(fly_synchronize());
  DO(fly_copy_to_host(host, x1, N * sizeof(float)));
  printf("copy: %g\n", host[7]);
  DO(fly_copy_to_host(host, x0, N * sizeof(float)));
  printf("peer: %g\n", host[7]);

  for (i = 0; i < 64; ++i)
    halves[i] = 0x4000; /* 2 */
  {
    fly_bf16 *b, half;
    fly_f8E4M3FN *q;
    uint8_t byte = 0;
    const uint16_t bits = 0x3f00; /* 0.5 */
    memcpy(&half, &bits, sizeof half);
    DO(fly_malloc(&memory, sizeof halves));
    b = (fly_bf16 *)memory;
    DO(fly_malloc(&memory, 64));
    q = (fly_f8E4M3FN *)memory;
    DO(fly_copy_to_device(b, halves, sizeof halves));
#ifdef WRONG
    DO(devices_halve(NULL, x1, q, half));
#else
    DO(devices_halve(NULL, b, q, half));
#endif
    DO(fly_copy_to_host(&byte, q, 1));
    printf("1 in fp8: %02x\n", byte);
  }
  return 0;
}
