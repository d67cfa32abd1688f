// The stream of a kernel with `isa=True` while its body is elaborated: the program (compiler/assembly) and what of the
// source it comes from.
#pragma once

#include "compiler/assembly/Program.h"
#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

class IsaStream {
public:
  IsaStream(Elaborator &e, std::unique_ptr<isa::Assembler> assembler)
      : program(e.target, std::move(assembler)), serial(++streams), e(e) {}

  /// A number for a range of the source, in the calls around it.
  assembly::Place placeOf(SourceRange range);
  SourceRange rangeOf(assembly::Place place) const { return places[place].range; }
  /// Says a problem of the whole program, at its place.
  void report(const assembly::Problem &problem, llvm::StringRef kernel);

  assembly::Program program;
  const uint64_t serial;    ///< of registers and labels that belong to it
  uint32_t sharedBytes = 0; ///< of `isa.shared`, so far
  bool usesWorkitemX = false, usesPackedWorkitem = false;

private:
  struct From {
    SourceRange range;
    std::vector<SourceRange> calls;
  };
  Elaborator &e;
  std::vector<From> places;
  static inline std::atomic<uint64_t> streams{0};
};

/// The stream, or a diagnostic that `what` needs one.
IsaStream &isaStream(Elaborator &e, SourceRange range, llvm::StringRef what);
/// `x` of the statement `x = ...` that runs now; empty if it is another.
std::string assignedName(Elaborator &e);

/// A call of an instruction: `isa.NAME(...)`.
Value callInstruction(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range);
/// Functions of the module `isa` that are not instructions: `label`, `place`, `raw`, `dual`, ...
llvm::ArrayRef<Builtin> isaBuiltins();
/// The names of `fly.amd.reg`, and `abi` of `fly.amd`.
std::map<std::string, Value> registerNames();
Value abiValue();
/// A kernel's parameter: where it lies in the argument block is all that is known.
Value isaParameter(std::string name, std::string type, uint32_t offset);

} // namespace fly::sema
