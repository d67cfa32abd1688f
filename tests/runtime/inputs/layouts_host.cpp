// fly/layout.h: memory for parameters whose modes are divided, made on the host, and read by kernels.
#include "fly/runtime.hpp"

#include "layouts.h"
#include "layouts.hpp"

#include <cstdio>
#include <cstring>
#include <random>

static int failures;
#define EXPECT(condition)                                                                                              \
  ((condition) ? void() : (++failures, void(std::printf("line %d: %s\n", __LINE__, #condition))))

template <typename T> std::vector<T> numbers(size_t count) {
  static std::mt19937 generator(7);
  std::vector<T> out(count);
  for (T &each : out)
    reinterpret_cast<unsigned char &>(each) = static_cast<unsigned char>(generator());
  return out;
}

static fly_layout rows(uint32_t bits, std::initializer_list<int64_t> extents) {
  fly_layout out;
  fly_layout_rows(&out, bits, static_cast<uint32_t>(extents.size()), extents.begin());
  return out;
}

template <typename T> std::vector<T> laidOut(const fly_layout &to, const std::vector<T> &x, const fly_layout &from) {
  std::vector<T> out = numbers<T>(static_cast<size_t>(fly_layout_bytes(&to)) / sizeof(T)); // also gaps are written
  fly::check(fly_layout_copy(out.data(), &to, x.data(), &from));
  return out;
}

/// Whether bytes are those that a kernel read.
template <typename T> bool same(const std::vector<T> &a, const std::vector<T> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

int main() {
  const int E = 2, n = 48, k = 200;
  fly::stream stream;
  { // Blocks of 16 rows, 16 bytes of each row side by side; 200 columns are padded to 256.
    const auto w = numbers<uint8_t>(size_t(E) * n * k);
    const fly_layout layout = layouts::rows_of_layout_of_w(E, n, k);
    const auto memory = laidOut(layout, w, rows(8, {E, n, k}));
    EXPECT(memory.size() == size_t(E) * n * 256);
    const size_t G = static_cast<size_t>(layout.extents[4]); // 16 bytes of so many lanes
    size_t wrong = 0;
    for (size_t e = 0, i = 0; e < size_t(E); ++e)
      for (size_t block = 0; block < size_t(n) / 16; ++block)
        for (size_t step = 0; step < 256 / (16 * G); ++step)
          for (size_t lane = 0; lane < G; ++lane)
            for (size_t row = 0; row < 16; ++row)
              for (size_t v = 0; v < 16; ++v, ++i) {
                const size_t c = (step * G + lane) * 16 + v;
                wrong += memory[i] != (c < size_t(k) ? w[(e * n + block * 16 + row) * k + c] : 0);
              }
    EXPECT(wrong == 0);
    fly::buffer<uint8_t> in(memory), y(w.size());
    layouts::rows_of(stream, in, y, E, n, k);
    stream.synchronize();
    EXPECT(same(y.to_host(), w));
    // And back, where nothing is padded.
    const fly_layout whole = layouts::rows_of_layout_of_w(E, n, 256), plain = rows(8, {E, n, 256});
    const auto again = numbers<uint8_t>(size_t(E) * n * 256);
    EXPECT(same(laidOut(plain, laidOut(whole, again, plain), whole), again));
  }
  for (bool separated : {true, false}) { // Gates and partners in turns of 16, from a model's order.
    const auto w = numbers<fly_bf16>(size_t(E) * 2 * n * k);
    const int64_t side = separated ? int64_t(n) * k : k, next = separated ? k : 2 * k;
    const fly_layout model = {16, 3, {1, 3, 1}, {E, 16, 2, n / 16, k}, {int64_t(2) * n * k, next, side, 16 * next, 1}};
    const fly_layout layout =
        separated ? layouts::separated_layout_of_w(E, n, k) : layouts::interleaved_layout_of_w(E, n, k);
    fly::buffer<fly_bf16> in(laidOut(layout, w, model)), y(w.size());
    (separated ? layouts::separated : layouts::interleaved)(stream, in, y, E, n, k);
    stream.synchronize();
    EXPECT(same(y.to_host(), laidOut(rows(16, {E, 2 * n, k}), w, model)));
  }
  { // Scales in words of four, of blocks of 32 rows and 8 columns, padded to 256 rows.
    const auto s = numbers<fly_f8E8M0FNU>(size_t(E) * n * 8);
    const auto memory = laidOut(layouts::scales_of_layout_of_s(E, n, 256), s, rows(8, {E, n, 8}));
    EXPECT(memory.size() == size_t(E) * 256 * 8);
    fly::buffer<fly_f8E8M0FNU> in(memory), y(s.size());
    layouts::scales_of(stream, in, y, E, n, 256);
    stream.synchronize();
    EXPECT(same(y.to_host(), s));
  }
  { // Numbers of 4 bits.
    const auto w = numbers<uint8_t>(size_t(E) * n * 128);
    const auto memory = laidOut(layouts::four_bits_layout_of_w(E, n, 256), w, rows(4, {E, n, 256}));
    size_t wrong = memory.size() != w.size();
    for (size_t row = 0; row < size_t(E) * n; ++row)
      for (size_t byte = 0; byte < 128; ++byte)
        wrong += memory[row / 16 * 2048 + byte / 64 * 1024 + byte / 16 % 4 * 256 + row % 16 * 16 + byte % 16] !=
                 w[row * 128 + byte];
    EXPECT(wrong == 0);
  }
  const fly_layout small = rows(8, {2, 3}), large = rows(8, {2, 4}), one = rows(8, {8}), wide = rows(16, {2, 3});
  uint8_t memory[16] = {};
  for (const fly_layout &from : {large, one, wide}) {
    EXPECT(fly_layout_copy(memory, &small, memory + 8, &from) == FLY_ERROR_ARGUMENT);
    std::puts(fly_error());
  }
  std::printf("failures: %d\n", failures);
  return failures != 0;
}
