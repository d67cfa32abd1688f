// MFMA against the element maps and register counts of AMD's matrix instruction calculator (facts/mma_facts.json).
//
// Random values, products in double by the facts' maps: D's map must agree exactly, those of A and B up to one common
// permutation of k, since any other difference changes the product.
#include "tests/emulator/MatrixSupport.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

namespace fly::emulator::test {
namespace {

llvm::json::Object facts() {
  auto file = llvm::MemoryBuffer::getFile(FLY_MMA_FACTS);
  if (!file) return {};
  auto parsed = llvm::json::parse((*file)->getBuffer());
  if (!parsed) return llvm::consumeError(parsed.takeError()), llvm::json::Object();
  return *parsed->getAsObject();
}

Layout layoutFrom(const llvm::json::Array &lanes) {
  Layout layout;
  for (const auto &lane : lanes) {
    layout.emplace_back();
    for (const auto &place : *lane.getAsArray()) {
      const llvm::json::Array &p = *place.getAsArray();
      layout.back().push_back({static_cast<unsigned>(*p[0].getAsInteger()), static_cast<unsigned>(*p[1].getAsInteger()),
                               p.size() > 2 ? static_cast<unsigned>(*p[2].getAsInteger()) : 0});
    }
  }
  return layout;
}

TEST(MatrixFacts, ProductsByTheCalculatorsMaps) {
  std::mt19937 random(7);
  unsigned checked = 0;
  for (const auto &[key, value] : facts()) {
    const llvm::json::Object &fact = *value.getAsObject();
    if (fact.getString("arch") != llvm::StringRef("gfx942") || !fact.getArray("A")) continue;
    Layouts at{layoutFrom(*fact.getArray("A")), layoutFrom(*fact.getArray("B")), layoutFrom(*fact.getArray("D"))};
    for (const char *arch : {"gfx942", "gfx950"}) {
      Shape s = shapeOf(fact.getString("instruction")->str(), arch);
      if (s.a == Element::Xf32 && std::string(arch) == "gfx950") continue; // has none
      SCOPED_TRACE(std::string(arch) + " " + s.name);
      StepBench bench(arch);
      EXPECT_EQ(at.a[0].size(), s.elementsA());
      EXPECT_EQ(at.d[0].size(), s.elementsD());
      bool good = true;
      for (unsigned n = 0; n < 4 && good; ++n) good = checkProduct(bench, s, at, random);
      Operand64 a(s.a, s.elementsA()), b(s.b, s.elementsB()), d(s.d, s.elementsD());
      if (good) recordSource(arch, opNameOf(bench, textOf(s, a, b, d)), "facts");
      ++checked;
    }
  }
  EXPECT_GE(checked, 30u);
}

TEST(MatrixFacts, RegisterCounts) {
  unsigned checked = 0;
  for (const auto &[key, value] : facts()) {
    const llvm::json::Object &fact = *value.getAsObject();
    if (fact.getString("arch") != llvm::StringRef("gfx942")) continue;
    Shape s = shapeOf(fact.getString("instruction")->str(), "gfx942");
    SCOPED_TRACE(s.name);
    EXPECT_EQ(s.m, *fact.getInteger("M"));
    EXPECT_EQ(s.k, *fact.getInteger("K"));
    EXPECT_EQ(s.blocks, *fact.getInteger("blocks"));
    const llvm::json::Object &registers = *fact.getObject("registers");
    auto count = [&](const char *which) { return static_cast<unsigned>(std::stoi(registers.getString(which)->str())); };
    StepBench bench("gfx942");
    Operand64 a(s.a, s.elementsA()), b(s.b, s.elementsB()), d(s.d, s.elementsD());
    int n = bench.add(textOf(s, a, b, d));
    ASSERT_GE(n, 0) << bench.error();
    const isa::Instruction &inst = bench.instruction(n);
    EXPECT_EQ(inst.find(isa::Role::Src0)->width, count("A"));
    EXPECT_EQ(inst.find(isa::Role::Src1)->width, count("B"));
    EXPECT_EQ(inst.find(isa::Role::Dst)->width, count("D"));
    EXPECT_TRUE(bench.known(n));
    ++checked;
  }
  EXPECT_EQ(checked, 46u);
}

} // namespace
} // namespace fly::emulator::test
