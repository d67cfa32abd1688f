// Fragment: registers of a thread seen through a layout.
//
// The registers are mutable slots, each a vector of a few elements (`chunk`), which fly-promote-slots makes values. A
// fragment's layout maps to elements of that storage and is known at compile time, because registers have no addresses.
// Views of one fragment share its registers. Elements that were never written hold unspecified bits, the same at every
// read.
#pragma once

#include "compiler/dialect/Registers.h"
#include "compiler/sema/tensor/Views.h"

namespace fly::sema {

/// On the kernel operation while it is elaborated: a fragment may be scratch memory.
inline constexpr llvm::StringLiteral allowScratchAttr = "fly.allow_scratch";

struct FragmentStorage {
  host::Number element; ///< for a recast fragment, not the type that its slots were made with
  int64_t chunk;        ///< elements of a slot; of the last one maybe fewer
  int64_t size;         ///< elements in all; of packed ones (PackedElements.h) as many as fill bytes
  std::vector<mlir::Value> slots;
};

class Fragment final : public Object {
public:
  Fragment(std::shared_ptr<const FragmentStorage> storage, layout::AnyLayout layout, int64_t start)
      : storage(std::move(storage)), layout(std::move(layout)), start(start) {}

  std::string description() const override;
  std::string text() const override;
  bool isCompileTime() const override { return false; }
  Value attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                  SourceRange nameRange) const override;
  Value method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const override;
  Value index(Elaborator &e, const Values &items, SourceRange range) const override;
  void assign(Elaborator &e, const Values &items, const Value &value, SourceRange range,
              SourceRange valueRange) const override;

  /// All elements in the layout's order, as a vector of `type()`; writes them.
  mlir::Value load(Elaborator &e, SourceRange range) const;
  void store(Elaborator &e, mlir::Value elements, SourceRange range) const;
  void fill(Elaborator &e, const MachineValue &scalar, SourceRange range) const;
  Type type() const;
  /// The fragment as an operand of `fly.copy`.
  mlir::Value asOperand(Elaborator &e, SourceRange range) const;
  /// Whether each group of `count` consecutive elements fills whole bytes, in one slot or several.
  bool isWholeBytes(Elaborator &e, int64_t count, SourceRange range) const;

  std::shared_ptr<const FragmentStorage> storage;
  layout::AnyLayout layout; ///< static
  int64_t start;            ///< in elements of the storage

private:
  ir::Registers registers(Elaborator &e) const;
  std::vector<int64_t> places(Elaborator &e, SourceRange range) const;
};

/// Registers for a static layout. `together`: so many consecutive elements are one piece, as an instruction takes them;
/// 0 leaves it open. More registers than a lane has are an error, unless `allowScratch`.
Value makeFragment(Elaborator &e, host::Number element, const layout::AnyLayout &layout, SourceRange range,
                   int64_t together = 0, bool allowScratch = false);
/// The same registers as elements of another type; what is written through either is seen through both.
Value recastFragment(Elaborator &e, const Fragment &fragment, host::Number element, SourceRange range,
                     SourceRange blame);
/// A fragment with the shape of a view: mode 0 contiguous, the others in the order of the view's strides.
Value makeFragmentLike(Elaborator &e, const Value &view, std::optional<host::Number> element, SourceRange range);

} // namespace fly::sema
