// CopyAtom: one copy instruction in the language, with what its threads move: `UniversalCopy(128, f16)`.
//
// Its kind is a row of compiler/atom/Copy.cpp. `emitCopy` checks a copy, access by access, and emits one `fly.copy` for
// all of it; fly-expand-copies decides what an access becomes.
#pragma once

#include "compiler/atom/Copy.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/memory/CachePolicy.h"
#include "compiler/sema/tensor/Views.h"

namespace fly::sema {

class CopyAtom final : public Object {
public:
  CopyAtom(atom::CopyKind kind, int64_t bits, host::Number element, std::string option = "", int64_t choice = 0,
           CachePolicy cache = {})
      : kind(kind), bits(bits), element(element), option(std::move(option)), choice(choice), cache(std::move(cache)) {}

  std::string description() const override { return "the copy atom `" + text() + "`"; }
  std::string text() const override;
  bool equals(const Object &other) const override;
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;

  const atom::CopyRow &row() const { return atom::row(kind); }
  /// Elements that a thread moves.
  int64_t values() const { return bits / host::format(element).bits; }
  atom::CopyLayouts layouts() const { return atom::copyLayouts(kind, bits, host::format(element).bits, choice); }

  atom::CopyKind kind;
  int64_t bits;
  host::Number element;
  std::string option; ///< of an operation its name, as in the atom's text
  int64_t choice;     ///< for a transposing atom, the lanes of a wave; for an operation, its number (AtomicCopies.cpp)
  CachePolicy cache;
};

/// A copy between two views whose modes agree in size.
struct CopyCall {
  const CopyAtom &atom;
  Value source, destination;
  std::vector<mlir::Value> predicates; ///< none, one per access, or one per equal run of them
  const Value *fill = nullptr;         ///< what the destination gets where a predicate is off; null: it keeps its bits
  SourceRange range, sourceRange, destinationRange;
  bool isWidest = false; ///< the atom was left to the compiler
};
/// Checks the accesses and emits the copy. Throws Failed.
void emitCopy(Elaborator &e, const CopyCall &call);

/// An atom of the kind from `(bits, type)`; refuses widths that it does not have.
Value makeCopyAtom(Elaborator &e, atom::CopyKind kind, const Value &bits, SourceRange bitsRange, const Value &type,
                   SourceRange typeRange, CachePolicy cache = {});

/// An atom of plain accesses (BuiltinsCopy.cpp).
std::shared_ptr<const CopyAtom> universalCopy(int64_t bits, host::Number element);
/// The name of a stride that the kernel gets as a parameter, else its text.
std::string strideText(const TensorValue &piece, const layout::Leaf &leaf);

/// What a thread reads or writes in one access: `count` adjacent elements, aligned as a whole. Fails with the reason if
/// that is not possible. `type` is the type of the piece, which is `view` or a part of it.
void checkAccess(Elaborator &e, const TensorValue &view, ir::TensorType type, int64_t count, int64_t bits,
                 SourceRange range);

/// The predicates of a copy from an argument of its call.
struct Predicates {
  std::optional<bool> known;       ///< one for all, known now
  std::vector<mlir::Value> values; ///< as CopyCall has them
};
/// A bool for all accesses, or the elements of a fragment: one per access, or one per run of accesses of mode 0, of
/// which there are `inModeZero`. `known` is true if the argument was left out.
Predicates predicatesOf(Elaborator &e, BoundCall &call, size_t argument, int64_t accesses, int64_t inModeZero);

} // namespace fly::sema
