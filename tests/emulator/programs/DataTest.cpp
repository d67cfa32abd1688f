// inputs/data.c against the host.
#include "tests/emulator/programs/ProgramSupport.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

TEST(DataPrograms, BitonicSortInLds) {
  everywhere("data", [](Machine &m) {
    auto keys = randomWords(3 * 512, 1);
    keys[5] = keys[700] = keys[701] = 42;
    uint64_t a = m.upload(keys, "keys");
    run(m, "sort_block", shape(3, 256), a);
    for (int g = 0; g < 3; ++g) std::sort(keys.begin() + 512 * g, keys.begin() + 512 * (g + 1));
    EXPECT_EQ(m.download<uint32_t>(a, keys.size()), keys);
  });
}

TEST(DataPrograms, RadixSort) {
  everywhere("data", [](Machine &m) {
    auto keys = randomWords(1013, 2);
    for (auto &k : keys) k &= 0xffff;
    uint64_t a = m.upload(keys, "a"), b = m.device.allocate(keys.size() * 4, "b");
    for (uint32_t shift = 0; shift < 16; shift += 4) {
      run(m, "radix_pass", shape(1, 256), b, a, uint32_t(keys.size()), shift);
      std::swap(a, b);
    }
    std::stable_sort(keys.begin(), keys.end());
    EXPECT_EQ(m.download<uint32_t>(a, keys.size()), keys);
  });
}

TEST(DataPrograms, ScanWithLookBackOnSeveralThreads) {
  everywhere("data", [](Machine &m) {
    for (size_t n : {size_t(1), size_t(255), size_t(4099)}) {
      auto in = randomWords(n, 3);
      uint32_t groups = blocks(n, 256);
      uint64_t a = m.upload(in, "in"), out = m.device.allocate(n * 4, "out");
      uint64_t ready = m.upload(std::vector<uint32_t>(groups), "ready"),
               totals = m.device.allocate(groups * 4, "totals");
      LaunchConfig c = shape(groups, 256);
      c.threads = 2;
      run(m, "scan", c, out, a, uint32_t(n), ready, totals);
      std::vector<uint32_t> want(n);
      std::partial_sum(in.begin(), in.end(), want.begin());
      EXPECT_EQ(m.download<uint32_t>(out, n), want);
    }
  });
}

// Needs all workgroups to run at once, on one thread too.
TEST(DataPrograms, GridWideBarrier) {
  for (const char *arch : architectures)
    for (unsigned threads : {1u, 2u}) {
      SCOPED_TRACE(std::string(arch) + ", threads " + std::to_string(threads));
      Machine m("data", arch, "O2");
      ASSERT_TRUE(m.module) << m.error;
      const uint32_t groups = 5;
      uint64_t arrived = m.upload(std::vector<uint32_t>(1), "arrived"),
               values = m.device.allocate(groups * 4, "values"), out = m.device.allocate(groups * 4, "out");
      LaunchConfig c = shape(groups, 64);
      c.threads = threads;
      run(m, "grid_barrier", c, arrived, values, out);
      EXPECT_EQ(m.download<uint32_t>(out, groups), std::vector<uint32_t>(groups, 0 + 1 + 4 + 9 + 16 + groups));
    }
}

TEST(DataPrograms, CompactionByBallot) {
  everywhere("data", [](Machine &m) {
    auto in = randomWords(1000, 4);
    uint64_t a = m.upload(in, "in"), out = m.device.allocate(in.size() * 4, "out"),
             count = m.upload(std::vector<uint32_t>(1), "count");
    run(m, "compact", shape(8, 128), out, count, a, uint32_t(in.size()));
    std::vector<uint32_t> want;
    for (uint32_t v : in)
      if (v & 1) want.push_back(v);
    ASSERT_EQ(m.download<uint32_t>(count, 1)[0], want.size());
    auto got = m.download<uint32_t>(out, want.size());
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    EXPECT_EQ(got, want);
  });
}

TEST(DataPrograms, HistogramByAtomics) {
  everywhere("data", [](Machine &m) {
    auto words = randomWords(3001, 5);
    std::vector<uint8_t> in(words.size());
    std::vector<uint32_t> want(256);
    for (size_t k = 0; k < in.size(); ++k) ++want[in[k] = static_cast<uint8_t>(words[k] & words[k] >> 8)];
    uint64_t a = m.upload(in, "in"), bins = m.upload(std::vector<uint32_t>(256), "bins");
    run(m, "histogram", shape(3, 256), bins, a, uint32_t(in.size()));
    EXPECT_EQ(m.download<uint32_t>(bins, 256), want);
  });
}

TEST(DataPrograms, SparseMatrixTimesVector) {
  everywhere("data", [](Machine &m) {
    const uint32_t n = 203;
    auto random = randomWords(n * 8, 6);
    std::vector<uint32_t> rows{0}, columns;
    std::vector<float> values;
    for (uint32_t r = 0; r < n; ++r) {
      for (uint32_t k = 0; k < random[r] % 7; ++k) {
        columns.push_back(random[n + 7 * r + k] % n);
        values.push_back(static_cast<float>(static_cast<int>(random[7 * r + k] % 2001) - 1000) / 64);
      }
      rows.push_back(static_cast<uint32_t>(columns.size()));
    }
    std::vector<double> x(n), want(n);
    for (uint32_t k = 0; k < n; ++k) x[k] = std::sin(k * 0.7);
    for (uint32_t r = 0; r < n; ++r)
      for (uint32_t k = rows[r]; k < rows[r + 1]; ++k) want[r] += static_cast<double>(values[k]) * x[columns[k]];
    uint64_t y = m.device.allocate(n * 8, "y");
    run(m, "spmv", shape(blocks(n, 64), 64), y, m.upload(rows, "rows"), m.upload(columns, "columns"),
        m.upload(values, "values"), m.upload(x, "x"), n);
    EXPECT_EQ(m.download<double>(y, n), want);
  });
}

TEST(DataPrograms, StringSearch) {
  everywhere("data", [](Machine &m) {
    std::string text, pattern = "abab";
    for (uint32_t v : randomWords(5003, 7)) text += "aab"[v % 3];
    uint32_t want = 0;
    for (size_t at = text.find(pattern); at != text.npos; at = text.find(pattern, at + 1)) ++want;
    uint64_t found = m.upload(std::vector<uint32_t>(1), "found"),
             first = m.upload(std::vector<int32_t>{1 << 30}, "first");
    uint64_t t = m.upload(std::vector<char>(text.begin(), text.end()), "text"),
             p = m.upload(std::vector<char>(pattern.begin(), pattern.end()), "pattern");
    run(m, "search", shape(blocks(text.size(), 256), 256), found, first, t, uint32_t(text.size()), p,
        uint32_t(pattern.size()));
    EXPECT_EQ(m.download<uint32_t>(found, 1)[0], want);
    EXPECT_EQ(static_cast<size_t>(m.download<int32_t>(first, 1)[0]), text.find(pattern));
  });
}

} // namespace
