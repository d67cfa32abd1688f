/* The HIP entry points that the runtime uses, filled from a library opened at run time. Own declarations, so that
 * neither HIP's headers nor a version of them are needed; these signatures are the same from ROCm 5 to 7. */
#ifndef FLY_RUNTIME_HIP_H
#define FLY_RUNTIME_HIP_H

#include "fly/runtime.h"

/* One row an entry point: name in the table, symbol, parameters. All return hipError_t, an int; 0 is success. */
#define FLY_HIP_FUNCTIONS(X)                                                                                           \
  X(init, hipInit, (unsigned flags))                                                                                   \
  X(get_device_count, hipGetDeviceCount, (int *count))                                                                 \
  X(get_device, hipGetDevice, (int *device))                                                                           \
  X(set_device, hipSetDevice, (int device))                                                                            \
  X(module_load_data, hipModuleLoadData, (void **module, const void *image))                                           \
  X(module_unload, hipModuleUnload, (void *module))                                                                    \
  X(module_get_function, hipModuleGetFunction, (void **function, void *module, const char *name))                      \
  X(module_launch_kernel, hipModuleLaunchKernel,                                                                       \
    (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,            \
     unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra))                          \
  X(malloc, hipMalloc, (void **pointer, size_t bytes))                                                                 \
  X(free, hipFree, (void *pointer))                                                                                    \
  X(memset_async, hipMemsetAsync, (void *to, int value, size_t bytes, void *stream))                                   \
  X(device_get_attribute, hipDeviceGetAttribute, (int *value, int attribute, int device))                              \
  X(memcpy, hipMemcpy, (void *to, const void *from, size_t bytes, int kind))                                           \
  X(device_synchronize, hipDeviceSynchronize, (void))

/* Needed only for kernel output, the runtime's own streams, times, captures, graphs, several devices and traces; a
 * library may lack any of them. The last two are the emulated HIP's own: which launch the thread's next one is, and what was
 * done between two events. */
#define FLY_HIP_OPTIONAL_FUNCTIONS(X)                                                                                  \
  X(module_get_global, hipModuleGetGlobal, (void **pointer, size_t *bytes, void *module, const char *name))            \
  X(host_malloc, hipHostMalloc, (void **pointer, size_t bytes, unsigned flags))                                        \
  X(host_free, hipHostFree, (void *pointer))                                                                           \
  X(host_get_device_pointer, hipHostGetDevicePointer, (void **device, void *host, unsigned flags))                     \
  X(stream_create, hipStreamCreateWithFlags, (void **stream, unsigned flags))                                          \
  X(stream_destroy, hipStreamDestroy, (void *stream))                                                                  \
  X(stream_synchronize, hipStreamSynchronize, (void *stream))                                                          \
  X(device_get_name, hipDeviceGetName, (char *name, int length, int device))                                           \
  X(runtime_get_version, hipRuntimeGetVersion, (int *version))                                                         \
  X(event_create, hipEventCreate, (void **event))                                                                      \
  X(event_destroy, hipEventDestroy, (void *event))                                                                     \
  X(event_record, hipEventRecord, (void *event, void *stream))                                                         \
  X(event_synchronize, hipEventSynchronize, (void *event))                                                             \
  X(event_elapsed_time, hipEventElapsedTime, (float *milliseconds, void *begin, void *end))                            \
  X(memcpy_async, hipMemcpyAsync, (void *to, const void *from, size_t bytes, int kind, void *stream))                  \
  X(can_access_peer, hipDeviceCanAccessPeer, (int *can, int device, int peer))                                         \
  X(enable_peer_access, hipDeviceEnablePeerAccess, (int peer, unsigned flags))                                         \
  X(malloc_with_flags, hipExtMallocWithFlags, (void **pointer, size_t bytes, unsigned flags))                          \
  X(get_address_range, hipMemGetAddressRange, (void **begin, size_t *bytes, void *pointer))                            \
  X(ipc_get, hipIpcGetMemHandle, (fly_ipc_handle *handle, void *pointer))                                              \
  X(ipc_open, hipIpcOpenMemHandle, (void **pointer, fly_ipc_handle handle, unsigned flags))                            \
  X(ipc_close, hipIpcCloseMemHandle, (void *pointer))                                                                  \
  X(stream_query, hipStreamQuery, (void *stream))                                                                      \
  X(stream_wait_event, hipStreamWaitEvent, (void *stream, void *event, unsigned flags))                                \
  X(begin_capture, hipStreamBeginCapture, (void *stream, int mode))                                                    \
  X(end_capture, hipStreamEndCapture, (void *stream, void **graph))                                                    \
  X(graph_instantiate, hipGraphInstantiateWithFlags, (void **executable, void *graph, unsigned long long flags))       \
  X(graph_launch, hipGraphLaunch, (void *executable, void *stream))                                                    \
  X(graph_exec_destroy, hipGraphExecDestroy, (void *executable))                                                       \
  X(graph_destroy, hipGraphDestroy, (void *graph))                                                                     \
  X(stream_get_capture_info, hipStreamGetCaptureInfo, (void *stream, int *status, unsigned long long *id))             \
  X(exchange_capture_mode, hipThreadExchangeStreamCaptureMode, (int *mode))                                            \
  X(launch_between, _Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j, \
    (void *function, uint32_t items_x, uint32_t items_y, uint32_t items_z, uint32_t block_x, uint32_t block_y,         \
     uint32_t block_z, size_t shared_bytes, void *stream, void **parameters, void **extra, void *begin, void *end,     \
     uint32_t flags))                                                                                                  \
  X(event_query, hipEventQuery, (void *event))                                                                         \
  X(event_record_with_flags, hipEventRecordWithFlags, (void *event, void *stream, unsigned flags))                     \
  X(next_launch, flyHipNextLaunch, (const char *module, const char *function, unsigned step, unsigned steps))          \
  X(between, flyHipBetween, (int64_t *nanoseconds, double *read, double *written, void *begin, void *end))

/* hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent */
#define FLY_HIP_HOST_COHERENT (0x1u | 0x2u | 0x40000000u)

/* hipMemcpyKind; the last goes by the addresses */
enum { FLY_HIP_HOST_TO_DEVICE = 1, FLY_HIP_DEVICE_TO_HOST = 2, FLY_HIP_WHICHEVER = 4 };
enum {
  FLY_HIP_ILLEGAL_ADDRESS = 700,
  FLY_HIP_LAUNCH_FAILURE = 719
}; /* hipErrorIllegalAddress, hipErrorLaunchFailure */
enum { FLY_HIP_STREAM_NON_BLOCKING = 1 };                    /* hipStreamNonBlocking */
enum { FLY_HIP_INVALID_VALUE = 1, FLY_HIP_NOT_READY = 600 }; /* hipErrorInvalidValue, hipErrorNotReady */
enum { FLY_HIP_FINE_GRAINED = 1, FLY_HIP_UNCACHED = 3 };     /* hipDeviceMallocFinegrained, Uncached (since ROCm 5.5) */
enum { FLY_HIP_LAZY_PEER_ACCESS = 1 };                       /* hipIpcMemLazyEnablePeerAccess; before ROCm 6 it is 0 */
enum { FLY_HIP_COMPUTE_UNITS = 63 };                         /* hipDeviceAttributeMultiprocessorCount */
#define FLY_HIP_ARGUMENT_BUFFER ((void *)0x01)                       /* HIP_LAUNCH_PARAM_BUFFER_POINTER */
#define FLY_HIP_ARGUMENT_SIZE ((void *)0x02)                         /* HIP_LAUNCH_PARAM_BUFFER_SIZE */
#define FLY_HIP_ARGUMENT_END ((void *)0x03)                          /* HIP_LAUNCH_PARAM_END */

typedef struct fly_hip {
#define X(name, symbol, parameters) int (*name) parameters;
  FLY_HIP_FUNCTIONS(X)
  FLY_HIP_OPTIONAL_FUNCTIONS(X)
#undef X
  const char *(*get_error_string)(int error);
  int (*get_device_properties)(void *properties, int device);
  char library[256]; /* as it was opened: "libamdhip64.so.6" */
  int device_count;
  char architecture[FLY_MAX_DEVICES][32]; /* "gfx942" */
} fly_hip;

/* Opens HIP on the first call. On an error the status, with the text set, every time. */
fly_status fly_hip_open(const fly_hip **hip);

/* Sets the text for a failed HIP call: "what: HIP's words"; returns `status`. */
fly_status fly_hip_failed(const fly_hip *hip, fly_status status, const char *what, int error);

#endif
