// How many registers of each file hold a value that is still needed, before each instruction.
//
//     Liveness live(code);
//     live.before(i).vgprs;                  // registers, not granules
//
// A register is live at a point if on some path from there it is read before it is written, and on some path to there it was
// written (or is set up when a wave starts). The second half keeps reads of undefined registers, which compilers emit where
// the value does not matter, from being live since the entry.
//
// Which writes end a live range: all that write the whole register, also those of some lanes only (EXEC). This is the linear
// notion with which LLVM's register allocator counts, so the figures are comparable with the registers a kernel
// has. Where lanes are written in turns (`x = a` before an `if` without a jump, `x = b` under its mask), the former value is
// still there for the other lanes and is not counted between; it needs no register of its own, as both are in one.
// Writes of half a register, of some lanes by name (v_writelane), and through an index end nothing.
//
// Calls: a callee may read the registers that the calling convention passes arguments in (LLVM's AMDGPUUsage, "Non-Kernel
// Functions": v0-v31, s0-s31 and s32, the stack pointer), taken are those that the caller has written itself. It may overwrite
// those that the caller saves, v0-v39 and from there eight of every sixteen, s0-s29, which ends nothing: LLVM keeps values
// there over calls of functions that it knows to leave them alone. A function's return reads those of v0-v31 that it has written.
#pragma once

#include "compiler/report/Code.h"

#include "llvm/ADT/BitVector.h"

namespace fly::report {

/// The registers that are tracked, in one row of numbers: VGPRs, AGPRs, numbered SGPRs. VCC, M0, EXEC and the like are not.
namespace unit {
constexpr unsigned vgprs = 1024, agprs = 256, sgprs = 128;
constexpr unsigned firstAgpr = vgprs, firstSgpr = vgprs + agprs, count = vgprs + agprs + sgprs;
} // namespace unit

/// What one instruction does to them.
struct RegisterEffects {
  llvm::SmallVector<unsigned, 16> reads;
  llvm::SmallVector<unsigned, 8> writes;     ///< all of a register
  llvm::SmallVector<unsigned, 4> partial;    ///< a part of it, or perhaps
};
RegisterEffects effectsOf(const Code &code, uint32_t instruction);
/// The registers that are set when the code begins.
llvm::BitVector initialRegisters(const Code &code);

struct LiveCount { uint16_t vgprs = 0, agprs = 0, sgprs = 0; };

class Liveness {
public:
  explicit Liveness(const Code &code);
  LiveCount before(uint32_t instruction) const { return counts[instruction]; }
  /// The largest count of each file and the first instruction that has it.
  struct Peak { LiveCount most; uint32_t vgprsAt = 0, agprsAt = 0, sgprsAt = 0; };
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
