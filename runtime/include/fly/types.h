/* The element types of tensors that C and C++ have no type for, so that a pointer to f32 is refused where a kernel takes
 * bf16.
 *
 * Each is HIP's type if HIP's header of it was included before (hip/hip_fp16.h, hip/hip_bf16.h, hip/hip_fp8.h, in C++);
 * else a struct of its bits. Size and alignment are the same. Formats with several elements in a byte have no type;
 * tensors of them are `void *`. */
#ifndef FLY_TYPES_H
#define FLY_TYPES_H

#include <stdint.h>

#if defined(__cplusplus) && defined(HIP_INCLUDE_HIP_AMD_DETAIL_HIP_FP16_H)
typedef __half fly_f16;
#else
typedef struct fly_f16 {
  uint16_t bits;
} fly_f16;
#endif

#if defined(__cplusplus) && defined(_HIP_INCLUDE_HIP_AMD_DETAIL_HIP_BF16_H_)
typedef __hip_bfloat16 fly_bf16;
#else
typedef struct fly_bf16 {
  uint16_t bits;
} fly_bf16;
#endif

/* ROCm 6.2 has the FNUZ types alone, without these macros. */
#if defined(__cplusplus) && defined(_HIP_INCLUDE_HIP_AMD_DETAIL_HIP_FP8_H_) && defined(HIP_FP8_TYPE_OCP) &&            \
    HIP_FP8_TYPE_OCP
typedef __hip_fp8_e4m3 fly_f8E4M3FN;
typedef __hip_fp8_e5m2 fly_f8E5M2;
#else
typedef struct fly_f8E4M3FN {
  uint8_t bits;
} fly_f8E4M3FN;
typedef struct fly_f8E5M2 {
  uint8_t bits;
} fly_f8E5M2;
#endif

#if defined(__cplusplus) && defined(_HIP_INCLUDE_HIP_AMD_DETAIL_HIP_FP8_H_) &&                                         \
    (!defined(HIP_FP8_TYPE_FNUZ) || HIP_FP8_TYPE_FNUZ)
typedef __hip_fp8_e4m3_fnuz fly_f8E4M3FNUZ;
typedef __hip_fp8_e5m2_fnuz fly_f8E5M2FNUZ;
#else
typedef struct fly_f8E4M3FNUZ {
  uint8_t bits;
} fly_f8E4M3FNUZ;
typedef struct fly_f8E5M2FNUZ {
  uint8_t bits;
} fly_f8E5M2FNUZ;
#endif

/* A scale: 2^(bits - 127); 255 is NaN. */
typedef struct fly_f8E8M0FNU {
  uint8_t bits;
} fly_f8E8M0FNU;

#endif
