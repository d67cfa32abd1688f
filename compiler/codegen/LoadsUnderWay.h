// Issues all conditional loads before waiting for the first.
//
// `t.load(pred=p, fill=0)` is a load in its own block and a phi. If the other value of the phi is a constant, LLVM's
// InstCombine moves operations on the result, such as a conversion, in front of the phi: into the block, after the
// load. There they wait for the load, the next load is issued only then, and a row of eight loads takes eight times the
// memory latency.
#pragma once

namespace llvm {
class Module;
}

namespace fly::codegen {

/// Hides from the optimizer that the other value of such phis is a constant, or nothing.
void keepLoadsUnderWay(llvm::Module &module);

} // namespace fly::codegen
