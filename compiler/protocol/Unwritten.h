// A statement of LLVM IR that stands for registers that nothing has written: a comment for the assembler.
//
//     %x = call <4 x i32> asm "; unwritten 3", "=v"()
//
// The number keeps several apart.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace fly::protocol {

inline std::string unwrittenStatement(int64_t number) { return "; unwritten " + std::to_string(number); }

inline bool isUnwritten(llvm::StringRef statement) { return statement.starts_with("; unwritten "); }

} // namespace fly::protocol
