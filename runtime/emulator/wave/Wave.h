// The state of one wave, and the services that its handlers may use.
//
// Registers are laid out for loops over lanes: each vector register is an array of 64 lanes, contiguous, register
// after register, so that a handler is a loop over equal indices that the compiler vectorises; a 64-bit value is two
// registers, so its high half is 64 words further. A wave32 uses the first 32 lanes of each.
//
// All scalar state is in one array of 32-bit slots (SGPRs, VCC, EXEC, M0, SCC, TTMPs), so that any scalar source is one
// load. NULL reads a zone of zeros and writes a zone that is never read.
#pragma once

#include "compiler/isa/Hazards.h"
#include "compiler/isa/SgprHazards.h"
#include "compiler/isa/WaitStates.h"
#include "compiler/target/Target.h"
#include "runtime/emulator/device/LaunchConfig.h"
#include "runtime/emulator/device/Memory.h"
#include "runtime/emulator/wave/Observer.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fly::emulator {

inline constexpr unsigned laneStride = 64;

namespace slot {
// clang-format off
enum : uint16_t {
  sgpr = 0, vcc = 112, exec = 114, m0 = 116, scc = 117, flatScratch = 118, xnackMask = 120, ttmp = 122, tba = 138,
  tma = 140, zero = 144, sink = 176, count = 208
};
// clang-format on
}

using ScalarSet = std::bitset<slot::count>;

/// MODE, unpacked. Rounding: 0 nearest even, 1 up, 2 down, 3 towards zero.
struct Mode {
  uint32_t bits = 0;
  uint8_t round32 = 0, round16_64 = 0;
  bool flushIn32 = false, flushOut32 = false, flushIn16_64 = false, flushOut16_64 = false;
  bool ieee = false, dx10Clamp = true;
  bool clampsHalf = false;  ///< FP16_OVFL: overflow of finite values to f16, fp8, bf8 gives the largest number
  bool plain = true;        ///< nearest even everywhere and all denormals kept: the fast path
  int8_t approximation = 0; ///< rcp, exp, ...: -1 and 1 return the neighbour below and above (Approximations.h)
  bool fastMatrix = false;  ///< matrix instructions sum in f32, whatever is known of the machine
  bool ieeeModes = true, firstNan = false, alignedDots = false; ///< columns of the target's generation
  void set(uint32_t value);
  void useRulesOf(const target::Generation &generation) {
    ieeeModes = generation.ieeeModes;
    firstNan = generation.firstNan;
    alignedDots = generation.alignedDots;
  }
  void useRulesOf(const Mode &other) {
    ieeeModes = other.ieeeModes;
    firstNan = other.firstNan;
    alignedDots = other.alignedDots;
  }
};

struct Wave;
struct Inst;
struct Program;
struct Workgroup;
class PendingQueue;
struct PendingDelete {
  void operator()(PendingQueue *) const;
};
using Handler = void (*)(Wave &, const Inst &);

/// gfx9: register indexing is on, vector instructions are skipped.
enum CodeState : uint32_t { codeIndexed = 1u << 8, codeSkipping = 1u << 9 };

/// Why a wave is not running.
enum class Stop : uint8_t { None, Barrier, End, Fault, Quantum };

/// What went wrong, where; the launcher completes it to a LaunchResult.
struct Fault {
  FaultKind kind = FaultKind::None;
  std::string what; ///< first sentence
  int lane = -1;
  uint64_t address = 0;
  bool hasAddress = false;
  uint32_t earlier = 0; ///< index of the other instruction of a MissingWait, Race or Hazard, of the first reader of an
                        ///< UninitialisedRead; 0: there is none
};

struct Wave {
  alignas(64) uint32_t scalar[slot::count];
  alignas(64) uint32_t execLanes[laneStride]; ///< 0 or ~0 per lane, of `execLanesOf`
  alignas(64) uint32_t sourceBuffer[4][2 * laneStride];
  alignas(64) uint32_t resultBuffer[2 * laneStride];
  alignas(64) uint32_t carryBuffer[laneStride];
  uint64_t execLanesOf = 0;

  uint32_t *vector = nullptr; ///< registers times 64 lanes: VGPRs, then AGPRs, then one hidden pair
  uint8_t *scratch = nullptr; ///< lanes times scratchBytes
  uint32_t scratchBytes = 0;
  unsigned lanes = 64;
  uint64_t laneMask = ~0ull;
  uint64_t dppActive = ~0ull; ///< lanes that the DPP controls of the current instruction let write

  const Inst *code = nullptr; ///< of the current code state
  uint32_t pc = 0;            ///< index of the instruction after the current one
  Mode mode;
  Stop stop = Stop::None;
  int8_t waitsFor = 0;            ///< Stop::Barrier: the number in its s_barrier_wait; Barrier.h
  uint8_t joined = 0;             ///< the named barrier it has joined, 0: none
  uint64_t passed[3] = {0, 0, 0}; ///< completions of the barriers of each Barrier::Kind that it has waited for
  bool signalled[3] = {false, false, false}; ///< since it last waited; for reports
  uint32_t codeState = 0;                    ///< bits 7:0 s_set_vgpr_msb, and CodeState; see Program::code
  uint64_t executed = 0;
  uint32_t at = 0; ///< index of the current instruction
  /// Loads in a row that name a scope and are of one address: a wave that polls gives way to others, like one that
  /// sleeps. `gaveWay`: its turn ended so.
  struct Poll {
    uint64_t place = 0;
    unsigned count = 0;
    bool gaveWay = false;
  } poll;

  Program *program = nullptr;
  Workgroup *group = nullptr;
  Memory *memory = nullptr;
  const Allocation *lastAllocation = nullptr; ///< the one found last; see Memory::find
  WaveObservers observers;
  uint32_t index = 0; ///< within its workgroup
  Fault fault;

  // Memory operations under way; see Pending.h.
  std::unique_ptr<PendingQueue, PendingDelete> pending; ///< made with the first operation
  uint64_t pendingVector = 0, pendingScalar = 0;        ///< filters of the registers with pending values
  CheckMode checkWaits = CheckMode::Error;              ///< what the use of such a register is
  CheckMode checkDoubts = CheckMode::Error;             ///< of hazards that are in doubt
  CheckMode checkHazards = CheckMode::Error; ///< what an instruction that comes too early after another one is
  isa::HazardState hazards;                  ///< what it has executed that later instructions must keep a distance to
  isa::SgprState sgprs;                      ///< the same of gfx1201's SGPRs
  isa::WaitStateQueue waitStates;            ///< the same of gfx942 and gfx950, where the program counts wait states
  CheckMode checkBarriers = CheckMode::Off;  ///< what a barrier is that a wave of the workgroup ends without
  uint64_t unsetVector = 0, unsetScalar = 0; ///< filters of the registers that were never written; see InitCheck.h

  uint64_t scalar64(unsigned s) const {
    uint64_t v;
    std::memcpy(&v, scalar + s, 8);
    return v;
  }
  void setScalar64(unsigned s, uint64_t v) { std::memcpy(scalar + s, &v, 8); }
  uint64_t exec() const { return scalar64(slot::exec); }
  bool scc() const { return scalar[slot::scc] != 0; }
  void setScc(bool v) { scalar[slot::scc] = v; }
  /// A lane mask: 64 bits in wave64, else 32, so a wave32 leaves the next register alone.
  uint64_t mask(unsigned s) const { return lanes == 64 ? scalar64(s) : scalar[s]; }
  void setMask(unsigned s, uint64_t v) {
    if (lanes == 64) setScalar64(s, v);
    else scalar[s] = static_cast<uint32_t>(v);
  }
  uint32_t *reg(unsigned r) { return vector + static_cast<size_t>(r) * laneStride; }

  /// execLanes, made of EXEC when it has changed.
  const uint32_t *activeLanes(uint64_t active);

  /// Stops the wave with a fault. The first one stays.
  void fail(Fault fault);
  void fail(FaultKind kind, std::string what, int lane = -1);
  void failAt(FaultKind kind, std::string what, int lane, uint64_t address);
};

/// A wave that starts, for its observers.
struct WaveStart {
  uint64_t unit;                                           ///< its number among those of the launch that are executed
  uint32_t group, wave;                                    ///< workgroup within the unit, wave within the workgroup
  uint32_t workgroup;                                      ///< its number in the launch, over all units and devices
  const ScalarSet &scalars;                                ///< the scalar registers that are set
  std::span<uint8_t> lds, scratch;                         ///< of the unit's workgroups and waves
  bool isFirst() const { return group == 0 && wave == 0; } ///< of the unit
};

/// A barrier completes when as many have signalled as it has members; see Barrier.h.
struct Barrier {
  enum Kind : uint8_t { Named, WholeWorkgroup, WholeCluster };
  uint32_t members = 0, signals = 0;
  uint64_t completed = 0; ///< how often
  bool valid = false;     ///< named ones: initialised
};

/// Workgroups that run together (gfx1250); elsewhere each workgroup is one by itself.
struct Cluster {
  uint32_t dims[3] = {1, 1, 1}; ///< workgroups
  uint32_t id[3] = {0, 0, 0};   ///< of the cluster in the grid of clusters
  Barrier barrier;
  /// Multicast loads of tiles, by what they ask for (the descriptor without the place in LDS): how many each workgroup
  /// has issued.
  std::map<std::vector<uint32_t>, std::array<uint32_t, 16>> multicasts;
  uint32_t groups() const { return dims[0] * dims[1] * dims[2]; }
};

inline constexpr unsigned maxNamedBarriers = 16;

/// What the waves of one workgroup share.
struct Workgroup {
  uint8_t *lds = nullptr;
  uint32_t ldsBytes = 0;
  uint32_t id[3] = {0, 0, 0};
  uint64_t unit = 0; ///< WaveStart's
  uint32_t waves = 0, ended = 0;
  Barrier barrier;                     ///< its members: waves - ended
  uint32_t namedBarriers = 0;          ///< that the kernel's descriptor allocates
  Barrier named[maxNamedBarriers + 1]; ///< from 1
  Cluster *cluster = nullptr;
  uint32_t arrivals = 0;          ///< issued ones, at barriers in LDS
  uint32_t member[3] = {0, 0, 0}; ///< place within the cluster
};

} // namespace fly::emulator
