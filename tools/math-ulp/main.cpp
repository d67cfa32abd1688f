// math-ulp [options] ARCH=CODE_OBJECT...
//
//   --inputs N         strata of the bit patterns, and of the range (default 2^20)
//   --function NAME    only this one; may be repeated       --type T   likewise
//   --against FILE     fail if an error is larger than in the table in FILE; functions not in it must be exact
//   --verbose          where the worst was, on standard error
//
// Prints the table of docs/math.md: the largest error of each inexact function and type over all code objects, rounded
// up, and the instructions that a wave executes for it on the first of them. Fails when a special value (NaN, infinity,
// the sign of zero) is wrong.
#include "tools/math-ulp/MathUlp.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

using namespace fly;
using namespace fly::ulp;

namespace {
struct Target {
  std::string arch;
  std::unique_ptr<emulator::Device> device;
  std::shared_ptr<emulator::Module> module;
};

const std::pair<emulator::Approximation, const char *> approximations[] = {
    {emulator::Approximation::Nearest, "nearest"},
    {emulator::Approximation::Below, "below"},
    {emulator::Approximation::Above, "above"}};

std::string kernelOf(const Function &function, host::Number number) {
  return std::string(function.name) + "_" + host::format(number).name;
}

Worst measure(std::vector<Target> &targets, const Function &function, host::Number number, uint64_t count) {
  Inputs inputs = inputsOf(function, number, count);
  size_t n = inputs.x.size();
  std::vector<long double> exact(n);
  for (size_t i = 0; i < n; ++i) {
    double x = host::decode(number, inputs.x[i]), y = function.two ? host::decode(number, inputs.y[i]) : 0;
    exact[i] = number == host::Number::F64 ? function.large(x, y) : static_cast<long double>(function.small(x, y));
  }
  Worst worst;
  for (auto &target : targets)
    for (auto [approximation, text] : approximations) {
      auto results =
          run(*target.device, *target.module, kernelOf(function, number), function, number, inputs, approximation)
              .values;
      for (size_t i = 0; i < n; ++i) {
        if (!(errorOf(number, results[i], exact[i]) > worst.ulps))
          continue;
        uint64_t y = function.two ? inputs.y[i] : 0;
        double error = settledError(function, number, inputs.x[i], y, results[i]);
        if (error > worst.ulps)
          worst = {error, inputs.x[i], y, results[i], target.arch + " " + text};
      }
    }
  return worst;
}

/// What a wave executes for the function of ordinary arguments: beside a kernel that differs by one instruction.
int64_t instructionsOf(Target &target, const Function &function, host::Number number) {
  Inputs one{std::vector<uint64_t>(256, host::encode(number, 0.75)),
             std::vector<uint64_t>(256, host::encode(number, 0.5))};
  auto executed = [&](const Function &f) {
    return int64_t(
        run(*target.device, *target.module, kernelOf(f, number), f, number, one, emulator::Approximation::Nearest)
            .waveInstructions);
  };
  auto &other = *std::find_if(functions().begin(), functions().end(),
                              [&](auto &f) { return f.name == std::string(function.two ? "copysign" : "trunc"); });
  int64_t waves = emulator::kernelProperties(*target.module, kernelOf(function, number))->waveSize == 64 ? 4 : 8;
  return (executed(function) - executed(other)) / waves + 1;
}

/// The errors that a file's table states, by "sin f32".
std::map<std::string, double> readTable(const std::string &path) {
  std::map<std::string, double> table;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::replace(line.begin(), line.end(), '|', ' ');
    std::replace(line.begin(), line.end(), '`', ' ');
    std::istringstream words(line);
    std::string name;
    double errors[4];
    if (words >> name >> errors[0] >> errors[1] >> errors[2] >> errors[3])
      for (unsigned i = 0; i < 4; ++i)
        table[name + " " + host::format(formats[i]).name] = errors[i];
  }
  return table;
}
} // namespace

int main(int argc, char **argv) {
  uint64_t count = 1 << 20;
  bool verbose = false, ok = true;
  std::vector<std::string> wanted, types;
  std::string against;
  std::vector<Target> targets;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (word == "--inputs")
      count = std::max<uint64_t>(1, std::strtoull(next().c_str(), nullptr, 0));
    else if (word == "--function")
      wanted.push_back(next());
    else if (word == "--type")
      types.push_back(next());
    else if (word == "--against")
      against = next();
    else if (word == "--verbose")
      verbose = true;
    else if (size_t at = word.find('='); at != std::string::npos && emulator::findArchitecture(word.substr(0, at))) {
      std::ifstream file(word.substr(at + 1), std::ios::binary);
      std::string bytes((std::istreambuf_iterator<char>(file)), {}), error;
      Target target{word.substr(0, at),
                    std::make_unique<emulator::Device>(*emulator::findArchitecture(word.substr(0, at))), nullptr};
      if (!(target.module = target.device->load(bytes, error))) {
        std::fprintf(stderr, "math-ulp: %s: %s\n", word.c_str(), error.c_str());
        return 1;
      }
      targets.push_back(std::move(target));
    } else {
      std::fprintf(
          stderr,
          "math-ulp: unknown argument `%s`; the options are --inputs, --function, --type, --against, --verbose, "
          "ARCH=CODE_OBJECT\n",
          word.c_str());
      return 2;
    }
  }
  auto stated = against.empty() ? std::map<std::string, double>() : readTable(against);
  auto skips = [](const std::vector<std::string> &only, const char *name) {
    return !only.empty() && std::find(only.begin(), only.end(), name) == only.end();
  };
  std::printf("| | f16 | bf16 | f32 | f64 | instructions, f32 | f64 |\n|---|---|---|---|---|---|---|\n");
  for (auto &function : functions()) {
    if (skips(wanted, function.name))
      continue;
    std::string row = "| `" + std::string(function.name) + "` |";
    bool isExact = true;
    for (host::Number number : formats) {
      const char *type = host::format(number).name;
      if (skips(types, type)) {
        row += " |";
        continue;
      }
      Worst worst = measure(targets, function, number, count);
      isExact &= worst.ulps <= 0;
      char text[32];
      std::snprintf(text, sizeof text, " %.2f |", std::ceil(std::max(worst.ulps, 0.0) * 100 - 1e-9) / 100);
      row += text;
      std::string at = std::string(function.name) + " " + type;
      auto limit = stated.find(at);
      bool over = !against.empty() && worst.ulps > (limit == stated.end() ? 0 : limit->second);
      ok &= std::isfinite(worst.ulps) && !over;
      if (verbose || over || !std::isfinite(worst.ulps))
        std::fprintf(stderr, "%s: %.3f ulp%s, of (%.17g, %.17g) it gave %.17g on %s\n", at.c_str(), worst.ulps,
                     over ? ", more than the table says" : "", host::decode(number, worst.x),
                     host::decode(number, worst.y), host::decode(number, worst.got), worst.where.c_str());
    }
    for (host::Number number : {host::Number::F32, host::Number::F64})
      row += " " + std::to_string(instructionsOf(targets.front(), function, number)) + " |";
    if (!isExact)
      std::printf("%s\n", row.c_str());
    std::fflush(stdout);
  }
  return ok ? 0 : 1;
}
