/* Kernels of growing register counts and LDS, for their occupancy. */
#include "device.h"

#define USES(count, last, bytes)                                                                                       \
  KERNEL void uses_##count(GLOBAL int *out) {                                                                          \
    SHARED int memory[bytes / 4];                                                                                      \
    memory[thread_id()] = out[0];                                                                                      \
    __asm__ volatile("" ::: "v" #last);                                                                                \
    out[1] = memory[thread_id() + 1];                                                                                  \
  }
USES(24, 23, 1024)
USES(25, 24, 1024)
USES(33, 32, 2048)
USES(41, 40, 4096)
USES(65, 64, 1024)
USES(85, 84, 1024)
USES(97, 96, 1024)
USES(129, 128, 1024)
USES(200, 199, 20000)
USES(256, 255, 65536)
