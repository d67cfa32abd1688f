// Demangled names, short and base forms, and what `--kernel` means by one.
#include "compiler/report/Names.h"

#include "gtest/gtest.h"

namespace fly::report::test {

TEST(Names, OfTemplates) {
  const char *symbol = "_ZN2nn4gemmILi128EDF16_EEvPKT0_i";
  EXPECT_EQ(demangled(symbol), "void nn::gemm<128, _Float16>(_Float16 const*, int)");
  EXPECT_EQ(baseName(symbol), "gemm");
  EXPECT_EQ(demangled("gemm"), "");
  EXPECT_EQ(demangled("_Z"), "");
  EXPECT_EQ(baseName("gemm"), "gemm");
  EXPECT_EQ(baseName("_ZN12_GLOBAL__N_14fastEv"), "fast");
}

TEST(Names, AreShortenedFromTheInside) {
  const std::string name = "void ns::kernel<ns::Tile<ns::Shape<128, 64>, ns::Layout<ns::Row, 1>>, float>(float*)";
  EXPECT_EQ(shortened(name, 100), name);
  EXPECT_EQ(shortened(name, 60), "void ns::kernel<ns::Tile<...>, float>(float*)");
  EXPECT_EQ(shortened(name, 40), "void ns::kernel<...>(...)");
}

TEST(Names, AreFoundByTheirParts) {
  const std::string a = "_ZN2nn4gemmILi128EDF16_EEvPKT0_i", b = "_ZN2nn4gemmILi64EDF16_EEvPKT0_i", c = "_ZN2nn4normEPf",
                    d = "plain";
  EXPECT_EQ(resolveName("norm", {a, b, c, d}), c);
  EXPECT_EQ(resolveName("nn::norm", {a, b, c, d}), c);
  EXPECT_EQ(resolveName("nn::norm(float*)", {a, b, c, d}), c);
  EXPECT_EQ(resolveName(c, {a, b, c, d}), c);
  EXPECT_EQ(resolveName("gemm", {a, b, c, d}), "gemm") << "there are two";
  EXPECT_EQ(resolveName("gemm", {a, c}), a);
  EXPECT_EQ(resolveName("void nn::gemm<64, _Float16>(_Float16 const*, int)", {a, b}), b);
  EXPECT_EQ(resolveName("plain", {a, d}), "plain");
}

} // namespace fly::report::test
