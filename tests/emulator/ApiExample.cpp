#include "runtime/emulator/Emulator.h"
#include "runtime/emulator/watch/Profile.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace fly::emulator;

/// The arguments of saxpy as the metadata lays them out: two pointers, a float, an int.
struct Arguments {
  uint64_t y, x;
  float a;
  int32_t n;
};

static int runOn(const std::string &arch, const std::string &codeObject) {
  Device device(*findArchitecture(arch));
  std::string error;
  std::shared_ptr<Module> module = device.load(codeObject, error);
  if (!module) {
    std::printf("%s: %s\n", arch.c_str(), error.c_str());
    return 1;
  }

  std::vector<float> x(1000), y(1000, 1.0f);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  Arguments arguments{device.allocate(4000, "y"), device.allocate(4000, "x"), 0.5f, 1000};
  device.write(arguments.y, y.data(), 4000);
  device.write(arguments.x, x.data(), 4000);

  Profile profile;
  LaunchConfig config;
  config.grid = {4, 1, 1};
  config.block = {256, 1, 1};
  config.profile = &profile;
  std::string bytes(reinterpret_cast<const char *>(&arguments), sizeof arguments);
  LaunchResult result = device.launch(*module, "saxpy", config, bytes);
  if (!result.ok) {
    std::printf("%s", result.report.text().c_str());
    return 1;
  }
  device.read(arguments.y, y.data(), 4000);
  std::printf("%s: y[999] = %g, %llu bytes read, %llu waves of %u\n", arch.c_str(), static_cast<double>(y[999]),
              static_cast<unsigned long long>(profile.total().globalReadBytes),
              static_cast<unsigned long long>(profile.waves), profile.waveSize);

  // A fault comes back as a value; the device goes on.
  arguments.n = 2000;
  std::memcpy(bytes.data(), &arguments, sizeof arguments);
  config.grid = {8, 1, 1};
  result = device.launch(*module, "saxpy", config, bytes);
  std::printf("%s: %s\n", arch.c_str(), result.report.summary().c_str());
  return result.report.kind == FaultKind::OutOfBounds ? 0 : 1;
}

int main(int argc, char **argv) {
  int status = 0;
  for (int k = 1; k + 1 < argc; k += 2) {
    std::ifstream file(argv[k + 1], std::ios::binary);
    status |= runOn(argv[k], {std::istreambuf_iterator<char>(file), {}});
  }
  return status;
}
