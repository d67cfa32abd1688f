// The manifest for people. See Manifest.h.
#include "compiler/artifact/Manifest.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace fly::artifact {

namespace {

constexpr size_t longest = 60; ///< of an expression in a line

std::string shown(const Json &value) {
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.size() > longest)
    text = text.substr(0, longest - 3) + "...";
  return text;
}

/// "4 1 1" as "4".
std::string sizesOf(const Json &sizes) {
  std::vector<std::string> texts;
  for (const Json &size : sizes)
    texts.push_back(shown(size));
  while (texts.size() > 1 && texts.back() == "1")
    texts.pop_back();
  return llvm::join(texts, " x ");
}

void writeStep(llvm::raw_ostream &out, const Json &step) {
  if (step.contains("fill"))
    out << "    fills " << shown(step["fill"]) << " bytes with " << step["byte"].dump();
  else {
    out << "    " << step["kernel"].get<std::string>() << ", grid " << sizesOf(step["grid"]) << ", block "
        << sizesOf(step["block"]);
    if (step["dynamic_lds"] != 0)
      out << ", " << shown(step["dynamic_lds"]) << " bytes of LDS";
  }
  if (step["when"] != true)
    out << ", if " << shown(step["when"]);
  out << '\n';
}

void writeLaunch(llvm::raw_ostream &out, const Json &launch) {
  const Json &steps = launch["steps"], &workspace = launch["workspace"];
  std::set<std::string> kernels;
  for (const Json &step : steps)
    if (step.contains("kernel"))
      kernels.insert(step["kernel"].get<std::string>());
  out << "  " << launch["module"].get<std::string>() << '.' << launch["symbol"].get<std::string>() << ": "
      << counted(steps.size(), "step") << " of " << counted(kernels.size(), "kernel");
  if (workspace["parts"].empty())
    out << ", no workspace\n";
  else if (workspace["bytes"].is_null())
    out << ", workspace in " << counted(workspace["parts"].size(), "part") << '\n';
  else
    out << ", workspace " << workspace["bytes"].dump() << " bytes\n";
  for (const Json &text : launch["refused"])
    out << "    refused: " << text.get<std::string>() << '\n';
  if (!launch["unknown"].empty())
    out << "    depends on " << llvm::join(launch["unknown"].get<std::vector<std::string>>(), ", ") << '\n';
  else
    for (const Json &step : steps)
      writeStep(out, step);
}

} // namespace

std::string manifestText(const Json &manifest) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const Json &arch : manifest["architectures"]) {
    out << arch["arch"].get<std::string>() << '\n';
    for (const Json &object : arch["code_objects"])
      out << "  " << object["file"].get<std::string>() << ", " << object["bytes"].dump() << " bytes\n";
    out << "launch functions\n";
    for (const Json &launch : arch["launches"])
      writeLaunch(out, launch);
    out << "kernels\n  VGPRs AGPRs SGPRs     LDS scratch    code  waves\n";
    for (const Json &kernel : arch["kernels"]) {
      const auto number = [&](const char *key) { return kernel[key].get<int64_t>(); };
      out << llvm::format("  %5lld %5lld %5lld %7lld %7lld %7lld %6lld  ", number("vgprs"), number("agprs"),
                          number("sgprs"), number("lds_bytes"), number("scratch_bytes"), number("code_bytes"),
                          number("occupancy"))
          << kernel["module"].get<std::string>() << '.' << kernel["symbol"].get<std::string>() << '\n';
    }
  }
  return text;
}

} // namespace fly::artifact
