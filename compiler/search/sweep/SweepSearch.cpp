// See SweepSearch.h.
#include "compiler/search/sweep/SweepSearch.h"

#include "compiler/compilation/Evaluate.h"
#include "compiler/launch/TimeOptions.h"
#include "compiler/search/SearchIdentity.h"

namespace fly::driver {

/// `where` as a .fly expression with the point's constants, and its LLVM options in the dict `llvm`.
bool SweepSearch::listPoints() {
  auto &e = compilation.elaborator;
  std::vector<sema::Values> values; // by axis, as `where` sees them
  for (auto &axis : grid.axes) {
    auto &all = values.emplace_back();
    for (auto &text : axis.values) {
      const bool isText = axis.isLlvm && text;
      std::optional<sema::Value> value = sema::Value();
      if (text && !isText)
        value = evaluateText(session, e, "<" + axis.name + ">", *text);
      if (!value)
        return false;
      all.push_back(isText ? sema::Value(*text) : *value);
    }
  }
  for (size_t number = 0; number < grid.points(); ++number) {
    std::map<std::string, sema::Value> names;
    sema::Values options, settings;
    for (size_t i = grid.axes.size(), rest = number; i-- > 0; rest /= values[i].size()) {
      auto &value = values[i][rest % values[i].size()];
      if (!grid.axes[i].isLlvm) {
        names[grid.axes[i].name] = value;
        continue;
      }
      options.push_back(sema::Value(grid.axes[i].name));
      settings.push_back(value);
    }
    names["llvm"] = sema::makeDict(options, settings);
    std::optional<sema::Value> holds = sema::Value(true);
    if (!grid.where.empty())
      holds = evaluateText(session, e, "<where>", grid.where, names);
    if (!holds)
      return false;
    if (!holds->is<bool>()) {
      session.diags.report({},
                           diag::bad_sweep_grid{.grid = command.grid,
                                                .problem = "`where` is " + describe(*holds) + ", not True or False"});
      return false;
    }
    if (*holds->as<bool>())
      jobs.push_back(number);
  }
  if (!jobs.empty())
    return true;
  session.diags.report({}, diag::bad_sweep_grid{.grid = command.grid, .problem = "`where` excludes all points"});
  return false;
}

bool SweepSearch::open() {
  auto asked = timingOptionsOf(session, command.time);
  if (!asked || !compilation.run() || !listPoints())
    return false;
  timing = std::move(*asked);
  hash = hashOfProgram(session.sources, compilation.loader, *compilation.main, /*checks=*/false);
  SearchIdentity all("sweep", compilation, command, timing);
  all.addAll(
      {command.skips("checks") ? "no checks" : "", command.skips("time") ? "no time" : "", grid.benches, grid.checks});
  for (size_t point : jobs)
    all.add(grid.title(point));
  identity = all.text();
  return true;
}

Options SweepSearch::optionsOf(size_t point) const {
  Options options = session.options;
  auto values = grid.point(point);
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i])
      (grid.axes[i].isLlvm ? options.llvm : options.defines).push_back(grid.axes[i].name + "=" + *values[i]);
  return options;
}

} // namespace fly::driver
