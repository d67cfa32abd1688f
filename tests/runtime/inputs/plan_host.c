/* What plans refuse, in which words, and that a refused launch did nothing: plan.h of plan.fly. With another header, from two
 * translation units of a program, in C11 and C++17. */
#include "launch.h"
#include "plan.h"

#include <stdio.h>

#ifdef SECOND
#ifdef __cplusplus
extern "C"
#endif
    fly_status second(int32_t *y);
fly_status second(int32_t *y) { return plan_guarded(NULL, y, 3, 1); }
#else

#ifdef __cplusplus
extern "C"
#endif
    fly_status second(int32_t *y);

static int32_t *y;
static void show(const char *what, fly_status status) {
  int32_t values[3] = {7, 7, 7};
  fly_copy_to_host(values, y, sizeof values);
  printf("%s: %s%s%s; y[2] = %d\n", what, fly_status_name(status), status ? ": " : "", status ? fly_error() : "",
         (int)values[2]);
  fly_copy_to_device(y, memset(values, 0, sizeof values), sizeof values);
}

int main(void) {
  size_t bytes = 1;
  fly_status status;
  if (fly_malloc((void **)&y, 4096) || fly_fill_zero(y, 4096, NULL))
    return 1;
  show("guarded, 3 // 1", plan_guarded(NULL, y, 3, 1));
  show("guarded, 3 // 0", plan_guarded(NULL, y, 3, 0));
  show("unguarded, 3 // 1", plan_unguarded(NULL, y, 3, 1));
  show("unguarded, 3 // 0", plan_unguarded(NULL, y, 3, 0));
  show("argument, 3 % 2", plan_argument(NULL, y, 3, 2));
  show("argument, 3 % 0", plan_argument(NULL, y, 3, 0));
  show("large, 4", plan_large(NULL, y, 3, 4));
  show("large, 2^63", plan_large(NULL, y, 3, UINT64_C(1) << 63));
  show("negative", plan_guarded(NULL, y, -3, 1));
  show("null", plan_guarded(NULL, NULL, 3, 1));
  show("null and empty", plan_guarded(NULL, NULL, 0, 1));
  status = plan_part_workspace_bytes(&bytes, 3, 1);
  printf("bytes: %d, 2^%d\n", (int)status, bytes == (size_t)1 << 42 ? 42 : -1);
  show("part, overflow", plan_part_workspace_bytes(&bytes, 3, INT64_C(1) << 40));
  show("part, 2^62 bytes", plan_part(NULL, NULL, y, 3, INT64_C(1) << 20));
  show("another file", second(y));
  {
    const void *values[3] = {NULL, NULL, NULL};
    const fly_plan_room room = {NULL, NULL, NULL, NULL, NULL};
    fly_plan newer = *fly_plan_of_plan_guarded();
    newer.version += 1;
    show("newer", fly_plan_launch(plan_module(), &newer, "guarded", values, &room, NULL, NULL));
  }
  return 0;
}
#endif
