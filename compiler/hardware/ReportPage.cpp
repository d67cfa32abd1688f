// The report as a page for a browser: a summary, the suspects, and every result in lists that open. See FullReport.h.
#include "compiler/doctor/SectionJson.h"
#include "compiler/hardware/FullReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace fly::hardware {

namespace {

constexpr const char *style = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --soft: #57606a; --line: #d0d7de; --bad: #b3261e;
  --good: #1a7f37; --panel: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --soft: #9da7b3; --line: #30363d;
  --bad: #ff8a80; --good: #56d364; --panel: #161b22; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
  margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; border-bottom: 1px solid var(--line); margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } .wide { overflow-x: auto; }
td, th { text-align: left; vertical-align: top; padding: 0.2rem 0.8rem 0.2rem 0; border-bottom: 1px solid var(--line); }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
code, pre { font: 0.85rem/1.45 ui-monospace, monospace; } pre { background: var(--panel); padding: 0.6rem;
  white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.3rem 0; }
.soft { color: var(--soft); } .bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); }
summary { cursor: pointer; }
)";

class Page {
public:
  explicit Page(const FullReport &report) : report(report), os(html) {}

  std::string write() {
    os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
          "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>flyc doctor --full</title>\n<style>"
       << style << "</style>\n</head>\n<body>\n<h1>flyc on a GPU</h1>\n<p class=\"soft\">";
    text(report.version + ", " + report.date);
    os << "</p>\n";
    summary();
    suspects();
    constants();
    system();
    results();
    os << "</body>\n</html>\n";
    return impersonal(std::move(html));
  }

private:
  void text(llvm::StringRef plain) { llvm::printHTMLEscaped(plain, os); }
  void cell(llvm::StringRef plain, const char *kind = "") {
    os << "<td" << (*kind ? " class=\"" : "") << kind << (*kind ? "\"" : "") << '>';
    text(plain);
    os << "</td>";
  }

  void summary() {
    os << "<h2>Summary</h2>\n";
    if (!report.stopped.empty()) {
      os << "<p class=\"bad\">Not complete: ";
      text(report.stopped);
      os << "</p>\n";
    }
    const auto counts = countsOf(report);
    const auto coverage = coverageOf(report);
    for (const ReportedGpu &gpu : report.gpus) {
      os << "<h3>";
      text(gpu.name + ", " + gpu.architecture + ", " + std::to_string(gpu.computeUnits) + " compute units");
      os << "</h3>\n<div class=\"wide\"><table>\n";
      for (const GroupCount &count : counts) {
        if (count.architecture != gpu.architecture)
          continue;
        os << "<tr>";
        cell(count.group);
        os << "<td>";
        bool first = true;
        for (auto &[outcome, number] : count.outcomes) {
          os << (std::exchange(first, false) ? "" : ", ") << "<span class=\"" << (isSuspect(outcome) ? "bad" : "plain")
             << "\">" << number << ' ';
          text(outcome);
          os << "</span>";
        }
        if (count.done < count.tasks)
          os << " <span class=\"bad\">(" << count.done << " of " << count.tasks << " parts done)</span>";
        os << "</td></tr>\n";
      }
      for (const Coverage &one : coverage)
        if (one.architecture == gpu.architecture && one.forms)
          os << "<tr><td>coverage</td><td>" << one.matched.size() << " instructions matched to hardware in "
             << one.forms << " forms, " << one.others.size() << " not</td></tr>\n";
      os << "</table></div>\n";
    }
  }

  void suspects() {
    const auto list = suspectsOf(report);
    os << "<h2>Suspects</h2>\n";
    if (list.empty())
      os << "<p class=\"good\">None: what ran is right, and the bits are the emulator's.</p>\n";
    for (const Suspect &suspect : list) {
      os << "<p><span class=\"bad\">";
      text(suspect.outcome);
      os << "</span> <strong>";
      text(suspect.what);
      os << "</strong> <span class=\"soft\">";
      text(suspect.architecture + ", " + suspect.group);
      if (suspect.of > 1)
        os << ", " << suspect.count << " of " << suspect.of;
      os << "</span></p>\n<pre>";
      if (suspect.first != suspect.what) {
        text(suspect.first);
        os << '\n';
      }
      text(suspect.detail);
      os << "</pre>\n";
    }
  }

  void constants() {
    for (const MeasuredConstants &one : constantsOf(report)) {
      os << "<h2>Constants of ";
      text(one.results.architecture);
      os << "</h2>\n<div class=\"wide\"><table>\n<tr><th>constant</th><th>built in</th><th>measured</th><th></th></tr>\n";
      for (const driver::calibration::Finding &finding : one.findings) {
        os << "<tr>";
        cell(finding.constant);
        os << "<td class=\"number\">" << llvm::format("%g", finding.builtIn) << "</td><td class=\"number\">";
        if (finding.problem.empty())
          os << llvm::format("%g", finding.value);
        os << "</td>";
        cell(finding.problem, "soft");
        os << "</tr>\n";
      }
      os << "</table></div>\n";
    }
  }

  void system() {
    os << "<h2>System</h2>\n<div class=\"wide\"><table>\n";
    for (const doctor::Section &section : report.system)
      for (const doctor::Line &line : section.lines) {
        const bool isBad = line.level == doctor::Level::Problem;
        os << "<tr>";
        cell(section.title, "soft");
        cell(doctor::name(line.level), isBad ? "bad" : "");
        cell(line.what + (line.advice.empty() ? "" : "\n" + line.advice));
        os << "</tr>\n";
      }
    os << "</table></div>\n";
  }

  void results() {
    os << "<h2>All results</h2>\n";
    for (const ReportedTask &task : report.tasks) {
      os << "<details><summary>";
      text(task.name);
      os << " <span class=\"soft\">" << task.results.size() << (task.isDone ? "" : ", not done")
         << "</span></summary>\n<div class=\"wide\"><table>\n";
      for (const JournalResult &result : task.results) {
        os << "<tr>";
        cell(result.outcome, isSuspect(result.outcome) ? "bad" : "");
        os << "<td><code>";
        text(result.name);
        os << "</code>";
        if (!result.detail.empty() && result.outcome != "measured") {
          os << "<pre>";
          text(result.detail);
          os << "</pre>";
        } else if (!result.detail.empty()) {
          os << " <code class=\"soft\">";
          text(result.detail);
          os << "</code>";
        }
        os << "</td><td class=\"number\">" << llvm::format("%.1f ms", result.milliseconds) << "</td></tr>\n";
      }
      os << "</table></div></details>\n";
    }
  }

  const FullReport &report;
  std::string html;
  llvm::raw_string_ostream os;
};

} // namespace

std::string pageOf(const FullReport &report) { return Page(report).write(); }

} // namespace fly::hardware
