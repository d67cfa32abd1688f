// See RowHead.h.
#include "compiler/search/RowHead.h"

#include <algorithm>
#include <string_view>

namespace fly::driver {

nlohmann::ordered_json headJson(const RowHead &head, const char *outcome) {
  nlohmann::ordered_json json{{"search", head.search}, {"arch", head.arch}, {"job", head.job}, {"outcome", outcome}};
  if (!head.reason.empty())
    json["reason"] = head.reason;
  return json;
}

std::string lineOf(const nlohmann::ordered_json &row) {
  return row.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::optional<size_t> readHead(const nlohmann::ordered_json &row, std::span<const char *const> names, RowHead &head) {
  head.search = row.at("search");
  head.arch = row.at("arch");
  head.job = row.at("job");
  head.reason = row.value("reason", "");
  const std::string outcome = row.at("outcome");
  const auto found =
      std::ranges::find(names, std::string_view(outcome), [](auto *name) { return std::string_view(name); });
  return found == names.end() ? std::nullopt : std::optional(size_t(found - names.begin()));
}

} // namespace fly::driver
