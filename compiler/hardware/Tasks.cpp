// See Tasks.h.
#include "compiler/hardware/Tasks.h"

#include "compiler/doctor/Embedded.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace fly::hardware {

std::string installedKernels() {
  llvm::SmallString<256> path(llvm::sys::fs::getMainExecutable(nullptr, nullptr));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "share", "fly", "kernels");
  return llvm::sys::fs::is_directory(path) ? std::string(path) : "";
}

namespace {

/// The files below a folder that have checks, relative to it, sorted.
std::vector<std::string> filesWithChecks(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator at(folder, error), end; at != end && !error; at.increment(error)) {
    if (llvm::sys::path::extension(at->path()) != ".fly")
      continue;
    auto text = llvm::MemoryBuffer::getFile(at->path());
    if (text && (*text)->getBuffer().contains("\n@check"))
      files.push_back(llvm::StringRef(at->path()).drop_front(folder.size() + 1).str());
  }
  llvm::sort(files);
  return files;
}

struct Maker {
  const TaskChoice &choice;
  std::vector<Task> tasks;

  void add(const std::string &group, const std::string &architecture, const std::string &part,
           std::vector<std::string> arguments) {
    const std::string name = architecture + " " + group + (part.empty() ? "" : " " + part);
    if (name.find(choice.only) == std::string::npos)
      return;
    arguments.insert(arguments.end(), {"--arch", architecture, "--gpu-limit", std::to_string(choice.launchSeconds)});
    tasks.push_back({group, architecture, name, std::move(arguments)});
  }
  void checks(const std::string &group, const std::string &architecture, const std::string &part,
              const std::string &path) {
    // The orders of waves were tried by those who wrote the kernels; here one is compared with the GPU's.
    add(group, architecture, part, {"test", path, "--device", "both", "--order", "ascending", "--quiet"});
  }
};

} // namespace

std::vector<Task> tasksOf(const TaskChoice &choice, const std::string &sources) {
  Maker maker{choice, {}};
  for (const doctor::EmbeddedSource &source : doctor::embeddedSources()) {
    llvm::SmallString<256> path(sources);
    llvm::sys::path::append(path, source.name + std::string(".fly"));
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << source.text;
  }
  auto inSources = [&](std::string_view name) { return sources + "/" + std::string(name) + ".fly"; };
  const std::vector<std::string> kernels =
      choice.kernels.empty() ? std::vector<std::string>() : filesWithChecks(choice.kernels);
  for (const std::string &architecture : choice.architectures) {
    maker.checks("first checks", architecture, "", inSources("first"));
    for (const doctor::EmbeddedSource &source : doctor::embeddedSources())
      if (source.name != std::string_view("first")) {
        maker.checks("litmus tests", architecture, source.name, inSources(source.name));
        maker.add("litmus tests", architecture, source.name + std::string(", often"),
                  {"test", inSources(source.name), "--device", "gpu", "--quiet", "-D",
                   "REPEAT=" + std::to_string(choice.litmusRepetitions)});
      }
    maker.add("instructions", architecture, "", {"doctor", "--work", "instructions", "--form", choice.form});
    if (const target::Target *target = target::find(architecture); target && target->microbenchmarks)
      maker.add("constants", architecture, "", {"doctor", "--work", "constants"});
  }
  for (const std::string &architecture : choice.architectures)
    for (const std::string &file : kernels)
      maker.checks("kernels", architecture, file, choice.kernels + "/" + file);
  return maker.tasks;
}

} // namespace fly::hardware
