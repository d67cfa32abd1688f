/* Everything that a trace tells of: kernels, launch functions, fills, copies, two streams, a graph launched twice, waits.
 * With an argument, how the program ends: "exit" while kernels run, "abort" or "fault"; "child": it runs another one. */
#include "launches.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 20000 };

static void check(fly_status status, const char *what) {
  if (status == FLY_OK)
    return;
  fprintf(stderr, "%s: %s\n", what, fly_error());
  exit(1);
}
#define CHECK(call) check(call, #call)

int main(int argc, char **argv) {
  const char *end = argc > 1 ? argv[1] : "";
  static float host[N], result[N];
  float *pinned;
  void *x, *y, *z, *work;
  fly_stream one, two;
  fly_event event;
  fly_graph graph;
  int i;
  for (i = 0; i < N; ++i)
    host[i] = (float)(i % 1000);
  CHECK(fly_malloc(&x, sizeof host));
  CHECK(fly_malloc(&y, sizeof host));
  CHECK(fly_malloc(&z, sizeof host));
  CHECK(fly_malloc(&work, sizeof host));
  CHECK(fly_host_malloc((void **)&pinned, sizeof host));
  CHECK(fly_stream_create(&one));
  CHECK(fly_stream_create(&two));
  CHECK(fly_event_create(&event));
  CHECK(fly_copy_to_device(x, host, sizeof host));
  CHECK(fly_module_load(launches_module()));
  CHECK(launches_scale(one, x, y, N, 3.0f));
  CHECK(fly_event_record(event, one));
  CHECK(launches_three(two, work, x, z, N, 0));
  CHECK(fly_stream_wait_event(two, event));
  CHECK(launches_scale(two, y, z, N, 2.0f)); /* 6 x */
  CHECK(fly_copy_to_host_async(pinned, z, sizeof host, two));
  CHECK(fly_stream_synchronize(two));
  CHECK(fly_graph_begin(one));
  CHECK(launches_three(one, work, x, y, N, 0)); /* 2 x */
  CHECK(launches_scale(one, y, z, N, 2.0f));
  CHECK(fly_copy_async(x, z, sizeof host, one));
  CHECK(fly_graph_end(one, &graph));
  CHECK(fly_graph_launch(graph, one)); /* 4 x */
  CHECK(fly_graph_launch(graph, one)); /* 16 x */
  CHECK(fly_fill_zero(y, sizeof host, one));
  if (strcmp(end, "exit") == 0)
    exit(3);
  if (strcmp(end, "abort") == 0) {
    CHECK(fly_synchronize());
    _exit(4);
  }
  if (strcmp(end, "child") == 0) {
    char command[4096];
    CHECK(fly_synchronize());
    snprintf(command, sizeof command, "\"%s\"", argv[0]);
    if (system(command) != 0)
      return 1;
  }
  if (strcmp(end, "fault") == 0)
    CHECK(launches_three(one, work, x, y, N, 1));
  CHECK(fly_synchronize());
  CHECK(fly_copy_to_host(result, x, sizeof host));
  CHECK(fly_graph_destroy(graph));
  CHECK(fly_stream_destroy(one));
  CHECK(fly_stream_create(&one));
  CHECK(launches_scale(one, x, y, N, 1.0f));
  CHECK(fly_synchronize());
  for (i = 0; i < N; ++i)
    if (pinned[i] != 6.0f * host[i] || result[i] != 16.0f * host[i]) {
      fprintf(stderr, "%d: %g, %g\n", i, (double)pinned[i], (double)result[i]);
      return 1;
    }
  puts("results: good");
  return 0;
}
