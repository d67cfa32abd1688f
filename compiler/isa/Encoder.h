// Instructions and assembly text to machine code, by LLVM's encoder and assembler.
//
//     auto encoder = fly::isa::Encoder::create("gfx942");
//     auto code = (*encoder)->assemble("v_add_f32 v0, v1, v2\ns_endpgm\n");   // one encoding an instruction
//
// An Encoder is not thread-safe; create one per thread.
#pragma once

#include "compiler/isa/Instruction.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace llvm {
class MCInst;
}

namespace fly::isa {

using Encoding = std::vector<uint8_t>;

class Encoder {
public:
  /// As Decoder::create.
  static llvm::Expected<std::unique_ptr<Encoder>> create(llvm::StringRef architecture, unsigned waveSize = 0);
  ~Encoder();
  Encoder(const Encoder &) = delete;
  Encoder &operator=(const Encoder &) = delete;

  /// The bytes of an LLVM instruction. An error if it refers to symbols.
  llvm::Expected<Encoding> encode(const llvm::MCInst &inst);
  /// Decodes the kept bytes and encodes what came out: equal to them for every canonical encoding.
  llvm::Expected<Encoding> encode(const Instruction &inst);
  /// Assembles lines of text; no directives, labels or symbols. Errors carry the assembler's own texts.
  llvm::Expected<std::vector<Encoding>> assemble(llvm::StringRef text);

private:
  struct Impl;
  explicit Encoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace fly::isa
