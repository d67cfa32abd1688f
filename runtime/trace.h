/* FLY_TRACE=file: every launch, copy, fill and wait with its times, in Chrome's trace format (docs/trace.md).
 *
 *     fly_traced traced;
 *     if (FLY_IS_TRACING)
 *       fly_trace_launch(&traced, hip, entry, place, launch, stream);      an event before it
 *     error = hip->module_launch_kernel(...);
 *     if (FLY_IS_TRACING)
 *       fly_trace_end(&traced, error);                                     and one after it
 *
 * What is told of a launch is turned into text at once, because names do not outlive their modules. Its time is known
 * when its second event has happened: until then it is in a list, which later calls look through. Without FLY_TRACE all
 * of this is one branch. Nothing here fails: what cannot be told is left out. */
#ifndef FLY_RUNTIME_TRACE_H
#define FLY_RUNTIME_TRACE_H

#include "loaded.h"

/* Set when HIP is opened, if FLY_TRACE is. */
extern int fly_tracing;
#define FLY_IS_TRACING __builtin_expect(__atomic_load_n(&fly_tracing, __ATOMIC_RELAXED), 0)

typedef struct fly_traced {
  const fly_hip *hip;
  struct fly_trace_record *record; /* NULL: nothing is told */
} fly_traced;

/* Reads FLY_TRACE and opens the file. Once. */
void fly_trace_open(void);

/* Before a launch of a kernel. */
void fly_trace_launch(fly_traced *traced, const fly_hip *hip, const fly_loaded *entry, const fly_place *place,
                      const fly_launch *launch, fly_stream stream);
/* Launches with the record's events around the kernel alone; 0 if the library cannot, and the caller is to launch. */
int fly_trace_launch_between(fly_traced *traced, void *function, const fly_launch *launch, void **extra,
                             fly_stream stream, int *error);
/* Before something else that a stream does: category "fill" or "copy". `place` may be NULL. */
void fly_trace_operation(fly_traced *traced, const fly_hip *hip, const char *category, const fly_place *place,
                         const char *name, int64_t bytes, fly_stream stream);
/* Before the steps of a launch function, and before a wait: these are calls of the host alone. */
void fly_trace_function(fly_traced *traced, const char *module, const char *function, uint32_t steps,
                        fly_stream stream);
void fly_trace_wait(fly_traced *traced, const fly_hip *hip, const char *name);
/* After any of them; `error` is not 0 if it failed. */
void fly_trace_end(fly_traced *traced, int error);

/* Graphs. `graph` NULL: the capture failed. */
void fly_trace_capture(const fly_hip *hip, fly_stream stream);
void fly_trace_captured(const fly_hip *hip, unsigned long long capture, fly_graph graph);
void fly_trace_graph_launch(fly_traced *traced, const fly_hip *hip, fly_graph graph, fly_stream stream);
void fly_trace_graph_destroy(const fly_hip *hip, fly_graph graph);

/* The handle may be another stream's from now on. */
void fly_trace_stream_destroy(fly_stream stream);

#endif
