// What the tests of this folder share: the compiled kernels, and decoding a line of assembly.
#pragma once

#include "compiler/isa/CodeObject.h"
#include "compiler/isa/Decoder.h"
#include "compiler/isa/Encoder.h"
#include "compiler/target/Target.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fly::isa::test {

/// The names of all rows of compiler/target.
inline std::vector<std::string> architectures() {
  std::vector<std::string> names;
  for (const target::Target &row : target::all())
    names.emplace_back(row.name);
  return names;
}

/// Paths of all code objects in a folder, by default of the compiled kernels.
inline std::vector<std::string> codeObjectPaths(const char *folder = ISA_TEST_KERNELS) {
  std::vector<std::string> paths;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error))
    if (llvm::StringRef(it->path()).ends_with(".hsaco"))
      paths.push_back(it->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

inline std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}
inline std::string codeObject(const std::string &name) { return readFile(ISA_TEST_KERNELS "/" + name + ".hsaco"); }

template <class T> std::string errorOf(llvm::Expected<T> &expected) {
  return expected ? std::string() : llvm::toString(expected.takeError());
}

/// Assembles one line and decodes it at address 0x1000; a failed assertion and an empty instruction otherwise.
inline Instruction decodeLine(const std::string &line, const char *architecture, unsigned waveSize = 0) {
  auto encoder = Encoder::create(architecture, waveSize);
  auto decoder = Decoder::create(architecture, waveSize);
  if (!encoder || !decoder) {
    ADD_FAILURE() << errorOf(encoder) << errorOf(decoder);
    return {};
  }
  auto code = (*encoder)->assemble(line);
  if (!code || code->size() != 1) {
    ADD_FAILURE() << line << ": " << errorOf(code);
    return {};
  }
  auto inst = (*decoder)->decodeOne(code->front(), 0x1000);
  if (!inst) {
    ADD_FAILURE() << line << ": " << errorOf(inst);
    return {};
  }
  return *inst;
}

/// The explicit operands as text: "dst=v3 src0=-v1 src1=s4 src2=0x3f800000".
inline std::string rolesOf(const Instruction &inst) {
  std::string text;
  for (const Operand &o : inst.operands) {
    if (o.role == Role::Implicit)
      continue;
    std::string value = toString(o);
    if (o.abs)
      value = "|" + value + "|";
    if (o.neg)
      value = "-" + value;
    text += (text.empty() ? "" : " ") + std::string(name(o.role)) + "=" + value;
  }
  return text;
}

} // namespace fly::isa::test
