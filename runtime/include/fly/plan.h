/* Plans: what a `@launch` function does, as tables. A generated header has a fly_plan for each of its launch functions,
 * and functions with typed parameters that hand their addresses to the two functions below.
 *
 *     nodes      the expressions, each operation on the same operands once: node 7 = node 3 + node 5
 *     checks     preconditions: a node that must not be zero
 *     parts      of the workspace
 *     arguments  what is put where into a kernel's block of arguments
 *     steps      launches and fillings, each under a condition
 *     bodies     lists of these for an architecture; architectures with the same plan have the same body
 *
 * Nodes are computed where they are first needed, once in a launch. What `and`, `or` and `if` do not look at is not
 * computed, so that it cannot fail. Everything is evaluated and checked before the first step is launched. Nothing is
 * allocated. C99 and C++; flyc writes these tables, programs only include them. */
#ifndef FLY_PLAN_H
#define FLY_PLAN_H

#include "fly/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the tables. The runtime refuses those of another version. */
#define FLY_PLAN_VERSION 1u
/* Of a code object: the function is not there. */
#define FLY_PLAN_NOWHERE UINT32_MAX

/* The operations of fly::host::ExprOp, in its order. */
enum {
  FLY_PLAN_BOOL_CONSTANT,
  FLY_PLAN_INT_CONSTANT,
  FLY_PLAN_FLOAT_CONSTANT,
  FLY_PLAN_PARAMETER,
  FLY_PLAN_DEVICE,
  FLY_PLAN_NEG,
  FLY_PLAN_NOT,
  FLY_PLAN_INVERT,
  FLY_PLAN_TO_FLOAT,
  FLY_PLAN_ABS,
  FLY_PLAN_ADD,
  FLY_PLAN_SUB,
  FLY_PLAN_MUL,
  FLY_PLAN_DIV,
  FLY_PLAN_FLOOR_DIV,
  FLY_PLAN_MOD,
  FLY_PLAN_CEIL_DIV,
  FLY_PLAN_MIN,
  FLY_PLAN_MAX,
  FLY_PLAN_SHL,
  FLY_PLAN_SHR,
  FLY_PLAN_BIT_AND,
  FLY_PLAN_BIT_OR,
  FLY_PLAN_BIT_XOR,
  FLY_PLAN_LT,
  FLY_PLAN_LE,
  FLY_PLAN_GT,
  FLY_PLAN_GE,
  FLY_PLAN_EQ,
  FLY_PLAN_NE,
  FLY_PLAN_AND,
  FLY_PLAN_OR,
  FLY_PLAN_SELECT
};
/* What a node is. Booleans are integers that are 0 or 1. */
enum { FLY_PLAN_BOOL, FLY_PLAN_INT, FLY_PLAN_FLOAT };
enum { FLY_PLAN_KIND = 3, FLY_PLAN_WITH_FLOATS = 4 }; /* the kind; added: it is a float, or one of its operands is */
/* Types of parameters, and of what is stored. */
enum {
  FLY_PLAN_ADDRESS,
  FLY_PLAN_B8, /* bool */
  FLY_PLAN_I4, /* the low bits of a byte */
  FLY_PLAN_U4,
  FLY_PLAN_I8,
  FLY_PLAN_U8,
  FLY_PLAN_I16,
  FLY_PLAN_U16,
  FLY_PLAN_I32,
  FLY_PLAN_U32,
  FLY_PLAN_I64,
  FLY_PLAN_U64,
  FLY_PLAN_F32,
  FLY_PLAN_F64
};

/*                 a                       b                       c
 * a constant      low half of its bits    high half               text, of a float
 * a parameter     index                   type                    text: its name
 * device          -                       -                       text: its name
 * an operation    operands: nodes before this one */
typedef struct fly_plan_node {
  uint8_t operation, kind; /* FLY_PLAN_WITH_FLOATS is added to the kind of an operation */
  uint32_t a, b, c;
} fly_plan_node;

typedef struct fly_plan_check {
  uint32_t node;
  uint32_t text; /* what is required; 0: the node, in words */
} fly_plan_check;

typedef struct fly_plan_part {
  uint32_t node; /* bytes */
  uint32_t text; /* "the size of workspace `x`" */
} fly_plan_part;

/*                      value                   node
 * FLY_PLAN_VALUE       -                       the value, stored as `type`
 * FLY_PLAN_BITS        the bits                -
 * FLY_PLAN_PASSED      index of a parameter    0, or what is added to this pointer, in bytes
 * FLY_PLAN_WORKSPACE   which part              the same
 * FLY_PLAN_MEMBER      index of a struct       the same, to the pointer in it that begins at byte `size`
 * FLY_PLAN_NEEDED      index of a pointer      list: extents. Passes nothing; refuses a null pointer if neither these nor
 *                                              the grid are empty. `size` is the text of its name */
enum { FLY_PLAN_VALUE, FLY_PLAN_BITS, FLY_PLAN_PASSED, FLY_PLAN_WORKSPACE, FLY_PLAN_NEEDED, FLY_PLAN_MEMBER };
typedef struct fly_plan_argument {
  uint8_t from, type;
  uint32_t offset, size; /* in the block of arguments, bytes */
  uint32_t value, node;
} fly_plan_argument;

typedef struct fly_plan_step {
  uint32_t kernel;    /* of the module. FLY_STEP_FILL: fills the memory of its one argument */
  uint32_t name;      /* text: of the kernel in the source */
  uint32_t when;      /* node; 0: always */
  uint32_t checks;    /* list */
  uint32_t arguments; /* list */
  uint32_t sizes;     /* list of nodes: grid x, block x, the same for y and z, dynamic LDS; of a filling its bytes */
  uint32_t limit;     /* threads of a workgroup that the kernel was compiled for; of a filling the byte */
  uint32_t bytes;     /* of the block of arguments */
} fly_plan_step;

typedef struct fly_plan_body {
  uint32_t checks;     /* list, the function's own */
  uint32_t extents;    /* list of checks: no tensor has an extent below zero */
  uint32_t alignments; /* list, three numbers each: index of a pointer, text of its name, bytes */
  uint32_t parts;      /* list */
  uint32_t steps;      /* list */
} fly_plan_body;

typedef struct fly_plan {
  uint32_t version;        /* FLY_PLAN_VERSION */
  uint32_t asks_device;    /* 1: a node needs the number of compute units */
  uint32_t constant_count; /* the first nodes are the constants */
  uint32_t node_count;     /* node 0 stands for none */
  const uint32_t *places;  /* of each code object of the module: its body, or FLY_PLAN_NOWHERE */
  const fly_plan_node *nodes;
  const uint32_t *lists; /* a list is an index into these: its length, then its elements */
  const char *const *texts;
  const fly_plan_check *checks;
  const fly_plan_part *parts;
  const fly_plan_argument *arguments;
  const fly_plan_step *steps;
  const fly_plan_body *bodies;
} fly_plan;

/* Memory for one evaluation, on the stack of the caller. It need not be initialised. */
typedef struct fly_plan_room {
  fly_value *values;    /* of each node */
  unsigned char *known; /* of each node */
  int64_t *parts;       /* of the body with the most parts */
  /* For launches: */
  fly_step *steps;          /* of the body with the most steps */
  unsigned char *arguments; /* of all its steps, each rounded up to a multiple of 8 bytes */
} fly_plan_room;

/* `function`: its name in messages. `values`: addresses of the parameters, then of the numbers in structs; for the size of
 * the workspace, those of pointers are not looked at. */
fly_status fly_plan_workspace_bytes(fly_module *module, const fly_plan *plan, const char *function,
                                    const void *const *values, const fly_plan_room *room, size_t *bytes);
fly_status fly_plan_launch(fly_module *module, const fly_plan *plan, const char *function, const void *const *values,
                           const fly_plan_room *room, void *workspace, fly_stream stream);

#ifdef __cplusplus
}
#endif
#endif
