/* Calling HIP: opens it, calls, and reports what it says. */
#ifndef FLY_RUNTIME_CALL_H
#define FLY_RUNTIME_CALL_H

#include "hip.h"

/* The rest of a function: one call. `what`: the function of the runtime. */
#define CALL(status, what, call)                                                                                       \
  do {                                                                                                                 \
    const fly_hip *hip;                                                                                                \
    fly_status opened = fly_hip_open(&hip);                                                                            \
    int error = opened == FLY_OK ? hip->call : 0;                                                                      \
    if (opened != FLY_OK)                                                                                              \
      return opened;                                                                                                   \
    return error ? fly_hip_failed(hip, status, what, error) : FLY_OK;                                                  \
  } while (0)

/* The same for a call that a trace tells of; `begin` uses `traced` and `hip` (trace.h). */
#define TRACED_CALL(status, what, call, begin)                                                                         \
  do {                                                                                                                 \
    const fly_hip *hip;                                                                                                \
    fly_traced traced;                                                                                                 \
    fly_status opened = fly_hip_open(&hip);                                                                            \
    int error;                                                                                                         \
    if (opened != FLY_OK)                                                                                              \
      return opened;                                                                                                   \
    if (FLY_IS_TRACING)                                                                                                \
      begin;                                                                                                           \
    error = hip->call;                                                                                                 \
    if (FLY_IS_TRACING)                                                                                                \
      fly_trace_end(&traced, error);                                                                                   \
    return error ? fly_hip_failed(hip, status, what, error) : FLY_OK;                                                  \
  } while (0)

/* Opens HIP and makes sure that it has entry point `name` of the optional ones. */
#define NEED(hip, what, name)                                                                                          \
  do {                                                                                                                 \
    fly_status opened = fly_hip_open(&(hip));                                                                          \
    if (opened != FLY_OK)                                                                                              \
      return opened;                                                                                                   \
    if (!(hip)->name)                                                                                                  \
      return fly_refuse(FLY_ERROR_HIP, "%s: this HIP library cannot do it", what);                                     \
  } while (0)

#endif
