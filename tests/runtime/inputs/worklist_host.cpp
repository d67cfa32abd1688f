// One graph of a decode step: sequences grow, a worklist is made of their lengths, a kernel works it off, and what was
// cut is merged. Each replay finds longer sequences, of which the host is told nothing, and its results are those of
// attention in double.
#include "fly_check.h"

#include "worklist.h"

#include <cmath>

constexpr int sequences = 5, shares = 7, queries = 2, heads = 4, groups = 2, size = 8, capacity = 400;
constexpr int rows = sequences * queries, keys = sequences * capacity;
constexpr float scale = 0.5f;

static unsigned state = 1;
static float next() {
  state = state * 1664525u + 1013904223u;
  return static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1.0f;
}

struct Arrays {
  std::vector<float> q, k, v, o, lse;
};

/// A query of a sequence of `length` keys, by the host; the last query stands at the last key.
static void compare(const Arrays &x, int sequence, int query, int head, int length) {
  const int row = sequence * queries + query, seen = length - queries + query + 1;
  double total = 0, value[size] = {};
  for (int j = 0; j < seen; ++j) {
    const int key = ((sequence * capacity + j) * groups + head / (heads / groups)) * size;
    double score = 0;
    for (int d = 0; d < size; ++d)
      score += scale * static_cast<double>(x.q[(row * heads + head) * size + d]) * x.k[key + d];
    total += std::exp(score);
    for (int d = 0; d < size; ++d)
      value[d] += std::exp(score) * x.v[key + d];
  }
  for (int d = 0; d < size; ++d)
    EXPECT(std::fabs(x.o[(row * heads + head) * size + d] - (seen > 0 ? value[d] / total : 0)) < 1e-5);
  const float lse = x.lse[head * rows + row];
  EXPECT(seen > 0 ? std::fabs(lse - std::log(total)) < 1e-4 : std::isinf(lse) && lse < 0);
}

int main() {
  Arrays x{std::vector<float>(rows * heads * size), std::vector<float>(keys * groups * size),
           std::vector<float>(keys * groups * size), std::vector<float>(rows * heads * size),
           std::vector<float>(heads * rows)};
  for (auto *numbers : {&x.q, &x.k, &x.v})
    for (float &number : *numbers)
      number = next();
  std::vector<int> lengths = {0, 1, 63, 130, 0}, by = {0, 7, 1, 64, 100}, first;
  for (int i = 0; i <= sequences; ++i)
    first.push_back(i * capacity);
  float *q = onDevice(x.q), *k = onDevice(x.k), *v = onDevice(x.v), *o = onDevice(x.o), *lse = onDevice(x.lse);
  int *device_lengths = onDevice(lengths), *device_by = onDevice(by), *device_first = onDevice(first);
  size_t bytes;
  FLY(worklist_decode_workspace_bytes(&bytes, sequences, shares, rows, keys, queries, heads, groups, scale));
  void *workspace = onDevice(std::vector<char>(bytes));

  FLY(fly_module_load(worklist_module()));
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  hipGraph_t graph;
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  FLY(worklist_grow(stream, device_lengths, device_by, sequences));
  FLY(worklist_decode(stream, workspace, q, k, v, o, lse, device_lengths, device_first, nullptr, nullptr, sequences,
                      shares, rows, keys, queries, heads, groups, scale));
  HIP(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t run;
  HIP(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  for (int step = 1; step <= 3; ++step) {
    HIP(hipMemset(o, 0xff, x.o.size() * sizeof(float)));
    HIP(hipMemset(lse, 0xff, x.lse.size() * sizeof(float)));
    HIP(hipGraphLaunch(run, stream));
    HIP(hipStreamSynchronize(stream));
    HIP(hipMemcpy(x.o.data(), o, x.o.size() * sizeof(float), hipMemcpyDeviceToHost));
    HIP(hipMemcpy(x.lse.data(), lse, x.lse.size() * sizeof(float), hipMemcpyDeviceToHost));
    for (int i = 0; i < rows * heads; ++i)
      compare(x, i / heads / queries, i / heads % queries, i % heads,
              lengths[i / heads / queries] + step * by[i / heads / queries]);
  }
  HIP(hipGraphExecDestroy(run));
  HIP(hipGraphDestroy(graph));
  std::puts("replays: good");
}
