/* launch_errors WHAT: an error of a launch, with the text that the program gets. */
#include "launches.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 100 };

static void expect_ok(fly_status status) {
  if (status == FLY_OK)
    return;
  printf("%s: %s\n", fly_status_name(status), fly_error());
  exit(0);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  const int is_graph = strncmp(what, "graph", 5) == 0;
  void *x, *y, *work;
  fly_stream stream = NULL;
  fly_graph graph;
  expect_ok(fly_malloc(&x, sizeof(float) * N));
  expect_ok(fly_malloc(&y, sizeof(float) * N));
  expect_ok(fly_malloc(&work, sizeof(float) * N));
  expect_ok(fly_fill_zero(x, sizeof(float) * N, NULL));
  expect_ok(launches_scale(NULL, x, y, N, 1.0f));
  expect_ok(fly_synchronize());
  if (strcmp(what, "requirement") == 0)
    expect_ok(launches_large(NULL, x, y, N, -1));
  if (strcmp(what, "size") == 0)
    expect_ok(launches_large(NULL, x, y, N, (int64_t)1 << 31));
  if (strcmp(what, "kernel-size") == 0)
    expect_ok(launches_wide(NULL, y, N, (int64_t)1 << 31));
  if (strcmp(what, "fill") == 0)
    expect_ok(launches_three(NULL, (void *)4096, x, y, N, 0));
  if (strcmp(what, "fault") == 0)
    expect_ok(launches_three(NULL, work, x, y, N, 1));
  if (strcmp(what, "kernel-fault") == 0 || strcmp(what, "after") == 0)
    expect_ok(launches_scatter(NULL, x, y, N, 1));
  if (is_graph) {
    expect_ok(fly_stream_create(&stream));
    expect_ok(fly_graph_begin(stream));
    expect_ok(launches_scale(stream, x, y, N, 1.0f));
    expect_ok(launches_three(stream, work, x, y, N, 1));
    expect_ok(fly_graph_end(stream, &graph));
    expect_ok(launches_scale(stream, x, y, N, 1.0f));
    expect_ok(fly_graph_launch(graph, stream));
  }
  if (strcmp(what, "after") == 0) {
    fly_synchronize();
    expect_ok(launches_large(NULL, x, y, N, 1));
  }
  if (strcmp(what, "graph-after") == 0) {
    fly_synchronize();
    expect_ok(fly_graph_launch(graph, stream));
  }
  expect_ok(is_graph ? fly_stream_synchronize(stream) : fly_synchronize());
  puts("no error");
  return 0;
}
