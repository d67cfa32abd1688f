/* A call through Apache TVM's FFI, as sources of `flyc build --emit=tvm-ffi` make it:
 *
 *     fly_ffi_arguments   fly_ffi_tensor ...                    tvm_ffi_arguments.h
 *     fly_ffi_derive ...  fly_ffi_fits ...                      tvm_ffi_sizes.h
 *     fly_ffi_begin       the device and the stream
 *     fly_ffi_workspace   memory of a launch function
 *     fly_ffi_end         the runtime's error, the device before
 *
 * C99. */
#ifndef FLY_TVM_FFI_CALL_H
#define FLY_TVM_FFI_CALL_H

#include "fly/tvm_ffi_sizes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ends a call: 0, or -1 with the runtime's error. Goes back to the device before, and frees the workspace: what the
 * stream is given after this may use it again. */
static inline int fly_ffi_end(fly_ffi_call *call, fly_status status) {
  int failed = 0;
  if (status != FLY_OK)
    failed =
        fly_ffi_fail(status == FLY_ERROR_REQUIREMENT || status == FLY_ERROR_ARGUMENT ? "ValueError" : "RuntimeError",
                     "%s", fly_error());
  if (call->workspace)
    TVMFFIObjectDecRef(call->workspace);
  if (call->previous >= 0 && fly_set_device(call->previous) != FLY_OK && !failed)
    failed = fly_ffi_fail("RuntimeError", "%s", fly_error());
  return failed;
}

/* The same after an error that is set already. */
static inline int fly_ffi_abandon(fly_ffi_call *call) {
  fly_ffi_end(call, FLY_OK);
  return -1;
}

/* Makes the device of the tensors the current one, and finds the stream. */
static inline int fly_ffi_begin(fly_ffi_call *call, fly_stream *stream) {
  int current = 0;
  fly_status status = fly_get_device(&current);
  if (status == FLY_OK && call->device_of < 0) {
    call->device.type = FLY_DL_ROCM;
    call->device.id = current;
  }
  if (status == FLY_OK && call->device.id != current) {
    status = fly_set_device((int)call->device.id);
    call->previous = status == FLY_OK ? current : -1;
  }
  if (status != FLY_OK)
    return fly_ffi_end(call, status);
  *stream = TVMFFIEnvGetStream(call->device.type, call->device.id);
  return 0;
}

/* `bytes` of device memory: a tensor of bytes that is given, or one of the framework's allocator for this call. */
static inline int fly_ffi_workspace(fly_ffi_call *call, int32_t index, size_t bytes, void **memory) {
  const fly_ffi_any *value = call->values[index];
  const fly_dl_tensor *tensor = fly_ffi_dl_tensor(value);
  *memory = NULL;
  if (!value) {
    int64_t shape = (int64_t)bytes, stride = 1;
    fly_dl_tensor prototype;
    if (bytes == 0)
      return 0;
    memset(&prototype, 0, sizeof prototype);
    prototype.device = call->device;
    prototype.ndim = 1;
    prototype.dtype.code = 1;
    prototype.dtype.bits = 8;
    prototype.dtype.lanes = 1;
    prototype.shape = &shape;
    prototype.strides = &stride;
    if (TVMFFIEnvTensorAlloc(&prototype, &call->workspace) != 0) { /* has set the error */
      call->workspace = NULL;
      return fly_ffi_abandon(call);
    }
    *memory =
        fly_ffi_data((const fly_dl_tensor *)(const void *)((const char *)call->workspace + sizeof(fly_ffi_object)));
    return 0;
  }
  if (!tensor)
    fly_ffi_fail("TypeError", "%s: the workspace is a tensor of bytes or None, not %s", call->function,
                 fly_ffi_kind(value));
  else if (tensor->dtype.code > 1 || fly_ffi_unit(tensor) != 8 || tensor->ndim != 1 ||
           (fly_ffi_stride(tensor, 0) != 1 && tensor->shape[0] > 1))
    fly_ffi_fail("TypeError", "%s: the workspace is a tensor of bytes (u8) with one dimension and no gaps",
                 call->function);
  else if (fly_ffi_same_device(call, index, tensor) != 0)
    ; /* has set the error */
  else if (tensor->shape[0] < 0 || (uint64_t)tensor->shape[0] < bytes)
    fly_ffi_fail("ValueError", "%s: the workspace must have %lld bytes, not %lld", call->function, (long long)bytes,
                 (long long)tensor->shape[0]);
  else {
    *memory = fly_ffi_data(tensor);
    return 0;
  }
  return fly_ffi_abandon(call);
}

#ifdef __cplusplus
}
#endif
#endif
