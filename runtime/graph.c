/* Graphs: what a stream is given, recorded once and launched as a whole. */
#include "call.h"
#include "loaded.h"
#include "trace.h"

enum { THREAD_LOCAL = 1 }; /* hipStreamCaptureModeThreadLocal: other threads may go on allocating */

/* All functions of graphs are there, or none is used. */
static fly_status open_graphs(const fly_hip **hip) {
  fly_status status = fly_hip_open(hip);
  if (status == FLY_OK && (!(*hip)->begin_capture || !(*hip)->end_capture || !(*hip)->graph_instantiate ||
                           !(*hip)->graph_launch || !(*hip)->graph_exec_destroy || !(*hip)->graph_destroy))
    return fly_refuse(FLY_ERROR_HIP, "this HIP library has no graphs");
  return status;
}

fly_status fly_graph_begin(fly_stream stream) {
  const fly_hip *hip;
  fly_status status = open_graphs(&hip);
  int error = status == FLY_OK ? hip->begin_capture(stream, THREAD_LOCAL) : 0;
  if (FLY_IS_TRACING && status == FLY_OK && !error)
    fly_trace_capture(hip, stream);
  return error ? fly_hip_failed(hip, FLY_ERROR_CAPTURE, "fly_graph_begin", error) : status;
}

fly_status fly_graph_end(fly_stream stream, fly_graph *graph) {
  const fly_hip *hip;
  void *recorded = NULL;
  unsigned long long capture = 0;
  int error, is_traced;
  fly_status status = open_graphs(&hip);
  *graph = NULL;
  if (status != FLY_OK)
    return status;
  is_traced = FLY_IS_TRACING && fly_is_captured(hip, stream, &capture);
  error = hip->end_capture(stream, &recorded);
  if (!error) {
    error = hip->graph_instantiate(graph, recorded, 0);
    if (error)
      *graph = NULL;
    hip->graph_destroy(recorded);
  }
  if (is_traced)
    fly_trace_captured(hip, capture, *graph);
  return error ? fly_hip_failed(hip, FLY_ERROR_CAPTURE, "fly_graph_end", error) : FLY_OK;
}

fly_status fly_graph_launch(fly_graph graph, fly_stream stream) {
  const fly_hip *hip;
  fly_traced traced;
  fly_status status = open_graphs(&hip);
  int error;
  if (status != FLY_OK)
    return status;
  if (FLY_IS_TRACING)
    fly_trace_graph_launch(&traced, hip, graph, stream);
  error = hip->graph_launch(graph, stream);
  if (FLY_IS_TRACING)
    fly_trace_end(&traced, error);
  return error ? fly_not_queued(hip, "fly_graph_launch", error) : FLY_OK;
}

fly_status fly_graph_destroy(fly_graph graph) {
  const fly_hip *hip;
  fly_status status = graph ? open_graphs(&hip) : FLY_OK;
  int error = 0;
  if (graph && status == FLY_OK) {
    if (FLY_IS_TRACING)
      fly_trace_graph_destroy(hip, graph);
    error = hip->graph_exec_destroy(graph);
  }
  return error ? fly_hip_failed(hip, FLY_ERROR_ARGUMENT, "fly_graph_destroy", error) : status;
}
