/* Reads lines "d FORMAT BITS" and "e FORMAT SATURATE BITS-OF-FLOAT", and answers each with bits. */
#include "fly/numbers.h"

#include <stdio.h>

int main(void) {
  char kind;
  unsigned number, bits;
  int saturate;
  while (scanf(" %c", &kind) == 1) {
    float value;
    if (kind == 'd') {
      if (scanf("%u %u", &number, &bits) != 2)
        return 1;
      value = fly_to_f32((fly_number)number, bits);
      memcpy(&bits, &value, sizeof bits);
      printf("%u\n", bits);
    } else {
      if (scanf("%u %d %u", &number, &saturate, &bits) != 3)
        return 1;
      memcpy(&value, &bits, sizeof value);
      printf("%u\n", (unsigned)fly_from_f32((fly_number)number, value, saturate));
    }
  }
  return 0;
}
