// See DepFile.h. The escapes are those of GCC, which GNU Make and Ninja undo.
#include "compiler/commands/DepFile.h"

namespace fly::driver {

std::string quotedForMake(const std::string &name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == ' ' || c == '\t' || c == '#') {
      for (size_t j = i; c != '#' && j-- > 0 && name[j] == '\\';)
        out += '\\';
      out += '\\';
    } else if (c == '$') {
      out += '$';
    }
    out += c;
  }
  return out;
}

std::string DepFile::text() const {
  std::string out;
  for (auto &target : targets)
    out += (out.empty() ? "" : " \\\n  ") + target;
  out += ":";
  for (auto &file : files)
    out += " \\\n  " + quotedForMake(file);
  out += '\n';
  for (size_t i = 1; phony && i < files.size(); ++i)
    out += '\n' + quotedForMake(files[i]) + ":\n";
  return out;
}

} // namespace fly::driver
