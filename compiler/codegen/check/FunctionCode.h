// Private: the functions of an object that is not linked yet, for what reads back the code that LLVM made.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Object/ELFObjectFile.h"

#include <vector>

namespace fly::codegen {

struct FunctionCode {
  llvm::StringRef name;
  uint64_t begin; ///< in its section
  llvm::ArrayRef<uint8_t> bytes;
};

/// Those that the object defines; they live as long as the file's memory.
std::vector<FunctionCode> functionsOf(const llvm::object::ObjectFile &file);

} // namespace fly::codegen
