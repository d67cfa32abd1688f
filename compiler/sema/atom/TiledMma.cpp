// See TiledMma.h. Modes 0, 1, 2 are M, N, K; A has (M, K), B (N, K), C (M, N), and with an atom of several blocks each
// has the blocks as one more mode.
#include "compiler/sema/atom/TiledMma.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/atom/Families.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/tensor/PinnedFragments.h"
#include "compiler/sema/tensor/Fragment.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::Tile;
using Kind = layout::Rearrangement::Kind;

namespace {

const char *const letters = "MNK";

/// The modes of an operand.
std::array<size_t, 2> modesOf(MmaOperand operand) {
  return operand == MmaOperand::A   ? std::array<size_t, 2>{0, 2}
         : operand == MmaOperand::B ? std::array<size_t, 2>{1, 2}
                                    : std::array<size_t, 2>{0, 1};
}
int64_t extentOf(const atom::MmaRow &row, size_t mode) { return mode == 0 ? row.m : mode == 1 ? row.n : row.k; }

Tile extents(std::initializer_list<int64_t> each) {
  std::vector<Tile> tiles;
  for (int64_t extent : each)
    tiles.push_back(Tile::extent(Leaf::known(extent)));
  return Tile(std::move(tiles));
}

std::optional<MmaOperand> operandOf(llvm::StringRef name) {
  return name.ends_with("_A")   ? std::optional(MmaOperand::A)
         : name.ends_with("_B") ? std::optional(MmaOperand::B)
         : name.ends_with("_C") ? std::optional(MmaOperand::C)
                                : std::nullopt;
}

std::string tileText(const Tile &tile) {
  if (tile.kind() == Tile::Kind::Keep)
    return "None";
  const Layout &layout = tile.layout();
  return layout.shape().isLeaf() && layout.stride() == IntTuple(1) ? layout.shape().text()
                                                                   : "layout(\"" + layout.text() + "\")";
}

} // namespace

std::string TiledMma::text() const {
  std::string out = "tiled_mma(" + atom->text() + ", layout(\"" + waves.text() + "\")";
  if (llvm::any_of(order, [](const Tile &t) { return t.kind() != Tile::Kind::Keep; }))
    out += ", tile=(" + tileText(order[0]) + ", " + tileText(order[1]) + ", " + tileText(order[2]) + ")";
  return out + ")";
}

bool TiledMma::equals(const Object &other) const {
  auto *mma = dynamic_cast<const TiledMma *>(&other);
  return mma && mma->atom->equals(*atom) && mma->waves == waves && mma->order == order;
}

int64_t TiledMma::threads() const { return atom->row.threads() * staticSize(waves); }

std::array<int64_t, 3> TiledMma::tile() const {
  std::array<int64_t, 3> out;
  for (size_t mode = 0; mode < 3; ++mode)
    out[mode] = order[mode].kind() == Tile::Kind::Keep ? extentOf(atom->row, mode) * staticSize(waves.mode(mode))
                                                       : staticSize(order[mode].layout());
  return out;
}

std::vector<layout::Rearrangement> TiledMma::steps(MmaOperand operand) const {
  const auto [first, second] = modesOf(operand);
  const atom::MmaRow &row = atom->row;
  std::vector<layout::Rearrangement> steps;
  if (order[first].kind() != Tile::Kind::Keep || order[second].kind() != Tile::Kind::Keep)
    steps.push_back({Kind::LogicalDivide, Tile(std::vector<Tile>{order[first], order[second]}), {}});
  steps.push_back({Kind::ZippedDivide,
                   row.blocks > 1 ? extents({extentOf(row, first), extentOf(row, second), row.blocks})
                                  : extents({extentOf(row, first), extentOf(row, second)}),
                   {}});
  steps.push_back({Kind::Composition, Tile(std::vector<Tile>{Tile::of(atom->layoutOf(operand)), Tile::keep()}), {}});
  steps.push_back(
      {Kind::LogicalDivide,
       Tile(std::vector<Tile>{Tile::keep(), extents({staticSize(waves.mode(first)), staticSize(waves.mode(second))})}),
       {}});
  return steps;
}

layout::Result<Layout> TiledMma::layoutTV(MmaOperand operand) const {
  layout::InferringArithmetic arithmetic;
  const auto [first, second] = modesOf(operand);
  const auto extent = tile();
  std::vector<IntTuple> shape = {IntTuple(extent[first]), IntTuple(extent[second])};
  if (atom->row.blocks > 1)
    shape.emplace_back(atom->row.blocks);
  FLY_TRY(divided, layout::columnMajor(tupleOf(std::move(shape)), arithmetic));
  for (const layout::Rearrangement &step : steps(operand)) {
    FLY_TRY(next, step.apply(divided, arithmetic));
    divided = next;
  }
  const Layout ofAtom = divided.mode(0).mode(0),
               ofWaves = divided.mode(1); // what is kept whole gets a mode of one element
  // The modes of waves as they are numbered, those that share the operand with stride 0.
  std::vector<std::pair<int64_t, Layout>> numbered;
  for (size_t mode = 0; mode < 3; ++mode) {
    const int64_t size = staticSize(waves.mode(mode));
    const Layout own = mode == first    ? ofWaves.mode(0).mode(0)
                       : mode == second ? ofWaves.mode(1).mode(0)
                                        : Layout(size, 0);
    if (size > 1)
      numbered.emplace_back(waves.stride().mode(mode).leaf().value, own);
  }
  llvm::sort(numbered, [](auto &a, auto &b) { return a.first < b.first; });
  std::vector<Layout> threads = {ofAtom.mode(0)},
                      values = {ofAtom.mode(1), ofWaves.mode(0).mode(1), ofWaves.mode(1).mode(1)};
  for (auto &[stride, own] : numbered)
    threads.push_back(own);
  return layout::layoutOfModes({layout::layoutOfModes(threads), layout::layoutOfModes(values)});
}

Value TiledMma::attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange range,
                          SourceRange nameRange) const {
  if (name == "atom")
    return Value(ObjectValue{atom});
  if (name == "threads")
    return Value(threads());
  if (name == "tile") {
    const auto extent = tile();
    return makeTuple({Value(extent[0]), Value(extent[1]), Value(extent[2])});
  }
  if (name == "A" || name == "B" || name == "C")
    return makeLayoutValue(AnyLayout(taken(e, layoutTV(MmaOperand(name[0] - 'A')), "tiled_mma", range)));
  if (name == "get_slice")
    return Value(MethodValue{std::make_shared<const Value>(self), name.str()});
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name,
              {"atom", "threads", "tile", "A", "B", "C", "get_slice"});
}

Value TiledMma::method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const {
  const Leaf thread = sliceNumber(e, name, arguments, threads(), "tiled MMA", text(), range);
  return makeObject<ThreadMma>(std::shared_ptr<const TiledMma>(std::make_shared<TiledMma>(*this)), thread);
}

// ---------------------------------------------------------------------------------------------------------
// Parts

namespace {

/// Thread t's lane in the atom, and its wave's coordinates m, n, k.
std::array<Leaf, 4> coordinatesOf(Elaborator &e, const ThreadMma &mine, SourceRange range) {
  MachineArithmetic arithmetic(e, range);
  const TiledMma &mma = *mine.mma;
  const int64_t lanes = mma.atom->row.threads();
  auto coordinate = [&](int64_t extent, int64_t stride) {
    if (extent == 1)
      return Leaf::known(0);
    return taken(e, layout::idx2crd(mine.thread, Layout(extent, stride), arithmetic), "tiled_mma", range).leaf();
  };
  std::array<Leaf, 4> out;
  out[0] = coordinate(lanes, 1);
  for (size_t mode = 0; mode < 3; ++mode)
    out[mode + 1] = coordinate(staticSize(mma.waves.mode(mode)), lanes * mma.waves.stride().mode(mode).leaf().value);
  return out;
}

void checkModes(Elaborator &e, const TiledMma &mma, MmaOperand operand, const Layout &domain, llvm::StringRef name,
                SourceRange blame) {
  const size_t wanted = mma.atom->row.blocks > 1 ? 3 : 2;
  if (domain.rank() >= wanted)
    return;
  const auto [first, second] = modesOf(operand);
  e.fail(diag::no_layout, blame,
         {name.str(), std::string("it divides modes ") + letters[first] + (wanted == 3 ? ", " : " and ") +
                          letters[second] + (wanted == 3 ? " and blocks" : "") + "; the tensor has `" + domain.text() +
                          "`"});
}

/// (values, repeats, repeats, rest...) of thread t.
Value partition(Elaborator &e, const ThreadMma &mine, MmaOperand operand, const Value &view, llvm::StringRef name,
                SourceRange range, SourceRange blame) {
  const TiledMma &mma = *mine.mma;
  checkModes(e, mma, operand, domainOf(view), name, blame);
  Value divided = view;
  for (const layout::Rearrangement &step : mma.steps(operand))
    divided = rearranged(e, divided, step, name, range, blame);
  const auto at = coordinatesOf(e, mine, range);
  const auto [first, second] = modesOf(operand);
  const IntTuple keep(Leaf::keep());
  std::vector<IntTuple> rest = {tupleOf({IntTuple(at[first + 1]), keep}), tupleOf({IntTuple(at[second + 1]), keep})};
  const size_t modes = domainOf(divided).mode(1).rank();
  if (mma.atom->row.blocks > 1)
    rest.emplace_back(0); // one repeat of the blocks
  while (rest.size() < modes)
    rest.push_back(keep);
  const IntTuple lane = tupleOf({IntTuple(at[0]), keep});
  return sliced(e, divided, tupleOf({tupleOf({lane, IntTuple(0)}), tupleOf(std::move(rest))}), blame);
}

/// Registers for such a part of a tensor with this domain: an atom's values in one piece.
Value makeFragmentOf(Elaborator &e, const ThreadMma &mine, MmaOperand operand, const Layout &domain, int64_t stages,
                     llvm::StringRef name, SourceRange range, SourceRange blame) {
  const TiledMma &mma = *mine.mma;
  checkModes(e, mma, operand, domain, name, blame);
  layout::InferringArithmetic arithmetic;
  const auto [first, second] = modesOf(operand);
  const auto tile = mma.tile();
  std::vector<IntTuple> shape = {IntTuple(mma.atom->valuesOf(operand))};
  for (size_t mode = 0; mode < domain.rank(); ++mode) {
    if (mode == 2 && mma.atom->row.blocks > 1)
      continue;
    Leaf extent = taken(e, layout::size(domain.mode(mode), arithmetic), name, blame);
    if (!extent.isStatic())
      e.report(blame, diag::dynamic_layout{.what = "the shape of a fragment", .layout = domain.shape().text()})
          .help("registers have no addresses; fix the dynamic modes with a coordinate first"),
          throw Failed{};
    if (mode >= 2) {
      shape.emplace_back(extent.value);
      continue;
    }
    const size_t which = mode == 0 ? first : second;
    const int64_t repeats = llvm::divideCeil(uint64_t(extent.value), uint64_t(tile[which]));
    // An order of the mode may make the tile larger than the waves' atoms: the mode is (repeats in the tile, tiles).
    const int64_t inTile = tile[which] / (extentOf(mma.atom->row, which) * staticSize(mma.waves.mode(which)));
    if (inTile > 1 && repeats > 1)
      shape.push_back(tupleOf({IntTuple(inTile), IntTuple(repeats)}));
    else
      shape.emplace_back(inTile * repeats);
  }
  if (stages > 1)
    shape.emplace_back(stages);
  Layout compact = taken(e, layout::columnMajor(tupleOf(std::move(shape)), arithmetic), name, range);
  return makeFragment(e, mma.atom->typeOf(operand), AnyLayout(compact), range, mma.atom->valuesOf(operand));
}

} // namespace

Value ThreadMma::attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange,
                           SourceRange nameRange) const {
  static const std::vector<std::string> methods = {"partition_A",     "partition_B",     "partition_C",
                                                   "make_fragment_A", "make_fragment_B", "make_fragment_C"};
  if (llvm::is_contained(methods, name))
    return Value(MethodValue{std::make_shared<const Value>(self), name.str()});
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name, methods);
}

Value ThreadMma::method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const {
  const bool makes = name.starts_with("make_fragment");
  std::optional<Argument> at;
  if (makes && arguments.size() > 1 && arguments.back().keyword == "at") {
    at = arguments.back();
    arguments.pop_back();
  }
  auto pinned = [&](Value fragment) {
    if (at && !at->value.isNone())
      pinFragment(e, fragment, at->value, at->range);
    return fragment;
  };
  int64_t stages = 1;
  if (makes && arguments.size() == 2 && arguments[1].keyword == "stages") {
    stages = requireInt(e, arguments[1].value, arguments[1].range, "`stages`");
    if (stages < 1 || stages > 64)
      e.fail(arguments[1].range,
             diag::out_of_range{.what = "`stages`", .low = 1, .high = 64, .found = std::to_string(stages)});
    arguments.pop_back();
  }
  if (arguments.size() != 1 || !arguments[0].keyword.empty())
    e.fail(diag::wrong_argument_count, range,
           {name.str(), makes ? "a tensor or extents, then `stages=` and `at=`" : "1 argument",
            std::to_string(arguments.size())});
  const MmaOperand operand = *operandOf(name);
  if (makes && arguments[0].value.sequence()) { // extents
    layout::InferringArithmetic arithmetic;
    const IntTuple shape = toTuple(e, arguments[0].value, arguments[0].range, "a shape");
    const Layout domain = taken(e, layout::columnMajor(shape, arithmetic), name, arguments[0].range);
    return pinned(makeFragmentOf(e, *this, operand, domain, stages, name, range, arguments[0].range));
  }
  if (!isView(arguments[0].value))
    e.fail(arguments[0].range,
           diag::view_expected{.what = diag::argument("tensor", name), .found = describe(arguments[0].value)});
  if (makes)
    return pinned(
        makeFragmentOf(e, *this, operand, domainOf(arguments[0].value), stages, name, range, arguments[0].range));
  return partition(e, *this, operand, arguments[0].value, name, range, arguments[0].range);
}

// ---------------------------------------------------------------------------------------------------------
// Making them

namespace {

std::shared_ptr<const TiledMma> tiledOf(const Value &value) {
  return objectAs<TiledMma>(value) ? std::static_pointer_cast<const TiledMma>(value.as<ObjectValue>()->object)
                                   : nullptr;
}

Value tiledMma(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  auto atom = objectAs<MmaAtom>(call[0]) ? mmaAtomOf(call[0]) : nullptr;
  if (!atom)
    e.report(call.ranges[0], diag::mma_expected{.what = argumentName(call, 0), .also = "", .found = describe(call[0])})
        .help("use, for example, `MFMA(16, 16, 16, f16)` of `fly.amd`"),
        throw Failed{};
  const Layout one(tupleOf({1, 1, 1}), tupleOf({0, 0, 0}));
  const Layout waves = call.given[1] ? c.plain(1) : one;
  auto refuse = [&](const std::string &wanted) {
    e.fail(call.ranges[1],
           diag::bad_tiled_mma{.what = "the layout of waves", .wanted = wanted, .found = "`" + waves.text() + "`"});
  };
  if (waves.rank() != 3 || !waves.isStatic() || waves.stride().hasBasis() ||
      llvm::any_of(waves.modes(), [](const Layout &mode) { return !mode.shape().isLeaf(); }))
    refuse("known at compile time, with an integer for each of M, N and K");
  layout::InferringArithmetic arithmetic;
  const int64_t count = staticSize(waves);
  if (count < 1 || count * atom->row.threads() > ir::maximumWorkgroup)
    refuse("of 1 to " + std::to_string(ir::maximumWorkgroup / atom->row.threads()) + " waves");
  llvm::SmallVector<bool> taken(static_cast<size_t>(count));
  for (int64_t wave = 0; wave < count; ++wave) {
    const int64_t number = layout::crd2idx(wave, waves, arithmetic)->value;
    if (number < 0 || number >= count || taken[size_t(number)])
      refuse("such that each wave from 0 to " + std::to_string(count - 1) + " occurs once");
    taken[size_t(number)] = true;
  }
  std::array<Tile, 3> order = {Tile::keep(), Tile::keep(), Tile::keep()};
  if (call.given[2]) {
    const Tile given = c.tile(2);
    if (!given.isTuple() || given.rank() != 3)
      e.fail(call.ranges[2],
             diag::bad_tiled_mma{.what = "the tile",
                                 .wanted = "a tuple of an extent, a layout or None for each of M, N and K",
                                 .found = "`" + given.text() + "`"});
    for (size_t mode = 0; mode < 3; ++mode) {
      order[mode] = given.mode(mode);
      if (order[mode].kind() == Tile::Kind::Keep)
        continue;
      const int64_t least = extentOf(atom->row, mode) * staticSize(waves.mode(mode));
      auto refuseMode = [&](const std::string &wanted) {
        e.fail(call.ranges[2], diag::bad_tiled_mma{.what = std::string("mode ") + letters[mode] + " of the tile",
                                                   .wanted = wanted,
                                                   .found = "`" + given.mode(mode).text() + "`"});
      };
      if (order[mode].isTuple() || !order[mode].layout().isStatic())
        refuseMode("an extent or a layout, known at compile time");
      const Layout &own = order[mode].layout();
      const int64_t size = staticSize(own);
      if (size < least || size % least)
        refuseMode("a multiple of " + std::to_string(least) + ", what the waves' atoms cover");
      llvm::SmallVector<bool> seen(static_cast<size_t>(size));
      for (int64_t i = 0; i < size; ++i) {
        const int64_t place = layout::crd2idx(i, own, arithmetic)->value;
        if (place < 0 || place >= size || seen[size_t(place)])
          refuseMode("such that each of its " + std::to_string(size) + " positions occurs once");
        seen[size_t(place)] = true;
      }
    }
  }
  return makeObject<TiledMma>(atom, waves, order);
}

Value tiledCopyOf(Elaborator &e, BoundCall &call, MmaOperand operand) {
  auto *atom = objectAs<CopyAtom>(call[0]);
  if (!atom)
    e.report(call.ranges[0], diag::copy_atom_expected{.what = argumentName(call, 0), .found = describe(call[0])})
        .help("use, for example, `UniversalCopy(128, f16)`"),
        throw Failed{};
  auto mma = tiledOf(call[1]);
  if (!mma)
    e.fail(call.ranges[1],
           diag::mma_expected{.what = argumentName(call, 1), .also = " in a `tiled_mma`", .found = describe(call[1])});
  if (mma->atom->row.blocks > 1) // whose fragments have the blocks among the values
    e.fail(call.ranges[1], diag::bad_tiled_mma{.what = "the atom",
                                               .wanted = "of one block for `" + std::string(call.builtin->name) +
                                                         "` (else copy what `partition_" +
                                                         std::string(1, "ABC"[size_t(operand)]) + "` gives)",
                                               .found = "`" + mma->atom->text() + "`"});
  const Layout tv = taken(e, mma->layoutTV(operand), call.builtin->name, call.range);
  const auto [first, second] = modesOf(operand);
  const auto extent = mma->tile();
  const int64_t values = staticSize(tv.mode(1));
  if (values % atom->values() || mma->threads() % atom->layouts().threads)
    e.fail(
        call.ranges[0],
        diag::bad_tiled_mma{.what = "the copy atom of operand " + std::string(1, "ABC"[size_t(operand)]),
                            .wanted = "one whose values divide the " + std::to_string(values) + " values of a thread",
                            .found = "`" + atom->text() + "`, which moves " + std::to_string(atom->values())});
  return makeObject<TiledCopy>(std::static_pointer_cast<const CopyAtom>(call[0].as<ObjectValue>()->object), tv,
                               tupleOf({IntTuple(extent[first]), IntTuple(extent[second])}));
}

template <MmaOperand Operand> Value tiledCopyFor(Elaborator &e, BoundCall &call) {
  return tiledCopyOf(e, call, Operand);
}

const Builtin mmaRows[] = {
    {"tiled_mma", "atom, waves=, tile=",
     "an MMA atom distributed over waves: `waves` maps (m, n, k) to wave numbers; `tile` gives the extent or the "
     "order of M, N and K if they are not those of the waves' atoms",
     tiledMma},
    {"make_tiled_mma", "atom, waves=, tile=", "`tiled_mma` under CuTe's name", tiledMma},
    {"tiled_copy_A", "atom, mma", "the tiled copy that moves operand A of a tiled MMA", tiledCopyFor<MmaOperand::A>},
    {"tiled_copy_B", "atom, mma", "the tiled copy that moves operand B of a tiled MMA", tiledCopyFor<MmaOperand::B>},
    {"tiled_copy_C", "atom, mma", "the tiled copy that moves operand C of a tiled MMA", tiledCopyFor<MmaOperand::C>},
    {"make_tiled_copy_A", "atom, mma", "`tiled_copy_A` under CuTe's name", tiledCopyFor<MmaOperand::A>},
    {"make_tiled_copy_B", "atom, mma", "`tiled_copy_B` under CuTe's name", tiledCopyFor<MmaOperand::B>},
    {"make_tiled_copy_C", "atom, mma", "`tiled_copy_C` under CuTe's name", tiledCopyFor<MmaOperand::C>},
    {"gemm",
     "mma, d, a, b, c=, *, order=, scale_a=, scale_b=, cbsz=, abid=, blgp=, opsel_a=, opsel_b=, format_a=, format_b=",
     "d = a b + c on fragments (values, M, K), (values, N, K) and (values, M, N), atom by atom; c is d if it is left "
     "out. `order` is the order of the atoms, the innermost loop first; \"NMK\" by default",
     emitGemm},
};

} // namespace

std::shared_ptr<const MmaAtom> mmaAtomOf(const Value &value) {
  if (auto tiled = tiledOf(value))
    return tiled->atom;
  return objectAs<MmaAtom>(value) ? std::static_pointer_cast<const MmaAtom>(value.as<ObjectValue>()->object) : nullptr;
}

llvm::ArrayRef<Builtin> mmaBuiltins() { return mmaRows; }

} // namespace fly::sema
