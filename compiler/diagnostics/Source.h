// Source text and places in it.
//
// Every file that takes part in a compilation is loaded once and known by a FileId. A place is a byte
// range in one file, eight bytes wide, cheap enough for every syntax node.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace fly {

using FileId = uint32_t; ///< 0 means no file

/// Half-open byte range [begin, end) of a file. A default-constructed range points nowhere.
struct SourceRange {
  FileId file = 0;
  uint32_t begin = 0, end = 0;
  bool valid() const { return file != 0; }
};
/// The smallest range that holds both (of the same file).
SourceRange join(SourceRange a, SourceRange b);

/// Line and column, both counted from 1; columns count Unicode code points.
struct LineColumn {
  unsigned line = 0, column = 0;
};

class SourceManager {
public:
  /// Registers text under the name that diagnostics show and that line tables embed.
  FileId add(std::string displayName, std::string text);
  llvm::StringRef name(FileId file) const;
  llvm::StringRef text(FileId file) const;
  llvm::StringRef text(SourceRange range) const;
  LineColumn lineColumn(FileId file, uint32_t offset) const;
  /// The other direction. What is beyond a line's end is its end.
  uint32_t offset(FileId file, LineColumn at) const;
  /// Files are numbered from 1.
  FileId fileCount() const { return static_cast<FileId>(files.size()); }
  /// The line (from 1) without its line ending.
  llvm::StringRef line(FileId file, unsigned line) const;
  unsigned lineCount(FileId file) const;

private:
  struct File {
    std::string name, text;
    std::vector<uint32_t> lineStarts;
  };
  std::deque<File> files; ///< file N at N - 1; a deque, so that StringRefs stay valid
};

} // namespace fly
