// Copies: the atoms, tiled copies, and `copy`, which calls an atom for each piece.
//
//   copy(atom, source, destination, pred=, fill=)
//
// Mode 0 of source and destination is what the accesses of a thread move, values() elements each; the other modes are
// repetitions. A predicate is one bool, or a fragment of one bool an access.
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/atom/Families.h"
#include "compiler/sema/atom/ConflictFreeSwizzle.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/sema/tensor/PackedElements.h"
#include "compiler/sema/atom/TiledCopy.h"
#include "compiler/sema/atom/WidestCopy.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/text/Words.h"

namespace fly::sema {

using layout::IntTuple;
using layout::Layout;
using layout::Leaf;

namespace {

// ---------------------------------------------------------------------------------------------------------
// UniversalCopy

Value makeUniversal(Elaborator &e, BoundCall &call) {
  return makeCopyAtom(e, atom::CopyKind::Universal, call[0], call.ranges[0], call[1], call.ranges[1],
                      cachePolicyOf(e, call, 2, {target::MemoryAccess::Load, target::MemoryAccess::Store}));
}

Value widestCopyOf(Elaborator &e, BoundCall &call) { return Value(ObjectValue{widestCopy(e, call, 0, 1)}); }

// ---------------------------------------------------------------------------------------------------------
// Tiled copies

std::shared_ptr<const CopyAtom> atomOf(Elaborator &e, BoundCall &call, size_t i) {
  if (auto *tiled = objectAs<TiledCopy>(call[i]))
    return tiled->atom;
  if (objectAs<CopyAtom>(call[i]))
    return std::static_pointer_cast<const CopyAtom>(call[i].as<ObjectValue>()->object);
  e.report(call.ranges[i], diag::copy_atom_expected{.what = argumentName(call, i), .found = describe(call[i])})
      .help("use, for example, `UniversalCopy(128, f32)`"),
      throw Failed{};
}

Value tiledCopy(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  std::optional<Layout> threads, values, tv;
  TiledCopyRequest request{atomOf(e, call, 0), nullptr, nullptr, nullptr, {}, call.range, {}, {}, {}, {}};
  auto take = [&](size_t i, std::optional<Layout> &into, const Layout *&pointer, SourceRange &range) {
    if (!c.has(i))
      return;
    into = c.plain(i);
    pointer = &*into;
    range = call.ranges[i];
  };
  take(1, threads, request.threads, request.threadsRange);
  take(2, values, request.values, request.valuesRange);
  take(3, tv, request.tv, request.tvRange);
  if (c.has(4)) {
    request.tile = c.tuple(4, "a tile");
    request.tileRange = call.ranges[4];
    if (!request.tile->isStatic() || request.tile->hasKeep())
      e.fail(call.ranges[4], diag::dynamic_layout{.what = "the tile of a tiled copy", .layout = request.tile->text()});
  }
  bool byParts = request.threads && request.values && !request.tv,
       whole = request.tv && request.tile && !request.threads && !request.values;
  if (!byParts && !whole)
    e.report(diag::wrong_argument_count, call.range,
             {call.builtin->name, "thread and value layouts, or `tv=` and `tile=`", "a mixture of them"})
        .help("`tiled_copy(atom, layout[(8, 16):(16, 1)], layout[(1, 4):(0, 1)])`, or `tiled_copy(atom, tv=L, tile=(8, "
              "64))`"),
        throw Failed{};
  return makeTiledCopy(e, request);
}

// ---------------------------------------------------------------------------------------------------------
// copy

const char *const ordinals[] = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"};

std::string sizeText(const Leaf &size) { return size.isStatic() ? std::to_string(size.value) : layout::leafText(size); }

/// Source and destination have the same number of accesses in each mode.
void checkShapes(Elaborator &e, const CopyAtom &atom, BoundCall &call) {
  layout::InferringArithmetic arithmetic;
  Layout source = domainOf(call[1]), destination = domainOf(call[2]);
  auto sizeAt = [&](const Layout &layout, size_t mode) {
    return taken(e, layout::size(layout.mode(mode), arithmetic), "copy", call.range);
  };
  auto accesses = [&](const Layout &layout) {
    auto all = layout::size(layout, arithmetic);
    auto first = sizeAt(layout, 0);
    return layout.shape().text() +
           (all && all->isStatic() && first.isStatic() && first.value
                ? ": " + std::to_string(all->value / first.value) + " accesses of " + std::to_string(first.value)
                : "");
  };
  std::string difference;
  if (source.rank() != destination.rank())
    difference = "differ in their number of modes: " + std::to_string(source.rank()) + " and " +
                 std::to_string(destination.rank());
  for (size_t i = 0; difference.empty() && i < source.rank(); ++i)
    if (Leaf a = sizeAt(source, i), b = sizeAt(destination, i); !(a == b))
      difference = "differ in their " + std::string(i < 8 ? ordinals[i] : "last") + " mode: " + sizeText(a) + " and " +
                   sizeText(b);
  if (difference.empty())
    return;
  bool registers = objectAs<Fragment>(call[1]) || objectAs<Fragment>(call[2]);
  auto builder = e.report(diag::copy_shape, call.ranges[2], {difference + (registers ? "; retile the fragment" : "")});
  builder.caret(accesses(destination));
  builder.label(call.ranges[1], accesses(source));
  builder.note("mode 0 is one access: " + std::to_string(atom.bits) + " bits hold " +
               counted(atom.values(), "element") + " of " + std::string(host::format(atom.element).name));
  throw Failed{};
}

/// Checks that mode 0 of both sides is whole accesses and that the number of repetitions is known. Returns the number
/// of accesses in total and in mode 0.
std::pair<int64_t, int64_t> countAccesses(Elaborator &e, BoundCall &call, const CopyAtom &atom) {
  layout::InferringArithmetic arithmetic;
  int64_t accesses = 1, first = 1;
  for (size_t i : {1, 2}) { // of a tensor in memory too: an access never goes past mode 0
    Layout domain = domainOf(call[i]);
    accesses = 1;
    for (size_t mode = 0; mode < domain.rank(); ++mode) {
      Leaf size = taken(e, layout::size(domain.mode(mode), arithmetic), "copy", call.ranges[i]);
      if (mode == 0 && (!size.isStatic() || size.value % atom.values()))
        e.fail(diag::copy_shape, call.ranges[i],
               {"have " + sizeText(size) + " elements in mode 0, `" + atom.text() + "` moves " +
                std::to_string(atom.values()) + " at a time"});
      if (!size.isStatic())
        e.report(call.ranges[i],
                 diag::dynamic_layout{.what = "the number of repetitions of a copy", .layout = domain.text()})
            .help("fix the dynamic modes with a coordinate, in a loop"),
            throw Failed{};
      accesses *= mode == 0 ? first = size.value / atom.values() : size.value;
    }
  }
  return {accesses, first};
}

Value copyPieces(Elaborator &e, BoundCall &call) {
  e.ir(call.range, "copy");
  auto *word = call[0].as<std::string>();
  const bool isAuto = word && *word == "auto";
  auto atom = isAuto ? widestCopy(e, call, 1, 2) : atomOf(e, call, 0);
  for (size_t i : {1, 2}) {
    if (!isView(call[i]) || (call[i].is<TensorValue>() && call[i].as<TensorValue>()->record))
      e.fail(call.ranges[i], diag::view_expected{.what = argumentName(call, i), .found = describe(call[i])});
    if (domainOf(call[i]).rank() == 0)
      e.fail(diag::copy_shape, call.ranges[i], {"have no modes: `" + domainOf(call[i]).text() + "`"});
  }
  checkShapes(e, *atom, call);
  if (isAuto)
    tellOfWidestCopy(e, call, *atom, 1, 2);
  applyOffsets(e, call, 1, 2, 5, 6);
  auto [accesses, inModeZero] = countAccesses(e, call, *atom);
  Predicates predicates = predicatesOf(e, call, 3, accesses, inModeZero);
  if (predicates.known && !*predicates.known) { // nothing is accessed
    if (auto *fragment = objectAs<Fragment>(call[2]); fragment && call.given[4])
      fragment->fill(e, toMachine(e, call[4], Type::scalar(fragment->storage->element), call.ranges[4]),
                     call.ranges[2]);
    return Value();
  }
  emitCopy(e, {*atom, call[1], call[2], std::move(predicates.values), call.given[4] ? &call[4] : nullptr, call.range,
               call.ranges[1], call.ranges[2], isAuto});
  return Value();
}

const Builtin copyRows[] = {
    {"UniversalCopy", "bits, type, cache=, scope=",
     "the copy atom of a plain access: 8 to 128 bits per thread, in any memory; `cache=\"stream\"` for data used "
     "only once, `scope=` for data that others read or write at the same time",
     makeUniversal},
    {"widest_copy", "source, destination",
     "the copy atom with the widest accesses that are legal for both: `BufferCopy` if one of them is a buffer, else "
     "`UniversalCopy`",
     widestCopyOf},
    {"tiled_copy", "atom, threads=, values=, tv=, tile=",
     "a copy atom distributed over threads: by a layout of the threads and one of each thread's values, or by one "
     "layout of both together with the tile",
     tiledCopy},
    {"make_tiled_copy_tv", "atom, threads=, values=, tv=, tile=", "`tiled_copy` under CuTe's name", tiledCopy},
    {"conflict_free_swizzle", "layout, write=, read=",
     "the swizzle of a tile in LDS with which no access of these tiled copies has a bank conflict, judged by the "
     "phases of the target; an error if there is none. Each of `write` and `read` is a tiled copy or a tuple of them",
     conflictFreeSwizzle},
    {"copy", "atom, source, destination, pred=, fill=, soffset=, imm_offset=",
     "copies a partition piece by piece: from memory to registers, from registers to memory, or from memory to "
     "memory. Where `pred` is false, nothing is accessed and registers get `fill`. `soffset` and `imm_offset` count "
     "elements; a buffer instruction adds them to its address in the fields of these names. The atom `\"auto\"` "
     "stands for `widest_copy(source, destination)`",
     copyPieces},
};
} // namespace

std::shared_ptr<const CopyAtom> universalCopy(int64_t bits, host::Number element) {
  return std::make_shared<CopyAtom>(atom::CopyKind::Universal, bits, element);
}

llvm::ArrayRef<Builtin> copyBuiltins() { return copyRows; }

} // namespace fly::sema
