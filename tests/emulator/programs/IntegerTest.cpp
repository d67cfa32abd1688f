// inputs/integer.c against the host.
#include "tests/emulator/programs/ProgramSupport.h"

#include <algorithm>
#include <array>
#include <numeric>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

// The digests of "abc", of the empty message and of 55 letters, from FIPS 180-4's examples and sha256sum.
TEST(IntegerPrograms, Sha256KnownAnswers) {
  struct Answer {
    std::string message;
    std::array<uint32_t, 8> digest;
  };
  const Answer answers[] = {
      {"abc", {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad}},
      {"", {0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855}},
      {std::string(55, 'a'),
       {0x9f4390f8, 0xd30c2dd9, 0x2ec9f095, 0xb65e2b9a, 0xe9b0a925, 0xa5258e24, 0x1c9f1e91, 0x0f734318}}};
  everywhere("integer", [&](Machine &m) {
    for (const Answer &answer : answers) {
      const uint32_t n = 70;
      std::vector<char> messages;
      for (uint32_t k = 0; k < n; ++k) messages.insert(messages.end(), answer.message.begin(), answer.message.end());
      messages.push_back(0);
      uint64_t in = m.upload(messages, "messages"), out = m.device.allocate(n * 32, "digests");
      run(m, "sha256", shape(2, 64), out, in, uint32_t(answer.message.size()), n);
      auto got = m.download<uint32_t>(out, n * 8);
      for (uint32_t k = 0; k < n; ++k)
        ASSERT_TRUE(std::equal(answer.digest.begin(), answer.digest.end(), got.begin() + 8 * k))
            << "message " << k << " of length " << answer.message.size();
    }
  });
}

TEST(IntegerPrograms, Products128QuotientsShiftsAndCounts) {
  everywhere("integer", [](Machine &m) {
    const uint32_t n = 300;
    auto words = randomWords(4 * n, 8);
    std::vector<uint64_t> a(n), b(n), want(8 * n);
    const uint64_t special[] = {0, 1, ~0ull, 1ull << 63, (1ull << 63) - 1, 2, 0xffffffff, 1ull << 32};
    for (uint32_t k = 0; k < n; ++k) {
      a[k] = k < 64 ? special[k / 8] : words[k] | uint64_t(words[k + n]) << 32;
      b[k] = k < 64 ? special[k % 8] : (words[k + 2 * n] | uint64_t(words[k + 3 * n]) << 32) >> (k % 61);
    }
    for (uint32_t k = 0; k < n; ++k) {
      uint64_t x = a[k], y = b[k], *o = want.data() + 8 * k;
      unsigned __int128 p = static_cast<unsigned __int128>(x) * y + x;
      o[0] = static_cast<uint64_t>(p);
      o[1] = static_cast<uint64_t>(p >> 64);
      o[2] = y ? x / y : 0;
      o[3] = y ? x % y : 0;
      int64_t sx = static_cast<int64_t>(x), sy = static_cast<int64_t>(y);
      o[4] = sy && !(sx == INT64_MIN && sy == -1) ? static_cast<uint64_t>(sx / sy) : 0;
      o[5] = static_cast<uint64_t>((static_cast<unsigned __int128>(x) << 64 | y) >> (x & 127));
      o[6] = static_cast<uint64_t>(((static_cast<__int128>(p) >> 31) * 3) >> 64);
      o[7] = static_cast<uint64_t>(__builtin_popcountll(x)) << 32 |
             (x ? static_cast<uint64_t>(__builtin_clzll(x)) : 64) << 16 |
             (y ? static_cast<uint64_t>(__builtin_ctzll(y)) : 64);
    }
    uint64_t out = m.device.allocate(want.size() * 8, "out");
    run(m, "wide_integers", shape(blocks(n, 64), 64), out, m.upload(a, "a"), m.upload(b, "b"), n);
    EXPECT_EQ(m.download<uint64_t>(out, want.size()), want);
  });
}

int32_t interpret(const std::vector<uint8_t> &code, int32_t in) {
  std::vector<int64_t> stack{in};
  auto wrap = [](int64_t v) { return static_cast<int64_t>(static_cast<int32_t>(static_cast<uint32_t>(v))); };
  auto pop = [&] {
    int64_t v = stack.back();
    stack.pop_back();
    return v;
  };
  for (size_t pc = 0, steps = 0; pc < code.size() && steps < 200; ++steps) {
    uint8_t op = code[pc++];
    if (op == 0) stack.push_back(stack.back());
    else if (op == 1) {
      int64_t v = pop();
      stack.back() = wrap(stack.back() + v);
    } else if (op == 2) {
      int64_t v = pop();
      stack.back() = wrap(stack.back() * v);
    } else if (op == 3) stack.push_back(static_cast<int8_t>(code[pc++]));
    else if (op == 4) std::swap(stack[stack.size() - 1], stack[stack.size() - 2]);
    else if (op == 5) stack.back() >>= 1;
    else if (op == 6) {
      int64_t v = pop();
      stack.back() ^= v;
    } else if (op == 7) {
      size_t to = code[pc++];
      if (stack.back() & 1) pc = to;
    } else if (op == 8) {
      int64_t v = pop();
      stack.back() = wrap(stack.back() - v);
    } else if (op == 9) stack.back() = wrap(-stack.back());
    else break;
  }
  return static_cast<int32_t>(stack.back());
}

// Jumps back while the value is odd, so that lanes leave the loop at different times.
TEST(IntegerPrograms, InterpreterWithASwitch) {
  const std::vector<uint8_t> code = {0, 3, 3, 2, 3, 1, 1, 6, 5, 7, 0, 3, 5, 8, 7, 0, 9, 10};
  everywhere("integer", [&](Machine &m) {
    const uint32_t n = 150;
    std::vector<int32_t> in(n), want(n);
    for (uint32_t k = 0; k < n; ++k) want[k] = interpret(code, in[k] = static_cast<int32_t>(k * 37) - 500);
    uint64_t out = m.device.allocate(n * 4, "out");
    run(m, "interpreter", shape(2, 96), out, m.upload(code, "code"), uint32_t(code.size()), m.upload(in, "in"), n);
    EXPECT_EQ(m.download<int32_t>(out, n), want);
  });
}

TEST(IntegerPrograms, CallsRecursionAndFunctionPointers) {
  everywhere("integer", [](Machine &m) {
    const uint32_t n = 150;
    auto in = randomWords(n, 9);
    std::vector<uint32_t> want(n);
    for (uint32_t k = 0; k < n; ++k) {
      uint32_t a = in[k], b = k, r = a % 3 == 0 ? 2 * a + 1 : a % 3 == 1 ? a * a : ~a;
      if (a & 1) std::swap(a, b);
      want[k] = r + 3 * a + 5 * b + 2 * (k % 4) + 3; // ackermann(2, n) = 2 n + 3
    }
    uint64_t out = m.device.allocate(n * 4, "out");
    run(m, "calls", shape(2, 96), out, m.upload(in, "in"), n);
    EXPECT_EQ(m.download<uint32_t>(out, n), want);
  });
}

TEST(IntegerPrograms, PrivateArrayPermutation) {
  everywhere("integer", [](Machine &m) {
    const uint32_t n = 150;
    auto in = randomWords(n, 10);
    std::vector<uint32_t> want(n);
    for (uint32_t i = 0; i < n; ++i) {
      std::array<uint32_t, 32> p;
      std::iota(p.begin(), p.end(), 0u);
      uint32_t seed = in[i];
      for (uint32_t k = 31; k > 0; --k) std::swap(p[k], p[((seed = seed * 1664525 + 1013904223) >> 8) % (k + 1)]);
      for (uint32_t v : p) want[i] = want[i] * 31 + v;
    }
    uint64_t out = m.device.allocate(n * 4, "out");
    run(m, "private_permutation", shape(2, 96), out, m.upload(in, "in"), n);
    EXPECT_EQ(m.download<uint32_t>(out, n), want);
  });
}

TEST(IntegerPrograms, AtomicsOfEveryKind) {
  everywhere("integer", [](Machine &m) {
    const uint32_t n = 500, block = 128;
    auto in = randomWords(n, 11);
    std::vector<uint32_t> w = {7, 7, ~0u, 0, ~0u, 5, 1000, 0, 0, 0, 0, 0}, want = w;
    std::vector<uint64_t> d = {0, 0, 3}, wantWide = d;
    for (uint32_t v : in) {
      want[0] += v;
      want[1] = std::max(want[1], v);
      want[2] = std::min(want[2], v);
      want[3] |= v;
      want[4] &= v;
      want[5] ^= v;
      want[6] -= v;
      wantWide[0] += static_cast<uint64_t>(v) * v;
      wantWide[1] =
          static_cast<uint64_t>(std::max<int64_t>(static_cast<int64_t>(wantWide[1]), static_cast<int64_t>(v) - 77));
      wantWide[2] += v & 0xff;
    }
    for (uint32_t g = 0; g * block < n; ++g) {
      uint32_t sum = 0, x = 0, top = 0, count = 0;
      for (uint32_t k = g * block; k < std::min(n, (g + 1) * block); ++k, ++count) {
        sum += in[k];
        x ^= in[k] * 3;
        top = std::max(top, in[k]);
      }
      want[8] += sum;
      want[9] += x;
      want[10] += top;
      want[11] += count;
    }
    uint64_t aw = m.upload(w, "words"), ad = m.upload(d, "wide");
    LaunchConfig c = shape(blocks(n, block), block);
    c.threads = 2;
    run(m, "atomics", c, aw, ad, m.upload(in, "in"), n);
    EXPECT_EQ(m.download<uint32_t>(aw, w.size()), want);
    EXPECT_EQ(m.download<uint64_t>(ad, d.size()), wantWide);
  });
}

} // namespace
