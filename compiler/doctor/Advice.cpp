// See Advice.h. Which ROCm a target needs: AMD's release notes, 6.0 (gfx942), 7.0 (gfx950), 6.4.1 (gfx1201). Which
// loads code objects of version 5 and 6: LLVM's "User Guide for AMDGPU Backend", 5.5 and 6.3.
#include "compiler/doctor/Advice.h"

#include "compiler/target/Target.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

namespace fly::doctor {

namespace {

struct Release {
  int major, minor;
};
Release neededFor(const target::Target &target) {
  Release needed = target.codeObjectVersion >= 6 ? Release{6, 3} : Release{5, 5};
  static constexpr std::pair<std::string_view, Release> first[] = {
      {"gfx942", {6, 0}}, {"gfx950", {7, 0}}, {"gfx1201", {6, 4}}};
  for (auto &[name, release] : first)
    if (name == target.name && std::pair(release.major, release.minor) > std::pair(needed.major, needed.minor))
      needed = release;
  return needed;
}

/// A target that flyc compiles for; null: it does not.
const target::Target *compiledFor(const std::string &architecture) { return target::find(architecture); }

Line fileLine(const SystemFacts &system, const DeviceFile &file) {
  if (file.opens)
    return {Level::Fine, file.path + " can be opened"};
  return {Level::Problem, file.path + " belongs to the group `" + file.group + "`, and you may not open it",
          system.inContainer
              ? "start the container with --group-add " + file.group
              : "`sudo usermod -aG render,video $USER`, then log in again: a group counts from the next login on"};
}

} // namespace

Section systemSection(const SystemFacts &system) {
  Section section{"system", {}};
  section.lines.push_back({Level::Fine, "Linux " + system.kernel +
                                            (system.distribution.empty() ? "" : ", " + system.distribution) +
                                            (system.inContainer ? ", in a container" : "")});
  if (!system.compute) {
    section.lines.push_back(
        {Level::Problem,
         system.hasDriver ? "there is no /dev/kfd, although the amdgpu driver is loaded"
                          : "there is no /dev/kfd: the amdgpu driver is not loaded",
         system.inContainer ? "pass the devices to the container: --device=/dev/kfd --device=/dev/dri"
         : system.hasDriver
             ? "the kernel has the driver without CONFIG_HSA_AMD: install the driver of ROCm (amdgpu-dkms)"
             : "without an AMD GPU, use the emulator: nothing else of flyc needs one"});
    return section;
  }
  section.lines.push_back(
      {Level::Fine, "amdgpu driver" + (system.driver.empty() ? ", the kernel's own" : " " + system.driver)});
  section.lines.push_back(fileLine(system, *system.compute));
  for (const DeviceFile &file : system.render)
    section.lines.push_back(fileLine(system, file));
  for (const Card &card : system.cards) {
    if (!card.displays.empty())
      section.lines.push_back({Level::Note, card.name + " drives a display (" + llvm::join(card.displays, ", ") + ")",
                               "the picture stands still while a kernel runs: use short launches first"});
    if (!card.computePartition.empty() && card.computePartition != "SPX")
      section.lines.push_back(
          {Level::Note,
           card.name + " is divided: compute partition " + card.computePartition + ", memory " + card.memoryPartition,
           "each partition is a device with a part of the compute units; modelled times are of the whole GPU"});
  }
  return section;
}

Section hipSection(const SystemFacts &system, const HipFacts &hip) {
  Section section{"HIP", {}};
  if (hip.devices.empty()) {
    section.lines.push_back(
        {Level::Problem, hip.problem,
         !system.compute ? ""
         : system.rocm.empty()
             ? "install ROCm's HIP runtime, and put the folder of libamdhip64.so into LD_LIBRARY_PATH, or name the file "
               "in FLY_HIP_LIBRARY"
             : "ROCm " + system.rocm +
                   " is in /opt/rocm: put /opt/rocm/lib into LD_LIBRARY_PATH, or name its "
                   "libamdhip64.so in FLY_HIP_LIBRARY"});
    return section;
  }
  section.lines.push_back({Level::Fine, hip.library + (hip.version ? ", HIP " + hip.versionText() : "")});
  if (hip.isEmulated())
    section.lines.push_back({Level::Note, "this is flyc's emulator under the name of HIP, and not a GPU"});
  if (!hip.problem.empty())
    section.lines.push_back({Level::Problem, hip.problem});
  return section;
}

Section deviceSection(const HipFacts &hip) {
  Section section{"devices", {}};
  std::vector<std::string> used;
  for (const HipDevice &device : hip.devices) {
    const std::string what = std::to_string(section.lines.size()) + ": " + device.name + ", " + device.architecture +
                             ", " + std::to_string(device.computeUnits) + " compute units";
    const target::Target *target = compiledFor(device.architecture);
    if (!target) {
      section.lines.push_back(
          {Level::Note, what, "flyc does not compile for " + device.architecture + ", but for " + target::names()});
      continue;
    }
    const Release needed = neededFor(*target);
    if (hip.version && !hip.isAtLeast(needed.major, needed.minor))
      section.lines.push_back({Level::Problem, what,
                               "HIP " + hip.versionText() + " is too old: " + device.architecture + " needs ROCm " +
                                   std::to_string(needed.major) + "." + std::to_string(needed.minor)});
    else if (llvm::is_contained(used, device.architecture))
      section.lines.push_back({Level::Fine, what,
                               "flyc takes the first of several: HIP_VISIBLE_DEVICES=" +
                                   std::to_string(section.lines.size()) + " makes it this one"});
    else
      section.lines.push_back({Level::Fine, what});
    used.push_back(device.architecture);
  }
  return section;
}

Section environmentSection() {
  Section section{"environment", {}};
  for (const char *name : {"FLY_DEVICE", "FLY_HIP_LIBRARY", "FLY_EMULATE", "HIP_VISIBLE_DEVICES",
                           "ROCR_VISIBLE_DEVICES", "HSA_OVERRIDE_GFX_VERSION", "HSA_XNACK"})
    if (const char *value = std::getenv(name))
      section.lines.push_back({Level::Note, std::string(name) + "=" + value});
  return section;
}

std::vector<std::string> usableArchitectures(const HipFacts &hip) {
  std::vector<std::string> names;
  for (const HipDevice &device : hip.devices)
    if (compiledFor(device.architecture) && !llvm::is_contained(names, device.architecture))
      names.push_back(device.architecture);
  return names;
}

} // namespace fly::doctor
