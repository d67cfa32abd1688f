/* The common part of all launches: checking sizes against the limits of HIP and the kernel, and the call. Nothing is
 * allocated. */
#include "loaded.h"
#include "trace.h"

#include <stdarg.h>
#include <stdio.h>

char *fly_place_text(char *text, size_t size, const fly_place *place) {
  const char *kernel = place->kernel ? place->kernel : "a fill";
  if (!place->step)
    snprintf(text, size, "%s.%s", place->module, kernel);
  else
    snprintf(text, size, "%s%s%s, step %u of %u: %s", place->module, place->function ? "." : "",
             place->function ? place->function : "", (unsigned)place->step, (unsigned)place->steps, kernel);
  return text;
}

static fly_status refuse_at(const fly_place *place, const char *format, ...) FLY_PRINTF(2, 3);
static fly_status refuse_at(const fly_place *place, const char *format, ...) {
  char where[FLY_PLACE_BYTES], what[256];
  va_list values;
  va_start(values, format);
  vsnprintf(what, sizeof what, format, values);
  va_end(values);
  return fly_refuse(FLY_ERROR_ARGUMENT, "%s: %s", fly_place_text(where, sizeof where, place), what);
}

fly_status fly_check_sizes(const fly_place *place, const fly_launch *launch) {
  static const char axes[] = "xyz";
  int64_t threads = 1;
  int i;
  for (i = 0; i < 3; ++i) {
    if (launch->block[i] < 1 || launch->block[i] > 1024)
      return refuse_at(place, "block.%c must be from 1 to 1024, got %lld", axes[i], (long long)launch->block[i]);
    if (launch->grid[i] < 0 || launch->grid[i] > INT32_MAX)
      return refuse_at(place, "grid.%c must be from 0 to %d, got %lld", axes[i], INT32_MAX, (long long)launch->grid[i]);
    if (launch->grid[i] * launch->block[i] > (int64_t)UINT32_MAX)
      return refuse_at(place, "%lld workgroups of %lld threads in %c; must be fewer than 2^32 threads",
                       (long long)launch->grid[i], (long long)launch->block[i], axes[i]);
    threads *= launch->block[i];
  }
  if (threads > launch->max_workgroup_size)
    return refuse_at(place, "a workgroup of %lld threads; the kernel was compiled for at most %u", (long long)threads,
                     (unsigned)launch->max_workgroup_size);
  if (launch->dynamic_lds < 0 || launch->dynamic_lds > INT32_MAX)
    return refuse_at(place, "%lld bytes of dynamic LDS", (long long)launch->dynamic_lds);
  return FLY_OK;
}

fly_status fly_not_queued(const fly_hip *hip, const char *what, int error) {
  char text[FLY_PLACE_BYTES + 64];
  if (error != FLY_HIP_ILLEGAL_ADDRESS && error != FLY_HIP_LAUNCH_FAILURE)
    return fly_hip_failed(hip, FLY_ERROR_LAUNCH, what, error);
  snprintf(text, sizeof text, "%s: not launched, because an earlier launch failed", what);
  return fly_hip_failed(hip, FLY_ERROR_LAUNCH, text, error);
}

static fly_status not_queued(const fly_hip *hip, const fly_place *place, int error) {
  char where[FLY_PLACE_BYTES];
  return fly_not_queued(hip, fly_place_text(where, sizeof where, place), error);
}

fly_status fly_queue(const fly_hip *hip, const fly_loaded *entry, uint32_t kernel, const fly_place *place,
                     const fly_launch *launch, fly_stream stream) {
  size_t bytes = launch->argument_bytes;
  void *extra[5];
  fly_traced traced;
  int error;
  if (launch->grid[0] == 0 || launch->grid[1] == 0 || launch->grid[2] == 0)
    return FLY_OK;
  extra[0] = FLY_HIP_ARGUMENT_BUFFER;
  extra[1] = (void *)(uintptr_t)launch->arguments;
  extra[2] = FLY_HIP_ARGUMENT_SIZE;
  extra[3] = &bytes;
  extra[4] = FLY_HIP_ARGUMENT_END;
  if (FLY_IS_TRACING)
    fly_trace_launch(&traced, hip, entry, place, launch, stream);
  if (hip->next_launch) /* the emulator: for the report of a kernel that fails */
    hip->next_launch(place->module, place->function, place->step, place->steps);
  if (!FLY_IS_TRACING || !fly_trace_launch_between(&traced, entry->functions[kernel], launch, extra, stream, &error))
    error = hip->module_launch_kernel(entry->functions[kernel], (unsigned)launch->grid[0], (unsigned)launch->grid[1],
                                      (unsigned)launch->grid[2], (unsigned)launch->block[0], (unsigned)launch->block[1],
                                      (unsigned)launch->block[2], (unsigned)launch->dynamic_lds, stream, NULL, extra);
  if (FLY_IS_TRACING)
    fly_trace_end(&traced, error);
  return error ? not_queued(hip, place, error) : FLY_OK;
}

fly_status fly_queue_fill(const fly_hip *hip, const fly_place *place, void *memory, int byte, int64_t bytes,
                          fly_stream stream) {
  fly_traced traced;
  int error;
  if (bytes <= 0)
    return FLY_OK;
  if (FLY_IS_TRACING)
    fly_trace_operation(&traced, hip, "fill", place, "fill", bytes, stream);
  error = hip->memset_async(memory, byte, (size_t)bytes, stream);
  if (FLY_IS_TRACING)
    fly_trace_end(&traced, error);
  return error ? not_queued(hip, place, error) : FLY_OK;
}
