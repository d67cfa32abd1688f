// math-ulp [options] ARCH=CODE_OBJECT...
//
//   --inputs N         strata of the bit patterns, and of the range (default 2^20)
//   --function NAME    only this one; may be repeated       --type T   likewise
//   --verbose          where the worst was, on standard error
//
// Prints a line for each function and type, `sin f32 0.79`, the largest error over all code objects given. Its exit code is
// 1 when a special value (NaN, infinity, the sign of zero) is wrong.
#include "tools/math-ulp/MathUlp.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

using namespace fly;
using namespace fly::ulp;

namespace {
struct Target {
  std::string arch;
  std::unique_ptr<emulator::Device> device;
  std::shared_ptr<emulator::Module> module;
};

const std::pair<emulator::Approximation, const char *> approximations[] = {
    {emulator::Approximation::Nearest, "nearest"}, {emulator::Approximation::Below, "below"}, {emulator::Approximation::Above, "above"}};

Worst measure(std::vector<Target> &targets, const Function &function, host::Number number, uint64_t count) {
  Inputs inputs = inputsOf(function, number, count);
  size_t n = inputs.x.size();
  std::vector<long double> exact(n);
  for (size_t i = 0; i < n; ++i) {
    double x = host::decode(number, inputs.x[i]), y = function.two ? host::decode(number, inputs.y[i]) : 0;
    exact[i] = number == host::Number::F64 ? function.large(x, y) : static_cast<long double>(function.small(x, y));
  }
  Worst worst;
  std::string kernel = std::string(function.name) + "_" + host::format(number).name;
  for (auto &target : targets)
    for (auto [approximation, text] : approximations) {
      auto results = run(*target.device, *target.module, kernel, function, number, inputs, approximation);
      for (size_t i = 0; i < n; ++i) {
        double error = errorOf(number, results[i], exact[i]);
        if (!(error > worst.ulps))
          continue;
        uint64_t y = function.two ? inputs.y[i] : 0;
        error = settledError(function, number, inputs.x[i], y, results[i]);
        if (error > worst.ulps)
          worst = {error, inputs.x[i], y, results[i], target.arch + " " + text};
      }
    }
  return worst;
}
} // namespace

int main(int argc, char **argv) {
  uint64_t count = 1 << 20;
  bool verbose = false;
  std::vector<std::string> wanted, types;
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
    else if (word == "--verbose")
      verbose = true;
    else if (size_t at = word.find('='); at != std::string::npos && emulator::findArchitecture(word.substr(0, at))) {
      std::ifstream file(word.substr(at + 1), std::ios::binary);
      std::string bytes((std::istreambuf_iterator<char>(file)), {}), error;
      Target target{word.substr(0, at), std::make_unique<emulator::Device>(*emulator::findArchitecture(word.substr(0, at))), nullptr};
      if (!(target.module = target.device->load(bytes, error))) {
        std::fprintf(stderr, "math-ulp: %s: %s\n", word.c_str(), error.c_str());
        return 1;
      }
      targets.push_back(std::move(target));
    } else {
      std::fprintf(stderr, "math-ulp: what is `%s`? usage: math-ulp [--inputs N] [--function F] [--type T] [--verbose] ARCH=CODE_OBJECT...\n", word.c_str());
      return 2;
    }
  }
  bool ok = true;
  for (auto &function : functions())
    for (host::Number number : {host::Number::F16, host::Number::BF16, host::Number::F32, host::Number::F64}) {
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), function.name) == wanted.end())
        continue;
      const char *type = host::format(number).name;
      if (!types.empty() && std::find(types.begin(), types.end(), type) == types.end())
        continue;
      Worst worst = measure(targets, function, number, count);
      std::printf("%s %s %.3f\n", function.name, type, worst.ulps);
      std::fflush(stdout);
      if (verbose && worst.ulps > 0)
        std::fprintf(stderr, "  %s(%.17g, %.17g) gave %.17g on %s\n", function.name, host::decode(number, worst.x),
                     host::decode(number, worst.y), host::decode(number, worst.got), worst.where.c_str());
      ok &= std::isfinite(worst.ulps);
    }
  return ok ? 0 : 1;
}
