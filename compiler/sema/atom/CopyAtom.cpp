// See CopyAtom.h.
#include "compiler/sema/atom/CopyAtom.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/dialect/AccessWidth.h"
#include "compiler/dialect/Views.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/sema/elaborator/Suggest.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;

std::string CopyAtom::text() const {
  std::string element(host::format(this->element).name), policy = cache.text();
  return std::string(row().name) + "(" +
         (row().isOperation ? option + ", " + element : std::to_string(bits) + ", " + element) +
         (policy.empty() ? "" : ", " + policy) + ")";
}

bool CopyAtom::equals(const Object &other) const {
  auto *atom = dynamic_cast<const CopyAtom *>(&other);
  return atom && atom->kind == kind && atom->bits == bits && atom->element == element && atom->option == option &&
         atom->cache.text() == cache.text();
}

Value CopyAtom::attribute(Elaborator &e, const Value &, llvm::StringRef name, SourceRange,
                          SourceRange nameRange) const {
  const atom::CopyLayouts own = layouts();
  if (name == "bits")
    return Value(bits);
  if (name == "type")
    return Value(Type::scalar(element));
  if (name == "values")
    return Value(values());
  if (name == "threads")
    return Value(own.threads);
  if (name == "source")
    return makeLayoutValue(AnyLayout(own.source));
  if (name == "destination")
    return makeLayoutValue(AnyLayout(own.destination));
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name,
              {"bits", "type", "values", "threads", "source", "destination"});
}

Value makeCopyAtom(Elaborator &e, atom::CopyKind which, const Value &bits, SourceRange bitsRange, const Value &type,
                   SourceRange typeRange, CachePolicy cache) {
  const atom::CopyRow &kind = atom::row(which);
  int64_t width = requireInt(e, bits, bitsRange, "the width of a copy");
  diag::Choices widths;
  for (int64_t each : kind.bits)
    if (each != 96 || !kind.hasPowersOfTwo)
      widths.push_back(std::to_string(each));
  if (!llvm::is_contained(kind.bits, width))
    e.fail(bitsRange, diag::unknown_choice{.what = std::string("the width of `") + kind.name + "` in bits",
                                           .choices = widths,
                                           .found = std::to_string(width)});
  Type element = requireType(e, type, typeRange, "the element type");
  if (element.isVector())
    e.fail(diag::not_a_type, typeRange, {"`" + element.text() + "`, but only an element type is allowed here"});
  if (width % element.format().bits) {
    auto builder = e.report(diag::wrong_value, typeRange,
                            {"the element of a " + std::to_string(width) + "-bit copy", "a type whose size divides it",
                             "`" + element.text() + "` of " + std::to_string(element.format().bits) + " bits"});
    if (element.format().bits == 6 && llvm::is_contained(kind.bits, 96))
      builder.help("16 elements of 6 bits are 96: `" + std::string(kind.name) + "(96, " + element.text() + ")`");
    throw Failed{};
  }
  // Three dwords between memory and registers: four elements of 6 bits fill three bytes, others have powers of two.
  if (width == 96 && kind.hasPowersOfTwo && element.format().bits != 6)
    e.fail(diag::wrong_value, bitsRange,
           {std::string("the width of a `") + kind.name + "` of `" + element.text() + "`",
            "a power of two (96 is only for 6-bit elements)", "96"});
  return makeObject<CopyAtom>(which, width, element.number, "", 0, std::move(cache));
}

// ---------------------------------------------------------------------------------------------------------
// Pieces

/// The operation that made the tensor of which a view is a part; null where that is not known.
static ir::MakeTensorOp madeBy(const TensorValue &piece) {
  mlir::Value origin = ir::originOf(piece.value);
  return origin ? origin.getDefiningOp<ir::MakeTensorOp>() : ir::MakeTensorOp();
}

std::string strideText(const TensorValue &piece, const layout::Leaf &leaf) {
  if (leaf.isStatic())
    return std::to_string(leaf.value);
  auto made = madeBy(piece);
  auto layout = made ? made.getLayout().getDefiningOp<ir::MakeLayoutOp>() : ir::MakeLayoutOp();
  if (!layout)
    return layout::leafText(leaf);
  // The tensor's only dynamic stride is this one; the extents come first.
  const Layout &whole = llvm::cast<ir::LayoutType>(layout.getType()).getDomain();
  std::vector<layout::Leaf> extents = whole.shape().leaves();
  size_t first = size_t(llvm::count_if(extents, [](const layout::Leaf &extent) { return extent.isDynamic(); }));
  std::set<std::string> names;
  for (mlir::Value operand : layout.getDynamic().drop_front(first))
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(operand))
      if (auto kernel = llvm::dyn_cast<ir::KernelOp>(argument.getOwner()->getParentOp()))
        if (auto name =
                kernel.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), ir::KernelOp::argumentNameAttr))
          names.insert(name.str());
  return names.size() == 1 ? *names.begin() : layout::leafText(leaf);
}

/// The alignment, in bytes, that the tensor of a parameter was declared with; of others more than any access needs.
static uint32_t originAlignment(const TensorValue &piece) {
  auto made = madeBy(piece);
  return made && llvm::isa<mlir::BlockArgument>(made.getPointer()) ? made.getType().getAlignment() : uint32_t(1) << 30;
}

void checkAccess(Elaborator &e, const TensorValue &piece, ir::TensorType type, int64_t count, int64_t bits,
                 SourceRange range) {
  const AnyLayout &layout = type.getLayout();
  std::string text = "`" + layout::textOf(layout) + "`", element = std::string(host::format(piece.element).name);
  const auto obstacle = ir::obstacleTo(type);
  if (!obstacle)
    return;
  if (obstacle == ir::AccessObstacle::Apart) {
    std::string apart = "apart";
    const Layout &domain = type.getDomain();
    auto strides = domain.stride().leaves(), extents = domain.shape().leaves();
    for (size_t i = 0; i < strides.size(); ++i)
      if (!extents[i].isStatic(1)) {
        apart = strides[i].isStatic(1) ? "in several places"
                                       : (strides[i].isStatic() ? "" : "`") + strideText(piece, strides[i]) +
                                             (strides[i].isStatic() ? "" : "`") + " apart";
        break;
      }
    auto builder =
        e.report(range, diag::access_not_contiguous{.bits = bits, .count = count, .element = element, .apart = apart});
    builder.caret("each access is " + text);
    builder.help("take them along the contiguous mode, with another value layout in `tiled_copy`");
    if (ir::ElementUnit unit = type.getUnit(); unit.elements == 1)
      builder.help("or move one element per access: `UniversalCopy(" +
                   std::to_string(host::format(piece.element).bits) + ", " + element + ")`");
    throw Failed{};
  }
  const int64_t needed = ir::neededAlignment(bits);
  auto builder = e.report(range, diag::access_misaligned{.bits = bits, .needed = needed, .known = type.getAlignment()});
  builder.caret("each access is " + text);
  const uint32_t declared = originAlignment(piece);
  if (type.getSpace() == ir::AddressSpace::Global && declared < needed) {
    builder.help("`" + piece.name + "` is declared to start at a multiple of " + std::to_string(declared) +
                 " bytes; `align=" + std::to_string(needed) + "` in its declaration requires more of the caller");
    if (int64_t fewer = int64_t(type.getAlignment()) * 8; fewer % host::format(piece.element).bits == 0)
      builder.help("or move fewer bits per access: `UniversalCopy(" + std::to_string(fewer) + ", " + element + ")`");
  } else if (type.getSpace() == ir::AddressSpace::Global) {
    builder.help("state in `requires=` what strides and extents are multiples of: `requires=n % " +
                 std::to_string(count) + " == 0`");
    if (int64_t fewer = int64_t(type.getAlignment()) * 8; fewer % host::format(piece.element).bits == 0)
      builder.help("or move fewer bits per access: `UniversalCopy(" + std::to_string(fewer) + ", " + element + ")`");
  }
  throw Failed{};
}

Predicates predicatesOf(Elaborator &e, BoundCall &call, size_t argument, int64_t accesses, int64_t inModeZero) {
  const Value &given = call[argument];
  SourceRange range = call.ranges[argument];
  if (!call.given[argument] || given.isNone())
    return {true, {}};
  const std::string orFragment = " or a fragment of " + std::to_string(accesses) + " bools, one per access";
  auto *fragment = objectAs<Fragment>(given);
  if (!fragment) {
    if (auto *known = given.as<bool>())
      return {*known, {}};
    auto *machine = given.as<MachineValue>();
    if (!machine || !machine->type.isBool() || machine->type.isVector())
      e.fail(range, diag::bad_predicate{.what = diag::argument("pred", call.builtin->name),
                                        .also = orFragment,
                                        .found = describe(given)});
    return {std::nullopt, {toCondition(e, given, range).value}};
  }
  const int64_t size = *sizeOf(given);
  if (fragment->storage->element != host::Number::Bool || (size != accesses && size * inModeZero != accesses))
    e.report(range, diag::bad_predicate{.what = diag::argument("pred", call.builtin->name),
                                        .also = orFragment,
                                        .found = describe(given)})
        .help("use `elem_less(coordinates[(0, :), :, :], shape)`, where `coordinates` is the partitioned "
              "`identity_tensor(shape)`"),
        throw Failed{};
  Predicates out;
  for (int64_t i = 0; i < size; ++i)
    out.values.push_back(fragment->index(e, {Value(i)}, range).as<MachineValue>()->value);
  return out;
}

} // namespace fly::sema
