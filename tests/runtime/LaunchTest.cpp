// Generated headers and the runtime together, over a HIP library that records what it is asked for: host programs in
// C and C++ are written, compiled strictly, linked with the runtime and run.
#include "tests/artifact/SampleModule.h"

#include <gtest/gtest.h>

using namespace fly;
using namespace fly::artifact;
using namespace fly::artifact::testing;

namespace {

/// Something that passes for a code object: an ELF header of AMDGPU without sections.
std::string plausibleCode() {
  std::string bytes(64, '\0');
  bytes.replace(0, 6, "\177ELF\2\1");
  bytes[18] = char(224);
  return bytes;
}

ModuleInfo plausibleModule(const std::string &name = "vec_add") {
  ModuleInfo module = sampleModule();
  module.name = name;
  for (ArchInfo &arch : module.archs)
    arch.hsaco = plausibleCode();
  return module;
}

struct Program {
  TemporaryDirectory directory;
  std::string environment = "FLY_HIP_LIBRARY=" + word(FLY_FAKE_HIP);

  void header(const ModuleInfo &module) { writeText(directory.file(module.name + ".h"), toHeader(module)); }
  /// Compiles and links the sources ("name.c" or "name.cpp" with their text), runs, gives the output.
  std::string operator()(const std::vector<std::pair<std::string, std::string>> &sources) {
    std::string objects;
    for (auto &[name, text] : sources) {
      writeText(directory.file(name), text);
      bool c = name.substr(name.size() - 2) == ".c";
      CommandResult result = run(std::string(c ? FLY_C_COMPILER " -std=c11" : FLY_CXX_COMPILER " -std=c++17") +
                                 " -Wall -Wextra -pedantic -Werror -I" + word(FLY_SOURCE_DIR "/runtime/include") +
                                 " -c " + directory.word(name) + " -o " + directory.word(name + ".o"));
      EXPECT_EQ(result.status, 0) << result.output;
      objects += " " + directory.word(name + ".o");
    }
    CommandResult linked = run(FLY_CXX_COMPILER + objects + " " + word(FLY_RUNTIME_LIBRARY) + " -ldl -lpthread -o " +
                               directory.word("program"));
    EXPECT_EQ(linked.status, 0) << linked.output;
    return again();
  }
  std::string again() {
    std::filesystem::remove(directory.file("log"));
    CommandResult result =
        run(environment + " FAKE_HIP_LOG=" + directory.word("log") + " timeout 20 " + directory.word("program"));
    EXPECT_EQ(result.status, 0) << result.output;
    return result.output;
  }
  std::string log() { return readText(directory.file("log")); }
};

const char *launchOnce = R"(
#include <stdio.h>
#include "vec_add.h"
int main(void) {
  static float x[64];
  fly_status status = vec_add_add_f32(NULL, x, x, x, 1000);
  printf("%s %s\n", fly_status_name(status), fly_error());
  return 0;
}
)";

} // namespace

TEST(Launch, GridAndArgumentsReachHip) {
  Program program;
  program.header(plausibleModule());
  EXPECT_EQ(program({{"main.c", launchOnce}}), "FLY_OK \n");
  EXPECT_EQ(program.log(), "load 1 on 0\nadd_f32 grid 4 1 1 block 256 1 1 lds 0 stream 0 bytes 28 n 1000\n");
}

TEST(Launch, SecondNameLaunchesItsOwnSymbolAndBlocksAreTheArchitectures) {
  Program program;
  program.header(plausibleModule());
  program({{"main.cpp", R"(
#include "vec_add.h"
int main() {
  static float x[64];
  fly_set_device(1);
  return vec_add_add(nullptr, x, x, x, 4) == FLY_OK ? 0 : 1;
}
)"}});
  EXPECT_EQ(program.log(), "load 1 on 1\nadd grid 1 1 1 block 128 1 1 lds 0 stream 0 bytes 28 n 4\n");
}

TEST(Launch, PreconditionsAreRefusedWithTextAndValues) {
  Program program;
  program.header(plausibleModule());
  std::string output = program({{"main.c", R"(
#include <stdio.h>
#include "vec_add.h"
static void try_it(void *a, int32_t n) {
  static float x[64];
  puts(fly_status_name(vec_add_add_f32(NULL, (float *)a, x, x, n)));
  puts(fly_error());
}
int main(void) {
  static float x[64];
  try_it(x, 6);
  try_it(x, 1 << 30);
  try_it((char *)x + 4, 8);
  try_it(x, -4);
  puts(fly_status_name(vec_add_add_f32(NULL, x, x, x, 0)));
  return 0;
}
)"}});
  EXPECT_EQ(output, "FLY_ERROR_REQUIREMENT\nvec_add.add_f32: requires `n % 4 == 0`; here n = 6\n"
                    "FLY_ERROR_REQUIREMENT\nvec_add.add_f32: requires `n * 4 < 2147483648`; here n = 1073741824\n"
                    "FLY_ERROR_ARGUMENT\nvec_add.add_f32: `a` must be aligned to 16 bytes\n"
                    "FLY_ERROR_REQUIREMENT\nvec_add.add_f32: requires `n >= 0`; here n = -4\n"
                    "FLY_OK\n");
}

TEST(Launch, NullTensorsAreRefusedWhereThereIsWork) {
  Program program;
  ModuleInfo module = plausibleModule();
  for (ArchInfo &arch : module.archs) { // `two` has work without elements in `a`
    arch.instances.push_back(addInstance("two"));
    arch.instances.back().grid[0] = host::intConstant(2);
    arch.instances.push_back(addInstance("none"));
    arch.instances.back().parameters[0].shape = {host::intConstant(0)};
  }
  program.header(module);
  EXPECT_EQ(program({{"main.c", R"(
#include <stdio.h>
#include "vec_add.h"
static void told(fly_status status) { printf("%s %s\n", fly_status_name(status), status == FLY_OK ? "" : fly_error()); }
int main(void) {
  static _Alignas(256) char workspace[1 << 16];
  static float x[64];
  size_t bytes;
  told(vec_add_add_f32(NULL, NULL, NULL, x, 4));
  told(vec_add_add_f32(NULL, x, x, NULL, 4));
  told(vec_add_add_f32(NULL, NULL, NULL, NULL, 0));
  told(vec_add_two(NULL, NULL, NULL, NULL, 0));
  told(vec_add_two(NULL, NULL, x, x, 4));
  told(vec_add_none(NULL, NULL, x, x, 4));
  told(vec_add_add_twice(NULL, workspace, x, NULL, x, 8));
  told(vec_add_add_twice(NULL, workspace, x, x, NULL, 8));
  told(vec_add_add_twice(NULL, workspace, x, x, NULL, 12));
  told(vec_add_add_twice(NULL, NULL, NULL, NULL, NULL, 0));
  told(vec_add_add_twice(NULL, workspace, x, x, x, -4));
  told(vec_add_add_twice_workspace_bytes(&bytes, -4));
  return 0;
}
)"}}),
            "FLY_ERROR_ARGUMENT vec_add.add_f32: `a` is a null pointer\n"
            "FLY_ERROR_ARGUMENT vec_add.add_f32: `c` is a null pointer\n"
            "FLY_OK \nFLY_OK \n"
            "FLY_ERROR_ARGUMENT vec_add.two: `a` is a null pointer\n"
            "FLY_OK \n"
            "FLY_ERROR_ARGUMENT vec_add.add_twice: add_vector: `b` is a null pointer\n"
            "FLY_OK \n" // only the second step, from 9 on, has `c`
            "FLY_ERROR_ARGUMENT vec_add.add_twice: add_vector: `c` is a null pointer\n"
            "FLY_OK \n"
            "FLY_ERROR_REQUIREMENT vec_add.add_twice: requires `n >= 0`; here n = -4\n"
            "FLY_ERROR_REQUIREMENT vec_add.add_twice: requires `n >= 0`; here n = -4\n");
}

TEST(Launch, SpansAndNegativeExtents) {
  Program program;
  program.header(plausibleModule());
  writeText(program.directory.file("vec_add.hpp"), toCxxHeader(plausibleModule()));
  EXPECT_EQ(
      program({{"main.cpp", R"(
#include "vec_add.hpp"
#include <cstdio>
int main() {
  static float x[64];
  fly::device_span<float> some(x, 64), none;
  for (int n : {-4, 4, 0})
    for (auto &a : {some, none})
      try {
        vec_add::add_f32(nullptr, a, some, some, n);
        std::puts("launched");
      } catch (const fly::error &error) {
        std::printf("%s %s\n", fly_status_name(error.status()), error.what());
      }
}
)"}}),
      "FLY_ERROR_REQUIREMENT vec_add.add_f32: requires `n >= 0`; here n = -4\n"
      "FLY_ERROR_REQUIREMENT vec_add.add_f32: requires `n >= 0`; here n = -4\n"
      "launched\nFLY_ERROR_ARGUMENT vec_add.add_f32: `a` needs 4 elements, but the span has 0\nlaunched\nlaunched\n");
}

TEST(Launch, MissingArchitectureNamesThoseThatAreThere) {
  Program program;
  program.environment += " FAKE_HIP_SECOND=gfx950";
  program.header(plausibleModule());
  EXPECT_EQ(program({{"main.c", R"(
#include <stdio.h>
#include "vec_add.h"
int main(void) {
  static float x[64];
  fly_set_device(1);
  puts(fly_status_name(vec_add_add_f32(NULL, x, x, x, 4)));
  puts(fly_error());
  return 0;
}
)"}}),
            "FLY_ERROR_ARCHITECTURE\nvec_add: no code for gfx950; the module has code for gfx942, gfx1201\n");
}

TEST(Launch, KernelMissingFromTheCodeObjectIsAnError) {
  ModuleInfo module = plausibleModule();
  for (ArchInfo &arch : module.archs) {
    arch.instances[0].symbol = "missing";
    arch.launches.clear(); // they launch it by its old name
  }
  Program program;
  program.header(module);
  EXPECT_EQ(program({{"main.c", R"(
#include <stdio.h>
#include "vec_add.h"
int main(void) {
  static float x[64];
  puts(fly_status_name(vec_add_missing(NULL, x, x, x, 4)));
  puts(fly_error());
  return 0;
}
)"}}),
            "FLY_ERROR_CODE_OBJECT\nvec_add: the code for gfx942 has no kernel `missing`\n");
}

TEST(Launch, DamagedCodeIsRefused) {
  Program program;
  ModuleInfo module = plausibleModule();
  module.archs[0].hsaco.resize(40);
  program.header(module);
  EXPECT_EQ(program({{"main.c", launchOnce}}),
            "FLY_ERROR_CODE_OBJECT vec_add: the code for gfx942 is damaged: not an AMDGPU code object\n");
  module = plausibleModule();
  module.archs[0].hsaco[40] = 65; // the section headers lie beyond the end
  program.header(module);
  EXPECT_EQ(program({{"main.c", launchOnce}}), "FLY_ERROR_CODE_OBJECT vec_add: the code for gfx942 is truncated\n");
}

TEST(Launch, FailuresOfHipAreErrorsWithItsWords) {
  Program program;
  program.header(plausibleModule());
  program.environment += " FAKE_HIP_FAIL=hipModuleLaunchKernel";
  EXPECT_EQ(program({{"main.c", launchOnce}}), "FLY_ERROR_LAUNCH vec_add.add_f32: not launched, because an earlier "
                                               "launch failed: the kernel failed (HIP error 719)\n");
  program.environment = "FLY_HIP_LIBRARY=" + word(FLY_FAKE_HIP) + " FAKE_HIP_FAIL=hipModuleLoadData";
  EXPECT_EQ(program.again(), "FLY_ERROR_CODE_OBJECT vec_add: some error (HIP error 200)\n");
  program.environment = "FLY_HIP_LIBRARY=" + word(FLY_FAKE_HIP) + " FAKE_HIP_FAIL=hipGetDeviceCount";
  EXPECT_EQ(program.again(), "FLY_ERROR_NO_DEVICE no device to run on: " FLY_FAKE_HIP ": no device\n");
  program.environment = "FLY_HIP_LIBRARY=libpthread.so.0"; // a library, but not of HIP
  EXPECT_EQ(program.again(),
            "FLY_ERROR_NO_DEVICE no device to run on: libpthread.so.0: lacks the HIP entry point hipInit\n");
  program.environment = "FLY_DEVICE=toaster";
  EXPECT_EQ(program.again(), "FLY_ERROR_NO_DEVICE no device to run on: FLY_DEVICE: must be `gpu` or `emulator`\n");
  program.environment = "FLY_HIP_LIBRARY=/nowhere/libhip.so";
  EXPECT_NE(program.again().find("FLY_ERROR_NO_DEVICE no device to run on: /nowhere/libhip.so"), std::string::npos);
}

TEST(Launch, TwoModulesInSeveralTranslationUnitsLinkAndLoadOnce) {
  Program program;
  program.header(plausibleModule());
  program.header(plausibleModule("other"));
  const char *second = R"(
#include "other.h"
#include "vec_add.h"
extern "C" int again(float *x) { return vec_add_add_f32(nullptr, x, x, x, 8) || other_add_f32(nullptr, x, x, x, 8); }
)";
  program({{"second.cpp", second}, {"main.c", R"(
#include "vec_add.h"
#include "other.h"
int again(float *x);
int main(void) {
  static float x[64];
  if (vec_add_add_f32(NULL, x, x, x, 4) || other_add_f32(NULL, x, x, x, 4) || again(x))
    return 1;
  if (fly_module_unload(vec_add_module()) != FLY_OK)
    return 2;
  return again(x);
}
)"}});
  std::string log = program.log();
  auto count = [&](const std::string &what) {
    size_t found = 0;
    for (size_t at = log.find(what); at != log.npos; at = log.find(what, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("load "), 3u) << log; // vec_add, other, and vec_add after its unloading
  EXPECT_EQ(count("unload"), 1u);
  EXPECT_EQ(count("add_f32 grid"), 6u);
}

TEST(Launch, ThreadsShareOneLoad) {
  Program program;
  program.header(plausibleModule());
  program({{"main.c", R"(
#include <pthread.h>
#include "vec_add.h"
static float x[64];
static void *work(void *unused) {
  int i;
  (void)unused;
  for (i = 0; i < 50; ++i)
    if (vec_add_add_f32(NULL, x, x, x, 4) != FLY_OK)
      return x;
  return NULL;
}
int main(void) {
  pthread_t threads[12];
  void *bad;
  int i, result = 0;
  for (i = 0; i < 12; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  for (i = 0; i < 12; ++i) {
    pthread_join(threads[i], &bad);
    result |= bad != NULL;
  }
  return result;
}
)"}});
  EXPECT_EQ(program.log().find("load 2"), std::string::npos);
}

TEST(Launch, HeaderOfAnotherInterfaceVersionIsRefused) {
  Program program;
  program.header(plausibleModule());
  EXPECT_EQ(program({{"main.c", R"(
#include <stdio.h>
#include "vec_add.h"
int main(void) {
  uint32_t index;
  vec_add_module()->abi = 99;
  puts(fly_status_name(fly_module_select(vec_add_module(), NULL, &index)));
  return 0;
}
)"}}),
            "FLY_ERROR_ABI\n");
}

// Everything is checked before anything is queued: the second step's grid cannot be launched, so the first one is not.
TEST(LaunchFunction, StepsAreQueuedInOrderOrNotAtAll) {
  Program program;
  ModuleInfo module = plausibleModule();
  program.header(module);
  EXPECT_EQ(program({{"main.c", R"(
#define _POSIX_C_SOURCE 200112L /* setenv */
#include <stdio.h>
#include <stdlib.h>
#include "vec_add.h"
static _Alignas(256) char workspace[1 << 16];
static float x[64];
static void launch(int n, void *memory) {
  fly_status status = vec_add_add_twice(NULL, memory, x, x, x, n);
  printf("%s %s\n", fly_status_name(status), status == FLY_OK ? "" : fly_error());
}
int main(void) {
  size_t bytes = 0;
  fly_status status = vec_add_add_twice_workspace_bytes(&bytes, 1000);
  printf("%s %d\n", fly_status_name(status), (int)bytes);
  launch(8, workspace);
  launch(1000, workspace);
  launch(6, workspace);
  launch(1000, workspace + 4);
  setenv("FAKE_HIP_FAIL", "hipModuleLaunchKernel", 1);
  launch(1000, workspace);
  return 0;
}
)"}}),
            "FLY_OK 4000\nFLY_OK \nFLY_OK \n"
            "FLY_ERROR_REQUIREMENT vec_add.add_twice: add_vector: requires `n % 4 == 0`; here n = 6\n"
            "FLY_ERROR_ARGUMENT vec_add.add_twice: the workspace must be 4000 bytes of device memory, aligned to 256\n"
            "FLY_ERROR_LAUNCH vec_add.add_twice, step 2 of 3: add_f32: not launched, because an earlier launch failed: "
            "the kernel failed (HIP error 719)\n");
  EXPECT_EQ(program.log(),
            "load 1 on 0\nfill 0 bytes 32 stream 0\nadd_f32 grid 1 1 1 block 256 1 1 lds 0 stream 0 bytes 28 n 8\n"
            "fill 0 bytes 4000 stream 0\nadd_f32 grid 4 1 1 block 256 1 1 lds 0 stream 0 bytes 28 n 1000\n"
            "add_f32 grid 4 1 1 block 256 1 1 lds 0 stream 0 bytes 28 n 1304\nfill 0 bytes 4000 stream 0\n");
}
