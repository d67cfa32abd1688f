/* See plan.h. Nodes are computed by the functions of fly/expression.h, so a plan, the C of a kernel's own launch and
 * fly::host::evaluate agree. The words are those of fly::host::toFly, needed only where a launch is refused. */
#include "plan.h"

#include <stdio.h>

/* --- Values --- */

static fly_value constant(const fly_plan_node *node) {
  const uint64_t bits = (uint64_t)node->b << 32 | node->a;
  fly_value value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

void fly_plan_begin(fly_plan_run *run, const fly_plan *plan, const void *const *values, const fly_plan_room *room) {
  uint32_t i;
  run->plan = plan;
  run->memo = room->values;
  run->known = room->known;
  run->values = values;
  run->compute_units = 0;
  run->fault = 0;
  for (i = 0; i < plan->constant_count; ++i)
    run->memo[i] = constant(&plan->nodes[i]);
  memset(room->known, 1, plan->constant_count);
  memset(room->known + plan->constant_count, 0, plan->node_count - plan->constant_count);
}

/* A parameter of a C type `T`; `from` may be the field of a struct. */
#define LOAD(T)                                                                                                        \
  do {                                                                                                                 \
    T loaded;                                                                                                          \
    memcpy(&loaded, from, sizeof loaded);                                                                              \
    value.integer = (int64_t)loaded;                                                                                   \
    number = (double)loaded;                                                                                           \
  } while (0)

static fly_value parameter(fly_plan_run *run, const fly_plan_node *node) {
  const void *from = run->values[node->a];
  fly_value value;
  const int kind = node->kind & FLY_PLAN_KIND;
  double number = 0;
  value.integer = 0;
  if (!from)
    return value;
  switch (node->b) {
  case FLY_PLAN_B8: LOAD(bool); break;
  case FLY_PLAN_I8: LOAD(int8_t); break;
  case FLY_PLAN_U8: LOAD(uint8_t); break;
  case FLY_PLAN_I16: LOAD(int16_t); break;
  case FLY_PLAN_U16: LOAD(uint16_t); break;
  case FLY_PLAN_I32: LOAD(int32_t); break;
  case FLY_PLAN_U32: LOAD(uint32_t); break;
  case FLY_PLAN_I64: LOAD(int64_t); break;
  case FLY_PLAN_U64: {
    uint64_t loaded;
    memcpy(&loaded, from, sizeof loaded);
    number = (double)loaded;
    value.integer = kind == FLY_PLAN_INT ? fly_expr_u64(&run->fault, loaded) : loaded != 0;
    break;
  }
  case FLY_PLAN_I4:
    LOAD(uint8_t);
    number = (double)(value.integer = ((value.integer & 15) ^ 8) - 8);
    break;
  case FLY_PLAN_U4:
    LOAD(uint8_t);
    number = (double)(value.integer &= 15);
    break;
  case FLY_PLAN_F32:
  case FLY_PLAN_F64:
    if (node->b == FLY_PLAN_F64) {
      memcpy(&number, from, sizeof number);
    } else {
      float loaded;
      memcpy(&loaded, from, sizeof loaded);
      number = (double)loaded;
    }
    if (kind == FLY_PLAN_BOOL)
      value.integer = number != 0;
    else if (kind == FLY_PLAN_INT)
      value.integer = (int64_t)number;
    break;
  default: { /* an address: whether it is there */
    void *pointer;
    memcpy(&pointer, from, sizeof pointer);
    value.integer = pointer != NULL;
    number = (double)value.integer;
  }
  }
  if (kind == FLY_PLAN_FLOAT)
    value.number = number;
  else if (kind == FLY_PLAN_BOOL)
    value.integer = value.integer != 0;
  return value;
}

static fly_value floats(int *fault, unsigned operation, double a, double b) {
  fly_value value;
  switch (operation) {
  case FLY_PLAN_NEG: value.number = -a; break;
  case FLY_PLAN_ABS: value.number = fly_expr_float_abs(a); break;
  case FLY_PLAN_ADD: value.number = a + b; break;
  case FLY_PLAN_SUB: value.number = a - b; break;
  case FLY_PLAN_MUL: value.number = fly_expr_float_mul(a, b); break;
  case FLY_PLAN_DIV: value.number = fly_expr_float_div(a, b); break;
  case FLY_PLAN_FLOOR_DIV: value.number = fly_expr_float_floor_div(a, b); break;
  case FLY_PLAN_MOD: value.number = fly_expr_float_mod(a, b); break;
  case FLY_PLAN_CEIL_DIV: value.number = fly_expr_float_ceil_div(a, b); break;
  case FLY_PLAN_MIN: value.number = fly_expr_float_min(a, b); break;
  case FLY_PLAN_MAX: value.number = fly_expr_float_max(a, b); break;
  case FLY_PLAN_LT: value.integer = a < b; break;
  case FLY_PLAN_LE: value.integer = a <= b; break;
  case FLY_PLAN_GT: value.integer = a > b; break;
  case FLY_PLAN_GE: value.integer = a >= b; break;
  case FLY_PLAN_EQ: value.integer = a == b; break;
  case FLY_PLAN_NE: value.integer = a != b; break;
  default: value.integer = fly_expr_fault(fault, FLY_FAULT_OVERFLOW); /* there are no such nodes */
  }
  return value;
}

static double float_of(fly_plan_run *run, uint32_t node) {
  const fly_value value = fly_plan_value(run, node);
  return fly_plan_kind(run, node) == FLY_PLAN_FLOAT ? value.number : (double)value.integer;
}

/* A node that is a float, or has one below. */
static fly_value with_floats(fly_plan_run *run, const fly_plan_node *node) {
  fly_value value;
  switch (node->operation) {
  case FLY_PLAN_NOT: value.integer = !fly_plan_holds(run, node->a); return value;
  case FLY_PLAN_AND: value.integer = fly_plan_holds(run, node->a) && fly_plan_holds(run, node->b); return value;
  case FLY_PLAN_OR: value.integer = fly_plan_holds(run, node->a) || fly_plan_holds(run, node->b); return value;
  case FLY_PLAN_TO_FLOAT: value.number = float_of(run, node->a); return value;
  case FLY_PLAN_SELECT: {
    const uint32_t chosen = fly_plan_holds(run, node->a) ? node->b : node->c;
    const int kind = node->kind & FLY_PLAN_KIND;
    if (kind == FLY_PLAN_FLOAT)
      value.number = float_of(run, chosen);
    else
      value.integer = kind == FLY_PLAN_INT ? fly_plan_integer(run, chosen) : fly_plan_holds(run, chosen);
    return value;
  }
  default: {
    const double a = float_of(run, node->a), b = float_of(run, node->b);
    return floats(&run->fault, node->operation, a, b);
  }
  }
}

/* The left operand comes first: its fault is the one that is told. */
#define BINARY(operation, value)                                                                                       \
  case operation:                                                                                                      \
    a = fly_plan_integer_of(run, node->a);                                                                             \
    b = fly_plan_integer_of(run, node->b);                                                                             \
    result = (value);                                                                                                  \
    break

/* One jump per node: this is where the launch of a large plan spends its time. */
int64_t fly_plan_compute(fly_plan_run *run, uint32_t index) {
  const fly_plan_node *node = &run->plan->nodes[index];
  int *fault = &run->fault;
  int64_t a, b, result;
  if (node->kind & FLY_PLAN_WITH_FLOATS) {
    run->memo[index] = with_floats(run, node);
    run->known[index] = 1;
    return run->memo[index].integer;
  }
  switch (node->operation) {
  case FLY_PLAN_PARAMETER:
    run->memo[index] = parameter(run, node);
    run->known[index] = 1;
    return run->memo[index].integer;
  case FLY_PLAN_DEVICE: result = run->compute_units; break;
  case FLY_PLAN_AND: result = fly_plan_integer_of(run, node->a) && fly_plan_integer_of(run, node->b); break;
  case FLY_PLAN_OR: result = fly_plan_integer_of(run, node->a) || fly_plan_integer_of(run, node->b); break;
  case FLY_PLAN_NOT: result = !fly_plan_integer_of(run, node->a); break;
  case FLY_PLAN_SELECT:
    result = fly_plan_integer_of(run, fly_plan_integer_of(run, node->a) ? node->b : node->c);
    if ((node->kind & FLY_PLAN_KIND) == FLY_PLAN_BOOL)
      result = result != 0;
    break;
  case FLY_PLAN_NEG: result = fly_expr_neg(fault, fly_plan_integer_of(run, node->a)); break;
  case FLY_PLAN_ABS: result = fly_expr_abs(fault, fly_plan_integer_of(run, node->a)); break;
  case FLY_PLAN_INVERT:
    result = ~fly_plan_integer_of(run, node->a);
    break;
    BINARY(FLY_PLAN_ADD, fly_expr_add(fault, a, b));
    BINARY(FLY_PLAN_SUB, fly_expr_sub(fault, a, b));
    BINARY(FLY_PLAN_MUL, fly_expr_mul(fault, a, b));
    BINARY(FLY_PLAN_FLOOR_DIV, fly_expr_floor_div(fault, a, b));
    BINARY(FLY_PLAN_MOD, fly_expr_mod(fault, a, b));
    BINARY(FLY_PLAN_CEIL_DIV, fly_expr_ceil_div(fault, a, b));
    BINARY(FLY_PLAN_MIN, fly_expr_min(a, b));
    BINARY(FLY_PLAN_MAX, fly_expr_max(a, b));
    BINARY(FLY_PLAN_SHL, fly_expr_shl(fault, a, b));
    BINARY(FLY_PLAN_SHR, fly_expr_shr(fault, a, b));
    BINARY(FLY_PLAN_BIT_AND, a & b);
    BINARY(FLY_PLAN_BIT_OR, a | b);
    BINARY(FLY_PLAN_BIT_XOR, a ^ b);
    BINARY(FLY_PLAN_LT, a < b);
    BINARY(FLY_PLAN_LE, a <= b);
    BINARY(FLY_PLAN_GT, a > b);
    BINARY(FLY_PLAN_GE, a >= b);
    BINARY(FLY_PLAN_EQ, a == b);
    BINARY(FLY_PLAN_NE, a != b);
  default: result = fly_expr_fault(fault, FLY_FAULT_OVERFLOW); break; /* there are no such nodes */
  }
  run->memo[index].integer = result;
  run->known[index] = 1;
  return result;
}

/* --- Words --- */

/* How tightly something binds; an operand that binds less is bracketed. */
enum { CONDITIONAL, LOGIC_OR, LOGIC_AND, LOGIC_NOT, COMPARE, OR, XOR, AND, SHIFT, SUM, PRODUCT, SIGN, ATOM };
enum { LEAF, INFIX, PREFIX, CALL, CHOICE };
static const struct {
  const char *text;
  unsigned char notation, binding;
} words[] = {
    {"", LEAF, ATOM},
    {"", LEAF, ATOM},
    {"", LEAF, ATOM},
    {"", LEAF, ATOM},
    {"", LEAF, ATOM},
    {"-", PREFIX, SIGN},
    {"not ", PREFIX, LOGIC_NOT},
    {"~", PREFIX, SIGN},
    {"f64", CALL, ATOM},
    {"abs", CALL, ATOM},
    {"+", INFIX, SUM},
    {"-", INFIX, SUM},
    {"*", INFIX, PRODUCT},
    {"/", INFIX, PRODUCT},
    {"//", INFIX, PRODUCT},
    {"%", INFIX, PRODUCT},
    {"ceil_div", CALL, ATOM},
    {"min", CALL, ATOM},
    {"max", CALL, ATOM},
    {"<<", INFIX, SHIFT},
    {">>", INFIX, SHIFT},
    {"&", INFIX, AND},
    {"|", INFIX, OR},
    {"^", INFIX, XOR},
    {"<", INFIX, COMPARE},
    {"<=", INFIX, COMPARE},
    {">", INFIX, COMPARE},
    {">=", INFIX, COMPARE},
    {"==", INFIX, COMPARE},
    {"!=", INFIX, COMPARE},
    {"and", INFIX, LOGIC_AND},
    {"or", INFIX, LOGIC_OR},
    {"", CHOICE, CONDITIONAL},
};

/* Texts of any length; what goes beyond MOST_WORDS is cut, as the texts in a header are. */
enum { MOST_WORDS = 500 };
typedef struct writing {
  char text[MOST_WORDS + 1];
  size_t used;
} writing;

static void put(writing *to, const char *text) {
  size_t size = strlen(text);
  if (size > MOST_WORDS - to->used)
    size = MOST_WORDS - to->used;
  memcpy(to->text + to->used, text, size);
  to->used += size;
  to->text[to->used] = 0;
}

static void put_node(writing *to, const fly_plan *plan, uint32_t index, int at_least) {
  const fly_plan_node *node = &plan->nodes[index];
  int binding = words[node->operation].binding;
  const char *text = words[node->operation].text;
  const int is_leaf = words[node->operation].notation == LEAF;
  char number[32];
  if (to->used == MOST_WORDS)
    return;
  if (node->operation == FLY_PLAN_INT_CONSTANT || node->operation == FLY_PLAN_FLOAT_CONSTANT)
    if (constant(node).integer < 0) /* the sign of a float is the same bit */
      binding = SIGN;
  if (binding < at_least)
    put(to, "(");
  switch (words[node->operation].notation) {
  case INFIX: /* from left to right; comparisons are no chains */
    put_node(to, plan, node->a, binding + (binding == COMPARE));
    put(to, " ");
    put(to, text);
    put(to, " ");
    put_node(to, plan, node->b, binding + 1);
    break;
  case PREFIX:
    put(to, text);
    put_node(to, plan, node->a, binding);
    break;
  case CALL:
    put(to, text);
    put(to, "(");
    put_node(to, plan, node->a, CONDITIONAL);
    if (node->operation != FLY_PLAN_ABS && node->operation != FLY_PLAN_TO_FLOAT) {
      put(to, ", ");
      put_node(to, plan, node->b, CONDITIONAL);
    }
    put(to, ")");
    break;
  case CHOICE:
    put_node(to, plan, node->b, binding + 1);
    put(to, " if ");
    put_node(to, plan, node->a, binding + 1);
    put(to, " else ");
    put_node(to, plan, node->c, binding);
    break;
  default: break;
  }
  if (is_leaf && node->operation == FLY_PLAN_INT_CONSTANT)
    snprintf(number, sizeof number, "%lld", (long long)constant(node).integer);
  if (is_leaf)
    put(to, node->operation == FLY_PLAN_INT_CONSTANT    ? number
            : node->operation == FLY_PLAN_BOOL_CONSTANT ? (node->a ? "True" : "False")
                                                        : plan->texts[node->c]);
  if (binding < at_least)
    put(to, ")");
}

/* "n = 6": how the value of a parameter is told; false: it is not told. */
static int put_value(char *text, size_t size, const fly_plan_run *run, const fly_plan_node *node) {
  const char *name = run->plan->texts[node->c];
  fly_plan_node number = *node;
  fly_plan_run alone = *run;
  if (node->b == FLY_PLAN_ADDRESS || node->b == FLY_PLAN_I4 || node->b == FLY_PLAN_U4 || !run->values[node->a])
    return 0;
  if (node->b == FLY_PLAN_U64) {
    uint64_t value;
    memcpy(&value, run->values[node->a], sizeof value);
    snprintf(text, size, "%s = %llu", name, (unsigned long long)value);
  } else if (node->b == FLY_PLAN_F32 || node->b == FLY_PLAN_F64) {
    number.kind = FLY_PLAN_FLOAT;
    snprintf(text, size, node->b == FLY_PLAN_F32 ? "%s = %.9g" : "%s = %.17g", name, parameter(&alone, &number).number);
  } else {
    number.kind = FLY_PLAN_INT;
    snprintf(text, size, "%s = %lld", name, (long long)parameter(&alone, &number).integer);
  }
  return 1;
}

/* The values of the parameters of a node, in the order of the parameters. Marks the nodes below it. */
static void put_values(char *text, size_t size, fly_plan_run *run, uint32_t node) {
  const fly_plan *plan = run->plan;
  uint64_t next = 0;
  size_t used = 0;
  uint32_t i;
  memset(run->known, 0, plan->node_count);
  run->known[node] = 1;
  for (i = node + 1; i-- > 0;) {
    const fly_plan_node *at = &plan->nodes[i];
    if (!run->known[i] || words[at->operation].notation == LEAF)
      continue;
    run->known[at->a] = run->known[at->b] = 1;
    if (at->operation == FLY_PLAN_SELECT)
      run->known[at->c] = 1;
  }
  text[0] = 0;
  for (;;) {
    const fly_plan_node *first = NULL;
    for (i = 0; i <= node; ++i)
      if (run->known[i] && plan->nodes[i].operation == FLY_PLAN_PARAMETER && plan->nodes[i].a >= next &&
          (!first || plan->nodes[i].a < first->a))
        first = &plan->nodes[i];
    if (!first)
      return;
    next = (uint64_t)first->a + 1;
    if (used + 3 < size) {
      const size_t comma = used ? 2 : 0;
      memcpy(text + used, ", ", comma);
      if (put_value(text + used + comma, size - used - comma, run, first))
        used += comma + strlen(text + used + comma);
      else
        text[used] = 0;
    }
  }
}

fly_status fly_plan_refuse(fly_plan_run *run, const char *label, uint32_t node, const char *text) {
  char values[512];
  writing shown;
  shown.used = 0;
  shown.text[0] = 0;
  if (!text) {
    put(&shown, "`");
    put_node(&shown, run->plan, node, CONDITIONAL);
    put(&shown, "`");
  }
  put_values(values, sizeof values, run, node);
  return fly_refuse_requirement(label, run->fault, text ? text : shown.text, "%s", values);
}
