// Private: reading bytes that nobody has checked yet, and the errors about them.
#pragma once

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace fly::container {

/// [offset, offset + size) of the bytes; false if any of it is outside.
inline bool slice(llvm::StringRef bytes, uint64_t offset, uint64_t size, llvm::StringRef &out) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    return false;
  out = bytes.substr(offset, size);
  return true;
}

/// A little-endian number or structure, as every format here has them.
template <class T> bool get(llvm::StringRef bytes, uint64_t offset, T &out) {
  static_assert(std::is_trivially_copyable_v<T>);
  llvm::StringRef from;
  if (!slice(bytes, offset, sizeof(T), from))
    return false;
  std::memcpy(&out, from.data(), sizeof(T));
  return true;
}

inline llvm::Error failure(const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

inline std::string hex(uint64_t value) { return "0x" + llvm::utohexstr(value, true); }

/// A name from a file as messages and paths show it: one line, not endless.
inline std::string shown(llvm::StringRef name) {
  constexpr size_t longest = 256;
  std::string text = name.take_front(longest).str();
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return name.size() > longest ? text + "..." : text;
}

} // namespace fly::container
