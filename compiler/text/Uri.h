// Paths in URIs.
#pragma once

#include "llvm/ADT/StringExtras.h"

#include <string>

namespace fly {

/// A path with each byte that may not stand in the path of a URI as `%20` (RFC 3986).
inline std::string percentEncoded(llvm::StringRef path) {
  std::string out;
  for (char c : path)
    if (llvm::isAlnum(c) || llvm::StringRef("/-_.~").contains(c))
      out += c;
    else
      out += std::string("%") + llvm::hexdigit(uint8_t(c) >> 4) + llvm::hexdigit(uint8_t(c) & 15);
  return out;
}

} // namespace fly
