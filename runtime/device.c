/* Devices and memory: HIP's functions with the runtime's errors. */
#include "call.h"
#include "trace.h"

#include <stdio.h>

fly_status fly_device_count(int *count) {
  const fly_hip *hip;
  fly_status status = fly_hip_open(&hip);
  *count = status == FLY_OK ? hip->device_count : 0;
  return status;
}

fly_status fly_get_device(int *device) {
  *device = 0;
  CALL(FLY_ERROR_NO_DEVICE, "fly_get_device", get_device(device));
}

fly_status fly_set_device(int device) { CALL(FLY_ERROR_NO_DEVICE, "fly_set_device", set_device(device)); }

fly_status fly_device_architecture(char *name, size_t size) {
  const fly_hip *hip;
  int device = 0, error;
  fly_status status = fly_hip_open(&hip);
  if (size)
    name[0] = 0;
  if (status != FLY_OK)
    return status;
  error = hip->get_device(&device);
  if (error)
    return fly_hip_failed(hip, FLY_ERROR_HIP, "current device", error);
  if (device >= 0 && device < hip->device_count && size) {
    strncpy(name, hip->architecture[device], size - 1);
    name[size - 1] = 0;
  }
  return FLY_OK;
}

fly_status fly_device_compute_units(int64_t *count) {
  const fly_hip *hip;
  int device = 0, units = 0, error;
  fly_status status = fly_hip_open(&hip);
  *count = 0;
  if (status != FLY_OK)
    return status;
  error = hip->get_device(&device);
  if (!error)
    error = hip->device_get_attribute(&units, FLY_HIP_COMPUTE_UNITS, device);
  *count = units;
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, "compute units", error) : FLY_OK;
}

fly_status fly_device_name(char *name, size_t size) {
  const fly_hip *hip;
  int device = 0, error;
  fly_status status = fly_hip_open(&hip);
  if (size)
    name[0] = 0;
  if (status != FLY_OK || size == 0)
    return status;
  error = hip->get_device(&device);
  if (error)
    return fly_hip_failed(hip, FLY_ERROR_HIP, "current device", error);
  if (!hip->device_get_name)
    return fly_device_architecture(name, size);
  error = hip->device_get_name(name, (int)size, device);
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, "fly_device_name", error) : FLY_OK;
}

fly_status fly_hip_library(char *name, size_t size, int *version) {
  const fly_hip *hip;
  int error;
  fly_status status = fly_hip_open(&hip);
  *version = 0;
  if (size)
    name[0] = 0;
  if (status != FLY_OK)
    return status;
  if (size)
    snprintf(name, size, "%s", hip->library);
  if (!hip->runtime_get_version)
    return FLY_OK;
  error = hip->runtime_get_version(version);
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, "fly_hip_library", error) : FLY_OK;
}

fly_status fly_malloc(void **pointer, size_t bytes) {
  *pointer = NULL;
  CALL(FLY_ERROR_MEMORY, "fly_malloc", malloc(pointer, bytes));
}
fly_status fly_malloc_uncached(void **pointer, size_t bytes) {
  const fly_hip *hip;
  int error;
  *pointer = NULL;
  NEED(hip, "fly_malloc_uncached", malloc_with_flags);
  error = hip->malloc_with_flags(pointer, bytes, FLY_HIP_UNCACHED);
  if (error == FLY_HIP_INVALID_VALUE) /* before ROCm 5.5 */
    error = hip->malloc_with_flags(pointer, bytes, FLY_HIP_FINE_GRAINED);
  return error ? fly_hip_failed(hip, FLY_ERROR_MEMORY, "fly_malloc_uncached", error) : FLY_OK;
}
fly_status fly_free(void *pointer) { CALL(FLY_ERROR_ARGUMENT, "fly_free", free(pointer)); }
fly_status fly_copy_to_device(void *device, const void *host, size_t bytes) {
  TRACED_CALL(FLY_ERROR_ARGUMENT, "fly_copy_to_device", memcpy(device, host, bytes, FLY_HIP_HOST_TO_DEVICE),
              fly_trace_operation(&traced, hip, "copy", NULL, "copy to device", (int64_t)bytes, NULL));
}
fly_status fly_copy_to_host(void *host, const void *device, size_t bytes) {
  TRACED_CALL(FLY_ERROR_ARGUMENT, "fly_copy_to_host", memcpy(host, device, bytes, FLY_HIP_DEVICE_TO_HOST),
              fly_trace_operation(&traced, hip, "copy", NULL, "copy to host", (int64_t)bytes, NULL));
}

fly_status fly_fill(void *device, int byte, size_t bytes, fly_stream stream) {
  TRACED_CALL(FLY_ERROR_ARGUMENT, "fly_fill", memset_async(device, byte, bytes, stream),
              fly_trace_operation(&traced, hip, "fill", NULL, "fill", (int64_t)bytes, stream));
}
fly_status fly_fill_zero(void *device, size_t bytes, fly_stream stream) { return fly_fill(device, 0, bytes, stream); }

fly_status fly_stream_create(fly_stream *stream) {
  const fly_hip *hip;
  fly_status status = fly_hip_open(&hip);
  int error;
  *stream = NULL;
  if (status != FLY_OK)
    return status;
  if (!hip->stream_create)
    return fly_refuse(FLY_ERROR_HIP, "fly_stream_create: this HIP library has no streams");
  error = hip->stream_create(stream, FLY_HIP_STREAM_NON_BLOCKING);
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, "fly_stream_create", error) : FLY_OK;
}
fly_status fly_stream_destroy(fly_stream stream) {
  if (FLY_IS_TRACING)
    fly_trace_stream_destroy(stream);
  CALL(FLY_ERROR_HIP, "fly_stream_destroy", stream_destroy(stream));
}
fly_status fly_stream_synchronize(fly_stream stream) {
  TRACED_CALL(FLY_ERROR_HIP, "fly_stream_synchronize", stream_synchronize(stream),
              fly_trace_wait(&traced, hip, "fly_stream_synchronize"));
}

fly_status fly_stream_done(bool *done, fly_stream stream) {
  const fly_hip *hip;
  int error;
  *done = false;
  NEED(hip, "fly_stream_done", stream_query);
  error = hip->stream_query(stream);
  *done = error == 0;
  return error && error != FLY_HIP_NOT_READY ? fly_hip_failed(hip, FLY_ERROR_HIP, "fly_stream_done", error) : FLY_OK;
}

/* All functions of events are there, or none is used. */
static fly_status open_events(const fly_hip **hip) {
  fly_status status = fly_hip_open(hip);
  if (status == FLY_OK && (!(*hip)->event_create || !(*hip)->event_destroy || !(*hip)->event_record ||
                           !(*hip)->event_synchronize || !(*hip)->event_elapsed_time))
    return fly_refuse(FLY_ERROR_HIP, "this HIP library has no events");
  return status;
}

fly_status fly_event_create(fly_event *event) {
  const fly_hip *hip;
  fly_status status = open_events(&hip);
  int error;
  *event = NULL;
  if (status != FLY_OK)
    return status;
  error = hip->event_create(event);
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, "fly_event_create", error) : FLY_OK;
}
fly_status fly_event_destroy(fly_event event) {
  const fly_hip *hip;
  fly_status status = open_events(&hip);
  int error = status == FLY_OK ? hip->event_destroy(event) : 0;
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, "fly_event_destroy", error) : status;
}
fly_status fly_event_record(fly_event event, fly_stream stream) {
  const fly_hip *hip;
  fly_status status = open_events(&hip);
  int error = status == FLY_OK ? hip->event_record(event, stream) : 0;
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, "fly_event_record", error) : status;
}
fly_status fly_event_milliseconds(float *time, fly_event begin, fly_event end) {
  const fly_hip *hip;
  fly_traced traced;
  fly_status status = open_events(&hip);
  int error;
  *time = 0;
  if (status != FLY_OK)
    return status;
  if (FLY_IS_TRACING)
    fly_trace_wait(&traced, hip, "fly_event_milliseconds");
  error = hip->event_synchronize(end);
  if (FLY_IS_TRACING)
    fly_trace_end(&traced, error);
  if (!error)
    error = hip->event_elapsed_time(time, begin, end);
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, "fly_event_milliseconds", error) : FLY_OK;
}

fly_status fly_stream_wait_event(fly_stream stream, fly_event event) {
  const fly_hip *hip;
  int error;
  NEED(hip, "fly_stream_wait_event", stream_wait_event);
  error = hip->stream_wait_event(stream, event, 0);
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, "fly_stream_wait_event", error) : FLY_OK;
}

static fly_status synchronize(void) {
  TRACED_CALL(FLY_ERROR_HIP, "fly_synchronize", device_synchronize(), fly_trace_wait(&traced, hip, "fly_synchronize"));
}
fly_status fly_synchronize(void) {
  fly_status status = synchronize();
  fly_flush_output(); /* after a failure too: a kernel prints why it stopped itself */
  return status;
}
