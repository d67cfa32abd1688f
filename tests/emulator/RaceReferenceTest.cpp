// What RaceCheck and GlobalRaces find in random accesses, beside a plain reference that keeps every access to every byte.
#include "runtime/emulator/watch/RaceCheck.h"
#include "runtime/emulator/wave/Program.h"
#include "tests/emulator/StepBench.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace fly::emulator;

namespace {

constexpr unsigned waveCount = 4, ldsBytes = 4096;

struct Access {
  unsigned who, count;
  bool write;
  uint8_t value;
};
/// All accesses to a byte. After a race the checks may forget what raced: then more races may be missed.
struct Byte {
  std::vector<Access> all;
  bool hasRaced = false;
};

/// Whether some earlier access of another races with one of the byte: one of them writes, the later one has not
/// synchronised with the earlier one, and they are not both stores of the same value.
bool races(const Byte &byte, unsigned who, bool write, uint8_t value, const std::vector<unsigned> &heard) {
  for (const Access &e : byte.all) {
    if (e.who == who || e.count <= heard[e.who] || !(e.write || write)) continue;
    if (!(e.write && write && e.value == value)) return true;
  }
  return false;
}

/// Of an access: whether some byte races, and whether one does that has not raced before.
struct Expected {
  bool race = false, first = false;
};

struct Found final : WaveObserver {
  unsigned races = 0, equal = 0;
  void found(const Wave &, const Fault &fault) override { ++(fault.kind == FaultKind::Race ? races : equal); }
};

/// A wave's instruction with what its lanes access and store.
struct Step {
  unsigned bytes = 4;
  bool write = false;
  uint64_t active = ~0ull;
  uint64_t addresses[64] = {};
  uint32_t words[4 * laneStride] = {};
  uint8_t valueOf(unsigned lane, unsigned k) const { return words[k / 4 * laneStride + lane] >> 8 * (k % 4) & 0xff; }
  MemoryEvent event(Space space) const {
    return {space, !write, write, false, bytes, active, addresses, write ? StoredData{words, 0} : StoredData{}};
  }
};

template <class At>
Expected expect(const Step &s, unsigned who, unsigned count, const std::vector<unsigned> &heard, At at) {
  Expected expected;
  const auto forBytes = [&](auto f) {
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned b = 0; b < s.bytes && (s.active >> lane & 1); ++b) f(at(s.addresses[lane] + b), s.valueOf(lane, b));
  };
  forBytes([&](Byte &byte, uint8_t value) {
    if (!races(byte, who, s.write, value, heard)) return;
    expected.race = true;
    expected.first |= !byte.hasRaced;
    byte.hasRaced = true;
  });
  forBytes([&](Byte &byte, uint8_t value) { byte.all.push_back({who, count, s.write, value}); });
  return expected;
}

/// Lanes side by side, in rows with gaps, in another order, or anywhere; stores of few values, so that many are equal.
Step randomStep(std::mt19937 &random, uint64_t base, uint64_t size, unsigned least) {
  Step s;
  do s.bytes = 1u << random() % 5;
  while (s.bytes < least);
  s.write = random() % 2;
  if (random() % 4 == 0) s.active = random() | uint64_t(random()) << 32;
  const unsigned shape = random() % 4, gap = 16 * (random() % 4), turn = random() % 64;
  const uint64_t first = random() % (size / 2) / s.bytes * s.bytes;
  for (unsigned lane = 0; lane < 64; ++lane) {
    const uint64_t at = shape == 0   ? first + lane * s.bytes
                        : shape == 1 ? first + lane % 16 * (4 * s.bytes + gap) + lane / 16 * s.bytes
                        : shape == 2 ? first + (lane + turn) % 64 * s.bytes
                                     : random() % size / s.bytes * s.bytes;
    s.addresses[lane] = base + at % (size - 16);
    s.addresses[lane] -= s.addresses[lane] % s.bytes;
  }
  const uint32_t value = random() % 3 * 0x01010101u;
  for (uint32_t &word : s.words) word = random() % 16 ? value : random() % 2 * 0x0100u;
  return s;
}

/// One workgroup after another; `least`: bytes of the smallest access. The barrier is the workgroup's.
void compareLds(uint32_t seed, unsigned least, unsigned *foundRaces, unsigned *missed) {
  std::mt19937 random(seed);
  test::StepBench bench("gfx942");
  RaceCheck check(ldsBytes, waveCount, CheckMode::Warn, CheckMode::Warn, {});
  Found found;
  std::vector<Wave> waves(waveCount);
  for (unsigned w = 0; w < waveCount; ++w) {
    waves[w].index = w;
    waves[w].program = &bench.program();
    waves[w].observers.add(found, {Hook::Finding});
  }
  Inst inst;
  for (unsigned group = 0; group < 4; ++group) {
    check.reset(group, group);
    std::vector<std::vector<unsigned>> clocks(waveCount, std::vector<unsigned>(waveCount, 0));
    for (unsigned w = 0; w < waveCount; ++w) clocks[w][w] = 1;
    std::vector<Byte> history(ldsBytes);
    uint32_t at = 0;
    for (unsigned phase = 0; phase < 6; ++phase) {
      std::vector<unsigned> released(waveCount, 0);
      const unsigned steps = random() % 6;
      for (unsigned k = 0; k < steps; ++k) {
        const unsigned w = random() % waveCount;
        const Step s = randomStep(random, 0, ldsBytes, least);
        const Expected expected =
            expect(s, w, clocks[w][w], clocks[w], [&](uint64_t at) -> Byte & { return history[at]; });
        found.races = 0;
        waves[w].at = ++at;
        check.access(waves[w], inst, s.event(Space::Lds));
        if (found.races) EXPECT_TRUE(expected.race) << "seed " << seed << ", group " << group << ", step " << at;
        *foundRaces += found.races != 0;
        *missed += expected.first && !found.races;
      }
      for (unsigned w = 0; w < waveCount; ++w) {
        check.signal(waves[w], -1, phase);
        check.wait(waves[w], -1, phase);
        for (unsigned o = 0; o < waveCount; ++o) released[o] = std::max(released[o], clocks[w][o]);
        ++clocks[w][w];
      }
      for (unsigned w = 0; w < waveCount; ++w)
        for (unsigned o = 0; o < waveCount; ++o) clocks[w][o] = std::max(clocks[w][o], released[o]);
      // Not all of them go on at once.
      for (unsigned w = 0; w < waveCount; ++w) check.pass(waves[(w + seed) % waveCount], -1, phase + 1);
    }
  }
}

TEST(RaceReference, FindsWhatAListOfAllAccessesFinds) {
  unsigned races = 0, missed = 0;
  for (uint32_t seed = 0; seed < 150; ++seed)
    for (unsigned least : {16u, 4u}) {
      // The first access of a workgroup makes the cells as small as they will be.
      compareLds(seed, least, &races, &missed);
    }
  EXPECT_GT(races, 500u);
  // An earlier store of another value is forgotten where cells become smaller later.
  EXPECT_LE(missed, races / 50);
}
TEST(RaceReference, CellsOfOneSizeMissNothing) {
  unsigned races = 0, missed = 0;
  for (uint32_t seed = 0; seed < 150; ++seed) compareLds(seed, 16, &races, &missed);
  EXPECT_GT(races, 200u);
  EXPECT_EQ(missed, 0u);
}
TEST(RaceReference, BytesAreApart) {
  unsigned races = 0, missed = 0;
  for (uint32_t seed = 0; seed < 150; ++seed) compareLds(seed, 1, &races, &missed);
  EXPECT_GT(races, 500u);
  EXPECT_LE(missed, races / 50);
}

TEST(RaceReference, WorkgroupsAreAsAListOfAllAccessesHasThem) {
  unsigned all = 0, missed = 0;
  for (uint32_t seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    test::StepBench bench("gfx942");
    GlobalRaces check(CheckMode::Warn, ScopedOrder({0}, true));
    Found found;
    Wave wave;
    wave.program = &bench.program();
    wave.observers.add(found, {Hook::Finding});
    Inst inst;
    inst.number = static_cast<uint32_t>(bench.add("global_load_dword v0, v[2:3], off"));
    const uint64_t base = 0x100000ull * 4096 - 2048, size = 8192;
    std::map<uint64_t, Byte> history;
    const std::vector<unsigned> heard(8, 0);
    for (uint32_t at = 1; at <= 24; ++at) {
      const unsigned group = random() % 2;
      const Step s = randomStep(random, base, size, 1);
      const Expected expected = expect(s, group, 1, heard, [&](uint64_t at) -> Byte & { return history[at]; });
      found.races = 0;
      wave.at = at;
      check.access(wave, inst, s.event(Space::Global), group, nullptr);
      if (found.races) EXPECT_TRUE(expected.race) << "seed " << seed << ", step " << at;
      all += found.races != 0;
      missed += expected.first && !found.races;
    }
  }
  EXPECT_GT(all, 500u);
  // Of the words with bytes of two writers only the last writer is known.
  EXPECT_LE(missed, all / 5);
}

} // namespace
