// Which measurements tell which constant. A rule says how the machine of the model gives a measurement its value,
// solved for the constant; docs/calibrate.md has them in words. Constants that others need come first.
#include "compiler/calibrate/Calibration.h"

#include "compiler/target/LdsBanks.h"

#include <algorithm>
#include <cmath>

namespace fly::driver::calibration {

namespace {

using emulator::Machine;

/// Repetitions that differ by more than this share of the difference say nothing.
constexpr double tolerableNoise = 0.05;
/// A rate this close to another limit is the limit's.
constexpr double apart = 0.97;
/// From the built-in value; beyond it the measurement is more likely wrong than the machine.
constexpr double plausible = 10;
/// As in embedded/compute.fly.
constexpr unsigned headVectors[] = {16, 24}, headDots = 4;
constexpr double pieceBytes = 65536;

class Rules {
public:
  Rules(const Results &results, const Machine &machine) : results(results), m(machine), turn(machine.turn) {}

  std::vector<Finding> all() {
    vectors();
    products();
    control();
    lds();
    latencies();
    rates();
    return std::move(findings);
  }

private:
  const Results &results;
  const Machine &m;
  const double turn;
  std::vector<Finding> findings;
  std::string problem; ///< of the measurements that were asked for since the last finding
  std::string told;

  void tell(const std::string &name) { told += (told.empty() ? "" : ", ") + name; }
  /// Cycles of a trip.
  double trip(const std::string &name) {
    tell(name);
    return cyclesOf(name);
  }
  double cyclesOf(const std::string &name) {
    const auto found = results.measurements.find(name);
    if (found == results.measurements.end()) {
      problem = "`" + name + "` was not measured";
      return NAN;
    }
    const Measurement &e = found->second;
    const double difference = e.manySeconds - e.fewSeconds;
    const double noise = e.fewSeconds * e.fewSpread + e.manySeconds * e.manySpread;
    if (!(difference > 0))
      problem = "`" + name + "`: more trips take no longer";
    else if (noise > tolerableNoise * difference)
      problem = "`" + name + "`: the repetitions differ too much";
    return difference * e.megahertz * 1e6 / static_cast<double>(e.many - e.few);
  }
  /// Cycles of one instruction, from two numbers of them in a trip.
  double each(const std::string &name, unsigned first, unsigned second) {
    tell(name);
    return (cyclesOf(name + "_" + std::to_string(second)) - cyclesOf(name + "_" + std::to_string(first))) /
           (second - first);
  }
  double each(const std::string &name) { return each(name, 32, 64); }
  double eachLds(const std::string &name) { return each(name, 8, 16); }

  void refuse(const std::string &why) {
    if (problem.empty())
      problem = why;
  }
  /// The constant has this value by what was measured since the last one; returns what the others go on with.
  double find(const char *constant, double Machine::*member, double value, bool mayBeZero = false) {
    return add({constant, false, m.*member, value, told, problem}, mayBeZero);
  }
  double add(Finding f, bool mayBeZero) {
    const auto members = emulator::machineMembers();
    const auto member = std::find_if(members.begin(), members.end(), [&](auto &m) { return m.name == f.constant; });
    const bool isConstant = member != members.end(); // else an instruction's cycles
    f.value = isConstant && member->whole ? std::round(f.value) : std::round(f.value * 1000) / 1000;
    const double ratio = f.builtIn > 0 ? f.value / f.builtIn : 1;
    if (f.problem.empty() && !(std::isfinite(f.value) && (mayBeZero ? f.value > -1 : f.value > 0)))
      f.problem = "implausible: no such machine";
    if (mayBeZero && f.value < 0.5)
      f.value = std::max(0.0, std::round(f.value));
    if (f.problem.empty() && f.builtIn > 0 && f.value > 0 && (ratio > plausible || ratio < 1 / plausible))
      f.problem = "implausible: more than " + std::to_string(static_cast<int>(plausible)) + " times away";
    if (f.problem.empty() && isConstant && !(f.value >= member->least && f.value <= member->most))
      f.problem = "implausible: no such machine";
    const double result = f.problem.empty() ? f.value : f.builtIn;
    findings.push_back(std::move(f));
    problem.clear(), told.clear();
    return result;
  }

  double vectorCycles = 0, scalarLatency = 0, wait = 0;

  void vectors() {
    double value = each("fma_1");
    if (!results.exactClock)
      refuse("the clock comes from it");
    find("vector_latency", &Machine::vectorLatency, value);
    value = each("fma_8");
    vectorCycles = find("vector_cycles", &Machine::vectorCycles, value);
    value = each("packed_8");
    find("packed_cycles", &Machine::packedCycles, value);
    value = each("double_8");
    const double doubleCycles = find("double_cycles", &Machine::doubleCycles, value);
    value = each("double_1");
    hidden(value, doubleCycles, m.doubleLatency);
    find("double_latency", &Machine::doubleLatency, value);
    value = each("exp_8");
    const double transcendentalCycles = find("transcendental_cycles", &Machine::transcendentalCycles, value);
    value = each("exp_1");
    hidden(value, transcendentalCycles, m.transcendentalLatency);
    find("transcendental_latency", &Machine::transcendentalLatency, value);
  }

  /// A latency that is not above the cycles of the unit does not show.
  void hidden(double value, double cycles, double builtIn) {
    if (value * apart <= cycles && builtIn < cycles)
      refuse("not above the cycles of the unit");
  }

  void products() {
    for (const std::string &name : productsOf(m.architecture)) {
      const double value = each("products_" + name);
      const auto known = m.matrixCycles.find(name);
      add({name, true, known == m.matrixCycles.end() ? 0 : known->second.cycles, value, told, problem}, false);
    }
    heads();
  }

  /// The product, and as many vector instructions behind it as last longer than it does. Products differ in the bytes of
  /// a lane's operands: 8, and 16 if there is such a one.
  void heads() {
    const auto names = headProductsOf(m.architecture);
    double value = each("head_" + names[0], 8, 16) - headVectors[0] * vectorCycles;
    if (m.matrixHead < 0)
      refuse("the model's is -1: as long as the product runs");
    const double head = find("matrix_head", &Machine::matrixHead, value);
    value = each("dot_" + names[0], 8, 16) - each("products_" + names[0]) - headDots * vectorCycles;
    const double gap = find("packed_gap", &Machine::packedGap, value, true);
    if (names.size() < 2)
      return;
    value = each("head_" + names[1], 8, 16) - headVectors[1] * vectorCycles - head;
    find("matrix_head_source", &Machine::matrixHeadSource, value, true);
    value = each("dot_" + names[1], 8, 16) - each("products_" + names[1]) - headDots * vectorCycles - gap;
    find("packed_gap_wide", &Machine::packedGapWide, value, true);
  }

  void control() {
    double value = each("scalar");
    scalarLatency = find("scalar_latency", &Machine::scalarLatency, value);
    // wait, xor, add: the add waits for the xor, the wait is a turn later, the next xor behind it.
    value = each("wait") - scalarLatency - turn;
    wait = find("wait_cycles", &Machine::waitCycles, value);
    // The loop: a wait more, an add, a comparison of its result, the branch, which needs the comparison.
    const double one = each("wait");
    value = trip("wait_32") - 32 * one - wait - 2 * scalarLatency;
    find("branch_cycles", &Machine::branchCycles, value);
    // The SIMDs have their turns one after another, so the last wave comes that much later than the first.
    value = each("barrier") - turn - (turn - 1);
    find("barrier_latency", &Machine::barrierLatency, value, true);
    const double cycles = trip("nothing") * m.xcds;
    find("workgroup_cycles", &Machine::workgroupCycles, cycles);
  }

  void lds() {
    // Cycles of the banks without anything that the machine says: lanes are so many bytes apart.
    auto banks = [&](unsigned bytes, unsigned stride) {
      return conflictCycles(bytes, [&](unsigned lane) { return lane * stride; });
    };
    // Four waves, conflicts of 8 and of 4 ways: only the banks make the difference.
    double value = (eachLds("lds_read_8") - eachLds("lds_read_4")) / (4 * (banks(8, 64) - banks(8, 32)));
    const double phase = find("lds_phase_cycles", &Machine::ldsPhaseCycles, value);
    const double wide = banks(16, 16) * phase, alone = each("lds_wide_1", 16, 32);
    if (alone < wide / apart && 1024 / m.ldsPortBytes < alone * apart)
      refuse("the banks are the limit");
    const double port = find("lds_port_bytes", &Machine::ldsPortBytes, 1024 / alone);
    const double four = each("lds_wide_4", 16, 32);
    if (four < 4 * wide / apart)
      refuse("the banks are the limit");
    find("lds_ports", &Machine::ldsPorts, 4 * 1024 / port / four);
    value = eachLds("lds_unaligned") / wide;
    find("lds_unaligned_factor", &Machine::ldsUnalignedFactor, value);
    // A read behind each write: its own cycles are known, and the banks turn around twice.
    value = (each("lds_mixed", 3, 7) - each("lds_write", 3, 7) - banks(8, 64) * phase) / 2;
    find("lds_turnaround", &Machine::ldsTurnaround, value, true);
    // Writes that find a place take the wave a turn, and as long as it is held.
    value = (trip("lds_write_burst_6") - trip("lds_write_burst_2")) / 4;
    find("lds_write_hold", &Machine::ldsWriteHold, (value - turn) / 4, true);
    // The first read is served at once, `lds_queue` more find a place, each further one waits for one.
    const double slow = eachLds("lds_slow"), late = trip("lds_burst_14") - trip("lds_burst_2");
    find("lds_queue", &Machine::ldsQueue, 13 - std::round(late / slow));
    // Four reads whose ends are a cycle apart: on average the turn hides half of what it can.
    double sum = 0, phases = 0;
    for (unsigned ways = 5; ways <= 8; ++ways) {
      sum += eachLds("lds_chase_" + std::to_string(ways));
      phases += conflictCycles(4, [&](unsigned lane) { return 4 * (lane < ways ? 64 * lane : lane); });
    }
    find("lds_latency", &Machine::ldsLatency, sum / 4 - wait - turn - (turn - 1) / 2 - phases / 4 * phase);
  }

  double conflictCycles(unsigned bytes, llvm::function_ref<uint64_t(unsigned)> addressOf) const {
    uint64_t addresses[64];
    for (unsigned lane = 0; lane < 64; ++lane)
      addresses[lane] = addressOf(lane);
    return target::ldsCost(target::ldsRule(m.architecture, 64, bytes, false), ~0ull, addresses, bytes, false).cycles;
  }

  double memoryLatency = 0;

  void latencies() {
    auto latency = [&](const char *probe) { return trip(probe) / 8 - wait - turn; };
    double value = latency("chase_l1");
    find("l1_latency", &Machine::l1Latency, value);
    value = latency("chase_l2");
    find("l2_latency", &Machine::l2Latency, value);
    if (m.memorySideBytes > 0) {
      value = latency("chase_memory_side");
      find("memory_side_latency", &Machine::memorySideLatency, value);
    }
    value = latency("chase_memory");
    memoryLatency = find("memory_latency", &Machine::memoryLatency, value);
    value = trip("scalar_chase") / 8 - wait - std::max(turn, scalarLatency);
    find("scalar_memory_latency", &Machine::scalarMemoryLatency, value);
  }

  void rates() {
    const double all = m.xcds * m.computeUnits;
    // 16 waves, and in a trip 8 loads of each, or 24.
    auto load = [&](const std::string &name) { return each(name, 8, 24) / 16; };
    double value = 1024 / load("loads_128_1");
    const double l1 = find("l1_bytes_per_cycle", &Machine::l1BytesPerCycle, value);
    value = load("loads_64_1") / (512 / l1);
    find("narrow_factor", &Machine::narrowFactor, value);
    // As lds_queue. What the sum of the loaded values takes is the same with few loads and with many.
    const double few = trip("burst_2"), sum = (trip("burst_6") - few) / 4 - turn;
    const double slow = 64 * 64 / l1, late = trip("burst_24") - few - 22 * sum;
    find("memory_queue", &Machine::memoryQueue, 23 - std::round(late / slow));
    const double filled = 1024 * 128 / each("fill", 4, 16);
    if (filled > apart * 2 * l1)
      refuse("not above " + std::to_string(int(2 * l1)) + " bytes per cycle, which the L1 cache allows");
    const double fill = find("fill_bytes_per_cycle", &Machine::fillBytesPerCycle, filled);
    // Each load of 1024 bytes waits until the last of its lines has room, which the way from L2 spreads.
    const double flight = 1024 / load("in_flight");
    if (flight > apart * std::min(fill, l1))
      refuse("the way from L2 is the limit");
    find("in_flight_bytes", &Machine::inFlightBytes, flight * (memoryLatency + (1024 - 128) / fill));
    value = pieceBytes / trip("write_one");
    if (value > apart * l1)
      refuse("at least what the L1 cache takes");
    find("write_bytes_per_cycle", &Machine::writeBytesPerCycle, value);
    value = m.computeUnits * pieceBytes / trip("l2_read");
    if (value > apart * m.computeUnits * fill)
      refuse("the ways from L2 are the limit");
    find("l2_read_bytes_per_cycle", &Machine::l2ReadBytesPerCycle, value / m.l2Channels);
    value = m.computeUnits * pieceBytes / trip("l2_write");
    find("l2_write_bytes_per_cycle", &Machine::l2WriteBytesPerCycle, value / m.l2Channels);
    double side = 0;
    if (m.memorySideBytes > 0) {
      side = all * pieceBytes / trip("memory_side_read");
      side = find("memory_side_bytes_per_cycle", &Machine::memorySideBytesPerCycle, side);
    }
    // Of the data sheet's clock: memory has its own, and the engine's does not change its rate.
    value = all * pieceBytes / trip("memory_read");
    if (const auto found = results.measurements.find("memory_read"); found != results.measurements.end())
      value *= found->second.megahertz / m.maximumClock;
    if (side > 0 && value > apart * side)
      refuse("the memory-side cache is the limit");
    find("memory_bytes_per_cycle", &Machine::memoryBytesPerCycle, value);
  }
};

} // namespace

std::vector<Finding> derive(const Results &results, const Machine &machine) { return Rules(results, machine).all(); }

} // namespace fly::driver::calibration
