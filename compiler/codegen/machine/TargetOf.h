// Private: the row of the target that a function is compiled for.
#pragma once

#include "compiler/target/Target.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace fly::codegen {

inline const target::Target &targetOf(const llvm::MachineFunction &function) {
  return *target::find(std::string_view(function.getSubtarget().getCPU()));
}
inline const target::Generation &generationOf(const llvm::MachineFunction &function) {
  return targetOf(function).generation;
}

} // namespace fly::codegen
