// MmaAtom: one matrix instruction in the language, with the types it multiplies: `MFMA(16, 16, 16, f16)`.
//
// It is a row of compiler/atom/MmaRows.cpp. An atom is found by shape and types among the rows of the target, or by the
// instruction's name.
#pragma once

#include "compiler/atom/Mma.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/value/Object.h"

namespace fly::sema {

enum class MmaOperand { A, B, C };

class MmaAtom final : public Object {
public:
  MmaAtom(const atom::MmaRow &row, host::Number a, host::Number b) : row(row), a(a), b(b) {}

  std::string description() const override { return "the MMA atom `" + text() + "`"; }
  std::string text() const override;
  bool equals(const Object &other) const override;
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;

  atom::MmaLayouts layouts() const { return atom::mmaLayouts(row, host::format(a).name, host::format(b).name); }
  layout::Layout layoutOf(MmaOperand operand) const;
  /// The element type of an operand; that of C is also D's, unless the instruction's differ.
  host::Number typeOf(MmaOperand operand) const;
  host::Number typeOfD() const;
  int64_t valuesOf(MmaOperand operand) const;
  ir::MmaAtomAttr attr(mlir::MLIRContext &context) const;

  const atom::MmaRow &row;
  host::Number a, b;
};

/// The atom that an argument is, or whose tiled MMA it is (TiledMma.h).
std::shared_ptr<const MmaAtom> mmaAtomOf(const Value &value);
/// What `MFMA` and `WMMA` find on a target, as the author writes it: "MFMA(16, 16, 16, f16)".
std::vector<std::string> mmaCalls(const target::Target &target);

} // namespace fly::sema
