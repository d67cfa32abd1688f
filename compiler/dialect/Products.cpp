// `#fly.mma_atom` and `fly.mma`: what is right about one.
#include "compiler/dialect/FlyOps.h"

#include "compiler/layout/Algebra.h"

using namespace mlir;
namespace fly::ir {

static_assert(getMaxEnumValForMmaKind() == uint32_t(atom::MmaKind::UniversalFma),
              "the kinds of the dialect are the rows of compiler/atom");

const atom::MmaRow &MmaAtomAttr::row() const { return atom::row(atom::MmaKind(getKind())); }
atom::MmaLayouts MmaAtomAttr::layouts() const { return atom::mmaLayouts(atom::MmaKind(getKind())); }

LogicalResult MmaAtomAttr::verify(function_ref<InFlightDiagnostic()> emitError, MmaKind kind, Type a, Type b, Type c) {
  const bool isFma = a == b && b == c && (a.isF16() || a.isF32() || a.isF64());
  if (!isFma)
    return emitError() << "`" << atom::row(atom::MmaKind(kind)).name
                       << "` multiplies f16, f32 or f64, all of one type; found " << a << ", " << b << " and " << c;
  return success();
}

/// The size of a mode; verified to be static.
static int64_t sizeOf(FragmentType fragment, size_t mode) {
  layout::InferringArithmetic arithmetic;
  return layout::size(fragment.getDomain().mode(mode), arithmetic)->value;
}

int64_t MmaOp::getM() { return sizeOf(getA().getType(), 1); }
int64_t MmaOp::getN() { return sizeOf(getB().getType(), 1); }
int64_t MmaOp::getK() { return sizeOf(getA().getType(), 2); }

LogicalResult MmaOp::verify() {
  const FragmentType a = getA().getType(), b = getB().getType(), c = getC().getType(), d = getD().getType();
  const atom::MmaLayouts layouts = getAtom().layouts();
  auto check = [&](StringRef name, FragmentType type, Type element, int64_t values) -> LogicalResult {
    if (type.getElementType() != element)
      return emitOpError() << "takes " << name << " of " << element << "; found " << type;
    if (type.getDomain().rank() != 3)
      return emitOpError() << "takes " << name << " of three modes, the values of an atom first; found " << type;
    if (sizeOf(type, 0) != values)
      return emitOpError() << "takes " << values << " values of " << name << " per thread and atom; found " << type;
    return success();
  };
  if (failed(check("A", a, getAtom().getA(), layouts.valuesOfA())) ||
      failed(check("B", b, getAtom().getB(), layouts.valuesOfB())) ||
      failed(check("C", c, getAtom().getC(), layouts.valuesOfC())) ||
      failed(check("D", d, getAtom().getC(), layouts.valuesOfC())))
    return failure();
  if (sizeOf(b, 2) != getK())
    return emitOpError() << "repeats A " << getK() << " times along K, and B " << sizeOf(b, 2) << " times";
  for (FragmentType sum : {c, d})
    if (sizeOf(sum, 1) != getM() || sizeOf(sum, 2) != getN())
      return emitOpError() << "makes " << getM() << " by " << getN() << " atoms; found " << sum;
  if (getM() * getN() * getK() > maximumAtoms)
    return emitOpError() << "has " << getM() * getN() * getK() << " atoms; at most " << maximumAtoms
                         << " are one operation";
  return success();
}

} // namespace fly::ir
