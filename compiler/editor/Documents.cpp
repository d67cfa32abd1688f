// See Documents.h.
#include "compiler/editor/Documents.h"

#include "compiler/sema/module/EmbeddedLibrary.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace fly::editor {

constexpr llvm::StringLiteral libraryScheme = "fly-std://";

std::string pathOfUri(llvm::StringRef uri) {
  if (llvm::StringRef rest = uri; rest.consume_front("fly-std:")) {
    rest.consume_front("//"); // some clients leave an empty authority out
    return (sema::embeddedLibrary + rest).str();
  }
  if (!uri.consume_front("file://"))
    return uri.str();
  if (!uri.starts_with("/"))
    uri = uri.drop_until([](char c) { return c == '/'; }); // a host
  std::string path;
  for (size_t i = 0; i < uri.size(); ++i)
    if (uri[i] == '%' && i + 2 < uri.size() && llvm::isHexDigit(uri[i + 1]) && llvm::isHexDigit(uri[i + 2])) {
      path += char(llvm::hexFromNibbles(uri[i + 1], uri[i + 2]));
      i += 2;
    } else {
      path += uri[i];
    }
  return path;
}

std::string uriOfPath(llvm::StringRef path) {
  if (sema::isEmbedded(path))
    return (libraryScheme + path.drop_front(sema::embeddedLibrary.size())).str();
  if (path.contains(':') && !path.starts_with("/"))
    return path.str(); // untitled:Untitled-1
  llvm::SmallString<256> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  llvm::sys::path::remove_dots(absolute, true);
  std::string uri = "file://";
  for (char c : absolute)
    if (llvm::isAlnum(c) || llvm::StringRef("/-_.~").contains(c))
      uri += c;
    else
      uri += std::string("%") + llvm::hexdigit(uint8_t(c) >> 4) + llvm::hexdigit(uint8_t(c) & 15);
  return uri;
}

std::string realPath(llvm::StringRef path) {
  llvm::SmallString<256> real;
  return llvm::sys::fs::real_path(path, real) ? path.str() : std::string(real);
}

bool applyChange(std::string &text, const llvm::json::Object &change, PositionEncoding encoding) {
  auto replacement = change.getString("text");
  if (!replacement)
    return false;
  const llvm::json::Value *given = change.get("range");
  if (!given || given->getAsNull()) {
    text = replacement->str();
    return true;
  }
  const llvm::json::Object *range = given->getAsObject();
  auto start = range ? Position::read(range->getObject("start")) : std::nullopt,
       end = range ? Position::read(range->getObject("end")) : std::nullopt;
  if (!start || !end)
    return false;
  const TextPositions positions(text, encoding);
  const size_t begin = positions.offset(*start), stop = positions.offset(*end);
  if (stop < begin)
    return false;
  text.replace(begin, stop - begin, replacement->str());
  return true;
}

} // namespace fly::editor
