/* Conversions between float and the bits of the formats of 8 and 16 bits that tensors have, for programs that prepare
 * weights or read results. C99 and C++; nothing to link.
 *
 *     y[i].bits = (uint16_t)fly_from_f32(FLY_BF16, x[i], 0);
 *     x[i] = fly_to_f32(FLY_F8E4M3FN, y[i].bits);
 *
 * Rounded to nearest even. */
#ifndef FLY_NUMBERS_H
#define FLY_NUMBERS_H

#include <stdint.h>
#include <string.h>

typedef enum fly_number {
  FLY_F16,
  FLY_BF16,
  FLY_F8E4M3FN,   /* OCP's: no infinity, 448 is the largest */
  FLY_F8E5M2,     /* OCP's: infinities and NaNs as in f16 */
  FLY_F8E4M3FNUZ, /* gfx942's: one NaN (0x80), no infinity and no -0, 240 is the largest */
  FLY_F8E5M2FNUZ  /* 57344 is the largest */
} fly_number;

typedef struct fly_number_format {
  int exponent, mantissa, bias; /* bits; bits; what is added to the exponent */
  uint32_t largest, beyond;     /* codes without the sign: the largest finite number; what a larger one becomes */
} fly_number_format;

static inline fly_number_format fly_format_of(fly_number number) {
  static const fly_number_format formats[] = {{5, 10, 15, 0x7bff, 0x7c00}, {8, 7, 127, 0x7f7f, 0x7f80},
                                              {4, 3, 7, 0x7e, 0x7f},       {5, 2, 15, 0x7b, 0x7c},
                                              {4, 3, 8, 0x7f, 0x80},       {5, 2, 16, 0x7f, 0x80}};
  return formats[number];
}

/* 2^exponent, from 2^-149 to 2^127. */
static inline float fly_power_of_two(int exponent) {
  const uint32_t bits = exponent < -126 ? 1u << (exponent + 149) : (uint32_t)(exponent + 127) << 23;
  float power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

/* The number that the low bits are. */
static inline float fly_to_f32(fly_number number, uint32_t bits) {
  const fly_number_format f = fly_format_of(number);
  const uint32_t sign = bits >> (f.exponent + f.mantissa) & 1, code = bits & ((1u << (f.exponent + f.mantissa)) - 1);
  const int exponent = (int)(code >> f.mantissa), subnormal = exponent == 0;
  const int significand = (int)(code & ((1u << f.mantissa) - 1)) + (subnormal ? 0 : 1 << f.mantissa);
  uint32_t special = 0x7fc00000; /* a NaN */
  float value = (float)significand * fly_power_of_two(exponent + subnormal - f.bias - f.mantissa);
  if (code > f.largest || (number >= FLY_F8E4M3FNUZ && sign && code == 0)) {
    if (code == f.beyond && number != FLY_F8E4M3FN)
      special = 0x7f800000; /* infinity */
    memcpy(&value, &special, sizeof value);
  }
  return sign ? -value : value;
}

/* The bits of the number nearest to `value`. What is too large becomes the largest one with `saturate`; without, infinity,
 * or NaN if there is none. A NaN stays one. */
static inline uint32_t fly_from_f32(fly_number number, float value, int saturate) {
  const fly_number_format f = fly_format_of(number);
  const int least = 1 - f.bias; /* the exponent of subnormals */
  uint32_t bits, significand, code = 0, sign;
  int exponent, shift;
  memcpy(&bits, &value, sizeof bits);
  sign = bits >> 31 << (f.exponent + f.mantissa);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) /* NaN */
    return number >= FLY_F8E4M3FNUZ ? 0x80 : sign | f.beyond | 1u << (f.mantissa - 1);
  significand = (bits & 0x7fffff) | (bits >> 23 ? 0x800000u : 0);
  exponent = (bits >> 23 ? (int)(bits >> 23) : 1) - 127;
  shift = 23 - f.mantissa + (exponent < least ? least - exponent : 0);
  if (shift < 26) {
    const uint32_t half = 1u << (shift - 1), rest = significand & ((1u << shift) - 1);
    code = significand >> shift;
    code += rest > half || (rest == half && (code & 1));
    if (exponent > least) /* a carry goes on into the exponent */
      code += (uint32_t)(exponent - least) << f.mantissa;
  }
  if (code > f.largest)
    code = saturate ? f.largest : f.beyond;
  if (number >= FLY_F8E4M3FNUZ && (code == 0 || code == f.beyond))
    return code;
  return sign | code;
}

#endif
