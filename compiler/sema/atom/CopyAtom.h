// CopyAtom: one copy instruction, with what its threads move: `UniversalCopy(128, f16)`.
//
// A kind is a row: its name, the widths it has, and the function that emits one call. `copy` (BuiltinsCopy.cpp) walks over
// what there is to copy and calls the atom for each piece of `values()` elements.
#pragma once

#include "compiler/sema/memory/CachePolicy.h"
#include "compiler/sema/tensor/Views.h"

namespace fly::sema {

class CopyAtom;

/// One call of an atom: its piece of source and destination.
struct CopyCall {
  const CopyAtom &atom;
  const Value &source, &destination;     ///< views of `atom.values()` elements
  std::optional<MachineValue> predicate; ///< off: nothing is accessed
  const Value *fill;                     ///< what the destination gets then; null: it keeps its bits
  SourceRange range, sourceRange, destinationRange;
};

/// The threads that act together, and (thread, value) to the column-major place in the piece that they move.
struct CopyLayouts {
  int64_t threads;
  layout::Layout source, destination, reference;
};

struct CopyKind {
  const char *name;
  const char *doc;
  std::vector<int64_t> bits;              ///< widths of what a thread moves
  CopyLayouts (*layouts)(const CopyAtom &); ///< null: each thread for itself
  void (*emit)(Elaborator &, const CopyCall &);
  bool lanesTogether = false;             ///< a wave writes to one place, lane after lane
  bool isOperation = false;               ///< written `(operation, type)`
  bool hasPowersOfTwo = false;            ///< and 96 bits for elements of 6 alone
};

class CopyAtom final : public Object {
public:
  CopyAtom(const CopyKind *kind, int64_t bits, host::Number element, std::string option = "", int64_t choice = 0, CachePolicy cache = {})
      : kind(kind), bits(bits), element(element), option(std::move(option)), choice(choice), cache(std::move(cache)) {}

  std::string description() const override { return "the copy atom `" + text() + "`"; }
  std::string text() const override;
  bool equals(const Object &other) const override;
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range, SourceRange nameRange) const override;

  /// Elements that a thread moves.
  int64_t values() const { return bits / host::format(element).bits; }
  CopyLayouts layouts() const;

  const CopyKind *kind;
  int64_t bits;
  host::Number element;
  std::string option; ///< of an operation its name, as in the atom's text
  int64_t choice;     ///< what the kind makes of it
  CachePolicy cache;
};

/// An atom of the kind from `(bits, type)`; refuses widths that it does not have.
Value makeCopyAtom(Elaborator &e, const CopyKind &kind, const Value &bits, SourceRange bitsRange, const Value &type, SourceRange typeRange, CachePolicy cache = {});
/// The cache policy of the atom's accesses to a piece in a buffer, as bits.
uint32_t cacheBitsOf(Elaborator &e, const CopyAtom &atom, target::MemoryAccess access, SourceRange range);

/// An atom of plain accesses (BuiltinsCopy.cpp).
std::shared_ptr<const CopyAtom> universalCopy(int64_t bits, host::Number element);
/// The step to ((values of an access, accesses), rest...), and the coordinate there of the access at (access, rest...).
layout::Rearrangement intoAccesses(int64_t count);
layout::IntTuple accessAt(const layout::IntTuple &place);
/// The name of a stride that the kernel gets as a parameter, else its text.
std::string strideText(const TensorValue &piece, const layout::Leaf &leaf);

/// What a thread reads or writes at once in memory: `count` elements next to each other, aligned as a whole. Fails with what
/// is in the way.
void checkAccess(Elaborator &e, const TensorValue &piece, int64_t count, int64_t bits, SourceRange range);

/// That the atom can read a piece of memory at once, or write it: its element, `checkAccess`, the end of a buffer.
void checkPiece(Elaborator &e, const CopyAtom &atom, const TensorValue &piece, bool writes, SourceRange range);

/// The predicates of a copy's accesses from an argument of its call: one for all, or the elements of a fragment, one an access; one
/// without the accesses of mode 0, of which there are so many, holds for all of those. Empty if the argument was left out.
std::vector<Value> predicatesOf(Elaborator &e, BoundCall &call, size_t argument, int64_t accesses, int64_t inModeZero);

/// The elements of a piece as a vector, read in one access; writes them.
mlir::Value loadPiece(Elaborator &e, const CopyAtom &atom, const Value &piece, SourceRange range);
void storePiece(Elaborator &e, const CopyAtom &atom, const Value &piece, mlir::Value elements, SourceRange range);

} // namespace fly::sema
