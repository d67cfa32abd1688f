// Places as editors count them: lines from 0, and in a line the units of the encoding that client and server have
// agreed on, UTF-16 unless the client offers UTF-8. The compiler itself counts bytes.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <vector>

namespace fly::editor {

enum class PositionEncoding { Utf8, Utf16 };

struct Position {
  uint64_t line = 0, character = 0;
  /// None if the message has no such thing.
  static std::optional<Position> read(const llvm::json::Object *object);
};

/// The lines of a text, which must outlive this.
class TextPositions {
public:
  TextPositions(llvm::StringRef text, PositionEncoding encoding);
  Position at(size_t offset) const;
  /// What is beyond a line's end is its end; what is beyond the last line, the end of the text.
  size_t offset(Position position) const;
  llvm::json::Object range(size_t begin, size_t end) const;
  size_t lineOf(size_t offset) const;

private:
  llvm::StringRef text;
  PositionEncoding encoding;
  std::vector<size_t> lineStarts{0};
};

} // namespace fly::editor
