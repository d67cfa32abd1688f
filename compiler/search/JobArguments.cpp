// See JobArguments.h.
#include "compiler/search/JobArguments.h"

namespace fly::driver {

void addArguments(std::vector<std::string> &out, const char *name, const std::vector<std::string> &values) {
  for (auto &value : values)
    out.insert(out.end(), {name, value});
}

void addArgument(std::vector<std::string> &out, const char *name, const std::string &value) {
  if (!value.empty())
    out.insert(out.end(), {name, value});
}

void addArguments(std::vector<std::string> &out, const EmulatorOptions &options) {
  addArguments(out, "--check", options.checks);
  if (options.computeUnits)
    addArgument(out, "--compute-units", std::to_string(options.computeUnits));
}

void addArguments(std::vector<std::string> &out, const TimeOptions &options) {
  addArgument(out, "--machine", options.machine);
  if (options.computeUnits != TimeOptions().computeUnits)
    addArgument(out, "--cus", options.computeUnits);
  if (options.rounds)
    addArgument(out, "--rounds", std::to_string(options.rounds));
  if (options.sample)
    out.push_back("--sample");
  if (options.cold)
    out.push_back("--cold");
}

void addArguments(std::vector<std::string> &out, const DeviceOptions &options, bool isGpu) {
  addArgument(out, "--device", isGpu ? "gpu" : "model");
  if (isGpu && options.warmUp != DeviceOptions().warmUp)
    addArgument(out, "--warm-up", std::to_string(options.warmUp));
  if (isGpu && options.repeat != DeviceOptions().repeat)
    addArgument(out, "--repeat", std::to_string(options.repeat));
}

void addArguments(std::vector<std::string> &out, const Options &options) {
  addArguments(out, "-D", options.defines);
  addArguments(out, "-I", options.includeDirs);
  addArguments(out, "--llvm", options.llvm);
  if (options.llvmTimeout != Options().llvmTimeout)
    addArgument(out, "--llvm-timeout", std::to_string(options.llvmTimeout));
  addArguments(out, "--link", options.bitcode);
  addArguments(out, "-W", options.warnings);
  addArgument(out, "--file-prefix-map", options.prefixMap);
  if (!options.cache)
    out.push_back("--no-cache");
}

} // namespace fly::driver
