/* The functions of fly/expression.h as symbols. */
#include "fly/expression.h"

#define UNARY(name)                                                                                                    \
  int64_t test_##name(int *fault, int64_t a) { return fly_expr_##name(fault, a); }
#define BINARY(name)                                                                                                   \
  int64_t test_##name(int *fault, int64_t a, int64_t b) { return fly_expr_##name(fault, a, b); }
#define PLAIN(name)                                                                                                    \
  int64_t test_##name(int *fault, int64_t a, int64_t b) {                                                              \
    (void)fault;                                                                                                       \
    return fly_expr_##name(a, b);                                                                                      \
  }
#define FLOAT(name)                                                                                                    \
  double test_float_##name(double a, double b) { return fly_expr_float_##name(a, b); }

/* clang-format off */
UNARY(neg) UNARY(abs)
BINARY(add) BINARY(sub) BINARY(mul) BINARY(floor_div) BINARY(ceil_div) BINARY(mod) BINARY(shl) BINARY(shr)
PLAIN(min) PLAIN(max) PLAIN(lt) PLAIN(le) PLAIN(gt) PLAIN(ge) PLAIN(eq) PLAIN(ne)
FLOAT(div) FLOAT(floor_div) FLOAT(ceil_div) FLOAT(mod) FLOAT(min) FLOAT(max)
