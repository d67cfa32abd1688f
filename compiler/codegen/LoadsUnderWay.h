// Loads behind a condition are all under way before the first is waited for.
//
// `t.load(pred=p, fill=0)` is a load in a block of its own and a phi. LLVM's InstCombine moves what is done with the value, a
// conversion for example, in front of such a phi where the other value is a constant: into the block, behind the load. There it
// waits for the load, the next one is issued only then, and a row of eight loads takes eight times memory's latency.
#pragma once

namespace llvm {
class Module;
}

namespace fly::codegen {

/// Hides from the optimizer that the other value of such phis is a constant, or nothing.
void keepLoadsUnderWay(llvm::Module &module);

} // namespace fly::codegen
