// What the emulator's tests share: compiled kernels, buffers, argument packing.
#pragma once

#include "runtime/emulator/Emulator.h"
#include "tests/emulator/MutationRecord.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace fly::emulator::test {

inline const char *const architectures[] = {"gfx942", "gfx950", "gfx1201", "gfx1250"};

/// A code object compiled at build time: inputs/NAME.c for an architecture at an optimisation level.
inline std::string codeObject(const std::string &name, const std::string &arch, const std::string &level) {
  std::ifstream file(std::string(EMULATOR_TEST_KERNELS) + "/" + name + "." + arch + "." + level + ".hsaco",
                     std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A device with one module loaded.
struct Machine {
  Device device;
  std::shared_ptr<Module> module;
  std::string error;
  Machine(const std::string &name, const std::string &arch, const std::string &level)
      : device(*findArchitecture(arch)), module(device.load(codeObject(name, arch, level), error)) {}
  template <class T> uint64_t upload(const std::vector<T> &v, const std::string &name) {
    uint64_t a = device.allocate(v.size() * sizeof(T), name);
    device.write(a, v.data(), v.size() * sizeof(T));
    return a;
  }
  template <class T> std::vector<T> download(uint64_t a, size_t count) {
    std::vector<T> v(count);
    EXPECT_TRUE(device.read(a, v.data(), count * sizeof(T)));
    return v;
  }
};

/// Explicit arguments with C's alignment rules.
class Arguments {
public:
  template <class T> Arguments &add(T value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
    return *this;
  }
  std::string bytes;
};
template <class... T> std::string arguments(T... values) {
  Arguments a;
  (a.add(values), ...);
  return a.bytes;
}

/// Whether launches look for races: FLY_TEST_RACES in the environment. Test kernels have none.
inline const bool raceChecks = std::getenv("FLY_TEST_RACES") != nullptr;
/// Whether they look for values that were never written: FLY_TEST_INIT. Test kernels use none.
inline const bool initChecks = std::getenv("FLY_TEST_INIT") != nullptr;

inline LaunchConfig shape(uint32_t grid, uint32_t block) {
  LaunchConfig c;
  c.grid = {grid, 1, 1};
  c.block = {block, 1, 1};
  c.checks.races = raceChecks ? CheckMode::Error : CheckMode::Off;
  c.checks.init = initChecks ? CheckMode::Error : CheckMode::Off;
  return c;
}

/// Runs `body(machine)` for each architecture and optimisation level, for gfx1201 in waves of 64 lanes too, and for
/// gfx1250 with branches of 64 bits. Then records which instructions the body checks; with `source` null it does so
/// itself.
template <class F> void everywhere(const std::string &name, F body, const char *source = "program") {
  for (const char *arch : architectures)
    for (const char *level : {"O0", "O1", "O2", "O3", "wave64", "far"}) {
      if (!std::strcmp(level, "wave64") && std::strcmp(arch, "gfx1201")) continue;
      if (!std::strcmp(level, "far") && std::strcmp(arch, "gfx1250")) continue;
      SCOPED_TRACE(std::string(arch) + " " + level);
      Machine machine(name, arch, level);
      ASSERT_TRUE(machine.module) << machine.error;
      body(machine);
      if (source) recordNoticed(*machine.module, source, [&] { body(machine); });
    }
}

} // namespace fly::emulator::test
