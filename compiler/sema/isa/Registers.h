// Registers as values of the language: `v(4)`, `s[0:2]`, `vcc`, slices of these, and the modifiers of an operand.
#pragma once

#include "compiler/isa/Assembly.h"
#include "compiler/sema/value/Object.h"

#include <optional>

namespace fly::sema {

struct Register {
  isa::RegisterFile file = isa::RegisterFile::VGPR;
  std::optional<uint32_t> variable; ///< of the stream `serial`; else a number of the file
  uint64_t serial = 0;
  std::string symbol;            ///< "vcc", "off": neither of both
  std::string name;              ///< for messages; may be empty
  unsigned first = 0, width = 1; ///< in the file, or in the variable
  isa::Half half = isa::Half::Whole;
  bool neg = false, abs = false, sext = false;
};

/// How many registers of a file a program may name. Beyond v255 an instruction needs a mode that LLVM sets, and that ISA
/// mode leaves to the author.
unsigned namedRegisters(const Elaborator &e, isa::RegisterFile file);

class RegisterObject final : public Object {
public:
  explicit RegisterObject(Register value) : value(std::move(value)) {}
  std::string description() const override;
  std::string text() const override;
  bool isRunTime() const override { return true; }
  bool equals(const Object &other) const override;
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;
  Value index(Elaborator &e, const Values &items, SourceRange range) const override;
  const Register value;
};

/// `v`, `s`, `a`: calling it takes registers that are not chosen yet, a subscript names fixed ones.
class RegisterFileObject final : public Object {
public:
  explicit RegisterFileObject(isa::RegisterFile file) : file(file) {}
  std::string description() const override;
  std::string text() const override;
  bool isCallable() const override { return true; }
  Value call(Elaborator &e, Arguments &arguments, SourceRange range) const override;
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;
  Value index(Elaborator &e, const Values &items, SourceRange range) const override;
  const isa::RegisterFile file;
};

/// `ttmp`: trap temporaries, which gfx12 gives inputs in.
class TrapRegistersObject final : public Object {
public:
  std::string description() const override { return "the trap registers `ttmp`"; }
  std::string text() const override { return "ttmp"; }
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;
  Value index(Elaborator &e, const Values &items, SourceRange range) const override;
};

class LabelObject final : public Object {
public:
  LabelObject(uint32_t label, uint64_t serial, std::string name)
      : label(label), serial(serial), name(std::move(name)) {}
  std::string description() const override { return "the label `" + name + "`"; }
  std::string text() const override { return name; }
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;
  const uint32_t label;
  const uint64_t serial;
  const std::string name;
};

class IsaParameterObject final : public Object {
public:
  IsaParameterObject(std::string name, std::string type, uint32_t offset)
      : name(std::move(name)), type(std::move(type)), offset(offset) {}
  std::string description() const override { return "the argument `" + name + "`"; }
  std::string text() const override { return name; }
  bool isRunTime() const override { return true; }
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;
  const std::string name, type;
  const uint32_t offset;
};

Value makeRegister(Register value);

} // namespace fly::sema
