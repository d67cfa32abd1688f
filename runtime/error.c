/* The calling thread's error text. */
#include "fly/runtime.h"

#include <stdarg.h>
#include <stdio.h>

enum { ERROR_BYTES = 4096 };

static __thread char error_text[ERROR_BYTES];

const char *fly_error(void) { return error_text; }

uint32_t fly_abi_version(void) { return FLY_ABI_VERSION; }

const char *fly_status_name(fly_status status) {
  static const char *const names[] = {"FLY_OK",
                                      "FLY_ERROR_NO_DEVICE",
                                      "FLY_ERROR_ARCHITECTURE",
                                      "FLY_ERROR_CODE_OBJECT",
                                      "FLY_ERROR_REQUIREMENT",
                                      "FLY_ERROR_ARGUMENT",
                                      "FLY_ERROR_MEMORY",
                                      "FLY_ERROR_LAUNCH",
                                      "FLY_ERROR_HIP",
                                      "FLY_ERROR_ABI",
                                      "FLY_ERROR_CAPTURE",
                                      "FLY_ERROR_RANK"};
  unsigned index = (unsigned)status;
  return index < sizeof names / sizeof names[0] ? names[index] : "an unknown status";
}

fly_status fly_refuse(fly_status status, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(error_text, sizeof error_text, format, values);
  va_end(values);
  return status;
}

fly_status fly_refuse_requirement(const char *kernel, int fault, const char *requirement, const char *format, ...) {
  static const char *const faults[] = {"", "integer overflow", "division by zero", "shift by a negative number"};
  int used;
  va_list values;
  if (fault > 0 && fault < (int)(sizeof faults / sizeof faults[0]))
    used = snprintf(error_text, sizeof error_text, "%s: %s in %s", kernel, faults[fault], requirement);
  else
    used = snprintf(error_text, sizeof error_text, "%s: requires %s", kernel, requirement);
  if (used > 0 && (size_t)used < sizeof error_text) {
    char text[512];
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (text[0])
      snprintf(error_text + used, sizeof error_text - (size_t)used, "; here %s", text);
  }
  return FLY_ERROR_REQUIREMENT;
}
