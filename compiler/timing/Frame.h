// The frame of a page that needs nothing else: style, script, and the policy that allows these two by their hashes and
// nothing else. Pages of other folders have it, too, so that all look and behave alike.
#pragma once

#include <string>
#include <string_view>

namespace fly::timing {

/// A file of page/, by its name without the extension: "base" is the style that all pages begin with.
std::string_view pageFile(std::string_view name);

struct Document {
  std::string title;  ///< plain text
  std::string style;  ///< CSS after that of the palette
  std::string script; ///< of one function's body; the button with the id `theme` is there already
  std::string body;   ///< HTML, with an element of that id
  std::string bodyClass;
};
std::string document(const Document &parts);

} // namespace fly::timing
