/* Prints from kernels through the runtime: at synchronisation, after a kernel stopped itself, when too much came,
 * at exit. */
#include "printing.h"

#include <stdio.h>

int main(int argc, char **argv) {
  enum { N = 101 };
  int32_t host[N], *device = NULL;
  fly_status status;
  int i;
  (void)argv;
  for (i = 0; i < N; ++i)
    host[i] = 1000 + i;
  if (fly_malloc((void **)&device, sizeof host) != FLY_OK || fly_copy_to_device(device, host, sizeof host) != FLY_OK)
    return puts(fly_error()), 1;
  if (printing_check_all(NULL, device, N) != FLY_OK)
    return puts(fly_error()), 1;
  puts("launched");
  fly_synchronize();
  puts("synchronised");
  if (argc > 1) { /* a kernel that stops itself is the end of the device */
    host[70] = -5;
    fly_copy_to_device(device, host, sizeof host);
    status = printing_check_all(NULL, device, N);
    if (status == FLY_OK)
      status = fly_synchronize();
    printf("failed: %d\n", status != FLY_OK);
    return 0;
  }
  if (printing_flood(NULL, 4000) != FLY_OK)
    return puts(fly_error()), 1;
  fly_synchronize();
  puts("flooded");
  printing_flood(NULL, 1);
  puts("the end");
  return 0;
}
