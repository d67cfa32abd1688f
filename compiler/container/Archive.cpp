// `ar` archives: after the magic, members of a 60-byte header in text and their bytes, at even offsets.
//
//     scale.o/        1700000000  0     0     100644  5320      `<newline>
//
// Names of more than 15 letters are elsewhere: GNU writes "/17", an offset into the member "//"; BSD writes "#1/20" and
// puts 20 bytes of name before the member's own.
#include "compiler/container/Bytes.h"
#include "compiler/container/Formats.h"

namespace fly::container {

bool isArchive(llvm::StringRef bytes) { return bytes.starts_with("!<arch>\n"); }
bool isThinArchive(llvm::StringRef bytes) { return bytes.starts_with("!<thin>\n"); }

llvm::Error readArchive(llvm::StringRef bytes, Part part) {
  constexpr uint64_t headerBytes = 60;
  llvm::StringRef longNames;
  for (uint64_t at = 8; at < bytes.size();) {
    llvm::StringRef header, content;
    const std::string what = "the archive's member at offset " + hex(at);
    if (!slice(bytes, at, headerBytes, header))
      return failure(what + " has a truncated header");
    if (!header.ends_with("`\n"))
      return failure(what + " has no valid header");
    uint64_t size, length;
    llvm::StringRef sizeText = header.substr(48, 10).rtrim(' '), name = header.take_front(16).rtrim(' ');
    if (sizeText.getAsInteger(10, size))
      return failure(what + " has the size `" + shown(sizeText) + "`");
    if (!slice(bytes, at + headerBytes, size, content))
      return failure(what + " has " + llvm::Twine(size) + " bytes according to its header, more than remain");
    at += headerBytes + size + size % 2;
    if (name == "//") {
      longNames = content;
      continue;
    }
    if (name == "/" || name == "/SYM64/")
      continue;
    if (name.consume_front("#1/")) {
      if (name.getAsInteger(10, length) || length > size)
        return failure(what + " has a name of `" + shown(name) + "` bytes");
      name = content.take_front(length).rtrim('\0');
      content = content.drop_front(length);
    } else if (name.consume_front("/")) {
      if (name.getAsInteger(10, length) || length >= longNames.size())
        return failure(what + " has its name at `" + shown(name) + "` of the long names, outside of them");
      name = longNames.substr(length).take_until([](char c) { return c == '\n' || c == '\0'; });
      name.consume_back("/");
    } else {
      name.consume_back("/");
    }
    if (!name.starts_with("__.SYMDEF") && !part(name, content))
      break;
  }
  return llvm::Error::success();
}

} // namespace fly::container
