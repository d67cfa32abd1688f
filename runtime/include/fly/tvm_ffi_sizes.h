/* Sizes of tensors in a call through Apache TVM's FFI: compared with what their parameters declare, and read where a
 * scalar was left out. C99. */
#ifndef FLY_TVM_FFI_SIZES_H
#define FLY_TVM_FFI_SIZES_H

#include "fly/tvm_ffi_arguments.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline int64_t fly_ffi_stride(const fly_dl_tensor *tensor, int32_t dimension) {
  int64_t stride = 1;
  int32_t i;
  int fault = 0;
  if (tensor->strides)
    return tensor->strides[dimension];
  for (i = tensor->ndim - 1; i > dimension; --i)
    stride = fly_expr_mul(&fault, stride, tensor->shape[i]);
  return stride;
}

/* The number of a scalar: as given, or else from the first tensor that tells it. The stride of a dimension with one
 * element tells nothing, so it is looked at last. */
static inline int fly_ffi_derive(const fly_ffi_call *call, int32_t index, const fly_ffi_source *sources, int32_t count,
                                 int64_t least, int64_t most, int64_t *number) {
  int32_t i, pass;
  if (call->values[index])
    return fly_ffi_integer(call, index, least, most, number);
  for (pass = 0; pass < 2; ++pass)
    for (i = 0; i < count; ++i) {
      const fly_ffi_source *source = &sources[i];
      const fly_dl_tensor *tensor = call->tensors[source->tensor];
      int32_t dimension;
      int fault = 0;
      if (!tensor)
        continue;
      dimension = tensor->ndim == source->modes ? source->mode : source->leaf;
      if (source->is_stride && pass == 0 && tensor->shape[dimension] <= 1)
        continue;
      *number = source->is_stride ? fly_ffi_stride(tensor, dimension) : tensor->shape[dimension];
      if (source->packed_bits && fly_ffi_unit(tensor) != source->packed_bits)
        *number = fly_expr_mul(&fault, *number, fly_ffi_unit(tensor)) / source->packed_bits;
      return fly_ffi_range(call, index, least, most, *number);
    }
  return fly_ffi_fail("TypeError", "%s: `%s` is left out, but no tensor tells it", call->function,
                      call->parameters[index].name);
}

/* The sizes of a tensor as its parameter declares them, in elements: `leaves` numbers of each mode. */
typedef struct fly_ffi_sizes {
  int32_t modes;
  const uint8_t *leaves;
  const int64_t *extents, *strides; /* of all leaves; those of a mode from the fastest */
} fly_ffi_sizes;

/* What a dimension of a tensor must be. A mode whose leaves do not lie at one distance has no stride (`*has_stride`). */
static inline void fly_ffi_dimension(const fly_ffi_sizes *sizes, int by_leaf, int32_t dimension, int64_t *extent,
                                     int64_t *stride, int *has_stride) {
  int32_t mode, first = 0, i;
  int fault = 0;
  *has_stride = 1;
  if (by_leaf) {
    *extent = sizes->extents[dimension];
    *stride = sizes->strides[dimension];
    return;
  }
  for (mode = 0; mode < dimension; ++mode)
    first += sizes->leaves[mode];
  *extent = 1;
  *stride = sizes->strides[first];
  for (i = first; i < first + sizes->leaves[dimension]; ++i) {
    if (sizes->extents[i] == 1)
      continue;
    if (*extent == 1)
      *stride = sizes->strides[i];
    else if (sizes->strides[i] != fly_expr_mul(&fault, *stride, *extent) || fault)
      *has_stride = 0;
    fault = 0;
    *extent = fly_expr_mul(&fault, *extent, sizes->extents[i]);
    if (fault)
      *extent = -1; /* no tensor has that */
  }
}

/* Whether each place up to the last is an element, each once. */
static inline int fly_ffi_is_dense(const fly_ffi_sizes *sizes) {
  int64_t last = 0, count = 1;
  int32_t mode, i, leaves = 0;
  int fault = 0;
  for (mode = 0; mode < sizes->modes; ++mode)
    leaves += sizes->leaves[mode];
  for (i = 0; i < leaves; ++i) {
    last = fly_expr_add(&fault, last, fly_expr_mul(&fault, sizes->extents[i] - 1, sizes->strides[i]));
    count = fly_expr_mul(&fault, count, sizes->extents[i]);
  }
  return !fault && last + 1 == count;
}

/* Whether a dimension counts bytes of elements that share them. */
static inline int fly_ffi_is_packed(const fly_dl_tensor *tensor, const fly_ffi_elements *type, int by_leaf,
                                    int32_t dimension, int64_t stride) {
  return type->packed_mode >= 0 && fly_ffi_unit(tensor) != type->bits &&
         (by_leaf ? stride == 1 : dimension == type->packed_mode);
}

/* "`x` must have the shape (5, 252), not (5, 251)"; `strides`: or the strides. */
static inline int fly_ffi_differs(const fly_ffi_call *call, int32_t index, const fly_ffi_elements *type,
                                  const fly_ffi_sizes *sizes, int strides) {
  const fly_dl_tensor *tensor = call->tensors[index];
  const int by_leaf = tensor->ndim != sizes->modes;
  char text[2][256];
  int side;
  for (side = 0; side < 2; ++side) {
    size_t used = 0;
    int32_t d;
    text[side][0] = 0;
    for (d = 0; d < tensor->ndim && used < sizeof text[side]; ++d) {
      int64_t extent, stride, shown;
      int has_stride;
      fly_ffi_dimension(sizes, by_leaf, d, &extent, &stride, &has_stride);
      shown = strides ? stride : extent;
      if (type->packed_mode >= 0 &&
          strides != fly_ffi_is_packed(tensor, type, by_leaf, d, stride)) /* the others' strides count bytes */
        shown = shown * type->bits / fly_ffi_unit(tensor);
      if (side == 1)
        shown = strides ? fly_ffi_stride(tensor, d) : tensor->shape[d];
      used += (size_t)snprintf(text[side] + used, sizeof text[side] - used, d ? ", %lld" : "%lld", (long long)shown);
    }
  }
  return fly_ffi_fail("ValueError", "%s: `%s` must have the %s (%s%s), not (%s%s)", call->function,
                      call->parameters[index].name, strides ? "strides" : "shape", text[0],
                      tensor->ndim == 1 ? "," : "", text[1], tensor->ndim == 1 ? "," : "");
}

/* Compares a tensor with what its parameter declares. A tensor with a dimension for each mode, some of whose modes have
 * no stride (shuffled weights), must be row-major without gaps: its bytes lie in the declared order already. */
static inline int fly_ffi_fits(const fly_ffi_call *call, int32_t index, const fly_ffi_elements *type,
                               const fly_ffi_sizes *sizes) {
  const fly_dl_tensor *tensor = call->tensors[index];
  int32_t d;
  int by_leaf, is_empty = 0, is_strided = 1;
  int64_t unit, compact = 1;
  if (!tensor)
    return 0;
  by_leaf = tensor->ndim != sizes->modes;
  unit = fly_ffi_unit(tensor);
  for (d = 0; d < tensor->ndim; ++d) {
    int64_t extent, stride;
    int has_stride, fault = 0;
    fly_ffi_dimension(sizes, by_leaf, d, &extent, &stride, &has_stride);
    if (fly_ffi_is_packed(tensor, type, by_leaf, d, stride)
            ? fly_expr_mul(&fault, extent, type->bits) != fly_expr_mul(&fault, tensor->shape[d], unit) || fault
            : extent != tensor->shape[d])
      return fly_ffi_differs(call, index, type, sizes, 0);
    is_empty |= extent == 0;
    is_strided &= has_stride;
  }
  if (is_empty)
    return 0;
  if (!is_strided && !fly_ffi_is_dense(sizes))
    return fly_ffi_fail("ValueError",
                        "%s: `%s` is divided and has gaps: give it a dimension for each number of its layout",
                        call->function, call->parameters[index].name);
  for (d = tensor->ndim - 1; d >= 0; --d) {
    const int64_t found = fly_ffi_stride(tensor, d);
    int64_t extent, stride;
    int has_stride, fault = 0;
    fly_ffi_dimension(sizes, by_leaf, d, &extent, &stride, &has_stride);
    if (!is_strided) {
      if (tensor->shape[d] != 1 && found != compact)
        return fly_ffi_fail("ValueError",
                            "%s: `%s` must be row-major without gaps: its elements lie in an order of their own",
                            call->function, call->parameters[index].name);
      compact = fly_expr_mul(&fault, compact, tensor->shape[d]);
      continue;
    }
    if (tensor->shape[d] == 1)
      continue;
    if (type->packed_mode >= 0 && !fly_ffi_is_packed(tensor, type, by_leaf, d, stride)
            ? fly_expr_mul(&fault, stride, type->bits) != fly_expr_mul(&fault, found, unit) || fault
            : stride != found)
      return fly_ffi_differs(call, index, type, sizes, 1);
  }
  return 0;
}

#ifdef __cplusplus
}
#endif
#endif
