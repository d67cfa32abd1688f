// The runtime and captures: what is not loaded is refused with the reason and does no harm, what is loaded is captured
// and replayed, and cannot be unloaded until the capture is over.
#include "hip_check.h"

#include "hip_kernels.h"

#define FLY(call)                                                                                                      \
  do {                                                                                                                 \
    if ((call) != FLY_OK) {                                                                                            \
      std::printf("line %d: %s\n", __LINE__, fly_error());                                                             \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)
#define REFUSED(call) std::printf("%s: %s\n", fly_status_name(call), fly_error())

int main(int, char **argv) {
  const int n = 500;
  float *x, *y, *host;
  HIP(hipHostMalloc(reinterpret_cast<void **>(&host), n * sizeof(float), 0));
  HIP(hipMalloc(reinterpret_cast<void **>(&x), n * sizeof(float)));
  HIP(hipMalloc(reinterpret_cast<void **>(&y), n * sizeof(float)));
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  hipGraph_t graph;
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  REFUSED(hip_kernels_scale(stream, x, y, n, 2.0f));
  FLY(fly_module_load(hip_kernels_module())); // loading elsewhere does not disturb the capture
  HIP(hipMemcpyAsync(x, host, n * sizeof(float), hipMemcpyHostToDevice, stream));
  FLY(hip_kernels_scale(stream, x, y, n, 2.0f));
  REFUSED(fly_module_unload(hip_kernels_module()));
  fly_object *object;
  const fly_kernel *kernel;
  FLY(fly_object_open(&object, argv[1]));
  FLY(fly_object_kernel(object, "scale", &kernel));
  fly_launch launch = {{2, 1, 1}, {256, 1, 1}, 0, 0, nullptr, 0};
  float factor = 3.0f;
  const void *values[] = {&y, &y, &n, &factor};
  const size_t sizes[] = {8, 8, 4, 4};
  FLY(fly_kernel_launch_values(kernel, &launch, stream, 4, values, sizes));
  REFUSED(fly_object_close(object));
  HIP(hipMemcpyAsync(host, y, n * sizeof(float), hipMemcpyDeviceToHost, stream));
  HIP(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t run;
  HIP(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < n; ++i)
      host[i] = static_cast<float>(i + round);
    HIP(hipGraphLaunch(run, stream));
    HIP(hipStreamSynchronize(stream));
    for (int i = 0; i < n; ++i)
      EXPECT(host[i] == 3.0f * (2.0f * static_cast<float>(i + round) + 1.0f) + 1.0f);
  }
  HIP(hipGraphExecDestroy(run));
  FLY(fly_object_close(object));
  FLY(fly_module_unload(hip_kernels_module()));
  FLY(hip_kernels_scale(stream, x, y, n, 2.0f)); // loads it again
  FLY(fly_synchronize());
  std::puts("captures: good");
}
