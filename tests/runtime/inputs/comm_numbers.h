// Numbers whose sums over the ranks bf16 has exactly, and the all-reduce of so many ranks.
#pragma once

#include "all_reduce.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

inline fly_bf16 narrow(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  fly_bf16 result;
  result.bits = uint16_t(bits >> 16);
  return result;
}

inline int number(size_t i, int rank, int round) {
  return int((i * 7 + i / 31 + size_t(rank) * 13 + size_t(round) * 5) % 31) - 15;
}

inline std::vector<fly_bf16> numbers(size_t n, int rank, int round) {
  std::vector<fly_bf16> all(n);
  for (size_t i = 0; i < n; ++i)
    all[i] = narrow(float(number(i, rank, round)));
  return all;
}

inline void expect_sum(const std::vector<fly_bf16> &found, int world, int round, int times = 1) {
  for (size_t i = 0; i < found.size(); ++i) {
    int sum = 0;
    for (int r = 0; r < world; ++r)
      sum += number(i, r, round);
    if (found[i].bits != narrow(float(sum * times)).bits) {
      std::printf("round %d: element %zu has bits %04x, and must be %d\n", round, i, found[i].bits, sum * times);
      std::exit(1);
    }
  }
}

inline fly_status all_reduce(fly_stream stream, const void *x, const void *temporary, const void *signals,
                             fly_bf16 *out, fly_bf16 *own, int rank, int n, int world) {
  return (world == 2   ? all_reduce_all_reduce_2
          : world == 4 ? all_reduce_all_reduce_4
                       : all_reduce_all_reduce_8)(stream, x, temporary, signals, out, own, rank, n);
}
