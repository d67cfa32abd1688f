// See LaunchReference.h.
#include "compiler/launch/LaunchReference.h"

namespace fly::driver {

static reference::Memory copyOf(emulator::Device &device, const std::vector<ReachedArea> &areas) {
  reference::Memory memory;
  for (const ReachedArea &area : areas) {
    std::vector<uint8_t> content(area.bytes);
    if (area.bytes && device.read(area.address, content.data(), area.bytes))
      memory.add(area.address, area.name, std::move(content));
  }
  return memory;
}

static reference::Launch launchOf(const MachineLaunch &machine, double seconds) {
  reference::Launch launch;
  launch.grid = machine.config.grid;
  launch.block = machine.config.block;
  launch.dynamicLds = machine.config.dynamicLdsBytes;
  launch.arguments = machine.arguments;
  launch.seconds = seconds;
  launch.only = machine.config.only;
  return launch;
}

LaunchReference::LaunchReference(const MachineLaunch &machine, const ReferenceCode &code, const target::Target &target,
                                 std::vector<ReachedArea> areas, double seconds)
    : machine(machine), areas(std::move(areas)),
      run(code, target, launchOf(machine, seconds), copyOf(machine.device, this->areas)) {}

std::string LaunchReference::typeOf(const std::string &area) const {
  for (const ReachedArea &each : areas)
    if (each.name == area)
      return each.type;
  return "u8";
}

std::string LaunchReference::left(uint64_t address, uint64_t bytes) const {
  std::string content(bytes, '\0');
  machine.device.read(address, content.data(), bytes);
  return content;
}

std::string LaunchReference::difference(ReferenceCounts &counts) {
  ++counts.launches;
  const reference::Outcome &outcome = run.execute();
  const std::string at = outcome.place.empty() ? "" : " (" + outcome.place + ")";
  if (outcome.kind == reference::Outcome::Mistake || outcome.kind == reference::Outcome::Fault) {
    ++counts.differences;
    return "`" + machine.label + "` differs from the reference, where " + outcome.text + at;
  }
  if (outcome.kind != reference::Outcome::Complete) {
    const bool isLate = outcome.kind == reference::Outcome::Limit;
    ++counts.reasons[{machine.label, outcome.text + (isLate ? "" : at)}];
    return "";
  }
  ++counts.compared;
  counts.kernels.insert(machine.label);
  auto read = [&](uint64_t address, uint64_t bytes) { return left(address, bytes); };
  auto type = [&](const std::string &area) { return typeOf(area); };
  const std::string difference = run.compare(read, type, counts);
  if (difference.empty())
    return "";
  ++counts.differences;
  // Tables of pointers stay: without them there is no memory.
  auto differsOn = [&](const reference::Memory &memory) {
    for (auto &[address, area] : memory.areas())
      if (!area.bytes.empty())
        machine.device.write(address, area.bytes.data(), area.bytes.size());
    ReferenceRun other = run.on(memory);
    ReferenceCounts ignored;
    return other.execute().kind == reference::Outcome::Complete &&
           machine.device.launch(machine.module, machine.symbol, machine.config, machine.arguments).ok &&
           !other.compare(read, type, ignored).empty();
  };
  constexpr double seconds = 3;
  return "`" + machine.label + "`: " + difference + run.suspect() + "\n" + run.reduced(differsOn, type, seconds);
}

} // namespace fly::driver
