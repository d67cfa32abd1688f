/* The runtime for flyc's kernels: a thin C API over HIP's module interface, which it opens on first use.
 *
 * The headers that flyc generates build on this one. A program includes the generated header:
 *
 *     #include "vec_add.h"
 *     float *a, *b, *c;                                        device memory, from hipMalloc or fly_malloc
 *     if (vec_add_add_f32(NULL, a, b, c, n) != FLY_OK)         NULL: the default stream
 *       fputs(fly_error(), stderr);
 *
 * Which device: libamdhip64 if it opens and finds a GPU, else the emulator (libfly_hip_emulated.so).
 *   FLY_DEVICE=gpu | emulator     use only this one
 *   FLY_HIP_LIBRARY=path          use this HIP library
 *   FLY_EMULATE=gfx942:2          what to emulate: an architecture and the number of devices
 * FLY_TRACE=file writes every launch with its time into a file (docs/trace.md).
 * You can call every function from any thread. It works on the calling thread's current HIP device. An error is a
 * status code plus a text for the calling thread. Launching allocates nothing. C99 and C++. */
#ifndef FLY_RUNTIME_H
#define FLY_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fly/expression.h"
#include "fly/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the structures below. The runtime refuses a header compiled for another version. */
#define FLY_ABI_VERSION 3u
/* How many devices one process can use. */
#define FLY_MAX_DEVICES 64

#if defined(__GNUC__)
#define FLY_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define FLY_PRINTF(text, first)
#endif

/* Does not compile if the condition is false; works in C99 too. */
#if defined(__cplusplus)
#define FLY_STATIC_ASSERT(condition, text) static_assert(condition, text)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define FLY_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#else
#define FLY_STATIC_ASSERT(condition, text) extern char fly_static_assertion[(condition) ? 1 : -1]
#endif

/* CMake's target Fly::runtime defines FLY_EMULATED_HIP, the emulator's file, so that a program finds it on the machine
 * where it was built. */
#if defined(FLY_EMULATED_HIP) && defined(__GNUC__)
extern const char fly_emulated_hip[] __attribute__((weak));
const char fly_emulated_hip[] = FLY_EMULATED_HIP;
#endif

typedef enum fly_status {
  FLY_OK = 0,
  FLY_ERROR_NO_DEVICE = 1,    /* no HIP library, or none with a device */
  FLY_ERROR_ARCHITECTURE = 2, /* the module has no code for this device */
  FLY_ERROR_CODE_OBJECT = 3,  /* damaged code object, or one that lacks a kernel */
  FLY_ERROR_REQUIREMENT = 4,  /* a precondition of the kernel does not hold */
  FLY_ERROR_ARGUMENT = 5,     /* null or misaligned pointer, or a launch beyond the limits of hardware or kernel */
  FLY_ERROR_MEMORY = 6,
  FLY_ERROR_LAUNCH = 7,   /* HIP refused the launch, or the kernel failed */
  FLY_ERROR_HIP = 8,      /* another HIP call failed */
  FLY_ERROR_ABI = 9,      /* header and runtime do not match */
  FLY_ERROR_CAPTURE = 10, /* not allowed while a stream is being captured */
  FLY_ERROR_RANK = 11     /* another process of fly/comm.hpp has ended, has failed, or does something else */
} fly_status;

/* A hipStream_t; NULL is the default stream. */
typedef void *fly_stream;

/* Returns the text of the calling thread's last error, or "" if there was none. Valid until the thread's next error. */
const char *fly_error(void);
/* Returns the name of a status: "FLY_ERROR_ARCHITECTURE", ... */
const char *fly_status_name(fly_status status);
/* Returns FLY_ABI_VERSION of the linked runtime; for programs that do not compile this header. */
uint32_t fly_abi_version(void);

/* --- Devices and memory, for programs that do not use HIP themselves ------------------------------------------- */

fly_status fly_device_count(int *count);
fly_status fly_get_device(int *device);
fly_status fly_set_device(int device);
/* The current device's architecture, such as "gfx942", without target ID features; truncated to `size` bytes including
 * the terminating zero. */
fly_status fly_device_architecture(char *name, size_t size);
/* The number of compute units of the current device, as HIP counts them. */
fly_status fly_device_compute_units(int64_t *count);
/* The name of the current device, such as "AMD Instinct MI300X"; truncated as the architecture is. */
fly_status fly_device_name(char *name, size_t size);
/* The HIP library in use, as it was opened, and its version as hipRuntimeGetVersion has it; 0: it does not say. */
fly_status fly_hip_library(char *name, size_t size, int *version);
fly_status fly_malloc(void **pointer, size_t bytes);
/* Memory that no cache keeps, so that kernels of several devices see each other's stores while they run: for signals. */
fly_status fly_malloc_uncached(void **pointer, size_t bytes);
fly_status fly_free(void *pointer);
fly_status fly_copy_to_device(void *device, const void *host, size_t bytes);
fly_status fly_copy_to_host(void *host, const void *device, size_t bytes);
/* Copies in the order of the stream, and returns at once. Memory of the host must be of fly_host_malloc for that; other
 * memory is copied before the call returns. The last one also copies between devices. */
fly_status fly_copy_to_device_async(void *device, const void *host, size_t bytes, fly_stream stream);
fly_status fly_copy_to_host_async(void *host, const void *device, size_t bytes, fly_stream stream);
fly_status fly_copy_async(void *to, const void *from, size_t bytes, fly_stream stream);
/* Pinned memory of the host, which kernels of every device can read and write at the same address. */
fly_status fly_host_malloc(void **pointer, size_t bytes);
fly_status fly_host_free(void *pointer);
/* Whether kernels on `device` can be given memory of device `peer`. */
fly_status fly_can_access_peer(int *can, int device, int peer);
/* From now on, kernels on the current device can read and write memory of device `peer`. Again is not an error. */
fly_status fly_enable_peer_access(int peer);
/* Memory of fly_malloc for kernels of other processes of this machine.
 *
 *     fly_ipc_export(&handle, &offset, x);                      x may be in the middle of an allocation
 *     fly_ipc_open(&base, &handle); y = (char *)base + offset;  there; once for each allocation and process
 *     fly_ipc_close(base);                                      before the owner frees it
 */
typedef struct fly_ipc_handle { /* a hipIpcMemHandle_t */
  unsigned char bytes[64];
} fly_ipc_handle;
fly_status fly_ipc_export(fly_ipc_handle *handle, size_t *offset, void *pointer);
fly_status fly_ipc_open(void **base, const fly_ipc_handle *handle);
fly_status fly_ipc_close(void *base);
/* Fills device memory with a byte, or with zeros, in the order of the stream. */
fly_status fly_fill(void *device, int byte, size_t bytes, fly_stream stream);
fly_status fly_fill_zero(void *device, size_t bytes, fly_stream stream);
/* Creates a stream (a hipStream_t) that does not wait for the default stream. */
fly_status fly_stream_create(fly_stream *stream);
fly_status fly_stream_destroy(fly_stream stream);
/* Waits for the work of a stream. Does not write what kernels printed; fly_synchronize does. */
fly_status fly_stream_synchronize(fly_stream stream);
/* Whether the work of a stream is done; does not wait. */
fly_status fly_stream_done(bool *done, fly_stream stream);
/* Times of the device: records an event in a stream before the work, another one after it, and takes the difference.
 *
 *     fly_event begin, end;                                     hipEvent_t
 *     fly_event_record(begin, stream); ... fly_event_record(end, stream);
 *     fly_event_milliseconds(&time, begin, end);                waits for `end`
 */
typedef void *fly_event;
fly_status fly_event_create(fly_event *event);
fly_status fly_event_destroy(fly_event event);
fly_status fly_event_record(fly_event event, fly_stream stream);
fly_status fly_event_milliseconds(float *time, fly_event begin, fly_event end);
/* What the stream is given from now on waits for the event, which may be of another device. */
fly_status fly_stream_wait_event(fly_stream stream, fly_event event);
/* Graphs: what a stream is given, recorded once and launched as a whole.
 *
 *     fly_module_load(vec_add_module());                        loading is not possible while a stream is recorded
 *     fly_graph_begin(stream); ... launches, copies, fills ...; fly_graph_end(stream, &graph);
 *     fly_graph_launch(graph, stream);                          any number of times
 */
typedef void *fly_graph; /* a hipGraphExec_t */
fly_status fly_graph_begin(fly_stream stream);
fly_status fly_graph_end(fly_stream stream, fly_graph *graph);
fly_status fly_graph_launch(fly_graph graph, fly_stream stream);
fly_status fly_graph_destroy(fly_graph graph);
/* Waits for all work on the current device and writes what kernels printed. */
fly_status fly_synchronize(void);

/* Writes what finished kernels printed (`printf`, a failed `assert`) to stdout. fly_synchronize, unloading a module and
 * the end of the program do this as well; call this function if your program synchronises through HIP itself. No kernel
 * of this runtime may be running. Until then the output is held in a ring of 4 MiB per module and device. Output that
 * does not fit is lost, and a line says so. */
void fly_flush_output(void);

/* --- Modules: used by generated headers -------------------------------------------------------------------------- */

typedef struct fly_code_object {
  const char *architecture; /* "gfx942" */
  const unsigned char *bytes;
  size_t size;
} fly_code_object;

typedef struct fly_module {
  uint32_t abi; /* FLY_ABI_VERSION that the header was compiled with */
  const char *name;
  uint64_t hash; /* of all code; copies of one header share the loaded module */
  uint32_t code_object_count;
  const fly_code_object *code_objects;
  uint32_t kernel_count;
  const char *const *kernels;    /* symbol names */
  void *loaded[FLY_MAX_DEVICES]; /* used by the runtime; initialise with zeros */
} fly_module;

typedef struct fly_launch {
  int64_t grid[3], block[3];   /* workgroups, threads; an empty grid launches nothing and is not an error */
  int64_t dynamic_lds;         /* bytes */
  uint32_t max_workgroup_size; /* threads that the kernel was compiled for */
  const void *arguments;       /* laid out as the kernel's metadata says; the runtime copies them */
  size_t argument_bytes;
} fly_launch;

/* Loads the module on the current device if necessary, and sets `*index` to the matching code object. `stream` is the
 * stream to launch on. While it is being captured, a module that is not yet loaded is refused, because loading
 * allocates and waits. */
fly_status fly_module_select(fly_module *module, fly_stream stream, uint32_t *index);
/* Loads the module on the current device. Call it before a capture or a measurement. */
fly_status fly_module_load(fly_module *module);
/* Loads the module on every device. The current device stays. */
fly_status fly_module_load_all(fly_module *module);
/* Launches kernels[kernel]. */
fly_status fly_module_launch(fly_module *module, uint32_t kernel, const fly_launch *launch, fly_stream stream);
/* One step of a `@launch` function: launches kernels[kernel], or fills memory with a byte. */
#define FLY_STEP_FILL UINT32_MAX
typedef struct fly_step {
  uint32_t kernel; /* FLY_STEP_FILL: fill `memory` with `memory_byte` */
  fly_launch launch;
  void *memory;
  int64_t memory_bytes;
  int memory_byte; /* 0 to 255 */
} fly_step;
/* Checks the sizes of all steps, then queues the steps in order on the stream. Allocates nothing, so the stream may be
 * under capture. */
fly_status fly_module_launch_steps(fly_module *module, const fly_step *steps, uint32_t count, fly_stream stream);
/* The same for the launch function of this name, which errors and traces then tell. */
fly_status fly_module_launch_function(fly_module *module, const char *function, const fly_step *steps, uint32_t count,
                                      fly_stream stream);
/* Unloads the module from every device, for every copy of its header, once the launches in progress are queued and the
 * devices are idle. The next launch loads it again. Refused while a stream that launches the module is being captured.
 * Do not replay graphs that launch it afterwards. */
fly_status fly_module_unload(fly_module *module);

/* --- Code objects without a header -------------------------------------------------------------------------------- *
 *
 *     fly_object *object;
 *     const fly_kernel *kernel;
 *     fly_object_open(&object, "out/vec_add.gfx942.hsaco");
 *     fly_object_kernel(object, "add_f32", &kernel);
 *     fly_kernel_launch(kernel, &launch, stream);          one block of arguments; fly_kernel_launch_values: one by one
 *     fly_object_close(object);
 *
 * Works with code objects of any compiler. The arguments are compared with the code object's metadata. A file that flyc
 * wrote is refused if any of its bytes has changed. */

typedef struct fly_object fly_object;
typedef struct fly_kernel fly_kernel;

typedef struct fly_parameter {
  uint32_t offset, size; /* in the argument block, in bytes */
  const char *kind;      /* "by_value", "global_buffer" (a device pointer), "dynamic_shared_pointer" */
} fly_parameter;

/* Loads a code object on the current device. It stays with that device. */
fly_status fly_object_open(fly_object **object, const char *path);
/* The same from memory. The bytes are copied. */
fly_status fly_object_open_memory(fly_object **object, const void *bytes, size_t size);
/* Unloads the object and its kernels. If a capture forbids this, the object stays open. NULL is ignored. */
fly_status fly_object_close(fly_object *object);

uint32_t fly_object_kernel_count(const fly_object *object);
/* Finds a kernel by name. With `name` NULL, fails with an error that lists the names. */
fly_status fly_object_kernel(const fly_object *object, const char *name, const fly_kernel **kernel);
/* Returns the name of kernel number `index`, in the order of the metadata, or NULL after the last. */
const char *fly_object_kernel_name(const fly_object *object, uint32_t index);

uint32_t fly_kernel_parameter_count(const fly_kernel *kernel);
fly_status fly_kernel_parameter(const fly_kernel *kernel, uint32_t index, fly_parameter *parameter);

/* Launches with an argument block of the size that the kernel takes. `max_workgroup_size` 0 means the kernel's own. */
fly_status fly_kernel_launch(const fly_kernel *kernel, const fly_launch *launch, fly_stream stream);
/* Launches with `count` values in the order of the parameters; value i has `sizes[i]` bytes. Ignores
 * `launch->arguments`. Refuses kernels whose argument block is larger than FLY_MAX_ARGUMENT_BYTES. */
#define FLY_MAX_ARGUMENT_BYTES 4096
fly_status fly_kernel_launch_values(const fly_kernel *kernel, const fly_launch *launch, fly_stream stream,
                                    uint32_t count, const void *const *values, const size_t *sizes);

/* Sets the calling thread's error text; returns `status`. */
fly_status fly_refuse(fly_status status, const char *format, ...) FLY_PRINTF(2, 3);
/* The same for a precondition: the fault of its evaluation (0: it is false), its text, and the values of its parameters
 * ("n = 6"). */
fly_status fly_refuse_requirement(const char *kernel, int fault, const char *requirement, const char *values, ...)
    FLY_PRINTF(4, 5);

#ifdef __cplusplus
}
#endif
#endif
