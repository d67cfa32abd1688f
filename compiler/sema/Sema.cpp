// The list of all builtins: a room that has more adds them here.
#include "compiler/sema/Sema.h"

#include "compiler/sema/amd/ModuleAmd.h"
#include "compiler/sema/atom/Families.h"
#include "compiler/sema/check/Families.h"
#include "compiler/sema/isa/Stream.h"
#include "compiler/sema/kernel/Families.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/sema/tensor/Families.h"

#include <array>

namespace fly::sema {

llvm::ArrayRef<BuiltinFamily> preludeFamilies() {
  static const auto families = std::to_array<BuiltinFamily>({{"Numbers", mathBuiltins()},
                                                             {"Functions on floats", floatBuiltins()},
                                                             {"Functions on integers", integerBuiltins()},
                                                             {"Kernels", deviceBuiltins()},
                                                             {"Waves", waveBuiltins()},
                                                             {"Sequences and compile time", sequenceBuiltins()},
                                                             {"Compile-time numbers", numberBuiltins()},
                                                             {"Layouts", layoutBuiltins()},
                                                             {"Layout algebra", algebraBuiltins()},
                                                             {"Tuples of integers", tupleBuiltins()},
                                                             {"Tensors and fragments", tensorBuiltins()},
                                                             {"Copies", copyBuiltins()},
                                                             {"Copies by offset", gatherBuiltins()},
                                                             {"Matrix products", mmaBuiltins()},
                                                             {"Matrix products of one thread", universalFmaBuiltins()},
                                                             {"Atomic copies", universalAtomicBuiltins()},
                                                             {"Launch functions", launchBuiltins()},
                                                             {"Checks", checkBuiltins()}});
  return families;
}

llvm::ArrayRef<BuiltinFamily> amdFamilies() {
  static const auto families = std::to_array<BuiltinFamily>({{"Buffers", bufferBuiltins()},
                                                             {"Accesses of buffers", bufferAccessBuiltins()},
                                                             {"Copies to LDS", ldsCopyBuiltins()},
                                                             {"The tensor mover", tensorMoveBuiltins()},
                                                             {"Atomic copies", atomicCopyBuiltins()},
                                                             {"Matrix instructions", mmaAtomBuiltins()},
                                                             {"Waits", waitBuiltins()}});
  return families;
}

BuiltinFamily schedulingFamily() { return {"Scheduling", schedulingBuiltins()}; }
BuiltinFamily isaFamily() { return {"ISA mode", isaBuiltins()}; }

const Environment &environment() {
  static const Environment all{BuiltinTable(preludeFamilies()), amdModuleOf};
  return all;
}

} // namespace fly::sema
