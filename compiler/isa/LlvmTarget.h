// LLVM's AMDGPU target: its machine code layer, assembler and disassembler. LLVM's functions that register them would
// replace what others have registered since, so they are called here alone, and once.
#pragma once

namespace llvm {
class Target;
}

namespace fly::isa {

/// Null if this LLVM was built without it.
const llvm::Target *amdgpuTarget();

} // namespace fly::isa
