// Nothing in what clang compiles, at each level of optimization.
#include "tests/verify/TestSupport.h"

namespace fly::verify::test {

TEST(FalseAlarms, NoneInWhatClangCompiles) {
  unsigned proved = 0, all = 0;
  for (const std::string &path : codeObjectPaths()) {
    const std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    ASSERT_TRUE(bool(object)) << path;
    for (const Proof &proof : prove(*object, {})) {
      ++all;
      proved += proof.verdict() == Verdict::Proved;
      EXPECT_NE(proof.verdict(), Verdict::Errors) << path << "\n" << toText(proof);
    }
  }
  EXPECT_GT(proved, all / 2);
}

} // namespace fly::verify::test
