// Counts in messages: "1 row", "3 rows", "0 entries".
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace fly {

/// The form of a word that belongs to `count`: "row" or "rows"; `many` where that is not `one` with an s.
template <std::integral Count> std::string plural(Count count, std::string_view one, std::string_view many = {}) {
  return std::string(count == 1 || many.empty() ? one : many) + (count != 1 && many.empty() ? "s" : "");
}

/// The count and the word.
template <std::integral Count> std::string counted(Count count, std::string_view one, std::string_view many = {}) {
  return std::to_string(count) + " " + plural(count, one, many);
}

} // namespace fly
