#include "amdgcn.h"

struct node {
  const GLOBAL struct node *next;
  long value;
};

KERNEL(64) list_sum(const GLOBAL struct node *const GLOBAL *restrict heads, GLOBAL long *restrict sums, int n) {
  int i = block_id() * 64 + thread_id();
  if (i >= n)
    return;
  long sum = 0;
  ROLLED
  for (const GLOBAL struct node *node = heads[i]; node; node = node->next)
    sum += node->value;
  sums[i] = sum;
}
