/* A HIP library for the runtime's own tests: two devices, launches recorded to the file FAKE_HIP_LOG, failures on
 * request (FAKE_HIP_FAIL=entry point). It runs nothing. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread int current;
static int loads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int fails(const char *entry) {
  const char *wish = getenv("FAKE_HIP_FAIL");
  return wish && strcmp(wish, entry) == 0;
}
static void record(const char *line) {
  const char *path = getenv("FAKE_HIP_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (file) {
    fprintf(file, "%s\n", line);
    fclose(file);
  }
}

int hipInit(unsigned flags) { return (int)flags; }
int hipGetDeviceCount(int *count) {
  *count = fails("hipGetDeviceCount") ? 0 : 2;
  return 0;
}
int hipGetDevice(int *device) {
  *device = current;
  return 0;
}
int hipSetDevice(int device) {
  if (device < 0 || device > 1)
    return 101;
  current = device;
  return 0;
}
int hipGetDeviceProperties(char *properties, int device) {
  strcpy(properties, "Some GPU");
  strcpy(properties + 1160, device == 0                 ? "gfx942:sramecc+:xnack-"
                            : getenv("FAKE_HIP_SECOND") ? getenv("FAKE_HIP_SECOND")
                                                        : "gfx1201");
  return 0;
}
int hipModuleLoadData(void **module, const void *image) {
  char line[64];
  if (fails("hipModuleLoadData") || !image)
    return 200;
  pthread_mutex_lock(&lock);
  snprintf(line, sizeof line, "load %d on %d", ++loads, current);
  record(line);
  pthread_mutex_unlock(&lock);
  *module = malloc(1);
  return 0;
}
int hipModuleUnload(void *module) {
  free(module);
  record("unload");
  return 0;
}
int hipModuleGetFunction(void **function, void *module, const char *name) {
  (void)module;
  if (strcmp(name, "missing") == 0)
    return 500;
  *function = (void *)(uintptr_t)name;
  return 0;
}
int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **parameters, void **extra) {
  char line[256];
  size_t size = *(size_t *)extra[3];
  int n = 0;
  (void)parameters;
  if (fails("hipModuleLaunchKernel"))
    return 719;
  if (size >= 28)
    memcpy(&n, (char *)extra[1] + 24, 4);
  snprintf(line, sizeof line, "%s grid %u %u %u block %u %u %u lds %u stream %d bytes %d n %d", (const char *)function,
           gx, gy, gz, bx, by, bz, shared, stream != NULL, (int)size, n);
  record(line);
  return 0;
}
int hipMalloc(void **pointer, size_t bytes) { return (*pointer = malloc(bytes)) ? 0 : 2; }
int hipFree(void *pointer) {
  free(pointer);
  return 0;
}
int hipMemcpy(void *to, const void *from, size_t bytes, int kind) {
  (void)kind;
  memcpy(to, from, bytes);
  return 0;
}
int hipMemsetAsync(void *to, int value, size_t bytes, void *stream) {
  char line[64];
  (void)to;
  snprintf(line, sizeof line, "fill %d bytes %d stream %d", value, (int)bytes, stream != NULL);
  record(line);
  return 0;
}
int hipDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 63 ? 304 : 0;
  return 0;
}
int hipDeviceSynchronize(void) { return 0; }
const char *hipGetErrorString(int error) { return error == 719 ? "the kernel failed" : "some error"; }
