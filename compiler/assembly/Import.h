// From machine code to a .fly kernel with `isa=True` that assembles to the same bytes.
//
//     v_add_f32_e32 v0, s4, v0                  isa.v_add_f32_e32(v[0], s[4], v[0])
//     s_cbranch_scc1 .L2                        isa.s_cbranch_scc1(L2)
//
// Each instruction is printed, read, and assembled again as ISA mode will. What does not come back as it was becomes
// `isa.raw(...)`: other encodings than the assembler's own, padding. So does what no path leads to: data.
#pragma once

#include "compiler/isa/CodeObject.h"

#include <set>

namespace fly::assembly {

struct Imported {
  std::string name;                   ///< of the function in the source
  std::vector<std::string> outside;   ///< "refers to `helper`": what it needs beside its own code
  std::string text;                   ///< the kernel, without imports
  std::set<std::string> registers;    ///< names of fly.amd.reg that it uses
  unsigned instructions = 0, raw = 0; ///< of which as bytes
  std::string problem;                ///< why it cannot be imported; the rest is empty
};

/// `names`: those that the file has already; the kernel's is added.
Imported importKernel(const isa::CodeObject &object, const isa::Kernel &kernel, std::set<std::string> &names);
/// A file with kernels of one architecture.
std::string importedFile(llvm::ArrayRef<Imported> kernels, llvm::StringRef from, llvm::StringRef architecture);

} // namespace fly::assembly
