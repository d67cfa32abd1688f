// Memory through pointers: the type `Pointer[T, space]`, arithmetic, accesses with their options, atomics.
//
// A pointer counts in elements, as C's: `p + 1` is the next one, `p[i]` reads or writes one. T is a machine type, a
// struct or another pointer; its layout in memory follows C (`layoutOf`), so that a host program and a kernel see the
// same bytes. The address space is part of the type; the alignment is what is known here, at least that of the element.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

#include "compiler/dialect/FlyDialect.h"

namespace fly::sema {

/// The layout of a type in memory. A `vec[T, N]` is like T[N] in C, a bool is one byte.
struct MemoryLayout {
  uint64_t bytes = 0, alignment = 1;
  std::vector<uint64_t> offsets; ///< of a struct's fields
};
/// Refuses types that memory cannot hold: with Constexpr fields, or not of whole bytes.
MemoryLayout layoutOf(Elaborator &e, const Value &type, SourceRange range);
/// A Type, a struct or a PointerTypeValue; reports what is none.
Value requireMemoryType(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef what);

struct AccessOptions {
  bool isVolatile = false, isNontemporal = false, isInvariant = false;
  std::optional<ir::MemoryOrder> order;
  std::optional<ir::MemoryScope> scope;
  uint32_t alignment = 0; ///< promised by the author; 0: what is known
  SourceRange orderRange;
};
/// Takes the keywords that are options out of the arguments. `allowed`: names, as in "volatile nontemporal order".
AccessOptions takeOptions(Elaborator &e, llvm::StringRef method, Arguments &arguments, llvm::StringRef allowed);
ir::MemoryOrder orderOf(Elaborator &e, const Value &value, SourceRange range);
ir::MemoryScope scopeOf(Elaborator &e, const Value &value, SourceRange range);

// --- Types and values (Pointers.cpp) ---
Value pointerType(Elaborator &e, const ast::SubscriptExpr &expr);
/// `Pointer[T, space](x)`: from an integer, from None, or from another pointer.
Value makePointer(Elaborator &e, const PointerTypeValue &type, const Value &value, SourceRange range);
ir::AddressSpace spaceOf(const PointerValue &pointer);
uint32_t alignmentOf(const PointerValue &pointer);
PointerTypeValue typeOf(const PointerValue &pointer);
bool samePointee(const PointerValue &a, const PointerValue &b);
/// The same address, of which another alignment is known.
PointerValue withAlignment(Elaborator &e, PointerValue pointer, uint32_t alignment, SourceRange range);
/// An annotation's pointer type: exactly the element and space, at least the alignment.
Value coercePointer(Elaborator &e, const Value &value, const PointerTypeValue &type, SourceRange range,
                    const std::string &what); ///< `what` is the text of a message: "`p` of `f`"
mlir::Value addBytes(Elaborator &e, mlir::Value pointer, uint64_t bytes, SourceRange range);
/// `p + i`, `p - i`, `p - q`; none if no operand is a pointer.
std::optional<Value> pointerBinary(Elaborator &e, ast::BinaryOp op, const Value &lhs, const Value &rhs,
                                   SourceRange range);
std::optional<Value> pointerCompare(Elaborator &e, ast::CompareOp op, const Value &lhs, const Value &rhs,
                                    SourceRange range);
Value pointerAttribute(Elaborator &e, const PointerValue &pointer, llvm::StringRef name, SourceRange range,
                       SourceRange nameRange);

// --- Accesses (Access.cpp) ---
Value loadFrom(Elaborator &e, mlir::Value pointer, const Value &type, const AccessOptions &options, SourceRange range);
void storeTo(Elaborator &e, mlir::Value pointer, const Value &type, const Value &value, const AccessOptions &options,
             SourceRange range, SourceRange valueRange);
/// The pointer to `p[items]`.
PointerValue elementOf(Elaborator &e, const PointerValue &pointer, const Values &items, SourceRange range);
/// Reports an item of `pointer[items]` that cannot be an offset.
void checkOffset(Elaborator &e, const PointerValue &pointer, const Values &items, SourceRange range);
/// The place of a field of the struct that `place` points to.
PointerValue fieldOf(Elaborator &e, const PointerValue &place, const ast::AttributeExpr &field);
void storeThrough(Elaborator &e, const PointerValue &place, const Value &value, SourceRange range,
                  SourceRange valueRange);
Value pointerMethod(Elaborator &e, const PointerValue &pointer, llvm::StringRef name, Arguments &arguments,
                    SourceRange range);

// --- Atomics and waits (Atomics.cpp) ---
bool isAtomicMethod(llvm::StringRef name);
const std::vector<std::string> &atomicMethods();
/// What the operation `name` is on numbers of a type in a memory; reports one that does not exist there.
ir::AtomicKind atomicKindOf(Elaborator &e, llvm::StringRef name, Type type, ir::AddressSpace space, SourceRange range);
Value atomicMethod(Elaborator &e, const PointerValue &pointer, llvm::StringRef name, Arguments &arguments,
                   SourceRange range);
Value makeFence(Elaborator &e, const Value &order, const Value &scope, const Value &space,
                const std::vector<SourceRange> &ranges, SourceRange range);
/// Waits for this thread's accesses to LDS.
void waitForLds(Elaborator &e, SourceRange range);

} // namespace fly::sema
