// See WidestCopy.h.
//
// A width is legal for a tensor if each of its accesses is legal for all coordinates of the other modes: the elements
// are adjacent, their place is known to be aligned, and a buffer ends where an access does. The first condition that
// fails is the obstacle. The search and its explanation call the same function, so the explanation gives the real
// reason.
//
//   x: In[f32, (m, n)], threads of 4 neighbours      128 bits: known to be a multiple of 4 bytes, 16 are needed
//   x.T, the same                                    128 bits: elements of mode (0, 0) are `n` apart
#include "compiler/sema/atom/WidestCopy.h"

#include "compiler/dialect/AccessWidth.h"
#include "compiler/dialect/Copies.h"
#include "compiler/dialect/Views.h"
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/sema/tensor/PackedElements.h"
#include "compiler/text/Words.h"

#include <numeric>

namespace fly::sema {

using layout::IntTuple;
using layout::Layout;
using layout::Leaf;

namespace {

struct Obstacle {
  enum Kind { Elements, Apart, Swizzled, Misaligned, BufferEnd } kind;
  std::string text;
  int64_t known = 0; ///< bytes, of Misaligned
};

std::string quoted(std::string text) { return "`" + text + "`"; }

/// "(0, 1)" for the leaf of a tuple's mode 0 at a place among its leaves.
std::string modeName(const IntTuple &tuple, size_t leaf, std::string path = "0") {
  if (tuple.isLeaf())
    return path.find(',') == std::string::npos ? path : "(" + path + ")";
  for (size_t i = 0; i < tuple.rank(); ++i) {
    const size_t count = tuple.mode(i).leaves().size();
    if (leaf < count)
      return modeName(tuple.mode(i), leaf, path + ", " + std::to_string(i));
    leaf -= count;
  }
  return path;
}

/// Why `count` elements of mode 0 are not adjacent.
std::string apartText(const TensorValue &tensor, const ir::TensorType &type, int64_t count) {
  const Layout mode = type.getDomain().mode(0);
  const auto extents = mode.shape().leaves(), strides = mode.stride().leaves();
  int64_t run = 1;
  for (size_t i = 0; i < extents.size() && run < count; ++i) {
    if (extents[i].isStatic(1))
      continue;
    if (!strides[i].isStatic(run)) {
      const std::string name = strideText(tensor, strides[i]), stride = strides[i].isStatic() ? name : quoted(name);
      if (strides[i].isStatic(0))
        return "mode " + modeName(mode.shape(), i) + " has stride 0 and repeats elements";
      return run == 1 ? "elements of mode " + modeName(mode.shape(), i) + " are " + stride + " apart"
                      : "after " + std::to_string(run) + " elements, mode " + modeName(mode.shape(), i) +
                            " continues " + stride + " from their first";
    }
    run *= extents[i].isStatic() ? extents[i].value : count;
  }
  if (auto *composed = std::get_if<layout::ComposedLayout>(&type.getLayout()))
    if (auto *swizzle = std::get_if<layout::Swizzle>(&composed->inner())) {
      if (int64_t together = int64_t(1) << swizzle->base; together < count)
        return quoted(swizzle->text()) + " keeps " + counted(together, "element") + " together";
      if (const Leaf *start = composed->offset().isLeaf() ? &composed->offset().leaf() : nullptr;
          start && start->divisor() % count)
        return "it begins in " + quoted(swizzle->text()) + " at a multiple of " + std::to_string(start->divisor()) +
               " elements, as far as flyc knows";
    }
  return quoted(layout::textOf(type.getLayout())) + " does not keep them together";
}

/// Whether mode 0 is contiguous, but a swizzle after it keeps fewer than `count` elements together.
bool keepsFewer(const ir::TensorType &type, int64_t count) {
  auto *composed = std::get_if<layout::ComposedLayout>(&type.getLayout());
  auto *swizzle = composed ? std::get_if<layout::Swizzle>(&composed->inner()) : nullptr;
  const Layout mode = type.getDomain().mode(0);
  return swizzle && int64_t(1) << swizzle->base < count && mode.shape().leaves().size() == 1 &&
         mode.stride().leaves()[0].isStatic(1);
}

/// Why `count` neighbours of mode 0 of a tensor cannot be one access for all coordinates of the other modes.
std::optional<Obstacle> obstacleOf(const TensorValue &tensor, int64_t count) {
  layout::InferringArithmetic arithmetic;
  const auto whole = llvm::cast<ir::TensorType>(tensor.value.getType());
  auto divided = ir::rearrangedType(whole, ir::intoAccesses(count));
  if (!divided)
    return Obstacle{Obstacle::Elements, divided.text()};
  auto type = llvm::cast<ir::TensorType>(*divided);
  const Layout &domain = type.getDomain();
  auto first = layout::size(domain.mode(0).mode(0), arithmetic);
  auto accesses = ir::Accesses::of(domain);
  if (!first || !first->isStatic(count) || !accesses)
    return Obstacle{Obstacle::Elements,
                    "the number of accesses of " + quoted(whole.getDomain().text()) + " is not known"};
  int64_t known = int64_t(1) << 30;
  for (const IntTuple &access : *accesses) {
    auto piece = ir::sliceType(type, access);
    if (!piece)
      return Obstacle{Obstacle::Apart, piece.text()};
    const auto obstacle = ir::obstacleTo(*piece);
    if (obstacle == ir::AccessObstacle::Apart)
      return Obstacle{keepsFewer(whole, count) ? Obstacle::Swizzled : Obstacle::Apart, apartText(tensor, whole, count)};
    if (obstacle)
      known = std::min<int64_t>(known, piece->getAlignment());
  }
  if (known != int64_t(1) << 30)
    return Obstacle{Obstacle::Misaligned, "the address is only known to be a multiple of " + counted(known, "byte"),
                    known};
  if (const int64_t inside = ir::widestInside(tensor.value); inside < count * whole.getElementBits())
    return Obstacle{Obstacle::BufferEnd, "such an access may lie across the end of the buffer, which ends with " +
                                             std::to_string(inside) + " bits"};
  return std::nullopt;
}

/// Advice on how to state more about a tensor's alignment or about the access.
std::string helpFor(const TensorValue &tensor, const Obstacle &obstacle, int64_t count) {
  const auto type = llvm::cast<ir::TensorType>(tensor.value.getType());
  const std::string multiple = std::to_string(count);
  switch (obstacle.kind) {
  case Obstacle::Elements: return "partition it so that mode 0 has a multiple of " + multiple + " elements";
  case Obstacle::Swizzled:
    return "a swizzle that keeps " + multiple + " elements together: its base is " +
           std::to_string(llvm::Log2_64(uint64_t(count))) + " or more";
  case Obstacle::Apart: return "take the elements along the contiguous mode: another layout of values in `tiled_copy`";
  case Obstacle::BufferEnd:
    return "state in `requires=` what extents and strides are multiples of: `requires=n % " + multiple + " == 0`";
  case Obstacle::Misaligned: break;
  }
  mlir::Value whole = ir::originOf(tensor.value);
  if (!whole)
    return "let each thread begin at a multiple of " + multiple + " elements";
  const auto origin = llvm::cast<ir::TensorType>(whole.getType());
  const int64_t needed = ir::neededAlignment(count * type.getElementBits());
  std::string wanted;
  bool isUnknown = false, isUneven = false;
  for (const Leaf &stride : origin.getDomain().stride().leaves()) {
    if (stride.divisor() * origin.getElementBits() / 8 % needed == 0)
      continue;
    if (stride.isStatic()) {
      isUneven |= stride.value > 1;
      continue;
    }
    isUnknown = true;
    const std::string name = strideText(tensor, stride);
    if (name.find('?') == std::string::npos)
      wanted += (wanted.empty() ? "" : " and ") + name + " % " + multiple + " == 0";
  }
  if (!wanted.empty())
    return "`requires=" + wanted + "` makes it known";
  if (isUnknown)
    return "`requires=` makes known that strides are multiples of " + multiple + ", as `requires=n % " + multiple +
           " == 0`";
  if (isUneven)
    return "strides that are multiples of " + multiple + " elements: " + quoted(layout::textOf(origin.getLayout())) +
           " has another";
  if (int64_t(origin.getAlignment()) < needed)
    return type.getSpace() == ir::AddressSpace::Global
               ? "`align=" + std::to_string(needed) + "` of the parameter, if the caller can promise it"
               : "`align=" + std::to_string(needed) + "` where it is made";
  return "let each thread begin at a multiple of " + multiple +
         " elements: another layout of threads and values in `tiled_copy`";
}

/// The most elements of a type that an access holds.
int64_t mostElements(host::Number element) { return ir::mostElements(host::format(element).bits); }

std::optional<int64_t> elementsOf(Elaborator &e, const BoundCall &call, size_t i) {
  layout::InferringArithmetic arithmetic;
  Leaf first = taken(e, layout::size(domainOf(call[i]).mode(0), arithmetic), call.builtin->name, call.ranges[i]);
  return first.isStatic() ? std::optional(first.value) : std::nullopt;
}

std::string listed(const std::vector<int64_t> &numbers) {
  std::string out;
  for (auto [i, n] : llvm::enumerate(numbers))
    out += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(n);
  return out;
}

/// The widths that an obstacle forbids on one side of the copy.
struct Forbidden {
  Obstacle obstacle;
  std::vector<int64_t> bits, bytes;
};

std::string textOf(const Forbidden &one, const std::string &between = ": ") {
  std::string text = listed(one.bits) + " bits" + between + one.obstacle.text;
  if (one.obstacle.kind == Obstacle::Misaligned)
    text += ", but " + listed(one.bytes) + " are needed";
  return text;
}

} // namespace

std::shared_ptr<const CopyAtom> widestCopy(Elaborator &e, BoundCall &call, size_t source, size_t destination) {
  std::optional<host::Number> element;
  int64_t elements = 0;
  bool hasBuffer = false;
  for (size_t i : {source, destination}) {
    if (isView(call[i]) && domainOf(call[i]).rank() == 0)
      e.fail(diag::copy_shape, call.ranges[i], {"have no modes: `" + domainOf(call[i]).text() + "`"});
    auto *tensor = call[i].as<TensorValue>();
    auto *fragment = objectAs<Fragment>(call[i]);
    if ((!tensor || tensor->record) && !fragment)
      e.fail(call.ranges[i], diag::view_expected{.what = argumentName(call, i), .found = describe(call[i])});
    element = tensor ? tensor->element : fragment->storage->element;
    elements = std::gcd(elements, elementsOf(e, call, i).value_or(0));
    hasBuffer |= pieceIn(call[i], ir::AddressSpace::Buffer) != nullptr;
  }
  const int64_t bits = host::format(*element).bits;
  const ir::ElementUnit unit = unitOf(*element);
  auto atomOf = [&](int64_t count) {
    return hasBuffer ? bufferCopy(count * bits, *element) : universalCopy(count * bits, *element);
  };
  const std::vector<int64_t> &widths = atom::row(atom::CopyKind::Universal).bits;
  for (int64_t count = mostElements(*element); count > (unit.elements > 1 ? 0 : 1); count /= 2)
    if (llvm::is_contained(widths, count * bits) && elements % count == 0 &&
        llvm::all_of(std::array{source, destination}, [&](size_t i) {
          auto *tensor = call[i].as<TensorValue>();
          return !tensor || !obstacleOf(*tensor, count);
        }))
      return atomOf(count);
  if (unit.elements > 1)
    e.report(diag::part_of_byte, call.range,
             {"no access of `" + std::string(host::format(*element).name) + "` is legal for both sides"})
        .help(bits == 6 ? "16 adjacent elements at a multiple of 4 bytes make one 96-bit access"
                        : "2 or more adjacent elements make one access"),
        throw Failed{};
  return atomOf(1);
}

void tellOfWidestCopy(Elaborator &e, const BoundCall &call, const CopyAtom &atom, size_t source, size_t destination) {
  const auto elements = elementsOf(e, call, source);
  const int64_t most = mostElements(atom.element), count = atom.values(), bits = host::format(atom.element).bits;
  const bool isSingle = count == 1 && most > 1 && elements.value_or(0) > 1,
             isAsked = e.diags.isWanted(diag::copy_atom::kind);
  if (!elements || (!isSingle && !isAsked))
    return;
  std::vector<std::string> notes, helps;
  std::string reason = "the widest access"; // of what is next to it
  if (count < most)
    reason = "mode 0 has " + std::to_string(*elements) +
             (*elements == 1  ? " element"
              : *elements % 2 ? " elements, an odd number"
                              : " elements");
  if (*elements % (2 * count) == 0)
    for (size_t i : {destination, source}) {
      auto *tensor = call[i].as<TensorValue>();
      if (!tensor)
        continue;
      const std::string name = std::string(i == source ? "source " : "destination ") + nameOf(call[i]);
      std::vector<Forbidden> all;
      for (int64_t wider = most; wider > count; wider /= 2) {
        if (*elements % wider)
          continue;
        auto obstacle = obstacleOf(*tensor, wider);
        if (!obstacle)
          continue;
        if (all.empty() || all.back().obstacle.kind != obstacle->kind || all.back().obstacle.text != obstacle->text)
          all.push_back({*obstacle, {}, {}});
        all.back().bits.push_back(wider * bits);
        all.back().bytes.push_back(wider * bits / 8);
        if (wider == 2 * count) {
          reason =
              textOf({*obstacle, {wider * bits}, {wider * bits / 8}}, " are not legal for " + nameOf(call[i]) + ": ");
          if (std::string help = helpFor(*tensor, all.front().obstacle, all.front().bits.front() / bits);
              !llvm::is_contained(helps, help))
            helps.insert(helps.begin(), help);
        }
      }
      for (const Forbidden &one : llvm::reverse(all))
        notes.insert(notes.begin(), name + ": " + textOf(one));
    }
  else if (count < most)
    helps.push_back("partition both so that mode 0 has a multiple of " + std::to_string(2 * count) + " elements");
  auto finish = [&](DiagnosticBuilder builder) {
    for (const std::string &note : notes)
      builder.note(note);
    for (const std::string &help : helps)
      builder.help(help);
    if (isSingle)
      builder.help("if single elements are intended, use `" + atom.text() + "`");
  };
  if (isSingle)
    finish(e.report(call.ranges[0], diag::single_element_copy{.bits = bits, .reason = reason}));
  if (isAsked)
    finish(e.report(call.ranges[0], diag::copy_atom{.atom = atom.text(), .reason = reason}));
}

} // namespace fly::sema
