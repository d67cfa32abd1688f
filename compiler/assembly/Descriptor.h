// The 64 bytes of a kernel descriptor: made from fields as the assembler's directives name them, and taken apart into
// such fields again.
//
// Not every descriptor can be said by directives: reserved bits, counts that the assembler rounds or refuses. For these
// there are whole words by the names of LLVM's AMDGPUUsage, which replace what the directives make:
//
//     isa.descriptor(next_free_vgpr=64, compute_pgm_rsrc1=0x00af0387)
#pragma once

#include "compiler/isa/CodeObject.h"
#include "compiler/target/Target.h"

#include <optional>

namespace fly::assembly {

using DescriptorFields = std::vector<std::pair<std::string, int64_t>>;

/// A word of the descriptor by its name.
struct DescriptorWord {
  const char *name;
  uint8_t offset, size; ///< bytes
  bool holds(int64_t value) const { return value >= 0 && value < int64_t(1) << 8 * size; }
};
/// All but the offset of the code.
llvm::ArrayRef<DescriptorWord> descriptorWords();
const DescriptorWord *findDescriptorWord(llvm::StringRef name);

/// Puts words into a relocatable object.
llvm::Error setDescriptorWords(std::string &object, llvm::StringRef kernel, const DescriptorFields &words);

/// VGPRs, with AGPRs where they share a file.
unsigned vectorRegistersOf(const isa::Kernel &kernel, const target::Target &target);

/// The fields of `isa.descriptor(...)` that make a descriptor of these bytes, given what the kernel says otherwise:
/// `kernargBytes` of parameters and `lds=`.
DescriptorFields descriptorFields(const isa::Kernel &kernel, llvm::ArrayRef<uint8_t> bytes,
                                  const target::Target &target, uint32_t kernargBytes, uint32_t ldsBytes);

} // namespace fly::assembly
