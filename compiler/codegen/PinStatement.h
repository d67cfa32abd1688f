// Private: the text of the statements that read and write pinned registers (PinnedRegisters.h): "fly.pin v 96 4".
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace llvm {
class Value;
} // namespace llvm

namespace fly::codegen {

/// Registers of one file: 'v', 'a' or 's'.
struct Pinned {
  char file = 0;
  unsigned first = 0, count = 0;

  bool overlaps(const Pinned &other) const {
    return file == other.file && first < other.first + other.count && other.first < first + count;
  }
  /// "v[96:99]", "v7"
  std::string text() const;
  /// "fly.pin v 96 4"
  std::string statement() const;
};

/// The registers of a statement; none if it is another.
std::optional<Pinned> parsePinned(llvm::StringRef statement);
/// Those of a value that is such a statement.
std::optional<Pinned> pinnedBy(const llvm::Value *value);

} // namespace fly::codegen
