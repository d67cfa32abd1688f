// The tensor data mover against a walk over single elements, as AMD's guide describes it (10.11): descriptors of every
// rank, element size, padding, with repetitions and row indices, over the edges of the tensor.
#include "runtime/emulator/timing/Timing.h"
#include "runtime/emulator/watch/Profile.h"
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"
#include "tests/emulator/TestSupport.h"

#include <algorithm>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

constexpr uint32_t ldsBytes = 16384, ldsUsed = ldsBytes; // of inputs/tensor.c
constexpr uint8_t hole = 0xee;

/// A transfer in plain numbers.
struct Tile {
  unsigned rank = 2, logBytes = 1;
  uint64_t global = 0;
  uint32_t lds = 0, mask = 0;
  uint32_t dim[5] = {1, 1, 1, 1, 1}, tile[5] = {1, 0, 0, 0, 0};
  uint64_t stride[4] = {0, 0, 0, 0};
  bool pad = false;
  unsigned padInterval = 0, padAmount = 0; ///< as encoded
  unsigned repeats = 0;                    ///< 0: does not iterate
  uint32_t ldsStep = 0;
  uint64_t globalStep = 0;
  unsigned indexBits = 0; ///< 0: does not gather
  std::vector<uint32_t> rows;
  uint32_t count = 1;
  uint32_t bytes() const { return 1u << logBytes; }

  /// Bits [at, at + width) of a group.
  static void put(std::vector<uint32_t> &words, unsigned group, unsigned at, unsigned width, uint64_t value) {
    static constexpr unsigned first[4] = {0, 4, 12, 16};
    for (unsigned b = 0; b < width; ++b)
      if (value >> b & 1) words[first[group] + (at + b) / 32] |= 1u << (at + b) % 32;
  }
  std::vector<uint32_t> pack() const {
    std::vector<uint32_t> w(20);
    put(w, 0, 0, 2, count);
    put(w, 0, 32, 32, lds);
    put(w, 0, 64, 57, global);
    put(w, 0, 126, 2, 2);
    put(w, 1, 0, 16, mask);
    put(w, 1, 16, 2, logBytes);
    put(w, 1, 48, 32, dim[0]);
    put(w, 1, 80, 32, dim[1]);
    put(w, 1, 112, 16, tile[0]);
    put(w, 1, 128, 16, indexBits ? rows.size() : tile[1]);
    put(w, 1, 160, 48, stride[0]);
    if (pad) {
      put(w, 1, 20, 1, 1);
      put(w, 1, 22, 3, padInterval);
      put(w, 1, 25, 7, padAmount);
    }
    if (indexBits) {
      put(w, 0, 31, 1, 1);
      put(w, 0, 30, 1, indexBits == 32);
      for (unsigned n = 0; n < rows.size(); ++n)
        put(w, n * indexBits < 128 ? 2 : 3, n * indexBits % 128, indexBits, rows[n]);
      return w;
    }
    put(w, 1, 144, 16, tile[2]);
    put(w, 1, 208, 48, stride[1]);
    put(w, 2, 0, 32, dim[2]);
    if (repeats) {
      put(w, 1, 19, 1, 1);
      put(w, 2, 32, 32, ldsStep);
      put(w, 2, 64, 48, globalStep);
      put(w, 2, 112, 16, repeats - 1);
      return w;
    }
    put(w, 2, 32, 32, dim[3]);
    put(w, 2, 64, 48, stride[2]);
    put(w, 2, 112, 16, tile[3]);
    put(w, 3, 0, 48, stride[3]);
    put(w, 3, 48, 32, dim[4]);
    put(w, 3, 80, 16, tile[4]);
    return w;
  }

  /// f(global byte address, LDS byte address, within the tensor) for every element.
  template <class F> void each(bool load, F f) const {
    for (unsigned repeat = 0; repeat < std::max(repeats, 1u); ++repeat) {
      uint64_t origin = global + repeat * globalStep * bytes();
      uint32_t at = lds + repeat * ldsStep * bytes(), sincePad = 0;
      auto n = [&](unsigned k) {
        return k == 1 && indexBits ? uint32_t(rows.size()) : k < rank && tile[k] ? tile[k] : 1u;
      };
      for (uint32_t e = 0; e < n(4); ++e)
        for (uint32_t d = 0; d < n(3); ++d)
          for (uint32_t c = 0; c < n(2); ++c)
            for (uint32_t b = 0; b < n(1); ++b)
              for (uint32_t a = 0; a < n(0); ++a) {
                uint32_t y = indexBits ? rows[b] : b, x[5] = {a, y, c, d, e};
                bool inside = true;
                for (unsigned k = 0; k < rank; ++k) inside &= x[k] < dim[k];
                f(origin + bytes() * (a + y * stride[0] + c * stride[1] + d * stride[2] + e * stride[3]), at, inside);
                at += bytes();
                sincePad += bytes();
                if (load && pad && sincePad >= 4u << (padInterval + 1)) {
                  sincePad = 0;
                  at += 4 * (padAmount + 1);
                }
              }
    }
  }
  uint32_t ldsEnd(bool load) const {
    uint32_t end = 0;
    each(load, [&](uint64_t, uint32_t at, bool) { end = std::max(end, at + bytes()); });
    return end;
  }
};

struct TensorMover : ::testing::Test {
  test::Machine m{"tensor", "gfx1250", "O2"};
  std::vector<uint8_t> memory;
  uint64_t base = 0;
  static constexpr uint64_t size = 1 << 16;
  std::mt19937 random{11};

  void SetUp() override {
    ASSERT_TRUE(m.module) << m.error;
    memory.resize(size);
    for (uint8_t &b : memory) b = static_cast<uint8_t>(random());
    base = m.upload(memory, "tensor");
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random() % n); }

  LaunchResult run(const char *kernel, const Tile &t, uint64_t image) {
    auto words = t.pack();
    uint64_t d = m.upload(words, "descriptor");
    LaunchResult r = m.device.launch(*m.module, kernel, shape(1, 64), arguments(d, image));
    m.device.free(d);
    return r;
  }

  void expectLoad(const char *kernel, const Tile &t) {
    uint64_t out = m.device.allocate(ldsBytes, "image");
    LaunchResult r = run(kernel, t, out);
    ASSERT_TRUE(r.ok) << r.report.text();
    std::vector<uint8_t> want(ldsUsed, hole);
    t.each(true, [&](uint64_t global, uint32_t at, bool inside) {
      for (unsigned b = 0; b < t.bytes(); ++b) want[at + b] = inside ? memory[global - base + b] : 0;
    });
    auto got = m.download<uint8_t>(out, ldsUsed);
    for (size_t k = 0; k < want.size(); ++k) ASSERT_EQ(got[k], want[k]) << "LDS byte " << k;
    m.device.free(out);
  }
  void expectStore(const char *kernel, const Tile &t) {
    std::vector<uint8_t> image(ldsBytes);
    for (uint8_t &b : image) b = static_cast<uint8_t>(random());
    uint64_t in = m.upload(image, "image");
    m.device.write(base, memory.data(), size);
    LaunchResult r = run(kernel, t, in);
    ASSERT_TRUE(r.ok) << r.report.text();
    std::vector<uint8_t> want = memory;
    t.each(false, [&](uint64_t global, uint32_t at, bool inside) {
      for (unsigned b = 0; b < t.bytes(); ++b)
        if (inside) want[global - base + b] = image[at + b];
    });
    auto got = m.download<uint8_t>(base, size);
    for (size_t k = 0; k < want.size(); ++k) ASSERT_EQ(got[k], want[k]) << "byte " << k;
    m.device.write(base, memory.data(), size);
    m.device.free(in);
  }

  /// A tile of `rank` dimensions within a tensor of a few thousand elements, often over its edge.
  Tile any(unsigned rank) {
    Tile t;
    t.rank = rank;
    t.logBytes = below(4);
    static constexpr uint32_t extent[6] = {0, 500, 40, 14, 7, 4};
    uint64_t elements = 1;
    for (unsigned k = 0; k < rank; ++k) {
      t.tile[k] = 1 + below(extent[rank]);
      t.dim[k] = below(8) ? 1 + below(extent[rank] + extent[rank] / 2) : 0;
      // what lies inside must be there; strides are those of a tensor with a gap after each row
      elements *= std::min(t.tile[k], std::max(t.dim[k], 1u)) + below(3);
      if (k < 4) t.stride[k] = elements;
    }
    t.global = base + 8 * below(64);
    t.lds = 8 * below(100);
    if (below(2)) {
      t.pad = true;
      t.padInterval = below(8);
      t.padAmount = below(20);
      while (t.tile[0] * t.bytes() % 4) ++t.tile[0];
    }
    return t;
  }
  bool fits(const Tile &t, bool load) {
    uint64_t end = 0;
    t.each(load, [&](uint64_t global, uint32_t, bool inside) {
      if (inside) end = std::max(end, global + t.bytes());
    });
    return t.ldsEnd(load) <= ldsBytes && end <= base + size;
  }
};

TEST_F(TensorMover, LoadsTilesOfEveryRank) {
  for (unsigned rank = 1; rank <= 5; ++rank)
    for (int k = 0; k < 40; ++k) {
      SCOPED_TRACE("rank " + std::to_string(rank) + " number " + std::to_string(k));
      Tile t = any(rank);
      if (!fits(t, true)) continue;
      expectLoad("load", t);
      if (rank <= 2) expectLoad("load2", t);
      if (HasFatalFailure()) return;
    }
  recordSource("gfx1250", "TENSOR_LOAD_TO_LDS", "document");
}

TEST_F(TensorMover, StoresTilesOfEveryRankAndIgnoresPadding) {
  for (unsigned rank = 1; rank <= 5; ++rank)
    for (int k = 0; k < 40; ++k) {
      SCOPED_TRACE("rank " + std::to_string(rank) + " number " + std::to_string(k));
      Tile t = any(rank);
      if (!fits(t, false)) continue;
      expectStore("store", t);
      if (rank <= 2) expectStore("store2", t);
      if (HasFatalFailure()) return;
    }
  recordSource("gfx1250", "TENSOR_STORE_FROM_LDS", "document");
}

/// The same bytes in rows of 64 and of 512 bytes: as much traffic, for the profile and for the time model.
TEST_F(TensorMover, LongRowsAreTrafficAsShortOnesAre) {
  struct Counted {
    uint64_t read = 0, lines32 = 0, lines64 = 0, lines128 = 0, ldsConflicts = 0;
    double modelled = 0, beyond = 0;
  };
  auto count = [&](unsigned elements, unsigned rows) {
    Tile t;
    t.global = base;
    t.dim[0] = t.tile[0] = elements;
    t.dim[1] = t.tile[1] = rows;
    t.stride[0] = elements;
    auto words = t.pack();
    const uint64_t d = m.upload(words, "descriptor"), out = m.device.allocate(ldsBytes, "image");
    LaunchConfig config = shape(1, 64);
    Profile profile;
    Timing timing;
    config.profile = &profile, config.timing = &timing;
    LaunchResult r = m.device.launch(*m.module, "load", config, arguments(d, out));
    EXPECT_TRUE(r.ok) << r.report.text();
    m.device.free(d), m.device.free(out);
    Counted c;
    for (const ProfiledInstruction &i : profile.instructions)
      if (i.name.starts_with("TENSOR_LOAD")) {
        c.read += i.counts.globalReadBytes, c.lines32 += i.counts.transactions32;
        c.lines64 += i.counts.transactions64, c.lines128 += i.counts.transactions128;
        c.ldsConflicts += i.counts.ldsConflictCycles;
      }
    c.modelled = timing.readBytes, c.beyond = timing.memoryBytes;
    return c;
  };
  const Counted narrow = count(32, 128), wide = count(256, 16); // of two bytes
  EXPECT_EQ(narrow.read, 8192u);
  EXPECT_EQ(wide.read, 8192u);
  EXPECT_EQ(wide.lines32, 8192u / 32);
  EXPECT_EQ(wide.lines64, 8192u / 64);
  EXPECT_EQ(wide.lines128, 8192u / 128);
  EXPECT_EQ(wide.ldsConflicts, 0u);
  EXPECT_EQ(wide.modelled, narrow.modelled);
  EXPECT_EQ(wide.beyond, narrow.beyond);
}

TEST_F(TensorMover, GathersAndScattersRowsByIndex) {
  for (unsigned bits : {16u, 32u})
    for (int k = 0; k < 30; ++k) {
      SCOPED_TRACE(std::to_string(bits) + " bits, number " + std::to_string(k));
      Tile t;
      t.logBytes = below(4);
      t.tile[0] = 4 * (1 + below(15));
      t.dim[0] = 1 + below(60);
      t.dim[1] = 60;
      t.stride[0] = 60 + below(10);
      t.global = base;
      t.lds = 8 * below(50);
      t.pad = below(2);
      t.padInterval = 1 + below(4);
      t.padAmount = below(4);
      t.indexBits = bits;
      for (uint32_t n = 1 + below(bits == 16 ? 16 : 8); n; --n) t.rows.push_back(below(k % 2 ? 60 : 80));
      if (k % 2 == 0) std::sort(t.rows.begin(), t.rows.end()); // rows outside want indices that do not decrease
      else if (t.rows.size() < 2) t.rows.push_back(t.rows[0]); // repeated ones may be loaded
      if (!fits(t, true)) continue;
      expectLoad("load", t);
      std::sort(t.rows.begin(), t.rows.end());
      t.rows.erase(std::unique(t.rows.begin(), t.rows.end()), t.rows.end());
      expectStore("store", t);
      if (HasFatalFailure()) return;
    }
}

TEST_F(TensorMover, RepeatsWithBothAddressesAdvanced) {
  for (int k = 0; k < 30; ++k) {
    SCOPED_TRACE(k);
    Tile t = any(2 + below(2));
    t.repeats = 1 + below(5);
    t.ldsStep = t.ldsEnd(true) / t.bytes() + below(5);
    t.globalStep = 100 + below(300);
    if (!fits(t, true)) continue;
    expectLoad("load", t);
    if (HasFatalFailure()) return;
  }
}

TEST_F(TensorMover, ANullDescriptorMovesNothing) {
  Tile t = any(2);
  t.count = 0;
  t.global = 12; // not looked at
  uint64_t out = m.device.allocate(ldsBytes, "image");
  LaunchResult r = run("load", t, out);
  ASSERT_TRUE(r.ok) << r.report.text();
  for (uint8_t b : m.download<uint8_t>(out, ldsUsed)) ASSERT_EQ(b, hole);
}

TEST_F(TensorMover, ArrivesInOrderAndOnlyWhenWaitedFor) {
  Tile t;
  t.tile[0] = t.dim[0] = 64;
  t.rank = 1;
  t.global = base;
  uint64_t out = m.device.allocate(ldsBytes, "image");
  LaunchResult r = run("two_loads_one_waited", t, out);
  ASSERT_TRUE(r.ok) << r.report.text();
  auto got = m.download<uint8_t>(out, ldsUsed);
  for (size_t k = 0; k < 128; ++k) {
    EXPECT_EQ(got[k], memory[k]) << k;
    EXPECT_EQ(got[4096 + k], hole) << k;
  }
}

TEST_F(TensorMover, ItsCompletionFeedsARingOfSlots) {
  const uint32_t tiles = 11;
  for (uint32_t threads : {64u, 128u}) {
    Tile t;
    t.logBytes = 2;
    t.rank = 1;
    t.tile[0] = 32;
    t.dim[0] = 32;
    t.global = base;
    auto words = t.pack();
    uint64_t d = m.upload(words, "descriptor"), out = m.device.allocate(threads * 4, "out");
    LaunchResult r = m.device.launch(*m.module, "ring", shape(1, threads), arguments(d, out, tiles));
    ASSERT_TRUE(r.ok) << r.report.text();
    auto got = m.download<uint32_t>(out, threads - 32);
    for (uint32_t k = 0; k < threads - 32; ++k) {
      uint32_t sum = 0;
      for (uint32_t n = 0; n < tiles; ++n) {
        uint32_t v;
        std::memcpy(&v, memory.data() + n * 128 + k % 32 * 4, 4);
        sum = sum * 3 + v;
      }
      EXPECT_EQ(got[k], sum) << k;
    }
  }
  recordSource("gfx1250", "TENSOR_LOAD_TO_LDS", "program");
}

TEST_F(TensorMover, FaultsNameWhatIsWrong) {
  Tile t;
  t.tile[0] = t.dim[0] = 64;
  t.rank = 1;
  t.global = base;
  auto fault = [&](const char *kernel, const Tile &tile, FaultKind kind, const char *part) {
    uint64_t out = m.device.allocate(ldsBytes, "image");
    LaunchResult r = run(kernel, tile, out);
    EXPECT_EQ(r.report.kind, kind) << r.report.text();
    EXPECT_NE(r.report.text().find(part), std::string::npos) << r.report.text();
    EXPECT_NE(r.report.text().find("instruction: tensor_"), std::string::npos) << r.report.text();
    m.device.free(out);
  };
  Tile bad = t;
  bad.lds = ldsBytes;
  fault("load", bad, FaultKind::LdsOutOfBounds, "outside of the workgroup's");
  bad = t;
  bad.global = base + size - 100;
  fault("load", bad, FaultKind::OutOfBounds, "outside of any allocation");
  fault("store", bad, FaultKind::OutOfBounds, "tensor store");
  bad = t;
  bad.mask = 2;
  fault("load", bad, FaultKind::OutOfBounds, "not in its cluster of 1");
  bad = t;
  bad.count = 3;
  fault("load", bad, FaultKind::UnknownInstruction, "context restore");
  bad = t;
  bad.pad = true;
  bad.tile[0] = 63;
  fault("load", bad, FaultKind::Misaligned, "whole 4-byte words");
  // The largest tile there can be ends at LDS's end, not in an endless walk; all of it outside of the tensor.
  bad = t;
  bad.rank = 5;
  for (int k = 0; k < 5; ++k) bad.tile[k] = 0xffff, bad.dim[k] = 0;
  fault("load", bad, FaultKind::LdsOutOfBounds, "outside of the workgroup's");
  uint64_t in = m.device.allocate(ldsBytes, "image");
  EXPECT_TRUE(run("store", bad, in).ok);
}

TEST(TensorMoverStep, ExecDoesNotMatter) {
  StepBench bench("gfx1250");
  uint8_t *host;
  uint64_t a = bench.allocate(256, &host);
  for (int k = 0; k < 256; ++k) host[k] = static_cast<uint8_t>(k);
  Tile t;
  t.logBytes = 0;
  t.rank = 1;
  t.tile[0] = t.dim[0] = 200;
  t.global = a;
  t.lds = 32;
  auto words = t.pack();
  for (unsigned k = 0; k < 12; ++k) bench.sgpr(8 + k) = words[k];
  bench.setExec(0);
  ASSERT_TRUE(bench.run("tensor_load_to_lds s[8:11], s[12:19]")) << bench.error();
  for (size_t k = 0; k < 200; ++k) ASSERT_EQ(bench.lds[32 + k], k);
  // CDNA5 ISA, 5.7.1 and 10.11.1: its completion is in TENSORcnt and in no other counter.
  for (const char *wait : {"s_wait_tensorcnt 0x0", "s_wait_asynccnt 0x0", "s_wait_loadcnt 0x0", "s_wait_dscnt 0x0"}) {
    bench.forgetPending();
    std::fill(bench.lds.begin(), bench.lds.end(), 0xee);
    ASSERT_TRUE(bench.runSequence({"tensor_load_to_lds s[8:11], s[12:19]", wait})) << bench.error();
    EXPECT_EQ(bench.lds[32 + 7], std::string_view(wait) == "s_wait_tensorcnt 0x0" ? 7 : 0xee) << wait;
  }
  recordSource("gfx1250", "S_WAIT_TENSORCNT", "manual");
}

} // namespace
