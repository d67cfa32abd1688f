// From a finished stream to a relocatable object: machine code, line table, kernel descriptor, metadata note.
#pragma once

#include "compiler/assembly/Program.h"

#include "llvm/Support/Error.h"

namespace fly::assembly {

/// A parameter as the metadata note has it.
struct Argument {
  std::string name;
  uint32_t offset = 0, size = 0; ///< bytes
  bool isPointer = false;
};

struct SourceLine {
  unsigned file = 0, line = 0, column = 0;
}; ///< `file`: of KernelHead::files

/// What is not in the stream.
struct KernelHead {
  std::string symbol;
  std::vector<Argument> arguments;
  uint32_t kernargBytes = 0;
  uint32_t ldsBytes = 0; ///< static
  uint32_t maxWorkgroupSize = 1024;
  std::optional<std::array<uint32_t, 3>> workgroup; ///< where `block=` is known
  bool flushDenormals = false;
  /// Fields of the kernel descriptor that follow from how the kernel was written, by the names of the assembler's
  /// directives: {"system_vgpr_workitem_id", 2}. Those of Program::descriptor replace them.
  std::map<std::string, int64_t> descriptor;
  std::vector<std::string> files;
  std::function<SourceLine(Place)> lineOf;
};

/// The object's bytes. An error is the assembler's, about a field of the descriptor.
llvm::Expected<std::string> kernelObject(Program &program, const KernelHead &head);

} // namespace fly::assembly
