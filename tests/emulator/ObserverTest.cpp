// Observers of waves: the set of one wave, and observers that a launch adds to those of its checks.
#include "runtime/emulator/launch/LaunchObservers.h"
#include "runtime/emulator/wave/Pending.h"
#include "tests/emulator/StepBench.h"
#include "tests/emulator/TestSupport.h"

namespace fly::emulator::test {

namespace {

constexpr Hooks everything{Hook::Instruction, Hook::Access, Hook::Operation, Hook::Order,
                           Hook::Finding,     Hook::Turn,   Hook::End};

/// How often each function was called.
struct Calls {
  uint64_t begun = 0, finished = 0, instructions = 0, reads = 0, writes = 0, ldsBytes = 0, issued = 0, performed = 0,
           waitedFor = 0, signals = 0, passes = 0, waits = 0, releases = 0, acquires = 0, arrivals = 0, arrived = 0,
           arrivalsEnded = 0, turnedPhases = 0, found = 0, turns = 0, ended = 0;
  void add(const Calls &o) {
    begun += o.begun, finished += o.finished, instructions += o.instructions, reads += o.reads, writes += o.writes;
    ldsBytes += o.ldsBytes, issued += o.issued, performed += o.performed, waitedFor += o.waitedFor;
    signals += o.signals, passes += o.passes, waits += o.waits, releases += o.releases, acquires += o.acquires;
    arrivals += o.arrivals, arrived += o.arrived, arrivalsEnded += o.arrivalsEnded, turnedPhases += o.turnedPhases;
    found += o.found, turns += o.turns, ended += o.ended;
  }
};

/// A check of the test's own: counts, and adds up in `sum` when it is finished.
class Counter : public WaveObserver {
public:
  explicit Counter(Calls *sum = nullptr, Hooks hooks = everything) : sum(sum), hooks(hooks) {}
  Calls calls;

  void begin(Wave &wave, const WaveStart &) override {
    ++calls.begun;
    wave.observers.add(*this, hooks);
  }
  void finish(Program &) override {
    static std::mutex mutex;
    ++calls.finished;
    std::lock_guard lock(mutex);
    if (sum) sum->add(calls);
  }
  void instruction(Wave &, const Inst &) override { ++calls.instructions; }
  void access(Wave &, const Inst &, const MemoryEvent &event) override {
    calls.reads += event.read, calls.writes += event.write;
    if (event.space == Space::Lds) calls.ldsBytes += event.bytes * static_cast<unsigned>(std::popcount(event.active));
  }
  void issue(Wave &, const Pending &) override { ++calls.issued; }
  void perform(Wave &, const Pending &) override { ++calls.performed; }
  void waitedFor(Wave &, const Pending &) override { ++calls.waitedFor; }
  void signal(Wave &, int, uint64_t) override { ++calls.signals; }
  void pass(Wave &, int, uint64_t) override { ++calls.passes; }
  void wait(Wave &, int, uint64_t) override { ++calls.waits; }
  void release(Wave &, Reach reach) override { calls.releases += reach == Reach::System; }
  void acquire(Wave &, Reach reach) override { calls.acquires += reach == Reach::Agent; }
  void beginArrival(Wave &, uint32_t arrival) override { open.insert(arrival), ++calls.arrivals; }
  void arrive(Wave &, uint32_t arrival, uint32_t, bool turned) override {
    EXPECT_TRUE(open.count(arrival)) << arrival;
    ++calls.arrived, calls.turnedPhases += turned;
  }
  void endArrival(Wave &, uint32_t arrival) override { calls.arrivalsEnded += open.erase(arrival); }
  void found(const Wave &, const Fault &) override { ++calls.found; }
  std::string refusal(const Wave &) override { return ++calls.turns, ""; }
  void end(Wave &) override { ++calls.ended; }

private:
  Calls *sum;
  Hooks hooks;
  std::set<uint32_t> open;
};

/// Sums of threes in 3 workgroups of 256 threads: 4 waves, and a barrier before, between and after the 8 steps.
LaunchResult sumThrees(Machine &m, LaunchConfig config, const std::vector<ObserverRow> &rows) {
  const uint32_t n = 768;
  const uint64_t in = m.upload(std::vector<int32_t>(n, 3), "in"), out = m.device.allocate(12, "out");
  config.grid = {3, 1, 1};
  config.block = {256, 1, 1};
  config.observers = &rows;
  LaunchResult r = m.device.launch(*m.module, "block_sum", config, arguments(out, in, int32_t(n)));
  if (r.ok) EXPECT_EQ(m.download<int32_t>(out, 3), std::vector<int32_t>(3, 3 * 256));
  return r;
}

} // namespace

TEST(WaveObservers, EachHookHasThoseThatWantItInTheOrderTheyCame) {
  Counter a, b, c;
  WaveObservers set;
  for (size_t h = 0; h < hookCount; ++h) EXPECT_FALSE(set.want(static_cast<Hook>(h)));
  set.add(a, {Hook::End, Hook::Instruction});
  set.add(b, {Hook::Instruction, Hook::Order});
  set.add(c, {Hook::Instruction, Hook::Execution});
  const auto of = [&](Hook hook) {
    const auto all = set.of(hook);
    return std::vector<WaveObserver *>(all.begin(), all.end());
  };
  using List = std::vector<WaveObserver *>;
  EXPECT_EQ(of(Hook::Instruction), (List{&a, &b, &c}));
  EXPECT_EQ(of(Hook::Order), List{&b});
  EXPECT_EQ(of(Hook::End), List{&a});
  EXPECT_EQ(of(Hook::Access), List{});
  EXPECT_FALSE(set.want(Hook::Access));
  EXPECT_EQ(set.executor(), &c);

  const WaveObservers before = set;
  set.remove(Hook::Instruction);
  EXPECT_FALSE(set.want(Hook::Instruction));
  EXPECT_EQ(of(Hook::Instruction), List{});
  EXPECT_EQ(of(Hook::Order), List{&b});
  EXPECT_EQ(of(Hook::End), List{&a});
  EXPECT_EQ(set.executor(), &c);
  set = before;
  EXPECT_EQ(of(Hook::Instruction), (List{&a, &b, &c}));
  set.clear();
  EXPECT_EQ(of(Hook::End), List{});
  EXPECT_EQ(set.executor(), nullptr);
}

TEST(WaveObservers, OnlyWantedHooksAreTold) {
  StepBench bench("gfx942");
  Counter all, accesses;
  bench.wave().observers.add(all, everything);
  bench.wave().observers.add(accesses, {Hook::Access});
  const uint64_t at = bench.allocate(256);
  bench.setSgpr64(0, at);
  for (unsigned l = 0; l < 64; ++l) bench.vgpr(1, l) = 4 * l;
  for (const char *text : {"ds_write_b32 v1, v1", "ds_read_b32 v2, v1", "global_store_dword v1, v2, s[0:1]",
                           "buffer_wbl2 sc0 sc1", "buffer_inv sc1", "s_nop 0"})
    ASSERT_TRUE(bench.run(text)) << bench.error();
  EXPECT_EQ(all.calls.instructions, 6u);
  EXPECT_EQ(all.calls.reads, 1u);
  EXPECT_EQ(all.calls.writes, 2u);
  EXPECT_EQ(all.calls.ldsBytes, 512u);
  EXPECT_GE(all.calls.issued, 3u);
  EXPECT_EQ(all.calls.performed, all.calls.issued);
  EXPECT_EQ(all.calls.releases, 1u);
  EXPECT_EQ(all.calls.acquires, 1u);
  EXPECT_EQ(accesses.calls.reads, 1u);
  EXPECT_EQ(accesses.calls.writes, 2u);
  EXPECT_EQ(accesses.calls.instructions + accesses.calls.issued + accesses.calls.releases, 0u);
}

TEST(WaveObservers, AReadThatIsPerformedBeforeItsWaitIsToldTwice) {
  StepBench bench("gfx942");
  Counter all;
  bench.wave().observers.add(all, everything);
  bench.setSgpr64(0, bench.allocate(256));
  for (unsigned l = 0; l < 64; ++l) bench.vgpr(1, l) = 4 * l;
  ASSERT_TRUE(bench.runSequence(
      {"global_load_dword v2, v1, s[0:1]", "global_store_dword v1, v1, s[0:1]", "s_waitcnt vmcnt(0)"}))
      << bench.error();
  EXPECT_EQ(all.calls.issued, 2u);
  EXPECT_EQ(all.calls.performed, 2u);
  EXPECT_LE(all.calls.waitedFor, 1u);
}

TEST(LaunchObservers, AnObserverOfTheCallerSeesWhatTheWavesDo) {
  Machine m("structure", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  for (unsigned threads : {1u, 3u}) {
    Calls calls;
    std::atomic<unsigned> made = 0;
    LaunchConfig config;
    config.threads = threads;
    const LaunchResult r = sumThrees(m, config, {{ObserverScope::Wave, [&](const ObservedLaunch &) {
                                                    return ++made, std::make_unique<Counter>(&calls);
                                                  }}});
    ASSERT_TRUE(r.ok) << r.report.text();
    EXPECT_EQ(calls.begun, 12u);
    EXPECT_EQ(calls.ended, 12u);
    EXPECT_EQ(calls.finished, made);
    EXPECT_EQ(calls.instructions, r.waveInstructions);
    EXPECT_EQ(calls.signals, 12u * 9);
    EXPECT_EQ(calls.waits, calls.signals);
    EXPECT_EQ(calls.passes, calls.signals);
    EXPECT_GE(calls.turns, 12u * 10);
    EXPECT_EQ(calls.performed, calls.issued);
    // In LDS each thread writes its number, and the steps read two and write one: 255 sums and a result a workgroup.
    EXPECT_EQ(calls.ldsBytes, 3u * 4 * (256 + 3 * 255 + 1));
  }
}

TEST(LaunchObservers, AnObserverHasItsScope) {
  Machine m("structure", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  const std::pair<ObserverScope, unsigned> cases[] = {{ObserverScope::Thread, 1},
                                                      {ObserverScope::Unit, 1},
                                                      {ObserverScope::Workgroup, 1},
                                                      {ObserverScope::Wave, 4}}; // one unit at a time
  for (const auto &[scope, objects] : cases) {
    Calls calls;
    LaunchConfig config;
    config.threads = 1;
    ASSERT_TRUE(
        sumThrees(m, config, {{scope, [&](const ObservedLaunch &) { return std::make_unique<Counter>(&calls); }}}).ok);
    EXPECT_EQ(calls.begun, 12u) << static_cast<int>(scope);
    EXPECT_EQ(calls.finished, objects) << static_cast<int>(scope);
  }
}

TEST(LaunchObservers, OneThatIsNotWantedIsNotMade) {
  Machine m("structure", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  for (ObserverScope scope :
       {ObserverScope::Thread, ObserverScope::Unit, ObserverScope::Workgroup, ObserverScope::Wave})
    EXPECT_TRUE(sumThrees(m, {}, {{scope, [](const ObservedLaunch &) { return nullptr; }}}).ok);
}

TEST(LaunchObservers, AWaveStartSaysWhichWaveItIs) {
  struct Starts final : WaveObserver {
    std::vector<std::array<uint64_t, 4>> list;
    size_t lds = 0;
    bool entryIsSet = false;
    std::vector<std::array<uint64_t, 4>> &result;
    explicit Starts(std::vector<std::array<uint64_t, 4>> &result) : result(result) {}
    void begin(Wave &wave, const WaveStart &start) override {
      list.push_back({start.unit, start.group, start.wave, start.workgroup});
      EXPECT_EQ(start.isFirst(), start.wave == 0);
      EXPECT_EQ(start.lds.data(), wave.group->lds);
      EXPECT_GE(start.lds.size(), 1024u);
      EXPECT_TRUE(start.scalars.any());
      EXPECT_EQ(wave.group->unit, start.unit);
    }
    void finish(Program &) override { result = list; }
  };
  Machine m("structure", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  std::vector<std::array<uint64_t, 4>> starts, want;
  LaunchConfig config;
  config.threads = 1;
  ASSERT_TRUE(
      sumThrees(m, config,
                {{ObserverScope::Thread, [&](const ObservedLaunch &) { return std::make_unique<Starts>(starts); }}})
          .ok);
  for (uint64_t unit = 0; unit < 3; ++unit)
    for (uint64_t wave = 0; wave < 4; ++wave) want.push_back({unit, 0, wave, unit});
  EXPECT_EQ(starts, want);
}

/// Checks that no wave stores to LDS after its third barrier: a fault, or a finding.
class NoLateStores final : public WaveObserver {
public:
  explicit NoLateStores(CheckMode mode) : mode(mode) {}
  void begin(Wave &wave, const WaveStart &) override {
    barriers = 0;
    wave.observers.add(*this, {Hook::Access, Hook::Order});
  }
  void pass(Wave &, int, uint64_t) override { ++barriers; }
  void access(Wave &wave, const Inst &, const MemoryEvent &event) override {
    if (event.space != Space::Lds || !event.write || barriers < 3) return;
    Fault fault{FaultKind::Trap, "a store after the third barrier"};
    if (mode == CheckMode::Error) return wave.fail(std::move(fault));
    wave.observers.found(wave, fault);
  }

private:
  const CheckMode mode;
  unsigned barriers = 0;
};

TEST(LaunchObservers, ACheckIsAFaultOrAFinding) {
  Machine m("structure", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  const auto run = [&](CheckMode mode) {
    return sumThrees(
        m, {}, {{ObserverScope::Wave, [=](const ObservedLaunch &) { return std::make_unique<NoLateStores>(mode); }}});
  };
  const LaunchResult fault = run(CheckMode::Error);
  EXPECT_FALSE(fault.ok);
  EXPECT_EQ(fault.report.kind, FaultKind::Trap);
  EXPECT_EQ(fault.report.what, "a store after the third barrier");
  ASSERT_TRUE(fault.report.instruction);
  EXPECT_NE(fault.report.instruction->text.find("ds_write_b32"), std::string::npos) << fault.report.text();
  EXPECT_EQ(fault.report.instruction->file, "structure.c");
  const LaunchResult findings = run(CheckMode::Warn);
  EXPECT_TRUE(findings.ok) << findings.report.text();
  ASSERT_GE(findings.findings.size(), 1u);
  EXPECT_EQ(findings.findings.begin()->second.report.what, "a store after the third barrier");
}

TEST(LaunchObservers, ARefusalEndsTheLaunch) {
  struct Refuses final : WaveObserver {
    void begin(Wave &wave, const WaveStart &) override { wave.observers.add(*this, {Hook::Turn}); }
    std::string refusal(const Wave &wave) override { return wave.stop == Stop::End ? "enough of this" : ""; }
  };
  Machine m("structure", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  const LaunchResult r =
      sumThrees(m, {}, {{ObserverScope::Thread, [](const ObservedLaunch &) { return std::make_unique<Refuses>(); }}});
  EXPECT_FALSE(r.ok);
  EXPECT_EQ(r.report.kind, FaultKind::BadLaunch);
  EXPECT_EQ(r.report.text(), "enough of this");
}

TEST(LaunchObservers, ArrivalsAtBarriersInLdsHaveNumbers) {
  Machine m("async", "gfx1250", "O2");
  ASSERT_TRUE(m.module) << m.error;
  const uint32_t n = 128, rounds = 5;
  const uint64_t in = m.upload(std::vector<int32_t>(n * rounds, 1), "in"), out = m.device.allocate(n * 4, "out");
  Calls calls;
  const std::vector<ObserverRow> rows = {
      {ObserverScope::Workgroup, [&](const ObservedLaunch &) { return std::make_unique<Counter>(&calls); }}};
  LaunchConfig config;
  config.block = {n, 1, 1};
  config.observers = &rows;
  const LaunchResult r = m.device.launch(*m.module, "announced", config, arguments(in, out, rounds));
  ASSERT_TRUE(r.ok) << r.report.text();
  EXPECT_EQ(calls.arrivals, uint64_t(n / 32) * rounds); // an instruction of each wave
  EXPECT_EQ(calls.arrivalsEnded, calls.arrivals);
  EXPECT_EQ(calls.arrived, uint64_t(n) * rounds); // a lane each
  EXPECT_EQ(calls.turnedPhases, uint64_t(rounds));
}

} // namespace fly::emulator::test
