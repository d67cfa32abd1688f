// Private: the functions of an object that is not linked yet, for what reads back the code that LLVM made.
#pragma once

#include "compiler/isa/Instruction.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Object/ELFObjectFile.h"

#include <string>
#include <vector>

namespace fly::codegen {

struct FunctionCode {
  llvm::StringRef name;
  uint64_t begin; ///< in its section
  llvm::ArrayRef<uint8_t> bytes;
};

/// Those that the object defines; they live as long as the file's memory.
std::vector<FunctionCode> functionsOf(const llvm::object::ObjectFile &file);

/// A function with its instructions.
struct DecodedFunction {
  std::string name;
  std::vector<isa::Instruction> code;
};

/// Those of an object that can be decoded; none if the object cannot be read.
std::vector<DecodedFunction> decodedFunctionsOf(llvm::StringRef object, const target::Target &target);

} // namespace fly::codegen
