/* Copies that a stream does, the memory of the host that they need, and access to other devices. */
#include "call.h"

enum { ALREADY_ENABLED = 704 }; /* hipErrorPeerAccessAlreadyEnabled */

static fly_status copy_async(const char *what, void *to, const void *from, size_t bytes, int kind, fly_stream stream) {
  const fly_hip *hip;
  int error;
  NEED(hip, what, memcpy_async);
  error = hip->memcpy_async(to, from, bytes, kind, stream);
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
