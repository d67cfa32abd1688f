// `flyc sweep` as a strategy of Search.h: a file with each combination of LLVM options and constants of a grid
// (SweepGrid.h), as a table, best first. A job is a point of the grid (SweepJob.h); with `--pin` the best point goes into
// the table beside the source (SweepPin.h).
#pragma once

#include "compiler/search/Search.h"
#include "compiler/search/sweep/SweepGrid.h"
#include "compiler/search/sweep/SweepSettings.h"

#include <optional>

namespace fly::driver {

class SweepStrategy final : public SearchStrategy {
public:
  explicit SweepStrategy(const SweepSettings &settings) : settings(settings) {}
  std::string command() const override { return "sweep"; }
  std::string noun() const override { return "sweep"; }
  std::string listKey() const override { return "sweeps"; }
  std::string whyFile() const override { return ", which each of its processes reads"; }
  bool writesTable() const override { return settings.pin; }
  bool checkOptions(Session &session) override;
  bool readInputs(Session &session) override;
  std::unique_ptr<ArchSearch> on(Session &session, const target::Target &target) override;
  void conclude(const std::string &path, size_t entries) override;
  bool isGood() const override { return areBestGood; }

private:
  const SweepSettings &settings;
  std::optional<SweepGrid> grid;
  bool areBestGood = true; ///< of each architecture
};

} // namespace fly::driver
