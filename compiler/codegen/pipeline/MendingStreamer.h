// Private: instructions put between those that LLVM's backend emits, at the last moment: after everything that could
// move, merge or count them.
#pragma once

#include "compiler/codegen/check/Mending.h"

namespace llvm {
class raw_pwrite_stream;
class TargetMachine;
namespace legacy {
class PassManager;
}
} // namespace llvm

namespace fly::codegen {

/// As TargetMachine::addPassesToEmitFile for an object file, with the insertions, which stay the caller's. False if the
/// target cannot emit one.
bool addPassesToEmit(llvm::legacy::PassManager &passes, llvm::TargetMachine &machine, llvm::raw_pwrite_stream &out,
                     const Insertions &insertions);

} // namespace fly::codegen
