/* Arithmetic of launch expressions (grid, block, preconditions) in generated headers: integers are mathematical,
 * computed in 64 bits, and what does not fit is a fault instead of a wrong grid; `//` and `%` floor.
 *
 *     int fault = 0;
 *     int64_t blocks = fly_expr_ceil_div(&fault, n, 256);      on a fault the value is 0 and the first fault stays
 *
 * Functions of one row of fly::host::ExprOp each; the JSON metadata and `flyc test` evaluate the same trees. */
#ifndef FLY_EXPRESSION_H
#define FLY_EXPRESSION_H

#include <stdint.h>

enum { FLY_FAULT_OVERFLOW = 1, FLY_FAULT_DIVISION = 2, FLY_FAULT_SHIFT = 3 };

static inline int64_t fly_expr_fault(int *fault, int kind) {
  if (*fault == 0)
    *fault = kind;
  return 0;
}

static inline int64_t fly_expr_add(int *fault, int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? fly_expr_fault(fault, FLY_FAULT_OVERFLOW) : result;
}
static inline int64_t fly_expr_sub(int *fault, int64_t a, int64_t b) {
  int64_t result;
  return __builtin_sub_overflow(a, b, &result) ? fly_expr_fault(fault, FLY_FAULT_OVERFLOW) : result;
}
static inline int64_t fly_expr_mul(int *fault, int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? fly_expr_fault(fault, FLY_FAULT_OVERFLOW) : result;
}
static inline int64_t fly_expr_neg(int *fault, int64_t a) { return fly_expr_sub(fault, 0, a); }
static inline int64_t fly_expr_abs(int *fault, int64_t a) { return a < 0 ? fly_expr_neg(fault, a) : a; }
static inline int64_t fly_expr_floor_div(int *fault, int64_t a, int64_t b) {
  if (b == 0)
    return fly_expr_fault(fault, FLY_FAULT_DIVISION);
  if (b == -1)
    return fly_expr_neg(fault, a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static inline int64_t fly_expr_ceil_div(int *fault, int64_t a, int64_t b) {
  if (b == 0)
    return fly_expr_fault(fault, FLY_FAULT_DIVISION);
  if (b == -1)
    return fly_expr_neg(fault, a);
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}
static inline int64_t fly_expr_mod(int *fault, int64_t a, int64_t b) {
  int64_t result;
  if (b == 0)
    return fly_expr_fault(fault, FLY_FAULT_DIVISION);
  if (b == -1)
    return 0;
  result = a % b;
  return result != 0 && (result < 0) != (b < 0) ? result + b : result;
}
static inline int64_t fly_expr_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t fly_expr_max(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t fly_expr_shl(int *fault, int64_t a, int64_t b) {
  if (b < 0)
    return fly_expr_fault(fault, FLY_FAULT_SHIFT);
  if (a == 0)
    return 0;
  return b > 62 ? fly_expr_fault(fault, FLY_FAULT_OVERFLOW) : fly_expr_mul(fault, a, (int64_t)1 << b);
}
static inline int64_t fly_expr_shr(int *fault, int64_t a, int64_t b) {
  if (b < 0)
    return fly_expr_fault(fault, FLY_FAULT_SHIFT);
  return a >> (b > 63 ? 63 : b);
}
/* Functions, so that a compiler does not warn of a comparison that a narrow parameter's type decides. */
static inline int fly_expr_lt(int64_t a, int64_t b) { return a < b; }
static inline int fly_expr_le(int64_t a, int64_t b) { return a <= b; }
static inline int fly_expr_gt(int64_t a, int64_t b) { return a > b; }
static inline int fly_expr_ge(int64_t a, int64_t b) { return a >= b; }
static inline int fly_expr_eq(int64_t a, int64_t b) { return a == b; }
static inline int fly_expr_ne(int64_t a, int64_t b) { return a != b; }
/* Adds a part of `bytes` to a workspace of `*total`: where it begins, a multiple of 256. */
static inline int64_t fly_expr_workspace(int *fault, int64_t *total, int64_t bytes) {
  int64_t begin = fly_expr_mul(fault, fly_expr_ceil_div(fault, *total, 256), 256);
  *total = bytes < 0 ? fly_expr_fault(fault, FLY_FAULT_OVERFLOW) : fly_expr_add(fault, begin, bytes);
  return begin;
}
/* A u64 parameter: values beyond 2^63 - 1 do not fit. */
static inline int64_t fly_expr_u64(int *fault, uint64_t a) {
  return a > (uint64_t)INT64_MAX ? fly_expr_fault(fault, FLY_FAULT_OVERFLOW) : (int64_t)a;
}

/* Floats, without the mathematics library; doubles beyond 2^52 are whole. */
static inline double fly_expr_float_floor(double a) {
  double whole;
  if (!(a > -4503599627370496.0 && a < 4503599627370496.0))
    return a;
  whole = (double)(int64_t)a;
  return whole > a ? whole - 1.0 : whole == a ? a : whole; /* keeps the sign of zero */
}
static inline double fly_expr_float_div(double a, double b) { return a / b; }
static inline double fly_expr_float_floor_div(double a, double b) { return fly_expr_float_floor(a / b); }
static inline double fly_expr_float_ceil_div(double a, double b) { return -fly_expr_float_floor(-(a / b)); }
/* A product of its own, so that no compiler fuses it with what is added to it. */
static inline double fly_expr_float_mul(double a, double b) { return a * b; }
static inline double fly_expr_float_mod(double a, double b) {
  return a - fly_expr_float_mul(b, fly_expr_float_floor(a / b));
}
static inline double fly_expr_float_min(double a, double b) { return a != a ? b : b != b || a < b ? a : b; }
static inline double fly_expr_float_max(double a, double b) { return a != a ? b : b != b || a > b ? a : b; }
static inline double fly_expr_float_abs(double a) { return a <= 0 ? 0.0 - a : a; }

#endif
