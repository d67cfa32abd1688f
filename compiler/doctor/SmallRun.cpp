// See SmallRun.h. The child is `flyc test --device both` on embedded/first.fly; its answer is JSON
// (docs/schema/test.schema.json).
#include "compiler/doctor/SmallRun.h"

#include "compiler/compilation/ChildProcess.h"
#include "compiler/doctor/Embedded.h"
#include "compiler/text/Words.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

namespace fly::doctor {

namespace {

using Json = nlohmann::json;

constexpr size_t lastWords = 3; ///< lines of what a process said

Line lineOf(const std::string &architecture, const driver::ChildProcess &child, unsigned seconds) {
  unsigned passed = 0, differing = 0;
  std::string wrong, bits;
  try {
    const Json document = Json::parse(child.output());
    for (const Json &run : document.at("runs"))
      for (const Json &each : run.at("cases")) {
        const std::string name = each.at("name"), detail = each.at("detail");
        const bool isRight = each.at("outcome") == "passed";
        passed += isRight;
        differing += isRight && !detail.empty();
        if (std::string &list = isRight ? bits : wrong; !isRight || !detail.empty())
          list += (list.empty() ? "" : "\n") + name + ": " + detail;
      }
  } catch (const Json::exception &) {
    return {Level::Problem,
            architecture + (child.wasLate() ? ": the small run has not ended after " + std::to_string(seconds) + " s"
                                            : ": the small run broke off"),
            child.lastErrors(lastWords)};
  }
  if (!wrong.empty())
    return {Level::Problem, architecture + ": the small run fails", wrong};
  if (!passed)
    return {Level::Problem, architecture + ": the small run did nothing", child.lastErrors(lastWords)};
  if (!differing)
    return {Level::Fine, architecture + ": " + counted(passed, "check") + ", the same bits as on the emulator"};
  return {Level::Note,
          architecture + ": " + counted(passed, "check") + ", " + std::to_string(differing) +
              " with other bits than on the emulator",
          bits};
}

} // namespace

Section smallRun(const std::vector<std::string> &architectures, unsigned seconds, unsigned launchSeconds) {
  Section section{"a small run", {}};
  driver::TemporaryFile file("fly");
  {
    std::error_code error;
    llvm::raw_fd_ostream out(file.path(), error);
    out << findSource("first");
    if (error || file.path().empty()) {
      section.lines.push_back({Level::Problem, "no temporary file can be written", error.message()});
      return section;
    }
  }
  for (const std::string &architecture : architectures) {
    driver::ChildProcess child({"test", file.path().str(), "--arch", architecture, "--device", "both", "--gpu-limit",
                                std::to_string(launchSeconds), "--json"},
                               seconds);
    child.wait();
    section.lines.push_back(lineOf(architecture, child, seconds));
  }
  return section;
}

} // namespace fly::doctor
