// Calibration: microbenchmarks (embedded/*.fly) whose times tell the constants of the time model's machine.
//
//     Plan.cpp       which kernels are launched how: the probes
//     Model.cpp      measures them with the time model instead of a GPU
//     Program.cpp    writes a HIP program that measures them
//     Results.cpp    the file in between, docs/schema/calibration.schema.json
//     Table.cpp      findings for a person, and as a machine file
//     Rules.cpp      which differences of measurements tell which constant
//
// A probe is launched twice, with few trips of its loop and with many. The difference has no launch in it and no cold
// caches. Where the loop itself counts, two probes have different numbers of instructions per trip.
#pragma once

#include "compiler/compilation/Session.h"
#include "compiler/target/Target.h"
#include "runtime/emulator/timing/Machine.h"

#include <array>
#include <map>
#include <memory>
#include <optional>

namespace fly::driver::calibration {

struct Probe {
  std::string name, source, kernel; ///< source: of compute, lds, memory
  unsigned workgroups = 1, block = 64;
  uint64_t few = 4, many = 12;   ///< trips; workgroups if `isDispatch`
  uint64_t scale = 4096;         ///< times the trips on a GPU, whose timer is coarse
  uint64_t bytes = 1 << 16;      ///< of the buffer x; a power of two
  uint64_t modelBytes = 1 << 16; ///< the same where caches are empty at the start, as in the model
  uint64_t step = 0;             ///< the kernel's parameter
  uint64_t hop = 0;              ///< x is a ring: elements to the next one of a chase. 0: x is zero
  bool cold = false;             ///< beyond the memory-side cache
  bool isDispatch = false;       ///< the trips are workgroups
};

struct Measurement {
  std::string name;
  uint64_t few = 0, many = 0;
  double fewSeconds = 0, manySeconds = 0; ///< medians
  double fewSpread = 0, manySpread = 0;   ///< of the repetitions, relative
  double megahertz = 0;
};

struct Results {
  std::string architecture, device, date;
  bool exactClock = false; ///< else it comes from a chain of vector instructions
  std::map<std::string, Measurement, std::less<>> measurements;
};

std::vector<Probe> probesOf(const emulator::Machine &machine);
/// Products whose cycles are measured, by the assembler's names.
std::vector<std::string> productsOf(std::string_view architecture);
/// The two of them that vector instructions follow: one of few cycles, one of many.
std::vector<std::string> headProductsOf(std::string_view architecture);
/// The cycles of a dependent v_fma_f32, which the program takes for known: its clock comes from it.
double chainCycles(const emulator::Machine &machine);

/// The code objects of the microbenchmarks by source; none after diagnostics.
std::optional<std::map<std::string, std::string>> buildKernels(Session &session, const target::Target &target);
/// A file of embedded/program: main, CMakeLists, README.
std::string_view programText(std::string_view name);

std::optional<Results> measureWithModel(Session &session, const target::Target &target,
                                        std::shared_ptr<const emulator::Machine> machine);
/// False after diagnostics.
bool writeProgram(Session &session, const target::Target &target, const emulator::Machine &machine,
                  const std::string &folder);

std::string toJson(const Results &results);
/// None and `error` for what does not follow the schema.
std::optional<Results> parseResults(std::string_view text, std::string &error);

/// What was found out about one constant.
struct Finding {
  std::string constant; ///< of the machine, or an instruction's name
  bool isMatrix = false;
  double builtIn = 0, value = 0;
  std::string told;    ///< by which probes
  std::string problem; ///< why it is not taken; empty: it is
};
std::vector<Finding> derive(const Results &results, const emulator::Machine &machine);
/// The constants that were found, as `flyc bench --machine` reads them.
std::string machineFile(const Results &results, const std::vector<Finding> &findings);
/// What is built in, what was measured, and by which probes.
void printTable(llvm::raw_ostream &os, const Results &results, const std::vector<Finding> &findings);

} // namespace fly::driver::calibration
