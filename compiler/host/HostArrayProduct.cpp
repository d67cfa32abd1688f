// Matrix products of host arrays: shapes, batches, kinds of numbers and poison. MatrixProduct.h multiplies.
#include "compiler/host/HostArrayInternal.h"
#include "compiler/host/MatrixProduct.h"

namespace fly::host {

namespace {
/// Where the matrices of one operand begin, by the number of the product.
class BatchOffsets {
  const Shape &batch; ///< of the result
  Shape strides;      ///< in matrices; 0 along axes that are broadcast
  int64_t matrix;     ///< elements of one matrix

public:
  BatchOffsets(const Shape &own, const Shape &batch, int64_t matrix)
      : batch(batch), strides(broadcastStrides(own, batch)), matrix(matrix) {}

  int64_t operator()(int64_t product) const {
    int64_t offset = 0;
    for (size_t axis = batch.size(); axis-- > 0; product /= batch[axis])
      offset += product % batch[axis] * strides[axis];
    return offset * matrix;
  }
};
} // namespace

static unsigned __int128 largestMagnitude(const std::vector<Int> &numbers) {
  unsigned __int128 largest = 0;
  for (Int x : numbers)
    largest = std::max(largest, x < 0 ? -static_cast<unsigned __int128>(x) : static_cast<unsigned __int128>(x));
  return largest;
}

/// A result is poisoned where an element of its row of x or of its column of y is.
static void spreadPoison(const HostArray &x, const HostArray &y, HostArray &result, const ProductExtents &extents,
                         const BatchOffsets &offsetX, const BatchOffsets &offsetY) {
  const auto [count, m, n, k] = extents;
  std::vector<uint8_t> rows, columns;
  for (int64_t product = 0; product < count; ++product) {
    const int64_t atX = offsetX(product), atY = offsetY(product), out = product * m * n;
    rows.assign(size_t(m), 0);
    columns.assign(size_t(n), 0);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t p = 0; p < k; ++p)
        rows[size_t(i)] |= x.isPoisoned(atX + i * k + p);
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j)
        columns[size_t(j)] |= y.isPoisoned(atY + p * n + j);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        result.poisoned.set(out + i * n + j, rows[size_t(i)] | columns[size_t(j)]);
  }
}

/// Both of rank 2 and more; `shapes` are those that the author wrote.
static ArrayResult multiply(const HostArray &x, const HostArray &y, const std::string &shapes, const Work &work) {
  int64_t m = x.shape[x.shape.size() - 2], k = x.shape.back(), n = y.shape.back();
  if (y.shape[y.shape.size() - 2] != k)
    return failure("`@` needs equal inner extents, found " + shapes);
  Shape batchX(x.shape.begin(), x.shape.end() - 2), batchY(y.shape.begin(), y.shape.end() - 2);
  auto batch = broadcastShape(batchX, batchY);
  if (!batch.ok())
    return failure(batch.error + " in " + shapes);
  Shape shape = batch.value;
  shape.insert(shape.end(), {m, n});

  bool floating = x.isFloat() || y.isFloat();
  ArrayResult r = makeArray(shape, floating ? NumberClass::Float : NumberClass::Int);
  if (!r.ok())
    return failure(r.error + ", in " + shapes);
  if (r.value.size() == 0)
    return r;
  const ProductExtents extents{r.value.size() / (m * n), m, n, k};
  const BatchOffsets offsetX(batchX, batch.value, m * k), offsetY(batchY, batch.value, k * n);
  auto placesIn = [&](const auto &left, const auto &right, auto &result) {
    return [&](int64_t product) {
      return ProductPlaces{left.data() + offsetX(product), right.data() + offsetY(product),
                           result.data() + product * m * n};
    };
  };
  if (floating) { // integers as the nearest doubles
    const std::vector<double> a = x.numbers(), b = y.numbers();
    std::vector<double> result(size_t(r.value.size()));
    multiplyMatrices(extents, placesIn(a, b, result), work);
    r = arrayOfNumbers(shape, result);
  } else {
    const std::vector<Int> a = x.integers(), b = y.integers();
    std::vector<Int> result(size_t(r.value.size()));
    if (!multiplyMatrices(extents, placesIn(a, b, result), largestMagnitude(a), largestMagnitude(b), work))
      return failure("the integer result needs more than 128 bits in `@`");
    r = arrayOfIntegers(shape, result);
  }
  if (!x.poisoned.empty() || !y.poisoned.empty()) {
    ensureMask(r.value);
    spreadPoison(x, y, r.value, extents, offsetX, offsetY);
  }
  return r;
}

ArrayResult matmul(const HostArray &x, const HostArray &y, const Work &work) {
  const std::string shapes = toText(x.shape) + " @ " + toText(y.shape);
  if (x.shape.empty() || y.shape.empty())
    return failure("`@` needs matrices or vectors, found " + shapes);
  const bool row = x.shape.size() == 1, column = y.shape.size() == 1;
  if (!row && !column)
    return multiply(x, y, shapes, work);
  HostArray a = x, b = y; // a vector is a matrix of one row or column, which the result does not have
  if (row)
    a.shape.insert(a.shape.begin(), 1);
  if (column)
    b.shape.push_back(1);
  ArrayResult r = multiply(a, b, shapes, work);
  if (r.ok() && column)
    r.value.shape.pop_back();
  if (r.ok() && row)
    r.value.shape.erase(r.value.shape.end() - (column ? 1 : 2));
  return r;
}

} // namespace fly::host
