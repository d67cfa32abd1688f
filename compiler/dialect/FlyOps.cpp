// Verifiers of the ops, the text of coordinates, and the kernel's text.
#include "compiler/dialect/FlyOps.h"
#include "compiler/dialect/LeafText.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
namespace fly::ir {

using layout::IntTuple;
using layout::Leaf;

//===------------------------------------------------ coordinates ------------------------------------------------===//

using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

/// `[_, (3, %i{div=4})]`: one entry per mode; an operand stands for a dynamic leaf, `{i64}` is its type. `[flat %i]` is
/// the one-dimensional coordinate of all modes, `?` where `[%i]` is `(?)`.
static ParseResult parseCoordinate(OpAsmParser &parser, IntTupleAttr &coordinate,
                                   SmallVectorImpl<UnresolvedOperand> &dynamic, SmallVectorImpl<Type> &types) {
  auto parseOperand = [&](Leaf &) -> OptionalParseResult {
    UnresolvedOperand operand;
    OptionalParseResult result = parser.parseOptionalOperand(operand);
    if (result.has_value() && succeeded(*result))
      dynamic.push_back(operand);
    return result;
  };
  std::vector<IntTuple> modes;
  auto parseMode = [&]() -> ParseResult {
    IntTuple mode;
    if (failed(parseIntTuple(parser, mode, parseOperand)))
      return failure();
    modes.push_back(std::move(mode));
    return success();
  };
  if (parser.parseLSquare())
    return failure();
  bool isFlat = succeeded(parser.parseOptionalKeyword("flat"));
  if (isFlat ? parseMode() : parser.parseCommaSeparatedList(parseMode))
    return failure();
  if (parser.parseRSquare())
    return failure();
  IntTuple tuple = isFlat ? modes.front() : IntTuple(std::move(modes));
  tuple.forEachLeaf([&](const Leaf &leaf) {
    if (leaf.isDynamic())
      types.push_back(parser.getBuilder().getIntegerType(leaf.bits));
  });
  if (types.size() != dynamic.size())
    return parser.emitError(parser.getNameLoc(), "a coordinate names its operands; `?` has none");
  coordinate = IntTupleAttr::get(parser.getContext(), tuple);
  return success();
}

static void printMode(OpAsmPrinter &printer, const IntTuple &mode, OperandRange::iterator &operand,
                      OperandRange::iterator end) {
  if (mode.isTuple()) {
    printer << '(';
    llvm::interleaveComma(mode.modes(), printer,
                          [&](const IntTuple &element) { printMode(printer, element, operand, end); });
    printer << ')';
  } else if (mode.leaf().isDynamic() && operand != end) {
    printer << *operand++ << leafAnnotation(mode.leaf());
  } else {
    printer << leafText(mode.leaf());
  }
}

static void printCoordinate(OpAsmPrinter &printer, Operation *, IntTupleAttr coordinate, OperandRange dynamic,
                            TypeRange) {
  OperandRange::iterator operand = dynamic.begin();
  const IntTuple &tuple = coordinate.getTuple();
  printer << '[';
  if (tuple.isLeaf()) {
    printer << "flat ";
    printMode(printer, tuple, operand, dynamic.end());
  } else {
    llvm::interleaveComma(tuple.modes(), printer,
                          [&](const IntTuple &mode) { printMode(printer, mode, operand, dynamic.end()); });
  }
  printer << ']';
}

static ParseResult parseStep(OpAsmParser &parser, RearrangementAttr &step) {
  FailureOr<layout::Rearrangement> value = parseStep(static_cast<AsmParser &>(parser));
  if (failed(value))
    return failure();
  step = RearrangementAttr::get(parser.getContext(), *value);
  return success();
}

static void printStep(OpAsmPrinter &printer, Operation *, RearrangementAttr step) {
  printer << '"' << step.getStep().text() << '"';
}

static ParseResult parseLeafSide(OpAsmParser &parser, LeafSideAttr &side) {
  StringRef keyword;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<LeafSide> value = symbolizeLeafSide(keyword);
  if (!value)
    return parser.emitError(place) << "expected `shape` or `stride`; found `" << keyword << "`";
  side = LeafSideAttr::get(parser.getContext(), *value);
  return success();
}

static void printLeafSide(OpAsmPrinter &printer, Operation *, LeafSideAttr side) {
  printer << stringifyLeafSide(side.getValue());
}

/// The dynamic leaves are the operands, in order and width.
static LogicalResult verifyOperands(Operation *op, const Twine &what, ArrayRef<Leaf> leaves, OperandRange dynamic) {
  if (leaves.size() != dynamic.size())
    return op->emitOpError() << what << " has " << leaves.size() << " dynamic leaves, but there are " << dynamic.size()
                             << " operands";
  for (auto [index, leaf, type] : llvm::enumerate(leaves, dynamic.getTypes()))
    if (!type.isInteger(leaf.bits))
      return op->emitOpError() << "operand " << index << " of the " << what.str().substr(0, what.str().find(' '))
                               << " is " << type << ", its leaf has " << unsigned(leaf.bits) << " bits";
  return success();
}

template <typename Op> static LogicalResult verifyOperands(Op op) {
  const IntTuple &tuple = op.getCoordinate().getTuple();
  std::vector<Leaf> leaves;
  tuple.forEachLeaf([&](const Leaf &leaf) {
    if (leaf.isDynamic())
      leaves.push_back(leaf);
  });
  return verifyOperands(op, "coordinate `" + tuple.text() + "`", leaves, op.getDynamic());
}

/// A coordinate that names one element.
template <typename Op> static LogicalResult verifyElement(Op op) {
  if (failed(verifyOperands(op)))
    return failure();
  if (unsigned bits = op.getTensor().getType().getElementBits(); bits % 8)
    return op.emitOpError() << "names one element of " << bits << " bits, which has no address";
  auto alignment = elementAlignment(op.getTensor().getType(), op.getCoordinate().getTuple());
  if (!alignment)
    return op.emitOpError() << alignment.text();
  return success();
}

LogicalResult SliceOp::verify() { return verifyOperands(*this); }
LogicalResult Crd2IdxOp::verify() { return verifyOperands(*this); }
LogicalResult RearrangeOp::verify() {
  return verifyOperands(*this, "step `" + getStep().getStep().text() + "`", getStep().getStep().dynamicLeaves(),
                        getDynamic());
}
LogicalResult LoadOp::verify() { return verifyElement(*this); }
LogicalResult StoreOp::verify() { return verifyElement(*this); }
LogicalResult AddressOp::verify() { return verifyElement(*this); }
LogicalResult TensorMoveOp::verify() {
  if (getMulticast() && getIsStore())
    return emitOpError("stores for one workgroup; `multicast` is for loads");
  return failed(verifyElement(*this)) ? failure() : verifyTile();
}

LogicalResult StoreVectorOp::verify() {
  auto fragment = fragmentType(getTensor().getType());
  if (!fragment)
    return emitOpError() << fragment.text();
  if (*fragment != getValue().getType())
    return emitOpError() << "stores " << getValue().getType() << " to a fragment of type " << *fragment;
  return success();
}

//===-------------------------------------------------- kernels --------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, TypeRange argumentTypes) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setSymName(builder.getStringAttr(name));
  properties.setFunctionType(TypeAttr::get(builder.getFunctionType(argumentTypes, {})));
  Block *entry = &state.addRegion()->emplaceBlock();
  for (Type type : argumentTypes)
    entry->addArgument(type, state.location);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFunctionType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                              function_interface_impl::VariadicFlag,
                              std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), buildFunctionType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  if (getBody().empty())
    return emitOpError() << "needs a body";
  if (getFunctionType().getNumResults() != 0)
    return emitOpError() << "cannot return values";
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    auto pointer = dyn_cast<PtrType>(type);
    bool byValue = getArgAttr(static_cast<unsigned>(index), byValueAttr) != nullptr;
    bool fits = pointer ? pointer.getSpace() == AddressSpace::Constant ||
                              (pointer.getSpace() == AddressSpace::Global && !byValue)
                        : elementBytes(type) != 0;
    if (!fits)
      return emitOpError() << "argument " << index << " must be a global or constant pointer or a scalar; found "
                           << type;
  }
  if (std::optional<ArrayRef<int32_t>> block = getKnownBlock()) {
    int64_t threads = 1;
    for (int32_t extent : *block)
      threads *= extent > 0 && extent <= maximumWorkgroup ? extent : maximumWorkgroup + 1;
    if (block->size() != 3 || threads > maximumWorkgroup)
      return emitOpError() << "`known_block` must be three positive extents with a product of at most "
                           << maximumWorkgroup;
    if (getMaxBlockThreads())
      return emitOpError() << "has both `known_block` and `max_block_threads`; the first implies the second";
  }
  if (std::optional<ArrayRef<int32_t>> cluster = getKnownCluster()) {
    int64_t workgroups = 1;
    for (int32_t extent : *cluster)
      workgroups *= extent > 0 && extent <= maximumCluster ? extent : maximumCluster + 1;
    if (cluster->size() != 3 || workgroups < 2 || workgroups > maximumCluster)
      return emitOpError() << "`known_cluster` must be three positive extents with a product from 2 to "
                           << maximumCluster;
  }
  auto verifyRange = [&](StringRef name, std::optional<uint32_t> value, uint32_t high,
                         uint32_t low = 1) -> LogicalResult {
    if (value && (*value < low || *value > high))
      return emitOpError() << "`" << name << "` must be from " << low << " to " << high << "; found " << *value;
    return success();
  };
  return failure(failed(verifyRange("max_block_threads", getMaxBlockThreads(), maximumWorkgroup)) ||
                 failed(verifyRange("vgprs", getVgprs(), 1024)) || failed(verifyRange("agprs", getAgprs(), 256, 0)) ||
                 failed(verifyRange("waves_per_eu", getWavesPerEu(), 20)));
}

//===------------------------------------------------- clusters --------------------------------------------------===//

/// Without clusters, the registers that these read have no meaning.
static LogicalResult verifyInCluster(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  return kernel && !kernel.getKnownCluster() ? op->emitOpError() << "needs a kernel with `known_cluster`" : success();
}
LogicalResult ClusterIdOp::verify() { return verifyInCluster(*this); }
LogicalResult ClusterBlockIdOp::verify() { return verifyInCluster(*this); }
LogicalResult ClusterRankOp::verify() { return verifyInCluster(*this); }
LogicalResult ClusterBarrierOp::verify() { return verifyInCluster(*this); }

} // namespace fly::ir

#define GET_OP_CLASSES
#include "compiler/dialect/FlyInterfaces.cpp.inc"
#include "compiler/dialect/FlyOps.cpp.inc"
