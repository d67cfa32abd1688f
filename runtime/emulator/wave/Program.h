// A kernel's code, decoded once into what the executor runs: an array of Inst, each with its handler and operands
// already looked up, so that executing an instruction is one indirect call.
//
// Three things are not trivial.
// 1. Code is decoded function by function when first reached, since a kernel may call functions that lie elsewhere
//    in the text; an address that was never an instruction becomes a fault when something jumps there.
// 2. What cannot be executed (unknown instruction, register beyond the descriptor's count) becomes an Inst that
//    faults when it is reached, with the reason; code that is never reached does no harm.
// 3. gfx1250's s_set_vgpr_msb changes which registers the same encodings mean. Instead of adding an offset at each
//    operand, there is one variant of the array for each state that occurs, made when the state is first entered.
//    gfx9's s_set_gpr_idx, where M0 is added to some operands, is such a state too; its variant wraps each handler. In
//    that of its VSKIP vector instructions do nothing.
#pragma once

#include "compiler/isa/CodeObject.h"
#include "compiler/isa/Decoder.h"
#include "runtime/emulator/device/Architecture.h"
#include "runtime/emulator/wave/Wave.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fly::emulator {

/// A source operand, ready to fetch.
struct Source {
  enum Kind : uint8_t { None, Vector, Scalar, Constant, MaskZero /* vccz, execz */ };
  // clang-format off
  enum Change : uint8_t {
    Negate = 1, Absolute = 2, HighHalf = 4,   ///< of the whole operand; HighHalf: its 16 bits are 31:16
    Selected = 8,                             ///< SDWA
  };
  // clang-format on
  Kind kind = None;
  uint8_t change = 0; ///< Change bits; nonzero takes the slow path
  uint8_t select = 6; ///< SDWA selection as in isa::Operand::sdwaSel
  bool sext = false;
  uint16_t index = 0; ///< vector register or scalar slot
  uint8_t width = 1;
  uint8_t bits = 32; ///< of the type the instruction reads
  // Packed instructions: which half feeds the low and the high result, and negations there.
  bool lowFromHigh = false, highFromHigh = false, negateLow = false, negateHigh = false;
  uint32_t low = 0, high = 0;      ///< Constant
  const uint32_t *lanes = nullptr; ///< Constant: low, then high, each once per lane
};

/// How a 16-bit result is written to its 32-bit register.
enum class Half16 : uint8_t { ZeroHigh, KeepHigh, WriteHigh };

struct DppTable;
struct MatrixPlan;

/// In which order an operation counts down in its counters; see Pending.h. ScratchStore: in order among themselves in
/// gfx12's storecnt. AsyncStore: in order among themselves in asynccnt, not with its loads.
enum class MemoryOrder : uint8_t { None, InOrder, ScratchStore, AsyncStore };

/// Registers that an instruction names, for the check of registers with pending values.
struct RegisterRange {
  uint16_t first; ///< vector register or scalar slot
  uint8_t count;
  bool scalar, written; ///< written: the former value does not matter, or merges on arrival
};
/// Registers hashed to the bits of a filter.
inline uint64_t vectorFilter(unsigned first, unsigned count) {
  return count >= 64 ? ~0ull : std::rotl((1ull << count) - 1, static_cast<int>(first & 63));
}
inline uint64_t scalarFilter(unsigned first, unsigned count) {
  if (first >= slot::vcc) return 1ull << (56 + ((first - slot::vcc) >> 1 & 7)); // VCC, EXEC, M0, ... apart from SGPRs
  uint64_t bits = 0;
  for (unsigned k = 0; k < count; ++k) bits |= 1ull << (first + k) % 56;
  return bits;
}

struct Inst {
  Handler run = nullptr;
  uint64_t vectorUse = 0, scalarUse = 0; ///< filters of the registers in `ranges`
  /// Vector memory: 0 address, 1 data, 2 second data. 3: VCC of v_div_fmas; matrix: index or scale of A, 4: scale of B.
  Source source[5];
  uint16_t dst = 0;            ///< vector register, or scalar slot if dstScalar
  uint16_t sdst = slot::sink;  ///< scalar slot of the second result
  uint16_t saddr = slot::zero; ///< scalar slot of the base address or resource
  uint16_t old = 0;
  uint32_t number = 0; ///< of the isa::Instruction in Program::instructions
  uint32_t target = 0; ///< branch: index of the Inst jumped to
  int32_t offset = 0;
  uint32_t immediate = 0; ///< Simm; DS: offset1; hwreg; ...
  Half16 half = Half16::ZeroHigh;
  uint8_t dstWidth = 0;
  uint8_t omod = 0;
  bool hasDst = false, dstScalar = false, hasSaddr = false, clamp = false, slowSource = false, slowResult = false;
  bool dpp = false, sdwa = false, hasVaddr = false;
  bool lanesApart = false; ///< no lane reads or writes registers of another one
  uint8_t sdwaDst = 6, sdwaUnused = 0;
  uint8_t flags = 0; ///< of the family: MUBUF offen 1, idxen 2, ...
  uint8_t rangeCount = 0;
  MemoryOrder order = MemoryOrder::None;
  uint16_t counters = 0;                  ///< that are incremented when it is issued
  bool keepsDistance = false;             ///< mayFollow looks at it if it begins something, or something has begun
  bool beginsHazard = false;              ///< later instructions may have to keep a distance
  const isa::HazardUse *hazard = nullptr; ///< of gfx12
  const isa::SgprUse *sgprs = nullptr;    ///< of gfx1201, where it matters
  const RegisterRange *ranges = nullptr;
  const DppTable *dppTable = nullptr;
  const void *detail = nullptr; ///< of the family, owned by the Program
};

/// DPP: from which lane each lane reads, -1 where there is none, and which lanes the masks let write.
struct DppTable {
  int8_t from[laneStride];
  uint64_t enabled;
  bool zeroInvalid, fetchInactive;
};

/// An instruction that is wrong on purpose; launch/Mutation.h.
struct Breakage {
  enum How : uint8_t {
    Wrong,      ///< computes the complement of its result; left out if it has none
    Lost,       ///< does nothing; a wait is one wait too late
    Transposed, ///< a matrix product with rows and columns exchanged, in C and D
    Hangs,      ///< never ends
    Aborts,     ///< ends the process, as HIP does after a fault of the GPU
  };
  isa::Op op = isa::Op::Invalid; ///< Invalid: none
  How how = Wrong;
  std::optional<Reach> reach = {}; ///< of cache controls: only those of this scope
  explicit operator bool() const { return op != isa::Op::Invalid; }
};

/// One instruction's meaning: its row in the table of its family.
struct Row {
  std::string_view name;
  Handler run;
  enum Shape : uint8_t { Lanes, Other } shape = Lanes;
  Handler clamped = nullptr; ///< integer instructions that saturate with `clamp`
  /// What the handler needs beyond operands and modifiers (Resolve.cpp).
  enum Extra : uint8_t {
    Selectors = 1,       ///< Inst::flags as `cvt` says (TinyConvert.h): conversions of formats below 16 bits
    DestinationByte = 2, ///< with Selectors: byte_sel is of the destination
    Fp8 = 4,             ///< with Selectors: FP8 is one of the formats
    TruthTable = 8,      ///< Inst::flags is the table of v_bitop3
    LaneSelectors = 16,  ///< Inst::flags: 1 op_sel of Src0, 2 of Src1
    ReadsVcc = 32,       ///< Source 3 is VCC
    ConstantSecond = 64, ///< D = Src0 * K + Src1, handled as Src0 * Src1 + Src2
    ClearsHigh = 128,    ///< gfx9: a 16-bit result of three operands clears the high half all the same
  };
  uint8_t extra = 0; ///< of these bits

  constexpr Row with(unsigned bits) const {
    Row row = *this;
    row.extra = static_cast<uint8_t>(row.extra | bits);
    return row;
  }
};

/// What the kernel's descriptor allocates. Where VGPRs and AGPRs are one file (gfx942, gfx950), register aN is the
/// file's register firstAgpr + N, and vN its register N, above firstAgpr too: there, one register has two names.
struct RegisterLimits {
  unsigned vgprs = 0, agprs = 0, sgprs = 0; ///< how many of each may be named
  unsigned firstAgpr = 0;                   ///< the descriptor's accum_offset; as many as there are without AGPRs
  unsigned vectorRegisters() const { return std::max(vgprs, firstAgpr + agprs); }
};

/// What a 16-bit load leaves in the other half of its register.
enum class OtherHalf : uint8_t { Kept, Zero, Poison };

struct Program;

/// What rooms below do for a program.
struct Interpreter {
  /// Makes the Inst of an instruction, for a Wave::codeState; decode/Resolve.cpp.
  void (*resolve)(Program &program, const isa::Instruction &instruction, uint32_t number, uint32_t state, Inst &inst);
  /// Executes instructions of a wave until it stops, at most `quantum`; launch/Executor.cpp.
  void (*run)(Wave &wave, uint64_t quantum);
};

struct Program {
  Program(const isa::CodeObject &object, const ArchitectureRow &arch, std::string kernel, RegisterLimits limits,
          unsigned waveSize, uint64_t loadBias, const Interpreter &interpreter);
  /// A separate Program for another thread: what `other` has decoded is not decoded again.
  explicit Program(const Program &other);

  /// Index of the instruction at `address` (decoding its function if need be); the fault entry if there is none.
  uint32_t indexOf(uint64_t address);
  uint64_t addressOf(uint32_t index) const { return instructions[index].address + loadBias; }
  /// The array for a Wave::codeState; valid until the next indexOf that decodes.
  const Inst *code(uint32_t state);
  std::string text(uint32_t index);
  void breakOp(const Breakage &breakage); ///< Mutation.h

  const isa::CodeObject &object;
  const ArchitectureRow &arch;
  std::string kernel;
  RegisterLimits limits;
  unsigned waveSize;
  Interpreter interpreter;
  uint64_t loadBias;   ///< device address minus file address
  OtherHalf otherHalf; ///< of D16 loads
  /// A register after a D16 load into its low or high half.
  uint32_t withHalf(uint32_t old, uint32_t loaded, bool high) const {
    const uint32_t other = otherHalf == OtherHalf::Kept ? old : otherHalf == OtherHalf::Zero ? 0 : poisonWord;
    return high ? (other & 0xffffu) | loaded << 16 : (other & 0xffff0000u) | (loaded & 0xffffu);
  }
  std::vector<isa::Instruction> instructions;
  Breakage broken; ///< Mutation.h
  unsigned hiddenRegister() const { return limits.vectorRegisters(); }
  unsigned registerCount() const { return hiddenRegister() + 4; }

  /// Storage for what Insts point to.
  std::deque<DppTable> dppTables;
  std::deque<std::vector<Inst>> components;
  std::deque<std::string> reasons;
  std::deque<std::vector<RegisterRange>> ranges;
  std::deque<isa::Waits> waits;
  std::deque<uint64_t> words;
  std::deque<isa::HazardUse> hazards;
  std::deque<isa::SgprUse> sgprUses;
  std::vector<isa::WaitStateUse> waitStates; ///< by instruction; empty: there is no need to count, see watchDistances
  std::vector<std::shared_ptr<const MatrixPlan>> matrixPlans; ///< each different one once
  /// The lanes of a constant operand, for Source::lanes.
  const uint32_t *broadcast(uint32_t low, uint32_t high);

  /// gfx942, gfx950: if on some path of the instructions from `first` on, one may come too early after another, waves
  /// count the wait states.
  void watchDistances(uint32_t first);

private:
  void decodeFunction(uint64_t address);
  void resolveFrom(std::vector<Inst> &array, uint32_t first, uint32_t state);
  std::unique_ptr<isa::Decoder> decoder;
  std::map<uint32_t, std::vector<Inst>> variants;
  std::unordered_map<uint64_t, uint32_t> indices; ///< file address to index
  struct Broadcast {
    alignas(64) uint32_t words[2 * laneStride];
  };
  std::unordered_map<uint64_t, std::unique_ptr<Broadcast>> broadcasts; ///< by value
};

/// Runs until the wave stops or `quantum` instructions have been executed.
inline void runWave(Wave &wave, uint64_t quantum) { wave.program->interpreter.run(wave, quantum); }

/// "v5", "a3", "s7", "VCC": a vector register or scalar slot.
std::string registerText(const Program &program, bool scalar, unsigned reg);

/// Upper words of the flat addresses that mean LDS and scratch; the runtime's allocations are never there.
inline constexpr uint32_t sharedAperture = 0x00010000, privateAperture = 0x00020000;
/// gfx1250: scratch has separate flat addresses, base + offset + (lane << 52), which differ from all others above bit
/// 57.
inline constexpr uint32_t globalScratchBase = 1u << 26;
/// Whether a flat address means scratch: of the lane, on gfx1250 of any lane.
inline bool isFlatScratch(const Program &program, uint64_t address) {
  const auto upper = static_cast<uint32_t>(address >> 32);
  return program.arch.globalScratch ? (upper ^ globalScratchBase) < 1u << 26 : upper == privateAperture;
}

/// Whether the instruction may be executed, as far as registers with pending values are concerned; otherwise the wave
/// has faulted; Pending.cpp.
bool mayUse(Wave &wave, const Inst &inst);

/// Whether the instruction keeps its distance to those before it; otherwise the wave has faulted; Hazards.cpp.
bool mayFollow(Wave &wave, const Inst &inst);

} // namespace fly::emulator
