// Which instructions does the test of a program check? Those that it would notice if they were wrong.
//
// After a test body has passed, it is run again and again, each time with one of the kernel's instructions broken
// (runtime/emulator/launch/Mutation.h); when the body's comparisons fail, that instruction is recorded as checked. An
// instruction that computes counts only if the results differ: a fault is what every wrong address gives, and says
// little about the value. For memory, branches, barriers and waits a fault counts too.
//
// Only for the coverage page, so nothing happens without $FLY_COVERAGE_DIR. An instruction that goes unnoticed several
// times (`attempts`) on an architecture is not tried again there.
#pragma once

#include "runtime/emulator/launch/Mutation.h"
#include "tests/emulator/CoverageRecord.h"

#include <cstdlib>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <tuple>

namespace fly::emulator::test {

/// `body` launches kernels of `module` on the module's device and compares their results with EXPECT_ or ASSERT_; it
/// must give the same answer each time. `kernel`: only that kernel's instructions are tried.
template <class F>
void recordNoticed(const Module &module, std::string_view source, F body, std::string_view kernel = {}) {
  if (!std::getenv("FLY_COVERAGE_DIR") || testing::Test::HasFailure()) return;
  constexpr int attempts = 4;
  static std::map<std::tuple<std::string, isa::Op, std::string>, int> unnoticed; // attempts: noticed, or given up
  const std::string arch(module.arch->name);
  for (auto [op, cls] : decodedOps(module, kernel)) {
    int &tries = unnoticed[{arch, op, std::string(source)}];
    if (tries >= attempts) continue;
    ++tries;
    breakOp(module, op);
    testing::TestPartResultArray results;
    {
      testing::ScopedFakeTestPartResultReporter reporter(
          testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
      body();
    }
    bool failed = false;
    for (int k = 0; k < results.size(); ++k) failed |= results.GetTestPartResult(k).failed();
    const bool computes = cls == isa::Class::Vector || cls == isa::Class::Transcendental || cls == isa::Class::Matrix ||
                          cls == isa::Class::Scalar;
    if (!failed || (computes && module.faulted)) continue;
    tries = attempts;
    recordSource(arch, isa::name(op), source);
  }
  breakOp(module, isa::Op::Invalid);
}

} // namespace fly::emulator::test
