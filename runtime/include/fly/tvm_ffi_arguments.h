/* Arguments of a call through Apache TVM's FFI, as sources of `flyc build --emit=tvm-ffi` read them: which belongs to
 * which parameter, and what kind, element type and device it has. A mistake sets the error and returns -1. C99. */
#ifndef FLY_TVM_FFI_ARGUMENTS_H
#define FLY_TVM_FFI_ARGUMENTS_H

#include <stdarg.h>
#include <stdio.h>

#include "fly/tvm_ffi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fly_ffi_parameter {
  const char *name;
  int is_derived; /* follows from the tensors: may be left out */
} fly_ffi_parameter;

/* One call. `values` and `tensors` are by parameter; null: none. */
typedef struct fly_ffi_call {
  const char *function;
  const fly_ffi_parameter *parameters;
  int32_t count;
  const fly_ffi_any **values;
  const fly_dl_tensor **tensors;
  fly_dl_device device; /* of the tensors */
  int32_t device_of;    /* the first of them; -1: none */
  int previous;         /* the device to go back to; -1: stays */
  void *workspace;      /* allocated for this call; null: none */
} fly_ffi_call;

/* How many bits an element has, and which of the modes counts elements that may share bytes: -1 if they do not. */
typedef struct fly_ffi_elements {
  uint8_t code, bits;
  int as_bits; /* integers of the same size are taken, too */
  int32_t packed_mode;
} fly_ffi_elements;

/* Where the number of a scalar can be read: in an extent or a stride of a tensor. */
typedef struct fly_ffi_source {
  int32_t tensor, modes, mode, leaf, is_stride; /* modes: of the tensor; a dimension is one of them, or a leaf */
  int32_t packed_bits;                          /* of an element, if the dimension may count bytes; else 0 */
} fly_ffi_source;

static inline int fly_ffi_fail(const char *kind, const char *format, ...) FLY_PRINTF(2, 3);
static inline int fly_ffi_fail(const char *kind, const char *format, ...) {
  char text[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  TVMFFIErrorSetRaisedFromCStr(kind, text);
  return -1;
}

static inline const char *fly_ffi_kind(const fly_ffi_any *value) {
  switch (value ? value->type_index : FLY_FFI_NONE) {
  case FLY_FFI_NONE: return "None";
  case FLY_FFI_INT: return "an integer";
  case FLY_FFI_BOOL: return "a bool";
  case FLY_FFI_FLOAT: return "a float";
  case FLY_FFI_POINTER: return "an address";
  case FLY_FFI_DLTENSOR:
  case FLY_FFI_TENSOR: return "a tensor";
  case FLY_FFI_BYTE_ARRAY:
  case FLY_FFI_SMALL_BYTES:
  case FLY_FFI_BYTES: return "bytes";
  default: return "something else";
  }
}

/* Sorts the arguments by parameter: all of them, or all but those that follow from the tensors. */
static inline int fly_ffi_arguments(fly_ffi_call *call, const fly_ffi_any *given, int32_t count) {
  int32_t i, next = 0, least = 0;
  for (i = 0; i < call->count; ++i)
    least += !call->parameters[i].is_derived;
  if (count != call->count && count != least)
    return least == call->count ? fly_ffi_fail("TypeError", "%s: it takes %d arguments, not %d", call->function,
                                               (int)call->count, (int)count)
                                : fly_ffi_fail("TypeError",
                                               "%s: it takes %d arguments, or %d without those that follow "
                                               "from the tensors, not %d",
                                               call->function, (int)call->count, (int)least, (int)count);
  for (i = 0; i < call->count; ++i) {
    const int left_out = count != call->count && call->parameters[i].is_derived;
    call->values[i] = left_out || given[next].type_index == FLY_FFI_NONE ? NULL : &given[next];
    call->tensors[i] = NULL;
    next += !left_out;
  }
  return 0;
}

static inline const fly_dl_tensor *fly_ffi_dl_tensor(const fly_ffi_any *value) {
  if (!value || (value->type_index != FLY_FFI_DLTENSOR && value->type_index != FLY_FFI_TENSOR))
    return NULL;
  return (const fly_dl_tensor *)(const void *)((const char *)value->value.as_pointer +
                                               (value->type_index == FLY_FFI_TENSOR ? sizeof(fly_ffi_object) : 0));
}

static inline void *fly_ffi_data(const fly_dl_tensor *tensor) {
  return tensor && tensor->data ? (char *)tensor->data + tensor->byte_offset : NULL;
}

/* Memory of a device that kernels run on, the same one for all tensors. */
static inline int fly_ffi_same_device(fly_ffi_call *call, int32_t index, const fly_dl_tensor *tensor) {
  const char *name = call->parameters[index].name;
  if (tensor->device.type == FLY_DL_CPU)
    return fly_ffi_fail("ValueError",
                        "%s: `%s` is in memory of the CPU, which kernels do not reach; move it to the device",
                        call->function, name);
  if (tensor->device.type != FLY_DL_ROCM && tensor->device.type != FLY_DL_CUDA)
    return fly_ffi_fail("ValueError", "%s: `%s` is on a device of type %d, not 10 (ROCm)", call->function, name,
                        (int)tensor->device.type);
  if (call->device_of < 0) {
    call->device = tensor->device;
    call->device_of = index;
  }
  if (tensor->device.type != call->device.type || tensor->device.id != call->device.id)
    return fly_ffi_fail("ValueError", "%s: `%s` is on device %d of type %d, but `%s` on device %d of type %d",
                        call->function, name, (int)tensor->device.id, (int)tensor->device.type,
                        call->parameters[call->device_of].name, (int)call->device.id, (int)call->device.type);
  return 0;
}

/* The bits that the dimensions count: those of an element, or a byte. */
static inline int64_t fly_ffi_unit(const fly_dl_tensor *tensor) {
  return (int64_t)tensor->dtype.bits * tensor->dtype.lanes;
}

static inline int fly_ffi_same_type(const fly_ffi_call *call, int32_t index, const fly_dl_tensor *tensor,
                                    const fly_ffi_elements *type, const char *wanted) {
  const fly_dl_type found = tensor->dtype;
  const int64_t bits = fly_ffi_unit(tensor);
  const int is_int = found.code <= 1 && found.lanes == 1;
  if ((found.code == type->code && (bits == type->bits || (type->bits < 8 && bits == 8))) ||
      (is_int && type->as_bits && bits == (type->bits < 8 ? 8 : type->bits)))
    return 0;
  return fly_ffi_fail("TypeError", "%s: `%s` has elements of DLPack's type (%d, %d, %d), not %s", call->function,
                      call->parameters[index].name, (int)found.code, (int)found.bits, (int)found.lanes, wanted);
}

/* A tensor, of which `fly_ffi_fits` compares the sizes later. It has a dimension for each mode, or for each leaf. None is
 * a null pointer, which the header's function refuses where it is used. */
static inline int fly_ffi_tensor(fly_ffi_call *call, int32_t index, const fly_ffi_elements *type, const char *wanted,
                                 int32_t modes, int32_t leaves) {
  const fly_ffi_any *value = call->values[index];
  const fly_dl_tensor *tensor = fly_ffi_dl_tensor(value);
  const char *name = call->parameters[index].name;
  if (!value)
    return 0;
  if (!tensor)
    return fly_ffi_fail("TypeError", "%s: `%s` is a tensor, not %s", call->function, name, fly_ffi_kind(value));
  if (fly_ffi_same_type(call, index, tensor, type, wanted) || fly_ffi_same_device(call, index, tensor))
    return -1;
  if (tensor->ndim != modes && tensor->ndim != leaves)
    return fly_ffi_fail("ValueError", "%s: `%s` has %d dimensions, not %d", call->function, name, (int)tensor->ndim,
                        (int)modes);
  call->tensors[index] = tensor;
  return 0;
}

/* An address: a tensor, whose sizes nobody knows; a pointer; or None. Without `type` the elements may be any. */
static inline int fly_ffi_pointer(fly_ffi_call *call, int32_t index, const fly_ffi_elements *type, const char *wanted,
                                  void **pointer) {
  const fly_ffi_any *value = call->values[index];
  const fly_dl_tensor *tensor = fly_ffi_dl_tensor(value);
  *pointer = NULL;
  if (!value)
    return 0;
  if (value->type_index == FLY_FFI_POINTER) {
    *pointer = value->value.as_pointer;
    return 0;
  }
  if (!tensor)
    return fly_ffi_fail("TypeError", "%s: `%s` is a tensor or an address, not %s", call->function,
                        call->parameters[index].name, fly_ffi_kind(value));
  if ((type && fly_ffi_same_type(call, index, tensor, type, wanted)) || fly_ffi_same_device(call, index, tensor))
    return -1;
  *pointer = fly_ffi_data(tensor);
  return 0;
}

static inline int fly_ffi_range(const fly_ffi_call *call, int32_t index, int64_t least, int64_t most, int64_t number) {
  if (number >= least && number <= most)
    return 0;
  return fly_ffi_fail("ValueError", "%s: `%s` must be from %lld to %lld, not %lld", call->function,
                      call->parameters[index].name, (long long)least, (long long)most, (long long)number);
}

static inline int fly_ffi_integer(const fly_ffi_call *call, int32_t index, int64_t least, int64_t most,
                                  int64_t *number) {
  const fly_ffi_any *value = call->values[index];
  *number = 0;
  if (!value || (value->type_index != FLY_FFI_INT && value->type_index != FLY_FFI_BOOL))
    return fly_ffi_fail("TypeError", "%s: `%s` is an integer, not %s", call->function, call->parameters[index].name,
                        fly_ffi_kind(value));
  *number = value->value.as_int;
  return fly_ffi_range(call, index, least, most, *number);
}

static inline int fly_ffi_float(const fly_ffi_call *call, int32_t index, double *number) {
  const fly_ffi_any *value = call->values[index];
  const int type = value ? value->type_index : FLY_FFI_NONE;
  *number = 0;
  if (type != FLY_FFI_FLOAT && type != FLY_FFI_INT && type != FLY_FFI_BOOL)
    return fly_ffi_fail("TypeError", "%s: `%s` is a number, not %s", call->function, call->parameters[index].name,
                        fly_ffi_kind(value));
  *number = type == FLY_FFI_FLOAT ? value->value.as_float : (double)value->value.as_int;
  return 0;
}

/* The nearest f32; what is too large becomes an infinity, which C leaves open. */
static inline float fly_ffi_f32(double number) {
  const double end = 3.4028235677973366e38; /* half a step above the largest */
  const double infinity = fly_expr_float_div(1.0, 0.0);
  return (float)(number >= end ? infinity : number <= -end ? -infinity : number);
}

/* The bits of a float format that C lacks, rounded once to the nearest, ties to even. The codes of NaN, of the largest
 * number and of what is larger are without the unused bits. */
typedef struct fly_ffi_format {
  int exponent_bits, mantissa_bits, bias, is_signed;
  int unused; /* low bits that hold nothing */
  uint32_t nan, largest, overflow;
} fly_ffi_format;
static inline uint32_t fly_ffi_encode(double number, const fly_ffi_format *format) {
  uint64_t raw, significand, kept, rest, half, bits;
  uint32_t sign;
  int exponent, least = 1 - format->bias, drop;
  memcpy(&raw, &number, sizeof raw);
  sign = format->is_signed && raw >> 63 ? UINT32_C(1) << (format->exponent_bits + format->mantissa_bits) : 0;
  if (number != number || (!format->is_signed && number < 0))
    return format->nan << format->unused;
  raw &= ~(UINT64_C(1) << 63);
  if (raw >= UINT64_C(0x7ff) << 52)
    return (sign | format->overflow) << format->unused;
  /* |number| = significand * 2^(exponent - 52) */
  exponent = (int)(raw >> 52) - 1023;
  significand = raw & ((UINT64_C(1) << 52) - 1);
  if (exponent == -1023)
    exponent = -1022; /* rounds to zero in every format */
  else
    significand |= UINT64_C(1) << 52;
  if (!format->is_signed)
    least = -format->bias; /* powers of two: the exponent 0 is one as well, there is no zero */
  drop = 52 - format->mantissa_bits + (exponent < least ? least - exponent : 0);
  drop = drop > 54 ? 54 : drop;
  kept = significand >> drop;
  rest = significand & ((UINT64_C(1) << drop) - 1);
  half = UINT64_C(1) << (drop - 1);
  if (!format->is_signed) {
    if (exponent < least)
      return 0;
    exponent += rest > half || (rest == half && ((exponent + format->bias) & 1));
    bits = (uint64_t)(exponent + format->bias);
    return bits > format->largest ? format->overflow : (uint32_t)bits;
  }
  kept += rest > half || (rest == half && (kept & 1));
  bits = exponent < least ? kept
                          : ((uint64_t)(exponent + format->bias) << format->mantissa_bits) + kept -
                                (UINT64_C(1) << format->mantissa_bits);
  if (bits > format->largest)
    bits = format->overflow;
  if (bits == 0 && format->nan == UINT32_C(1) << (format->exponent_bits + format->mantissa_bits))
    sign = 0; /* a format without negative zero */
  return (sign | (uint32_t)bits) << format->unused;
}

/* A struct, as the bytes that C lays out. */
static inline int fly_ffi_bytes(const fly_ffi_call *call, int32_t index, size_t size, void *to) {
  const fly_ffi_any *value = call->values[index];
  const char *data = NULL;
  size_t found = 0;
  if (value && value->type_index == FLY_FFI_SMALL_BYTES) {
    data = value->value.as_bytes;
    found = value->small_length;
  } else if (value && (value->type_index == FLY_FFI_BYTE_ARRAY || value->type_index == FLY_FFI_BYTES)) {
    const fly_ffi_byte_array *array =
        (const fly_ffi_byte_array *)(const void *)((const char *)value->value.as_pointer +
                                                   (value->type_index == FLY_FFI_BYTES ? sizeof(fly_ffi_object) : 0));
    data = array->data;
    found = array->size;
  } else {
    return fly_ffi_fail("TypeError", "%s: `%s` is a struct: bytes as in C, not %s", call->function,
                        call->parameters[index].name, fly_ffi_kind(value));
  }
  if (found != size)
    return fly_ffi_fail("ValueError", "%s: `%s` is a struct of %lld bytes, not %lld", call->function,
                        call->parameters[index].name, (long long)size, (long long)found);
  memcpy(to, data, size);
  return 0;
}

#ifdef __cplusplus
}
#endif
#endif
