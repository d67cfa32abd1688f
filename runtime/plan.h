/* The expressions of a plan: their values and their words. */
#ifndef FLY_RUNTIME_PLAN_H
#define FLY_RUNTIME_PLAN_H

#include "fly/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One evaluation. */
typedef struct fly_plan_run {
  const fly_plan *plan;
  fly_value *memo;
  unsigned char *known; /* whether the value of a node is in `memo` */
  const void *const *values;
  int64_t compute_units;
  int fault; /* the first one; see fly/expression.h */
} fly_plan_run;

/* Begins an evaluation: nothing is known. */
void fly_plan_begin(fly_plan_run *run, const fly_plan *plan, const void *const *values, const fly_plan_room *room);
/* Computes a node that is not known yet; of a float the bits are returned. */
int64_t fly_plan_compute(fly_plan_run *run, uint32_t node);

static inline int fly_plan_kind(const fly_plan_run *run, uint32_t node) {
  return run->plan->nodes[node].kind & FLY_PLAN_KIND;
}
/* The value of a node that is no float; 0 if there is a fault. */
static inline int64_t fly_plan_integer_of(fly_plan_run *run, uint32_t node) {
  return run->known[node] ? run->memo[node].integer : fly_plan_compute(run, node);
}
/* The same of any node: its value, converted to an integer, or whether it is not zero. */
static inline fly_value fly_plan_value(fly_plan_run *run, uint32_t node) {
  if (!run->known[node])
    fly_plan_compute(run, node);
  return run->memo[node];
}
static inline int64_t fly_plan_integer(fly_plan_run *run, uint32_t node) {
  const fly_value value = fly_plan_value(run, node);
  return fly_plan_kind(run, node) == FLY_PLAN_FLOAT ? (int64_t)value.number : value.integer;
}
static inline int fly_plan_holds(fly_plan_run *run, uint32_t node) {
  const fly_value value = fly_plan_value(run, node);
  return fly_plan_kind(run, node) == FLY_PLAN_FLOAT ? value.number != 0 : value.integer != 0;
}
/* FLY_ERROR_REQUIREMENT: the fault, or that `text` is required (NULL: the node in words). Ends the evaluation. */
fly_status fly_plan_refuse(fly_plan_run *run, const char *label, uint32_t node, const char *text);

#ifdef __cplusplus
}
#endif
#endif
