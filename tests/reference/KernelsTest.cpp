// Kernels written in IR: what each leaves in memory, and where execution ends.
#include "compiler/reference/Reference.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Parser/Parser.h"

#include <cstring>
#include <gtest/gtest.h>

namespace fly::reference {
namespace {

class ReferenceKernels : public testing::Test {
protected:
  ReferenceKernels() {
    mlir::DialectRegistry registry;
    ir::registerFlyDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Runs `body` as a kernel with one pointer `%y` to 64 words, for so many threads.
  Outcome run(const std::string &body, uint32_t threads = 64) {
    const std::string text = "fly.kernel @k(%y: !fly.ptr<global, align=16>) attributes {known_block = array<i32: " +
                             std::to_string(threads) + ", 1, 1>} {\n" + body + "\n}\n";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << text;
      return {};
    }
    memory = {};
    memory.add(address, "y", std::vector<uint8_t>(4 * threads));
    Launch launch;
    launch.block = {threads, 1, 1};
    launch.arguments.assign(reinterpret_cast<const char *>(&address), sizeof address);
    return reference::run(*module->getOps<ir::KernelOp>().begin(), *target::find("gfx942"), launch, memory);
  }
  Cell word(unsigned index) const {
    Cell cell;
    EXPECT_TRUE(memory.load(address + 4 * index, 32, 1, &cell));
    return cell;
  }

  /// Stores `%v`, an i32, in the thread's word.
  static constexpr const char *store = R"(
    %four = arith.constant 4 : i32
    %offset = arith.muli %t, %four : i32
    %p = fly.ptr_add %y, %offset multiple_of 4 : !fly.ptr<global, align=16>, i32
    fly.ptr_store %v, %p : i32, !fly.ptr<global, align=4>
    fly.return)";

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Memory memory;
  static constexpr uint64_t address = 0x10000;
};

TEST_F(ReferenceKernels, LanesPartAndMeet) {
  // Each lane runs the loop as often as its number says; afterwards all of them vote.
  const Outcome outcome = run(std::string(R"(
    %t = fly.thread_id x
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %seven = arith.constant 7 : i32
    %n = arith.andi %t, %seven : i32
    cf.br ^head(%zero, %zero : i32, i32)
  ^head(%i: i32, %sum: i32):
    %more = arith.cmpi ult, %i, %n : i32
    cf.cond_br %more, ^body, ^after
  ^body:
    %next = arith.addi %i, %one : i32
    %total = arith.addi %sum, %next : i32
    cf.br ^head(%next, %total : i32, i32)
  ^after:
    %odd = arith.trunci %sum : i32 to i1
    %votes = fly.wave ballot(%odd) : (i1) -> i64
    %low = arith.trunci %votes : i64 to i32
    %v = arith.addi %low, %sum : i32
)") + store);
  ASSERT_EQ(outcome.kind, Outcome::Complete) << outcome.text << outcome.place;
  uint32_t votes = 0;
  auto sum = [](unsigned lane) { return (lane % 8) * (lane % 8 + 1) / 2; };
  for (unsigned lane = 0; lane < 32; ++lane)
    votes |= uint32_t(sum(lane) & 1) << lane;
  for (unsigned lane = 0; lane < 64; ++lane)
    EXPECT_EQ(word(lane).bits, uint32_t(votes + sum(lane))) << lane;
}

TEST_F(ReferenceKernels, WavesMeetAtBarriers) {
  // Each thread reads what a thread of the other wave has written.
  const Outcome outcome = run(std::string(R"(
    %t = fly.thread_id x
    %s = fly.shared 512 : !fly.ptr<shared, align=16>
    %size = arith.constant 4 : i32
    %here = arith.muli %t, %size : i32
    %mine = fly.ptr_add %s, %here multiple_of 4 : !fly.ptr<shared, align=16>, i32
    fly.ptr_store %t, %mine : i32, !fly.ptr<shared, align=4>
    fly.barrier
    %flip = arith.constant 64 : i32
    %other = arith.xori %t, %flip : i32
    %there = arith.muli %other, %size : i32
    %theirs = fly.ptr_add %s, %there multiple_of 4 : !fly.ptr<shared, align=16>, i32
    %v = fly.ptr_load %theirs : !fly.ptr<shared, align=4> -> i32
)") + store,
                              128);
  ASSERT_EQ(outcome.kind, Outcome::Complete) << outcome.text;
  for (unsigned thread = 0; thread < 128; ++thread)
    EXPECT_EQ(word(thread).bits, thread ^ 64u);
}

TEST_F(ReferenceKernels, OpenBitsAreNotKnown) {
  const Outcome outcome = run(std::string(R"(
    %t = fly.thread_id x
    %any = fly.undefined : i32
    %mask = arith.constant 255 : i32
    %low = arith.andi %any, %mask : i32
    %high = arith.constant 256 : i32
    %v = arith.ori %low, %high : i32
)") + store);
  ASSERT_EQ(outcome.kind, Outcome::Complete) << outcome.text;
  EXPECT_EQ(word(3).known, 0xffffff00u);
  EXPECT_EQ(word(3).bits & word(3).known, 256u);
}

TEST_F(ReferenceKernels, PoisonEndsWhereItDecides) {
  const std::string shift = R"(
    %t = fly.thread_id x
    %by = arith.constant 32 : i32
    %x = arith.shli %t, %by : i32
    %none = arith.constant 0 : i32
    %small = arith.cmpi ult, %by, %none : i32
)";
  const Outcome stored = run(shift + "%v = arith.addi %x, %t : i32" + store);
  EXPECT_EQ(stored.kind, Outcome::Mistake);
  EXPECT_EQ(stored.text, "poison is stored");
  // A choice against it is what a program means by one.
  EXPECT_EQ(run(shift + "%v = arith.select %small, %x, %t : i32" + store).kind, Outcome::Complete);
  EXPECT_EQ(word(5).bits, 5u);
}

TEST_F(ReferenceKernels, FlagsThatLeaveAChoiceLeaveBitsOpen) {
  // 1/3 is rounded: with `arcp` another number may come. 1/4 is not.
  auto quotient = [](const char *divisor, const char *flags) {
    return std::string(R"(
    %t = fly.thread_id x
    %one = arith.constant 1.0 : f32
    %d = arith.constant )") +
           divisor + " : f32\n%q = arith.divf %one, %d " + flags + " : f32\n%v = arith.bitcast %q : f32 to i32" + store;
  };
  ASSERT_EQ(run(quotient("3.0", "")).kind, Outcome::Complete);
  EXPECT_EQ(word(0).known, 0xffffffffu);
  ASSERT_EQ(run(quotient("3.0", "fastmath<arcp>")).kind, Outcome::Complete);
  EXPECT_EQ(word(0).known, 0u);
  ASSERT_EQ(run(quotient("4.0", "fastmath<arcp>")).kind, Outcome::Complete);
  EXPECT_EQ(word(0).known, 0xffffffffu);
  EXPECT_EQ(word(0).bits, 0x3e800000u);
}

TEST_F(ReferenceKernels, SumsOfAtomicsDependOnTheOrderOrNot) {
  const std::string add = R"(
    %t = fly.thread_id x
    %place = fly.ptr_cast %y : !fly.ptr<global, align=16> -> !fly.ptr<global, align=4>
)";
  ASSERT_EQ(run(add + R"(
    %x = arith.uitofp %t : i32 to f32
    %old = fly.atomic float_add %place, %x order relaxed scope agent : !fly.ptr<global, align=4>, f32
    fly.return)")
                .kind,
            Outcome::Complete);
  EXPECT_EQ(word(0).bits, 0x44fc0000u); // 2016, exact in any order
  EXPECT_EQ(word(0).known, 0xffffffffu);
  ASSERT_EQ(run(add + R"(
    %third = arith.constant 0.3333 : f32
    %n = arith.uitofp %t : i32 to f32
    %x = arith.mulf %third, %n : f32
    %old = fly.atomic float_add %place, %x order relaxed scope agent : !fly.ptr<global, align=4>, f32
    fly.return)")
                .kind,
            Outcome::Complete);
  EXPECT_EQ(word(0).known, 0u);
  EXPECT_EQ(run(add + R"(
    %v = fly.atomic add %place, %t order relaxed scope agent : !fly.ptr<global, align=4>, i32
)" + store)
                .kind,
            Outcome::Beyond);
}

TEST_F(ReferenceKernels, EndsOutsideOfMemory) {
  const Outcome outcome = run(R"(
    %far = arith.constant 4096 : i32
    %p = fly.ptr_add %y, %far multiple_of 4 : !fly.ptr<global, align=16>, i32
    fly.ptr_store %far, %p : i32, !fly.ptr<global, align=4>
    fly.return)");
  EXPECT_EQ(outcome.kind, Outcome::Fault);
}

} // namespace
} // namespace fly::reference
