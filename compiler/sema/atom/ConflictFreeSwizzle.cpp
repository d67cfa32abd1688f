// See ConflictFreeSwizzle.h.
#include "compiler/sema/atom/ConflictFreeSwizzle.h"

#include "compiler/analysis/LdsSwizzles.h"
#include "compiler/dialect/FlyOps.h"

namespace fly::sema {

using analysis::LdsAccess;
using layout::IntTuple;
using layout::Layout;
using layout::Tile;

namespace {

/// Where the threads of a tiled copy go in a tensor: sums of three parts, because each mode of a layout adds its own.
struct Places {
  std::vector<int64_t> ofThread, ofValue, ofRepetition;
};

std::vector<int64_t> allOf(const Layout &mode) {
  layout::InferringArithmetic arithmetic;
  std::vector<int64_t> out;
  for (int64_t i = 0, count = staticSize(mode); i < count; ++i)
    out.push_back(layout::crd2idx(i, mode, arithmetic)->value);
  return out;
}

Places placesOf(Elaborator &e, const TiledCopy &copy, const Layout &plain, bool isRead, llvm::StringRef name,
                SourceRange range) {
  layout::InferringArithmetic arithmetic;
  const size_t rank = copy.tile.isTuple() ? copy.tile.rank() : 1;
  if (plain.rank() < rank)
    e.fail(diag::no_layout, range,
           {name.str(), "the tile " + copy.tile.text() + " of the copy has " + std::to_string(rank) + " modes, `" +
                            plain.text() + "` fewer"});
  std::vector<Tile> extents;
  for (size_t i = 0; i < rank; ++i)
    extents.push_back(Tile::extent(copy.tile.mode(i).leaf()));
  Layout tv = taken(e, copy.partitionLayout(isRead), name, range);
  Layout tiles = taken(e, layout::zippedDivide(plain, Tile(extents), arithmetic), name, range);
  Layout owned = taken(e, layout::composition(tiles, Tile(std::vector<Tile>{Tile::of(tv), Tile::keep()}), arithmetic),
                       name, range);
  return {allOf(owned.mode(0).mode(0)), allOf(owned.mode(0).mode(1)), allOf(owned.mode(1))};
}

/// Every access of a copy. One that gives the wave a single LDS address has no conflicts, but its elements stay
/// together.
void addAccesses(Elaborator &e, const TiledCopy &copy, const Layout &plain, bool isRead, llvm::StringRef name,
                 SourceRange range, std::vector<LdsAccess> &out) {
  const CopyAtom &atom = *copy.atom;
  const int64_t width = atom.values(), lanes = e.target.waveSize, bits = host::format(atom.element).bits;
  const LdsAccess none{
      target::ldsRule(e.target.name, e.target.waveSize, unsigned(atom.bits / 8), !isRead), 0, {}, width, bits};
  if (atom.row().lanesTogether) {
    out.push_back(none);
    return;
  }
  const Places places = placesOf(e, copy, plain, isRead, name, range);
  for (size_t v = 0; v < places.ofValue.size(); ++v)
    if (v % size_t(width) && places.ofValue[v] != places.ofValue[v - 1] + 1)
      e.fail(diag::no_layout, range,
             {name.str(), "the " + std::to_string(width) + " elements of an access of `" + copy.text() +
                              "` are not side by side in `" + plain.text() + "`"});
  const int64_t threads = int64_t(places.ofThread.size());
  for (int64_t first = 0; first < threads; first += lanes)
    for (size_t v = 0; v < places.ofValue.size(); v += size_t(width))
      for (int64_t repetition : places.ofRepetition) {
        e.step(range);
        LdsAccess access = none;
        for (int64_t t = first; t < std::min(first + lanes, threads); ++t) {
          access.active |= uint64_t(1) << (t - first);
          access.places.push_back(places.ofThread[size_t(copy.exchange ? copy.exchange->apply(t) : t)] +
                                  places.ofValue[v] + repetition);
        }
        access.places.resize(size_t(lanes), 0);
        out.push_back(std::move(access));
      }
}

} // namespace

Value conflictFreeSwizzle(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  const Layout plain = c.plain(0);
  if (!plain.isStatic() || plain.stride().hasBasis())
    e.fail(call.ranges[0], diag::dynamic_layout{.what = "the layout of a tile in LDS", .layout = plain.text()});
  const std::string name = call.builtin->name;
  std::vector<LdsAccess> accesses;
  for (size_t i : {1, 2}) {
    if (!call.given[i])
      continue;
    for (auto &value : call[i].sequence() ? *call[i].sequence() : Values{call[i]}) {
      auto *copy = objectAs<TiledCopy>(value);
      auto *mine = objectAs<ThreadCopy>(value);
      if (!copy && !mine)
        e.fail(call.ranges[i], diag::copy_atom_expected{.what = argumentName(call, i), .found = describe(value)});
      addAccesses(e, copy ? *copy : *mine->copy, plain, i == 2, name, call.ranges[i], accesses);
    }
  }
  if (accesses.empty())
    e.report(diag::wrong_argument_count, call.range, {name, "the copies to and from LDS", "none"})
        .help("`" + name + "(tile, write=store, read=load)`, each a tiled copy or a tuple of them"),
        throw Failed{};
  if (auto swizzle = analysis::conflictFreeSwizzle(plain, accesses))
    return makeLayoutValue(LayoutObject::Kind(*swizzle));
  unsigned cycles = 0, ideal = 0;
  for (auto &access : accesses) {
    auto cost = access.cost([](int64_t place) { return place; });
    cycles += cost.cycles;
    ideal += cost.ideal;
  }
  auto builder = e.report(
      diag::no_layout, call.range,
      {name, "every swizzle of `" + plain.text() + "` leaves bank conflicts on " + std::string(e.target.name)});
  builder.note("without a swizzle, these copies take " + std::to_string(cycles) + " cycles in LDS, " +
               std::to_string(ideal) + " would be free of conflicts");
  if (auto better = analysis::betterLayout(plain, accesses, cycles))
    builder.help("the best layout that swizzles and padded rows give is `" + better->text +
                 "`: " + std::to_string(better->cycles) + " cycles");
  throw Failed{};
}

} // namespace fly::sema
