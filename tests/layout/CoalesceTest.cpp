// coalesce: the same function, in fewer modes.
#include "LayoutTesting.h"

namespace fly::layout {
namespace {

std::string coalesced(const std::string &text) {
  InferringArithmetic arithmetic;
  return valueOf(coalesce(L(text), arithmetic)).text();
}

TEST(Coalesce, MergesWhatContinues) {
  EXPECT_EQ(coalesced("(2,(1,6)):(1,(6,2))"), "12:1");
  EXPECT_EQ(coalesced("(4,?):(1,4)"), "?{div=4}:1");
  EXPECT_EQ(coalesced("(1,1):(3,4)"), "1:0");
}

TEST(Coalesce, KeepsWhatMayNotContinue) {
  EXPECT_EQ(coalesced("(?,4):(1,?)"), "(?,4):(1,?)");
  EXPECT_EQ(coalesced("(4,4):(1,8)"), "(4,4):(1,8)");
}

TEST(Coalesce, IsTheSameFunction) {
  InferringArithmetic arithmetic;
  for (int s0 = 1; s0 <= 3; ++s0)
    for (int s1 = 1; s1 <= 3; ++s1)
      for (int d0 = 0; d0 <= 4; ++d0)
        for (int d1 = 0; d1 <= 4; ++d1) {
          Layout layout = valueOf(makeLayout(IntTuple({s0, IntTuple({s1, 2})}), IntTuple({d0, IntTuple({d1, 6})})));
          EXPECT_EQ(offsetsOf(valueOf(coalesce(layout, arithmetic))), offsetsOf(layout)) << layout.text();
        }
}

} // namespace
} // namespace fly::layout
