// Counts and times of a launch on the instructions of a page. See Model.h.
//
// A profile knows instructions by address. `flyc run --kernel` compiles that kernel alone, so its code may lie
// elsewhere than in the page's object: what has to agree are the texts of all instructions, at one distance for each
// function. Figures of another build on these lines would look right and be wrong, so such a profile is refused.
#include "compiler/page/Model.h"

#include "compiler/report/ReportDiff.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <set>

namespace fly::page {

namespace {

/// The instruction of a kernel at an address; -1 if there is none.
int64_t at(const Json &addresses, uint64_t address) {
  auto found = std::lower_bound(addresses.begin(), addresses.end(), address,
                                [](const Json &a, uint64_t b) { return a.get<uint64_t>() < b; });
  return found != addresses.end() && *found == address ? found - addresses.begin() : -1;
}

/// The rows of a measurement that are of one function, and which instructions they are.
using Matched = std::vector<std::pair<const Json *, size_t>>;

/// Those of a kernel or function: its first instruction is among the rows, because it was executed, and where one has
/// its text, all rows as far as the function reaches have the texts of its instructions. Empty if there is no such
/// place.
Matched rowsOf(const Json &code, const Json &rows) {
  const Json &addresses = code["address"], &texts = code["text"];
  const uint64_t first = addresses.front(), last = addresses.back();
  for (size_t start = 0; start < rows.size(); ++start) {
    if (rows[start].at("text") != texts.front())
      continue;
    const uint64_t from = rows[start].at("address");
    Matched out;
    for (size_t r = start; r < rows.size(); ++r) {
      const uint64_t address = rows[r].at("address");
      if (address < from || address - from > last - first)
        break;
      const int64_t i = at(addresses, first + (address - from));
      if (i < 0 || texts[size_t(i)] != rows[r].at("text")) {
        out.clear();
        break;
      }
      out.push_back({&rows[r], size_t(i)});
    }
    if (!out.empty())
      return out;
  }
  return {};
}

bool hasName(const Json &kernel, const std::string &name) {
  const Json &report = kernel["report"];
  return report["name"] == name || report::hasAlias(report, name);
}

/// A value of each row, on the instructions of a kernel.
Json column(const Json &kernel, const Matched &rows, const std::function<int64_t(const Json &)> &value) {
  std::vector<int64_t> out(kernel["code"]["address"].size(), 0);
  for (auto [row, i] : rows)
    out[i] = value(*row);
  return out;
}

Json countsOf(const Json &kernel, const Json &profile, const Matched &rows) {
  Json out;
  for (const char *key : {"grid", "block", "workgroups", "waves", "wave_size"})
    out[key] = profile.at(key);
  for (const char *key : {"executions", "active_lanes", "lds_accesses", "lds_cycles", "lds_conflict_cycles",
                          "global_accesses", "transactions_64"})
    out[key] = column(kernel, rows, [&](const Json &row) { return row.at("counts").at(key).get<int64_t>(); });
  return out;
}

/// The loops of the function, at its addresses in the page.
Json loopsOf(const Json &kernel, const Json &times, const Matched &rows) {
  const auto [row, i] = rows.front();
  const uint64_t there = row->at("address"), last = rows.back().first->at("address");
  const uint64_t here = kernel["code"]["address"][i];
  Json out = Json::array();
  for (Json loop : times.at("loops")) {
    if (loop.at("first") < there || loop.at("last") > last)
      continue;
    for (const char *key : {"first", "last"})
      loop[key] = loop[key].get<uint64_t>() - there + here;
    out.push_back(std::move(loop));
  }
  return out;
}

Json timesOf(const Json &kernel, const Json &times, const Matched &rows) {
  Json out;
  for (const char *key : {"machine", "cycles", "uncertainty", "bound", "waves_per_simd", "busy"})
    out[key] = times.at(key);
  out["loops"] = loopsOf(kernel, times, rows);
  for (const char *key : {"executions", "issue_cycles"})
    out[key] = column(kernel, rows, [&](const Json &row) { return row.at(key).get<int64_t>(); });
  std::vector<std::string> reasons;
  Json stalls = Json::array();
  for (auto [row, i] : rows)
    for (auto &[reason, cycles] : row->at("stalls").items()) {
      auto found = llvm::find(reasons, reason);
      const auto number = found - reasons.begin();
      if (found == reasons.end())
        reasons.push_back(reason);
      for (int64_t value : {int64_t(i), int64_t(number), cycles.get<int64_t>()})
        stalls.push_back(value);
    }
  out["reasons"] = reasons;
  out["stalls"] = std::move(stalls);
  return out;
}

} // namespace

std::string Model::attach(const Json &measured) {
  if (!measured.is_object() || !measured.contains("schema_version") || !measured.contains("kernel") ||
      !measured.contains("architecture"))
    return "it is neither a profile of `flyc run --profile=json` nor times of `flyc run --time-model=json`";
  if (measured.at("schema_version") != 1)
    return "this flyc does not support its version";
  const bool isProfile = measured.contains("code");
  if (!isProfile && !measured.contains("instructions"))
    return "it has no instructions; `flyc run --profile=json` and `flyc run --time-model=json` write them";
  const Json &rows = measured.at(isProfile ? "code" : "instructions");
  const std::string name = measured.at("kernel"), architecture = measured.at("architecture");
  std::vector<std::string> objects; // a kernel may be in several
  for (const Json &kernel : list)
    if (kernel["kind"] == "kernel" && kernel["architecture"] == architecture && hasName(kernel, name))
      objects.push_back(kernel["object"]);
  if (objects.empty())
    return "it is of kernel `" + name + "` for " + architecture + ", which is not on this page";
  std::string problem;
  bool isAttached = false;
  for (const std::string &object : objects) {
    std::vector<std::pair<Json *, Matched>> found; // its kernel, and the functions that it enters
    std::set<const Json *> matched;
    for (Json &kernel : list)
      if (kernel["object"] == object && kernel["architecture"] == architecture &&
          (kernel["kind"] == "function" || hasName(kernel, name))) {
        found.push_back({&kernel, rowsOf(kernel["code"], rows)});
        for (auto [row, i] : found.back().second)
          matched.insert(row);
      }
    const auto other = llvm::find_if(rows, [&](const Json &row) { return !matched.contains(&row); });
    if (other != rows.end() || rows.empty()) {
      problem =
          "it is of different machine code" +
          (rows.empty() ? "" : ": " + object + " has no `" + other->at("text").get<std::string>() + "` in its place") +
          "; run the kernel again";
      continue;
    }
    for (auto &[kernel, of] : found)
      if (!of.empty())
        (*kernel)[isProfile ? "counts" : "times"] =
            isProfile ? countsOf(*kernel, measured, of) : timesOf(*kernel, measured, of);
    isAttached = true;
  }
  return isAttached ? "" : problem;
}

} // namespace fly::page
