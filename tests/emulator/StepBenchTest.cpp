// The bench that other tests stand on: that it executes what it is given on the state it is given, and tells failure.
#include "tests/emulator/StepBench.h"
#include "tests/emulator/TestSupport.h"

namespace fly::emulator::test {

TEST(StepBench, ExecutesOneInstructionUnderExecOnEveryArchitecture) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    StepBench bench(arch);
    bench.splat(1, 0x3f800000);
    bench.splat(0, 7);
    bench.setExec(5);
    ASSERT_TRUE(bench.run("v_add_f32 v0, v1, v1")) << bench.error();
    EXPECT_EQ(bench.vgpr(0, 0), 0x40000000u);
    EXPECT_EQ(bench.vgpr(0, 1), 7u);
    EXPECT_EQ(bench.vgpr(0, 2), 0x40000000u);
    EXPECT_EQ(bench.jumped(), 0);
  }
}

TEST(StepBench, MovesBetweenScalarsMemoryLdsAndRegisters) {
  StepBench bench("gfx942");
  uint8_t *host = nullptr;
  uint64_t address = bench.allocate(64, &host);
  uint32_t value = 0x12345678;
  std::memcpy(host, &value, 4);
  bench.setSgpr64(2, address);
  ASSERT_TRUE(bench.run("s_load_dword s4, s[2:3], 0x0")) << bench.error();
  EXPECT_EQ(bench.sgpr(4), value);
  bench.splat(0, 8);
  bench.splat(1, 0xcafe);
  bench.setExec(1);
  ASSERT_TRUE(bench.run("ds_write_b32 v0, v1")) << bench.error();
  EXPECT_EQ(bench.lds[8], 0xfe);
  EXPECT_EQ(bench.lds[12], poisonByte);
}

TEST(StepBench, TellsWhatFailed) {
  StepBench bench("gfx1201");
  EXPECT_FALSE(bench.run("v_nonsense v0"));
  EXPECT_NE(bench.error().find("v_nonsense"), std::string::npos);
  bench.setSgpr64(2, 0);
  EXPECT_FALSE(bench.run("s_load_b32 s4, s[2:3], 0x0"));
  EXPECT_EQ(bench.wave().fault.kind, FaultKind::OutOfBounds);
  EXPECT_FALSE(bench.run("v_add_f32 v0, v1, v1") && bench.vgpr(0, 0) == 0) << "state stays usable after a fault";
}

} // namespace fly::emulator::test
