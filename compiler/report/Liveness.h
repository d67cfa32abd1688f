// How many registers of each file hold a value that is still needed, before each instruction.
//
//     Liveness live(code);
//     live.before(i).vgprs;                  // registers, not granules
//
// A register is live at a point if on some path from there it is read before it is written, and on some path to there
// it was written (or is set up when a wave starts). The second half keeps reads of undefined registers, which compilers
// emit where the value does not matter, from being live since the entry.
//
// Which writes end a live range: all that write the whole register, even if only for some lanes (EXEC). LLVM's register
// allocator counts in the same linear way, so the figures are comparable with a kernel's register count. If lanes are
// written one group after another (`x = a` before an `if` without a jump, `x = b` under its mask), the former value
// still exists for the other lanes but is not counted in between; it needs no additional register, because both share
// one. Writes of half a register, of selected lanes (v_writelane), and through an index do not end a live range.
//
// Calls: a callee may read the registers that the calling convention passes arguments in (LLVM's AMDGPUUsage,
// "Non-Kernel Functions": v0-v31, s0-s31 and s32, the stack pointer); of these, the ones that the caller has written
// count as read. It may overwrite the caller-saved registers, v0-v39 and from there eight of every sixteen, and s0-s29.
// That does not end a live range, because LLVM keeps values there across calls of functions that it knows to preserve
// them. A function's return reads those of v0-v31 that it has written.
#pragma once

#include "compiler/report/Code.h"

#include "llvm/ADT/BitVector.h"

namespace fly::report {

/// The registers that are tracked, in one row of numbers: VGPRs, AGPRs, numbered SGPRs. VCC, M0, EXEC and the like are
/// not.
namespace unit {
constexpr unsigned vgprs = 1024, agprs = 256, sgprs = 128;
constexpr unsigned firstAgpr = vgprs, firstSgpr = vgprs + agprs, count = vgprs + agprs + sgprs;
} // namespace unit

/// What one instruction does to them.
struct RegisterEffects {
  llvm::SmallVector<unsigned, 16> reads;
  llvm::SmallVector<unsigned, 8> writes;  ///< all of a register
  llvm::SmallVector<unsigned, 4> partial; ///< a part of it, or perhaps
};
RegisterEffects effectsOf(const Code &code, uint32_t instruction);
/// The registers that are set when the code begins.
llvm::BitVector initialRegisters(const Code &code);

struct LiveCount {
  uint16_t vgprs = 0, agprs = 0, sgprs = 0;
};

class Liveness {
public:
  explicit Liveness(const Code &code);
  LiveCount before(uint32_t instruction) const { return counts[instruction]; }
  /// The largest count of each file and the first instruction that has it.
  struct Peak {
    LiveCount most;
    uint32_t vgprsAt = 0, agprsAt = 0, sgprsAt = 0;
  };
  Peak peak() const;
  /// The live registers themselves, for tests: recomputed from the end of the block.
  llvm::BitVector registersBefore(uint32_t instruction) const;

private:
  const Code &code;
  std::vector<llvm::BitVector> liveOut, definedIn; ///< by block
  std::vector<LiveCount> counts;
  std::vector<RegisterEffects> effects;
};

} // namespace fly::report
