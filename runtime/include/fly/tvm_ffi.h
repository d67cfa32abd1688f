/* The part of the C ABI of Apache TVM's FFI that sources of `flyc build --emit=tvm-ffi` use. A function of a library is
 *
 *     int __tvm_ffi_softmax(void *self, const fly_ffi_any *arguments, int32_t count, fly_ffi_any *result)
 *
 * The declarations are written from the documented ABI of apache-tvm-ffi 0.1 (looked at: 0.1.1 to 0.1.10) and of DLPack
 * 1.1; each says where the fact is from. Do not include this file together with tvm/ffi/c_api.h. The functions whose
 * names begin with TVMFFI are in libtvm_ffi, which Python's tvm_ffi has loaded for all others before it loads a module;
 * a library need not be linked with it. C99. */
#ifndef FLY_TVM_FFI_H
#define FLY_TVM_FFI_H

#include "fly/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FLY_FFI_EXPORT __attribute__((visibility("default")))
#else
#define FLY_FFI_EXPORT
#endif

/* --- The ABI ------------------------------------------------------------------------------------------------------- */

/* dlpack.h: DLDevice and DLDeviceType, DLDataType, DLTensor. PyTorch says ROCm, CuPy may say CUDA for the same memory. */
enum { FLY_DL_CPU = 1, FLY_DL_CUDA = 2, FLY_DL_ROCM = 10 };
typedef struct fly_dl_device {
  int32_t type, id;
} fly_dl_device;
typedef struct fly_dl_type {
  uint8_t code, bits; /* code: 0 signed, 1 unsigned, 2 IEEE, 4 bf16, 6 bool, 10 and more formats of 8 bits and fewer */
  uint16_t lanes;
} fly_dl_type;
typedef struct fly_dl_tensor {
  void *data;
  fly_dl_device device;
  int32_t ndim;
  fly_dl_type dtype;
  int64_t *shape, *strides; /* in elements; strides may be null: row-major without gaps */
  uint64_t byte_offset;     /* of the first element, from `data` */
} fly_dl_tensor;

/* tvm/ffi/c_api.h: TVMFFITypeIndex. */
enum {
  FLY_FFI_NONE = 0,
  FLY_FFI_INT = 1,
  FLY_FFI_BOOL = 2,
  FLY_FFI_FLOAT = 3,
  FLY_FFI_POINTER = 4,
  FLY_FFI_DLTENSOR = 7,     /* v_ptr is a DLTensor * */
  FLY_FFI_BYTE_ARRAY = 9,   /* v_ptr is a TVMFFIByteArray * */
  FLY_FFI_SMALL_BYTES = 12, /* in the value itself */
  FLY_FFI_BYTES = 66,       /* an object: header, TVMFFIByteArray */
  FLY_FFI_TENSOR = 70       /* an object: header, DLTensor */
};
/* c_api.h: TVMFFIObject, the header of every object. */
typedef struct fly_ffi_object {
  uint64_t reference_count;
  int32_t type_index;
  uint32_t padding;
  void (*deleter)(void *self, int flags);
} fly_ffi_object;
/* c_api.h: TVMFFIAny. */
typedef struct fly_ffi_any {
  int32_t type_index;
  uint32_t small_length; /* of small bytes; else 0 */
  union {
    int64_t as_int;
    double as_float;
    void *as_pointer;
    char as_bytes[8];
  } value;
} fly_ffi_any;
/* c_api.h: TVMFFIByteArray. */
typedef struct fly_ffi_byte_array {
  const char *data;
  size_t size;
} fly_ffi_byte_array;
FLY_STATIC_ASSERT(sizeof(fly_ffi_any) == 16, "TVMFFIAny has 16 bytes");
FLY_STATIC_ASSERT(sizeof(fly_ffi_object) == 24, "TVMFFIObject has 24 bytes");
FLY_STATIC_ASSERT(sizeof(fly_dl_tensor) == 48, "DLTensor has 48 bytes");

/* c_api.h. The error is the calling thread's; a function that has set it returns -1. */
void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);
int TVMFFIObjectDecRef(void *object);
/* tvm/ffi/extra/c_env_api.h. The stream that the caller's framework works on; a tensor from the framework's allocator. */
void *TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);
int TVMFFIEnvTensorAlloc(fly_dl_tensor *prototype, void **object);

#ifdef __cplusplus
}
#endif
#endif
