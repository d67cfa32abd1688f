// emitCopy: what is copied is checked, and becomes one `fly.copy`.
//
//   1. what the atom's kind needs: the memory of each side, predicates, fills
//   2. each access: its element, its width and alignment, the end of a buffer
//   3. the operation, with the atom as an attribute
//
// An access to a view of a buffer beyond 2 GiB gets its own buffer when the kernel is complete
// (compiler/analysis/RebaseFarBuffers.cpp), so such a copy is one operation per access.
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/elaborator/InputWrites.h"
#include "compiler/sema/number/Conversions.h"

#include "compiler/dialect/Copies.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/tensor/BufferReach.h"
#include "compiler/sema/tensor/Fragment.h"

#include "llvm/ADT/DenseSet.h"

namespace fly::sema {

using atom::CopyKind;
using ir::AddressSpace;
using layout::IntTuple;
using layout::Layout;

namespace {

const TensorValue &tensorOf(const Value &view) { return *view.as<TensorValue>(); }
ir::TensorType typeOf(const TensorValue &tensor) { return llvm::cast<ir::TensorType>(tensor.value.getType()); }

void checkElement(Elaborator &e, const CopyAtom &atom, host::Number element, SourceRange range) {
  if (element != atom.element)
    e.report(diag::wrong_value, range,
             {"the element type of `" + atom.text() + "`", std::string(host::format(atom.element).name),
              std::string(host::format(element).name)})
        .help("a copy does not convert; convert the fragment with `.to(T)`"),
        throw Failed{};
}

[[noreturn]] void failSide(Elaborator &e, const CopyCall &call, bool isSource, const std::string &wanted) {
  e.fail(isSource ? call.sourceRange : call.destinationRange,
         diag::copy_side{.atom = call.atom.text(),
                         .wanted = wanted,
                         .side = isSource ? "as its source" : "as its destination",
                         .found = describePlace(isSource ? call.source : call.destination)});
}

// ---------------------------------------------------------------------------------------------------------
// What a kind needs

void requireSide(Elaborator &e, const CopyCall &call, bool isSource, AddressSpace space, const std::string &what) {
  if (!pieceIn(isSource ? call.source : call.destination, space))
    failSide(e, call, isSource, what);
}

void checkDirect(Elaborator &e, const CopyCall &call) {
  const bool isBuffer = call.atom.kind == CopyKind::BufferToLds,
             fromShared = call.atom.kind == CopyKind::Async && pieceIn(call.source, AddressSpace::Shared);
  if (isBuffer)
    requireSide(e, call, true, AddressSpace::Buffer, "a buffer");
  else if (!fromShared)
    requireSide(e, call, true, AddressSpace::Global,
                call.atom.kind == CopyKind::Async ? "global or shared memory" : "global memory");
  requireSide(e, call, false, fromShared ? AddressSpace::Global : AddressSpace::Shared,
              fromShared ? "global memory" : "shared memory");
  const bool isZero = call.fill && toInt64(*call.fill) == 0;
  if (call.fill && !(isZero && isBuffer))
    e.fail(diag::wrong_value, call.range,
           {"`fill` of `" + call.atom.text() + "`",
            isBuffer ? "0, the value outside a buffer" : "left out: elements that are off are not touched",
            isZero ? "0" : describe(*call.fill)});
}

void checkTransposing(Elaborator &e, const CopyCall &call) {
  const bool isShared = call.atom.kind == CopyKind::LdsTransposing;
  requireSide(e, call, true, isShared ? AddressSpace::Shared : AddressSpace::Global,
              isShared ? "shared memory" : "global memory");
  if (!objectAs<Fragment>(call.destination))
    failSide(e, call, false, "a fragment");
  if (!call.predicates.empty())
    e.report(diag::wrong_argument_type, call.range,
             {"copy", "no predicate with `" + call.atom.text() + "`, whose lanes exchange what they read", "pred",
              "a predicate"})
        .help("read the whole tile, and drop the elements outside when you write it"),
        throw Failed{};
}

void checkUniversal(Elaborator &e, const CopyCall &call) {
  auto hasCaches = [](const Value &view) {
    return pieceIn(view, AddressSpace::Global) || pieceIn(view, AddressSpace::Buffer);
  };
  if (!call.atom.cache.isUsual() && !hasCaches(call.source) && !hasCaches(call.destination))
    e.fail(call.sourceRange, diag::copy_side{.atom = call.atom.text(),
                                             .wanted = "global memory",
                                             .side = "on one side",
                                             .found = describePlace(call.source)});
}

void checkBuffer(Elaborator &e, const CopyCall &call) {
  if (!pieceIn(call.source, AddressSpace::Buffer) && !pieceIn(call.destination, AddressSpace::Buffer))
    e.report(call.sourceRange, diag::copy_side{.atom = call.atom.text(),
                                               .wanted = "a buffer",
                                               .side = "on one side",
                                               .found = describePlace(call.source)})
        .label(call.destinationRange, "this is not a buffer either")
        .help("`buffer(t)` makes a buffer from a global tensor"),
        throw Failed{};
}

void checkAtomic(Elaborator &e, const CopyCall &call) {
  const bool isBuffer = call.atom.kind == CopyKind::BufferAtomic;
  auto *destination = call.destination.as<TensorValue>();
  if (!destination || isBuffer != (pieceIn(call.destination, AddressSpace::Buffer) != nullptr)) {
    auto builder =
        e.report(call.destinationRange, diag::copy_side{.atom = call.atom.text(),
                                                        .wanted = isBuffer ? "a buffer" : "global or shared memory",
                                                        .side = "as its destination",
                                                        .found = describePlace(call.destination)});
    builder.help(isBuffer ? "`buffer(t)` makes a buffer from a global tensor" : "use `BufferAtomic` for a buffer");
    throw Failed{};
  }
  const AddressSpace space = typeOf(*destination).getSpace();
  if (space == AddressSpace::Private || space == AddressSpace::Constant)
    e.fail(diag::bad_access, call.range,
           {space == AddressSpace::Private
                ? "private memory belongs to one thread; atomic operations do not apply to it"
                : "constant memory cannot be written"});
  if (!objectAs<Fragment>(call.source))
    failSide(e, call, true, "a fragment");
}

void checkKind(Elaborator &e, const CopyCall &call) {
  switch (call.atom.kind) {
  case CopyKind::Universal: return checkUniversal(e, call);
  case CopyKind::Buffer: return checkBuffer(e, call);
  case CopyKind::BufferToLds:
  case CopyKind::GlobalToLds:
  case CopyKind::Async: return checkDirect(e, call);
  case CopyKind::LdsTransposing:
  case CopyKind::GlobalTransposing: return checkTransposing(e, call);
  case CopyKind::UniversalAtomic:
  case CopyKind::BufferAtomic: return checkAtomic(e, call);
  }
}

// ---------------------------------------------------------------------------------------------------------
// Accesses

ir::Accesses accessesOf(Elaborator &e, const CopyCall &call) {
  layout::InferringArithmetic arithmetic;
  auto divided =
      taken(e, ir::intoAccesses(call.atom.values()).apply(layout::AnyLayout(domainOf(call.source)), arithmetic), "copy",
            call.sourceRange);
  return taken(e, ir::Accesses::of(layout::domainOf(divided)), "copy", call.sourceRange);
}

/// Checks that the atom can perform each access to a tensor. Accesses of one type are checked once.
void checkPieces(Elaborator &e, const CopyCall &call, const TensorValue &view, const ir::Accesses &accesses,
                 bool writes, SourceRange range) {
  checkElement(e, call.atom, view.element, range);
  if (writes && view.access == Access::Read)
    failInput(e, range, view.name);
  auto divided = llvm::cast<ir::TensorType>(
      taken(e, ir::rearrangedType(typeOf(view), ir::intoAccesses(call.atom.values())), "copy", range));
  llvm::DenseSet<mlir::Type> seen;
  for (const IntTuple &access : accesses) {
    e.step(call.range);
    ir::TensorType piece = taken(e, ir::sliceType(divided, access), "copy", range);
    if (!seen.insert(piece).second)
      continue;
    checkAccess(e, view, piece, call.atom.values(), call.atom.bits, range);
    checkBufferEnd(e, view, call.atom.bits, range);
  }
}

// ---------------------------------------------------------------------------------------------------------
// The operation

/// The instruction's cache policy on either side; none for LDS and private memory.
ir::CopyAtomAttr attributeOf(Elaborator &e, const CopyCall &call) {
  const CopyAtom &atom = call.atom;
  uint32_t load = 0, store = 0;
  bool isNontemporal = false, isNegated = false;
  std::optional<ir::MemoryScope> scope;
  std::optional<ir::AtomicKind> atomic;
  auto bits = [&](target::MemoryAccess access, SourceRange range) { return cacheBitsOf(e, atom.cache, access, range); };
  if (atom.row().isOperation) {
    std::tie(atomic, isNegated) = atomicOf(e, atom, typeOf(tensorOf(call.destination)).getSpace(), call.range);
    scope = atom.cache.scope;
    if (atom.kind == CopyKind::BufferAtomic)
      store = bits(target::MemoryAccess::Atomic, call.range), scope = std::nullopt;
  } else if (atom.row().bypassesRegisters) {
    if (pieceIn(call.source, AddressSpace::Shared))
      store = bits(target::MemoryAccess::Store, call.range);
    else
      load = bits(target::MemoryAccess::Load, call.range);
  } else if (!atom.cache.isUsual()) {
    if (pieceIn(call.source, AddressSpace::Buffer))
      load = bits(target::MemoryAccess::Load, call.sourceRange);
    if (pieceIn(call.destination, AddressSpace::Buffer))
      store = bits(target::MemoryAccess::Store, call.destinationRange);
    for (auto [view, range] :
         {std::pair(&call.source, call.sourceRange), std::pair(&call.destination, call.destinationRange)})
      if (pieceIn(*view, AddressSpace::Global)) {
        checkPlainPolicy(e, atom.cache, atom.bits, range);
        isNontemporal = !atom.cache.hint.empty(), scope = atom.cache.scope;
      }
  }
  return ir::CopyAtomAttr::get(&e.context, ir::CopyKind(atom.kind), atom.bits, load, store, isNontemporal, scope,
                               atomic, isNegated);
}

mlir::Value operandOf(Elaborator &e, const Value &view, SourceRange range) {
  if (auto *fragment = objectAs<Fragment>(view))
    return fragment->asOperand(e, range);
  return tensorOf(view).value;
}

llvm::StringRef tensorName(const Value &view) {
  auto *tensor = view.as<TensorValue>();
  return tensor ? llvm::StringRef(tensor->name) : llvm::StringRef();
}

void emitOperation(Elaborator &e, const CopyCall &call) {
  ir::CopyAtomAttr attribute = attributeOf(e, call);
  mlir::Value fill;
  const bool intoRegisters = objectAs<Fragment>(call.destination);
  if (call.fill && !call.predicates.empty() && (intoRegisters || call.atom.row().bypassesRegisters))
    fill = toMachine(e, *call.fill, Type::vector(call.atom.element, uint32_t(call.atom.values())), call.range).value;
  mlir::Value source = operandOf(e, call.source, call.sourceRange),
              destination = operandOf(e, call.destination, call.destinationRange);
  const auto location = e.location(call.range, call.atom.text(),
                                   {{"source", call.sourceRange, tensorName(call.source)},
                                    {"destination", call.destinationRange, tensorName(call.destination)}});
  ir::CopyOp::create(e.ir(call.range, "copy"), location, attribute, source, destination, call.predicates, fill,
                     call.isWidest);
}

/// A fragment with the shape of `fragment` in column-major order, so that its accesses are whole bytes.
Value inBytes(Elaborator &e, const Fragment &fragment, SourceRange range) {
  layout::InferringArithmetic arithmetic;
  const Layout &shape = layout::domainOf(fragment.layout);
  return makeFragment(e, fragment.storage->element,
                      layout::AnyLayout(taken(e, layout::columnMajor(shape.shape(), arithmetic), "copy", range)),
                      range);
}

/// Emits each access as a separate copy.
void emitSingly(Elaborator &e, const CopyCall &call, const ir::Accesses &accesses) {
  const layout::Rearrangement step = ir::intoAccesses(call.atom.values());
  Value source = rearranged(e, call.source, step, "copy", call.sourceRange, call.sourceRange);
  Value destination = rearranged(e, call.destination, step, "copy", call.destinationRange, call.destinationRange);
  for (const auto &[i, at] : llvm::enumerate(accesses)) {
    CopyCall one{call.atom,
                 sliced(e, source, at, call.sourceRange),
                 sliced(e, destination, at, call.destinationRange),
                 {},
                 call.fill,
                 call.range,
                 call.sourceRange,
                 call.destinationRange,
                 call.isWidest};
    if (!call.predicates.empty())
      one.predicates = {call.predicates[i / (size_t(accesses.size()) / call.predicates.size())]};
    for (auto [view, range] :
         {std::pair(&one.source, call.sourceRange), std::pair(&one.destination, call.destinationRange)})
      if (auto *tensor = view->as<TensorValue>())
        checkReach(e, *tensor, range);
    emitOperation(e, one);
  }
}

bool isFar(const Value &view) {
  auto *tensor = view.as<TensorValue>();
  return tensor && ir::BufferOp::farOrigin(tensor->value);
}
} // namespace

void emitCopy(Elaborator &e, const CopyCall &call) {
  checkKind(e, call);
  const ir::Accesses accesses = accessesOf(e, call);
  if (accesses.size() > ir::CopyOp::maximumAccesses)
    e.fail(call.range, diag::above_limit{.what = "the number of accesses of one copy",
                                         .limit = ir::CopyOp::maximumAccesses,
                                         .found = accesses.size()});
  for (bool isSource : {true, false}) {
    const Value &view = isSource ? call.source : call.destination;
    const SourceRange range = isSource ? call.sourceRange : call.destinationRange;
    auto *fragment = objectAs<Fragment>(view);
    if (!fragment) {
      checkPieces(e, call, tensorOf(view), accesses, !isSource, range);
      continue;
    }
    checkElement(e, call.atom, fragment->storage->element, range);
    if (fragment->isWholeBytes(e, call.atom.values(), range))
      continue;
    Value bytes = inBytes(e, *fragment, range);
    const auto *staged = objectAs<Fragment>(bytes);
    staged->store(e, fragment->load(e, range), range); // also of a destination, parts of which predicates may leave out
    CopyCall other = call;
    (isSource ? other.source : other.destination) = bytes;
    emitCopy(e, other);
    if (!isSource)
      fragment->store(e, staged->load(e, range), range);
    return;
  }
  isFar(call.source) || isFar(call.destination) ? emitSingly(e, call, accesses) : emitOperation(e, call);
}

} // namespace fly::sema
