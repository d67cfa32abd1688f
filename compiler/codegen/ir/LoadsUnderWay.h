// Loads are issued where the kernel issues them.
//
// Conditional loads: all are issued before the first is waited for.
//
// `t.load(pred=p, fill=0)` is a load in its own block and a phi. If the other value of the phi is a constant, LLVM's
// InstCombine moves operations on the result, such as a conversion, in front of the phi: into the block, after the
// load. There they wait for the load, the next load is issued only then, and a row of eight loads takes eight times the
// memory latency.
//
// Loads for the next trip of a loop: if every path into the loop's header ends with a load, InstCombine replaces them
// by one load in the header. There it is waited for at once, instead of being under way while the former trip computes.
// And LLVM rotates no loop whose header has more than a few instructions.
#pragma once

namespace llvm {
class Module;
}

namespace fly::codegen {

/// Before the optimizer. Hides from it that the other value of a conditional load's phi is a constant, or nothing, and
/// marks what a loop's last block loads for the next trip as used there.
void keepLoadsUnderWay(llvm::Module &module);

/// After the optimizer: removes these marks.
void removeLoadMarks(llvm::Module &module);

} // namespace fly::codegen
