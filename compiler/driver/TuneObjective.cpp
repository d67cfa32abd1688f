// See TuneObjective.h.
#include "compiler/driver/TuneObjective.h"

#include "compiler/atom/Mma.h"
#include "compiler/isa/CodeObject.h"
#include "compiler/isa/Decoder.h"
#include "compiler/isa/InstructionClasses.h"

namespace fly::driver {

namespace {

/// The chip around the compute units, of one product for each architecture: data sheets, at the highest clock.
struct Chip {
  std::string_view arch;
  unsigned computeUnits;              ///< of simdsPerComputeUnit SIMDs each: on RDNA a workgroup processor
  double bytesPerCycle;               ///< of the memory
  unsigned cyclesPerVector;           ///< for which a vector instruction takes its SIMD
};
constexpr Chip chips[] = {
    {"gfx942", 304, 2524, 4},         // MI300X: 5.3 TB/s at 2100 MHz
    {"gfx950", 256, 3333, 4},         // MI355X: 8 TB/s at 2400 MHz
    {"gfx1201", 32, 215, 1},          // RX 9070 XT: 640 GB/s at 2970 MHz
    {"gfx1250", 256, 8167, 1},        // MI450: 19.6 TB/s; number of units and 2400 MHz are assumed
};
const Chip &chipOf(const target::Target &target) {
  auto *found = llvm::find_if(chips, [&](auto &chip) { return chip.arch == target.name; });
  return found == std::end(chips) ? chips[0] : *found;
}

/// Where AMD publishes no cycles of an instruction.
constexpr double assumedFlopsPerCycle = 1024;

double flopsOf(const atom::MmaRow &row) { return 2.0 * double(row.m * row.n * row.k * row.blocks); }

/// Cycles of one matrix instruction; none if it is not one that flyc knows.
std::optional<double> matrixCycles(llvm::StringRef assembly, const target::Target &target, bool fastest) {
  auto *row = atom::findMma(isa::mnemonic(assembly).str());
  if (!row)
    return std::nullopt;
  const auto a = atom::typesOf(row->a), b = atom::typesOf(row->b);
  auto cycles = atom::cyclesOf(*row, target.name, a.front(), b.front());
  if (fastest) // which types the instruction has is in its modifiers
    cycles = std::min(cycles, atom::cyclesOf(*row, target.name, a.back(), b.back()));
  return cycles > 0 ? double(cycles) : flopsOf(*row) / assumedFlopsPerCycle;
}

/// How a grid lies on the chip.
struct Placement {
  double unitShare;                   ///< of the launch's work, that the busiest compute unit has
  double simdShare;                   ///< that the busiest SIMD has
  Placement(const Chip &chip, const target::Target &target, double workgroups, double wavesEach) {
    const double most = std::ceil(workgroups / chip.computeUnits), waves = most * wavesEach;
    unitShare = workgroups > 0 ? most / workgroups : 0;
    simdShare = waves > 0 ? unitShare * std::ceil(waves / target.simdsPerComputeUnit) / waves : 0;
  }
};

double launchCycles(const target::Target &target, const emulator::Profile &profile) {
  const Chip &chip = chipOf(target);
  const Placement place(chip, target, double(profile.workgroups),
                        profile.workgroups ? double(profile.waves) / double(profile.workgroups) : 0);
  double issue = 0, matrix = 0, lds = 0, bytes = 0;
  for (auto &instruction : profile.instructions) {
    auto &counts = instruction.counts;
    bytes += double(counts.globalReadBytes + counts.globalWrittenBytes + counts.scalarReadBytes);
    lds += double(counts.ldsCycles);
    if (instruction.unit == "matrix")
      matrix += double(counts.executions) * matrixCycles(instruction.text, target, /*fastest=*/false).value_or(4);
    else
      issue += double(counts.executions) * (instruction.unit == "vector" ? chip.cyclesPerVector : 1);
  }
  // One compute unit takes at most a line of 64 bytes a cycle.
  const double memory = std::max(bytes / chip.bytesPerCycle, bytes * place.unitShare / 64);
  return (issue + matrix) * place.simdShare + lds * place.unitShare + memory;
}

/// Flops per cycle and SIMD of the fastest matrix instruction in the code of the kernel; 0 if there is none.
double matrixRate(const target::Target &target, const PlannedLaunch &launch) {
  const std::string &bytes = *launch.codeObject;
  auto object = isa::CodeObject::read(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  if (!object)
    return llvm::consumeError(object.takeError()), 0;
  auto *kernel = object->find(launch.kernel->symbol);
  if (!kernel)
    return 0;
  auto decoder = isa::Decoder::create(object->architecture(), kernel->waveSize);
  if (!decoder)
    return llvm::consumeError(decoder.takeError()), 0;
  auto instructions = (*decoder)->decodeKernel(object->text(*kernel), kernel->entry);
  if (!instructions)
    return llvm::consumeError(instructions.takeError()), 0;
  double best = 0;
  for (auto &instruction : *instructions) {
    const std::string text = (*decoder)->print(instruction);
    if (auto cycles = matrixCycles(text, target, /*fastest=*/true))
      best = std::max(best, flopsOf(*atom::findMma(isa::mnemonic(text).str())) / *cycles);
  }
  return best;
}

double product(const std::array<uint32_t, 3> &size) { return double(size[0]) * size[1] * size[2]; }

} // namespace

double figureOf(const target::Target &target, const std::vector<LaunchCounts> &launches) {
  double cycles = 0;
  for (auto &launch : launches)
    cycles += launchCycles(target, launch.profile);
  return std::ceil(cycles);
}

double boundOf(const target::Target &target, const std::vector<PlannedLaunch> &launches, std::optional<double> flops,
               std::optional<double> bytes) {
  const Chip &chip = chipOf(target);
  const PlannedLaunch *only = nullptr;
  unsigned multiplying = 0;
  double rate = 0;
  for (auto &launch : launches)
    if (double one = matrixRate(target, launch)) {
      rate = std::max(rate, one);
      only = &launch;
      ++multiplying;
    }
  double cycles = bytes ? *bytes / chip.bytesPerCycle : 0;
  if (flops && multiplying == 1) {
    const double waves = std::ceil(product(only->config.block) / target.waveSize);
    cycles = std::max(cycles, *flops / rate * Placement(chip, target, product(only->config.grid), waves).simdShare);
  } else if (flops && multiplying > 1) {
    cycles = std::max(cycles, *flops / (rate * chip.computeUnits * target.simdsPerComputeUnit));
  }
  return std::floor(cycles);
}

} // namespace fly::driver
