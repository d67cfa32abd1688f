// Exact instructions in LLVM IR (compiler/protocol/Opcode.h, Assembly.h), as LLVM's optimizer should see them.
#pragma once

namespace llvm {
class Module;
}

namespace fly::codegen {

/// Marks the statements without side effects as what they are: they touch no memory, and the lanes of a wave execute
/// them together. The same of those that stand for registers that nothing has written (compiler/protocol/Unwritten.h).
/// Where one accesses LDS, keeps what the kernel reads of it.
void markExactInstructions(llvm::Module &module);

} // namespace fly::codegen
