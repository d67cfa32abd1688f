// See CoordinateTensor.h.
#include "compiler/sema/tensor/CoordinateTensor.h"

#include "compiler/sema/elaborator/Suggest.h"

namespace fly::sema {

using layout::IntTuple;
using layout::Layout;

IntTuple CoordinateTensor::element(Elaborator &e, const IntTuple &coordinate, SourceRange range) const {
  MachineArithmetic arithmetic(e, range);
  IntTuple inside = taken(e, layout::evaluate(coordinate, layout, arithmetic), "a coordinate tensor", range);
  return taken(e, layout::addCoordinates(origin, inside, arithmetic), "a coordinate tensor", range);
}

Value CoordinateTensor::index(Elaborator &e, const Values &items, SourceRange range) const {
  const Layout &domain = layout::domainOf(layout);
  const Values *list = items.size() == 1 && items[0].sequence() && domain.rank() > 1 ? items[0].sequence() : &items;
  std::vector<IntTuple> parts;
  for (auto &item : *list)
    parts.push_back(toTuple(e, item, range, "a coordinate"));
  if (parts.size() != domain.rank() && (parts.size() != 1 || parts[0].hasKeep()))
    e.report(diag::bad_coordinate, range, {std::to_string(parts.size()), std::to_string(domain.rank())})
        .note("its layout is `" + domain.text() + "`"),
        throw Failed{};
  IntTuple coordinate =
      parts.size() == 1 && (domain.rank() != 1 || domain.shape().isLeaf()) ? parts[0] : IntTuple(std::move(parts));
  checkInside(e, coordinate, domain.shape(), "a coordinate tensor", range);
  if (coordinate.hasKeep())
    return sliced(e, makeObject<CoordinateTensor>(layout, origin), coordinate, range);
  return fromTuple(element(e, coordinate, range));
}

Value CoordinateTensor::attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                                  SourceRange nameRange) const {
  if (auto asked = viewAttribute(e, self, name, range, nameRange))
    return *asked;
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name, viewAttributes());
}

} // namespace fly::sema
