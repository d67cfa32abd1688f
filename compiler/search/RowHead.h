// What the rows of all searches begin with, and how a row is a line of JSON. JobRows.h reads the same keys without knowing
// the rest.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <string>

namespace fly::driver {

struct RowHead {
  std::string search; ///< its identity
  std::string arch;
  unsigned job = 0;
  std::string reason; ///< unless all is well
};

nlohmann::ordered_json headJson(const RowHead &head, const char *outcome);
std::string lineOf(const nlohmann::ordered_json &row);

/// Fills in the head; the index of the outcome among `names`, or none. Throws what the JSON library throws.
std::optional<size_t> readHead(const nlohmann::ordered_json &row, std::span<const char *const> names, RowHead &head);

/// The row of a line, whose rest `read` fills in with the index of the outcome. None if the text is not a row: the last
/// line of a journal may be cut off.
template <typename Row, typename Read>
std::optional<Row> parseRow(const std::string &line, std::span<const char *const> names, const Read &read) {
  try {
    const auto json = nlohmann::ordered_json::parse(line);
    Row row;
    const auto outcome = readHead(json, names, row);
    if (!outcome)
      return std::nullopt;
    read(json, *outcome, row);
    return row;
  } catch (const nlohmann::ordered_json::exception &) {
    return std::nullopt;
  }
}

} // namespace fly::driver
