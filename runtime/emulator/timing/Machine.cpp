#include "runtime/emulator/timing/Machine.h"

#include "compiler/isa/Encoder.h"

#include "llvm/Support/Error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>

namespace fly::emulator {

namespace {

using Document = nlohmann::json;
using M = Machine;

constexpr bool whole = true;

constexpr MachineMember members[] = {
    {"xcds", "", "dies with compute units and an L2 cache", &M::xcds, 1, 32, whole},
    {"compute_units", "", "of an XCD", &M::computeUnits, 1, 256, whole},
    {"maximum_clock", "MHz", "of the data sheet", &M::maximumClock, 1, 1e5},
    {"sustained_clock", "MHz", "under matrix load at the power limit", &M::sustainedClock, 1, 1e5},
    {"uncertainty", "", "of cycles, relative; 0: not validated", &M::uncertainty, 0, 1},
    {"turn", "cycles", "from one issue of a SIMD to the next", &M::turn, 1, 64, whole},
    {"vector_cycles", "cycles", "of a VALU instruction", &M::vectorCycles, 1, 1e4},
    {"vector_latency", "cycles", "until a VALU result can be read", &M::vectorLatency, 0, 1e6},
    {"packed_cycles", "cycles", "of a packed f32 instruction", &M::packedCycles, 0, 1e6},
    {"double_cycles", "cycles", "of an f64 instruction", &M::doubleCycles, 0, 1e6},
    {"double_latency", "cycles", "until an f64 result can be read", &M::doubleLatency, 0, 1e6},
    {"transcendental_cycles", "cycles", "of a transcendental instruction", &M::transcendentalCycles, 0, 1e6},
    {"transcendental_latency", "cycles", "until its result can be read", &M::transcendentalLatency, 0, 1e6},
    {"transcendental_issue", "cycles", "that a transcendental instruction keeps others from the VALU",
     &M::transcendentalIssue, 1, 1e6},
    {"swap_cycles", "cycles", "of v_permlane16_swap and v_permlane32_swap", &M::swapCycles, 0, 1e6},
    {"scalar_latency", "cycles", "until a SALU result can be read", &M::scalarLatency, 0, 1e6},
    {"branch_cycles", "cycles", "from a taken branch to the next instruction", &M::branchCycles, 0, 1e6},
    {"wait_cycles", "cycles", "of a wait that is satisfied", &M::waitCycles, 0, 1e6},
    {"barrier_latency", "cycles", "from the last signal of a barrier until waves go on", &M::barrierLatency, 0, 1e6},
    {"matrix_head", "cycles",
     "after a matrix instruction in which no VALU instruction starts, if it has no `window`; -1: as long as it runs",
     &M::matrixHead, -1, 1e6},
    {"matrix_head_source", "cycles", "more for each 16 bytes of a lane's A or B, of the one that has more",
     &M::matrixHeadSource, 0, 1e6},
    {"packed_gap", "cycles",
     "after the end of a matrix instruction until packed f32, v_pk_mov and dot products start; -1: as others",
     &M::packedGap, -1, 1e6},
    {"packed_gap_wide", "cycles", "more if a lane's A has 16 bytes", &M::packedGapWide, 0, 1e6},
    {"matrix_latency", "cycles", "beyond a matrix instruction's own until others than an accumulation can read it",
     &M::matrixLatency, 0, 1e6},
    {"lds_ports", "", "ports to LDS of a compute unit, shared by its SIMDs", &M::ldsPorts, 1, 64, whole},
    {"lds_port_bytes", "bytes/cycle", "of a port, each way", &M::ldsPortBytes, 1, 1e6},
    {"lds_queue", "", "requests that wait at a port", &M::ldsQueue, 1, 1024, whole},
    {"lds_latency", "cycles", "of a read, beyond the transfer", &M::ldsLatency, 0, 1e6},
    {"lds_phase_cycles", "cycles", "of the banks for a phase without conflicts", &M::ldsPhaseCycles, 0, 1e6},
    {"lds_turnaround", "cycles", "of the banks between a read and a write", &M::ldsTurnaround, 0, 1e6},
    {"lds_write_hold", "cycles", "of a wave per dword per lane that it writes, beyond the turn", &M::ldsWriteHold, 0,
     1e6},
    {"lds_unaligned_factor", "", "times the cycles of an access of 16 bytes that is not aligned to 16",
     &M::ldsUnalignedFactor, 0, 1000},
    {"memory_queue", "", "wave instructions that wait for the L1 cache", &M::memoryQueue, 1, 1024, whole},
    {"l1_bytes_per_cycle", "bytes/cycle", "between L1 and a compute unit", &M::l1BytesPerCycle, 1, 1e6},
    {"l1_bytes", "bytes", "of an L1 cache", &M::l1Bytes, 128, 1048576},
    {"l1_ways", "", "of the L1 cache", &M::l1Ways, 1, 1024, whole},
    {"l1_latency", "cycles", "from issue to use, hit in L1", &M::l1Latency, 0, 1e6},
    {"narrow_factor", "", "times the requests of loads of 8, 2 and 1 bytes per lane", &M::narrowFactor, 0, 1000},
    {"in_flight_bytes", "bytes", "that an L1 cache waits for at most", &M::inFlightBytes, 128, 1048576},
    {"fill_bytes_per_cycle", "bytes/cycle", "from L2 to an L1 cache", &M::fillBytesPerCycle, 1, 1e6},
    {"write_bytes_per_cycle", "bytes/cycle", "from a compute unit to L2", &M::writeBytesPerCycle, 1, 1e6},
    {"l2_bytes", "bytes", "of an XCD", &M::l2Bytes, 128, 268435456},
    {"l2_ways", "", "of the L2 cache", &M::l2Ways, 1, 1024, whole},
    {"l2_channels", "", "of an XCD", &M::l2Channels, 1, 1024, whole},
    {"l2_read_bytes_per_cycle", "bytes/cycle", "of a channel, achievable", &M::l2ReadBytesPerCycle, 1, 1e6},
    {"l2_write_bytes_per_cycle", "bytes/cycle", "of a channel, achievable", &M::l2WriteBytesPerCycle, 1, 1e6},
    {"l2_latency", "cycles", "from issue to use, hit in L2", &M::l2Latency, 0, 1e6},
    {"memory_side_bytes", "bytes", "of the chip's memory-side cache; 0: it has none", &M::memorySideBytes, 0,
     1099511627776},
    {"memory_side_bytes_per_cycle", "bytes/cycle", "of the chip", &M::memorySideBytesPerCycle, 1, 1e6},
    {"memory_side_latency", "cycles", "from issue to use, hit in the memory-side cache", &M::memorySideLatency, 0, 1e6},
    {"memory_bytes_per_cycle", "bytes/cycle", "of the chip's memory, achievable, at the maximum clock",
     &M::memoryBytesPerCycle, 1, 1e6},
    {"memory_peak_bytes_per_cycle", "bytes/cycle", "of the data sheet, at the maximum clock",
     &M::memoryPeakBytesPerCycle, 1, 1e6},
    {"memory_latency", "cycles", "from issue to use, from memory", &M::memoryLatency, 0, 1e6},
    {"memory_write_factor", "", "times the time of a byte read that a byte written takes of memory, beside reads",
     &M::memoryWriteFactor, 0.1, 100},
    {"scalar_cache_bytes", "bytes", "of a scalar cache", &M::scalarCacheBytes, 128, 1048576},
    {"scalar_memory_latency", "cycles", "of a scalar load that hits", &M::scalarMemoryLatency, 0, 1e6},
    {"instruction_cache_bytes", "bytes", "of an instruction cache", &M::instructionCacheBytes, 64, 16777216},
    {"fetch_latency", "cycles", "of code from L2", &M::fetchLatency, 0, 1e6},
    {"fetch_ahead", "", "lines of code that are requested beyond the current one", &M::fetchAhead, 0, 256, whole},
    {"cache_sharers", "", "compute units that share a scalar and an instruction cache", &M::cacheSharers, 1, 256,
     whole},
    {"links", "", "of a device to other devices, one to each if there are enough", &M::links, 1, 256, whole},
    {"link_peak", "GB/s", "of a link, each way, of the data sheet", &M::linkPeak, 0.001, 1e6},
    {"link_bandwidth", "GB/s", "of a link, each way, achievable", &M::linkBandwidth, 0.001, 1e6},
    {"link_latency", "us", "from a store until another device sees it", &M::linkLatency, 0, 1e6},
    {"link_uncertainty", "", "of the time of data on links, relative; 0: not validated", &M::linkUncertainty, 0, 1},
    {"launch_time", "us", "of a launch beside its kernel, warm; told, and not in any figure. 0: not known",
     &M::launchTime, 0, 1e6},
    {"workgroup_cycles", "cycles", "of an XCD's dispatcher for a workgroup", &M::workgroupCycles, 0, 1e6},
    {"wave_cycles", "cycles", "from a wave's dispatch to its first instruction", &M::waveCycles, 0, 1e6},
};

constexpr const char *certainties[] = {"documented", "measured", "vendor", "derived", "assumed", "fitted"};

struct BuiltIn {
  std::string_view name, text;
};
constexpr BuiltIn builtIn[] = {
#include "Machines.inc" // made of machines/*.json
};

std::string inTicks(std::string_view text) { return "`" + std::string(text.substr(0, 60)) + "`"; }

/// "8.5", "1048576", "1e+300"
std::string textOf(double value) {
  char text[40];
  std::snprintf(text, sizeof text, std::fabs(value) < 1e15 ? "%.15g" : "%g", value);
  return text;
}

constexpr double mostMatrixCycles = 1e6;

/// Fills in `machine`; returns what is wrong.
std::string readConstants(const Document &constants, Machine &machine) {
  if (!constants.is_object()) return "`constants` must be an object";
  for (const auto &[key, entry] : constants.items()) {
    const MachineMember *member = nullptr;
    for (const MachineMember &m : members)
      if (key == m.name) member = &m;
    if (!member) return "unknown constant " + inTicks(key);
    if (!entry.is_object() || !entry.contains("value") || !entry["value"].is_number())
      return "constant " + inTicks(key) + " must be an object with a number as `value`";
    MachineConstant constant;
    constant.value = entry["value"].get<double>();
    const bool fits = constant.value >= member->least && constant.value <= member->most; // not a number does not
    if (!fits || (member->whole && constant.value != std::floor(constant.value)))
      return "constant " + inTicks(key) + " must be a " + (member->whole ? "whole " : "") + "number from " +
             textOf(member->least) + " to " + textOf(member->most) + ", not " + textOf(constant.value);
    if (entry.contains("certainty")) {
      bool known = false;
      for (unsigned k = 0; k < std::size(certainties); ++k)
        if (entry["certainty"] == certainties[k]) constant.certainty = static_cast<Certainty>(k), known = true;
      if (!known)
        return "constant " + inTicks(key) +
               ": `certainty` must be one of documented, measured, vendor, derived, "
               "assumed, fitted";
    }
    if (entry.contains("source")) {
      if (!entry["source"].is_string()) return "constant " + inTicks(key) + ": `source` must be a string";
      constant.source = entry["source"].get<std::string>();
    }
    machine.*member->member = constant.value;
    machine.constants[key] = std::move(constant);
  }
  return {};
}

/// The window of an entry of `matrix_cycles`, if it has one; returns what is wrong.
std::string readWindow(const Document &entry, const char *key, std::string &window) {
  if (!entry.contains(key)) return {};
  if (entry[key].is_string()) window = entry[key].get<std::string>();
  const bool fits = !window.empty() && window.size() <= 64 && window.find_first_not_of("0EIV") == window.npos;
  return fits ? ""
              : "`" + std::string(key) + "` must be a string of up to 64 letters `0`, `E`, `I` and `V`, one per cycle";
}

/// Whether the architecture's assembler knows a matrix instruction of this name.
bool isMatrixInstruction(const std::string &name, std::string_view architecture) {
  constexpr std::string_view kinds[] = {"v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_"};
  const bool isWord = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
  if (!isWord || std::none_of(std::begin(kinds), std::end(kinds), [&](auto kind) { return name.starts_with(kind); }))
    return false;
  auto encoder = isa::Encoder::create({architecture.data(), architecture.size()});
  if (!encoder) return llvm::consumeError(encoder.takeError()), false;
  auto code = (*encoder)->assemble(name); // without operands, of which it complains if there is such an instruction
  if (code) return true;
  const std::string why = llvm::toString(code.takeError());
  return why.find("invalid instruction") == why.npos && why.find("not supported on this GPU") == why.npos;
}

/// Fills in `machine`; returns what is wrong. `own`: the machine of the architecture's own file, null if this is it.
std::string readMatrix(const Document &list, const Machine *own, Machine &machine) {
  if (!list.is_array()) return "`matrix_cycles` must be a list";
  for (const Document &entry : list) {
    if (!entry.is_object() || !entry.contains("instruction") || !entry["instruction"].is_string())
      return "an entry of `matrix_cycles` must have `instruction`, a string, and `cycles`, a number";
    const auto instruction = entry["instruction"].get<std::string>();
    Machine::MatrixCycles cycles{};
    for (auto [key, value] : {std::pair("cycles", &cycles.cycles), std::pair("narrow_cycles", &cycles.narrow)}) {
      const Document given = entry.value(key, value == &cycles.narrow ? Document(cycles.cycles) : Document());
      *value = given.is_number() ? given.get<double>() : 0;
      if (!(*value > 0 && *value <= mostMatrixCycles))
        return "`" + std::string(key) + "` of " + inTicks(instruction) + " must be a number above 0 and up to " +
               textOf(mostMatrixCycles);
    }
    for (auto [key, window] : {std::pair("window", &cycles.window), std::pair("narrow_window", &cycles.narrowWindow)})
      if (std::string why = readWindow(entry, key, *window); !why.empty())
        return why + " (" + inTicks(instruction) + ")";
    if (cycles.narrowWindow.empty() && !entry.contains("narrow_cycles")) cycles.narrowWindow = cycles.window;
    const bool isKnown = !own || own->matrixCycles.count(instruction); // without the assembler, which takes a while
    if (!isKnown && !isMatrixInstruction(instruction, machine.architecture))
      return inTicks(instruction) + " in `matrix_cycles` is not a matrix instruction of " + machine.architecture;
    machine.matrixCycles[instruction] = cycles;
  }
  return {};
}

} // namespace

std::string_view name(Certainty certainty) { return certainties[static_cast<unsigned>(certainty)]; }

std::span<const MachineMember> machineMembers() { return members; }

std::string_view machineText(std::string_view architecture) {
  for (const BuiltIn &b : builtIn)
    if (b.name == architecture) return b.text;
  return {};
}

std::shared_ptr<const Machine> parseMachine(std::string_view text, std::string &error) {
  const Document json = Document::parse(text, nullptr, false);
  auto fail = [&](std::string why) {
    error = std::move(why);
    return nullptr;
  };
  if (!json.is_object()) return fail("not a JSON object");
  for (const auto &[key, value] : json.items())
    if (key != "schema_version" && key != "name" && key != "architecture" && key != "constants" &&
        key != "matrix_cycles" && key != "uncertainty_note")
      return fail("unknown key " + inTicks(key));
  if (json.value("schema_version", Document(1)) != 1) return fail("`schema_version` must be 1");
  if (!json.contains("architecture") || !json["architecture"].is_string())
    return fail("`architecture` is missing; give a name such as \"gfx950\"");
  auto machine = std::make_shared<Machine>();
  std::shared_ptr<const Machine> own;
  const std::string architecture = json["architecture"].get<std::string>();
  if (const std::string_view base = machineText(architecture); base.empty())
    return fail("there is no machine for architecture " + inTicks(architecture));
  else if (base.data() != text.data()) *machine = *(own = machineOf(architecture));
  machine->architecture = architecture;
  if (json.contains("name") && json["name"].is_string()) machine->name = json["name"].get<std::string>();
  if (json.contains("uncertainty_note") && json["uncertainty_note"].is_string())
    machine->uncertaintyNote = json["uncertainty_note"].get<std::string>();
  std::string why;
  if (json.contains("constants")) why = readConstants(json["constants"], *machine);
  if (why.empty() && json.contains("matrix_cycles")) why = readMatrix(json["matrix_cycles"], own.get(), *machine);
  if (why.empty())
    for (const MachineMember &m : members)
      if (!machine->constants.count(m.name)) why = "constant " + inTicks(m.name) + " is missing";
  if (!why.empty()) return fail(why);
  return machine;
}

std::shared_ptr<const Machine> machineOf(std::string_view architecture) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Machine>, std::less<>> machines;
  {
    std::lock_guard lock(mutex);
    if (auto found = machines.find(architecture); found != machines.end()) return found->second;
  }
  const std::string_view text = machineText(architecture);
  std::string error;
  std::shared_ptr<const Machine> machine = text.empty() ? nullptr : parseMachine(text, error);
  std::lock_guard lock(mutex);
  machines.emplace(std::string(architecture), machine);
  return machine;
}

} // namespace fly::emulator
