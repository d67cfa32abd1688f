// One graph of a decode step: tokens go to a cache whose pages lie beyond 4 GiB, and are seen by the queries of the same
// step. It is captured once; each replay finds a token more, of which the host is told nothing. Two ways to divide the keys
// agree with attention in double.
#include "fly_check.h"

#include "decode_step.h"

#include <cmath>
#include <cstring>

constexpr int sequences = 3, heads = 4, key_heads = 2, size = 64, pages = 4, steps = 20;
constexpr size_t page_elements = 65536, first_page = 66000;

static unsigned state = 1;
/// In [-1, 1), exact in bf16.
static float next() {
  state = state * 1664525u + 1013904223u;
  return static_cast<float>(static_cast<int>(state >> 25) - 64) / 64.0f;
}
static uint16_t bf16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return static_cast<uint16_t>(bits >> 16);
}
static float number(uint16_t x) {
  const uint32_t bits = static_cast<uint32_t>(x) << 16;
  float single;
  std::memcpy(&single, &bits, 4);
  return single;
}

/// Of each sequence, its keys and values so far: key_heads * size numbers per token.
struct History {
  std::vector<float> k[sequences], v[sequences];
};

static void compare(const History &seen, const std::vector<uint16_t> &q, const std::vector<uint16_t> &o) {
  for (int row = 0; row < sequences * heads; ++row) {
    const int sequence = row / heads, of = row % heads / (heads / key_heads);
    const auto &k = seen.k[sequence], &v = seen.v[sequence];
    double total = 0, value[size] = {};
    for (size_t at = of * size; at < k.size(); at += key_heads * size) {
      double score = 0;
      for (int d = 0; d < size; ++d)
        score += 0.125 * number(q[row * size + d]) * k[at + d];
      const double weight = std::exp(score);
      total += weight;
      for (int d = 0; d < size; ++d)
        value[d] += weight * v[at + d];
    }
    for (int d = 0; d < size; ++d)
      EXPECT(std::fabs(number(o[row * size + d]) - value[d] / total) < 0.01);
  }
}

int main() {
  const std::vector<int> lengths(sequences, 0);
  std::vector<int> table;
  for (int i = 0; i < sequences; ++i)
    for (int j = 0; j < pages; ++j)
      table.push_back(static_cast<int>(first_page) + 7 * j + 1000 * i);
  // Values lie behind the keys of the same page.
  const size_t elements = (first_page + 1000 * sequences) * page_elements;
  void *pool;
  HIP(hipMalloc(&pool, elements * 2));
  fly_bf16 *keys = static_cast<fly_bf16 *>(pool);
  const decode_step_Cache cache = {
      keys, keys + page_elements / 2, nullptr, nullptr, page_elements, page_elements, 0, 0, key_heads};

  std::vector<uint16_t> q(sequences * heads * size), k(sequences * key_heads * size), v(k.size()), o(q.size());
  auto *device_q = reinterpret_cast<fly_bf16 *>(onDevice(q));
  auto *device_k = reinterpret_cast<fly_bf16 *>(onDevice(k)), *device_v = reinterpret_cast<fly_bf16 *>(onDevice(v));
  fly_bf16 *results[] = {reinterpret_cast<fly_bf16 *>(onDevice(o)), reinterpret_cast<fly_bf16 *>(onDevice(o))};
  int *device_lengths = onDevice(lengths), *device_table = onDevice(table);
  size_t bytes;
  FLY(decode_step_step_workspace_bytes(&bytes, cache, sequences, heads, pages));
  void *workspace = onDevice(std::vector<char>(bytes));

  FLY(fly_module_load(decode_step_module()));
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  hipGraph_t graph;
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  FLY(decode_step_step(stream, workspace, device_q, device_k, device_v, cache, device_lengths, device_table, results[0],
                       results[1], sequences, heads, pages));
  HIP(hipStreamEndCapture(stream, &graph));
  hipGraphExec_t run;
  HIP(hipGraphInstantiate(&run, graph, nullptr, nullptr, 0));
  History seen;
  for (int step = 0; step < steps; ++step) {
    for (auto *numbers : {&q, &k, &v})
      for (uint16_t &each : *numbers)
        each = bf16(next());
    for (int i = 0; i < sequences * key_heads * size; ++i) {
      seen.k[i / (key_heads * size)].push_back(number(k[i]));
      seen.v[i / (key_heads * size)].push_back(number(v[i]));
    }
    HIP(hipMemcpy(device_q, q.data(), q.size() * 2, hipMemcpyHostToDevice));
    HIP(hipMemcpy(device_k, k.data(), k.size() * 2, hipMemcpyHostToDevice));
    HIP(hipMemcpy(device_v, v.data(), v.size() * 2, hipMemcpyHostToDevice));
    HIP(hipGraphLaunch(run, stream));
    HIP(hipStreamSynchronize(stream));
    for (fly_bf16 *result : results) {
      HIP(hipMemcpy(o.data(), result, o.size() * 2, hipMemcpyDeviceToHost));
      compare(seen, q, o);
      HIP(hipMemset(result, 0xff, o.size() * 2));
    }
  }
  HIP(hipGraphExecDestroy(run));
  HIP(hipGraphDestroy(graph));
  std::puts("decoding: good");
}
