// What a search of `flyc tune` came to: for each case and kernel the candidates with what became of them, and the best.
// A function of the rows alone, whichever jobs ran first: a candidate whose bound is above the best counts as left out,
// although it may have run while no better one was known.
#pragma once

#include "compiler/search/tune/TuneSearch.h"

#include <nlohmann/json.hpp>

namespace fly::driver {

struct TuneResult {
  size_t caseNumber;
  const sema::KernelDefinition *kernel;
  TunedLaunch launch;
  const TuneRow *own; ///< the row with own values
  struct Tried {
    const TuneCandidate *candidate;
    TuneRow row;
  };
  std::vector<Tried> tried;    ///< in the order of the candidates
  const Tried *best = nullptr; ///< null: none ran, or own values are better than all
};

/// By job; a missing row is a job that was not run.
using TuneRowsByJob = std::map<unsigned, TuneRow>;

/// Whether the bench of the case asks for the kernel, as far as the row with own values knows.
bool mayLaunch(const TuneRowsByJob &rows, size_t caseNumber, const sema::KernelDefinition &kernel);
/// The least figure of a case and kernel so far.
std::optional<double> leastFigure(const TuneSearch &search, const TuneRowsByJob &rows, size_t caseNumber,
                                  const sema::KernelDefinition &kernel);

std::vector<TuneResult> resultsOf(const TuneSearch &search, const TuneRowsByJob &rows);
/// The entries of a kernel for the table. The first bench of a shape counts.
std::vector<TuneEntry> entriesOf(const TuneSearch &search, const std::vector<TuneResult> &results,
                                 const sema::KernelDefinition &kernel);

void printResult(const TuneSearch &search, const TuneResult &result);
nlohmann::ordered_json resultJson(const TuneSearch &search, const TuneResult &result);

} // namespace fly::driver
