// The rule of `flyc build -MD`: which files the artifacts were made from, in the syntax of Make, which Ninja and CMake
// read too.
//
// flyc itself is not listed, as usual for compilers: name it in the rule that calls it, as add_fly_kernel does. Every
// file of the standard library is listed, because flyc reads it each time.
#pragma once

#include <string>
#include <vector>

namespace fly::driver {

struct DepFile {
  std::vector<std::string> targets; ///< as they are to be written
  std::vector<std::string> files;   ///< as they were opened
  bool phony = false;               ///< an empty rule for each file but the first, so that Make survives its removal
  std::string text() const;
};

/// A file name as Make reads it back: `$` is doubled, space and `#` have a backslash, and so has every backslash before
/// them.
std::string quotedForMake(const std::string &name);

} // namespace fly::driver
