// The text forms: what is printed is read back as the same value, and what is wrong is refused with its place.
#include "LayoutTesting.h"

namespace fly::layout {
namespace {

TEST(Text, LayoutsSurviveARoundTrip) {
  for (const char *text : {"4:1", "((4),?):((1),4)", "():()", "(?{div=8},(2,?{i64})):(?{i64,div=16},(1,-3))"})
    EXPECT_EQ(L(text).text(), text);
}

TEST(Text, TuplesOfOneAreNotIntegers) {
  EXPECT_NE(T("8"), T("(8)"));
  EXPECT_EQ(T("(8)").depth(), 1u);
  EXPECT_EQ(T("(8,)"), T("(8)"));
}

TEST(Text, BlanksAndAnnotationsInAnyOrder) {
  EXPECT_EQ(T(" ( _ , ? { div = 4 , i64 } ) ").text(), "(_,?{i64,div=4})");
  EXPECT_EQ(T("?{i32}"), T("?"));
}

TEST(Text, ErrorsSayWhere) {
  EXPECT_EQ(errorOf(parseLayout("(4,2)")), "expected `:` between shape and stride at character 6 of `(4,2)`");
  EXPECT_EQ(errorOf(parseIntTuple("(4")), "expected `,` or `)` at character 3 of `(4`");
  EXPECT_EQ(errorOf(parseIntTuple("x")), "expected an integer, `?`, `_` or `(` at character 1 of `x`");
  EXPECT_EQ(errorOf(parseIntTuple("4 4")), "unexpected text at character 3 of `4 4`");
  EXPECT_EQ(errorOf(parseIntTuple("?{div=0}")), "a divisibility must be at least 1 at character 8 of `?{div=0}`");
  EXPECT_EQ(errorOf(parseIntTuple("?{div=8,div=3}")), "a second divisibility ends at character 14 of `?{div=8,div=3}`");
  EXPECT_EQ(errorOf(parseIntTuple("?{i64,div=8,i32}")), "a second width ends at character 16 of `?{i64,div=8,i32}`");
  EXPECT_EQ(T("?{i32,div=8}").text(), "?{div=8}");
  EXPECT_EQ(errorOf(parseIntTuple("?{f32}")), "expected `i32`, `i64` or `div=` at character 3 of `?{f32}`");
  EXPECT_EQ(errorOf(parseIntTuple("?{div 4}")), "expected `=` at character 7 of `?{div 4}`");
  EXPECT_EQ(errorOf(parseIntTuple("?{i64")), "expected `}` at character 6 of `?{i64`");
}

TEST(Text, NumbersPast64BitsAreRefused) {
  EXPECT_NE(errorOf(parseIntTuple("9223372036854775808")).find("does not fit in 64 bits"), std::string::npos);
}

TEST(Text, DeepNestingIsRefused) {
  EXPECT_NE(errorOf(parseIntTuple(std::string(100000, '('))).find("nests deeper than"), std::string::npos);
}

TEST(Text, LayoutsAreChecked) {
  EXPECT_EQ(errorOf(parseLayout("(4,2):1")), "shape `(4,2)` and stride `1` are nested differently");
  EXPECT_EQ(errorOf(parseLayout("(4,_):(1,2)")), "`_` belongs in a coordinate, not in a layout");
  EXPECT_EQ(errorOf(parseLayout("-4:1")), "an extent cannot be negative; found `-4`");
}

TEST(Text, EqualValuesHaveEqualHashes) {
  EXPECT_EQ(hash_value(L("(4,?):(1,4)")), hash_value(L("(4,?):(1,4)")));
  EXPECT_NE(hash_value(L("(4,?):(1,4)")), hash_value(L("(4,?):(1,8)")));
}

} // namespace
} // namespace fly::layout
