// Matrix instructions bit for bit: every vector of facts/matrix_numerics.json, and the fast arithmetic's difference.
//
// A vector is a row of A, a column of B and an element of C. Vector n of an execution is row n of A and column n of B
// in some block, so its result is at (n, n).
#include "tests/emulator/MatrixVectors.h"

#include <sstream>

namespace fly::emulator::test::numerics {
namespace {

std::vector<uint64_t> codes(llvm::StringRef text) {
  std::vector<uint64_t> r;
  std::istringstream in(text.str());
  for (std::string code; in >> code;) r.push_back(std::stoull(code, nullptr, 16));
  return r;
}
bool matches(const std::string &type, uint64_t got, llvm::StringRef want) {
  if (want == "nan") return isNan(type, got);
  if (want == "zero") return got == 0 || got == 1ull << (widthOf(type) - 1);
  return got == std::stoull(want.str(), nullptr, 16);
}

/// Executes all vectors of an entry; the number that differ, which are failures if `expected`.
unsigned differences(StepBench &bench, const llvm::json::Object &o, bool expected) {
  const Entry entry(o);
  const bool dot = entry.instruction.starts_with("v_dot2");
  std::string text = dot ? entry.instruction + " v0, v64, v80, v32" : textOf(entry);
  const llvm::json::Array &vectors = *o.getArray("vectors");
  const unsigned each = dot ? 1 : entry.m * entry.blocks;
  const unsigned factor = widthOf(entry.a), addend = widthOf(entry.c), result = widthOf(entry.d);
  unsigned wrong = 0;
  for (size_t first = 0; first < vectors.size(); first += each) {
    for (unsigned r = 0; r < 96; ++r) bench.splat(r, 0);
    auto eachVector = [&](auto f) {
      for (size_t n = first; n < std::min(vectors.size(), first + each); ++n) {
        const unsigned row = static_cast<unsigned>(n - first) % entry.m,
                       block = static_cast<unsigned>(n - first) / entry.m;
        f(*vectors[n].getAsObject(), row, block, dot ? Entry::At{0, 0} : entry.resultAt(row, row, block));
      }
    };
    eachVector([&](const llvm::json::Object &v, unsigned row, unsigned block, Entry::At at) {
      const std::vector<uint64_t> a = codes(*v.getString("a")), b = codes(*v.getString("b"));
      for (unsigned k = 0; k < entry.k; ++k) {
        put(bench, atA, factor, dot ? Entry::At{0, k} : entry.factorAt(row, block, k), a[k]);
        put(bench, atB, factor, dot ? Entry::At{0, k} : entry.factorAt(row, block, k), b[k]);
      }
      put(bench, atC, addend, at, codes(*v.getString("c"))[0]);
    });
    const int number = bench.add(text);
    if (number < 0 || !bench.step(number)) {
      ADD_FAILURE() << text << ": " << bench.error();
      return 0;
    }
    eachVector([&](const llvm::json::Object &v, unsigned, unsigned, Entry::At at) {
      const uint64_t got = get(bench, atD, result, at);
      if (matches(entry.d, got, *v.getString("d"))) return;
      ++wrong;
      if (expected)
        ADD_FAILURE() << entry.arch << " wave" << entry.wave << " " << text << ": " << v.getString("d")->str()
                      << " and not " << std::hex << got << " (" << v.getString("why")->str() << ")\n  a "
                      << v.getString("a")->str() << "\n  b " << v.getString("b")->str() << "\n  c "
                      << v.getString("c")->str();
    });
  }
  if (expected && !wrong) recordSource(entry.arch, isa::name(bench.instruction(bench.add(text)).op), "facts");
  return wrong;
}

} // namespace

TEST(MatrixNumerics, EveryVectorBitForBit) {
  unsigned entries = 0;
  for (const auto &[key, value] : instructions()) {
    const llvm::json::Object &o = *value.getAsObject();
    StepBench bench(o.getString("arch")->str(), {.waveSize = static_cast<unsigned>(*o.getInteger("wave"))});
    differences(bench, o, true);
    ++entries;
  }
  EXPECT_EQ(entries, 59u);
}

/// gfx950's shapes that gfx942 has too are taken to have its arithmetic.
TEST(MatrixNumerics, ShapesOfGfx942OnGfx950) {
  StepBench bench("gfx950");
  unsigned entries = 0;
  for (const auto &[key, value] : instructions()) {
    const llvm::json::Object &o = *value.getAsObject();
    const std::string type = o.getObject("types")->getString("a")->str();
    if (o.getString("arch") != llvm::StringRef("gfx942") || type == "xf32" || type == "bf8z" || type == "fp8z")
      continue;
    EXPECT_EQ(differences(bench, o, false), 0u) << key.str();
    ++entries;
  }
  EXPECT_EQ(entries, 22u);
}

TEST(MatrixNumerics, TheFastArithmeticDiffersWhereTheMachineIsNoChain) {
  for (const auto &[key, value] : instructions()) {
    const llvm::json::Object &o = *value.getAsObject();
    const std::string rule = o.getString("rule")->str();
    StepBench bench(o.getString("arch")->str(), {.waveSize = static_cast<unsigned>(*o.getInteger("wave"))});
    bench.wave().mode.fastMatrix = true;
    const bool chain = rule.find("groups") == std::string::npos && rule.find("steps") == std::string::npos;
    EXPECT_EQ(differences(bench, o, false) == 0, chain) << key.str() << ": " << rule;
  }
}

} // namespace fly::emulator::test::numerics
