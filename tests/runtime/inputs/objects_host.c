/* Code objects without a header: launched with arguments that are compared with the metadata; damaged by the
 * thousand. */
#include "fly/runtime.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
  if ((call) != FLY_OK) {                                                                                              \
    printf("line %d: %s\n", __LINE__, fly_error());                                                                    \
    return 1;                                                                                                          \
  }
#define REFUSED(call)                                                                                                  \
  do {                                                                                                                 \
    fly_status s = (call);                                                                                             \
    printf("%s: %s\n", fly_status_name(s), s == FLY_OK ? "taken" : fly_error());                                       \
  } while (0)

static unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  unsigned char *bytes = (unsigned char *)malloc(1 << 20);
  *size = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;
  if (file)
    fclose(file);
  return bytes;
}

int main(int argc, char **argv) {
  enum { N = 1000 };
  static float x[N], y[N];
  fly_object *object, *other;
  const fly_kernel *kernel, *none;
  fly_parameter p;
  fly_launch launch = {{4, 1, 1}, {256, 1, 1}, 0, 0, NULL, 0};
  fly_stream stream;
  void *dx, *dy;
  float factor = 3.0f;
  int n = N, i, wrong = 0;
  unsigned refused = 0, tried = 0;
  const void *values[4];
  size_t sizes[4] = {8, 8, 4, 4}, size, k;
  unsigned char *bytes, *copy;
  if (argc != 4 || fly_abi_version() != FLY_ABI_VERSION)
    return 2;
  CHECK(fly_object_open(&object, argv[1]))
  printf("kernels: %u, %s\n", (unsigned)fly_object_kernel_count(object), fly_object_kernel_name(object, 0));
  CHECK(fly_object_kernel(object, "scale", &kernel))
  for (i = 0; i < (int)fly_kernel_parameter_count(kernel); ++i) {
    CHECK(fly_kernel_parameter(kernel, (uint32_t)i, &p))
    printf("%u: %u bytes at %u, %s\n", (unsigned)i, (unsigned)p.size, (unsigned)p.offset, p.kind);
  }
  for (i = 0; i < N; ++i)
    x[i] = (float)i;
  CHECK(fly_malloc(&dx, sizeof x))
  CHECK(fly_malloc(&dy, sizeof y))
  CHECK(fly_copy_to_device(dx, x, sizeof x))
  CHECK(fly_stream_create(&stream))
  values[0] = &dx, values[1] = &dy, values[2] = &n, values[3] = &factor;
  CHECK(fly_kernel_launch_values(kernel, &launch, stream, 4, values, sizes))
  CHECK(fly_stream_synchronize(stream))
  CHECK(fly_copy_to_host(y, dy, sizeof y))
  for (i = 0; i < N; ++i)
    wrong += y[i] != 3.0f * (float)i + 1.0f;
  printf("wrong: %d\n", wrong);

  REFUSED(fly_kernel_launch_values(kernel, &launch, stream, 3, values, sizes));
  sizes[3] = 8;
  REFUSED(fly_kernel_launch_values(kernel, &launch, stream, 4, values, sizes));
  sizes[3] = 4, values[2] = NULL;
  REFUSED(fly_kernel_launch_values(kernel, &launch, stream, 4, values, sizes));
  launch.arguments = x, launch.argument_bytes = 28;
  REFUSED(fly_kernel_launch(kernel, &launch, stream));
  launch.argument_bytes = 24, launch.block[0] = 512;
  REFUSED(fly_kernel_launch(kernel, &launch, stream));
  REFUSED(fly_object_kernel(object, "shrink", &none));
  REFUSED(fly_object_open(&other, "/nowhere.hsaco"));
  REFUSED(fly_object_open(&other, argv[2]));
  REFUSED(fly_object_open(&other, argv[3]));
  REFUSED(fly_object_open_memory(&other, "\177ELF", 4));
  CHECK(fly_stream_destroy(stream))
  CHECK(fly_object_close(object))

  /* Every length, and a changed bit in every byte. Exact copies, so that a sanitizer sees each byte too far. */
  bytes = read_file(argv[1], &size);
  for (k = 0; k < size; ++k) {
    if (k == size - 16) /* all of it but the seal */
      continue;
    ++tried;
    copy = (unsigned char *)malloc(k + 1);
    memcpy(copy, bytes, k);
    refused += fly_object_open_memory(&other, copy, k) != FLY_OK;
    free(copy);
  }
  printf("truncated: %u of %u are refused\n", refused, tried);
  for (refused = tried = 0, k = 0; k < size; ++k, ++tried) {
    bytes[k] ^= (unsigned char)(1u << k % 8);
    refused += fly_object_open_memory(&other, bytes, size) != FLY_OK;
    bytes[k] ^= (unsigned char)(1u << k % 8);
  }
  printf("changed: %u of %u are refused\n", refused, tried);
  bytes[size - 9] = '9'; /* the version after it */
  REFUSED(fly_object_open_memory(&other, bytes, size));
  /* The same without the seal, as other compilers write them: refused or opened, but nothing else. */
  for (k = 0; k < size - 16; ++k) {
    bytes[k] ^= (unsigned char)(1u << k % 8);
    if (fly_object_open_memory(&other, bytes, size - 16) == FLY_OK && fly_object_close(other) != FLY_OK)
      printf("cannot be closed: %s\n", fly_error());
    bytes[k] ^= (unsigned char)(1u << k % 8);
  }
  CHECK(fly_object_open_memory(&other, bytes, size - 16))
  CHECK(fly_object_close(other))
  free(bytes);
  puts("good");
  return 0;
}
