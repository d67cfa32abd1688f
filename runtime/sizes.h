/* The rules for grids, workgroups and dynamic LDS that the runtime, `flyc test` and `flyc run` have in common. */
#ifndef FLY_SIZES_H
#define FLY_SIZES_H

#include <fly/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* FLY_ERROR_ARGUMENT, and a text for fly_error(), where HIP could not launch such sizes, or not all of it. */
fly_status fly_check_sizes(const char *module, const char *kernel, const fly_launch *launch);

#ifdef __cplusplus
}
#endif

#endif
