// The grid of `flyc sweep`: what is varied, from a file of JSON (docs/sweep.md, docs/schema/sweep-grid.schema.json).
//
//     {"schema_version": 1,
//      "constants": {"BM": [64, 128]},                       as -D BM=64
//      "llvm": {"enable-post-misched": [null, false]},       as --llvm enable-post-misched=false; null: not given
//      "where": "BM <= 128", "benches": "small", "checks": "multiplies"}
//
// A point is one value per axis. The constants come first, each kind in the order of the file, the last axis fastest.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fly::driver {

struct SweepAxis {
  std::string name;
  bool isLlvm = false;
  std::vector<std::optional<std::string>> values; ///< as -D or --llvm takes them; none: not given
};

struct SweepGrid {
  std::vector<SweepAxis> axes;
  std::string where;           ///< a .fly expression over the constants and `llvm`; empty: all points
  std::string benches, checks; ///< words of their titles; empty: all
  std::string kernel;          ///< whose figures are tabulated; empty: the one that takes most

  size_t points() const;
  /// The value of each axis, by the number of the point.
  std::vector<std::optional<std::string>> point(size_t number) const;
  /// "BM=64 enable-post-misched=false"; "as in the source" if nothing is given.
  std::string title(size_t number) const;

  /// None: `error` says what is wrong with the text.
  static std::optional<SweepGrid> parse(const std::string &text, std::string &error);
};

} // namespace fly::driver
