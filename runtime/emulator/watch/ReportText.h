// How reports of the emulator are put together: formatted text at the end of a string, and keys of JSON from names.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>
#include <string_view>

namespace fly::emulator {

/// Appends as printf would write it, at most 511 bytes.
__attribute__((format(printf, 2, 3))) inline void put(std::string &out, const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  out += line;
}

/// "vector memory" -> "vector_memory"
inline std::string jsonKey(std::string_view name) {
  std::string text(name);
  for (char &c : text) c = c == ' ' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

} // namespace fly::emulator
