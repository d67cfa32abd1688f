// The whole way of a program without a GPU: a kernel compiled and linked here, its generated header in a C11 and a
// C++17 program, run on the emulated HIP, for each architecture.
#include "tests/artifact/SampleModule.h"
#include "tests/codegen/CodeGenTesting.h"
#include "compiler/target/Target.h"

#include <gtest/gtest.h>

using namespace fly;
using namespace fly::artifact;
using namespace fly::artifact::testing;

namespace {

/// c[i] = a[i] + b[i] for i < n, in blocks of 256; the file names a source, as flyc's output does.
const char *addKernel = R"(
#at = loc("kernels/vec_add.fly":9:5)
module {
  llvm.func @add_f32(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %n: i32)
      attributes {rocdl.kernel, rocdl.flat_work_group_size = "1,256"} {
    %thread = rocdl.workitem.id.x : i32 loc(#at)
    %block = rocdl.workgroup.id.x : i32 loc(#at)
    %size = llvm.mlir.constant(256 : i32) : i32 loc(#at)
    %start = llvm.mul %block, %size : i32 loc(#at)
    %i = llvm.add %start, %thread : i32 loc(#at)
    %inside = llvm.icmp "slt" %i, %n : i32 loc(#at)
    llvm.cond_br %inside, ^add, ^end loc(#at)
  ^add:
    %pa = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32 loc(#at)
    %pb = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32 loc(#at)
    %pc = llvm.getelementptr %c[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32 loc(#at)
    %x = llvm.load %pa : !llvm.ptr<1> -> f32 loc(#at)
    %y = llvm.load %pb : !llvm.ptr<1> -> f32 loc(#at)
    %sum = llvm.fadd %x, %y : f32 loc(#at)
    llvm.store %sum, %pc : f32, !llvm.ptr<1> loc(#at)
    llvm.br ^end loc(#at)
  ^end:
    llvm.return loc(#at)
  } loc(#at)
}
)";

ModuleInfo compiledModule() {
  ModuleInfo module;
  module.name = "vec_add";
  module.source = "kernels/vec_add.fly";
  for (const target::Target &target : target::all()) {
    auto object = codegen::testing::compile(addKernel, target);
    EXPECT_TRUE(object) << (object ? "" : object.failure().message);
    auto linked = codegen::linkCodeObject({object->bytes}, {{"add_f32", "add"}}, target);
    EXPECT_TRUE(linked) << (linked ? "" : linked.failure().message);
    ArchInfo info;
    info.arch = std::string(target.name);
    info.hsaco = *linked;
    info.instances = {addInstance("add_f32")};
    info.instances[0].aliases = {"add"};
    info.instances[0].resources = (*codegen::readResources(*linked, target))["add_f32"];
    module.archs.push_back(std::move(info));
  }
  return module;
}

/// Adds 1000 and then 1024 numbers, the second time by the kernel's other name, and checks every one.
const char *program = R"(
#include <stdio.h>
#include <stdlib.h>
#include "vec_add.h"
#define CHECK(call) if ((call) != FLY_OK) { puts(fly_error()); return 1; }
enum { N = 1024 };
static float a[N], b[N], c[N];
int main(void) {
  void *da, *db, *dc;
  int i, n, round;
  for (i = 0; i < N; ++i) { a[i] = (float)i; b[i] = 0.5f * (float)i; }
  CHECK(fly_malloc(&da, sizeof a))
  CHECK(fly_malloc(&db, sizeof b))
  CHECK(fly_malloc(&dc, sizeof c))
  CHECK(fly_copy_to_device(da, a, sizeof a))
  CHECK(fly_copy_to_device(db, b, sizeof b))
  for (round = 0; round < 2; ++round) {
    n = round == 0 ? 1000 : N;
    for (i = 0; i < N; ++i) c[i] = -1.0f;
    CHECK(fly_copy_to_device(dc, c, sizeof c))
    if (round == 0) CHECK(vec_add_add_f32(NULL, (float *)da, (float *)db, (float *)dc, n))
    if (round == 1) CHECK(vec_add_add(NULL, (float *)da, (float *)db, (float *)dc, n))
    CHECK(fly_synchronize())
    CHECK(fly_copy_to_host(c, dc, sizeof c))
    for (i = 0; i < N; ++i)
      if (c[i] != (i < n ? 1.5f * (float)i : -1.0f)) { printf("%d: %g\n", i, (double)c[i]); return 2; }
  }
  CHECK(fly_free(da))
  CHECK(vec_add_add_f32(NULL, (float *)da, (float *)db, (float *)dc, N)) /* freed memory: the kernel will tell */
  if (fly_synchronize() != FLY_ERROR_LAUNCH) return 3;
  puts(fly_error());
  puts("good");
  return 0;
}
)";

void runOn(const ModuleInfo &module, const std::string &compiler, const std::string &name) {
  TemporaryDirectory directory;
  writeText(directory.file("vec_add.h"), toHeader(module));
  writeText(directory.file(name), program);
  CommandResult built =
      run(compiler + " -Wall -Wextra -pedantic -Werror -I" + word(FLY_SOURCE_DIR "/runtime/include") + " " +
          directory.word(name) + " " + word(FLY_RUNTIME_LIBRARY) + " -ldl -lpthread -o " + directory.word("program"));
  ASSERT_EQ(built.status, 0) << built.output;
  for (const ArchInfo &arch : module.archs) {
    CommandResult result = run("FLY_HIP_LIBRARY=" + word(FLY_EMULATED_HIP) + " FLY_EMULATE=" + arch.arch +
                               " timeout 60 " + directory.word("program"));
    EXPECT_EQ(result.status, 0) << arch.arch << ": " << result.output;
    EXPECT_NE(result.output.find("good\n"), std::string::npos) << arch.arch << ": " << result.output;
    EXPECT_NE(result.output.find("vec_add.fly:9"), std::string::npos) << arch.arch << ": " << result.output;
  }
}

} // namespace

TEST(Emulated, CProgramAddsOnEveryArchitecture) { runOn(compiledModule(), FLY_C_COMPILER " -std=c11", "main.c"); }

TEST(Emulated, CxxProgramAddsOnEveryArchitecture) {
  runOn(compiledModule(), FLY_CXX_COMPILER " -std=c++17", "main.cpp");
}

TEST(Emulated, OnlyHipIsVisible) { // and what the runtime asks of this one alone
  CommandResult symbols =
      run("nm -D --defined-only " + word(FLY_EMULATED_HIP) +
          " | grep -v -E ' (__)?hip| flyHip(Between|NextLaunch)@| _Z24hip(Ext|Hcc)ModuleLaunchKernel'");
  EXPECT_EQ(symbols.output, "");
}

TEST(Emulated, RuntimeFindsItBesideTheProgramWhenThereIsNoGpu) {
  TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("bin"));
  std::filesystem::create_directory(directory.file("lib"));
  std::filesystem::create_symlink(FLY_EMULATED_HIP, directory.file("lib/libfly_hip_emulated.so"));
  writeText(directory.file("main.c"),
            "#include <stdio.h>\n#include \"fly/runtime.h\"\nint main(void) {\n"
            "  char name[32];\n  int count = 0;\n  fly_status status = fly_device_count(&count);\n"
            "  int64_t units = 0;\n"
            "  fly_device_architecture(name, sizeof name);\n"
            "  fly_device_compute_units(&units);\n"
            "  printf(\"%d %s %d %s\\n\", count, name, (int)units, status ? fly_error() : \"\");\n"
            "  return 0;\n}\n");
  CommandResult built =
      run(FLY_C_COMPILER " -std=c99 -I" + word(FLY_SOURCE_DIR "/runtime/include") + " " + directory.word("main.c") +
          " " + word(FLY_RUNTIME_LIBRARY) + " -ldl -lpthread -o " + directory.word("bin/program"));
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_EQ(run("FLY_DEVICE=emulator FLY_EMULATE=gfx1201:3 " + directory.word("bin/program")).output, "3 gfx1201 6 \n");
  EXPECT_EQ(run("FLY_DEVICE=emulator FLY_EMULATE_COMPUTE_UNITS=304 " + directory.word("bin/program")).output,
            "1 gfx942 304 \n");
  auto refused = [&](const std::string &wish, const std::string &must) {
    const std::string output = run("FLY_DEVICE=emulator " + wish + " " + directory.word("bin/program")).output;
    EXPECT_NE(output.find("no device to run on: "), std::string::npos) << output;
    EXPECT_NE(output.find(wish + ": must be " + must), std::string::npos) << output;
  };
  for (const char *wish :
       {"FLY_EMULATE=gfx942:0", "FLY_EMULATE=gfx942:17", "FLY_EMULATE=gfx942:x", "FLY_EMULATE=gfx942:"})
    refused(wish, "an architecture and a number of devices from 1 to 16, as in gfx942:2");
  for (const char *wish : {"FLY_EMULATE=gfx900", "FLY_EMULATE=gfx1:2"})
    refused(wish, "one of " + target::names() + ", and a number of devices, as in gfx942:2");
  for (const char *wish : {"FLY_EMULATE_DELAY=abc", "FLY_EMULATE_DELAY=-1", "FLY_EMULATE_DELAY=5s"})
    refused(wish, "a number of milliseconds");
  for (const char *wish : {"FLY_EMULATE_ROCM=99", "FLY_EMULATE_ROCM=six"})
    refused(wish, "4 to 7");
  for (const char *wish : {"0", "4097", "all"})
    refused(std::string("FLY_EMULATE_COMPUTE_UNITS=") + wish, "a number from 1 to 4096");
  refused("FLY_EMULATE_CHECK=waits",
          "checks with their modes, as in wait:warn,races: `waits` is not a check; choose all, wait, races, hazards, "
          "init, barriers");
  refused("FLY_EMULATE_CHECK=trap:warn", "checks with their modes, as in wait:warn,races: `trap` always ends the run");
}
