// What an instruction does, in one line of our own, from its name in the assembler.
//
//   meaningOf("v_add_f32")           "d = a + b, f32"
//   meaningOf("v_pk_fma_f16")        "d = a * b + c, rounded once, two f16 at once"
//   meaningOf("ds_read_b64_tr_b16")  "d = 64 bits of LDS; 16 lanes exchange 16-bit elements, which transposes a tile"
//   meaningOf("s_and_saveexec_b64")  "d = EXEC, then EXEC = a & EXEC; SCC = EXEC != 0"
//
// The letters are the operands as `flyc targets ARCH --instructions` names them (InstructionList.h): d is the result,
// a, b and c are the sources, in the assembler's order; k is a constant that is part of the instruction. An instruction
// of the VALU does it for each active lane, one of the SALU once for the wave.
//
// Names are composed, and so are the meanings: a table of patterns for each family of operations (VectorMeanings.cpp,
// ConversionMeanings.cpp, MatrixMeanings.cpp, ScalarMeanings.cpp), and a grammar for memory, where nearly every
// combination of address space, operation, width and modifier exists (MemoryMeanings.cpp, LdsMeanings.cpp).
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace fly::isa {

/// Empty if no instruction of a target that flyc compiles for has this name. The name is without what an encoding adds:
/// "v_add_f32", not "v_add_f32_e32".
std::string meaningOf(llvm::StringRef name);

} // namespace fly::isa
