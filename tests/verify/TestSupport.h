// What the tests of this folder share: the verdict on a few lines of assembly.
#pragma once

#include "compiler/verify/Proof.h"
#include "tests/isa/TestSupport.h"

namespace fly::verify::test {

using isa::test::codeObjectPaths;
using isa::test::errorOf;
using isa::test::readFile;

/// Branch targets are offsets in words after the branch, as the assembler takes them: `s_cbranch_scc1 0xfffd`.
inline Result resultOf(const std::string &text, const char *architecture, const Options &options = {}) {
  auto encoder = isa::Encoder::create(architecture);
  auto decoder = isa::Decoder::create(architecture);
  auto parts = (*encoder)->assemble(text);
  EXPECT_TRUE(bool(parts)) << errorOf(parts) << text;
  isa::Encoding code;
  if (parts)
    for (const isa::Encoding &part : *parts)
      code.insert(code.end(), part.begin(), part.end());
  auto list = (*decoder)->decodeKernel(code, 0x1000);
  EXPECT_TRUE(bool(list)) << errorOf(list) << text;
  if (!list)
    return {};
  return verify(*list, isa::ControlFlow(*list), *target::find(architecture), options);
}

/// "wait-read 0 2: v1 is ..." a finding a line.
inline std::string toText(const std::vector<Finding> &findings) {
  std::string out;
  for (const Finding &f : findings)
    out += std::string(f.rule->name) + " " + std::to_string(f.first) + " " + std::to_string(f.second) + ": " +
           f.message + "\n";
  return out;
}
inline std::string errorsOf(const std::string &text, const char *architecture, const Options &options = {}) {
  return toText(resultOf(text, architecture, options).errors);
}
/// Doubts are errors.
inline Options strict() {
  Options options;
  options.strict = true;
  return options;
}

} // namespace fly::verify::test
