// All instructions an architecture has, from LLVM's table: what a claim of completeness is measured against.
//
//     auto list = fly::isa::listOpcodes("gfx1250");
//     for (const OpcodeEntry &e : list->entries) puts(std::string(name(e.op)).c_str());
//
// Not trivial because that table is one for all AMD GPUs (some 35,000 entries, of which a GPU has a few thousand), and
// which entry belongs to which GPU is private to LLVM. What is public is its encoder, which encodes any entry, and its
// decoder, which knows the GPU: an instruction exists if what was encoded decodes. See OpcodeList.cpp.
#pragma once

#include "compiler/isa/Encoder.h"
#include "compiler/isa/Instruction.h"

#include "llvm/Support/Error.h"

#include <set>
#include <string>
#include <vector>

namespace fly::isa {

/// One way of writing an instruction, with the operands that were found for it.
struct OpcodeExample {
  std::string text; ///< for the assembler: "global_load_dword v4, v[6:7], off"; of a VOPD pair one half
  unsigned waveSize = 0;
  Form form = Form::Unknown;
  bool second = false; ///< the half after the `::` of a VOPD pair
};

struct OpcodeEntry {
  Op op = Op::Invalid; ///< a half of a VOPD pair is the Op of that half, with Form::VOPD
  Class cls = Class::Unknown;
  Form baseForm = Form::Unknown; ///< of the first form met
  std::set<Form> forms;          ///< every way it can be encoded
  bool assembles = false;        ///< LLVM's assembler takes it for this architecture; else only the decoder does
  Instruction example;           ///< one encoding of it, decoded
  unsigned exampleWaveSize = 0;
  std::vector<OpcodeExample> examples; ///< of each encoding that the assembler takes: forms, addressing modes, results
};

struct OpcodeList {
  std::vector<OpcodeEntry> entries; ///< sorted by name
  /// LLVM opcodes that bear this generation's mark, are known to the assembler of the architecture, and for which no
  /// operands were found that the decoder takes: "NAME: why".
  std::vector<std::string> unbuilt;
};

/// Every Op that the architecture's decoder yields for an encoding of some opcode of LLVM's table, in either wave size,
/// except images (which LLVM has some thousand opcodes for). Takes some seconds.
llvm::Expected<OpcodeList> listOpcodes(llvm::StringRef architecture);

} // namespace fly::isa
