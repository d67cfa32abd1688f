// Text and verification of the dialect's types and attributes. Layouts are read with MLIR's tokens, so that errors have
// a place in the file; what is written is exactly layout::Layout::text().
#include "compiler/dialect/FlyOps.h"
#include "compiler/dialect/LeafText.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
namespace fly::ir {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;

void FlyDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialect/FlyTypes.cpp.inc"
      >();
}

void FlyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/FlyAttributes.cpp.inc"
      >();
}

//===----------------------------------------------- shared pieces -----------------------------------------------===//

unsigned elementBits(Type type) {
  if (!type.isSignlessInteger() && !isa<FloatType>(type))
    return 0;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 1)
    return 8;
  bool isPacked = bits == 4 || bits == 6, isWhole = bits % 8 == 0 && bits <= 64 && llvm::isPowerOf2_32(bits);
  return isPacked || isWhole ? bits : 0;
}

unsigned elementBytes(Type type) {
  unsigned bits = elementBits(type);
  return bits % 8 == 0 ? bits / 8 : 0;
}

ElementUnit elementUnit(unsigned bits) {
  const int64_t together = std::lcm(bits, 8u);
  return {together / bits, together / 8};
}

unsigned commonAlignment(unsigned alignment, int64_t bytes) {
  return bytes == 0 ? alignment : static_cast<unsigned>(llvm::MinAlign(alignment, static_cast<uint64_t>(bytes)));
}

static LogicalResult verifyAlignment(function_ref<InFlightDiagnostic()> emitError, unsigned alignment) {
  if (alignment == 0 || !llvm::isPowerOf2_32(alignment))
    return emitError() << "an alignment must be a power of two; found " << alignment;
  return success();
}

static LogicalResult verifyLayout(function_ref<InFlightDiagnostic()> emitError, const AnyLayout &layout) {
  layout::Result<AnyLayout> checked = layout::checked(layout);
  if (!checked)
    return emitError() << checked.text();
  return success();
}

static std::optional<AddressSpace> parseSpace(AsmParser &parser) {
  StringRef keyword;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseKeyword(&keyword)))
    return std::nullopt;
  std::optional<AddressSpace> space = symbolizeAddressSpace(keyword);
  if (!space)
    parser.emitError(place) << "expected `global`, `shared`, `private`, `constant`, `buffer` or `generic`; found `"
                            << keyword << "`";
  return space;
}

/// `, align=16` where it is not 1.
static void printAlignment(AsmPrinter &printer, unsigned alignment) {
  if (alignment != 1)
    printer << ", align=" << alignment;
}

static ParseResult parseTuple(AsmParser &parser, IntTuple &tuple) {
  return parseIntTuple(parser, tuple, [](Leaf &) -> OptionalParseResult { return std::nullopt; });
}

/// A layout in MLIR's tokens, or any one in quotes.
static ParseResult parseLayoutText(AsmParser &parser, AnyLayout &layout) {
  std::string quoted;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalString(&quoted))) {
    layout::Result<AnyLayout> read = layout::parseAnyLayout(quoted);
    if (!read)
      return parser.emitError(place) << read.text();
    layout = std::move(*read);
    return success();
  }
  IntTuple shape, stride;
  if (parseTuple(parser, shape) || parser.parseColon() || parseTuple(parser, stride))
    return failure();
  layout = Layout(std::move(shape), std::move(stride));
  return success();
}

static void printLayoutText(AsmPrinter &printer, const AnyLayout &layout) {
  auto *plain = std::get_if<Layout>(&layout);
  const char *quote = plain && !plain->stride().hasBasis() ? "" : "\"";
  printer << quote << layout::textOf(layout) << quote;
}

//===--------------------------------------------------- types ---------------------------------------------------===//

Type PtrType::parse(AsmParser &parser) {
  unsigned alignment = 1;
  std::optional<AddressSpace> space;
  if (parser.parseLess() || !(space = parseSpace(parser)))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("align") || parser.parseEqual() || parser.parseInteger(alignment)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PtrType>(parser.getContext(), *space, alignment);
}

void PtrType::print(AsmPrinter &printer) const {
  printer << '<' << stringifyAddressSpace(getSpace());
  printAlignment(printer, getAlignment());
  printer << '>';
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, AddressSpace, unsigned alignment) {
  return verifyAlignment(emitError, alignment);
}

Type LayoutType::parse(AsmParser &parser) {
  AnyLayout layout;
  if (parser.parseLess() || parseLayoutText(parser, layout) || parser.parseGreater())
    return {};
  return parser.getChecked<LayoutType>(parser.getContext(), layout);
}

void LayoutType::print(AsmPrinter &printer) const {
  printer << '<';
  printLayoutText(printer, getLayout());
  printer << '>';
}

LogicalResult LayoutType::verify(function_ref<InFlightDiagnostic()> emitError, AnyLayout layout) {
  return verifyLayout(emitError, layout);
}

const Layout &LayoutType::getDomain() const { return layout::domainOf(getLayout()); }

SmallVector<Type> LayoutType::getDynamicTypes() const {
  SmallVector<Type> result;
  for (const Leaf &leaf : layout::dynamicLeaves(getLayout()))
    result.push_back(IntegerType::get(getContext(), leaf.bits));
  return result;
}

Type TensorType::parse(AsmParser &parser) {
  Type elementType;
  unsigned alignment = 1;
  AnyLayout layout;
  std::optional<AddressSpace> space;
  if (parser.parseLess() || parser.parseType(elementType) || parser.parseComma() || !(space = parseSpace(parser)) ||
      parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword("align")) &&
      (parser.parseEqual() || parser.parseInteger(alignment) || parser.parseComma()))
    return {};
  if (parseLayoutText(parser, layout) || parser.parseGreater())
    return {};
  return parser.getChecked<TensorType>(parser.getContext(), elementType, *space, alignment, layout);
}

void TensorType::print(AsmPrinter &printer) const {
  printer << '<' << getElementType() << ", " << stringifyAddressSpace(getSpace());
  printAlignment(printer, getAlignment());
  printer << ", ";
  printLayoutText(printer, getLayout());
  printer << '>';
}

LogicalResult TensorType::verify(function_ref<InFlightDiagnostic()> emitError, Type elementType, AddressSpace,
                                 unsigned alignment, AnyLayout layout) {
  if (elementBits(elementType) == 0)
    return emitError() << "a tensor's element must be an integer or float of 1, 4, 6, 8, 16, 32 or 64 bits; found "
                       << elementType;
  if (failed(verifyAlignment(emitError, alignment)))
    return failure();
  if (layout::givesCoordinates(layout))
    return emitError() << "the layout of a tensor must give offsets, but `" << layout::textOf(layout)
                       << "` gives coordinates";
  return verifyLayout(emitError, layout);
}

const Layout &TensorType::getDomain() const { return layout::domainOf(getLayout()); }
unsigned TensorType::getElementBits() const { return elementBits(getElementType()); }
ElementUnit TensorType::getUnit() const { return elementUnit(getElementBits()); }
PtrType TensorType::getPointerType() const { return PtrType::get(getContext(), getSpace(), getAlignment()); }
LayoutType TensorType::getLayoutType() const { return LayoutType::get(getContext(), getLayout()); }

Type FragmentType::parse(AsmParser &parser) {
  Type elementType;
  AnyLayout layout;
  if (parser.parseLess() || parser.parseType(elementType) || parser.parseComma() || parseLayoutText(parser, layout) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<FragmentType>(parser.getContext(), elementType, layout);
}

void FragmentType::print(AsmPrinter &printer) const {
  printer << '<' << getElementType() << ", ";
  printLayoutText(printer, getLayout());
  printer << '>';
}

LogicalResult SlotType::verify(function_ref<InFlightDiagnostic()> emitError, Type valueType) {
  Type element = valueType;
  if (auto vector = dyn_cast<VectorType>(valueType); vector && vector.getRank() == 1 && !vector.isScalable())
    element = vector.getElementType();
  if (!element.isSignlessInteger() && !isa<FloatType>(element))
    return emitError() << "a slot holds an integer, a float or a vector of them; found " << valueType;
  return success();
}

//===------------------------------------------------- attributes ------------------------------------------------===//

Attribute IntTupleAttr::parse(AsmParser &parser, Type) {
  IntTuple tuple;
  if (parser.parseLess() || parseTuple(parser, tuple) || parser.parseGreater())
    return {};
  return IntTupleAttr::get(parser.getContext(), tuple);
}

void IntTupleAttr::print(AsmPrinter &printer) const { printer << '<' << getTuple().text() << '>'; }

/// The text of a step, without the attribute's brackets; also in ops.
FailureOr<layout::Rearrangement> parseStep(AsmParser &parser) {
  std::string text;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  layout::Result<layout::Rearrangement> step = layout::parseRearrangement(text);
  if (!step)
    return parser.emitError(place) << step.text();
  return std::move(*step);
}

Attribute RearrangementAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<layout::Rearrangement> step = parseStep(parser);
  if (failed(step) || parser.parseGreater())
    return {};
  return RearrangementAttr::get(parser.getContext(), *step);
}

void RearrangementAttr::print(AsmPrinter &printer) const { printer << "<\"" << getStep().text() << "\">"; }

} // namespace fly::ir

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/FlyAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/FlyTypes.cpp.inc"
