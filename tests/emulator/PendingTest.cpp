// Memory operations arrive when the waits say so: each wait of a correct sequence is needed, no more than it is
// guaranteed by it, and what is not waited for is not there.
#include "runtime/emulator/wave/Pending.h"
#include "tests/emulator/MemoryBench.h"
#include "tests/emulator/TestSupport.h"

#include <gtest/gtest.h>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

/// A wave with something to load everywhere: word k of device memory, LDS and scratch is 0x1000, 0x2000, 0x3000 + k.
struct Bench : MemoryBench {
  explicit Bench(const std::string &arch) : MemoryBench(arch, 4096) { reset(); }
  void reset() {
    forgetPending();
    setExec(laneMask());
    for (uint32_t k = 0; k < 1024; ++k) put(4 * k, 0x1000 + k);
    for (uint32_t k = 0; k < lds.size() / 4; ++k) putLds(4 * k, 0x2000 + k);
    for (uint32_t l = 0; l < lanes(); ++l) {
      uint32_t word = 0x3000 + l;
      std::memcpy(scratch.data() + l * (scratch.size() / lanes()), &word, 4);
      vgpr(1, l) = 0xdead;
      setVgpr64(2, l, device + 4 * l);
      vgpr(4, l) = 4 * l;
      vgpr(6, l) = 0;
      vgpr(7, l) = 0x7000 + l;
      setVgpr64(12, l, device + 512 + 4 * l);
    }
    setSgpr64(4, device);
    resource(4096, 0, isGfx12(row) && !row.wideBuffers ? 3u << 28 : 0);
    sgpr(20) = 0xdead;
    m0() = 0;
    wave().checkWaits = CheckMode::Error;
  }
  FaultKind fault() { return wave().fault.kind; }
};
const char *const gfx9s[] = {"gfx942", "gfx950"}, *const gfx12s[] = {"gfx1201", "gfx1250"};

struct Load {
  const char *text;
  std::vector<const char *> waits; ///< all are needed
  uint32_t expected;               ///< of lane 0; each further lane one more
  const char *missing;             ///< in the report
};
const std::vector<Load> gfx9Loads = {
    {"global_load_dword v1, v[2:3], off", {"s_waitcnt vmcnt(0)"}, 0x1000, "vmcnt(0)"},
    {"global_load_dword v1, v4, s[4:5] offset:4", {"s_waitcnt vmcnt(0)"}, 0x1001, "vmcnt(0)"},
    {"buffer_load_dword v1, v4, s[8:11], 0 offen", {"s_waitcnt vmcnt(0)"}, 0x1000, "vmcnt(0)"},
    {"scratch_load_dword v1, v6, off", {"s_waitcnt vmcnt(0)"}, 0x3000, "vmcnt(0)"},
    {"flat_load_dword v1, v[2:3]", {"s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"}, 0x1000, "vmcnt(0)"},
    {"global_atomic_add v1, v[2:3], v7, off sc0", {"s_waitcnt vmcnt(0)"}, 0x1000, "vmcnt(0)"},
    {"ds_read_b32 v1, v4", {"s_waitcnt lgkmcnt(0)"}, 0x2000, "lgkmcnt(0)"},
    {"ds_add_rtn_u32 v1, v4, v7", {"s_waitcnt lgkmcnt(0)"}, 0x2000, "lgkmcnt(0)"},
    {"ds_bpermute_b32 v1, v4, v7", {"s_waitcnt lgkmcnt(0)"}, 0x7000, "lgkmcnt(0)"},
    {"ds_swizzle_b32 v1, v7 offset:0x1f", {"s_waitcnt lgkmcnt(0)"}, 0x7000, "lgkmcnt(0)"}};
const std::vector<Load> gfx12Loads = {
    {"global_load_b32 v1, v[2:3], off", {"s_wait_loadcnt 0x0"}, 0x1000, "loadcnt 0"},
    {"buffer_load_b32 v1, v4, s[8:11], null offen", {"s_wait_loadcnt 0x0"}, 0x1000, "loadcnt 0"},
    {"scratch_load_b32 v1, v6, off", {"s_wait_loadcnt 0x0"}, 0x3000, "loadcnt 0"},
    {"flat_load_b32 v1, v[2:3]", {"s_wait_loadcnt 0x0", "s_wait_dscnt 0x0"}, 0x1000, "loadcnt 0"},
    {"global_atomic_add_u32 v1, v[2:3], v7, off th:TH_ATOMIC_RETURN", {"s_wait_loadcnt 0x0"}, 0x1000, "loadcnt 0"},
    {"ds_load_b32 v1, v4", {"s_wait_dscnt 0x0"}, 0x2000, "dscnt 0"},
    {"ds_add_rtn_u32 v1, v4, v7", {"s_wait_dscnt 0x0"}, 0x2000, "dscnt 0"},
    {"ds_bpermute_b32 v1, v4, v7", {"s_wait_dscnt 0x0"}, 0x7000, "dscnt 0"}};
const std::vector<std::string> gfx9Waits = {"s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt expcnt(0)"};
const std::vector<std::string> gfx12Waits = {"s_wait_loadcnt 0x0", "s_wait_storecnt 0x0", "s_wait_dscnt 0x0",
                                             "s_wait_kmcnt 0x0"};

template <class F> void eachArchitecture(F f) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    Bench b(arch);
    f(b, isGfx12(b.row) ? gfx12Loads : gfx9Loads, isGfx12(b.row) ? gfx12Waits : gfx9Waits);
  }
}

TEST(Pending, EachLoadNeedsEachOfItsWaits) {
  eachArchitecture([](Bench &b, const std::vector<Load> &loads, const std::vector<std::string> &waits) {
    for (const Load &load : loads) {
      SCOPED_TRACE(load.text);
      b.reset();
      std::vector<std::string> right{load.text};
      for (const char *wait : load.waits) right.push_back(wait);
      right.push_back("v_mov_b32 v8, v1");
      ASSERT_TRUE(b.runSequence(right)) << b.error();
      for (unsigned l = 0; l < b.lanes(); ++l) ASSERT_EQ(b.vgpr(8, l), load.expected + l) << "lane " << l;

      for (const char *left : load.waits) { // one wait left out, all waits of other counters there
        b.reset();
        std::vector<std::string> wrong{load.text};
        for (const std::string &wait : waits)
          if (wait != left) wrong.push_back(wait);
        wrong.push_back("v_mov_b32 v8, v1");
        int first = b.addSequence(wrong);
        EXPECT_FALSE(b.runSequence(first, static_cast<unsigned>(wrong.size())));
        EXPECT_EQ(b.fault(), FaultKind::MissingWait);
        EXPECT_EQ(b.wave().fault.earlier, static_cast<uint32_t>(first));
        EXPECT_EQ(b.wave().at, static_cast<uint32_t>(first) + wrong.size() - 1);
        if (load.waits.size() == 1) EXPECT_NE(b.error().find(load.missing), std::string::npos) << b.error();
      }
      b.reset();
      EXPECT_FALSE(b.runSequence({load.text, "v_mov_b32 v1, 0"})) << "overwritten";
      EXPECT_EQ(b.fault(), FaultKind::MissingWait);
      b.reset(); // without the check the old value is read
      b.wave().checkWaits = CheckMode::Off;
      ASSERT_TRUE(b.runSequence({load.text, "v_mov_b32 v8, v1"})) << b.error();
      EXPECT_EQ(b.vgpr(8, 3), 0xdeadu);
    }
  });
}

TEST(Pending, ScalarLoadsNeedTheirCounterAtZero) {
  eachArchitecture([](Bench &b, const auto &, const auto &) {
    std::string load = isGfx12(b.row) ? "s_load_b32 " : "s_load_dword ",
                wait = isGfx12(b.row) ? "s_wait_kmcnt 0x" : "s_waitcnt lgkmcnt(";
    auto waitFor = [&](int n) { return wait + std::to_string(n) + (isGfx12(b.row) ? "" : ")"); };
    ASSERT_TRUE(b.runSequence({load + "s20, s[4:5], 0x8", waitFor(0), "s_mov_b32 s21, s20"})) << b.error();
    EXPECT_EQ(b.sgpr(21), 0x1002u);
    b.reset();
    EXPECT_FALSE(b.runSequence({load + "s20, s[4:5], 0x8", "s_mov_b32 s21, s20"}));
    EXPECT_EQ(b.fault(), FaultKind::MissingWait);
    b.reset(); // out of order: with two under way, one remaining may be either
    EXPECT_FALSE(
        b.runSequence({load + "s20, s[4:5], 0x8", load + "s22, s[4:5], 0xc", waitFor(1), "s_mov_b32 s21, s20"}));
    b.reset();
    EXPECT_FALSE(b.runSequence({load + "s20, s[4:5], 0x8", "v_mov_b32 v8, s20"})) << "a vector instruction reads it";
    b.reset();
    EXPECT_FALSE(b.runSequence({load + "vcc_lo, s[4:5], 0x8", "s_mov_b32 s21, vcc_lo"}))
        << "VCC is a destination like others";
    b.reset();
    EXPECT_TRUE(b.runSequence({load + "s20, s[4:5], 0x8", "s_mov_b32 s21, s19"})) << "its neighbour is not";
  });
}

TEST(Pending, VectorMemoryCountsDownInOrder) {
  eachArchitecture([](Bench &b, const auto &, const auto &) {
    std::string load = isGfx12(b.row) ? "global_load_b32 " : "global_load_dword ";
    std::string wait = isGfx12(b.row) ? "s_wait_loadcnt 0x1" : "s_waitcnt vmcnt(1)";
    std::vector<std::string> loads{load + "v10, v[2:3], off", load + "v11, v[2:3], off offset:4",
                                   load + "v14, v[2:3], off offset:8", wait};
    auto with = [&](const char *use) {
      auto s = loads;
      s.push_back(use);
      return s;
    };
    ASSERT_TRUE(b.runSequence(with("v_add_nc_u32 v8, v10, v11")) || b.runSequence(with("v_add_u32 v8, v10, v11")))
        << b.error();
    EXPECT_EQ(b.vgpr(8, 0), 0x1000u + 0x1001);
    b.reset();
    EXPECT_FALSE(b.runSequence(with("v_mov_b32 v8, v14")));
    EXPECT_NE(b.error().find(isGfx12(b.row) ? "s_wait_loadcnt 0" : "vmcnt(0)"), std::string::npos) << b.error();
  });
}

TEST(Pending, LdsCountsDownInOrderButScalarMemoryBetweenThemDoesNot) {
  for (const char *arch : gfx9s) {
    Bench b(arch);
    std::vector<std::string> code{"ds_read_b32 v1, v4", "s_load_dword s20, s[4:5], 0x0", "ds_read_b32 v10, v4 offset:4",
                                  "s_waitcnt lgkmcnt(1)"};
    auto with = [&](const char *use) {
      b.reset();
      auto s = code;
      s.push_back(use);
      return b.runSequence(s);
    };
    EXPECT_TRUE(with("v_mov_b32 v8, v1")) << b.error();
    EXPECT_FALSE(with("v_mov_b32 v8, v10"));
    EXPECT_FALSE(with("s_mov_b32 s21, s20"));
  }
}

TEST(Pending, FlatIsOutOfOrderOnGfx9AndInOrderOnGfx12) {
  for (const char *arch : gfx9s) {
    Bench b(arch);
    EXPECT_FALSE(b.runSequence({"flat_load_dword v1, v[2:3]", "global_load_dword v10, v[2:3], off",
                                "s_waitcnt vmcnt(1) lgkmcnt(0)", "v_mov_b32 v8, v1"}));
    b.reset();
    EXPECT_TRUE(b.runSequence({"flat_load_dword v1, v[2:3]", "global_load_dword v10, v[2:3], off",
                               "s_waitcnt vmcnt(0) lgkmcnt(0)", "v_mov_b32 v8, v1"}))
        << b.error();
  }
  for (const char *arch : gfx12s) {
    Bench b(arch);
    EXPECT_TRUE(b.runSequence({"flat_load_b32 v1, v[2:3]", "global_load_b32 v10, v[2:3], off", "s_wait_loadcnt 0x1",
                               "s_wait_dscnt 0x0", "v_mov_b32 v8, v1"}))
        << b.error();
    b.reset(); // in one line with LDS instructions
    EXPECT_TRUE(b.runSequence({"flat_load_b32 v1, v[2:3]", "ds_load_b32 v10, v4", "s_wait_loadcnt 0x0",
                               "s_wait_dscnt 0x1", "v_mov_b32 v8, v1"}))
        << b.error();
  }
}

TEST(Pending, AFullCounterLetsTheOldestArrive) {
  eachArchitecture([](Bench &b, const auto &, const auto &) {
    struct {
      std::string text;
      unsigned capacity;
    } kinds[] = {{isGfx12(b.row) ? "global_load_b32 v$, v[2:3], off" : "global_load_dword v$, v[2:3], off", 63},
                 {isGfx12(b.row) ? "ds_load_b32 v$, v4" : "ds_read_b32 v$, v4", isGfx12(b.row) ? 63u : 15u}};
    for (const auto &kind : kinds) {
      auto loads = [&](unsigned n, unsigned used) {
        b.reset();
        std::vector<std::string> code;
        for (unsigned k = 0; k < n; ++k)
          code.push_back(std::string(kind.text).replace(kind.text.find('$'), 1, std::to_string(20 + k)));
        code.push_back("v_mov_b32 v8, v" + std::to_string(used));
        return b.runSequence(code);
      };
      EXPECT_FALSE(loads(kind.capacity, 20));
      EXPECT_TRUE(loads(kind.capacity + 1, 20)) << b.error();
      EXPECT_FALSE(loads(kind.capacity + 1, 21));
    }
  });
}

TEST(Pending, StoresAreVisibleAfterTheirWaitOrTheEnd) {
  eachArchitecture([](Bench &b, const auto &, const std::vector<std::string> &waits) {
    std::string store = isGfx12(b.row) ? "global_store_b32 v[2:3], v7, off" : "global_store_dword v[2:3], v7, off";
    std::string right = isGfx12(b.row) ? "s_wait_storecnt 0x0" : "s_waitcnt vmcnt(0)";
    std::vector<std::string> wrong{store};
    for (const std::string &wait : waits)
      if (wait != right) wrong.push_back(wait);
    ASSERT_TRUE(b.runSequence(wrong)) << b.error();
    EXPECT_EQ(b.word(5 * 4), 0x1005u);
    wrong.push_back(right);
    b.reset();
    ASSERT_TRUE(b.runSequence(wrong)) << b.error();
    EXPECT_EQ(b.word(5 * 4), 0x7005u);
    b.reset();
    ASSERT_TRUE(b.runSequence({store, "s_endpgm"})) << b.error();
    EXPECT_EQ(b.word(5 * 4), 0x7005u);
  });
}

TEST(Pending, OneWavesAccessesToTheSameBytesKeepTheirOrder) {
  for (const char *arch : gfx12s) { // where loads and stores have counters of their own
    Bench b(arch);
    ASSERT_TRUE(
        b.runSequence({"global_store_b32 v[2:3], v7, off", "global_load_b32 v1, v[2:3], off", "s_wait_loadcnt 0x0"}))
        << b.error();
    EXPECT_EQ(b.vgpr(1, 5), 0x7005u) << "a load sees the store before it";
    b.reset();
    ASSERT_TRUE(
        b.runSequence({"global_load_b32 v1, v[2:3], off", "global_store_b32 v[2:3], v7, off", "s_wait_storecnt 0x0"}))
        << b.error();
    EXPECT_EQ(b.word(5 * 4), 0x7005u);
    EXPECT_EQ(b.vgpr(1, 5), 0xdeadu) << "the load is not delivered by the store's wait";
    ASSERT_TRUE(b.runSequence({"s_wait_loadcnt 0x0"}));
    EXPECT_EQ(b.vgpr(1, 5), 0x1005u) << "a load does not see the store after it";
    b.reset(); // flat, to LDS, and LDS instructions
    for (unsigned l = 0; l < b.lanes(); ++l) b.setVgpr64(2, l, static_cast<uint64_t>(sharedAperture) << 32 | 4 * l);
    ASSERT_TRUE(b.runSequence({"flat_store_b32 v[2:3], v7", "ds_load_b32 v1, v4", "s_wait_dscnt 0x0"})) << b.error();
    EXPECT_EQ(b.vgpr(1, 5), 0x7005u);
  }
}

TEST(Pending, LdsStoresBehindABarrierNeedAWaitBeforeIt) {
  eachArchitecture([](Bench &b, const auto &, const auto &) {
    std::string store = isGfx12(b.row) ? "ds_store_b32 v4, v7" : "ds_write_b32 v4, v7",
                load = isGfx12(b.row) ? "ds_load_b32 v1, v4" : "ds_read_b32 v1, v4";
    std::string wait = isGfx12(b.row) ? "s_wait_dscnt 0x0" : "s_waitcnt lgkmcnt(0)";
    std::vector<std::string> barrier = isGfx12(b.row)
                                           ? std::vector<std::string>{"s_barrier_signal -1", "s_barrier_wait 0xffff"}
                                           : std::vector<std::string>{"s_barrier"};
    auto code = barrier;
    code.insert(code.begin(), store);
    ASSERT_TRUE(b.runSequence(code)) << b.error();
    EXPECT_EQ(b.ldsWord(5 * 4), 0x2005u) << "another wave still sees the old bytes";
    b.reset();
    code.insert(code.begin() + 1, wait);
    ASSERT_TRUE(b.runSequence(code)) << b.error();
    EXPECT_EQ(b.ldsWord(5 * 4), 0x7005u);
    b.reset(); // and a load is as late as its wait
    code = barrier;
    code.insert(code.begin(), load);
    ASSERT_TRUE(b.runSequence(code)) << b.error();
    b.putLds(5 * 4, 0x4444u);
    ASSERT_TRUE(b.runSequence({wait})) << b.error();
    EXPECT_EQ(b.vgpr(1, 5), 0x4444u);
  });
}

TEST(Pending, LoadsToLdsAreNotOrderedWithLaterLdsInstructions) {
  for (const char *arch : gfx9s) {
    Bench b(arch);
    std::string transfer = "global_load_lds_dword v[2:3], off", read = "ds_read_b32 v1, v4",
                lgkm = "s_waitcnt lgkmcnt(0)", vm = "s_waitcnt vmcnt(0)";
    ASSERT_TRUE(b.runSequence({transfer, read, lgkm})) << b.error();
    EXPECT_EQ(b.vgpr(1, 5), 0x2005u);
    b.reset();
    ASSERT_TRUE(b.runSequence({transfer, vm, read, lgkm})) << b.error();
    EXPECT_EQ(b.vgpr(1, 5), 0x1005u);
    b.reset(); // but with earlier ones
    ASSERT_TRUE(b.runSequence({read, transfer, vm, lgkm})) << b.error();
    EXPECT_EQ(b.vgpr(1, 5), 0x2005u);
    EXPECT_EQ(b.ldsWord(5 * 4), 0x1005u);
  }
}

TEST(Pending, IssueCapturesExecAddressesAndData) {
  eachArchitecture([](Bench &b, const auto &, const auto &) {
    std::string load = isGfx12(b.row) ? "global_load_b32 v1, v[2:3], off" : "global_load_dword v1, v[2:3], off";
    std::string store = isGfx12(b.row) ? "global_store_b32 v[2:3], v7, off offset:1024"
                                       : "global_store_dword v[2:3], v7, off offset:1024";
    b.setExec(5);
    ASSERT_TRUE(b.runSequence({load, store, "v_mov_b32 v7, 0", "v_mov_b32 v2, 0"})) << b.error();
    b.setExec(b.laneMask());
    drainPending(b.wave());
    EXPECT_EQ(b.vgpr(1, 0), 0x1000u);
    EXPECT_EQ(b.vgpr(1, 1), 0xdeadu);
    EXPECT_EQ(b.vgpr(1, 2), 0x1002u);
    EXPECT_EQ(b.word(256 * 4), 0x7000u);
    EXPECT_EQ(b.word(257 * 4), 0x1101u);
    EXPECT_EQ(b.word(258 * 4), 0x7002u);
  });
}

TEST(Pending, HalvesOfARegisterMergeInOrderWhereWriteBackIsInOrder) {
  for (const char *arch : gfx9s) {
    Bench b(arch);
    ASSERT_TRUE(b.runSequence(
        {"global_load_short_d16 v1, v[2:3], off", "global_load_short_d16_hi v1, v[12:13], off", "s_waitcnt vmcnt(0)"}))
        << b.error();
    EXPECT_EQ(b.vgpr(1, 3), 0x10831003u);
  }
  for (const char *arch : gfx12s) { // LLVM waits in between
    Bench b(arch);
    EXPECT_FALSE(b.runSequence({"global_load_d16_b16 v1, v[2:3], off", "global_load_d16_hi_b16 v1, v[12:13], off"}));
    EXPECT_EQ(b.fault(), FaultKind::MissingWait);
  }
}

TEST(Pending, StoresBecomeVisibleInTheEndWhileTheWaveSpins) {
  eachArchitecture([](Bench &b, const auto &, const auto &) {
    ASSERT_TRUE(
        b.runSequence({isGfx12(b.row) ? "global_store_b32 v[2:3], v7, off" : "global_store_dword v[2:3], v7, off"}))
        << b.error();
    int wait = b.addSequence({isGfx12(b.row) ? "s_wait_kmcnt 0x0" : "s_waitcnt lgkmcnt(0)"});
    for (int k = 0; k < 4096; ++k) ASSERT_TRUE(b.runSequence(wait, 1));
    EXPECT_EQ(b.word(5 * 4), 0x7005u);
  });
}

struct Findings final : WaveObserver {
  explicit Findings(Wave &wave) : wave(wave) {
    wave.checkWaits = CheckMode::Warn;
    wave.observers.add(*this, {Hook::Finding});
  }
  ~Findings() override { wave.observers.remove(Hook::Finding); }
  void found(const Wave &, const Fault &finding) override { list.push_back(finding); }
  Wave &wave;
  std::vector<Fault> list;
};

TEST(Pending, WithAWarningAnEarlyUseSeesTheValue) {
  eachArchitecture([](Bench &b, const std::vector<Load> &loads, const auto &) {
    for (const Load &load : loads) {
      SCOPED_TRACE(load.text);
      b.reset();
      Findings findings(b.wave());
      int first = b.addSequence({load.text, "v_mov_b32 v8, v1", "v_mov_b32 v9, v1"});
      ASSERT_TRUE(b.runSequence(first, 3)) << b.error();
      for (unsigned l = 0; l < b.lanes(); ++l) ASSERT_EQ(b.vgpr(9, l), load.expected + l) << "lane " << l;
      ASSERT_EQ(findings.list.size(), 1u) << "the second use is after the wait that the first one misses";
      EXPECT_EQ(findings.list[0].kind, FaultKind::MissingWait);
      EXPECT_EQ(findings.list[0].earlier, static_cast<uint32_t>(first));
      EXPECT_NE(findings.list[0].what.find(load.missing), std::string::npos) << findings.list[0].what;
      ASSERT_TRUE(b.runSequence({load.text, "v_mov_b32 v1, 5", "v_mov_b32 v8, v1"})) << b.error();
      EXPECT_EQ(b.vgpr(8, 3), 5u) << "the value does not arrive after the overwrite";
      EXPECT_EQ(findings.list.size(), 2u);
    }
  });
}

TEST(Pending, WithAWarningFindingsAreThoseThatTheNamedWaitsLeave) {
  eachArchitecture([](Bench &b, const auto &, const auto &) {
    std::string load = isGfx12(b.row) ? "global_load_b32 " : "global_load_dword ";
    const std::string first = load + "v1, v[2:3], off", second = load + "v9, v[12:13], off";
    Findings findings(b.wave());
    ASSERT_TRUE(b.runSequence({first, second, "v_mov_b32 v8, v1", "v_add_u32 v8, v8, v9"})) << b.error();
    EXPECT_EQ(findings.list.size(), 2u);
    EXPECT_EQ(b.vgpr(8, 3), 0x1003u + 0x1083u);
    findings.list.clear();
    ASSERT_TRUE(b.runSequence({first, second, "v_mov_b32 v8, v9", "v_add_u32 v8, v8, v1"})) << b.error();
    EXPECT_EQ(findings.list.size(), 1u) << "loads arrive in order";
    findings.list.clear();
    ASSERT_TRUE(b.runSequence({first, second, "v_add_u32 v8, v1, v9"})) << b.error();
    EXPECT_EQ(findings.list.size(), 2u) << "one instruction that misses two waits";
  });
}

TEST(Pending, FindingsAreListedByPlace) {
  Machine m("missing_wait", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  uint64_t in = m.upload(std::vector<int>(64, 21), "in"), out = m.upload(std::vector<int>(64), "out");
  for (unsigned threads : {1u, 2u}) {
    LaunchConfig config = shape(2000, 64);
    config.threads = threads;
    config.checks.waits = CheckMode::Warn;
    LaunchResult r = m.device.launch(*m.module, "missing_wait", config, arguments(out, in));
    ASSERT_TRUE(r.ok) << r.report.text();
    ASSERT_EQ(r.findings.size(), 1u);
    const Finding &finding = r.findings.begin()->second;
    EXPECT_EQ(finding.kind, FaultKind::MissingWait);
    EXPECT_EQ(finding.count, 2000u);
    const std::string text = finding.text();
    EXPECT_NE(text.find("2000 times, first in workgroup (0, 0, 0), wave 0\n"), std::string::npos) << text;
  }
}

TEST(Checks, ListsKeepALimitedNumberOfPlaces) {
  FindingList list, other;
  for (uint64_t k = 0; k < FindingList::limit + 5; ++k)
    if (Finding *finding = list.at({k, 0, FaultKind::Race})) ++finding->count;
  EXPECT_EQ(list.size(), FindingList::limit);
  EXPECT_EQ(list.others, 5u);
  Finding *known = other.at({3, 0, FaultKind::Race}), *late = other.at({FindingList::limit + 1, 0, FaultKind::Race});
  known->count = 2;
  late->count = 7;
  list.merge(other);
  EXPECT_EQ(list.size(), FindingList::limit);
  EXPECT_EQ(list.others, 12u);
  EXPECT_EQ(list.at({3, 0, FaultKind::Race})->count, 3u);
}

TEST(Checks, AWrongTextChangesNothing) {
  Checks checks;
  EXPECT_EQ(parseChecks("wait:off,races:warn", checks), "");
  EXPECT_EQ(checks, (Checks{CheckMode::Off, CheckMode::Warn}));
  EXPECT_NE(parseChecks("wait,races:loud", checks), "");
  EXPECT_NE(parseChecks("", checks), "");
  EXPECT_EQ(checks, (Checks{CheckMode::Off, CheckMode::Warn}));
}

TEST(Pending, ReportNamesBothInstructions) {
  Machine m("missing_wait", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  uint64_t in = m.upload(std::vector<int>(64, 21), "in"), out = m.upload(std::vector<int>(64), "out");
  LaunchConfig config = shape(1, 64);
  LaunchResult r = m.device.launch(*m.module, "missing_wait", config, arguments(out, in));
  EXPECT_EQ(r.report.kind, FaultKind::MissingWait);
  for (const char *part : {"is read before its value has arrived", "s_waitcnt vmcnt(0) is missing",
                           "instruction: v_add_u32", "not waited for: global_load_dword", "missing_wait.c:"})
    EXPECT_NE(r.report.text().find(part), std::string::npos) << part << " in\n" << r.report.text();
  config.checks.waits = CheckMode::Off;
  r = m.device.launch(*m.module, "missing_wait", config, arguments(out, in));
  EXPECT_TRUE(r.ok) << r.report.text();
}

} // namespace
