/* Graphs: what a stream is given, recorded once and launched as a whole. */
#include "call.h"

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
  return error ? fly_hip_failed(hip, FLY_ERROR_CAPTURE, "fly_graph_begin", error) : status;
}

fly_status fly_graph_end(fly_stream stream, fly_graph *graph) {
  const fly_hip *hip;
  void *recorded = NULL;
  int error;
  fly_status status = open_graphs(&hip);
  *graph = NULL;
  if (status != FLY_OK)
    return status;
  error = hip->end_capture(stream, &recorded);
  if (error)
    return fly_hip_failed(hip, FLY_ERROR_CAPTURE, "fly_graph_end", error);
  error = hip->graph_instantiate(graph, recorded, 0);
  hip->graph_destroy(recorded);
  return error ? fly_hip_failed(hip, FLY_ERROR_CAPTURE, "fly_graph_end", error) : FLY_OK;
}

fly_status fly_graph_launch(fly_graph graph, fly_stream stream) {
  const fly_hip *hip;
  fly_status status = open_graphs(&hip);
  int error = status == FLY_OK ? hip->graph_launch(graph, stream) : 0;
  return error ? fly_hip_failed(hip, FLY_ERROR_LAUNCH, "fly_graph_launch", error) : status;
}

fly_status fly_graph_destroy(fly_graph graph) {
  const fly_hip *hip;
  fly_status status = graph ? open_graphs(&hip) : FLY_OK;
  int error = graph && status == FLY_OK ? hip->graph_exec_destroy(graph) : 0;
  return error ? fly_hip_failed(hip, FLY_ERROR_ARGUMENT, "fly_graph_destroy", error) : status;
}
