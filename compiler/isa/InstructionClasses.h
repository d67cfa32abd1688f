// Classes of instructions by the names that authors write in `@expect` and that reports show: "valu", "vmem_read",
// "barriers". A class of ours is a set that one counts: `isa::Class` is the unit that runs an instruction, what a load
// and a store differ in is elsewhere in it, and gfx12's barrier is two instructions that are one barrier.
#pragma once

#include "compiler/isa/Instruction.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace fly::isa {

struct InstructionClass {
  const char *name;
  const char *what; ///< for the manual and messages
  bool (*holds)(const Instruction &);
};
/// All of them, in the order of the manual.
llvm::ArrayRef<InstructionClass> instructionClasses();
const InstructionClass *findInstructionClass(llvm::StringRef name);

/// An instruction's name in assembly without what its encoding adds: "v_add_f32" of `v_add_f32_e32 v0, v1, v2`.
llvm::StringRef mnemonic(llvm::StringRef assembly);
/// The same by the name that all targets share (gfx9's, of what gfx12 renamed): "global_load_dwordx4".
std::string commonMnemonic(const Instruction &instruction);

} // namespace fly::isa
