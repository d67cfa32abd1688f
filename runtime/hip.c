/* Finding and opening a HIP library.
 *
 *   1. FLY_HIP_LIBRARY, if set, and nothing else;
 *   2. libamdhip64, newest version first, unless FLY_DEVICE=emulator; taken if it opens and has a device;
 *   3. libfly_hip_emulated.so, unless FLY_DEVICE=gpu: next to the runtime's own file, next to the program,
 *      in ../lib of either, where CMake found it, then wherever the dynamic loader looks.
 *
 * The device's architecture is in hipDeviceProp_t, whose layout changed between ROCm 5 and 6 and keeps growing: the
 * structure is filled into a large zeroed buffer and searched for the name ("gfx942:sramecc+:xnack-"), which no
 * other field looks like. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "hip.h"
#include "trace.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PROPERTIES_BYTES = 1 << 14, TEXT_BYTES = 2048, PATH_BYTES = 4096 };

static fly_hip table;
static fly_status open_status;
static char open_error[TEXT_BYTES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A short reason, kept for the message when nothing opens at all. */
static void note(const char *library, const char *reason) {
  size_t used = strlen(open_error);
  size_t repeated = strlen(library); /* the loader's reason may begin with the library's name */
  if (strncmp(reason, library, repeated) == 0 && strncmp(reason + repeated, ": ", 2) == 0)
    reason += repeated + 2;
  if (used + 8 < sizeof open_error)
    snprintf(open_error + used, sizeof open_error - used, "%s%s: %s", used ? "; " : "", library, reason);
}

static int is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

static int read_architecture(fly_hip *hip, int device) {
  static char properties[PROPERTIES_BYTES]; /* inside pthread_once */
  char *found = properties;
  size_t length = 0;
  memset(properties, 0, sizeof properties);
  if (hip->get_device_properties(properties, device) != 0)
    return 0;
  for (; found < properties + sizeof properties - 32; ++found) {
    if (memcmp(found, "gfx", 3) != 0 || !is_hex(found[3]))
      continue;
    for (length = 3; length < sizeof hip->architecture[0] - 1 && is_hex(found[length]);)
      ++length;
    memcpy(hip->architecture[device], found, length);
    hip->architecture[device][length] = 0;
    return 1;
  }
  return 0;
}

/* Fills the table; returns 0 with a note if the library lacks a function or has no device. */
static int use(const char *library) {
  const char *missing = NULL;
  char reason[128];
  int device, error;
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  memset(&table, 0, sizeof table);
  if (!handle) {
    const char *told = dlerror();
    note(library, told ? told : "cannot be opened");
    return 0;
  }
#define X(name, symbol, parameters)                                                                                    \
  *(void **)&table.name = dlsym(handle, #symbol);                                                                      \
  if (!table.name && !missing)                                                                                         \
    missing = #symbol;
  FLY_HIP_FUNCTIONS(X)
#undef X
#define X(name, symbol, parameters) *(void **)&table.name = dlsym(handle, #symbol);
  FLY_HIP_OPTIONAL_FUNCTIONS(X)
#undef X
  *(void **)&table.get_error_string = dlsym(handle, "hipGetErrorString");
  *(void **)&table.get_device_properties = dlsym(handle, "hipGetDevicePropertiesR0600");
  if (!table.get_device_properties)
    *(void **)&table.get_device_properties = dlsym(handle, "hipGetDeviceProperties");
  if (!table.get_error_string && !missing)
    missing = "hipGetErrorString";
  if (!table.get_device_properties && !missing)
    missing = "hipGetDeviceProperties";
  if (missing) {
    snprintf(reason, sizeof reason, "lacks the HIP entry point %s", missing);
    note(library, reason);
    dlclose(handle);
    return 0;
  }
  error = table.init(0);
  if (error == 0)
    error = table.get_device_count(&table.device_count);
  if (error != 0 || table.device_count < 1) {
    const char *told = error ? table.get_error_string(error) : NULL;
    note(library, told ? told : "no device"); /* stays open: ROCm libraries do not support being closed */
    return 0;
  }
  if (table.device_count > FLY_MAX_DEVICES)
    table.device_count = FLY_MAX_DEVICES;
  for (device = 0; device < table.device_count; ++device)
    if (!read_architecture(&table, device)) {
      note(library, "does not report the architecture of a device");
      return 0;
    }
  snprintf(table.library, sizeof table.library, "%s", library);
  return 1;
}

static int use_emulated_beside(const char *file) {
  static const char *const folders[] = {"", "../lib/"};
  char path[PATH_BYTES];
  const char *slash = strrchr(file, '/');
  size_t i;
  if (!slash)
    return 0;
  for (i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
    int length = snprintf(path, sizeof path, "%.*s/%slibfly_hip_emulated.so", (int)(slash - file), file, folders[i]);
    if (length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0 && use(path))
      return 1;
  }
  return 0;
}

/* Where CMake found it, in programs that use its target Fly::runtime (include/fly/runtime.h). */
extern const char fly_emulated_hip[] __attribute__((weak));

static int use_emulated(void) {
  char program[PATH_BYTES];
  Dl_info self;
  ssize_t length;
  if (dladdr((void *)&table, &self) && self.dli_fname && use_emulated_beside(self.dli_fname))
    return 1;
  length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length > 0) {
    program[length] = 0;
    if (use_emulated_beside(program))
      return 1;
  }
  if (fly_emulated_hip && access(fly_emulated_hip, R_OK) == 0 && use(fly_emulated_hip))
    return 1;
  return use("libfly_hip_emulated.so");
}

static int open_any(void) {
  static const char *const libraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};
  const char *chosen = getenv("FLY_HIP_LIBRARY"), *device = getenv("FLY_DEVICE");
  int gpu = 1, emulator = 1;
  size_t i;
  if (chosen && *chosen)
    return use(chosen);
  if (device && *device) {
    gpu = strcmp(device, "gpu") == 0;
    emulator = strcmp(device, "emulator") == 0;
    if (!gpu && !emulator) {
      note("FLY_DEVICE", "must be `gpu` or `emulator`");
      return 0;
    }
  }
  for (i = 0; gpu && i < sizeof libraries / sizeof libraries[0]; ++i)
    if (use(libraries[i]))
      return 1;
  return emulator && use_emulated();
}

static void open_once(void) {
  open_status = open_any() ? FLY_OK : FLY_ERROR_NO_DEVICE;
  if (open_status == FLY_OK)
    fly_trace_open();
}

fly_status fly_hip_open(const fly_hip **hip) {
  pthread_once(&once, open_once);
  *hip = &table;
  if (open_status != FLY_OK)
    return fly_refuse(open_status, "no device to run on: %s", open_error);
  return FLY_OK;
}

fly_status fly_hip_failed(const fly_hip *hip, fly_status status, const char *what, int error) {
  const char *text = hip->get_error_string(error);
  size_t length;
  if (!text)
    text = "unknown error";
  if (error == FLY_HIP_ILLEGAL_ADDRESS || error == FLY_HIP_LAUNCH_FAILURE)
    status = FLY_ERROR_LAUNCH; /* any call after it may report that a kernel failed */
  length = strlen(text);
  while (length && text[length - 1] == '\n') /* the emulator's report is lines */
    --length;
  return fly_refuse(status, "%s: %.*s (HIP error %d)", what, (int)length, text, error);
}
