// The text of `#fly.copy_atom` and `!fly.fragment`, and what is right about one.
#include "compiler/dialect/FlyOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
namespace fly::ir {

//===--------------------------------------------------- atoms ---------------------------------------------------===//

static_assert(uint32_t(CopyKind::BufferAtomic) == uint32_t(atom::CopyKind::BufferAtomic) &&
                  getMaxEnumValForCopyKind() == uint32_t(atom::CopyKind::BufferAtomic),
              "the kinds of the dialect are the rows of compiler/atom");

const atom::CopyRow &CopyAtomAttr::row() const { return atom::row(atom::CopyKind(getKind())); }

Attribute CopyAtomAttr::parse(AsmParser &parser, Type) {
  auto keyword = [&](auto symbolize, StringRef what) -> decltype(symbolize(StringRef())) {
    StringRef text;
    llvm::SMLoc place = parser.getCurrentLocation();
    if (failed(parser.parseKeyword(&text)))
      return std::nullopt;
    auto found = symbolize(text);
    if (!found)
      parser.emitError(place) << "there is no " << what << " `" << text << "`";
    return found;
  };
  int64_t bits = 0;
  uint32_t load = 0, store = 0;
  bool isNontemporal = false, isNegated = false;
  std::optional<MemoryScope> scope;
  std::optional<AtomicKind> atomic;
  if (parser.parseLess())
    return {};
  auto kind = keyword([](StringRef text) { return symbolizeCopyKind(text); }, "copy atom");
  if (!kind || parser.parseInteger(bits))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    llvm::SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return {};
    if (name == "nontemporal" || name == "negated") {
      (name == "nontemporal" ? isNontemporal : isNegated) = true;
      continue;
    }
    if (parser.parseEqual())
      return {};
    if (name == "load_cache" || name == "store_cache") {
      if (parser.parseInteger(name == "load_cache" ? load : store))
        return {};
    } else if (name == "scope") {
      if (!(scope = keyword([](StringRef text) { return symbolizeMemoryScope(text); }, "scope")))
        return {};
    } else if (name == "atomic") {
      if (!(atomic = keyword([](StringRef text) { return symbolizeAtomicKind(text); }, "atomic operation")))
        return {};
    } else {
      parser.emitError(place)
          << "expected `load_cache`, `store_cache`, `nontemporal`, `scope`, `atomic` or `negated`; found `" << name
          << "`";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<CopyAtomAttr>(parser.getContext(), *kind, bits, load, store, isNontemporal, scope, atomic,
                                         isNegated);
}

void CopyAtomAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyCopyKind(getKind()) << ' ' << getBits();
  if (getLoadCache())
    printer << ", load_cache = " << getLoadCache();
  if (getStoreCache())
    printer << ", store_cache = " << getStoreCache();
  if (getIsNontemporal())
    printer << ", nontemporal";
  if (getScope())
    printer << ", scope = " << stringifyMemoryScope(*getScope());
  if (getAtomic())
    printer << ", atomic = " << stringifyAtomicKind(*getAtomic());
  if (getIsNegated())
    printer << ", negated";
  printer << '>';
}

LogicalResult CopyAtomAttr::verify(function_ref<InFlightDiagnostic()> emitError, CopyKind kind, int64_t bits, uint32_t,
                                   uint32_t, bool, std::optional<MemoryScope>, std::optional<AtomicKind> atomic, bool) {
  const atom::CopyRow &row = atom::row(atom::CopyKind(kind));
  if (!llvm::is_contained(row.bits, bits))
    return emitError() << "`" << row.name << "` moves no " << bits << " bits per thread";
  if (row.isOperation != atomic.has_value())
    return emitError() << "`" << row.name << "` " << (atomic ? "is not atomic" : "needs `atomic`");
  return success();
}

//===------------------------------------------------- fragments -------------------------------------------------===//

unsigned FragmentType::getElementBits() const { return elementBits(getElementType()); }
const layout::Layout &FragmentType::getDomain() const { return layout::domainOf(getLayout()); }

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError, Type elementType,
                                   layout::AnyLayout layout) {
  if (elementBits(elementType) == 0)
    return emitError() << "a fragment's element is an integer or float of 1, 4, 6, 8, 16, 32 or 64 bits; found "
                       << elementType;
  if (auto checked = layout::checked(layout); !checked)
    return emitError() << checked.text();
  if (!layout::isStatic(layout) || layout::givesCoordinates(layout))
    return emitError() << "a fragment's layout is static and leads to registers; found `" << layout::textOf(layout)
                       << "`";
  return success();
}

RegisterForm registerForm(Type elementType) {
  const unsigned bits = elementBits(elementType);
  if (bits >= 8)
    return {elementType, 1, 1};
  const ElementUnit unit = elementUnit(bits);
  return {IntegerType::get(elementType.getContext(), 8), unit.elements, unit.bytes};
}

VectorType registersFor(Type elementType, int64_t elements) {
  const RegisterForm form = registerForm(elementType);
  return VectorType::get({elements / form.elements * form.lanes}, form.type);
}

} // namespace fly::ir
