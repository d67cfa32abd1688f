/* The common part of all launches: checking sizes against the limits of HIP and the kernel, and the call. Nothing is
 * allocated. */
#include "loaded.h"

fly_status fly_check_sizes(const char *module, const char *kernel, const fly_launch *launch) {
  static const char axes[] = "xyz";
  int64_t threads = 1;
  int i;
  for (i = 0; i < 3; ++i) {
    if (launch->block[i] < 1 || launch->block[i] > 1024)
      return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: block.%c must be from 1 to 1024, got %lld", module, kernel, axes[i],
                        (long long)launch->block[i]);
    if (launch->grid[i] < 0 || launch->grid[i] > INT32_MAX)
      return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: grid.%c must be from 0 to %d, got %lld", module, kernel, axes[i],
                        INT32_MAX, (long long)launch->grid[i]);
    if (launch->grid[i] * launch->block[i] > (int64_t)UINT32_MAX)
      return fly_refuse(FLY_ERROR_ARGUMENT,
                        "%s.%s: %lld workgroups of %lld threads in %c; must be fewer than 2^32 "
                        "threads",
                        module, kernel, (long long)launch->grid[i], (long long)launch->block[i], axes[i]);
    threads *= launch->block[i];
  }
  if (threads > launch->max_workgroup_size)
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: a workgroup of %lld threads; the kernel was compiled for at most %u",
                      module, kernel, (long long)threads, (unsigned)launch->max_workgroup_size);
  if (launch->dynamic_lds < 0 || launch->dynamic_lds > INT32_MAX)
    return fly_refuse(FLY_ERROR_ARGUMENT, "%s.%s: %lld bytes of dynamic LDS", module, kernel,
                      (long long)launch->dynamic_lds);
  return FLY_OK;
}

fly_status fly_queue(const fly_hip *hip, void *function, const char *kernel, const fly_launch *launch,
                     fly_stream stream) {
  size_t bytes = launch->argument_bytes;
  void *extra[5];
  int error;
  if (launch->grid[0] == 0 || launch->grid[1] == 0 || launch->grid[2] == 0)
    return FLY_OK;
  extra[0] = FLY_HIP_ARGUMENT_BUFFER;
  extra[1] = (void *)(uintptr_t)launch->arguments;
  extra[2] = FLY_HIP_ARGUMENT_SIZE;
  extra[3] = &bytes;
  extra[4] = FLY_HIP_ARGUMENT_END;
  error = hip->module_launch_kernel(function, (unsigned)launch->grid[0], (unsigned)launch->grid[1],
                                    (unsigned)launch->grid[2], (unsigned)launch->block[0], (unsigned)launch->block[1],
                                    (unsigned)launch->block[2], (unsigned)launch->dynamic_lds, stream, NULL, extra);
  return error ? fly_hip_failed(hip, FLY_ERROR_LAUNCH, kernel, error) : FLY_OK;
}
