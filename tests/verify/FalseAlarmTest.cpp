// Nothing in what clang compiles, at each level of optimization.
#include "tests/verify/TestSupport.h"

namespace fly::verify::test {

TEST(FalseAlarms, NoneInWhatClangCompiles) {
  unsigned proved = 0;
  for (const std::string &path : codeObjectPaths()) {
    const std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    ASSERT_TRUE(bool(object)) << path;
    for (const Proof &proof : prove(*object, {})) {
      proved += proof.verdict() == Verdict::Proved;
      EXPECT_NE(proof.verdict(), Verdict::Errors) << path << "\n" << toText(proof);
      for (const PlacedGap &gap : proof.gaps) // of -O0 alone
        EXPECT_TRUE(gap.why == "a call" || gap.why == "a jump through a register") << path << "\n" << toText(proof);
    }
  }
  EXPECT_GT(proved, 60u);
}

} // namespace fly::verify::test
