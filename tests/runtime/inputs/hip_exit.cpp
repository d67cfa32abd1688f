// A program that ends with work under way, and frees its memory in a destructor after that.
#include "hip_check.h"

#include <thread>

static struct Late {
  float *x = nullptr;
  hipStream_t stream = nullptr;
  ~Late() {
    (void)hipMemsetAsync(x, 0, 64, stream);
    (void)hipStreamSynchronize(stream);
    (void)hipStreamDestroy(stream);
    (void)hipFree(x);
    std::puts("exit: good");
  }
} late;

int main(int, char **argv) {
  Scale scale(argv[1]);
  HIP(hipMalloc(reinterpret_cast<void **>(&late.x), 4096));
  HIP(hipStreamCreate(&late.stream));
  for (int i = 0; i < 100; ++i)
    HIP(scale.launch(late.x, late.x, 1000, 1.0f, late.stream));
}
