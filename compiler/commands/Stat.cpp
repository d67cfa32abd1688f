// `flyc stat`: a report against limits. Prints every limit that is broken; without limits, the figures of each kernel.
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/Session.h"
#include "compiler/report/Limits.h"
#include "compiler/report/ReportDiff.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace fly::driver {

namespace {

class StatCommand final : public Command {
public:
  StatCommand() : Command("stat", "Check a report against limits and an earlier report") {}
  void declare(OptionTable &table) override {
    table.add("file", path, "A report, printed by `flyc report --json`").required();
    table.add("--baseline", baseline, "The report to compare with")
        .notEmpty()
        .type("OLD.json")
        .more("relative limits (`vgprs>+0`) and printed differences refer to it");
    table
        .add("--fail-on", failOn,
             "Conditions that count as failures, separated by commas: METRIC OP NUMBER\n"
             "  scratch>0            the value itself; OP is > >= < <= == !=\n"
             "  vgprs>+0 waves<-1    with a sign: the change from the baseline\n"
             "  instructions>+2.5%   the same as a percentage of the baseline")
        .notEmpty()
        .type("LIMITS")
        .more("without it flyc prints the figures of each kernel");
    messageOptions(table, options);
  }
  int run() override;

  std::string path, baseline, failOn;
};

using report::Json;

/// What is shown for each kernel when there are no limits.
constexpr const char *shown[] = {"vgprs", "agprs",      "sgprs",        "lds",        "scratch",
                                 "waves", "code_bytes", "instructions", "live_vgprs", "loops"};

std::optional<Json> readReportFile(Session &session, const std::string &path) {
  auto file = session.read(path);
  if (!file)
    return std::nullopt;
  auto document = report::readReport(session.sources.text(*file));
  if (document)
    return std::move(*document);
  session.diags.report(diag::cannot_read, {}).arg(path).arg(llvm::toString(document.takeError()));
  return std::nullopt;
}

void printFigures(const Json &document, const Json *baseline) {
  static const Json nothing = {{"objects", Json::array()}};
  for (const report::CodePair &pair : report::pairCode(baseline ? *baseline : nothing, document)) {
    if (!pair.after)
      continue;
    llvm::outs() << report::nameOf(pair) << (baseline && !pair.before ? ", not in the baseline" : "") << ":";
    const char *separator = " ";
    for (const char *metric : shown) {
      auto value = report::valueOf(*report::findMetric(metric), *pair.after);
      if (!value)
        continue;
      llvm::outs() << separator << metric << ' ' << *value;
      separator = ", ";
      if (auto old = pair.before ? report::valueOf(*report::findMetric(metric), *pair.before) : std::nullopt;
          old && *old != *value)
        llvm::outs() << " (" << (*value > *old ? "+" : "") << *value - *old << ")";
    }
    llvm::outs() << '\n';
  }
}

int checkReport(Session &session, const StatCommand &command) {
  std::vector<report::Limit> limits;
  if (!command.failOn.empty())
    if (auto error = report::parseLimits(command.failOn, limits)) {
      std::string message = error->message;
      std::vector<std::string> names;
      for (auto &metric : report::metrics())
        names.push_back(metric.name);
      auto guess = error->unknown.empty() ? std::nullopt : didYouMean(error->unknown, names);
      auto builder = session.diags.report(diag::bad_option, {});
      builder.arg("--fail-on " + error->limit)
          .arg(message + (guess ? "; did you mean `" + *guess + "`?" : std::string()));
      if (!error->unknown.empty())
        builder.help("choose one of " + llvm::join(names, ", "));
      return 2;
    }
  for (auto &limit : limits)
    if (limit.relative && command.baseline.empty()) {
      session.diags.report(diag::bad_option, {})
          .arg("--fail-on " + limit.text)
          .arg("it compares with an earlier report; give one with `--baseline`");
      return 2;
    }
  auto document = readReportFile(session, command.path);
  std::optional<Json> baseline;
  if (!command.baseline.empty())
    baseline = readReportFile(session, command.baseline);
  if (session.diags.hasErrors())
    return 1;
  if (limits.empty()) {
    printFigures(*document, baseline ? &*baseline : nullptr);
    return 0;
  }
  auto result = report::checkLimits(limits, *document, baseline ? &*baseline : nullptr);
  if (!result.kernels) {
    session.diags.report(diag::cannot_read, {}).arg(command.path).arg("it has no kernels to check limits of");
    return 1;
  }
  for (auto &broken : result.broken)
    llvm::outs() << report::describe(broken) << '\n';
  for (auto &note : result.notes)
    llvm::outs() << "note: " << note << '\n';
  llvm::outs() << counted(result.broken.size(), "limit") << " broken in " << counted(result.kernels, "kernel") << '\n';
  return result.broken.empty() ? 0 : 1;
}

} // namespace

int StatCommand::run() {
  const StatCommand &command = *this;
  Session session(options);
  int status;
  try {
    status = checkReport(session, command);
  } catch (const nlohmann::json::exception &) { // values of other kinds than they should be
    session.diags.report(diag::cannot_read, {})
        .arg(command.path)
        .arg("it is not a report written by `flyc report --json`");
    status = 1;
  }
  llvm::outs().flush();
  session.finish();
  return status;
}

std::unique_ptr<Command> statCommand() { return std::make_unique<StatCommand>(); }

} // namespace fly::driver
