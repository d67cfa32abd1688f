// FLY0950: workarounds for wrong code of LLVM are tested with one version of it.
#include "compiler/compilation/Session.h"
#include "compiler/compilation/TestedLlvm.h"

#include <gtest/gtest.h>

namespace fly::driver {
namespace {

TEST(UntestedLlvm, IsWarnedOf) {
  Session session({});
  warnOfUntestedLlvm(session, "23.0.1");
  ASSERT_EQ(session.diags.all().size(), 1u);
  EXPECT_EQ(session.diags.all()[0].message,
            "this flyc was built with LLVM 23.0.1, and tested with " + testedLlvm.str());
}

TEST(UntestedLlvm, TheTestedOneIsSilent) {
  Session session({});
  warnOfUntestedLlvm(session, testedLlvm);
  EXPECT_TRUE(session.diags.all().empty());
}

} // namespace
} // namespace fly::driver
