// A simulation just good enough for pictures: waves in order, one matrix unit a SIMD, loads that take their time.
#include "tests/timing/Example.h"

#include <algorithm>

namespace fly::timing {

using namespace emulator;

namespace {

struct Code {
  const char *text, *unit;
  unsigned line;
};
// clang-format off
enum {
  Kernarg, Address, Prologue, Load, Read, Mfma, Pack, WaitLds, WaitMemory, Write, Barrier, Count, Branch, Store, End
};
// clang-format on
constexpr Code code[] = {
    {"s_load_dwordx8 s[4:11], s[0:1], 0x0", "scalar memory", 12},
    {"v_lshl_add_u32 v2, v0, 4, s12", "vector", 14},
    {"buffer_load_dwordx4 v2, s[4:7], 0 offen lds", "vector memory", 22},
    {"buffer_load_dwordx4 v3, s[4:7], s14 offen lds", "vector memory", 31},
    {"ds_read_b128 v[20:23], v1 offset:4096", "LDS", 36},
    {"v_mfma_f32_16x16x32_f16 a[0:3], v[20:23], v[36:39], a[0:3]", "matrix", 41},
    {"v_perm_b32 v60, v61, v62, s20", "vector", 38},
    {"s_waitcnt lgkmcnt(4)", "wait", 36},
    {"s_waitcnt vmcnt(8)", "wait", 44},
    {"ds_write_b128 v1, v[44:47]", "LDS", 45},
    {"s_barrier", "barrier", 46},
    {"s_add_u32 s14, s14, 0x80", "scalar", 30},
    {"s_cbranch_scc1 -812", "branch", 30},
    {"global_store_dwordx4 v4, a[0:3], s[8:9]", "vector memory", 52},
    {"s_endpgm", "end", 54},
};

/// All waves a step at a time: the one that is earliest goes on, so shared units see requests in order.
class Simulation {
public:
  Simulation(const ExampleOptions &options, Timing &timing) : o(options), timing(timing) {
    timing.instructions.resize(std::size(code));
    for (std::size_t i = 0; i < std::size(code); ++i) {
      TimedInstruction &t = timing.instructions[i];
      t.address = 0x1000 + 8 * i;
      t.text = code[i].text;
      t.unit = code[i].unit;
      t.file = "kernels/gemm/steps/pipelined.fly";
      t.line = code[i].line;
    }
    timing.timeline.resize(o.waves);
    matrixFree.resize(o.simds);
    for (unsigned w = 0; w < o.waves; ++w) {
      WaveLine &wave = timing.timeline[w];
      wave.workgroup = w / 4;
      wave.wave = w % 4;
      wave.simd = w % o.simds;
      wave.begin = 40 + 13 * w;
      now.push_back(wave.begin);
    }
  }

  void run() {
    each([&](unsigned w) {
      const uint64_t there = issue(w, Kernarg, now[w], 210);
      issue(w, WaitLds, there, 1, Stall::ScalarMemory);
      issue(w, Address, now[w], 4);
    });
    const unsigned loads = std::max(1u, o.loads / o.waves), reads = std::max(1u, o.ldsReads / o.waves),
                   matrix = std::max(1u, o.matrix / o.waves);
    std::vector<uint64_t> arrived(o.waves), waited(o.waves), before(o.waves);
    auto request = [&](unsigned w, int which) { arrived[w] = std::max(arrived[w], load(w, which)); };
    each([&](unsigned w) {
      for (unsigned l = 0; l < loads; ++l)
        request(w, Prologue);
    });
    meet();
    for (unsigned iteration = 0; iteration < o.iterations; ++iteration) {
      waited = o.hidden && iteration ? before : arrived; // two tiles ahead, or none
      before = arrived;
      each([&](unsigned w) { issue(w, WaitMemory, waited[w], 1, Stall::VectorMemory); });
      meet();
      const unsigned group = std::max(1u, matrix / std::max(1u, reads));
      std::vector<uint64_t> ready(o.waves), older(o.waves);
      for (unsigned part = 0; part < reads; ++part)
        each([&](unsigned w) {
          if (o.hidden && part % std::max(1u, reads / loads) == 0 && part / std::max(1u, reads / loads) < loads)
            request(w, Load);
          const uint64_t data = issue(w, Read, std::max(now[w], ldsFree), 128 + next() % 40, Stall::LdsQueue);
          ldsFree = now[w] + 8;
          if (part % 4 == 1)
            issue(w, Pack, now[w], 4);
          if (older[w] > now[w])
            issue(w, WaitLds, older[w], 1, Stall::Lds);
          older[w] = o.hidden ? ready[w] : data;
          ready[w] = data;
          for (unsigned m = 0; m < group; ++m) {
            uint64_t &free = matrixFree[timing.timeline[w].simd];
            free = issue(w, Mfma, std::max(now[w], free), o.matrixCycles, Stall::Matrix);
          }
        });
      if (!o.hidden)
        each([&](unsigned w) {
          for (unsigned l = 0; l < loads; ++l)
            request(w, Load);
        });
      each([&](unsigned w) {
        issue(w, Write, now[w], 90);
        issue(w, Count, now[w], 4);
        issue(w, Branch, now[w], 12);
      });
    }
    each([&](unsigned w) {
      for (unsigned s = 0; s < 8; ++s)
        issue(w, Store, now[w] + (s ? 6 : 0), 420, Stall::MemoryQueue);
      issue(w, End, now[w], 4);
    });
    for (unsigned w = 0; w < o.waves; ++w)
      timing.timeline[w].end = std::ranges::max(timing.timeline[w].spans, {}, &WaveSpan::end).end;
  }

private:
  unsigned next() { return random = random * 1103515245 + 12345, random >> 16 & 0x7fff; }

  template <class F> void each(F &&action) {
    std::vector<unsigned> order(o.waves);
    for (unsigned w = 0; w < o.waves; ++w)
      order[w] = w;
    std::ranges::sort(order, [&](unsigned a, unsigned b) { return std::pair(now[a], a) < std::pair(now[b], b); });
    for (unsigned w : order)
      action(w);
  }

  /// Issues at `at` or when the wave is there; the wave goes on four cycles later.
  uint64_t issue(unsigned w, int which, uint64_t at, uint64_t duration, Stall stall = Stall::Issue) {
    const uint64_t begin = now[w], issued = std::max(begin, at);
    timing.timeline[w].spans.push_back({static_cast<uint32_t>(which), begin, issued, issued + duration, stall});
    TimedInstruction &i = timing.instructions[static_cast<std::size_t>(which)];
    ++i.executions;
    i.issueCycles += 4;
    i.stalls[static_cast<unsigned>(stall)] += issued - begin;
    now[w] = issued + 4;
    return issued + duration;
  }

  uint64_t load(unsigned w, int which) {
    const uint64_t at = std::max(now[w], memoryFree);
    memoryFree = at + 10;
    return issue(w, which, at, o.flight - 60 + next() % 120, Stall::MemoryQueue);
  }

  void meet() {
    const uint64_t all = *std::ranges::max_element(now);
    each([&](unsigned w) { issue(w, Barrier, all, 1, Stall::Barrier); });
  }

  const ExampleOptions o;
  Timing &timing;
  std::vector<uint64_t> now, matrixFree;
  uint64_t ldsFree = 0, memoryFree = 0;
  unsigned random = 1;
};

} // namespace

Timing exampleTiming(const ExampleOptions &options) {
  Timing timing;
  timing.kernel = "gemm_f16_pipelined";
  timing.architecture = "gfx950";
  timing.machine = "MI355X";
  Simulation(options, timing).run();
  uint64_t matrixBusy = 0;
  for (const WaveLine &wave : timing.timeline) {
    timing.cycles = std::max(timing.cycles, wave.end);
    for (const WaveSpan &span : wave.spans)
      if (span.instruction == Mfma)
        matrixBusy += span.end - span.issue;
  }
  timing.uncertainty = 0.12;
  timing.uncertaintyNote = "16 points on gfx950";
  timing.maximumClock = 2400;
  timing.sustainedClock = 1900;
  timing.workgroups = timing.replayed = 1024;
  timing.computeUnits = 256;
  timing.simulated = 32;
  timing.wavesPerSimd = (options.waves + options.simds - 1) / options.simds;
  timing.occupancyLimit = "VGPRs";
  const double share = static_cast<double>(matrixBusy) / static_cast<double>(timing.cycles * options.simds);
  timing.busy = {share, 0.06, 0.02, 0.31, 0.38, 0.22, 0.3, 0.2, 0.17};
  timing.peakMatrixFlops = 1048576;
  timing.matrixFlops = share * timing.peakMatrixFlops * static_cast<double>(timing.cycles);
  timing.peakMemoryBytes = 3333;
  timing.memoryBytes = 0.17 * timing.peakMemoryBytes * static_cast<double>(timing.cycles);
  timing.bound = options.hidden ? "matrix" : "latency";
  timing.instructions[Read].conflictCycles = 512;
  TimedLoop loop;
  loop.first = timing.instructions[Load].address;
  loop.last = timing.instructions[Branch].address;
  loop.file = timing.instructions[Branch].file;
  loop.line = 30;
  loop.iterations = uint64_t{options.iterations} * options.waves;
  loop.cycles = static_cast<double>(timing.cycles) / std::max(1u, options.iterations);
  loop.matrixCycles = double(options.matrix) / options.waves * options.matrixCycles;
  loop.matrixShare = std::min(1.0, loop.matrixCycles / loop.cycles * options.waves / options.simds);
  timing.loops.push_back(loop);
  return timing;
}

} // namespace fly::timing
