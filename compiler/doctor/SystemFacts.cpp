// See SystemFacts.h. The names below /sys are those of the amdgpu driver (Linux, Documentation/gpu/amdgpu).
#include "compiler/doctor/SystemFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <grp.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace fly::doctor {

namespace {

/// The first line of a file; empty if there is none.
std::string lineOf(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true, /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  return file ? (*file)->getBuffer().split('\n').first.trim().str() : std::string();
}

std::string distributionOf(const std::string &root) {
  auto file = llvm::MemoryBuffer::getFile(root + "/etc/os-release");
  for (llvm::StringRef rest = file ? (*file)->getBuffer() : ""; !rest.empty();) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.consume_front("PRETTY_NAME="))
      return line.trim("\"").str();
  }
  return "";
}

/// What a folder holds, by name.
std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error))
    names.push_back(llvm::sys::path::filename(it->path()).str());
  llvm::sort(names);
  return names;
}

std::optional<DeviceFile> deviceFile(const std::string &root, const std::string &path) {
  struct stat status;
  if (::stat((root + path).c_str(), &status) != 0)
    return std::nullopt;
  const group *owner = ::getgrgid(status.st_gid);
  return DeviceFile{path, ::access((root + path).c_str(), R_OK | W_OK) == 0,
                    owner ? owner->gr_name : std::to_string(status.st_gid)};
}

} // namespace

SystemFacts readSystem(const std::string &root) {
  SystemFacts facts;
  if (utsname system; ::uname(&system) == 0)
    facts.kernel = system.release;
  facts.distribution = distributionOf(root);
  facts.hasDriver = llvm::sys::fs::is_directory(root + "/sys/module/amdgpu");
  facts.driver = lineOf(root + "/sys/module/amdgpu/version");
  facts.rocm = lineOf(root + "/opt/rocm/.info/version");
  facts.inContainer = llvm::sys::fs::exists(root + "/.dockerenv") || llvm::sys::fs::exists(root + "/run/.containerenv");
  facts.compute = deviceFile(root, "/dev/kfd");
  for (const std::string &name : namesIn(root + "/dev/dri"))
    if (llvm::StringRef(name).starts_with("renderD"))
      if (auto file = deviceFile(root, "/dev/dri/" + name))
        facts.render.push_back(std::move(*file));
  const std::string cards = root + "/sys/class/drm";
  const std::vector<std::string> names = namesIn(cards);
  for (const std::string &name : names) {
    const std::string device = cards + "/" + name + "/device";
    if (name.find('-') != std::string::npos || !llvm::StringRef(name).starts_with("card") ||
        lineOf(device + "/vendor") != "0x1002")
      continue;
    Card card{name, lineOf(device + "/current_compute_partition"), lineOf(device + "/current_memory_partition"), {}};
    for (llvm::StringRef connector : names)
      if (connector.starts_with(name + "-") && lineOf(cards + "/" + connector.str() + "/status") == "connected")
        card.displays.push_back(connector.drop_front(name.size() + 1).str());
    facts.cards.push_back(std::move(card));
  }
  return facts;
}

} // namespace fly::doctor
