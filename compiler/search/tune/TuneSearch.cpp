// See TuneSearch.h.
#include "compiler/search/tune/TuneSearch.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/launch/EmulatorOptions.h"
#include "compiler/compilation/Evaluate.h"
#include "compiler/launch/TimeOptions.h"
#include "compiler/search/SearchIdentity.h"
#include "compiler/search/tune/TuneObjective.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::driver {

/// More are not a search but a mistake; each is a process.
static constexpr size_t mostJobs = 100'000;

/// "m=4096,n=(1, 2)" at the commas outside of brackets.
static std::vector<std::string> splitShape(llvm::StringRef text) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (char c : text) {
    depth += llvm::StringRef("([{").contains(c) ? 1 : llvm::StringRef(")]}").contains(c) ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// `--shape`: each case once for each shape whose names all are parameters of its bench.
bool TuneSearch::applyShapes() {
  if (command.shapes.empty())
    return true;
  std::vector<Case> shaped;
  std::set<std::string> titles;
  for (auto &shape : command.shapes) {
    std::vector<std::pair<std::string, sema::Value>> given;
    for (auto &part : splitShape(shape)) {
      auto [name, text] = llvm::StringRef(part).split('=');
      if (name.trim().empty() || text.empty()) {
        session.diags.report(diag::bad_option, {}).arg("--shape " + shape).arg("it takes NAME=VALUE,...");
        return false;
      }
      auto value = evaluateText(session, compilation.elaborator, "<--shape " + name.trim().str() + ">", text.str());
      if (!value)
        return false;
      given.push_back({name.trim().str(), *value});
    }
    bool fits = false;
    for (Case each : cases) {
      auto slotOf = [&](const std::string &name) {
        return llvm::find_if(each.parameters, [&](auto &parameter) { return parameter.first == name; });
      };
      if (!llvm::all_of(given, [&](auto &one) { return slotOf(one.first) != each.parameters.end(); }))
        continue;
      fits = true;
      for (auto &[name, value] : given)
        slotOf(name)->second = value;
      each.title = arch() + "  " + each.definition->def->name;
      for (auto &[name, value] : each.parameters)
        each.title += " " + name + "=" + sema::toText(value, true);
      if (titles.insert(each.title).second)
        shaped.push_back(std::move(each));
    }
    if (!fits) {
      session.diags.report(diag::bad_option, {})
          .arg("--shape " + shape)
          .arg("no `@bench` that is selected has all of these parameters");
      return false;
    }
  }
  cases = std::move(shaped);
  return true;
}

bool TuneSearch::listCases() {
  for (auto &definition : compilation.main->checks) {
    if (!definition.isBench)
      continue;
    std::string elsewhere;
    auto all = casesOf(compilation, definition, elsewhere);
    if (!all)
      return false;
    for (auto &each : *all)
      cases.push_back(std::move(each));
  }
  if (!applyShapes())
    return false;
  llvm::erase_if(cases, [&](auto &each) { return !matches(command.filter, each.title); });
  if (!cases.empty())
    return true;
  session.diags.report(diag::no_checks, {})
      .arg(session.mainPath)
      .arg(command.filter.empty() ? " and no `@bench` for " + arch()
                                  : " or `@bench` that `--filter " + command.filter + "` selects");
  return false;
}

bool TuneSearch::listCandidates(const sema::KernelDefinition &kernel) {
  auto &e = compilation.elaborator;
  auto &offered = kernel.tune->offered;
  std::vector<size_t> at(offered.size(), 0);
  for (bool more = true; more;) {
    TuneCandidate candidate{&kernel, {}, {}, {}, false, 0};
    for (size_t i = 0; i < offered.size(); ++i) {
      auto &[name, values] = offered[i];
      candidate.values[name] = values[at[i]];
      candidate.texts[name] = sema::toText(values[at[i]], true);
      candidate.title += (i ? " " : "") + name + "=" + candidate.texts[name];
    }
    if (kernel.tune->where) {
      try {
        sema::FrameScope scope(e, kernel.module);
        for (auto &[name, value] : candidate.values)
          e.frame->variables[name] = value;
        candidate.excluded = !truth(e, e.eval(*kernel.tune->where), kernel.tune->where->range);
      } catch (sema::Failed &) {
        return false;
      }
    }
    candidates.push_back(std::move(candidate));
    if (candidates.size() * cases.size() > mostJobs) {
      session.diags.report(diag::bad_decorator, kernel.def->nameRange)
          .arg("the `@tune` of `" + kernel.name + "` makes more than " + std::to_string(mostJobs) +
               " candidates in all; `where=` excludes combinations");
      return false;
    }
    more = false;
    for (size_t i = offered.size(); i-- > 0 && !more;) {
      if (++at[i] < offered[i].second.size())
        more = true;
      else
        at[i] = 0;
    }
  }
  return true;
}

bool TuneSearch::open() {
  auto asked = timingOptionsOf(session, command.time);
  auto device = asked ? figureSourceOf(session, compilation.target, command.device.device) : std::nullopt;
  if (device)
    source = std::move(*device);
  if (!asked || !device || !compilation.run() || !listCases())
    return false;
  timing = std::move(*asked);
  std::vector<std::string> others;
  for (auto &kernel : compilation.main->kernels) {
    if (!kernel->tune)
      continue;
    if (!command.kernel.empty() && command.kernel != kernel->name) {
      others.push_back(kernel->name);
      continue;
    }
    try {
      if (sema::notForTarget(compilation.elaborator, *kernel))
        continue;
    } catch (sema::Failed &) {
      return false;
    }
    if (!listCandidates(*kernel))
      return false;
  }
  if (candidates.empty()) {
    if (command.kernel.empty() || others.empty())
      session.diags.report({}, diag::nothing_to_tune{.file = session.mainPath, .arch = arch()});
    else
      session.diags.report(diag::bad_option, {})
          .arg("--kernel " + command.kernel)
          .arg("`" + session.mainPath + "` has no `@tune` kernel of that name")
          .help("it has " + llvm::join(others, ", "));
    return false;
  }
  for (size_t i = 0; i < cases.size(); ++i)
    jobs.push_back({i, std::nullopt});
  for (auto &candidate : candidates)
    if (!candidate.excluded)
      candidate.rank = included++;
  for (size_t i = 0; i < cases.size(); ++i)
    for (size_t k = 0; k < candidates.size(); ++k)
      if (!candidates[k].excluded)
        jobs.push_back({i, k});

  hash = hashOfProgram(session.sources, compilation.loader, *compilation.main, /*checks=*/false);
  SearchIdentity all("tune", compilation, command, timing);
  all.add(source.how);
  if (source.gpu)
    all.addAll({std::to_string(command.device.warmUp), std::to_string(command.device.repeat)});
  for (auto &each : cases)
    all.add(each.title);
  for (auto &candidate : candidates)
    all.add(candidate.kernel->name + " " + candidate.title + (candidate.excluded ? " -" : ""));
  identity = all.text();
  return true;
}

std::optional<unsigned> TuneSearch::jobOf(size_t caseNumber, size_t candidate) const {
  auto &each = candidates[candidate];
  if (each.excluded)
    return std::nullopt;
  return unsigned(cases.size() + caseNumber * included + each.rank);
}

} // namespace fly::driver
