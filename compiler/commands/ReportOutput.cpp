#include "compiler/commands/ReportOutput.h"

#include "compiler/text/Words.h"

#include <chrono>

namespace fly::driver {

using report::Json;

namespace {

std::string textOf(const Json &json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

/// The document without objects, up to their list and from its end.
std::pair<std::string, std::string> frame() {
  const std::string empty = textOf(report::wrap({}));
  const size_t at = empty.rfind("[]") + 1;
  return {empty.substr(0, at), empty.substr(at)};
}

int64_t now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

} // namespace

void ReportOutput::object(const Json &object) {
  switch (form) {
  case ReportForm::Summary: return kernels(object["file"], object["arch"], report::summaryOf(object));
  case ReportForm::Text: {
    const std::string text = report::toText(report::wrap({object}));
    os << (objects++ ? "\n" : "") << text;
    return;
  }
  case ReportForm::Json: {
    const std::string text = textOf(object); // line ends in texts are escaped
    os << (objects++ ? "," : frame().first);
    for (llvm::StringRef rest = text; !rest.empty();) {
      auto [line, after] = rest.split('\n');
      os << "\n    " << line;
      rest = after;
    }
    return;
  }
  }
}

void ReportOutput::kernels(const std::string &file, const std::string &architecture,
                           const std::vector<report::KernelSummary> &kernels) {
  if (!objects++)
    report::printSummaryHead(os);
  os << file << ": " << architecture << '\n';
  report::printSummary(os, architecture, kernels);
  kernelsByArchitecture[architecture] += kernels.size();
}

void ReportOutput::finish(bool onlyIfBegun) {
  if (objects == 0 && onlyIfBegun)
    return;
  if (form == ReportForm::Json) {
    auto [before, after] = frame();
    os << (objects ? "\n  " : before) << after << '\n';
  } else if (form == ReportForm::Summary) {
    uint64_t all = 0;
    std::string each;
    for (auto &[architecture, number] : kernelsByArchitecture) {
      all += number;
      each += (each.empty() ? ": " : ", ") + architecture + " " + std::to_string(number);
    }
    os << counted(objects, "object") << ", " << counted(all, "kernel") << each << '\n';
  }
  os.flush();
}

void Progress::show(const std::string &text) {
  if (next == 0)
    next = llvm::errs().is_displayed() && !llvm::outs().is_displayed() ? now() + 1000 : INT64_MAX;
  if (next == INT64_MAX || now() < next)
    return;
  next = now() + 200;
  isShown = true;
  llvm::errs() << "\r\033[K" << llvm::StringRef(text).take_front(100);
}

Progress::~Progress() {
  if (isShown)
    llvm::errs() << "\r\033[K";
}

} // namespace fly::driver
