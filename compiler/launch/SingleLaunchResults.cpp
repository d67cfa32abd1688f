// What a single launch leaves: findings of the checks, buffers as text, the profile. See SingleLaunch.h.
#include "compiler/launch/EmulatorOptions.h"
#include "compiler/launch/SingleLaunch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace fly::driver {

void SingleLaunch::addNotes(DiagnosticBuilder diagnostic, const std::vector<std::string> &details) {
  for (const std::string &line : details)
    diagnostic.note(llvm::StringRef(line).trim());
}

/// Each is a warning of its own, or a note: -W applies to it.
void SingleLaunch::reportFindings(const emulator::FindingList &findings) {
  for (auto &[where, finding] : findings) {
    const std::string message =
        finding.report.summary() + " (at 0x" + llvm::utohexstr(finding.instruction, /*LowerCase=*/true) + ")";
    addNotes(finding.isNote() ? session.diags.report({}, diag::equal_stores{.message = message})
                              : session.diags.report({}, diag::kernel_finding{.message = message}),
             finding.details());
  }
  if (findings.others)
    session.diags.report({}, diag::kernel_finding{.message = furtherFindings(findings)});
}

bool SingleLaunch::fetch() {
  for (size_t i = 0; i < bindings.size(); ++i) {
    bool wanted = llvm::any_of(outputs, [&](auto &o) { return o.first == i; }) ||
                  llvm::any_of(prints, [&](auto &o) { return o.first == i; });
    auto &b = bindings[i];
    if (!wanted)
      continue;
    b.result.resize(b.content.size);
    if (!device->read(b.address, b.result.data(), b.result.size()))
      return false;
  }
  return true;
}

/// All values of a requested part; host::toText shortens long axes.
static void putValues(const host::HostArray &array, size_t axis, int64_t &at, std::string &text) {
  if (axis == array.shape.size()) {
    text += host::toText(array.at(at++), array.type);
    return;
  }
  text += "[";
  for (int64_t i = 0; i < array.shape[axis]; ++i) {
    text += i ? ", " : "";
    putValues(array, axis + 1, at, text);
  }
  text += "]";
}

std::string SingleLaunch::printed() const {
  std::string text;
  for (auto &[i, spec] : prints) {
    auto &c = bindings[i].content;
    static const ElementType *const byte = findElementType("u8");
    const ElementType &type = c.type ? *c.type : *byte;
    host::Shape shape = c.shape;
    if (!c.type && c.elementBytes > 1)
      shape.push_back(c.elementBytes); // raw elements as their bytes
    auto array = fromElements(bindings[i].result, type, shape);
    text += spec.text + " = ";
    if (spec.subscripts.empty()) {
      text += host::toText(array) + "\n";
      continue;
    }
    auto part = host::subscript(array, spec.subscripts);
    if (!part.ok()) {
      session.diags.report(diag::bad_option, {}).arg("--print " + spec.text).arg(part.error);
      continue;
    }
    part.value.type = array.type;
    int64_t at = 0;
    putValues(part.value, 0, at, text);
    text += "\n";
  }
  return text;
}

std::string SingleLaunch::profileReport() const {
  if (command.profile == "json")
    return emulator::profileJson(profile);
  if (command.profile == "text")
    return emulator::profileText(profile);
  return emulator::profileListing(profile, sourceLookup());
}

/// Lines of sources. Their names in line tables are relative to the source's folder, or to where the compiler ran.
std::function<std::string(const std::string &, unsigned)> SingleLaunch::sourceLookup() const {
  auto files = std::make_shared<std::map<std::string, std::vector<std::string>>>();
  return [this, files](const std::string &file, unsigned line) -> std::string {
    auto [known, isNew] = files->insert({file, {}});
    if (isNew) {
      llvm::SmallString<256> beside(kernel.folder);
      llvm::sys::path::append(beside, file);
      auto content = readFile(std::string(beside));
      if (!content.ok())
        content = readFile(file);
      for (llvm::StringRef text : llvm::split(content.value, '\n'))
        known->second.push_back(text.trim().str());
    }
    return line && line <= known->second.size() ? known->second[line - 1] : "";
  };
}

} // namespace fly::driver
