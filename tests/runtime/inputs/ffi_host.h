/* What libtvm_ffi is to a library that it loads, for ffi_host.c: the four functions that generated sources call; and
 * tensors in memory of a device. The library is found with dlopen, as tvm_ffi.load_module does. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fly/tvm_ffi.h"

static char raised[1200]; /* "kind: text" */
static int32_t asked_type, asked_device;
static fly_stream streams[2];
static int allocations, releases;

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  snprintf(raised, sizeof raised, "%s: %s", kind, message);
}

void *TVMFFIEnvGetStream(int32_t device_type, int32_t device_id) {
  asked_type = device_type;
  asked_device = device_id;
  return streams[device_id];
}

typedef struct Object {
  fly_ffi_object header;
  fly_dl_tensor tensor;
  int64_t shape[4], strides[4];
} Object;

int TVMFFIEnvTensorAlloc(fly_dl_tensor *prototype, void **object) {
  Object *made = (Object *)calloc(1, sizeof(Object));
  if (prototype->ndim != 1 || prototype->dtype.code != 1 || prototype->dtype.bits != 8 || prototype->data)
    return -1;
  made->tensor = *prototype;
  made->shape[0] = prototype->shape[0];
  made->tensor.shape = made->shape;
  made->tensor.strides = NULL;
  if (fly_malloc(&made->tensor.data, (size_t)made->shape[0]) != FLY_OK)
    return -1;
  ++allocations;
  *object = made;
  return 0;
}

int TVMFFIObjectDecRef(void *object) {
  Object *made = (Object *)object;
  fly_stream_synchronize(streams[made->tensor.device.id]); /* a framework's allocator works in the stream's order */
  fly_free(made->tensor.data);
  free(made);
  ++releases;
  return 0;
}

static void require(int holds, const char *what) {
  if (holds)
    return;
  printf("failed: %s: %s | %s\n", what, raised, fly_error());
  exit(1);
}

/* A tensor on device `device`; its elements from `content`, or poison. */
static Object *tensor(int device, int code, int bits, int ndim, const int64_t *shape, const int64_t *strides,
                      size_t bytes, const void *content) {
  Object *made = (Object *)calloc(1, sizeof(Object));
  int d, before = 0;
  made->header.reference_count = 1;
  made->header.type_index = FLY_FFI_TENSOR;
  made->tensor.device.type = FLY_DL_ROCM;
  made->tensor.device.id = device;
  made->tensor.ndim = ndim;
  made->tensor.dtype.code = (uint8_t)code;
  made->tensor.dtype.bits = (uint8_t)bits;
  made->tensor.dtype.lanes = 1;
  made->tensor.shape = made->shape;
  made->tensor.strides = strides ? made->strides : NULL;
  for (d = 0; d < ndim; ++d) {
    made->shape[d] = shape[d];
    made->strides[d] = strides ? strides[d] : 0;
  }
  require(fly_get_device(&before) == FLY_OK && fly_set_device(device) == FLY_OK &&
              fly_malloc(&made->tensor.data, bytes ? bytes : 1) == FLY_OK &&
              (content ? fly_copy_to_device(made->tensor.data, content, bytes)
                       : fly_fill(made->tensor.data, 0xA5, bytes ? bytes : 1, NULL)) == FLY_OK &&
              fly_synchronize() == FLY_OK && fly_set_device(before) == FLY_OK,
          "memory");
  return made;
}

/* Brings the bytes of a tensor back. */
static void fetch(void *to, const Object *from, size_t bytes) {
  require(fly_stream_synchronize(streams[from->tensor.device.id]) == FLY_OK &&
              fly_copy_to_host(to, (char *)from->tensor.data + from->tensor.byte_offset, bytes) == FLY_OK,
          "fetch");
}

/* Values: as objects, or as bare DLTensors. */
static fly_ffi_any object(Object *given) {
  fly_ffi_any value = {FLY_FFI_TENSOR, 0, {0}};
  value.value.as_pointer = given;
  return value;
}
static fly_ffi_any bare(Object *given) {
  fly_ffi_any value = {FLY_FFI_DLTENSOR, 0, {0}};
  value.value.as_pointer = &given->tensor;
  return value;
}
static fly_ffi_any integer(int64_t number) {
  fly_ffi_any value = {FLY_FFI_INT, 0, {0}};
  value.value.as_int = number;
  return value;
}
static fly_ffi_any boolean(int number) {
  fly_ffi_any value = {FLY_FFI_BOOL, 0, {0}};
  value.value.as_int = number;
  return value;
}
static fly_ffi_any floating(double number) {
  fly_ffi_any value = {FLY_FFI_FLOAT, 0, {0}};
  value.value.as_float = number;
  return value;
}
static fly_ffi_any none(void) {
  fly_ffi_any value = {FLY_FFI_NONE, 0, {0}};
  return value;
}
static fly_ffi_any address(void *pointer) {
  fly_ffi_any value = {FLY_FFI_POINTER, 0, {0}};
  value.value.as_pointer = pointer;
  return value;
}
static fly_ffi_any bytes(fly_ffi_byte_array *array) {
  fly_ffi_any value = {FLY_FFI_BYTE_ARRAY, 0, {0}};
  value.value.as_pointer = array;
  return value;
}
static fly_ffi_any small_bytes(const void *data, uint32_t size) {
  fly_ffi_any value = {FLY_FFI_SMALL_BYTES, 0, {0}};
  value.small_length = size;
  memcpy(value.value.as_bytes, data, size);
  return value;
}

typedef int (*Function)(void *self, const fly_ffi_any *arguments, int32_t count, fly_ffi_any *result);
static void *library;

static int call(const char *name, const fly_ffi_any *arguments, int32_t count) {
  char symbol[100];
  fly_ffi_any result = {FLY_FFI_NONE, 0, {0}};
  Function function;
  void *found;
  snprintf(symbol, sizeof symbol, "__tvm_ffi_%s", name);
  found = dlsym(library, symbol);
  require(found != NULL, symbol);
  memcpy(&function, &found, sizeof function);
  raised[0] = 0;
  asked_device = -1;
  return function(NULL, arguments, count, &result);
}

/* Prints why a call was refused. */
static void refused(const char *name, const fly_ffi_any *arguments, int32_t count) {
  require(call(name, arguments, count) == -1, "not refused");
  printf("%s\n", raised);
}
