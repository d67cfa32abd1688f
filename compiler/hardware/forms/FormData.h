// What the registers and memories of a form's rounds hold before it.
#pragma once

#include "compiler/hardware/forms/FormKernel.h"

namespace fly::hardware {

struct FormData {
  unsigned rounds;
  std::vector<uint32_t> input;  ///< rounds * FormLayout::inputDwords()
  std::vector<uint32_t> memory; ///< rounds * FormLayout::memoryDwords()
};

/// Random values, with many that the types in the instruction's name treat specially: the same for a title and a seed.
FormData dataOf(const Form &form, const FormLayout &layout, unsigned rounds, uint64_t seed);

/// The types in an instruction's name, in their order: of "v_cvt_f32_f16" f32 and f16.
struct ValueType {
  unsigned floatBits = 0; ///< 0: an integer; 8: of at most 8 bits
  bool isBfloat = false;
};
std::vector<ValueType> typesIn(llvm::StringRef instruction);

} // namespace fly::hardware
