// Source text and places in it. Line tables are built once, when a file is registered, so that a binary search maps a
// byte offset to a line. Columns are counted on demand, since only diagnostics need them.
#include "compiler/diagnostics/Source.h"

#include <algorithm>

namespace fly {

SourceRange join(SourceRange a, SourceRange b) {
  if (!a.valid())
    return b;
  if (!b.valid() || a.file != b.file)
    return a;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

FileId SourceManager::add(std::string displayName, std::string text) {
  File &file = files.emplace_back();
  file.name = std::move(displayName);
  file.text = std::move(text);
  file.lineStarts.push_back(0);
  for (size_t i = 0; i < file.text.size(); ++i)
    if (file.text[i] == '\n')
      file.lineStarts.push_back(static_cast<uint32_t>(i + 1));
  return static_cast<FileId>(files.size());
}

llvm::StringRef SourceManager::name(FileId file) const {
  return file == 0 || file > files.size() ? llvm::StringRef() : llvm::StringRef(files[file - 1].name);
}

llvm::StringRef SourceManager::text(FileId file) const {
  return file == 0 || file > files.size() ? llvm::StringRef() : llvm::StringRef(files[file - 1].text);
}

llvm::StringRef SourceManager::text(SourceRange range) const {
  return text(range.file).slice(range.begin, std::max(range.begin, range.end));
}

LineColumn SourceManager::lineColumn(FileId file, uint32_t offset) const {
  if (file == 0 || file > files.size())
    return {};
  const File &f = files[file - 1];
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(f.text.size()));
  auto next = std::upper_bound(f.lineStarts.begin(), f.lineStarts.end(), offset);
  unsigned line = static_cast<unsigned>(next - f.lineStarts.begin()); // the line that starts before `next`
  uint32_t start = f.lineStarts[line - 1];
  unsigned column = 1;
  for (uint32_t i = start; i < offset; ++i)
    if ((static_cast<unsigned char>(f.text[i]) & 0xC0) != 0x80)
      ++column; // not a UTF-8 continuation byte
  return {line, column};
}

uint32_t SourceManager::offset(FileId file, LineColumn at) const {
  if (file == 0 || file > files.size() || at.line == 0 || at.line > files[file - 1].lineStarts.size())
    return 0;
  const File &f = files[file - 1];
  uint32_t offset = f.lineStarts[at.line - 1];
  const uint32_t end = at.line < f.lineStarts.size() ? f.lineStarts[at.line] : static_cast<uint32_t>(f.text.size());
  for (unsigned column = 1; offset < end; ++offset)
    if ((static_cast<unsigned char>(f.text[offset]) & 0xC0) != 0x80 && column++ == at.column)
      break;
  return offset;
}

llvm::StringRef SourceManager::line(FileId file, unsigned line) const {
  if (file == 0 || file > files.size() || line == 0)
    return {};
  const File &f = files[file - 1];
  if (line > f.lineStarts.size())
    return {};
  uint32_t begin = f.lineStarts[line - 1];
  uint32_t end = line < f.lineStarts.size() ? f.lineStarts[line] : static_cast<uint32_t>(f.text.size());
  return llvm::StringRef(f.text).slice(begin, end).rtrim("\r\n");
}

unsigned SourceManager::lineCount(FileId file) const {
  return file == 0 || file > files.size() ? 0 : static_cast<unsigned>(files[file - 1].lineStarts.size());
}

} // namespace fly
