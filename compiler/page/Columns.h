// The parts of a kernel's entry in a page that come from its instructions.
#pragma once

#include "compiler/page/Model.h"
#include "compiler/report/Code.h"

namespace fly::page {

/// Places of all panes of a kernel in one list.
class Places {
public:
  /// `fileOf`: the number of a file of the page by its name.
  explicit Places(std::function<int32_t(const std::string &)> fileOf) : fileOf(std::move(fileOf)) {}
  /// -1 for a line 0.
  int32_t of(const std::string &file, uint32_t line, uint32_t column, int32_t caller);
  /// The number of each line of a text, -1 where it has no place.
  std::vector<int32_t> of(const artifact::PlacedText &text);
  /// [[file, line, column, caller], ...]
  const Json &json() const { return list; }

private:
  std::function<int32_t(const std::string &)> fileOf;
  std::map<std::tuple<int32_t, uint32_t, uint32_t, int32_t>, int32_t> known;
  Json list = Json::array();
};

/// Every instruction, and the arrows between them. `listing`: the report's.
Json codeColumns(const isa::CodeObject &object, const report::Code &code, const Json &listing, Places &places);

/// A text and the places of its lines; null if it is empty, as the IR of a kernel in ISA mode.
Json textColumns(const artifact::PlacedText &text, Places &places);

/// Accesses of tiled copies and of LDS, with the pictures of both.
Json accessList(const std::vector<Access> &accesses, const std::string &architecture, unsigned waveSize,
                Places &places);

} // namespace fly::page
