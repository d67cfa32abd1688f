/* Graphs in a trace. While a stream is captured each operation becomes a node, with a node before and behind it that
 * records an event, so that every launch of the graph tells when its nodes ran. An event holds one time: before a graph
 * is launched again, the trace waits for its previous launch. A library without such nodes gives a graph's time as a
 * whole. Only graphs of fly_graph_begin are known. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "trace_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { EXTERNAL_EVENT = 1 /* hipEventRecordExternal */, MOST_BRANCHES = 32, FIRST_BRANCH_THREAD = 1 << 20 };

typedef struct fly_trace_graph {
  struct fly_trace_graph *next;
  fly_graph executable; /* NULL: being captured */
  unsigned long long capture;
  int device, number, is_running;
  unsigned node_count, launches;
  fly_trace_record *nodes, **last;
  void *branches[MOST_BRANCHES]; /* streams of the capture; 0: where it began */
} fly_trace_graph;

static fly_trace_graph *graphs;

static fly_trace_graph *find(fly_graph executable) {
  fly_trace_graph *graph;
  for (graph = graphs; graph; graph = graph->next)
    if (graph->executable == executable && executable)
      break;
  return graph;
}

static void forget(const fly_hip *hip, fly_trace_graph *graph) {
  fly_trace_graph **at;
  for (at = &graphs; *at != graph;)
    at = &(*at)->next;
  *at = graph->next;
  while (graph->nodes) {
    fly_trace_record *node = graph->nodes;
    graph->nodes = node->next;
    fly_trace_event_spare(hip, node->device, node->begin);
    fly_trace_event_spare(hip, node->device, node->end);
    fly_trace_record_free(node);
  }
  free(graph);
}

/* Until its launch is over; the lock is not held meanwhile. */
static void wait_for(const fly_hip *hip, fly_trace_graph *graph) {
  const struct timespec moment = {0, 50 * 1000};
  for (;;) {
    fly_trace_drain(hip, 0);
    if (!graph->is_running)
      return;
    fly_trace_unlock();
    nanosleep(&moment, NULL);
    fly_trace_lock();
  }
}

/* ---- capturing */

void fly_trace_capture(const fly_hip *hip, fly_stream stream) {
  static int numbers;
  unsigned long long capture;
  fly_trace_graph *graph;
  if (!fly_is_captured(hip, stream, &capture) || !(graph = (fly_trace_graph *)calloc(1, sizeof *graph)))
    return;
  fly_trace_lock();
  graph->capture = capture;
  graph->number = ++numbers;
  graph->branches[0] = stream;
  graph->last = &graph->nodes;
  graph->next = graphs;
  graphs = graph;
  fly_trace_unlock();
}

void fly_trace_captured(const fly_hip *hip, unsigned long long capture, fly_graph executable) {
  fly_trace_graph *graph, *old;
  fly_trace_lock();
  graph = fly_trace_graph_of(capture);
  old = find(executable); /* destroyed by HIP's own function */
  if (old)
    forget(hip, old);
  if (graph && executable)
    graph->executable = executable;
  else if (graph)
    forget(hip, graph);
  fly_trace_unlock();
}

fly_trace_graph *fly_trace_graph_of(unsigned long long capture) {
  fly_trace_graph *graph;
  for (graph = graphs; graph; graph = graph->next)
    if (!graph->executable && graph->capture == capture)
      break;
  return graph;
}

int fly_trace_graph_number(const fly_trace_graph *graph) { return graph->number; }

/* An event as a node; NULL if the library has none. */
static void *event_node(const fly_hip *hip, const fly_trace_record *record) {
  void *event = hip->event_record_with_flags ? fly_trace_event(hip, record->device) : NULL;
  if (event && hip->event_record_with_flags(event, record->stream, EXTERNAL_EVENT) == 0)
    return event;
  fly_trace_event_spare(hip, record->device, event);
  return NULL;
}

void fly_trace_node_begin(const fly_hip *hip, fly_trace_record *record) {
  if (record->graph)
    record->begin = event_node(hip, record);
}

void fly_trace_node_end(const fly_hip *hip, fly_trace_record *record) {
  fly_trace_graph *graph = record->graph;
  if (record->begin)
    record->end = event_node(hip, record);
  while (record->branch < MOST_BRANCHES - 1 && graph->branches[record->branch] &&
         graph->branches[record->branch] != record->stream)
    ++record->branch;
  graph->branches[record->branch] = record->stream;
  ++graph->node_count;
  record->next = NULL;
  *graph->last = record;
  graph->last = &record->next;
}

/* ---- launching */

void fly_trace_graph_launch(fly_traced *traced, const fly_hip *hip, fly_graph executable, fly_stream stream) {
  fly_trace_record *record;
  fly_trace_graph *graph;
  char name[32] = "a graph";
  fly_trace_lock();
  graph = find(executable);
  if (graph && graph->is_running)
    wait_for(hip, graph);
  record = fly_trace_record_new(hip, "graph", stream, 1);
  if (graph)
    snprintf(name, sizeof name, "graph %d", graph->number);
  if (record) {
    fly_text_string(&record->name, name);
    record->graph = graph;
    if (graph)
      fly_text_add(&record->arguments, ", \"graph\": %d, \"nodes\": %u", graph->number, graph->node_count);
  }
  fly_trace_begin(traced, hip, record);
}

void fly_trace_graph_span(const fly_hip *hip, const fly_trace_record *launch, int64_t *begin, int64_t *duration) {
  const fly_trace_record *node;
  int64_t first = INT64_MAX, last = INT64_MIN, time;
  for (node = launch->graph->nodes; node; node = node->next) {
    if (!fly_trace_time(hip, node->device, node->begin, &time))
      return;
    first = time < first ? time : first;
    if (!fly_trace_time(hip, node->device, node->end, &time))
      return;
    last = time > last ? time : last;
  }
  if (first <= last) {
    *begin = first;
    *duration = last - first;
  }
}

void fly_trace_graph_started(fly_trace_record *record) {
  record->graph->is_running = 1;
  fly_text_add(&record->arguments, ", \"graph_launch\": %u", ++record->graph->launches);
}

void fly_trace_graph_done(fly_trace_graph *graph) { graph->is_running = 0; }

void fly_trace_graph_destroy(const fly_hip *hip, fly_graph executable) {
  fly_trace_graph *graph;
  fly_trace_lock();
  graph = find(executable);
  if (graph && graph->is_running)
    wait_for(hip, graph);
  if (graph)
    forget(hip, graph);
  fly_trace_unlock();
}

/* Branches run at once, so each has a row of its own. */
static long thread_of(const fly_trace_record *launch, const fly_trace_record *node, unsigned *named) {
  const int number = launch->graph->number;
  const long thread = FIRST_BRANCH_THREAD + (long)number * MOST_BRANCHES + node->branch;
  char name[64];
  if (node->branch == 0)
    return launch->track->number;
  if (!(*named & 1u << node->branch)) {
    *named |= 1u << node->branch;
    snprintf(name, sizeof name, "graph %d, branch %d", number, node->branch + 1);
    fly_trace_metadata("thread_name", fly_trace_process(launch->device), thread, name, "");
  }
  return thread;
}

void fly_trace_nodes(const fly_hip *hip, const fly_trace_record *launch, int64_t begin, int64_t end, int64_t shift) {
  const fly_trace_graph *graph = launch->graph;
  const fly_trace_record *node;
  int64_t ends[MOST_BRANCHES];
  unsigned named = 0, number = 0;
  int i;
  for (i = 0; i < MOST_BRANCHES; ++i)
    ends[i] = begin;
  for (node = graph->nodes; node; node = node->next) {
    fly_text arguments = {NULL, 0, 0};
    int64_t start, duration, *free_from = &ends[node->branch], until;
    ++number;
    fly_text_add(&arguments, "%s", node->arguments.bytes ? node->arguments.bytes : "");
    if (!node->end || !fly_trace_time(hip, node->device, node->begin, &start) ||
        !fly_trace_duration(hip, node, &arguments, &duration)) {
      fly_text_free(&arguments);
      continue;
    }
    start += shift;
    until = start + duration;
    if (start < *free_from) {
      until = until + *free_from - start;
      start = *free_from;
    }
    until = until < end ? until : end;
    start = start < until ? start : until;
    *free_from = until;
    fly_text_add(&arguments, ", \"graph\": %d, \"graph_launch\": %u, \"node\": %u, \"nodes\": %u, \"call\": %llu",
                 graph->number, graph->launches, number, graph->node_count, (unsigned long long)launch->id);
    fly_trace_slice(node->category, node->name.bytes ? node->name.bytes : "\"\"", fly_trace_process(launch->device),
                    thread_of(launch, node, &named), start, until, arguments.bytes);
    fly_text_free(&arguments);
  }
}
