// `X.tune.json`: what `flyc tune X.fly` found, beside the source. It is reviewed like source: sorted, one entry a
// shape, the same search gives the same bytes.
//
//     architecture -> kernel -> hash of the program, entries: shape, other constants -> values, figure
//
// docs/schema/tune.schema.json describes the file. The values of a kernel that was tuned again for a shape are
// replaced, and all others stay, unless the program has changed.
#pragma once

#include "compiler/diagnostics/Source.h"
#include "compiler/sema/module/ModuleLoader.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fly::driver {

/// Constants by name, as .fly expressions.
using ConstantTexts = std::map<std::string, std::string>;

struct TuneEntry {
  std::map<std::string, int64_t> shape; ///< of the launch: its scalar arguments
  ConstantTexts constants;              ///< the instance's other Constexpr values
  ConstantTexts values;                 ///< the best ones of the `@tune` parameters
  double figure = 0;                    ///< in `unit`, less is better
  std::string unit = "cycles", how;     ///< or microseconds; where the figure comes from: "time model", or a GPU
};

struct TunedKernel {
  std::string hash;
  std::vector<TuneEntry> entries; ///< ordered by shape, then by constants
};

struct TuneTable {
  std::string module;
  std::map<std::string, std::map<std::string, TunedKernel>> architectures;

  /// Adds entries of a kernel, and drops what was found for another program.
  void merge(const std::string &arch, const std::string &kernel, const std::string &hash,
             const std::vector<TuneEntry> &entries);
  /// The file.
  std::string text() const;
  /// None: `error` says what is wrong with the text.
  static std::optional<TuneTable> parse(const std::string &text, std::string &error);
};

/// "dir/x.tune.json" of "dir/x.fly".
std::string tuneTablePath(const std::string &source);

/// What a figure depends on: the text of a module and of what it imports, without the standard library and, unless
/// `checks`, without its checks and benches. Hexadecimal.
std::string hashOfProgram(const SourceManager &sources, const sema::ModuleLoader &loader,
                          const sema::ModuleScope &module, bool checks);

} // namespace fly::driver
