// Dependences of gfx942 and gfx950 that the hardware does not wait for, counted in wait states: each instruction is
// one, `s_nop N` is N + 1. (What gfx12 leaves to software is counted in VALU instructions; Hazards.h has that.)
//
//     v_readfirstlane_b32 s4, v0                 writes s4
//     s_nop 4                                    5 states
//     global_load_dword v1, v2, s[4:5]           reads s4 as an address
//
// An instruction is a list of spans of registers. Each says what the instruction does to the span: as the first of two
// (`WaitStateFirst`) and as the second (`WaitStateSecond`). A rule is a first, a second and a distance; it holds where
// two spans share a register. What is not a register has a number of its own, so that `s_setreg` of MODE and `s_getreg`
// of MODE share MODE. The rules are a table (WaitStateRules.cpp), after AMD's "CDNA3" and "CDNA4 Instruction Set
// Architecture", 4.5 and 7.6, and LLVM 22's GCNHazardRecognizer. Where these differ, the table has the smaller number.
//
// A finding is in doubt where a reading of the sources that is as good has no hazard there. LLVM alone demands some rows,
// and the manual's row for the same first instruction names its second ones and not this one. And the time that passes
// is at least the number of instructions: a SIMD has one matrix unit, so a product of P passes keeps the next one
// waiting until P states after it. Where the distance is kept with these waits counted, LLVM, which does not count
// them, contradicts the machine's documented rate.
//
//     v_mfma_f32_32x32x8_f16 v[0:15], ...        8 passes; state 0
//     v_mfma_f32_32x32x8_f16 v[16:31], ...       is issued in state 8
//     v_mfma_f32_32x32x8_f16 v[32:47], ...       in state 16
//     v_add_f32_e32 v48, v0, v0                  in state 17: 2 instructions, 16 states are between; 11 are needed
#pragma once

#include "compiler/isa/Instruction.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace fly::isa {

// clang-format off
/// What the first of two instructions does to a span.
enum class WaitStateFirst : uint8_t {
  VectorByValu,    ///< a VALU instruction, not a matrix or dot product, writes VGPRs
  ScalarByValu,    ///< a VALU instruction writes SGPRs or VCC
  ExecByValu,      ///< v_cmpx
  M0BySalu,
  ModeBySetreg,    ///< a hardware register, whichever
  PartByValu,      ///< SDWA, or op_sel of the result: the value is moved within its register
  Transcendental,
  Dot,
  WideStoreData,   ///< more than two VGPRs that a store reads
  Xdl, Sgemm,      ///< results of matrix products: of f16, bf16, xf32, i8, f8f6f4, and of f32
  Dgemm16, Dgemm4, ///< of f64: 16x16x4, 4x4x4
  XdlReadsC,
};
// clang-format on
// clang-format off
/// What the second does.
enum class WaitStateSecond : uint8_t {
  ValuReads, ValuWrites,
  PlainValuReads,  ///< a VALU instruction that is not transcendental
  MemoryReads,     ///< VGPRs, by vector memory, LDS or an export
  MatrixReads,     ///< any VGPR of a matrix product
  MatrixReadsAB,   ///< A, B, the sparse index
  XdlReadsC, SgemmReadsC, Dgemm16ReadsC, Dgemm4ReadsC,
  DotReadsAB,
  DppReads, PermlaneReads, ReadlaneReads, ReadfirstlaneReads,
  Constant,        ///< a VALU instruction reads SGPRs, VCC or EXEC as a source, not as carry or mask
  LaneSelect, DivFmas, ZeroFlag, MemoryScalar, M0Reader,
  BufferToLds,     ///< of M0
  Setreg, Getreg,
  ExecOfDpp, ExecOfLane, ExecOfMatrix, ExecOfPermlane,
};
// clang-format on

/// How the two spans lie to each other, or which instructions they are of.
enum class WaitStateMatch : uint8_t { Overlap, Same, Partly, SameOp, OtherOp };

struct WaitStateRule {
  const char *name; ///< of the group: "matrix-result"
  uint8_t machines; ///< bits: 1 gfx942, 2 gfx950
  WaitStateFirst first;
  WaitStateSecond second;
  WaitStateMatch match;
  uint8_t passes; ///< of a matrix product; 0: any
  int8_t states;  ///< needed in between
  const char *source;
  const char *doubt = nullptr; ///< why what breaks it may be right; null: it is wrong
};
llvm::ArrayRef<WaitStateRule> waitStateRules();
/// Whether the table is about the target.
bool hasWaitStates(const target::Target &target);

struct WaitStateUse {
  struct Span {
    uint16_t begin, end;
    uint32_t first = 0, second = 0;
    Operand operand;
  };
  llvm::SmallVector<Span, 4> spans;
  Op op = Op::Invalid;
  uint32_t first = 0, second = 0; ///< of all spans together
  uint8_t passes = 0;             ///< of a matrix product
  uint8_t states = 1;             ///< it takes as many itself
  uint8_t reach = 0;              ///< how many states later an instruction may still come too early
};
WaitStateUse waitStateUse(const Instruction &instruction, const target::Target &target);

struct WaitStateFinding {
  const WaitStateRule *rule = nullptr;
  uint32_t first = 0; ///< the number of the first instruction
  uint8_t between = 0;
  Operand reg;                 ///< what both concern, of the second
  const char *doubt = nullptr; ///< why it may be right; null: it is wrong
  unsigned missing() const { return unsigned(rule->states) - between; }
};
/// "v2 is read 1 wait state after it was written, 2 are needed".
std::string toString(const WaitStateFinding &finding);

/// The instructions that later ones may come too early after, with the fewest states on any path.
class WaitStateQueue {
public:
  explicit WaitStateQueue(uint8_t machine = 0) : machine(machine) {}
  /// 1 for the rules of CDNA 3, 2 for those of CDNA 4, 0 for none.
  static uint8_t machineOf(const target::Target &target);
  /// Calls `report` for each rule that `use` breaks, of two instructions once: the one with the most states missing of
  /// those that are not in doubt, else of all.
  template <class F> void find(const WaitStateUse &use, llvm::ArrayRef<WaitStateUse> all, F &&report) const {
    for (const Recent &r : recent)
      if (auto found = check(all[r.number], use, r)) report(*found);
  }
  void advance(uint32_t number, const WaitStateUse &use, llvm::ArrayRef<WaitStateUse> all);
  /// With another path to the same place; whether that changes anything.
  bool join(const WaitStateQueue &other);
  void clear() { recent.clear(), busy = 0; }
  bool empty() const { return recent.empty(); }

private:
  /// `hidden`: units of its result that a matrix product has overwritten since, on every path. Who reads these reads
  /// that one's result.
  /// `elapsed`: states since it, with the waits for the matrix unit. `free`: the states after which the unit takes the
  /// next product, at least `elapsed`. Both are the fewest of all paths.
  struct Recent {
    uint32_t number;
    uint8_t between = 0, elapsed = 0, free = 0;
    uint16_t hiddenBegin = 0, hiddenEnd = 0;
  };
  void hide(const WaitStateUse &use, llvm::ArrayRef<WaitStateUse> all);
  std::optional<WaitStateFinding> check(const WaitStateUse &first, const WaitStateUse &second, const Recent &r) const;
  llvm::SmallVector<Recent, 8> recent; ///< by number
  uint8_t busy = 0;                    ///< states until the matrix unit takes a product, the fewest of all paths
  bool isReached = false;              ///< a path has been joined
  uint8_t machine;
};

/// Passes of four cycles that a matrix product of gfx942 and gfx950 takes; 0: it is none, or not known.
unsigned matrixPasses(const Instruction &instruction, const target::Target &target);

} // namespace fly::isa
