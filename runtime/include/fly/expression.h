/* Arithmetic for launch expressions (grid, block, preconditions) in generated headers. Integers are mathematical and
 * computed in 64 bits: a result that does not fit is a fault, not a wrong grid. `//` and `%` round down.
 *
 *     int fault = 0;
 *     int64_t blocks = fly_expr_ceil_div(&fault, n, 256);      on a fault the value is 0 and the first fault is kept
 *
 * Each function implements one row of fly::host::ExprOp. The JSON metadata and `flyc test` evaluate the same trees. */
#ifndef FLY_EXPRESSION_H
#define FLY_EXPRESSION_H

#include <stdint.h>

/* The value of an expression. */
typedef union fly_value {
  int64_t integer;
  double number;
} fly_value;

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
/* These are functions so that compilers do not warn about comparisons that a narrow parameter's type decides. */
static inline int fly_expr_lt(int64_t a, int64_t b) { return a < b; }
static inline int fly_expr_le(int64_t a, int64_t b) { return a <= b; }
static inline int fly_expr_gt(int64_t a, int64_t b) { return a > b; }
static inline int fly_expr_ge(int64_t a, int64_t b) { return a >= b; }
static inline int fly_expr_eq(int64_t a, int64_t b) { return a == b; }
static inline int fly_expr_ne(int64_t a, int64_t b) { return a != b; }
/* Appends `bytes` to a workspace of size `*total` and returns the offset at which they begin, a multiple of 256. */
static inline int64_t fly_expr_workspace(int *fault, int64_t *total, int64_t bytes) {
  int64_t begin = fly_expr_mul(fault, fly_expr_ceil_div(fault, *total, 256), 256);
  *total = bytes < 0 ? fly_expr_fault(fault, FLY_FAULT_OVERFLOW) : fly_expr_add(fault, begin, bytes);
  return begin;
}
/* Converts a u64 parameter: values above 2^63 - 1 do not fit and are a fault. */
static inline int64_t fly_expr_u64(int *fault, uint64_t a) {
  return a > (uint64_t)INT64_MAX ? fly_expr_fault(fault, FLY_FAULT_OVERFLOW) : (int64_t)a;
}

/* Floats, without the math library. Doubles beyond 2^52 are integers already. */
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
/* A separate function, so that no compiler fuses the product with an addition. */
static inline double fly_expr_float_mul(double a, double b) { return a * b; }
static inline double fly_expr_float_mod(double a, double b) {
  return a - fly_expr_float_mul(b, fly_expr_float_floor(a / b));
}
static inline double fly_expr_float_min(double a, double b) { return a != a ? b : b != b || a < b ? a : b; }
static inline double fly_expr_float_max(double a, double b) { return a != a ? b : b != b || a > b ? a : b; }
static inline double fly_expr_float_abs(double a) { return a <= 0 ? 0.0 - a : a; }

#endif
