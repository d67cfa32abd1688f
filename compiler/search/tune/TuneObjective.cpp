// See TuneObjective.h.
//
// The bound is the larger of two times that nothing shortens. Memory: the bytes by the bandwidth of the memory, or of
// the memory-side cache, whichever is higher. Matrix units: of G workgroups on U compute units one has ceil(G / U), and
// these have at most as many SIMDs as waves; so one SIMD has flops / G * ceil(G / U) / SIMDs of the work.
#include "compiler/search/tune/TuneObjective.h"

#include "compiler/atom/Mma.h"
#include "compiler/isa/CodeObject.h"
#include "compiler/isa/Decoder.h"
#include "compiler/isa/InstructionClasses.h"
#include "runtime/emulator/timing/Machine.h"

namespace fly::driver {

namespace {

std::shared_ptr<const emulator::Machine> machineFor(const target::Target &target,
                                                    const emulator::Timing::Options &options) {
  return options.machine ? options.machine : emulator::machineOf(target.name);
}

/// Flops per cycle and SIMD of an instruction at its fastest; 0 if it is no matrix instruction, or nothing is known.
double rateOf(llvm::StringRef assembly, const emulator::Machine &machine) {
  const std::string name = isa::mnemonic(assembly).str();
  auto *row = atom::findMma(name);
  auto cycles = machine.matrixCycles.find(name);
  if (!row || cycles == machine.matrixCycles.end())
    return 0;
  const double flops = 2.0 * double(row->m * row->n * row->k * row->blocks);
  return flops / std::min(cycles->second.cycles, cycles->second.narrow);
}

/// The highest rate in the code of the kernel; 0 if it has no matrix instruction, none if one has no known rate.
std::optional<double> matrixRate(const PlannedLaunch &launch, const emulator::Machine &machine) {
  const std::string &bytes = *launch.codeObject;
  auto object = isa::CodeObject::read(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  if (!object)
    return llvm::consumeError(object.takeError()), std::nullopt;
  auto *kernel = object->find(launch.kernel->symbol);
  if (!kernel)
    return std::nullopt;
  auto decoder = isa::Decoder::create(object->architecture(), kernel->waveSize);
  if (!decoder)
    return llvm::consumeError(decoder.takeError()), std::nullopt;
  auto instructions = (*decoder)->decodeKernel(object->text(*kernel), kernel->entry);
  if (!instructions)
    return llvm::consumeError(instructions.takeError()), std::nullopt;
  double best = 0;
  for (auto &instruction : *instructions) {
    if (!isa::findInstructionClass("mfma")->holds(instruction) &&
        !isa::findInstructionClass("wmma")->holds(instruction))
      continue;
    const double rate = rateOf((*decoder)->print(instruction), machine);
    if (rate == 0)
      return std::nullopt;
    best = std::max(best, rate);
  }
  return best;
}

double product(const std::array<uint32_t, 3> &size) { return double(size[0]) * size[1] * size[2]; }

/// Of the flops of a launch, the share of the SIMD that has most.
double simdShare(const PlannedLaunch &launch, const target::Target &target, double computeUnits) {
  const double workgroups = product(launch.config.grid), most = std::ceil(workgroups / computeUnits);
  const double waves = most * std::ceil(product(launch.config.block) / target.waveSize);
  return workgroups > 0 ? most / workgroups / std::min<double>(waves, target.simdsPerComputeUnit) : 0;
}

} // namespace

double figureOf(const std::vector<LaunchCounts> &launches) {
  double cycles = 0;
  for (auto &launch : launches)
    cycles += launch.timing ? double(launch.timing->cycles) : 0;
  return cycles;
}

double boundOf(const target::Target &target, const emulator::Timing::Options &options,
               const std::vector<PlannedLaunch> &launches, std::optional<double> flops, std::optional<double> bytes) {
  auto machine = machineFor(target, options);
  if (!machine)
    return 0;
  const double computeUnits = machine->xcds * machine->computeUnits;
  double cycles = bytes ? *bytes / std::max(machine->memoryPeakBytesPerCycle, machine->memorySideBytesPerCycle) : 0;
  const PlannedLaunch *only = nullptr;
  unsigned multiplying = 0;
  double rate = 0;
  for (auto &launch : launches) {
    auto one = matrixRate(launch, *machine);
    if (!one)
      return std::floor(cycles);
    if (*one == 0)
      continue;
    rate = std::max(rate, *one);
    only = &launch;
    ++multiplying;
  }
  if (flops && multiplying) { // which of several launches does how much of them is not known
    const double share =
        multiplying == 1 ? simdShare(*only, target, computeUnits) : 1 / (computeUnits * target.simdsPerComputeUnit);
    cycles = std::max(cycles, *flops / rate * share);
  }
  return std::floor(cycles);
}

std::string uncertaintyOf(const target::Target &target, const emulator::Timing::Options &options) {
  emulator::Timing timing;
  if (auto machine = machineFor(target, options)) {
    timing.uncertainty = machine->uncertainty;
    timing.uncertaintyNote = machine->uncertaintyNote;
  }
  return emulator::uncertaintyText(timing);
}

} // namespace fly::driver
