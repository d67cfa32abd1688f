// How fast the emulator is: wave instructions a second of typical kernels, on one thread and on two.
//
//     emulator-bench [FOLDER of NAME.ARCH.hsaco] [--arch gfx942]... [--kernel NAME]... [--check CHECK[:MODE],...]
//
// Prints a Markdown table. Because machines differ, each line also has a ratio to something measured in the same run:
// a plain host loop over 64 lanes (one fused multiply-add, operands and results in memory, vectorised), counted as one
// wave instruction a round. No emulator can beat it; 1.0 would be emulation without any cost.
#include "compiler/target/Target.h"
#include "runtime/emulator/Emulator.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace fly::emulator;

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
/// Of this thread: what one thread needs is not blurred by what else the machine does.
double threadSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// Wave instructions a second of the host's own loop.
double hostRate() {
  alignas(64) static float a[64 * 64], b[64 * 64];
  for (int k = 0; k < 64 * 64; ++k)
    a[k] = float(k), b[k] = 0.5f;
  uint64_t rounds = 0;
  double begin = threadSeconds(), end = begin;
  while (end - begin < 0.3) {
    for (int k = 0; k < 1000; ++k)
      for (int r = 0; r < 64; ++r) {
        float *x = a + 64 * r, *y = b + 64 * ((r + k) & 63);
        for (int l = 0; l < 64; ++l)
          x[l] = x[l] * 0.999f + y[l];
        asm volatile("" ::"r"(x) : "memory");
      }
    rounds += 64000;
    end = threadSeconds();
  }
  return double(rounds) / (end - begin);
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A device with the kernels of one architecture.
struct Bench {
  Device device;
  std::shared_ptr<Module> module;
  std::string error;
  Bench(const std::string &arch, const std::string &code)
      : device(*findArchitecture(arch)), module(device.load(code, error)) {}
  uint64_t buffer(size_t bytes) {
    uint64_t address = device.allocate(bytes, "buffer");
    std::mt19937 random(1);
    auto *p = static_cast<uint16_t *>(device.hostPointer(address, bytes));
    for (size_t k = 0; k < bytes / 2; ++k)
      p[k] = uint16_t(0x3000 + (random() & 0x87ff)); // f16 around 0.25, both signs
    return address;
  }
};

struct Kernel {
  const char *name, *what;
  LaunchConfig config;
  std::function<std::string(Bench &, int work)> arguments;
  int work;            ///< the amount that takes a noticeable time
  bool matrix = false; ///< measured with both kinds of matrix arithmetic
};

template <class... T> std::string pack(T... values) {
  std::string bytes;
  auto add = [&](auto v) {
    bytes.resize((bytes.size() + sizeof v - 1) / sizeof v * sizeof v);
    bytes.append(reinterpret_cast<const char *>(&v), sizeof v);
  };
  (add(values), ...);
  return bytes;
}

LaunchConfig shape(uint32_t x, uint32_t y, uint32_t block) {
  LaunchConfig c;
  c.grid = {x, y, 1};
  c.block = {block, 1, 1};
  return c;
}

std::vector<Kernel> kernels(unsigned wave) {
  return {
      {"valu", "VALU loop", shape(16, 1, 256), [](Bench &b, int n) { return pack(b.buffer(16 * 256 * 4), int32_t(n)); },
       2000},
      {"lds", "LDS loop, 128 bit", shape(16, 1, 256),
       [](Bench &b, int n) { return pack(b.buffer(16 * 256 * 16), int32_t(n)); }, 4000},
      {"copy", "global copy, 128 bit", shape(64, 1, 256),
       [](Bench &b, int n) {
         size_t bytes = size_t(n) * 64 * 256 * 16;
         return pack(b.buffer(bytes), b.buffer(bytes), int32_t(n));
       },
       256},
      {"gemm", "f16 matrix product, 512^3", shape(8, 8, 256),
       [](Bench &b, int) {
         return pack(b.buffer(512 * 512 * 4), b.buffer(512 * 512 * 2), b.buffer(512 * 512 * 2), int32_t(512));
       },
       0, true},
      {"attention", "attention-like mix", shape(64, 1, wave),
       [](Bench &b, int n) {
         return pack(b.buffer(64 * 8 * 64 * 4), b.buffer(64 * 16 * 32 * 2), b.buffer(size_t(n) * 32 * 2), int32_t(n));
       },
       4096, true},
  };
}

/// Best of three rates, wave instructions a second: of processor time on one thread, of real time on several. 0 after a
/// fault, which is printed.
double measure(Bench &bench, const Kernel &kernel, const Checks &checks, unsigned threads) {
  LaunchConfig config = kernel.config;
  config.checks = checks;
  config.threads = threads;
  std::string arguments = kernel.arguments(bench, kernel.work);
  double best = 0;
  for (int k = 0; k < 3; ++k) {
    double (*clock)() = threads == 1 ? threadSeconds : seconds, begin = clock();
    LaunchResult r = bench.device.launch(*bench.module, kernel.name, config, arguments);
    if (!r.ok) {
      std::fprintf(stderr, "%s\n", r.report.text().c_str());
      return 0;
    }
    best = std::max(best, double(r.waveInstructions) / (clock() - begin));
  }
  return best;
}

} // namespace

int main(int argc, char **argv) {
  std::string folder = EMULATOR_BENCH_KERNELS;
  std::vector<std::string> archs, names;
  Checks checks;
  for (int k = 1; k < argc; ++k) {
    if (!std::strcmp(argv[k], "--arch") && k + 1 < argc)
      archs.push_back(argv[++k]);
    else if (!std::strcmp(argv[k], "--kernel") && k + 1 < argc)
      names.push_back(argv[++k]);
    else if (!std::strcmp(argv[k], "--check") && k + 1 < argc) {
      if (std::string wrong = parseChecks(argv[++k], checks); !wrong.empty()) {
        std::fprintf(stderr, "emulator-bench: --check: %s\n", wrong.c_str());
        return 2;
      }
    } else if (argv[k][0] != '-')
      folder = argv[k];
    else {
      std::fprintf(stderr,
                   "usage: emulator-bench [FOLDER] [--arch ARCH]... [--kernel NAME]... [--check CHECK[:MODE],...]\n");
      return 2;
    }
  }
  if (archs.empty())
    for (const fly::target::Target &target : fly::target::all())
      archs.emplace_back(target.name);
  double host = hostRate();
  std::printf("host loop: %.0f million rounds of 64 lanes a second\n\n", host / 1e6);
  std::printf("| kernel | architecture | 1 thread | 2 threads | of the host loop |\n|---|---|---|---|---|\n");
  for (const std::string &arch : archs) {
    Bench bench(arch, readFile(folder + "/kernels." + arch + ".hsaco"));
    if (!bench.module) {
      std::fprintf(stderr, "emulator-bench: %s: %s\n", arch.c_str(), bench.error.c_str());
      return 1;
    }
    for (const Kernel &kernel : kernels(fly::target::find(arch)->waveSize)) {
      if (!names.empty() && std::find(names.begin(), names.end(), kernel.name) == names.end())
        continue;
      auto row = [&](const Kernel &k, const char *note) {
        double one = measure(bench, k, checks, 1), two = measure(bench, k, checks, 2);
        std::printf("| %s%s | %s | %.1f M/s | %.1f M/s | %.2f |\n", k.what, note, arch.c_str(), one / 1e6, two / 1e6,
                    one / host);
        std::fflush(stdout);
      };
      row(kernel, "");
      if (!kernel.matrix)
        continue;
      Kernel fast = kernel;
      fast.config.matrix = MatrixArithmetic::Fast;
      row(fast, ", `--matrix fast`");
    }
  }
}
