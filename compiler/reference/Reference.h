// The reference: executes kernels in Fly IR, without any of what makes machine code of them.
//
//     reference::Memory memory;                       // copies of the launch's buffers, at their addresses
//     memory.add(address, "x", bytes);
//     auto outcome = reference::run(kernel, launch, memory);
//
// What it rests on is independent of the compiler and of the emulator: LLVM's APInt and APFloat, and layouts as MLIR's
// types have them. docs/reference.md says what is in its scope, and what of a result is compared.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/reference/Memory.h"
#include "compiler/target/Target.h"

#include <array>

namespace fly::reference {

struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint64_t dynamicLds = 0;                   ///< bytes
  std::string arguments;                     ///< as the kernel's ABI lays them out
  double seconds = 10;                       ///< it is given up after that
  std::vector<std::array<uint32_t, 3>> only; ///< workgroups that run; empty: all
};

struct Outcome {
  enum Kind {
    Complete, ///< memory is what the kernel leaves
    Beyond,   ///< the kernel does what the reference does not
    Mistake,  ///< it does what no compiler may make of a program: a result that IR calls poison
    Fault,    ///< an access outside of memory, a trap
    Limit,    ///< it takes too long
  };
  Kind kind = Complete;
  std::string text;  ///< why; empty if complete
  std::string place; ///< "file:line:column: fly.load"
};

Outcome run(ir::KernelOp kernel, const target::Target &target, const Launch &launch, Memory &memory);

} // namespace fly::reference
