// See Positions.h.
#include "compiler/editor/Positions.h"

#include <algorithm>

namespace fly::editor {

std::optional<Position> Position::read(const llvm::json::Object *object) {
  if (!object)
    return std::nullopt;
  auto line = object->getInteger("line"), character = object->getInteger("character");
  if (!line || !character || *line < 0 || *character < 0)
    return std::nullopt;
  return Position{uint64_t(*line), uint64_t(*character)};
}

TextPositions::TextPositions(llvm::StringRef text, PositionEncoding encoding) : text(text), encoding(encoding) {
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')))
      lineStarts.push_back(i + 1);
}

size_t TextPositions::lineOf(size_t offset) const {
  return std::upper_bound(lineStarts.begin(), lineStarts.end(), offset) - lineStarts.begin() - 1;
}

/// The units that a byte begins: none inside a character.
static unsigned units(unsigned char byte, PositionEncoding encoding) {
  if (encoding == PositionEncoding::Utf8)
    return 1;
  return (byte & 0xC0) == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1;
}

Position TextPositions::at(size_t offset) const {
  offset = std::min(offset, text.size());
  Position result{lineOf(offset), 0};
  for (size_t i = lineStarts[result.line]; i < offset; ++i)
    result.character += units(text[i], encoding);
  return result;
}

size_t TextPositions::offset(Position position) const {
  if (position.line >= lineStarts.size())
    return text.size();
  size_t at = lineStarts[position.line];
  uint64_t counted = 0;
  auto isInside = [&] { return at < text.size() && (text[at] & 0xC0) == 0x80; };
  while (at < text.size() && counted < position.character && text[at] != '\n' && text[at] != '\r') {
    counted += units(text[at++], encoding);
    while (isInside())
      counted += units(text[at++], encoding);
  }
  return at;
}

llvm::json::Object TextPositions::range(size_t begin, size_t end) const {
  auto json = [](Position position) {
    return llvm::json::Object{{"line", int64_t(position.line)}, {"character", int64_t(position.character)}};
  };
  return llvm::json::Object{{"start", json(at(begin))}, {"end", json(at(end))}};
}

} // namespace fly::editor
