/* Where the elements of a tensor lie in memory, and copies from one order to another, on the host.
 *
 * Generated headers have a function for each tensor whose modes are divided, as those of shuffled weights:
 *
 *     fly_layout rows, shuffled;
 *     const int64_t extents[] = {experts, n, k};
 *     fly_layout_rows(&rows, 8, 3, extents);                                    row after row, elements of 8 bits
 *     if (moe_moe_fp8_layout_of_w2(&shuffled, tokens, ...) != FLY_OK) ...       the scalars of the launch
 *     void *memory = malloc((size_t)fly_layout_bytes(&shuffled));
 *     fly_layout_copy(memory, &shuffled, weights, &rows);
 *
 * Both layouts have the same number of modes. What the first has beyond the extents of the second is zeros: padding.
 * C99 and C++. */
#ifndef FLY_LAYOUT_H
#define FLY_LAYOUT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fly/runtime.h"

#define FLY_LAYOUT_LEAVES 24

/* Modes are counted by one number each, of which the first leaf runs fastest. */
typedef struct fly_layout {
  uint32_t bits; /* of an element; those of less than a byte are packed, the first in the lowest bits */
  uint32_t modes;
  uint32_t leaves[FLY_LAYOUT_LEAVES];                             /* how many each mode has */
  int64_t extents[FLY_LAYOUT_LEAVES], strides[FLY_LAYOUT_LEAVES]; /* of all leaves, strides in elements */
} fly_layout;

/* Row after row: the last mode runs fastest. */
static inline void fly_layout_rows(fly_layout *layout, uint32_t bits, uint32_t modes, const int64_t *extents) {
  int64_t stride = 1;
  memset(layout, 0, sizeof *layout);
  layout->bits = bits;
  layout->modes = modes;
  for (uint32_t i = modes; i-- > 0;) {
    layout->leaves[i] = 1;
    layout->extents[i] = extents[i];
    layout->strides[i] = stride;
    stride *= extents[i];
  }
}

/* The number of coordinates of a mode. */
static inline int64_t fly_layout_extent(const fly_layout *layout, uint32_t mode) {
  uint32_t leaf = 0;
  int64_t extent = 1;
  for (uint32_t i = 0; i < mode; ++i)
    leaf += layout->leaves[i];
  for (uint32_t i = 0; i < layout->leaves[mode]; ++i)
    extent *= layout->extents[leaf + i];
  return extent;
}

/* Elements from the first to the last, gaps included. */
static inline int64_t fly_layout_elements(const fly_layout *layout) {
  uint32_t leaves = 0;
  int64_t last = 0;
  for (uint32_t i = 0; i < layout->modes; ++i)
    leaves += layout->leaves[i];
  for (uint32_t i = 0; i < leaves; ++i) {
    if (layout->extents[i] <= 0)
      return 0;
    last += (layout->extents[i] - 1) * layout->strides[i];
  }
  return last + 1;
}

static inline int64_t fly_layout_bytes(const fly_layout *layout) {
  return (fly_layout_elements(layout) * layout->bits + 7) / 8;
}

/* For fly_layout_copy: adds up where each coordinate of a mode lies, in elements, up to `count` of them. */
static inline void fly_layout_places(const fly_layout *layout, uint32_t mode, int64_t count, int64_t *places) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < mode; ++i)
    first += layout->leaves[i];
  for (int64_t c = 0; c < count; ++c) {
    int64_t rest = c, place = 0;
    for (uint32_t i = first; i < first + layout->leaves[mode]; ++i) {
      place += rest % layout->extents[i] * layout->strides[i];
      rest /= layout->extents[i];
    }
    places[c] = place;
  }
}

/* For fly_layout_copy: an element of `bits` bits, which is no whole number of bytes. */
static inline void fly_layout_copy_bits(unsigned char *to, int64_t at, const unsigned char *from, int64_t there,
                                        uint32_t bits) {
  for (uint32_t i = 0; i < bits; ++i) {
    const uint64_t t = (uint64_t)at * bits + i, f = (uint64_t)there * bits + i;
    to[t / 8] = (unsigned char)((to[t / 8] & ~(1u << t % 8)) | (unsigned)(from[f / 8] >> f % 8 & 1) << t % 8);
  }
}

/* Copies the elements of memory that lies as `from_layout` to where `to_layout` has them. All of `to` is written. */
static inline fly_status fly_layout_copy(void *to, const fly_layout *to_layout, const void *from,
                                         const fly_layout *from_layout) {
  const uint32_t modes = to_layout->modes, bits = to_layout->bits, bytes = bits / 8;
  int64_t count[FLY_LAYOUT_LEAVES], begin[FLY_LAYOUT_LEAVES], at[FLY_LAYOUT_LEAVES] = {0}, all = 0;
  if (modes == 0 || modes != from_layout->modes || bits != from_layout->bits)
    return fly_refuse(FLY_ERROR_ARGUMENT, "fly_layout_copy: %u modes of %u bits are copied from %u modes of %u bits",
                      modes, bits, from_layout->modes, from_layout->bits);
  memset(to, 0, (size_t)fly_layout_bytes(to_layout));
  for (uint32_t m = 0; m < modes; ++m) {
    count[m] = fly_layout_extent(from_layout, m);
    if (count[m] > fly_layout_extent(to_layout, m))
      return fly_refuse(FLY_ERROR_ARGUMENT, "fly_layout_copy: mode %u has %lld coordinates, %lld are copied to it", m,
                        (long long)fly_layout_extent(to_layout, m), (long long)count[m]);
    if (count[m] <= 0)
      return FLY_OK;
    begin[m] = all;
    all += count[m];
  }
  int64_t *const places = (int64_t *)malloc((size_t)all * 2 * sizeof(int64_t));
  if (!places)
    return fly_refuse(FLY_ERROR_MEMORY, "fly_layout_copy: no memory for %lld numbers", (long long)all * 2);
  for (uint32_t m = 0; m < modes; ++m) {
    fly_layout_places(to_layout, m, count[m], places + begin[m]);
    fly_layout_places(from_layout, m, count[m], places + all + begin[m]);
  }
  const int64_t *const inner = places + begin[modes - 1];
  for (;;) {
    int64_t row_to = 0, row_from = 0;
    for (uint32_t m = 0; m + 1 < modes; ++m) {
      row_to += places[begin[m] + at[m]];
      row_from += places[all + begin[m] + at[m]];
    }
    for (int64_t c = 0; c < count[modes - 1]; ++c) {
      const int64_t t = row_to + inner[c], f = row_from + inner[all + c];
      if (bits % 8 == 0)
        memcpy((unsigned char *)to + t * bytes, (const unsigned char *)from + f * bytes, bytes);
      else
        fly_layout_copy_bits((unsigned char *)to, t, (const unsigned char *)from, f, bits);
    }
    uint32_t m = modes - 1;
    while (m > 0 && ++at[m - 1] == count[m - 1])
      at[--m] = 0;
    if (m == 0)
      break;
  }
  free(places);
  return FLY_OK;
}

#endif
