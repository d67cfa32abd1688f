// See BufferReach.h.
//
// An access has 32 bits of offset after the start of its buffer. A tensor of more than 2 GiB is a far buffer: a part of
// it is made of coordinates that are the same for all lanes, and its start, 64 bits in scalar registers, becomes that
// of a buffer of its own, which ends where the tensor does. The place is known when the kernel is complete
// (compiler/analysis/RebaseFarBuffers.cpp).
#include "compiler/sema/tensor/BufferReach.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/layout/Algebra.h"
#include "compiler/analysis/FarBuffers.h"

namespace fly::sema {

static ir::TensorType typeOf(const TensorValue &tensor) { return llvm::cast<ir::TensorType>(tensor.value.getType()); }

void checkReach(Elaborator &e, const TensorValue &piece, SourceRange range) {
  if (!ir::BufferOp::farOrigin(piece.value))
    return;
  layout::InferringArithmetic arithmetic;
  if (auto span = layout::cosize(typeOf(piece).getLayout(), arithmetic);
      span && span->isStatic() && !analysis::isWithinReach(typeOf(piece)))
    failBeyondReach(e, piece, range);
}

void failBeyondReach(Elaborator &e, const TensorValue &part, SourceRange range) {
  analysis::helpBeyondReach(e.report(range, diag::buffer_reach{.layout = layout::textOf(typeOf(part).getLayout())}));
  throw Failed{};
}

TensorValue rebasedHere(Elaborator &e, const TensorValue &part, SourceRange range) {
  if (!ir::BufferOp::farOrigin(part.value))
    return part;
  layout::InferringArithmetic arithmetic;
  auto span = layout::cosize(typeOf(part).getLayout(), arithmetic);
  const bool isKnown = span && span->isStatic();
  if (isKnown && !analysis::isWithinReach(typeOf(part)))
    failBeyondReach(e, part, range);
  TensorValue result = part;
  result.value = ir::RebaseOp::create(e.ir(range, "buffer"), e.location(range, "buffer"), part.value, !isKnown);
  return result;
}

} // namespace fly::sema
