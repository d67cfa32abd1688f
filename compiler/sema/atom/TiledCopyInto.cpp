// Tiled copies whose destination decides where threads are, and the check of those where it must.
//
// An instruction that moves data into LDS without registers has one LDS address per wave; its lanes write
// consecutively. So threads follow memory: thread t of T has the V elements at offsets t V in the destination, and then
// those T V further on. The destination's right inverse tells where in the tile that is. A swizzle keeps groups of
// elements together and exchanges them within its period, so that with V in a group and T V whole periods it exchanges
// threads:
//
//   S<3,3,3> o 0 o (64,64):(64,1), T = 256, V = 8    thread t has what without a swizzle thread S<3,0,3>(t) has
//
// which falls on the source's side of the copy.
#include "compiler/sema/tensor/LayoutValues.h"
#include "compiler/sema/atom/TiledCopy.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/prelude/Words.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/Sequence.h"

#include <bit>

namespace fly::sema {

using layout::AnyLayout;
using layout::ComposedLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;

/// The layout without the unknown part of its offset: places relative to its start.
static AnyLayout fromStart(const AnyLayout &layout) {
  auto *composed = std::get_if<ComposedLayout>(&layout);
  return composed ? AnyLayout(ComposedLayout(composed->inner(), IntTuple(0), composed->outer())) : layout;
}

Value makeTiledCopyInto(Elaborator &e, std::shared_ptr<const CopyAtom> atom, const Value &destination, int64_t threads,
                        SourceRange range, SourceRange destinationRange, SourceRange threadsRange) {
  auto *given = destination.as<LayoutValue>();
  if (!isView(destination) && !(given && given->object->layout()))
    e.fail(diag::wrong_argument_type, destinationRange,
           {"tiled_copy_into", "a tensor in shared memory, or its layout", "tensor", describe(destination)});
  layout::InferringArithmetic arithmetic;
  AnyLayout whole = fromStart(given ? *given->object->layout() : layoutOf(destination));
  const Layout &domain = layout::domainOf(whole);
  if (!layout::isStatic(whole))
    e.report(destinationRange,
             diag::dynamic_layout{.what = "the layout of a copy's destination", .layout = layout::textOf(whole)})
        .help("fix the dynamic modes by a coordinate first"),
        throw Failed{};
  int64_t values = atom->values(), size = taken(e, layout::size(domain, arithmetic), "tiled_copy_into", range).value,
          step = threads * values;
  if (size % values != 0)
    e.fail(destinationRange,
           diag::not_a_multiple{.what = "the number of elements of the destination", .unit = values, .found = size});
  if (threads < 1 || threads > ir::maximumWorkgroup || size % step != 0)
    e.fail(diag::wrong_value, threadsRange,
           {"the number of threads",
            "from 1 to 1024 and a divisor of the " + std::to_string(size / values) + " accesses of the destination",
            std::to_string(threads)});
  AnyLayout inverse = taken(e, layout::rightInverse(whole, arithmetic), "tiled_copy_into", destinationRange);
  Leaf reached = taken(e, layout::size(layout::domainOf(inverse), arithmetic), "tiled_copy_into", destinationRange);
  if (reached.value != size)
    e.report(
         diag::no_layout, destinationRange,
         {"tiled_copy_into", "`" + layout::textOf(whole) + "` leaves gaps in memory, or leads to one position twice"})
        .help("lanes write one after the other, so the destination must be contiguous memory"),
        throw Failed{};
  Layout order = taken(e, layout::rightInverse(domain, arithmetic), "tiled_copy_into", destinationRange);
  std::optional<layout::Swizzle> exchange;
  if (auto *composed = std::get_if<ComposedLayout>(&whole)) {
    auto *swizzle = std::get_if<layout::Swizzle>(&composed->inner());
    int64_t together = swizzle ? int64_t(1) << swizzle->base : 0;
    if (!swizzle || together % values != 0)
      e.report(diag::no_layout, destinationRange,
               {"tiled_copy_into", "`" + layout::textOf(whole) + "` does not keep the " + std::to_string(values) +
                                       " elements of an access together"})
          .help("use a swizzle whose second number is at least the base-2 logarithm of that count"),
          throw Failed{};
    exchange = layout::Swizzle{swizzle->bits, swizzle->base - std::countr_zero(uint64_t(values)), swizzle->shift};
    int64_t period = int64_t(std::bit_ceil(uint64_t(exchange->sourceMask() | exchange->targetMask()) + 1));
    if (threads % period != 0 && (size != step || !llvm::all_of(llvm::seq<int64_t>(0, threads), [&](int64_t t) {
                                    return exchange->apply(t) < threads;
                                  })))
      e.report(diag::no_layout, threadsRange,
               {"tiled_copy_into", "`" + layout::textOf(whole) + "` mixes the elements of successive accesses of the " +
                                       std::to_string(threads) + " threads"})
          .help("use a number of threads whose accesses fill whole periods of the swizzle"),
          throw Failed{};
  }
  Layout tv = taken(e,
                    layout::composition(order,
                                        Layout(tupleOf({threads, tupleOf({values, size / step})}),
                                               tupleOf({values, tupleOf({1, step})})),
                                        arithmetic),
                    "tiled_copy_into", destinationRange);
  std::vector<IntTuple> extents;
  for (size_t m = 0; m < domain.rank(); ++m)
    extents.push_back(IntTuple(taken(e, layout::size(domain.mode(m), arithmetic), "tiled_copy_into", range)));
  auto made = std::make_shared<TiledCopy>(atom, std::move(tv), tupleOf(std::move(extents)));
  made->threadsRange = threadsRange;
  made->exchange = exchange;
  return Value(ObjectValue{made});
}

void checkLanesFollow(Elaborator &e, const TiledCopy &copy, const Value &owned, SourceRange range) {
  auto *tensor = owned.as<TensorValue>();
  if (!tensor || llvm::cast<ir::TensorType>(tensor->value.getType()).getSpace() != ir::AddressSpace::Shared)
    return; // `copy` reports what is wrong with it
  layout::InferringArithmetic arithmetic;
  AnyLayout layout = fromStart(layoutOf(owned));
  int64_t bytes = copy.atom->bits / 8, values = copy.atom->values(), lanes = e.target.waveSize;
  auto placeOf = [&](int64_t thread) { return copy.exchange ? copy.exchange->apply(thread) : thread; };
  auto first = taken(e, layout::sliceAndOffset(tupleOf({Leaf::keep(), 0}), layout, arithmetic), "partition_D", range);
  const std::vector<int64_t> offsets = taken(e, layout::offsetsOf(first.layout), "partition_D", range);
  auto offsetOf = [&](int64_t thread, int64_t value) {
    return offsets[size_t(placeOf(thread) + value * copy.threads())];
  };
  int64_t elementBits = host::format(copy.atom->element).bits;
  for (int64_t wave = 0; wave < copy.threads(); wave += lanes)
    for (int64_t value = 0; value < copy.valuesPerThread(); value += values) {
      int64_t begin = offsetOf(wave, value);
      for (int64_t lane = 1; lane < lanes && wave + lane < copy.threads(); ++lane) {
        e.step(range);
        int64_t apart = (offsetOf(wave + lane, value) - begin) * elementBits / 8;
        if (apart == lane * bytes)
          continue;
        auto builder =
            e.report(range, diag::dma_order{.atom = copy.atom->text(), .bytes = bytes, .lane = lane, .apart = apart});
        if (copy.threadsRange.valid()) {
          auto coordinate = [&](int64_t thread) {
            auto index = layout::evaluate(tupleOf({placeOf(thread), value}), copy.tv, arithmetic);
            auto place = index ? layout::idx2crd(index->leaf(), copy.tile, arithmetic)
                               : layout::Result<IntTuple>(layout::Error{""});
            return place ? toText(fromTuple(*place)) : std::string("another");
          };
          builder.label(copy.threadsRange, "lanes 0 and " + std::to_string(lane) + " own elements " + coordinate(wave) +
                                               " and " + coordinate(wave + lane) + " of the tile");
        }
        builder.note("the instruction has one LDS address per wave (m0), so its lanes cannot be scattered");
        builder.help("let the destination order the lanes, `tiled_copy_into(atom, tensor, threads=" +
                     std::to_string(copy.threads()) +
                     ")`; a swizzle then applies to the global side, where it costs nothing");
        throw Failed{};
      }
    }
}

Leaf firstOfWave(Elaborator &e, const Leaf &thread, SourceRange range) {
  int64_t lanes = e.target.waveSize;
  if (thread.isStatic())
    return Leaf::known(thread.value / lanes * lanes);
  if (mlir::Value::getFromOpaquePointer(thread.handle).getDefiningOp<ir::LaneIdOp>()) // a copy of one wave
    return Leaf::known(0);
  auto &b = e.ir(range, "partition_D");
  auto id = mlir::Value::getFromOpaquePointer(thread.handle).getDefiningOp<ir::ThreadIdOp>();
  auto *block = e.kernel.blockDim.sequence();
  bool isLinear = id && id.getDimension() == ir::Dimension::X && block && toInt64((*block)[0]).value_or(1) % lanes == 0;
  bool isRow =
      id && id.getDimension() == ir::Dimension::X && block && toInt64((*block)[1]) == 1 && toInt64((*block)[2]) == 1;
  if (!isLinear && !isRow)
    e.report(
         diag::wrong_value, range,
         {"the thread of a wave-wide copy", "`thread_id.x`, with rows of whole waves, or `lane_id`", "another value"})
        .help("`get_slice(thread_id.x)`, with `block=` known and its first extent a multiple of " +
              std::to_string(lanes)),
        throw Failed{};
  // At the kernel's beginning, because the backend does not move it out of loops.
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(e.kernel.entry);
  mlir::Value mine = ir::ThreadIdOp::create(b, e.location(range), ir::Dimension::X), mask = word(e, -lanes, range);
  mlir::Value first = mlir::arith::AndIOp::create(b, e.location(range), mine, mask);
  first = emitWave(e, ir::WaveAction::ReadFirstLane, first, {}, range)[0];
  return Leaf::dynamic(32, lanes, first.getAsOpaquePointer());
}

} // namespace fly::sema
