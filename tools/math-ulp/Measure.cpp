// Running a kernel over the inputs.
#include "tools/math-ulp/MathUlp.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fly::ulp {

Results run(emulator::Device &device, const emulator::Module &module, const std::string &kernel,
            const Function &function, host::Number number, const Inputs &inputs,
            emulator::Approximation approximation) {
  size_t n = inputs.x.size(), bytes = host::format(number).bytes();
  auto upload = [&](const std::vector<uint64_t> &values) {
    std::string packed(n * bytes, '\0');
    for (size_t i = 0; i < n; ++i)
      std::memcpy(&packed[i * bytes], &values[i], bytes);
    uint64_t address = device.allocate(packed.size(), "x");
    device.write(address, packed.data(), packed.size());
    return address;
  };
  std::vector<uint64_t> pointers = {upload(inputs.x)};
  if (function.two)
    pointers.push_back(upload(inputs.y));
  pointers.push_back(device.allocate(n * bytes, "result"));
  std::string arguments(reinterpret_cast<const char *>(pointers.data()), pointers.size() * 8);
  int32_t count = int32_t(n);
  arguments.append(reinterpret_cast<const char *>(&count), 4);

  emulator::LaunchConfig config;
  config.grid = {uint32_t((n + 255) / 256), 1, 1};
  config.block = {256, 1, 1};
  config.approximation = approximation;
  auto launched = device.launch(module, kernel, config, arguments);
  if (!launched.ok) {
    std::fprintf(stderr, "%s: %s\n", kernel.c_str(), launched.report.text().c_str());
    std::exit(1);
  }
  std::string packed(n * bytes, '\0');
  device.read(pointers.back(), packed.data(), packed.size());
  std::vector<uint64_t> results(n);
  for (size_t i = 0; i < n; ++i)
    std::memcpy(&results[i], &packed[i * bytes], bytes);
  for (uint64_t pointer : pointers)
    device.free(pointer);
  return {std::move(results), launched.waveInstructions};
}

} // namespace fly::ulp
