// A statement of LLVM IR that reads or writes pinned registers.
//
//     %x = call <4 x i32> asm sideeffect "fly.pin v 96 4", "=v"()       what v[96:99] hold
//     call void asm sideeffect "fly.pin v 96 4", "v"(<4 x i32> %y)      puts %y there
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace fly::protocol {

/// Registers of one file: 'v', 'a' or 's'.
struct Pinned {
  char file = 0;
  unsigned first = 0, count = 0;

  bool operator==(const Pinned &) const = default;
  bool overlaps(const Pinned &other) const {
    return file == other.file && first < other.first + other.count && other.first < first + count;
  }
  /// "v[96:99]", "v7"
  std::string text() const;
  /// "fly.pin v 96 4"
  std::string statement() const;
  /// Of the statement's value. What is in AGPRs passes through VGPRs.
  char constraint() const { return file == 's' ? 's' : 'v'; }
};

/// The registers of a statement; none if it is another, or malformed.
std::optional<Pinned> parsePinned(llvm::StringRef statement);

} // namespace fly::protocol
