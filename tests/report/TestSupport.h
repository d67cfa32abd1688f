// What the tests of this folder share: a kernel from assembly, with a descriptor that sets up s0-s15 and v0.
#pragma once

#include "compiler/report/Code.h"
#include "compiler/target/Target.h"
#include "tests/isa/TestSupport.h"

namespace fly::report::test {

using isa::test::codeObject;
using isa::test::codeObjectPaths;
using isa::test::errorOf;
using isa::test::readFile;

inline const target::Target &targetOf(std::string_view architecture) { return *target::findReadable(architecture); }

inline const isa::Kernel &plainKernel() {
  static const isa::Kernel kernel = [] {
    isa::Kernel k;
    k.descriptor.userSgprs = 16;
    return k;
  }();
  return kernel;
}

/// Branch targets are offsets in words after the branch, as the assembler takes them: `s_cbranch_scc1 0xfffd`.
inline Code assemble(const std::string &text, const char *architecture) {
  auto encoder = isa::Encoder::create(architecture);
  auto decoder = isa::Decoder::create(architecture);
  auto parts = (*encoder)->assemble(text);
  EXPECT_TRUE(bool(parts)) << errorOf(parts);
  isa::Encoding code;
  if (parts)
    for (const isa::Encoding &part : *parts)
      code.insert(code.end(), part.begin(), part.end());
  auto list = (*decoder)->decodeKernel(code, 0x1000);
  EXPECT_TRUE(bool(list)) << errorOf(list);
  Code out("kernel", list ? std::move(*list) : std::vector<isa::Instruction>());
  out.kernel = &plainKernel();
  out.address = 0x1000;
  for (const isa::Instruction &i : out.instructions)
    out.texts.push_back((*decoder)->print(i));
  return out;
}

} // namespace fly::report::test
