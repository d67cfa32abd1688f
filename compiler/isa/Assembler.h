// Assembles one instruction after another, in process: some 10 microseconds each.
//
//     auto assembler = fly::isa::Assembler::create("gfx942");
//     auto code = (*assembler)->assemble({"v_add_f32", {vgpr(0), vgpr(1), vgpr(2)}});
//     if (!code) puts(code.error().message.c_str());
//
// Encoder::assemble builds a parser for each text, which takes a millisecond. Here one parser stays, and each
// instruction is a new buffer for its lexer. Labels are not known: a branch is assembled with a number, which its user
// replaces.
//
// An error is the assembler's own, with the part of the instruction that it is about; `explain` turns it into what an
// author can act on, by trying other operands. An Assembler is not thread-safe.
#pragma once

#include "compiler/isa/Assembly.h"
#include "compiler/isa/Decoder.h"
#include "compiler/isa/Encoder.h"

#include <optional>

namespace llvm {
class MCInst;
}

namespace fly::isa {

/// LLVM's features, each with a comma behind it, with which texts of the architecture are assembled: llvm-mc's -mattr.
std::string assemblerFeatures(const target::Target &row, unsigned waveSize);

struct AsmError {
  std::string message;         ///< the assembler's words
  std::optional<AsmPart> part; ///< what it points at
};

/// What is wrong, and what would be right.
struct AsmMistake {
  enum class Kind : uint8_t {
    UnknownName,  ///< no target has it; `suggestions` are near names of this one
    OtherTarget,  ///< others have it: `targets`
    OperandCount, ///< `wanted` is "3 operands"
    Operand,      ///< operand `number` is of a wrong kind; `wanted` is "v(2), s(2) or a constant"
    Modifier,     ///< modifier `number`
    Other,        ///< `message` says it
  } kind = Kind::Other;
  unsigned number = 0;
  bool inSecond = false;
  std::string message, wanted;
  std::vector<std::string> suggestions, targets;
};

template <class T> class AsmResult {
public:
  AsmResult(T value) : content(std::move(value)) {}
  AsmResult(AsmError error) : content(std::move(error)) {}
  explicit operator bool() const { return content.index() == 0; }
  T &operator*() { return std::get<0>(content); }
  T *operator->() { return &std::get<0>(content); }
  const AsmError &error() const { return std::get<1>(content); }

private:
  std::variant<T, AsmError> content;
};

class Assembler {
public:
  /// As Decoder::create.
  static llvm::Expected<std::unique_ptr<Assembler>> create(llvm::StringRef architecture, unsigned waveSize = 0);
  ~Assembler();
  Assembler(const Assembler &) = delete;
  Assembler &operator=(const Assembler &) = delete;

  const std::string &architecture() const;
  unsigned waveSize() const;

  AsmResult<Encoding> assemble(const AsmInstruction &instruction);
  /// The same for a text of one instruction; the error has no part.
  AsmResult<Encoding> assemble(llvm::StringRef text);
  /// LLVM's own form of the instruction of a text.
  AsmResult<llvm::MCInst> match(llvm::StringRef text);
  /// The assembler's spelling of a VGPR, AGPR or SGPR of such an instruction: "v[0:3]"; empty for all others.
  std::string spellingOf(unsigned reg) const;
  /// The bytes as an instruction with roles.
  llvm::Expected<Instruction> decode(const Encoding &code, uint64_t address = 0);
  std::string print(const Instruction &instruction);
  /// Whether a result of the instruction must not share registers with its sources.
  bool clobbersEarly(const Instruction &instruction) const;

  /// Whether the target's assembler has an instruction of this name.
  bool knows(llvm::StringRef name);
  /// Registers of a tuple of `width` begin at a multiple of this.
  unsigned alignmentOf(RegisterFile file, unsigned width);

  /// Says what is wrong with an instruction that `assemble` refused with `error`. Tries some hundred others: slow.
  AsmMistake explain(const AsmInstruction &instruction, const AsmError &error);

private:
  AsmResult<Encoding> checkOffset(const AsmInstruction &instruction, AsmResult<Encoding> code);
  struct Impl;
  explicit Assembler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace fly::isa
