// Dependences that the hardware does not wait for: software keeps the two instructions apart.
//
//     v_wmma_f32_16x16x32_f16 v[16:23], ...      D
//     v_nop                                      4 of these, or other VALU instructions, are needed
//     v_add_f32_e32 v0, v16, v16                 reads D
//
// Which ones there are is a table (Hazards.cpp): a class of producers, a class of consumers, and how many instructions
// the machine wants in between. Where its sources differ, the table has the smaller number, so that what breaks it is
// wrong by all of them (docs/machine-rules.md). The emulator follows one path, the reports all of them, with the same
// HazardState:
//
//     HazardUse use = hazardUse(instruction, target);         // once an instruction
//     if (auto found = state.find(use)) ...                   // before it
//     state.advance(number, use);                             // after it
//
// Registers are those of the whole file: gfx1250's s_set_vgpr_msb has been applied (VgprMsb in Decoder.h).
#pragma once

#include "compiler/isa/Instruction.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/ArrayRef.h"

namespace fly::isa {

// clang-format off
/// Why a second instruction must keep its distance: what it is, in a hazard.
enum class HazardProducer : uint8_t {
  None, WmmaHalf, WmmaShort, WmmaLong, WmmaInteger, SparseFloat, SparseInteger, WmmaRdna4, Transcendental, CompareExec,
  SetMode,
};
// clang-format on
enum class HazardConsumer : uint8_t {
  MatrixOperand, ///< a WMMA that reads the result as A, B or index
  Vector,        ///< another VALU instruction that reads or overwrites the result, or overwrites a source
  LanePermute,   ///< v_permlane*
  SetVgprMsb,
};

struct HazardRule {
  bool cdna5; ///< of gfx1250; else of RDNA 4
  HazardProducer producer;
  HazardConsumer consumer;
  uint8_t between;
  bool countsAll; ///< instructions of any kind count, not only those of the VALU
  const char *source;
};
llvm::ArrayRef<HazardRule> hazardRules();
/// As verify/Rules.h calls it: "wmma".
const char *nameOf(const HazardRule &rule);
/// Whether there is a rule for the target.
bool hasHazards(const target::Target &target);

struct HazardRegisters {
  RegisterFile file;
  uint16_t first;
  uint8_t count;
};

/// What of an instruction matters to hazards.
struct HazardUse {
  HazardProducer producer = HazardProducer::None;
  bool pair = false; ///< VOPD
  bool vector = false, matrix = false, transcendental = false, lanePermute = false, setVgprMsb = false;
  llvm::SmallVector<HazardRegisters, 2> reads, writes;
  llvm::SmallVector<HazardRegisters, 3> matrixOperands; ///< A, B, index: among `reads`, too
  /// A rule that the instruction breaks by itself; null if there is none.
  const char *broken = nullptr, *brokenSource = nullptr;
  /// Whether a later instruction may depend on it too early, or it is wrong by itself.
  bool begins() const { return broken || producer != HazardProducer::None; }
};
HazardUse hazardUse(const Instruction &instruction, const target::Target &target);

/// LLVM 22 counts the results of a VOPD pair as nobody's: it has no `vdst`. So it does not keep a pair away from a
/// transcendental instruction or a WMMA whose result or sources the pair overwrites.
enum class HazardBound : uint8_t {
  Manual, ///< what the manual demands
  Both,   ///< what LLVM 22 keeps, too
};

struct HazardFinding {
  enum Effect : uint8_t { Reads, Overwrites, OverwritesSource, Follows } effect;
  const HazardRule *rule;
  uint32_t producer;         ///< its number
  uint8_t between;           ///< that are in between
  HazardRegisters registers; ///< that both concern; none with Follows
  uint8_t missing() const { return rule->between - between; }
};
/// "v[16:23]"
std::string toString(const HazardRegisters &registers);
/// "reads v[16:23] with 3 VALU instructions in between, 4 are needed: 1 v_nop is missing (CDNA5 ISA 7.12.1)".
std::string toString(const HazardFinding &finding);

/// The producers whose consumers may still come too early.
class HazardState {
public:
  explicit HazardState(bool cdna5 = true, HazardBound bound = HazardBound::Both) : cdna5(cdna5), bound(bound) {}
  /// What has the most instructions missing.
  std::optional<HazardFinding> find(const HazardUse &use) const;
  void advance(uint32_t number, const HazardUse &use);
  /// With what has been executed on another path to the same place; whether that changes anything.
  bool join(const HazardState &other);
  void clear() { recent.clear(); }
  bool empty() const { return recent.empty(); }

private:
  /// `use` is the caller's and stays.
  struct Recent {
    uint32_t number;
    const HazardUse *use;
    uint8_t vectors, all;
  };
  llvm::SmallVector<Recent, 4> recent; ///< by number
  bool cdna5;
  HazardBound bound;
};

} // namespace fly::isa
