// The page of `flyc report --html`: one HTML file that needs nothing else. Its Content-Security-Policy allows its own
// style and script by their hashes, and no request at all.
//
// Names and texts of kernels are foreign. They are in the page only as JSON without `<`, `>` and `&`, and the script
// puts them into the document as text.
#pragma once

#include "compiler/page/Model.h"

namespace fly::page {

/// Each kernel is a piece of JSON of its own, which the script reads when it is chosen.
std::string pageOf(const Json &model, const std::string &title);

} // namespace fly::page
