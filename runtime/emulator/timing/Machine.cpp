#include "runtime/emulator/timing/Machine.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <mutex>

namespace fly::emulator {

namespace {

using Json = nlohmann::json;
using M = Machine;

constexpr MachineMember members[] = {
    {"xcds", "", "dies with compute units and an L2 cache", &M::xcds},
    {"compute_units", "", "of an XCD", &M::computeUnits},
    {"maximum_clock", "MHz", "of the data sheet", &M::maximumClock},
    {"sustained_clock", "MHz", "under matrix load at the power limit", &M::sustainedClock},
    {"uncertainty", "", "of cycles, relative; 0: not validated", &M::uncertainty},
    {"turn", "cycles", "from one issue of a SIMD to the next", &M::turn},
    {"vector_cycles", "cycles", "of a VALU instruction", &M::vectorCycles},
    {"vector_latency", "cycles", "until a VALU result can be read", &M::vectorLatency},
    {"packed_cycles", "cycles", "of a packed f32 instruction", &M::packedCycles},
    {"double_cycles", "cycles", "of an f64 instruction", &M::doubleCycles},
    {"double_latency", "cycles", "until an f64 result can be read", &M::doubleLatency},
    {"transcendental_cycles", "cycles", "of a transcendental instruction", &M::transcendentalCycles},
    {"transcendental_latency", "cycles", "until its result can be read", &M::transcendentalLatency},
    {"swap_cycles", "cycles", "of v_permlane16_swap and v_permlane32_swap", &M::swapCycles},
    {"scalar_latency", "cycles", "until a SALU result can be read", &M::scalarLatency},
    {"branch_cycles", "cycles", "from a taken branch to the next instruction", &M::branchCycles},
    {"wait_cycles", "cycles", "of a wait that is satisfied", &M::waitCycles},
    {"barrier_latency", "cycles", "from the last signal of a barrier until waves go on", &M::barrierLatency},
    {"matrix_head", "cycles",
     "after a matrix instruction of less than 32 cycles in which no VALU instruction starts; -1: as "
     "long as it runs",
     &M::matrixHead},
    {"matrix_head_long", "cycles", "the same of 32 cycles and more", &M::matrixHeadLong},
    {"matrix_latency", "cycles", "beyond a matrix instruction's own until others than an accumulation can read it",
     &M::matrixLatency},
    {"lds_ports", "", "ports to LDS of a compute unit, shared by its SIMDs", &M::ldsPorts},
    {"lds_port_bytes", "bytes/cycle", "of a port, each way", &M::ldsPortBytes},
    {"lds_queue", "", "requests that wait at a port", &M::ldsQueue},
    {"lds_latency", "cycles", "of a read, beyond the transfer", &M::ldsLatency},
    {"lds_phase_cycles", "cycles", "of the banks for a phase without conflicts", &M::ldsPhaseCycles},
    {"lds_turnaround", "cycles", "of the banks between a read and a write", &M::ldsTurnaround},
    {"lds_write_hold", "cycles", "of a wave per dword per lane that it writes, beyond the turn", &M::ldsWriteHold},
    {"lds_unaligned_factor", "", "times the cycles of an access of 16 bytes that is not aligned to 16",
     &M::ldsUnalignedFactor},
    {"memory_queue", "", "wave instructions that wait for the L1 cache", &M::memoryQueue},
    {"l1_bytes_per_cycle", "bytes/cycle", "between L1 and a compute unit", &M::l1BytesPerCycle},
    {"l1_bytes", "bytes", "of an L1 cache", &M::l1Bytes},
    {"l1_ways", "", "of the L1 cache", &M::l1Ways},
    {"l1_latency", "cycles", "from issue to use, hit in L1", &M::l1Latency},
    {"narrow_factor", "", "times the requests of loads of 8, 2 and 1 bytes per lane", &M::narrowFactor},
    {"in_flight_bytes", "bytes", "that an L1 cache waits for at most", &M::inFlightBytes},
    {"fill_bytes_per_cycle", "bytes/cycle", "from L2 to an L1 cache", &M::fillBytesPerCycle},
    {"write_bytes_per_cycle", "bytes/cycle", "from a compute unit to L2", &M::writeBytesPerCycle},
    {"l2_bytes", "bytes", "of an XCD", &M::l2Bytes},
    {"l2_ways", "", "of the L2 cache", &M::l2Ways},
    {"l2_channels", "", "of an XCD", &M::l2Channels},
    {"l2_read_bytes_per_cycle", "bytes/cycle", "of a channel, achievable", &M::l2ReadBytesPerCycle},
    {"l2_write_bytes_per_cycle", "bytes/cycle", "of a channel, achievable", &M::l2WriteBytesPerCycle},
    {"l2_latency", "cycles", "from issue to use, hit in L2", &M::l2Latency},
    {"memory_side_bytes", "bytes", "of the chip's memory-side cache; 0: it has none", &M::memorySideBytes},
    {"memory_side_bytes_per_cycle", "bytes/cycle", "of the chip", &M::memorySideBytesPerCycle},
    {"memory_side_latency", "cycles", "from issue to use, hit in the memory-side cache", &M::memorySideLatency},
    {"memory_bytes_per_cycle", "bytes/cycle", "of the chip's memory, achievable, at the maximum clock",
     &M::memoryBytesPerCycle},
    {"memory_peak_bytes_per_cycle", "bytes/cycle", "of the data sheet, at the maximum clock",
     &M::memoryPeakBytesPerCycle},
    {"memory_latency", "cycles", "from issue to use, from memory", &M::memoryLatency},
    {"scalar_cache_bytes", "bytes", "of a scalar cache", &M::scalarCacheBytes},
    {"scalar_memory_latency", "cycles", "of a scalar load that hits", &M::scalarMemoryLatency},
    {"instruction_cache_bytes", "bytes", "of an instruction cache", &M::instructionCacheBytes},
    {"fetch_latency", "cycles", "of code from L2", &M::fetchLatency},
    {"fetch_ahead", "", "lines of code that are requested beyond the current one", &M::fetchAhead},
    {"cache_sharers", "", "compute units that share a scalar and an instruction cache", &M::cacheSharers},
    {"workgroup_cycles", "cycles", "of an XCD's dispatcher for a workgroup", &M::workgroupCycles},
    {"wave_cycles", "cycles", "from a wave's dispatch to its first instruction", &M::waveCycles},
};

constexpr const char *certainties[] = {"documented", "measured", "vendor", "derived", "assumed", "fitted"};

struct BuiltIn {
  std::string_view name, text;
};
constexpr BuiltIn builtIn[] = {
#include "Machines.inc" // made of machines/*.json
};

std::string inTicks(std::string_view text) { return "`" + std::string(text.substr(0, 60)) + "`"; }

/// Fills in `machine`; returns what is wrong.
std::string readConstants(const Json &constants, Machine &machine) {
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
    const bool signedOne = key.starts_with("matrix_head");
    if (!std::isfinite(constant.value) || constant.value > 1e15 || constant.value < (signedOne ? -1 : 0))
      return "constant " + inTicks(key) + " is out of range";
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
      if (!entry["source"].is_string()) return "constant " + inTicks(key) + ": `source` must be a text";
      constant.source = entry["source"].get<std::string>();
    }
    machine.*member->member = constant.value;
    machine.constants[key] = std::move(constant);
  }
  return {};
}

std::string readMatrix(const Json &list, Machine &machine) {
  if (!list.is_array()) return "`matrix_cycles` must be a list";
  for (const Json &entry : list) {
    if (!entry.is_object() || !entry.contains("instruction") || !entry["instruction"].is_string() ||
        !entry.contains("cycles") || !entry["cycles"].is_number() || entry["cycles"].get<double>() <= 0)
      return "an entry of `matrix_cycles` must have `instruction`, a text, and `cycles`, a positive number";
    const double cycles = entry["cycles"].get<double>();
    const Json narrow = entry.value("narrow_cycles", Json(cycles));
    if (!narrow.is_number() || narrow.get<double>() <= 0) return "`narrow_cycles` must be a positive number";
    machine.matrixCycles[entry["instruction"].get<std::string>()] = {cycles, narrow.get<double>()};
  }
  return {};
}

/// What must hold for the replay to work; returns what is wrong.
std::string validate(const Machine &m) {
  struct Least {
    const char *name;
    double value, least;
  };
  for (const Least &l : {Least{"xcds", m.xcds, 1},
                         {"compute_units", m.computeUnits, 1},
                         {"turn", m.turn, 1},
                         {"lds_ports", m.ldsPorts, 1},
                         {"lds_queue", m.ldsQueue, 1},
                         {"memory_queue", m.memoryQueue, 1},
                         {"lds_port_bytes", m.ldsPortBytes, 1},
                         {"l1_bytes_per_cycle", m.l1BytesPerCycle, 1},
                         {"fill_bytes_per_cycle", m.fillBytesPerCycle, 1},
                         {"write_bytes_per_cycle", m.writeBytesPerCycle, 1},
                         {"l1_ways", m.l1Ways, 1},
                         {"l2_ways", m.l2Ways, 1},
                         {"l2_channels", m.l2Channels, 1},
                         {"l2_read_bytes_per_cycle", m.l2ReadBytesPerCycle, 1},
                         {"l2_write_bytes_per_cycle", m.l2WriteBytesPerCycle, 1},
                         {"memory_bytes_per_cycle", m.memoryBytesPerCycle, 1},
                         {"vector_cycles", m.vectorCycles, 1},
                         {"cache_sharers", m.cacheSharers, 1},
                         {"maximum_clock", m.maximumClock, 1},
                         {"sustained_clock", m.sustainedClock, 1},
                         {"in_flight_bytes", m.inFlightBytes, 128},
                         {"memory_side_bytes_per_cycle", m.memorySideBytesPerCycle, 1}})
    if (l.value < l.least)
      return "constant " + inTicks(l.name) + " must be at least " + std::to_string(static_cast<int>(l.least));
  for (auto [name, value] : {std::pair{"xcds", m.xcds},
                             {"compute_units", m.computeUnits},
                             {"lds_queue", m.ldsQueue},
                             {"memory_queue", m.memoryQueue},
                             {"turn", m.turn},
                             {"lds_ports", m.ldsPorts}})
    if (value > 1024) return "constant " + inTicks(name) + " must be at most 1024";
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
  const Json json = Json::parse(text, nullptr, false);
  auto fail = [&](std::string why) {
    error = std::move(why);
    return nullptr;
  };
  if (!json.is_object()) return fail("not a JSON object");
  for (const auto &[key, value] : json.items())
    if (key != "schema_version" && key != "name" && key != "architecture" && key != "constants" &&
        key != "matrix_cycles" && key != "uncertainty_note")
      return fail("unknown key " + inTicks(key));
  if (json.value("schema_version", Json(1)) != 1) return fail("`schema_version` must be 1");
  if (!json.contains("architecture") || !json["architecture"].is_string())
    return fail("`architecture` is missing: the name of one, as \"gfx950\"");
  auto machine = std::make_shared<Machine>();
  const std::string architecture = json["architecture"].get<std::string>();
  if (const std::string_view base = machineText(architecture); base.empty())
    return fail("there is no machine for architecture " + inTicks(architecture));
  else if (base.data() != text.data()) *machine = *machineOf(architecture);
  machine->architecture = architecture;
  if (json.contains("name") && json["name"].is_string()) machine->name = json["name"].get<std::string>();
  if (json.contains("uncertainty_note") && json["uncertainty_note"].is_string())
    machine->uncertaintyNote = json["uncertainty_note"].get<std::string>();
  std::string why;
  if (json.contains("constants")) why = readConstants(json["constants"], *machine);
  if (why.empty() && json.contains("matrix_cycles")) why = readMatrix(json["matrix_cycles"], *machine);
  if (why.empty())
    for (const MachineMember &m : members)
      if (!machine->constants.count(m.name)) why = "constant " + inTicks(m.name) + " is missing";
  if (why.empty()) why = validate(*machine);
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
