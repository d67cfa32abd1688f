// Matrix instructions whose terms are aligned, on random matrices, against MatrixReference.h: all bits of all elements.
// Inputs are of many kinds, because each step of the rules shows only on some: ordinary numbers, all bits at random,
// magnitudes far apart, products that cancel, denormals, C of any size, and a few infinities and NaNs.
#include "tests/emulator/MatrixReference.h"
#include "tests/emulator/MatrixVectors.h"

#include <random>

namespace fly::emulator::test::numerics {
namespace {

struct Source {
  std::mt19937 random;
  unsigned kind;
  /// A code of a type, of this kind of input.
  uint32_t code(const std::string &type) {
    const reference::Format f = reference::formatOf(type);
    const unsigned width = widthOf(type);
    const uint32_t any = static_cast<uint32_t>(random()) & (width == 32 ? ~0u : (1u << width) - 1);
    const unsigned top = (1u << f.exponentBits) - 1, bias = static_cast<unsigned>(f.bias);
    unsigned field = bias;
    // clang-format off
    switch (kind) {
    case 0: field = bias - 2 + random() % 4; break;                     // ordinary
    case 1: return any;                                                 // all bits
    case 2: field = 1 + random() % (top - 1); break;                    // any finite size
    case 3: field = random() % 4 ? bias - std::min(bias, 12u) + random() % 12 : 0; break; // with denormals
    case 4: field = random() % 3; break;                                // hardly more than denormals
    case 5: field = bias - std::min(bias - 1, 30u) + random() % 31; break;
    default: field = random() % 16 ? bias + random() % 3 : top; break;  // infinities and NaNs
    }
    // clang-format on
    const uint32_t fraction = any & ((1u << f.fractionBits) - 1);
    return (any & 1u << (width - 1)) | field << f.fractionBits | (random() % 3 ? fraction : 0);
  }
};

bool isZero(uint32_t code) { return (code & 0x7fffffff) == 0; }

void check(const Entry &entry, unsigned seed, bool largest) {
  StepBench bench(entry.arch, {.waveSize = entry.wave});
  if (largest) bench.setMode(bench.mode() | 1u << 23);
  const int number = bench.add(textOf(entry));
  ASSERT_GE(number, 0) << bench.error();
  const bool pairs = entry.wmma;
  const size_t group = entry.a == "xf32" ? 4 : pairs ? 4 : entry.rule.starts_with("GTR") ? 16 : std::min(entry.k, 8u);
  for (unsigned kind = 0; kind < 7; ++kind)
    for (unsigned round = 0; round < 3; ++round) {
      Source source{std::mt19937(seed * 100 + kind * 10 + round), kind};
      Source sourceC{std::mt19937(seed * 100 + kind * 10 + round + 7), round == 0 ? kind : round == 1 ? 2 : 5};
      using Matrix = std::vector<std::vector<uint32_t>>;
      const unsigned m = entry.m, rows = m * entry.blocks;
      Matrix a(rows, std::vector<uint32_t>(entry.k)), b = a, c(rows, std::vector<uint32_t>(m));
      for (unsigned block = 0; block < entry.blocks; ++block)
        for (unsigned i = 0; i < m; ++i) {
          for (unsigned k = 0; k < entry.k; ++k) {
            uint32_t &x = a[block * m + i][k], &y = b[block * m + i][k];
            x = source.code(entry.a);
            y = source.code(entry.b);
            // In every fourth row and column a product cancels its neighbour.
            if (i % 4 == 0 && k % 2) {
              x = a[block * m + i][k - 1];
              y = b[block * m + i][k - 1] ^ (i % 8 ? 0 : 1u << (widthOf(entry.b) - 1));
              if (i % 8) x ^= 1u << (widthOf(entry.a) - 1);
            }
            put(bench, atA, widthOf(entry.a), entry.factorAt(i, block, k), x);
            put(bench, atB, widthOf(entry.b), entry.factorAt(i, block, k), y);
          }
          for (unsigned j = 0; j < m; ++j) {
            c[block * m + i][j] = sourceC.code(entry.c);
            put(bench, atC, widthOf(entry.c), entry.resultAt(i, j, block), c[block * m + i][j]);
          }
        }
      ASSERT_TRUE(bench.step(number)) << bench.error();
      for (unsigned block = 0; block < entry.blocks; ++block)
        for (unsigned i = 0; i < m; ++i)
          for (unsigned j = 0; j < m; ++j) {
            uint32_t want = c[block * m + i][j];
            for (size_t k = 0; k < entry.k; k += group) {
              const reference::Products p =
                  reference::productsOf(entry.a, a[block * m + i], entry.b, b[block * m + j], k, group);
              want = pairs ? reference::stepOf1201(p, reference::widened(entry.c, want), entry.d, largest)
                           : reference::groupOf942(p, entry.rule.starts_with("GTR"), want);
            }
            const auto got = static_cast<uint32_t>(get(bench, atD, widthOf(entry.d), entry.resultAt(i, j, block)));
            if (!pairs && isNan("f32", want) && isNan("f32", got)) continue;
            if (!pairs && isZero(want) && isZero(got)) continue;
            ASSERT_EQ(got, want) << entry.arch << " wave" << entry.wave << " " << entry.instruction << " kind " << kind
                                 << " round " << round << ", row " << i << " column " << j << " block " << block
                                 << std::hex << ": " << got << " and not " << want;
          }
    }
}

} // namespace

TEST(MatrixReference, RandomMatricesBitForBit) {
  unsigned entries = 0;
  for (const auto &[key, value] : instructions()) {
    const Entry entry(*value.getAsObject());
    if (key.str().ends_with("measured") ||
        (!entry.rule.starts_with("TR") && !entry.rule.starts_with("GTR") && !entry.rule.starts_with("four")))
      continue;
    SCOPED_TRACE(key.str());
    check(entry, ++entries, false);
    if (entry.d == "f16") check(entry, entries, true);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(entries, 28u);
}

} // namespace fly::emulator::test::numerics
