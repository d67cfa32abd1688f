// Blocked matrix products.
//
// The result is cut into blocks of ROWS x COLUMNS. A block is one task of one thread, which for each DEPTH of k
//
//   1. packs that part of b in slices of four columns, and that part of a in slices of four rows, so that what is
//      multiplied together lies together;
//   2. for each 4 x 4 tile of the block loads the sums so far, adds DEPTH products to each, and stores them.
//
//     a      p p+1            b     j j+1 j+2 j+3         packed a: a[i,p] a[i+1,p] a[i+2,p] a[i+3,p] a[i,p+1] ...
//       i    . .                p   .  .   .   .          packed b: b[p,j] b[p,j+1] b[p,j+2] b[p,j+3] b[p+1,j] ...
//       i+3  . .                p+1 .  .   .   .
//
// Slices at the edge are filled with zeros, and what they contribute is not stored. A packed part of a and one of b fit
// in the second level of a core's cache, two slices in the first.
#include "compiler/host/MatrixProduct.h"
#include "compiler/host/ParallelTasks.h"

#pragma STDC FP_CONTRACT OFF // a fused multiply-add would round once

namespace fly::host {

static constexpr int64_t tileSide = 4, blockRows = 128, blockColumns = 256, blockDepth = 256;

/// Below this many products, starting threads costs more than it gains.
static constexpr double productsPerThreadStart = 0x1p22;

// --- Arithmetic: how factors and sums are held, and how products are added to a tile of sums ---

namespace {
/// Floats; and integers whose sums stay below 2^53, which are exact.
struct InDoubles {
  using Factor = double;
  using Sum = double;
  using Pair = double __attribute__((vector_size(16)));
  template <typename T> static double factor(T x) { return double(x); }
  static double factor(Int x) { return double(int64_t(x)); } // it fits, and is much faster

  static bool addProducts(const double *a, const double *b, int64_t depth, double (&sums)[tileSide][tileSide]) {
    Pair left[tileSide], right[tileSide];
    for (int i = 0; i < tileSide; ++i) {
      left[i] = Pair{sums[i][0], sums[i][1]};
      right[i] = Pair{sums[i][2], sums[i][3]};
    }
    for (int64_t p = 0; p < depth; ++p, a += tileSide, b += tileSide) {
      Pair b01{b[0], b[1]}, b23{b[2], b[3]};
      for (int i = 0; i < tileSide; ++i) {
        Pair x{a[i], a[i]};
        left[i] += x * b01;
        right[i] += x * b23;
      }
    }
    for (int i = 0; i < tileSide; ++i)
      for (int j = 0; j < 2; ++j) {
        sums[i][j] = left[i][j];
        sums[i][j + 2] = right[i][j];
      }
    return true;
  }
};

/// Integers of 64 bits whose sums need no more than 128.
struct InWords {
  using Factor = int64_t;
  using Sum = Int;
  static int64_t factor(Int x) { return int64_t(x); }

  static bool addProducts(const int64_t *a, const int64_t *b, int64_t depth, Int (&sums)[tileSide][tileSide]) {
    for (int64_t p = 0; p < depth; ++p, a += tileSide, b += tileSide)
      for (int i = 0; i < tileSide; ++i)
        for (int j = 0; j < tileSide; ++j)
          sums[i][j] += Int(a[i]) * b[j];
    return true;
  }
};

/// Any integers; each step is checked.
struct Checked {
  using Factor = Int;
  using Sum = Int;
  static Int factor(Int x) { return x; }

  static bool addProducts(const Int *a, const Int *b, int64_t depth, Int (&sums)[tileSide][tileSide]) {
    for (int64_t p = 0; p < depth; ++p, a += tileSide, b += tileSide)
      for (int i = 0; i < tileSide; ++i)
        for (int j = 0; j < tileSide; ++j) {
          Int product;
          if (__builtin_mul_overflow(a[i], b[j], &product) || __builtin_add_overflow(sums[i][j], product, &sums[i][j]))
            return false;
        }
    return true;
  }
};

// --- Blocks ---

int64_t blocksOf(int64_t extent, int64_t block) { return (extent + block - 1) / block; }

/// A part of an extent.
struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
  /// The block of that number.
  static Range block(int64_t number, int64_t size, int64_t extent) {
    return {number * size, std::min(extent, (number + 1) * size)};
  }
};

/// Multiplies block by block, with memory for what is packed. T is how operands and results are held in memory.
template <typename Arithmetic, typename T> class BlockMultiplier {
  using Factor = typename Arithmetic::Factor;
  using Sum = typename Arithmetic::Sum;
  const ProductExtents &extents;
  std::vector<Factor> packedA, packedB;

  void packA(const T *a, Range rows, Range depth) {
    packedA.resize(size_t(blocksOf(rows.size(), tileSide) * tileSide * depth.size()));
    Factor *to = packedA.data();
    for (int64_t i = rows.begin; i < rows.end; i += tileSide)
      for (int64_t p = depth.begin; p < depth.end; ++p)
        for (int64_t r = i; r < i + tileSide; ++r)
          *to++ = r < rows.end ? Arithmetic::factor(a[r * extents.k + p]) : Factor(0);
  }

  void packB(const T *b, Range columns, Range depth) {
    packedB.resize(size_t(blocksOf(columns.size(), tileSide) * tileSide * depth.size()));
    Factor *to = packedB.data();
    for (int64_t j = columns.begin; j < columns.end; j += tileSide)
      for (int64_t p = depth.begin; p < depth.end; ++p)
        for (int64_t c = j; c < j + tileSide; ++c)
          *to++ = c < columns.end ? Arithmetic::factor(b[p * extents.n + c]) : Factor(0);
  }

  /// The tile of results at the beginning of `rows` and `columns`.
  bool multiplyTile(T *c, const Factor *a, const Factor *b, Range rows, Range columns, int64_t depth) const {
    const int64_t height = std::min(rows.size(), tileSide), width = std::min(columns.size(), tileSide);
    Sum sums[tileSide][tileSide] = {};
    c += rows.begin * extents.n + columns.begin;
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < width; ++j)
        sums[i][j] = Sum(c[i * extents.n + j]);
    if (!Arithmetic::addProducts(a, b, depth, sums))
      return false;
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < width; ++j)
        c[i * extents.n + j] = T(sums[i][j]);
    return true;
  }

public:
  explicit BlockMultiplier(const ProductExtents &extents) : extents(extents) {}

  /// The block of one product's results, which are zeros so far.
  bool multiply(const ProductPlaces<T> &places, Range rows, Range columns) {
    for (int64_t at = 0; at < extents.k; at += blockDepth) {
      Range depth{at, std::min(extents.k, at + blockDepth)};
      packA(places.a, rows, depth);
      packB(places.b, columns, depth);
      for (int64_t j = columns.begin; j < columns.end; j += tileSide)
        for (int64_t i = rows.begin; i < rows.end; i += tileSide)
          if (!multiplyTile(places.c, &packedA[size_t((i - rows.begin) * depth.size())],
                            &packedB[size_t((j - columns.begin) * depth.size())], {i, rows.end}, {j, columns.end},
                            depth.size()))
            return false;
    }
    return true;
  }
};
} // namespace

/// All products, a task per block; false if the arithmetic found an overflow.
template <typename Arithmetic, typename T>
static bool multiplyBlocks(const ProductExtents &extents, PlacesOfProduct<T> places, Work work) {
  const auto [count, m, n, k] = extents;
  const int64_t down = blocksOf(m, blockRows), across = blocksOf(n, blockColumns);
  if (double(count) * double(m) * double(n) * double(k) < productsPerThreadStart)
    work.threads = 1;
  std::atomic<bool> exact{true};
  forEachTask(count * down * across, work, [&] {
    return [&, multiplier = BlockMultiplier<Arithmetic, T>(extents)](int64_t task) mutable {
      const int64_t product = task / (down * across), block = task % (down * across);
      if (exact && !multiplier.multiply(places(product), Range::block(block / across, blockRows, m),
                                        Range::block(block % across, blockColumns, n)))
        exact = false;
    };
  });
  return exact;
}

void multiplyMatrices(const ProductExtents &extents, PlacesOfProduct<double> places, const Work &work) {
  multiplyBlocks<InDoubles>(extents, places, work);
}

bool multiplyMatrices(const ProductExtents &extents, PlacesOfProduct<Int> places, unsigned __int128 largestA,
                      unsigned __int128 largestB, const Work &work) {
  using Unsigned = unsigned __int128;
  constexpr Unsigned word = INT64_MAX, most = ~Unsigned(0) >> 1, inDouble = Unsigned(1) << 53;
  Unsigned largestSum;
  bool bounded = !__builtin_mul_overflow(largestA, largestB, &largestSum) &&
                 !__builtin_mul_overflow(largestSum, Unsigned(extents.k), &largestSum);
  if (bounded && largestSum <= inDouble && largestA <= inDouble && largestB <= inDouble)
    return multiplyBlocks<InDoubles>(extents, places, work);
  if (bounded && largestSum <= most && largestA <= word && largestB <= word)
    return multiplyBlocks<InWords>(extents, places, work);
  return multiplyBlocks<Checked>(extents, places, work);
}

} // namespace fly::host
