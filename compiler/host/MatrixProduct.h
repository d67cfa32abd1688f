// Matrix products of row-major memory, fast enough for the sizes that kernels are written for.
//
//     c[i, j] = ((0 + a[i, 0] b[0, j]) + a[i, 1] b[1, j]) + ...        a: (m, k), b: (k, n), c: (m, n)
//
// Products are added one by one in ascending k, and each product and each sum is rounded on its own. That is what
// three loops without a fused multiply-add compute, to the bit (but for the payload of a NaN). Blocking changes the
// order in which elements are visited, not the order within an element, and each element belongs to one thread. So the
// result depends neither on the number of threads nor on the machine.
#pragma once

#include "compiler/host/NumberFormat.h"

#include "compiler/host/Work.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace fly::host {

/// `count` products of the same extents.
struct ProductExtents {
  int64_t count, m, n, k;
};

/// Where the operands and the result of one product begin. No result overlaps another or an operand.
template <typename T> struct ProductPlaces {
  const T *a, *b;
  T *c;
};
template <typename T> using PlacesOfProduct = llvm::function_ref<ProductPlaces<T>(int64_t)>;

/// Adds to the results. `places(i)` is asked from several threads.
void multiplyMatrices(const ProductExtents &extents, PlacesOfProduct<double> places, const Work &work = {});

/// Exact; false if a product or a sum on the way needs more than 128 bits. `largestA` and `largestB` bound the
/// magnitudes of the operands: with small ones the same numbers are computed faster.
bool multiplyMatrices(const ProductExtents &extents, PlacesOfProduct<Int> places, unsigned __int128 largestA,
                      unsigned __int128 largestB, const Work &work = {});

} // namespace fly::host
