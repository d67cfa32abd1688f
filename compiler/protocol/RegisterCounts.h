// Attributes of a kernel's LLVM function whose value is a number of registers.
//
//     "fly-vgprs"="128"                    `@kernel(vgprs=128)`: at most so many VGPRs
//     "fly-agprs"="64"                     `@kernel(agprs=64)`: at most so many AGPRs
//     "fly-accumulator-registers"="256"    the registers of a wave that its matrix instructions add to
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fly::protocol {

struct RegisterCount {
  llvm::StringLiteral name;

  static std::string write(uint64_t registers) { return std::to_string(registers); }
  /// None if the function does not have the attribute: its value is then empty.
  static std::optional<unsigned> read(llvm::StringRef value) {
    unsigned registers = 0;
    return value.getAsInteger(10, registers) ? std::nullopt : std::optional(registers);
  }
};

inline constexpr RegisterCount vgprBudget{"fly-vgprs"}, agprBudget{"fly-agprs"},
    accumulatorRegisters{"fly-accumulator-registers"};

} // namespace fly::protocol
