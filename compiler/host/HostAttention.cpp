#include "compiler/host/HostAttention.h"

#include "compiler/host/HostArrayInternal.h"
#include "compiler/host/MatrixProduct.h"
#include "compiler/host/ParallelTasks.h"

#include <cmath>
#include <limits>
#include <utility>

namespace fly::host {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr int64_t rowsOfTask = 64;

namespace {
/// An operand that is broadcast, by flat coordinates of the whole.
class Broadcast {
  const HostArray *array = nullptr;
  Shape strides;

public:
  Broadcast() = default;
  Broadcast(const HostArray &array, const Shape &whole)
      : array(&array), strides(broadcastStrides(array.shape, whole)) {}
  explicit operator bool() const { return array; }
  double at(std::initializer_list<int64_t> indices) const {
    int64_t offset = 0;
    size_t axis = strides.size() - indices.size(); // without B the whole has an axis of extent 1 before
    for (int64_t index : indices)
      offset += index * strides[axis++];
    return array->number(offset);
  }
};

struct Extents {
  int64_t batch, queries, keys, heads, headsKv, depth, depthV;
};

/// The matrices of one head: rows of `array` (B, S, H, D) as doubles.
std::vector<double> rowsOf(const HostArray &array, int64_t batch, int64_t length, int64_t heads, int64_t head,
                           int64_t depth, int64_t first, int64_t count) {
  std::vector<double> rows;
  rows.reserve(size_t(count * depth));
  for (int64_t s = first; s < first + count; ++s) {
    const int64_t at = ((batch * length + s) * heads + head) * depth;
    for (int64_t d = 0; d < depth; ++d)
      rows.push_back(array.number(at + d));
  }
  return rows;
}

std::vector<double> transposed(const std::vector<double> &rows, int64_t count, int64_t depth) {
  std::vector<double> columns(rows.size());
  for (int64_t s = 0; s < count; ++s)
    for (int64_t d = 0; d < depth; ++d)
      columns[size_t(d * count + s)] = rows[size_t(s * depth + d)];
  return columns;
}

/// What the threads share.
struct Problem {
  const HostArray &q, &k, &v;
  const Attention &how;
  Extents e;
  double scale;
  Broadcast sink, alibi, bias, mask;
  std::vector<double> output, lse;

  bool sees(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const int64_t at = i + e.keys - e.queries;
    return !((how.causal && j > at) || (how.left >= 0 && j < at - how.left) || (how.right >= 0 && j > at + how.right) ||
             (mask && mask.at({b, h, i, j}) == 0));
  }
  double score(double product, int64_t b, int64_t h, int64_t i, int64_t j) const {
    double s = scale * product;
    if (how.softcap > 0)
      s = how.softcap * std::tanh(s / how.softcap);
    if (bias)
      s += bias.at({b, h, i, j});
    if (alibi)
      s -= alibi.at({b, h}) * std::fabs(double(i + e.keys - e.queries - j));
    return s;
  }
  /// Scores of query `i` to weights; the logarithm of their sum.
  double soften(double *row, int64_t b, int64_t h, int64_t i) const {
    double most = sink ? sink.at({b, h}) : -infinity;
    for (int64_t j = 0; j < e.keys; ++j) {
      row[j] = sees(b, h, i, j) ? score(row[j], b, h, i, j) : -infinity;
      if (!(row[j] <= most)) // also a NaN
        most = row[j];
    }
    if (most == -infinity) {
      std::fill_n(row, e.keys, 0.0);
      return -infinity;
    }
    double sum = sink ? std::exp(sink.at({b, h}) - most) : 0;
    for (int64_t j = 0; j < e.keys; ++j)
      sum += row[j] = std::exp(row[j] - most);
    for (int64_t j = 0; j < e.keys; ++j)
      row[j] /= sum;
    return most + std::log(sum);
  }
};

/// Does some rows of a head; keeps the head's keys and values for the next.
class Worker {
  Problem &p;
  int64_t held = -1; ///< batch * headsKv + head
  std::vector<double> keys, values, scores, result;

public:
  explicit Worker(Problem &problem) : p(problem) {}

  void operator()(int64_t task) {
    const Extents &e = p.e;
    const int64_t blocks = (e.queries + rowsOfTask - 1) / rowsOfTask, block = task % blocks,
                  h = task / blocks % e.heads, b = task / blocks / e.heads, headKv = h / (e.heads / e.headsKv);
    const int64_t first = block * rowsOfTask, count = std::min(rowsOfTask, e.queries - first);
    if (std::exchange(held, b * e.headsKv + headKv) != b * e.headsKv + headKv) {
      keys = transposed(rowsOf(p.k, b, e.keys, e.headsKv, headKv, e.depth, 0, e.keys), e.keys, e.depth);
      values = rowsOf(p.v, b, e.keys, e.headsKv, headKv, e.depthV, 0, e.keys);
    }
    const std::vector<double> queries = rowsOf(p.q, b, e.queries, e.heads, h, e.depth, first, count);
    scores.assign(size_t(count * e.keys), 0.0);
    multiplyMatrices(
        {1, count, e.keys, e.depth},
        [&](int64_t) { return ProductPlaces<double>{queries.data(), keys.data(), scores.data()}; }, 1);
    for (int64_t i = 0; i < count; ++i)
      p.lse[size_t((b * e.heads + h) * e.queries + first + i)] = p.soften(&scores[size_t(i * e.keys)], b, h, first + i);
    result.assign(size_t(count * e.depthV), 0.0);
    multiplyMatrices(
        {1, count, e.depthV, e.keys},
        [&](int64_t) { return ProductPlaces<double>{scores.data(), values.data(), result.data()}; }, 1);
    for (int64_t i = 0; i < count; ++i)
      std::copy_n(&result[size_t(i * e.depthV)], e.depthV,
                  &p.output[size_t(((b * e.queries + first + i) * e.heads + h) * e.depthV)]);
  }
};
} // namespace

/// Why these are no operands of attention; empty if they are.
static std::string mismatch(const Shape &q, const Shape &k, const Shape &v) {
  if (q.size() != 4 || k.size() != 4 || v.size() != 4)
    return "q, k and v need the axes (batch, sequence, head, depth), or all without batch";
  if (q[0] != k[0] || q[0] != v[0])
    return "q, k and v have different batches";
  if (k[1] != v[1])
    return "k and v have different lengths";
  if (k[2] != v[2] || k[2] == 0 || q[2] % k[2])
    return "the heads of q are not a multiple of those of k and v";
  return q[3] == k[3] ? "" : "q and k have different depths";
}

Result<Attended> attend(const HostArray &q, const HostArray &k, const HostArray &v, const Attention &attention,
                        const Work &work) {
  Shape shapes[3] = {q.shape, k.shape, v.shape};
  const bool single = q.shape.size() == 3 && k.shape.size() == 3 && v.shape.size() == 3;
  for (Shape &shape : shapes)
    if (single)
      shape.insert(shape.begin(), 1);
  if (std::string why = mismatch(shapes[0], shapes[1], shapes[2]); !why.empty())
    return {{}, why + ", found " + toText(q.shape) + ", " + toText(k.shape) + " and " + toText(v.shape)};
  const Extents e{shapes[0][0], shapes[0][1], shapes[1][1], shapes[0][2], shapes[1][2], shapes[0][3], shapes[2][3]};
  for (auto [array, name] : {std::pair(&q, "q"), std::pair(&k, "k"), std::pair(&v, "v")})
    for (int64_t i = 0; i < array->size() && keepsMask(*array, NumberClass::Float); ++i)
      if (array->isPoisoned(i))
        return {{}, std::string("`") + name + "` has elements that were never written"};

  Problem p{q, k, v, attention, e, attention.scale.value_or(1 / std::sqrt(double(e.depth))), {}, {}, {}, {}, {}, {}};
  std::string why;
  auto take = [&](const HostArray *array, Broadcast &to, Shape whole, const char *name) {
    if (!array || !why.empty())
      return;
    auto common = broadcastShape(array->shape, whole);
    if (common.ok() && common.value == whole)
      to = Broadcast(*array, whole);
    else
      why = std::string("`") + name + "` of shape " + toText(array->shape) + " does not broadcast to " + toText(whole);
  };
  take(attention.sink, p.sink, {e.batch, e.heads}, "sink");
  take(attention.alibi, p.alibi, {e.batch, e.heads}, "alibi");
  take(attention.bias, p.bias, {e.batch, e.heads, e.queries, e.keys}, "bias");
  take(attention.mask, p.mask, {e.batch, e.heads, e.queries, e.keys}, "mask");
  if (!why.empty())
    return {{}, why};
  Shape outputShape{e.batch, e.queries, e.heads, e.depthV}, lseShape{e.batch, e.heads, e.queries};
  for (auto *shape : {&outputShape, &lseShape}) {
    if (auto r = elementCount(*shape, 64); !r.ok())
      return {{}, r.error};
    if (single)
      shape->erase(shape->begin());
  }
  p.output.resize(size_t(e.batch * e.queries * e.heads * e.depthV));
  p.lse.resize(size_t(e.batch * e.heads * e.queries));
  const int64_t blocks = (e.queries + rowsOfTask - 1) / rowsOfTask;
  forEachTask(e.batch * e.heads * blocks, work, [&] { return Worker(p); });
  return {{arrayOfNumbers(outputShape, p.output).value, arrayOfNumbers(lseShape, p.lse).value}, ""};
}

} // namespace fly::host
