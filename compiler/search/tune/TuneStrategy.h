// `flyc tune` as a strategy of Search.h: for each bench and each kernel with a `@tune`, the values with which the bench
// takes least, written beside the source.
//
//  1. Run each case with the kernels' own values. That tells which kernels it launches.
//  2. Run the candidates of these kernels (TuneJob.h), with the least figure so far as the limit of what is worth
//     running.
//  3. Rank the rows (TuneResults.h); the best are entries of the table.
#pragma once

#include "compiler/search/Search.h"
#include "compiler/search/tune/TuneSettings.h"

namespace fly::driver {

/// What the searches of all architectures have come to.
struct TuneCounts {
  unsigned all = 0, without = 0; ///< pairs of a bench and a kernel; those without a figure
};

class TuneStrategy final : public SearchStrategy {
public:
  explicit TuneStrategy(const TuneSettings &settings) : settings(settings) {}
  std::string command() const override { return "tune"; }
  std::string noun() const override { return "search"; }
  std::string listKey() const override { return "searches"; }
  std::string whyFile() const override { return ": the table is written beside it"; }
  bool writesTable() const override { return true; }
  bool keepsTable() const override { return settings.dryRun; }
  std::unique_ptr<ArchSearch> on(Session &session, const target::Target &target) override;
  void conclude(const std::string &path, size_t entries) override;
  bool isGood() const override { return counts.all && !counts.without; }

private:
  const TuneSettings &settings;
  TuneCounts counts;
};

} // namespace fly::driver
