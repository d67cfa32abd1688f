// Compact layouts: every offset once, and the right mode contiguous.
#include "LayoutTesting.h"

#include <algorithm>

namespace fly::layout {
namespace {

TEST(Construct, StridesOfBothOrders) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(valueOf(columnMajor(T("(4,(2,8))"), arithmetic)).text(), "(4,(2,8)):(1,(4,8))");
  EXPECT_EQ(valueOf(rowMajor(T("(4,(2,8))"), arithmetic)).text(), "(4,(2,8)):(16,(8,1))");
  EXPECT_EQ(valueOf(rowMajor(T("(?,?{div=8})"), arithmetic)).text(), "(?,?{div=8}):(?{div=8},1)");
}

TEST(Construct, CompactLayoutsAreBijections) {
  InferringArithmetic arithmetic;
  for (auto make : {columnMajor, rowMajor}) {
    std::vector<std::int64_t> offsets = offsetsOf(valueOf(make(T("(3,(2,1),5)"), arithmetic)));
    std::sort(offsets.begin(), offsets.end());
    for (std::size_t i = 0; i < offsets.size(); ++i)
      EXPECT_EQ(offsets[i], std::int64_t(i));
  }
}

TEST(Construct, ColumnMajorIsTheIdentity) {
  InferringArithmetic arithmetic;
  std::vector<std::int64_t> offsets = offsetsOf(valueOf(columnMajor(T("((2,3),4)"), arithmetic)));
  for (std::size_t i = 0; i < offsets.size(); ++i)
    EXPECT_EQ(offsets[i], std::int64_t(i));
}

TEST(Construct, OverflowIsRefused) {
  InferringArithmetic arithmetic;
  EXPECT_NE(errorOf(rowMajor(T("(4294967296,4294967296,2)"), arithmetic)).find("64 bits"), std::string::npos);
}

} // namespace
} // namespace fly::layout
