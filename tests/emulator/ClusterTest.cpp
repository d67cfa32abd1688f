// Clusters of workgroups: ids, the cluster's barrier, multicast loads, and what a launch may ask for.
#include "runtime/emulator/formats/SmallFloat.h"
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/TestSupport.h"

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

struct Clusters : ::testing::Test {
  Machine m{"clusters", "gfx1250", "O2"};
  void SetUp() override { ASSERT_TRUE(m.module) << m.error; }
};

LaunchConfig clustered(std::array<uint32_t, 3> grid, uint32_t block, std::array<uint32_t, 3> cluster) {
  LaunchConfig c;
  c.grid = grid;
  c.block = {block, 1, 1};
  c.cluster = cluster;
  return c;
}

TEST_F(Clusters, EveryIdIsWhatTheGridSays) {
  const std::array<uint32_t, 3> grid = {6, 4, 2};
  for (std::array<uint32_t, 3> d : {std::array<uint32_t, 3>{1, 1, 1}, {3, 1, 1}, {2, 2, 2}, {1, 4, 1}, {3, 2, 2}}) {
    uint64_t out = m.device.allocate(48 * 64, "out");
    LaunchResult r =
        m.device.launch(*m.module, "cluster_ids", clustered(grid, 32, d), arguments(out, grid[0], grid[1]));
    ASSERT_TRUE(r.ok) << r.report.text();
    auto got = m.download<uint32_t>(out, 48 * 16);
    const bool one = d[0] * d[1] * d[2] == 1;
    for (uint32_t n = 0; n < 48; ++n) {
      uint32_t id[3] = {n % 6, n / 6 % 4, n / 24}, in[3], of[3];
      for (int k = 0; k < 3; ++k) in[k] = id[k] % d[k], of[k] = id[k] / d[k];
      uint32_t expected[14] = {id[0],    id[1],
                               id[2],    of[0],
                               of[1],    of[2],
                               in[0],    in[1],
                               in[2],    in[0] + d[0] * (in[1] + d[1] * in[2]),
                               d[0] - 1, d[1] - 1,
                               d[2] - 1, d[0] * d[1] * d[2] - 1};
      for (uint32_t k = 0; k < 14; ++k)
        EXPECT_EQ(got[16 * n + k], expected[k]) << "workgroup " << n << " value " << k << " single " << one;
    }
  }
  recordSource("gfx1250", "S_GETREG_B32", "program");
}

TEST_F(Clusters, WorkgroupsOfAClusterMeetAtItsBarrier) {
  for (WaveOrder order : {WaveOrder::Ascending, WaveOrder::Descending, WaveOrder::Seeded}) {
    const uint32_t groups = 8, block = 96, size = 4, rounds = 6;
    LaunchConfig c = clustered({groups, 1, 1}, block, {size, 1, 1});
    c.order = order;
    uint64_t slots = m.device.allocate(groups * block * 4, "slots"), out = m.device.allocate(groups * block * 4, "out");
    LaunchResult r = m.device.launch(*m.module, "cluster_ring", c, arguments(slots, out, int32_t(rounds)));
    ASSERT_TRUE(r.ok) << r.report.text();
    auto got = m.download<uint32_t>(out, groups * block);
    for (uint32_t g = 0; g < groups; ++g)
      for (uint32_t t = 0; t < block; ++t) {
        uint32_t next = g / size * size + (g % size + 1) % size;
        ASSERT_EQ(got[g * block + t], rounds * (next * 1000 + t) + 100 * (rounds * (rounds - 1) / 2)) << g << " " << t;
      }
  }
  for (const char *op : {"S_BARRIER_SIGNAL", "S_BARRIER_SIGNAL_ISFIRST", "S_BARRIER_WAIT"})
    recordSource("gfx1250", op, "program");
}

// CDNA5 ISA, 5.6: it sets SCC for the first workgroup, and leaves it for the others; outside of a cluster for all.
TEST_F(Clusters, IsFirstOnlySetsScc) {
  for (uint32_t size : {1u, 4u}) {
    uint64_t out = m.device.allocate(4 * 8, "out");
    LaunchResult r =
        m.device.launch(*m.module, "cluster_first", clustered({4, 1, 1}, 32, {size, 1, 1}), arguments(out));
    ASSERT_TRUE(r.ok) << r.report.text();
    auto got = m.download<uint32_t>(out, 8);
    uint32_t set = 0;
    for (uint32_t g = 0; g < 4; ++g) {
      set += got[2 * g];
      EXPECT_EQ(got[2 * g + 1], 1u) << g;
    }
    EXPECT_EQ(set, size == 1 ? 0u : 1u) << "clusters of " << size;
  }
}

TEST_F(Clusters, DeadlockNamesTheClustersBarrier) {
  uint64_t out = m.device.allocate(4, "out");
  LaunchResult r = m.device.launch(*m.module, "cluster_stuck", clustered({4, 1, 1}, 32, {4, 1, 1}), arguments(out));
  EXPECT_EQ(r.report.kind, FaultKind::Deadlock);
  for (const char *part :
       {"no wave of the cluster can continue", "cluster barrier: 2 of 3 workgroups have signalled",
        "workgroup (1, 0, 0), wave 0: ended", "workgroup (2, 0, 0), wave 0: waits at s_barrier_wait"})
    EXPECT_NE(r.report.text().find(part), std::string::npos) << part << "\n" << r.report.text();
}

TEST_F(Clusters, WithoutAClusterItsBarrierStopsNobody) {
  uint64_t slots = m.device.allocate(64 * 4, "slots"), out = m.device.allocate(64 * 4, "out");
  LaunchResult r = m.device.launch(*m.module, "cluster_ring", clustered({2, 1, 1}, 32, {1, 1, 1}),
                                   arguments(slots, out, int32_t(1)));
  ASSERT_TRUE(r.ok) << r.report.text();
  EXPECT_EQ(m.download<uint32_t>(out, 64)[33], 1001u);
}

TEST_F(Clusters, TheLaunchIsChecked) {
  uint64_t out = m.device.allocate(64, "out");
  auto refused = [&](Machine &on, LaunchConfig c, const char *why) {
    LaunchResult r = on.device.launch(*on.module, "cluster_stuck", c, arguments(out));
    EXPECT_EQ(r.report.kind, FaultKind::BadLaunch);
    EXPECT_NE(r.report.text().find(why), std::string::npos) << r.report.text();
  };
  refused(m, clustered({5, 1, 1}, 32, {2, 1, 1}), "a grid of 5 x 1 x 1 cannot be divided into clusters of 2 x 1 x 1");
  refused(m, clustered({32, 1, 1}, 32, {32, 1, 1}), "more than 16 workgroups");
  refused(m, clustered({4, 1, 1}, 32, {0, 1, 1}), "a dimension of the cluster is 0");
  Machine old("gfx12", "gfx1201", "O2");
  ASSERT_TRUE(old.module) << old.error;
  LaunchResult r = old.device.launch(*old.module, "wait_without_signal", clustered({4, 1, 1}, 32, {2, 1, 1}),
                                     arguments(old.device.allocate(4, "out")));
  EXPECT_EQ(r.report.kind, FaultKind::BadLaunch);
  EXPECT_NE(r.report.text().find("gfx1201 has no workgroup clusters"), std::string::npos) << r.report.text();
}

TEST_F(Clusters, KernelsMayFixTheirCluster) {
  Machine fixed("cluster_dims", "gfx1250", "O2");
  ASSERT_TRUE(fixed.module) << fixed.error;
  uint64_t out = fixed.device.allocate(8 * 4, "out");
  LaunchResult r =
      fixed.device.launch(*fixed.module, "fixed_cluster", clustered({8, 1, 1}, 32, {1, 1, 1}), arguments(out));
  ASSERT_TRUE(r.ok) << r.report.text();
  EXPECT_EQ(fixed.download<uint32_t>(out, 8), (std::vector<uint32_t>{0, 1, 2, 3, 0, 1, 2, 3}));
  r = fixed.device.launch(*fixed.module, "fixed_cluster", clustered({8, 1, 1}, 32, {2, 1, 1}), arguments(out));
  EXPECT_NE(r.report.text().find("it requires clusters of 4 x 1 x 1"), std::string::npos) << r.report.text();
}

TEST_F(Clusters, MulticastLoadsArriveWhereTheyWereAskedFor) {
  std::vector<int32_t> in(32);
  for (int k = 0; k < 32; ++k) in[size_t(k)] = 100 + 7 * k;
  uint64_t a = m.upload(in, "in"), direct = m.device.allocate(256, "direct"), both = m.device.allocate(256, "both"),
           first = m.device.allocate(256, "first");
  LaunchResult r = m.device.launch(*m.module, "cluster_multicast", clustered({2, 1, 1}, 32, {2, 1, 1}),
                                   arguments(a, direct, both, first));
  ASSERT_TRUE(r.ok) << r.report.text();
  for (size_t k = 0; k < 64; ++k) {
    EXPECT_EQ(m.download<int32_t>(direct, 64)[k], in[k % 32]);
    EXPECT_EQ(m.download<int32_t>(both, 64)[k], in[k % 32]);
    EXPECT_EQ(m.download<int32_t>(first, 64)[k], k < 32 ? in[k] : -1);
  }
  for (const char *op : {"CLUSTER_LOAD_B32", "CLUSTER_LOAD_ASYNC_TO_LDS_B32"}) recordSource("gfx1250", op, "program");
}

TEST_F(Clusters, MultiplyMatricesTogether) {
  for (const char *level : {"O1", "O2", "O3"}) {
    SCOPED_TRACE(level);
    Machine multiply("cluster_matmul", "gfx1250", level);
    ASSERT_TRUE(multiply.module) << multiply.error;
    std::mt19937 random(2);
    for (auto [rows, columns, depth] : {std::array<uint32_t, 3>{64, 64, 64}, {70, 101, 75}, {31, 5, 200}, {1, 64, 1}}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " x " + std::to_string(depth));
      std::vector<double> va(size_t(rows) * depth), vb(size_t(depth) * columns);
      std::vector<uint16_t> a, b;
      for (double &v : va) a.push_back(uint16_t(floatToHalf(float(v = int(random() % 17) - 8))));
      for (double &v : vb) b.push_back(uint16_t(floatToHalf(float(v = int(random() % 17) - 8))));
      std::vector<float> zero(size_t(rows) * columns);
      uint64_t da = multiply.upload(a, "a"), db = multiply.upload(b, "b"), dc = multiply.upload(zero, "c");
      uint32_t across = (columns + 31) / 32;
      LaunchResult r = multiply.device.launch(*multiply.module, "cluster_matmul",
                                              clustered({across + across % 2, (rows + 31) / 32, 1}, 128, {2, 1, 1}),
                                              arguments(da, db, dc, rows, columns, depth));
      ASSERT_TRUE(r.ok) << r.report.text();
      auto got = multiply.download<float>(dc, zero.size());
      for (uint32_t i = 0; i < rows; ++i)
        for (uint32_t j = 0; j < columns; ++j) {
          double sum = 0;
          for (uint32_t k = 0; k < depth; ++k) sum += va[size_t(i) * depth + k] * vb[size_t(k) * columns + j];
          ASSERT_EQ(got[size_t(i) * columns + j], sum) << i << " " << j;
        }
    }
  }
  for (const char *op : {"TENSOR_LOAD_TO_LDS", "TENSOR_STORE_FROM_LDS", "DS_LOAD_TR16_B128", "V_WMMA_F32_16X16X32_F16"})
    recordSource("gfx1250", op, "program");
}

TEST_F(Clusters, AMaskBeyondTheClusterIsAFault) {
  std::vector<int32_t> in(1);
  uint64_t a = m.upload(in, "in"), out = m.device.allocate(4, "out");
  LaunchResult r =
      m.device.launch(*m.module, "multicast_outside", clustered({1, 1, 1}, 1, {1, 1, 1}), arguments(a, out));
  EXPECT_FALSE(r.ok);
  EXPECT_NE(r.report.text().find("not in its cluster of 1"), std::string::npos) << r.report.text();
}

} // namespace
