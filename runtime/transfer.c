/* Copies that a stream does, the memory of the host that they need, and access to other devices and processes. */
#include "call.h"
#include "trace.h"

enum { ALREADY_ENABLED = 704 }; /* hipErrorPeerAccessAlreadyEnabled */

static fly_status copy_async(const char *what, void *to, const void *from, size_t bytes, int kind, fly_stream stream) {
  static const char *const names[] = {"copy", "copy to device", "copy to host"};
  const fly_hip *hip;
  fly_traced traced;
  int error;
  NEED(hip, what, memcpy_async);
  if (FLY_IS_TRACING)
    fly_trace_operation(&traced, hip, "copy", NULL, names[kind % FLY_HIP_WHICHEVER], (int64_t)bytes, stream);
  error = hip->memcpy_async(to, from, bytes, kind, stream);
  if (FLY_IS_TRACING)
    fly_trace_end(&traced, error);
  return error ? fly_hip_failed(hip, FLY_ERROR_ARGUMENT, what, error) : FLY_OK;
}

fly_status fly_copy_to_device_async(void *device, const void *host, size_t bytes, fly_stream stream) {
  return copy_async("fly_copy_to_device_async", device, host, bytes, FLY_HIP_HOST_TO_DEVICE, stream);
}
fly_status fly_copy_to_host_async(void *host, const void *device, size_t bytes, fly_stream stream) {
  return copy_async("fly_copy_to_host_async", host, device, bytes, FLY_HIP_DEVICE_TO_HOST, stream);
}
fly_status fly_copy_async(void *to, const void *from, size_t bytes, fly_stream stream) {
  return copy_async("fly_copy_async", to, from, bytes, FLY_HIP_WHICHEVER, stream);
}

fly_status fly_host_malloc(void **pointer, size_t bytes) {
  const fly_hip *hip;
  int error;
  *pointer = NULL;
  NEED(hip, "fly_host_malloc", host_malloc);
  error = hip->host_malloc(pointer, bytes, FLY_HIP_HOST_COHERENT);
  return error ? fly_hip_failed(hip, FLY_ERROR_MEMORY, "fly_host_malloc", error) : FLY_OK;
}
fly_status fly_host_free(void *pointer) {
  const fly_hip *hip;
  int error;
  NEED(hip, "fly_host_free", host_free);
  error = hip->host_free(pointer);
  return error ? fly_hip_failed(hip, FLY_ERROR_ARGUMENT, "fly_host_free", error) : FLY_OK;
}

fly_status fly_can_access_peer(int *can, int device, int peer) {
  const fly_hip *hip;
  int error;
  *can = 0;
  NEED(hip, "fly_can_access_peer", can_access_peer);
  error = hip->can_access_peer(can, device, peer);
  return error ? fly_hip_failed(hip, FLY_ERROR_ARGUMENT, "fly_can_access_peer", error) : FLY_OK;
}
fly_status fly_enable_peer_access(int peer) {
  const fly_hip *hip;
  int error;
  NEED(hip, "fly_enable_peer_access", enable_peer_access);
  error = hip->enable_peer_access(peer, 0);
  return error && error != ALREADY_ENABLED ? fly_hip_failed(hip, FLY_ERROR_ARGUMENT, "fly_enable_peer_access", error)
                                           : FLY_OK;
}

fly_status fly_ipc_export(fly_ipc_handle *handle, size_t *offset, void *pointer) {
  const fly_hip *hip;
  void *begin = NULL;
  size_t bytes;
  int error;
  memset(handle, 0, sizeof *handle);
  *offset = 0;
  NEED(hip, "fly_ipc_export", ipc_get);
  NEED(hip, "fly_ipc_export", get_address_range);
  error = hip->get_address_range(&begin, &bytes, pointer);
  if (!error) { /* a handle is one of the whole allocation */
    *offset = (size_t)((char *)pointer - (char *)begin);
    error = hip->ipc_get(handle, begin);
  }
  return error ? fly_hip_failed(hip, FLY_ERROR_ARGUMENT, "fly_ipc_export", error) : FLY_OK;
}
fly_status fly_ipc_open(void **base, const fly_ipc_handle *handle) {
  const fly_hip *hip;
  int error;
  *base = NULL;
  NEED(hip, "fly_ipc_open", ipc_open);
  error = hip->ipc_open(base, *handle, FLY_HIP_LAZY_PEER_ACCESS);
  if (error == FLY_HIP_INVALID_VALUE)
    error = hip->ipc_open(base, *handle, 0);
  return error ? fly_hip_failed(hip, FLY_ERROR_HIP, "fly_ipc_open", error) : FLY_OK;
}
fly_status fly_ipc_close(void *base) {
  const fly_hip *hip;
  int error;
  NEED(hip, "fly_ipc_close", ipc_close);
  error = hip->ipc_close(base);
  return error ? fly_hip_failed(hip, FLY_ERROR_ARGUMENT, "fly_ipc_close", error) : FLY_OK;
}
