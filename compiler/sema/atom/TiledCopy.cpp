// See TiledCopy.h. Partitions follow CuTe's TiledCopy: the layout of threads and values is divided by the atom, the
// atom's own arrangement of source or destination takes the place of its reference, and the tile of a tensor is
// composed with the result.
#include "compiler/sema/atom/TiledCopy.h"

#include "compiler/analysis/KnownAccesses.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/text/Words.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::Tile;
using Kind = layout::Rearrangement::Kind;

int64_t staticSize(const Layout &layout) {
  layout::InferringArithmetic arithmetic;
  auto size = layout::size(layout, arithmetic);
  return size && size->isStatic() ? size->value : -1;
}

bool TiledCopy::equals(const Object &other) const {
  auto *copy = dynamic_cast<const TiledCopy *>(&other);
  return copy && copy->atom->equals(*atom) && copy->tv == tv && copy->tile == tile && copy->exchange == exchange;
}

int64_t TiledCopy::threads() const { return staticSize(tv.mode(0)); }
int64_t TiledCopy::valuesPerThread() const { return staticSize(tv.mode(1)); }

layout::Result<Layout> TiledCopy::partitionLayout(bool ofSource) const {
  layout::InferringArithmetic arithmetic;
  atom::CopyLayouts own = atom->layouts();
  Tile ofAtom(std::vector<Tile>{Tile::extent(Leaf::known(own.threads)), Tile::extent(Leaf::known(atom->values()))});
  FLY_TRY(divided,
          layout::zippedDivide(tv, ofAtom, arithmetic)); // ((thread, value) of the atom, (thread, value) of the rest)
  if (!(own.reference == (ofSource ? own.source : own.destination))) {
    FLY_TRY(inverse, layout::rightInverse(own.reference, arithmetic));
    FLY_TRY(exchange, layout::composition(inverse, ofSource ? own.source : own.destination, arithmetic));
    FLY_TRY(exchanged,
            layout::composition(divided, Tile(std::vector<Tile>{Tile::of(exchange), Tile::keep()}), arithmetic));
    divided = exchanged;
  }
  FLY_TRY(zipped, layout::zip(divided)); // ((thread, rest), (value, rest))
  return layout::coalesce(zipped, tupleOf({1, tupleOf({1, 1})}), arithmetic);
}

// ---------------------------------------------------------------------------------------------------------
// Making one

namespace {

std::string placeText(int64_t index, const IntTuple &tile) {
  layout::InferringArithmetic arithmetic;
  auto place = layout::idx2crd(Leaf::known(index), tile, arithmetic);
  return place ? place->text() : std::to_string(index);
}

std::string tupleText(const IntTuple &tuple) { return toText(fromTuple(tuple)); }

/// Every place of the tile belongs to one thread and value.
void checkCoverage(Elaborator &e, const TiledCopyRequest &request, const Layout &tv, const IntTuple &tile) {
  int64_t threads = staticSize(tv.mode(0)), values = staticSize(tv.mode(1));
  int64_t places = staticSize(Layout(tile, tile));
  SourceRange at = request.tileRange.valid() ? request.tileRange
                   : request.tvRange.valid() ? request.tvRange
                                             : request.threadsRange;
  if (threads < 1 || values < 1 || threads > ir::maximumWorkgroup || values > ir::maximumFragment ||
      places > ir::maximumWorkgroup * ir::maximumFragment)
    e.fail(diag::wrong_value, at,
           {"a tiled copy", "of at most 1024 threads and 4096 values per thread",
            std::to_string(threads) + " threads and " + std::to_string(values) + " values"});
  std::vector<int64_t> owner(size_t(places), -1);
  auto offsets = layout::offsetsOf(tv);
  if (!offsets)
    e.fail(diag::no_layout, at, {"tiled_copy", offsets.text()});
  for (int64_t t = 0; t < threads; ++t)
    for (int64_t v = 0; v < values; ++v) {
      const int64_t index = (*offsets)[size_t(t + v * threads)];
      if (index < 0 || index >= places) {
        // Outside: as a place of the tile that the layouts themselves would cover.
        e.report(at, diag::thread_outside_tile{.thread = t, .element = std::to_string(index), .tile = tupleText(tile)})
            .help("leave out `tile=`, or let fewer threads or values cover it"),
            throw Failed{};
      }
      if (owner[size_t(index)] >= 0)
        e.report(diag::tile_coverage, at,
                 {"threads " + std::to_string(owner[size_t(index)] / values) + " and " + std::to_string(t) +
                  " both own element " + placeText(index, tile)})
            .help("the thread and value layouts together must lead to each element exactly once"),
            throw Failed{};
      owner[size_t(index)] = t * values + v;
    }
  if (auto missing = llvm::find(owner, -1); missing != owner.end())
    e.report(diag::tile_coverage, at,
             {"no thread owns element " + placeText(missing - owner.begin(), tile) + " of the tile " + tupleText(tile)})
        .help("the thread and value layouts together must lead to each element exactly once"),
        throw Failed{};
}

/// If `tile=` is smaller than what threads and values cover: which of them are outside.
void checkTileAgainst(Elaborator &e, const TiledCopyRequest &request, const IntTuple &covered) {
  const IntTuple &tile = *request.tile;
  if (tile == covered)
    return;
  layout::InferringArithmetic arithmetic;
  int64_t threads = staticSize(*request.threads);
  auto tv = layout::layoutTV(*request.threads, *request.values, arithmetic);
  if (tv && tile.rank() == covered.rank() && tile.isTuple() == covered.isTuple())
    for (int64_t t = 0; t < threads; ++t)
      for (int64_t v = 0; v < staticSize(tv->layout.mode(1)); ++v) {
        auto index = layout::crd2idx(tupleOf({t, v}), tv->layout, arithmetic);
        auto place = layout::idx2crd(*index, covered, arithmetic);
        for (size_t m = 0; m < place->rank(); ++m)
          if (place->mode(m).isLeaf() && tile.mode(m).isLeaf() &&
              place->mode(m).leaf().value >= tile.mode(m).leaf().value) {
            auto builder =
                e.report(request.tileRange,
                         diag::thread_outside_tile{.thread = t, .element = tupleText(*place), .tile = tupleText(tile)});
            builder.label(request.threadsRange, std::to_string(threads) + " threads with " +
                                                    std::to_string(staticSize(*request.values)) +
                                                    " elements each cover " + tupleText(covered));
            builder.help("leave out `tile=`, or let fewer threads or values cover it");
            throw Failed{};
          }
      }
  e.report(diag::tile_coverage, request.tileRange,
           {"threads and values cover " + tupleText(covered) + ", not the tile " + tupleText(tile)})
      .help("leave `tile=` out, or let more threads or values cover it"),
      throw Failed{};
}

} // namespace

Value makeTiledCopy(Elaborator &e, const TiledCopyRequest &request) {
  layout::InferringArithmetic arithmetic;
  Layout tv;
  IntTuple tile;
  SourceRange at = request.tvRange.valid() ? request.tvRange : request.valuesRange;
  if (request.tv) {
    if (request.tv->rank() != 2 || !request.tv->isStatic())
      e.fail(diag::wrong_value, request.tvRange,
             {"`tv`", "a layout of (thread, value), known at compile time", "`" + request.tv->text() + "`"});
    tv = *request.tv, tile = *request.tile;
  } else {
    for (auto *part : {request.threads, request.values})
      if (!part->isStatic())
        e.fail(part == request.threads ? request.threadsRange : request.valuesRange,
               diag::dynamic_layout{.what = "the layout of a tiled copy", .layout = part->text()});
    auto made = layout::layoutTV(*request.threads, *request.values, arithmetic);
    if (!made)
      e.fail(diag::tile_coverage, request.valuesRange, {made.text()});
    if (request.tile)
      checkTileAgainst(e, request, made->tile);
    tv = made->layout, tile = made->tile;
  }
  checkCoverage(e, request, tv, tile);
  atom::CopyLayouts own = request.atom->layouts();
  int64_t values = staticSize(tv.mode(1)), threads = staticSize(tv.mode(0));
  if (values % request.atom->values() || threads % own.threads)
    e.fail(diag::wrong_value, at,
           {"the size of a tiled copy of `" + request.atom->text() + "`",
            "a multiple of " + counted(own.threads, "thread") + " and of " + std::to_string(request.atom->values()) +
                " values per thread",
            std::to_string(threads) + " threads and " + std::to_string(values) + " values"});
  auto made = std::make_shared<TiledCopy>(request.atom, std::move(tv), std::move(tile));
  made->threadsRange = request.tv ? request.tvRange : request.threadsRange;
  return Value(ObjectValue{made});
}

Value TiledCopy::attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange,
                           SourceRange nameRange) const {
  if (name == "atom")
    return Value(ObjectValue{atom});
  if (name == "tile")
    return fromTuple(tile);
  if (name == "tv")
    return makeLayoutValue(AnyLayout(tv));
  if (name == "threads")
    return Value(threads());
  if (name == "get_slice")
    return Value(MethodValue{std::make_shared<const Value>(self), name.str()});
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name,
              {"atom", "tile", "tv", "threads", "get_slice"});
}

layout::Leaf sliceNumber(Elaborator &e, llvm::StringRef name, Arguments &arguments, int64_t threads,
                         const std::string &of, const std::string &text, SourceRange range) {
  if (arguments.size() != 1 || !arguments[0].keyword.empty())
    e.fail(diag::wrong_argument_count, range,
           {name.str(), "the number of a thread", counted(arguments.size(), "argument")});
  IntTuple thread = toTuple(e, arguments[0].value, arguments[0].range, "the number of a thread");
  if (thread.isTuple() || thread.leaf().isKeep())
    e.fail(arguments[0].range,
           diag::not_an_integer{.what = "the thread number of a " + of, .found = describe(arguments[0].value)});
  Leaf leaf = thread.leaf();
  int64_t last = leaf.isStatic() ? leaf.value : -1;
  if (leaf.handle) // thread_id.x of a known block
    if (auto id = mlir::Value::getFromOpaquePointer(leaf.handle).getDefiningOp<ir::ThreadIdOp>())
      if (auto *block = e.kernel.blockDim.sequence())
        last = toInt64((*block)[unsigned(id.getDimension())]).value_or(0) - 1;
  const bool isThread = leaf.handle && last >= 0;
  if (isThread && last + 1 < threads)
    e.report(arguments[0].range, diag::slice_not_taken{.slice = last + 1, .threads = threads, .of = of})
        .help("use `block=" + std::to_string(threads) + "`, a thread layout of " + std::to_string(last + 1) +
              " threads, or `get_slice(t)` in a loop over your own numbers"),
        throw Failed{};
  if (leaf.isStatic() && leaf.value < 0)
    e.fail(arguments[0].range,
           diag::negative_value{.what = "the thread number of a " + of, .found = std::to_string(leaf.value)});
  if (last >= threads)
    e.report(arguments[0].range,
             diag::out_of_range{.what = "the thread number of a " + std::to_string(threads) + "-thread " + of,
                                .low = 0,
                                .high = threads - 1,
                                .found = (leaf.isStatic() ? "" : "up to ") + std::to_string(last)})
        .help("exclude the threads beyond the copy's own with an `if`, or let them repeat it with `% " +
              std::to_string(threads) + "`"),
        throw Failed{};
  if (e.onDevice()) {
    auto number = leaf.isStatic() ? e.kernel.builder->getI64IntegerAttr(leaf.value) : mlir::IntegerAttr();
    ir::TakePartOp::create(*e.kernel.builder, e.location(arguments[0].range),
                           mlir::Value::getFromOpaquePointer(leaf.handle), number,
                           e.kernel.builder->getI64IntegerAttr(threads), e.kernel.builder->getStringAttr(of),
                           e.kernel.builder->getStringAttr(text));
  }
  return leaf;
}

Value TiledCopy::method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const {
  const Leaf thread = sliceNumber(e, name, arguments, threads(), "tiled copy", text(), range);
  return makeObject<ThreadCopy>(std::shared_ptr<const TiledCopy>(std::make_shared<TiledCopy>(*this)), thread);
}

// ---------------------------------------------------------------------------------------------------------
// Partitions

Value ThreadCopy::attribute(Elaborator &e, const Value &self, llvm::StringRef name, SourceRange,
                            SourceRange nameRange) const {
  static const std::vector<std::string> methods = {"partition_S", "partition_D", "retile"};
  if (llvm::is_contained(methods, name))
    return Value(MethodValue{std::make_shared<const Value>(self), name.str()});
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name, methods);
}

/// The tile of a view by threads and values, and the thread's part: (values, rest...).
static Value partition(Elaborator &e, const ThreadCopy &mine, const Value &view, bool ofSource, llvm::StringRef name,
                       SourceRange range, SourceRange blame) {
  size_t rank = mine.copy->tile.isTuple() ? mine.copy->tile.rank() : 1;
  if (domainOf(view).rank() < rank)
    e.fail(diag::no_layout, blame,
           {name.str(), "the tile " + mine.copy->tile.text() + " has " + std::to_string(rank) + " modes, the tensor `" +
                            domainOf(view).text() + "` fewer"});
  std::vector<Tile> extents;
  for (size_t i = 0; i < rank; ++i)
    extents.push_back(Tile::extent(mine.copy->tile.mode(i).leaf()));
  Layout tv = taken(e, mine.copy->partitionLayout(ofSource), name, range);
  Value tiles = rearranged(e, view, {Kind::ZippedDivide, Tile(extents), {}}, name, range, blame);
  Value owned = rearranged(e, tiles, {Kind::Composition, Tile(std::vector<Tile>{Tile::of(tv), Tile::keep()}), {}}, name,
                           range, blame);
  const CopyAtom &atom = *mine.copy->atom;
  if (auto *memory = owned.as<TensorValue>(); memory && (atom.layouts().threads == 1 || ofSource)) {
    auto mark = ir::PartitionOp::create(*e.kernel.builder, e.location(range, memory->name), memory->value,
                                        std::min<int64_t>(e.target.waveSize, mine.copy->threads()),
                                        host::format(memory->element).name);
    if (e.kernel.entry && e.kernel.entry->getParentOp()->hasAttr(analysis::keepsTilingsAttr)) {
      auto entry = [&](const char *key, const std::string &text) {
        return e.kernel.builder->getNamedAttr(key, e.kernel.builder->getStringAttr(text));
      };
      mark->setAttr(analysis::tilingAttr,
                    e.kernel.builder->getDictionaryAttr({entry("atom", atom.text()), entry("tv", tv.text()),
                                                         entry("tile", mine.copy->tile.text()),
                                                         entry("of", ofSource ? "source" : "destination")}));
    }
  }
  Leaf thread = mine.thread;
  if (!ofSource && mine.copy->atom->row().lanesTogether) { // the wave has one place, the one of its first lane
    checkLanesFollow(e, *mine.copy, owned, range);
    thread = firstOfWave(e, thread, range);
  }
  if (mine.copy->exchange) {
    MachineArithmetic arithmetic(e, range);
    thread = taken(e, mine.copy->exchange->apply(thread, arithmetic), name, range);
  }
  Layout domain = domainOf(owned);
  std::vector<IntTuple> rest(domain.mode(1).shape().isTuple() ? domain.mode(1).rank() : 0, IntTuple(Leaf::keep()));
  IntTuple keepRest = rest.empty() ? IntTuple(Leaf::keep()) : IntTuple(std::move(rest));
  return sliced(e, owned, tupleOf({tupleOf({IntTuple(thread), IntTuple(Leaf::keep())}), keepRest}), blame);
}

/// CuTe's retile: registers of a tile in the order of another division of it. The V values of a thread are treated as
/// places of the tile, and arranged in the copy's order of those places.
static Value retile(Elaborator &e, const ThreadCopy &mine, const Value &view, SourceRange range, SourceRange blame) {
  layout::InferringArithmetic arithmetic;
  const TiledCopy &copy = *mine.copy;
  if (auto size = sizeOf(view); size && domainOf(view).rank() && *size % copy.atom->values())
    e.fail(diag::no_layout, blame,
           {"retile", "`" + domainOf(view).shape().text() + "` has " + counted(*size, "value") + ", `" +
                          copy.atom->text() + "` takes multiples of " + std::to_string(copy.atom->values())});
  auto arranged = [&]() -> layout::Result<std::pair<Layout, IntTuple>> {
    Layout domain = domainOf(view);
    if (domain.rank() == 0)
      return layout::Error{"`" + domain.text() + "` has no modes"};
    FLY_TRY(values, layout::size(domain.mode(0), arithmetic));
    if (!values.isStatic())
      return layout::Error{"mode 0 of `" + domain.text() + "` must be known at compile time"};
    FLY_TRY(inverse, layout::rightInverse(copy.tv, arithmetic));
    FLY_TRY(places, layout::columnMajor(copy.tile, arithmetic));
    FLY_TRY(ofTile, layout::composition(inverse, places, arithmetic));
    FLY_TRY(units, layout::upcast(ofTile, copy.threads() * values.value, arithmetic));
    FLY_TRY(order, layout::rightInverse(units, arithmetic));
    FLY_TRY(product, layout::logicalProduct(Layout(values, 1), order, arithmetic));
    // An access of more values than mode 0 has takes some of the other modes too.
    const Tile access = Tile::extent(Leaf::known(copy.atom->values()));
    const bool isWithin = values.value % copy.atom->values() == 0;
    FLY_TRY(divided, layout::zippedDivide(product, isWithin ? Tile(std::vector<Tile>{access}) : access, arithmetic));
    FLY_TRY(extents, layout::productEach(units.shape(), arithmetic));
    return std::pair(divided, layout::prepend(extents, IntTuple(values)));
  }();
  auto [order, extents] = taken(e, std::move(arranged), "retile", blame);
  std::vector<Tile> tiles;
  for (auto &extent : extents.modes())
    tiles.push_back(Tile::extent(extent.leaf()));
  Value divided = rearranged(e, view, {Kind::ZippedDivide, Tile(tiles), {}}, "retile", range, blame);
  Value result = rearranged(e, divided, {Kind::Composition, Tile(std::vector<Tile>{Tile::of(order), Tile::keep()}), {}},
                            "retile", range, blame);
  // ((access, accesses), (rest of mode 0, rests...)): the first rest has one element.
  Layout domain = domainOf(result);
  std::vector<IntTuple> rest(domain.mode(1).rank(), IntTuple(Leaf::keep()));
  rest[0] = IntTuple(0);
  return sliced(e, result, tupleOf({Leaf::keep(), IntTuple(std::move(rest))}), blame);
}

Value ThreadCopy::method(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) const {
  if (arguments.size() != 1 || !arguments[0].keyword.empty())
    e.fail(diag::wrong_argument_count, range, {name.str(), "1 argument", std::to_string(arguments.size())});
  if (!isView(arguments[0].value))
    e.fail(arguments[0].range,
           diag::view_expected{.what = diag::argument("tensor", name), .found = describe(arguments[0].value)});
  if (name == "retile")
    return retile(e, *this, arguments[0].value, range, arguments[0].range);
  return partition(e, *this, arguments[0].value, name == "partition_S", name, range, arguments[0].range);
}

} // namespace fly::sema
