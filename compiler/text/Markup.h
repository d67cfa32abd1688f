// Text that becomes part of XML or HTML.
#pragma once

#include <string>
#include <string_view>

namespace fly {

/// `text` as an element's content or an attribute in quotes of either kind.
inline std::string escapeMarkup(std::string_view text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default: out += c;
    }
  return out;
}

} // namespace fly
