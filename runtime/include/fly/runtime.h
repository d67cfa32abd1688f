/* The runtime of flyc's kernels: a thin C API over HIP's module interface, which it opens when it is first needed.
 *
 * The headers that flyc generates stand on this one; a program includes theirs:
 *
 *     #include "vec_add.h"
 *     float *a, *b, *c;                                        device memory, from hipMalloc or fly_malloc
 *     if (vec_add_add_f32(NULL, a, b, c, n) != FLY_OK)         NULL: the default stream
 *       fputs(fly_error(), stderr);
 *
 * Which device: libamdhip64 when it opens and finds a GPU, else the emulator (libfly_hip_emulated.so).
 *   FLY_DEVICE=gpu | emulator     insists on one of them
 *   FLY_HIP_LIBRARY=path          a HIP library of your own choice
 *   FLY_EMULATE=gfx942:2          what the emulator emulates: an architecture and how many devices
 * Every function may be called from any thread and works on the calling thread's current HIP device. Errors are a
 * code and, for the calling thread, a text. Launching allocates nothing. C99 and C++. */
#ifndef FLY_RUNTIME_H
#define FLY_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fly/expression.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the structures below; a header compiled for another one is refused. */
#define FLY_ABI_VERSION 2u
/* Devices one process can use. */
#define FLY_MAX_DEVICES 64

#if defined(__GNUC__)
#define FLY_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define FLY_PRINTF(text, first)
#endif

/* Refused by the compiler if the condition does not hold; also by one of C99. */
#if defined(__cplusplus)
#define FLY_STATIC_ASSERT(condition, text) static_assert(condition, text)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define FLY_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#else
#define FLY_STATIC_ASSERT(condition, text) extern char fly_static_assertion[(condition) ? 1 : -1]
#endif

typedef enum fly_status {
  FLY_OK = 0,
  FLY_ERROR_NO_DEVICE = 1,      /* no HIP library, or none with a device */
  FLY_ERROR_ARCHITECTURE = 2,   /* the module has no code for this device */
  FLY_ERROR_CODE_OBJECT = 3,    /* damaged code object, or a kernel is not in it */
  FLY_ERROR_REQUIREMENT = 4,    /* a precondition of the kernel does not hold */
  FLY_ERROR_ARGUMENT = 5,       /* null or misaligned pointer, a launch beyond the limits of hardware or kernel */
  FLY_ERROR_MEMORY = 6,
  FLY_ERROR_LAUNCH = 7,         /* HIP refused the launch, or the kernel failed */
  FLY_ERROR_HIP = 8,            /* another HIP call failed */
  FLY_ERROR_ABI = 9,            /* header and runtime do not fit */
  FLY_ERROR_CAPTURE = 10        /* not while a stream is being captured */
} fly_status;

/* A hipStream_t; NULL is the default stream. */
typedef void *fly_stream;

/* The text of the calling thread's last error; "" if there was none. Valid until its next error. */
const char *fly_error(void);
/* "FLY_ERROR_ARCHITECTURE" ... */
const char *fly_status_name(fly_status status);
/* FLY_ABI_VERSION of the runtime that is linked; for programs without a C compiler. */
uint32_t fly_abi_version(void);

/* --- Devices and memory, for programs that do not use HIP themselves ------------------------------------------- */

fly_status fly_device_count(int *count);
fly_status fly_get_device(int *device);
fly_status fly_set_device(int device);
/* Architecture of the current device, "gfx942", without the target ID's features; cut to `size` with its zero. */
fly_status fly_device_architecture(char *name, size_t size);
/* Compute units of the current device, as HIP counts them. */
fly_status fly_device_compute_units(int64_t *count);
fly_status fly_malloc(void **pointer, size_t bytes);
fly_status fly_free(void *pointer);
fly_status fly_copy_to_device(void *device, const void *host, size_t bytes);
fly_status fly_copy_to_host(void *host, const void *device, size_t bytes);
/* A stream that does not wait for the default one; a hipStream_t. */
fly_status fly_stream_create(fly_stream *stream);
fly_status fly_stream_destroy(fly_stream stream);
/* Waits for the work of a stream. What kernels printed is written by fly_synchronize. */
fly_status fly_stream_synchronize(fly_stream stream);
/* Waits for all work of the current device, and writes what kernels printed. */
fly_status fly_synchronize(void);

/* Writes what finished kernels printed (`printf`, a failed `assert`) to stdout. fly_synchronize does it, unloading a
 * module and the end of the program too; for programs that synchronise by HIP itself. No kernel of this runtime may be
 * running. A ring of 4 MiB a module and device holds the output in between; the rest is lost, which a line tells. */
void fly_flush_output(void);

/* --- Modules: used by generated headers -------------------------------------------------------------------------- */

typedef struct fly_code_object {
  const char *architecture;            /* "gfx942" */
  const unsigned char *bytes;
  size_t size;
} fly_code_object;

typedef struct fly_module {
  uint32_t abi;                        /* FLY_ABI_VERSION when the header was compiled */
  const char *name;
  uint64_t hash;                       /* of all code; copies of one header share what is loaded */
  uint32_t code_object_count;
  const fly_code_object *code_objects;
  uint32_t kernel_count;
  const char *const *kernels;          /* symbols */
  void *loaded[FLY_MAX_DEVICES];       /* the runtime's; start with zeros */
} fly_module;

typedef struct fly_launch {
  int64_t grid[3], block[3];           /* workgroups, threads; an empty grid is no launch and no error */
  int64_t dynamic_lds;                 /* bytes */
  uint32_t max_workgroup_size;         /* threads the kernel was compiled for */
  const void *arguments;               /* laid out as the kernel's metadata says; copied */
  size_t argument_bytes;
} fly_launch;

/* Loads the module on the current device if it is not; `*index` is the code object that fits it. `stream`: the one that
 * will be launched on. While it is being captured a module that is not loaded is refused: loading allocates and waits. */
fly_status fly_module_select(fly_module *module, fly_stream stream, uint32_t *index);
/* Loads the module on the current device, before a capture or a measurement. */
fly_status fly_module_load(fly_module *module);
/* Launches kernels[kernel]. */
fly_status fly_module_launch(fly_module *module, uint32_t kernel, const fly_launch *launch, fly_stream stream);
/* One step of a `@launch` function: a launch of kernels[kernel], or zeros for memory. */
#define FLY_STEP_ZERO UINT32_MAX
typedef struct fly_step {
  uint32_t kernel;                     /* FLY_STEP_ZERO: fills `memory` */
  fly_launch launch;
  void *memory;
  int64_t memory_bytes;
} fly_step;
/* Checks the sizes of all steps, then queues them in order on the stream. Allocates nothing, so that a stream may be
 * captured meanwhile. */
fly_status fly_module_launch_steps(fly_module *module, const fly_step *steps, uint32_t count, fly_stream stream);
/* Unloads the module from every device, for every copy of its header, when the launches under way are queued and the
 * devices idle; the next launch loads it again. Refused while a stream is being captured that launches it. Graphs that
 * launch it must not be replayed any more. */
fly_status fly_module_unload(fly_module *module);

/* --- Code objects without a header -------------------------------------------------------------------------------- *
 *
 *     fly_object *object;
 *     const fly_kernel *kernel;
 *     fly_object_open(&object, "out/vec_add.gfx942.hsaco");
 *     fly_object_kernel(object, "add_f32", &kernel);
 *     fly_kernel_launch(kernel, &launch, stream);          arguments laid out, or fly_kernel_launch_values: one by one
 *     fly_object_close(object);
 *
 * Of any compiler; arguments are compared with the code object's metadata. A file that flyc wrote is refused when a byte
 * of it has changed. */

typedef struct fly_object fly_object;
typedef struct fly_kernel fly_kernel;

typedef struct fly_parameter {
  uint32_t offset, size;               /* in the block of arguments, bytes */
  const char *kind;                    /* "by_value", "global_buffer" (a device pointer), "dynamic_shared_pointer" */
} fly_parameter;

/* Loads a code object on the current device; it stays with that device. */
fly_status fly_object_open(fly_object **object, const char *path);
/* The bytes are copied. */
fly_status fly_object_open_memory(fly_object **object, const void *bytes, size_t size);
/* Unloads it; its kernels are gone. When a capture forbids that it stays open. NULL is no object and no error. */
fly_status fly_object_close(fly_object *object);

uint32_t fly_object_kernel_count(const fly_object *object);
/* The kernel of that name; with `name` NULL an error that lists the names. */
fly_status fly_object_kernel(const fly_object *object, const char *name, const fly_kernel **kernel);
/* The name of a kernel by its number, in the order of the metadata; NULL behind the last. */
const char *fly_object_kernel_name(const fly_object *object, uint32_t index);

uint32_t fly_kernel_parameter_count(const fly_kernel *kernel);
fly_status fly_kernel_parameter(const fly_kernel *kernel, uint32_t index, fly_parameter *parameter);

/* Launches with a block of arguments of the size that the kernel takes. `max_workgroup_size` is the kernel's if it is 0. */
fly_status fly_kernel_launch(const fly_kernel *kernel, const fly_launch *launch, fly_stream stream);
/* Launches with `count` values of `sizes` bytes each, in the order of the parameters; `arguments` of the launch is not
 * looked at. At most FLY_MAX_ARGUMENT_BYTES. */
#define FLY_MAX_ARGUMENT_BYTES 4096
fly_status fly_kernel_launch_values(const fly_kernel *kernel, const fly_launch *launch, fly_stream stream, uint32_t count,
                                    const void *const *values, const size_t *sizes);

/* Sets the calling thread's error text; returns `status`. */
fly_status fly_refuse(fly_status status, const char *format, ...) FLY_PRINTF(2, 3);
/* For a precondition: `fault` of its evaluation (0: it is false), its text, then its parameters' values ("n = 6"). */
fly_status fly_refuse_requirement(const char *kernel, int fault, const char *requirement, const char *values, ...)
    FLY_PRINTF(4, 5);

#ifdef __cplusplus
}
#endif
#endif
