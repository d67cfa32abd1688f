// See TuneResults.h.
#include "compiler/search/tune/TuneResults.h"

#include "compiler/search/tune/TuneObjective.h"
#include "compiler/text/Words.h"

#include "llvm/Support/Format.h"

namespace fly::driver {

using Json = nlohmann::ordered_json;

bool mayLaunch(const TuneRowsByJob &rows, size_t caseNumber, const sema::KernelDefinition &kernel) {
  auto own = rows.find(unsigned(caseNumber)); // jobs begin with own values of each case
  return own == rows.end() || own->second.outcome == TuneOutcome::Died || own->second.kernels.count(kernel.name);
}

/// The row of a candidate: its job's, or the one of own values, if these are the same.
static const TuneRow *rowOf(const TuneSearch &search, const TuneRowsByJob &rows, size_t caseNumber, size_t candidate) {
  if (auto job = search.jobOf(caseNumber, candidate))
    if (auto found = rows.find(*job); found != rows.end())
      return &found->second;
  auto &each = search.candidates[candidate];
  auto own = rows.find(unsigned(caseNumber));
  if (own == rows.end())
    return nullptr;
  auto asked = own->second.kernels.find(each.kernel->name);
  return asked != own->second.kernels.end() && asked->second.own == each.texts ? &own->second : nullptr;
}

std::optional<double> leastFigure(const TuneSearch &search, const TuneRowsByJob &rows, size_t caseNumber,
                                  const sema::KernelDefinition &kernel) {
  std::optional<double> least;
  auto take = [&](const TuneRow *row) {
    if (row && row->outcome == TuneOutcome::Figured && (!least || *row->figure < *least))
      least = row->figure;
  };
  if (auto own = rows.find(unsigned(caseNumber)); own != rows.end())
    take(&own->second);
  for (size_t k = 0; k < search.candidates.size(); ++k)
    if (search.candidates[k].kernel == &kernel && !search.candidates[k].excluded)
      take(rowOf(search, rows, caseNumber, k));
  return least;
}

std::vector<TuneResult> resultsOf(const TuneSearch &search, const TuneRowsByJob &rows) {
  std::vector<TuneResult> results;
  std::vector<const sema::KernelDefinition *> kernels;
  for (auto &candidate : search.candidates)
    if (!llvm::is_contained(kernels, candidate.kernel))
      kernels.push_back(candidate.kernel);
  for (size_t i = 0; i < search.cases.size(); ++i)
    for (auto *kernel : kernels) {
      if (!mayLaunch(rows, i, *kernel))
        continue;
      auto own = rows.find(unsigned(i));
      TuneResult result{i, kernel, {}, own == rows.end() ? nullptr : &own->second, {}, nullptr};
      if (result.own)
        if (auto asked = result.own->kernels.find(kernel->name); asked != result.own->kernels.end())
          result.launch = asked->second;
      const auto least = leastFigure(search, rows, i, *kernel);
      bool launched = false;
      for (size_t k = 0; k < search.candidates.size(); ++k) {
        auto &candidate = search.candidates[k];
        if (candidate.kernel != kernel)
          continue;
        TuneRow row;
        if (candidate.excluded) {
          row.outcome = TuneOutcome::Excluded;
          row.reason = "`where=` excludes it";
        } else if (auto *found = rowOf(search, rows, i, k)) {
          row = *found;
        } else {
          row.reason = "it was not run";
        }
        if (row.bound && least && *row.bound > *least)
          row.outcome = TuneOutcome::Bounded;
        if (row.outcome == TuneOutcome::Bounded) {
          row.figure.reset();
          row.reason = "its bound is above the best";
        }
        launched |= row.kernels.count(kernel->name) != 0;
        if (auto asked = row.kernels.find(kernel->name); asked != row.kernels.end() && result.launch.shape.empty())
          result.launch = asked->second;
        result.tried.push_back({&candidate, std::move(row)});
      }
      if (!launched && result.own && result.own->outcome == TuneOutcome::Died &&
          llvm::none_of(result.tried, [](auto &tried) { return tried.row.outcome == TuneOutcome::Died; }))
        continue; // the bench does not launch it
      for (auto &tried : result.tried)
        if (tried.row.outcome == TuneOutcome::Figured && tried.row.figure == least && !result.best)
          result.best = &tried;
      results.push_back(std::move(result));
    }
  return results;
}

std::vector<TuneEntry> entriesOf(const TuneSearch &search, const std::vector<TuneResult> &results,
                                 const sema::KernelDefinition &kernel) {
  std::vector<TuneEntry> entries;
  for (auto &result : results) {
    if (result.kernel != &kernel || !result.best)
      continue;
    auto same = [&](auto &entry) {
      return entry.shape == result.launch.shape && entry.constants == result.launch.constants;
    };
    if (llvm::none_of(entries, same))
      entries.push_back({result.launch.shape, result.launch.constants, result.best->candidate->texts,
                         *result.best->row.figure, search.source.unit, search.source.how});
  }
  return entries;
}

/// Own values in the order of the `@tune`.
static std::string ownTitle(const TuneResult &result) {
  std::string title;
  for (auto &[name, values] : result.kernel->tune->offered)
    if (auto found = result.launch.own.find(name); found != result.launch.own.end())
      title += (title.empty() ? "" : " ") + name + "=" + found->second;
  return title;
}

static bool offers(const TuneResult &result, const ConstantTexts &values) {
  return llvm::any_of(result.tried, [&](auto &tried) { return tried.candidate->texts == values; });
}

void printResult(const TuneSearch &search, const TuneResult &result) {
  auto &os = llvm::outs();
  os << search.cases[result.caseNumber].title << ": `" << result.kernel->name << "`, "
     << counted(result.tried.size(), "candidate");
  if (search.source.gpu)
    os << ", microseconds on " << search.source.how << ", median of " << search.command.device.repeat << '\n';
  else
    os << ", cycles by " << search.source.how << " (" << uncertaintyOf(search.compilation.target, search.timing)
       << ")\n";
  const char *figureForm = search.source.gpu ? "  %12.2f" : "  %12.0f";
  const double best = result.best ? *result.best->row.figure : 0;
  auto line = [&](const std::string &title, const TuneRow &row, const std::string &note) {
    if (row.figure)
      os << llvm::format(figureForm, *row.figure);
    else
      os << "             -";
    os << "  " << title;
    if (!note.empty())
      os << "  " << note;
    else if (row.figure && best > 0)
      os << llvm::format("  %.2f times the best", *row.figure / best);
    if (row.outcome == TuneOutcome::Bounded)
      os << llvm::format("  its bound of %.0f is above the best", *row.bound);
    else if (!row.reason.empty())
      os << "  " << name(row.outcome) << ": " << row.reason;
    os << '\n';
  };
  std::vector<const TuneResult::Tried *> order;
  for (auto &tried : result.tried)
    order.push_back(&tried);
  auto rank = [](auto *tried) { // of equal ones the first offered is first
    return std::tuple(!tried->row.figure, tried->row.figure.value_or(0), tried);
  };
  llvm::sort(order, [&](auto *a, auto *b) { return rank(a) < rank(b); });
  for (auto *tried : order)
    line(tried->candidate->title, tried->row, tried == result.best ? "the best" : "");
  if (!result.own)
    return;
  const ConstantTexts &own = result.launch.own;
  if (!offers(result, own))
    line(own.empty() ? "own values" : ownTitle(result) + " (own values)", *result.own,
         !result.best && result.own->figure ? "better than all that `@tune` offers: no entry" : "");
  else if (result.best && result.own->figure && result.best->candidate->texts != own)
    os << llvm::format("  own values, %s, take %.2f times the best\n", ownTitle(result).c_str(),
                       *result.own->figure / best);
}

static Json valuesJson(const ConstantTexts &texts) {
  Json json = Json::object();
  for (auto &[name, value] : texts)
    json[name] = value;
  return json;
}

static Json rowJson(const ConstantTexts &values, const TuneRow &row) {
  Json json{{"values", valuesJson(values)}, {"outcome", name(row.outcome)}};
  json["figure"] = row.figure ? Json(*row.figure) : Json();
  json["bound"] = row.bound ? Json(*row.bound) : Json();
  if (!row.reason.empty())
    json["reason"] = row.reason;
  return json;
}

Json resultJson(const TuneSearch &search, const TuneResult &result) {
  auto &each = search.cases[result.caseNumber];
  Json json{{"arch", search.arch()}, {"bench", each.definition->def->name}, {"parameters", Json::object()}};
  for (auto &[name, value] : each.parameters)
    json["parameters"][name] = sema::toText(value, true);
  json["kernel"] = result.kernel->name;
  json["constants"] = valuesJson(result.launch.constants);
  json["shape"] = result.launch.shape;
  json["unit"] = search.source.unit;
  json["how"] = search.source.how;
  json["own"] = result.own ? rowJson(result.launch.own, *result.own) : Json();
  json["best"] = result.best ? valuesJson(result.best->candidate->texts) : Json();
  json["candidates"] = Json::array();
  for (auto &tried : result.tried)
    json["candidates"].push_back(rowJson(tried.candidate->texts, tried.row));
  return json;
}

} // namespace fly::driver
