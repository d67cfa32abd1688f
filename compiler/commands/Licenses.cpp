// See Licenses.h.
#include "compiler/commands/Licenses.h"

#include <string_view>

namespace fly::driver {

namespace {

struct Text {
  std::string_view name, text;
};
constexpr Text texts[] = {
#include "compiler/commands/Licenses.inc" // LICENSE, then THIRD-PARTY-NOTICES
};

} // namespace

std::string licenses() {
  std::string all;
  for (const Text &one : texts) {
    if (!all.empty())
      all += "\n\n";
    all += one.text;
  }
  while (!all.empty() && all.back() == '\n')
    all.pop_back();
  return all;
}

} // namespace fly::driver
