// Integer tuples in MLIR text; see LeafText.h. The grammar is the one in compiler/layout/Text.cpp, over MLIR's tokens.
#include "compiler/dialect/LeafText.h"

using namespace mlir;
namespace fly::ir {

using layout::IntTuple;
using layout::Leaf;

/// `{i64,div=8}`, in any order.
static ParseResult parseAnnotation(AsmParser &parser, Leaf &leaf) {
  if (failed(parser.parseOptionalLBrace()))
    return success();
  auto parseNote = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("i64"))) {
      leaf.bits = 64;
      return success();
    }
    if (succeeded(parser.parseOptionalKeyword("i32")))
      return success();
    llvm::SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword("div") || parser.parseEqual() || parser.parseInteger(leaf.divisibility))
      return failure();
    if (leaf.divisibility < 1)
      return parser.emitError(place) << "a divisibility must be at least 1";
    return success();
  };
  return failure(parser.parseCommaSeparatedList(parseNote) || parser.parseRBrace());
}

ParseResult parseIntTuple(AsmParser &parser, IntTuple &tuple,
                          llvm::function_ref<OptionalParseResult(Leaf &)> parseOther, unsigned depth) {
  if (succeeded(parser.parseOptionalLParen())) {
    if (depth == layout::maximumDepth)
      return parser.emitError(parser.getCurrentLocation())
             << "a tuple nests deeper than " << layout::maximumDepth << " levels";
    std::vector<IntTuple> elements;
    if (failed(parser.parseOptionalRParen())) {
      do {
        IntTuple element;
        if (failed(parseIntTuple(parser, element, parseOther, depth + 1)))
          return failure();
        elements.push_back(std::move(element));
      } while (succeeded(parser.parseOptionalComma()));
      if (parser.parseRParen())
        return failure();
    }
    tuple = IntTuple(std::move(elements));
    return success();
  }
  Leaf leaf = Leaf::dynamic();
  if (OptionalParseResult other = parseOther(leaf); other.has_value()) {
    if (failed(*other) || failed(parseAnnotation(parser, leaf)))
      return failure();
  } else if (succeeded(parser.parseOptionalKeyword("_"))) {
    leaf = Leaf::keep();
  } else if (succeeded(parser.parseOptionalQuestion())) {
    if (failed(parseAnnotation(parser, leaf)))
      return failure();
  } else {
    int64_t value = 0;
    llvm::SMLoc place = parser.getCurrentLocation();
    OptionalParseResult number = parser.parseOptionalInteger(value);
    if (!number.has_value())
      return parser.emitError(place) << "expected an integer, `?`, `_` or `(`";
    if (failed(*number))
      return failure();
    leaf = Leaf::known(value);
  }
  tuple = leaf;
  return success();
}

} // namespace fly::ir
