// Accumulators of matrix instructions in registers that hold (gfx942, gfx950).
//
// These architectures have 256 VGPRs and 256 AGPRs. Matrix instructions accumulate in either, everything else computes
// in VGPRs alone. LLVM's allocator splits accumulators that need more than half of the file, and then moves them about:
// 256 matrix instructions of a 256x256 tile take 446 moves. So a kernel whose accumulators do not fit into VGPRs keeps
// them in AGPRs that this pass chooses; LLVM allocates VGPRs, and does not know of AGPRs at all:
//
//   "fly-accumulator-registers"="n"       the kernel's accumulators, in registers of a wave: what a front end says
//   "amdgpu-agpr-alloc"="0"               they are in VGPRs, AGPRs take what does not fit: settleAccumulators, n <= 128
//   "amdgpu-agpr-alloc"="0,0"             LLVM uses no AGPR, all are reserved: settleAccumulators, n > 128
//   "fly-agprs"="n"                       at most n AGPRs, `@kernel(agprs=n)`: what a front end says. With "0,0" for 0,
//                                         accumulators are in VGPRs however many they are
//   "fly-place-accumulators"              this pass runs: settleAccumulators, n > 128
//   "fly-placed-accumulators"="0:4 4:4"   the chains' AGPRs (first:count): this pass, for checkAccumulators
//
// A placed accumulator is never moved or spilled within the loop that computes it. If that is impossible, the pass
// reports an error with the source location of the matrix instruction. docs/registers.md has the measurements.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace llvm {
class Function;
class Module;
class TargetMachine;
} // namespace llvm

namespace fly::target {
struct Target;
}

namespace fly::codegen {

struct BackendPass;

/// Accumulators of at most this many registers stay in VGPRs.
constexpr unsigned mostAccumulatorsInVgprs = 128;

/// The attribute of a function whose accumulators are placed.
constexpr llvm::StringRef placedAccumulators = "fly-placed-accumulators";

/// Decides, for each kernel that says how many accumulators it has, where they are.
void settleAccumulators(llvm::Module &module, const llvm::TargetMachine &machine, const target::Target &target);

/// Places the accumulators of kernels that ask for it.
BackendPass placeAccumulatorsPass();

/// The most AGPRs that the kernel may use; none if it does not say.
std::optional<unsigned> agprLimit(const llvm::Function &function);

} // namespace fly::codegen
