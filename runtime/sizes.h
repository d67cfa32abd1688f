/* Which launch a text is about, and the rules for grids, workgroups and dynamic LDS that the runtime, `flyc test` and
 * `flyc run` have in common. */
#ifndef FLY_SIZES_H
#define FLY_SIZES_H

#include <fly/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel, or a step of a launch function: "softmax.rows_f32" or "layer.attend, step 3 of 5: rmsnorm_f16". */
typedef struct fly_place {
  const char *module, *kernel; /* no kernel: a fill */
  const char *function;        /* NULL: none, or not known */
  uint32_t step, steps;        /* from 1, of those that the function's conditions take; 0: not a step */
} fly_place;

enum { FLY_PLACE_BYTES = 512 };
/* Writes that, truncated to `size` bytes including the terminating zero; returns `text`. */
char *fly_place_text(char *text, size_t size, const fly_place *place);

/* FLY_ERROR_ARGUMENT, and a text for fly_error(), where HIP could not launch such sizes, or not all of it. */
fly_status fly_check_sizes(const fly_place *place, const fly_launch *launch);

#ifdef __cplusplus
}
#endif

#endif
