// `#fly.mma_atom` and `fly.mma`: what is right about one.
#include "compiler/dialect/FlyOps.h"

#include "compiler/layout/Algebra.h"

using namespace mlir;
namespace fly::ir {

const atom::MmaRow &MmaAtomAttr::row() const { return *atom::findMma(getName().str()); } // verified to exist
atom::MmaLayouts MmaAtomAttr::layouts() const { return atom::mmaLayouts(row(), getA().str(), getB().str()); }
StringRef MmaAtomAttr::getC() const { return row().call == atom::MmaCall::Fma ? getA() : StringRef(row().c); }
StringRef MmaAtomAttr::getD() const { return row().d ? StringRef(row().d) : getC(); }

Type MmaAtomAttr::elementType(MLIRContext *context, StringRef name) {
  if (name == "f16")
    return Float16Type::get(context);
  if (name == "bf16")
    return BFloat16Type::get(context);
  if (name == "f32" || name == "tf32")
    return Float32Type::get(context);
  if (name == "f64")
    return Float64Type::get(context);
  return IntegerType::get(context, unsigned(atom::bitsOf(name.str())));
}

LogicalResult MmaAtomAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name, StringRef a,
                                  StringRef b) {
  const atom::MmaRow *row = atom::findMma(name.str());
  if (!row)
    return emitError() << "has no row for `" << name << "`";
  for (auto [type, known] : {std::pair(a, row->a), std::pair(b, row->b)})
    if (!llvm::is_contained(atom::typesOf(known), std::string_view(type)))
      return emitError() << "`" << name << "` does not multiply " << type;
  if (row->call == atom::MmaCall::Fma && a != b)
    return emitError() << "`" << name << "` multiplies numbers of one type; found " << a << " and " << b;
  return success();
}

/// The size of a mode; verified to be static.
static int64_t sizeOf(FragmentType fragment, size_t mode) {
  layout::InferringArithmetic arithmetic;
  return layout::size(fragment.getDomain().mode(mode), arithmetic)->value;
}

static int64_t modifierOf(std::optional<DictionaryAttr> modifiers, StringRef name) {
  auto number = modifiers ? modifiers->getAs<IntegerAttr>(name) : IntegerAttr();
  return number ? number.getInt() : 0;
}

int64_t MmaOp::getM() { return sizeOf(getA().getType(), 1); }
int64_t MmaOp::getN() { return sizeOf(getB().getType(), 1); }
int64_t MmaOp::getK() { return sizeOf(getA().getType(), 2); }
int64_t MmaOp::modifier(StringRef name) { return modifierOf(getModifiers(), name); }
int64_t MatrixMultiplyOp::modifier(StringRef name) { return modifierOf(getModifiers(), name); }

LogicalResult MmaOp::verify() {
  const FragmentType a = getA().getType(), b = getB().getType(), c = getC().getType(), d = getD().getType();
  const atom::MmaRow &row = getAtom().row();
  const atom::MmaLayouts layouts = getAtom().layouts();
  auto check = [&](StringRef name, FragmentType type, StringRef element, int64_t values) -> LogicalResult {
    if (type.getElementType() != MmaAtomAttr::elementType(getContext(), element))
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
      failed(check("D", d, getAtom().getD(), layouts.valuesOfC())))
    return failure();
  if (sizeOf(b, 2) != getK())
    return emitOpError() << "repeats A " << getK() << " times along K, and B " << sizeOf(b, 2) << " times";
  for (FragmentType sum : {c, d})
    if (sizeOf(sum, 1) != getM() || sizeOf(sum, 2) != getN())
      return emitOpError() << "makes " << getM() << " by " << getN() << " atoms; found " << sum;
  if (getM() * getN() * getK() > maximumAtoms)
    return emitOpError() << "has " << getM() * getN() * getK() << " atoms; at most " << maximumAtoms
                         << " are one operation";
  if (getK() > 1 && getAtom().getC() != getAtom().getD())
    return emitOpError() << "adds " << getK() << " products, but D is of " << getAtom().getD() << " and C of "
                         << getAtom().getC();
  if (row.isScaled() != bool(getScaleA()) || row.isScaled() != bool(getScaleB()))
    return emitOpError() << (row.isScaled() ? "needs scales of A and B" : "takes no scales");
  if (row.isScaled()) {
    const int64_t words = row.scaleBlock == 16 ? 2 : 1;
    for (auto [name, scales, repeats] : {std::tuple("A", getScaleA(), getM()), std::tuple("B", getScaleB(), getN())}) {
      const FragmentType type = scales.getType();
      if (!type.getElementType().isInteger(32) || type.getDomain().rank() != 3 || sizeOf(type, 0) != words ||
          sizeOf(type, 1) != repeats || sizeOf(type, 2) != getK())
        return emitOpError() << "takes i32 scales of " << name << " with modes of " << words << ", " << repeats
                             << " and " << getK() << "; found " << type;
    }
  }
  const StringRef order = getOrder();
  if (order.size() != 3 || !order.contains('M') || !order.contains('N') || !order.contains('K'))
    return emitOpError() << "orders atoms by M, N and K, each once; found `" << order << "`";
  if (auto modifiers = getModifiers())
    for (NamedAttribute modifier : *modifiers) {
      auto known = llvm::find_if(atom::modifiersOf(row), [&](auto &m) { return m.name == modifier.getName(); });
      auto number = dyn_cast<IntegerAttr>(modifier.getValue());
      if (known == atom::modifiersOf(row).end() || !number || number.getInt() < 0 || number.getInt() > known->limit)
        return emitOpError() << "has no modifier " << modifier.getName() << " = " << modifier.getValue();
    }
  if (modifier("abid") >= int64_t(1) << modifier("cbsz"))
    return emitOpError() << "broadcasts block " << modifier("abid") << " of " << (1 << modifier("cbsz"));
  return success();
}

} // namespace fly::ir
