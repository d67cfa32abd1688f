// See PackedElements.h.
#include "compiler/sema/tensor/PackedElements.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/dialect/AccessWidth.h"
#include "compiler/text/Words.h"

#include <numeric>

namespace fly::sema {

using layout::IntTuple;
using layout::Layout;
using layout::Leaf;

static ir::TensorType typeOf(const TensorValue &tensor) { return llvm::cast<ir::TensorType>(tensor.value.getType()); }
static std::string text(int64_t n) { return std::to_string(n); }
static std::string bitsText(host::Number number) { return text(host::format(number).bits) + " bits"; }

mlir::Type memoryType(Elaborator &e, host::Number number) {
  if (liesPacked(number))
    return mlir::IntegerType::get(&e.context, host::format(number).bits);
  return mlirType(e, Type::scalar(number));
}

uint64_t bytesOf(host::Number number, uint64_t count) {
  return liesPacked(number) ? (count * host::format(number).bits + 7) / 8 : count * host::format(number).bytes();
}

/// `u8` of a tensor is the way to its bytes.
static std::string bytesHelp(const TensorValue &tensor) {
  return "to access the bytes, use `recast(" + (tensor.name.empty() ? "t" : tensor.name) + ", u8)`";
}

void checkHasAddress(Elaborator &e, const TensorValue &tensor, SourceRange range) {
  if (tensor.record || !liesPacked(tensor.element))
    return;
  ir::ElementUnit unit = unitOf(tensor.element);
  std::string name = host::format(tensor.element).name;
  e.report(diag::part_of_byte, range, {"one `" + name + "` of " + bitsText(tensor.element) + " has no address"})
      .help("load " + text(unit.elements) + " or more adjacent elements as a vector, `zipped_divide(t, (" +
            text(unit.bytes == 1 ? 8 : 16) + ",))[:, i].load()`, and take the element from the vector")
      .help(bytesHelp(tensor));
  throw Failed{};
}

void checkBeginsAtByte(Elaborator &e, const TensorValue &tensor, const IntTuple &coordinate, SourceRange range) {
  if (tensor.record || !liesPacked(tensor.element) || ir::sliceType(typeOf(tensor), coordinate))
    return;
  layout::InferringArithmetic arithmetic;
  if (!layout::sliceAndOffset(coordinate, typeOf(tensor).getLayout(), arithmetic))
    return; // not a coordinate of this layout: reported elsewhere
  // The mode whose coordinate alone maps into the middle of a byte.
  const Layout &domain = typeOf(tensor).getDomain();
  std::string what = "mode 0 does not step by whole bytes";
  for (size_t i = 0; i < domain.rank() && coordinate.isTuple() && i < coordinate.rank(); ++i) {
    auto moved = layout::sliceAndOffset(coordinate.mode(i), domain.mode(i), arithmetic);
    if (!moved || !moved->offset.isLeaf() ||
        moved->offset.leaf().divisor() * host::format(tensor.element).bits % 8 == 0)
      continue;
    Layout mode = domain.mode(i);
    what =
        "mode " + text(int64_t(i)) + ", `" + mode.text() + "`, leads to " +
        (moved->offset.leaf().isStatic()       ? "element " + text(moved->offset.leaf().value)
         : moved->offset.leaf().divisor() == 1 ? "any element"
                                               : "multiples of " + text(moved->offset.leaf().divisor()) + " elements");
    break;
  }
  ir::ElementUnit unit = unitOf(tensor.element);
  e.report(diag::part_of_byte, range,
           {"a view of `" + (tensor.name.empty() ? "t" : tensor.name) + "` would start inside a byte: " + what +
            " of " + bitsText(tensor.element)})
      .help("divide the contiguous mode first, `zipped_divide(t, (" + text(unit.bytes == 1 ? 8 : 16) +
            ",))`, and state in `requires=` that strides are multiples of " + text(unit.elements))
      .help(bytesHelp(tensor));
  throw Failed{};
}

void checkFillsBytes(Elaborator &e, Type type, llvm::StringRef what, SourceRange range) {
  unsigned bits = type.format().bits;
  if (bits >= 8 || int64_t(std::max(1u, type.lanes)) * bits % 8 == 0)
    return;
  e.report(diag::part_of_byte, range,
           {"`" + what.str() + "` of " + counted(std::max(1u, type.lanes), "element") + " of " + text(bits) + " bits"})
      .help("use a multiple of " + text(unitOf(type.number).elements) + " elements, which fills whole bytes");
  throw Failed{};
}

void checkAccessesBytes(Elaborator &e, const TensorValue &view, llvm::StringRef what, SourceRange range) {
  if (view.record || !liesPacked(view.element))
    return;
  ir::TensorType type = typeOf(view);
  const unsigned bits = type.getElementBits();
  auto runs = ir::accessesOf(type);
  if (!runs)
    return; // reported where it is accessed
  for (const layout::Run &run : runs->runs)
    if (run.count * bits % 8 || run.offset * bits % 8)
      e.report(diag::part_of_byte, range,
               {"`" + what.str() + "` of `" + layout::textOf(type.getLayout()) + "`, where element " + text(run.first) +
                " is apart from its neighbours"})
          .help("use a view whose mode 0 is contiguous; `.T` exchanges modes 0 and 1")
          .help(bytesHelp(view)),
          throw Failed{};
}

} // namespace fly::sema
