// A launch of a check, held against the reference: what memory it reaches, and the message of a difference.
//
//     LaunchReference beside(...);                  // before the launch: the memory is as the machine code finds it
//     device.launch(...);
//     std::string why = beside.difference(counts);  // empty: nothing that the program determines differs
#pragma once

#include "compiler/launch/ReferenceRun.h"
#include "runtime/emulator/Emulator.h"

namespace fly::driver {

/// Memory that a launch can reach.
struct ReachedArea {
  uint64_t address, bytes;
  std::string name, type; ///< of a parameter, and the language's name of its elements
};

/// The machine code of a launch.
struct MachineLaunch {
  emulator::Device &device;
  const emulator::Module &module;
  const std::string &label, &symbol;
  const emulator::LaunchConfig &config;
  const std::string &arguments;
};

class LaunchReference {
public:
  /// The launch on a copy of all memory that it can reach.
  LaunchReference(const MachineLaunch &machine, const ReferenceCode &code, const target::Target &target,
                  std::vector<ReachedArea> areas, double seconds);

  /// Executes the launch and compares; the message that fails the check, or empty. After a difference the device's
  /// memory is of no use.
  std::string difference(ReferenceCounts &counts);

private:
  std::string typeOf(const std::string &area) const;
  std::string left(uint64_t address, uint64_t bytes) const;

  MachineLaunch machine;
  std::vector<ReachedArea> areas;
  ReferenceRun run;
};

} // namespace fly::driver
