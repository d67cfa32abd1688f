// Foreign text and numbers for HTML, SVG and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fly::timing {

/// UTF-8 without control characters: what is neither becomes U+FFFD, a tab a space.
std::string cleanText(std::string_view text);
/// For element content and quoted attributes of HTML and XML.
std::string escaped(std::string_view text);
/// A JSON string that is also safe inside a <script>: no `<`, `>` or `&`.
std::string jsonText(std::string_view text);
/// At most `characters` of UTF-8, the last an ellipsis if it was longer.
std::string shortened(std::string_view text, std::size_t characters);

/// 1234567 -> "1,234,567"
std::string grouped(uint64_t value);
/// With at most `digits` decimals, without trailing zeros; "0" for what is not finite.
std::string decimal(double value, int digits = 2);
/// Three significant digits and a power of ten in words: "12.3 k", "1.02 M". Below 1000 without one.
std::string brief(double value);
/// 0.4567 -> "45.7 %"
std::string percent(double share);
/// For coordinates: two decimals.
std::string coordinate(double value);

} // namespace fly::timing
