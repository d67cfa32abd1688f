// gfx1250's tensor data mover: one instruction of a wave moves a whole tile between a tensor of up to five modes in
// global memory and LDS, and checks the tensor's bounds: elements outside read as 0 and are not written.
//
//   tensor_load(x, (row, column), s)      s[i, j] = x[row + i, column + j]
//
// It becomes a `fly.tensor_move`. This file decides whether the mover can do it: the mover packs LDS, so the tile's
// layout determines which mode is which of its dimensions (compiler/dialect/TensorMover.h). The mover has no lower
// bounds, so coordinates that may be negative get an assertion.
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/elaborator/InputWrites.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/tensor/Tensors.h"
#include "compiler/sema/amd/ModuleAmd.h"
#include "compiler/sema/prelude/DeviceOutput.h"
#include "compiler/sema/tensor/Coordinates.h"
#include "compiler/sema/tensor/PackedElements.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/dialect/TensorMover.h"
#include "compiler/sema/prelude/Words.h"

namespace fly::sema {

using ir::AddressSpace;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;

namespace {

ir::TensorType typeOf(const TensorValue &tensor) { return llvm::cast<ir::TensorType>(tensor.value.getType()); }

/// A tensor's plain layout, of at most five modes.
Layout plainLayout(Elaborator &e, const TensorValue &tensor, SourceRange range) {
  if (const Layout *plain = ir::moverLayout(typeOf(tensor)))
    return *plain;
  e.fail(diag::wrong_value, range,
         {"the layout of what the tensor mover moves", "of one to five plain modes, without a swizzle",
          "`" + layout::textOf(typeOf(tensor).getLayout()) + "`"});
}

/// `multicast=`: null without one, and in a cluster of one workgroup, which has nobody to load the same.
mlir::Value multicastOf(Elaborator &e, BoundCall &call, size_t at) {
  if (!call.given[at])
    return {};
  auto cluster = llvm::cast<ir::KernelOp>(e.kernel.entry->getParentOp()).getKnownCluster();
  const int64_t workgroups = cluster ? int64_t((*cluster)[0]) * (*cluster)[1] * (*cluster)[2] : 1;
  if (auto known = toInt64(call[at]); known && (*known < 0 || *known >= int64_t(1) << workgroups))
    e.fail(call.ranges[at], diag::out_of_range{.what = "`multicast` in a cluster of " + std::to_string(workgroups),
                                               .low = 0,
                                               .high = (int64_t(1) << workgroups) - 1,
                                               .found = std::to_string(*known)});
  MachineValue mask = toMachine(e, call[at], Type::scalar(host::Number::I32), call.ranges[at]);
  return workgroups > 1 ? mask.value : mlir::Value();
}

/// The largest number that a known coordinate may be: offsets of up to five modes add up to less than 2^63 bytes.
int64_t limitOf(const TensorValue &tensor, const Leaf &stride) {
  constexpr int64_t bytes = int64_t(1) << 60, largest = std::numeric_limits<int32_t>::max();
  if (!stride.isStatic() || stride.value == 0)
    return largest;
  const unsigned elementBytes = std::max(1u, typeOf(tensor).getElementBits() / 8);
  return std::min(largest, bytes / elementBytes / std::abs(stride.value));
}

void moveTile(Elaborator &e, BoundCall &call, size_t tensorAt, size_t coordinateAt, size_t tileAt, bool isLoad) {
  if (!e.target.has("tensor_dma"))
    notOnTarget(e, std::string("`") + call.builtin->name + "`", call.range,
                [](auto &target) { return target.has("tensor_dma"); });
  auto &b = e.ir(call.range, call.builtin->name);
  auto *tensor = pieceIn(call[tensorAt], AddressSpace::Global), *tile = pieceIn(call[tileAt], AddressSpace::Shared);
  if (!tensor || tensor->record)
    e.fail(call.ranges[tensorAt], diag::tensor_expected{.what = argumentName(call, tensorAt),
                                                        .where = " in global memory",
                                                        .found = describePlace(call[tensorAt])});
  if (!tile || tile->record)
    e.fail(call.ranges[tileAt], diag::tensor_expected{.what = argumentName(call, tileAt),
                                                      .where = " in shared memory",
                                                      .found = describePlace(call[tileAt])});
  if (tensor->element != tile->element)
    e.fail(diag::mixed_types, call.ranges[tileAt],
           {call.builtin->name, std::string(host::format(tensor->element).name),
            std::string(host::format(tile->element).name)});
  if (!isLoad && tensor->access == Access::Read)
    failInput(e, call.ranges[tensorAt], tensor->name);
  Layout whole = plainLayout(e, *tensor, call.ranges[tensorAt]), part = plainLayout(e, *tile, call.ranges[tileAt]);
  if (whole.rank() != part.rank() || !part.isStatic())
    e.fail(diag::wrong_value, call.ranges[tileAt],
           {"the tile", "a static layout of as many modes as the tensor, " + std::to_string(whole.rank()),
            "`" + part.text() + "`"});
  if (liesPacked(tensor->element))
    e.report(diag::part_of_byte, call.ranges[tensorAt],
             {"`" + std::string(call.builtin->name) + "` counts them, and `" +
              std::string(host::format(tensor->element).name) + "` has " +
              std::to_string(host::format(tensor->element).bits) + " bits"})
        .help("move the bytes: `recast(t, u8)` of the tensor and of the tile"),
        throw Failed{};
  auto packing = ir::packingOf(part, typeOf(*tile).getElementBits() / 8);
  const size_t contiguous = taken(e, std::move(packing), call.builtin->name, call.ranges[tileAt]).order[0];
  if (Leaf stride = whole.stride().leaves()[contiguous]; !stride.isStatic(1))
    e.report(diag::no_layout, call.ranges[tensorAt],
             {call.builtin->name, "mode " + std::to_string(contiguous) + ", contiguous in the tile, has stride " +
                                      layout::leafText(stride) + " in the tensor"})
        .help("the contiguous mode must be the same on both sides; give the tile the mode order of the tensor"),
        throw Failed{};
  LayoutCall c(e, call);
  IntTuple at = c.tuple(coordinateAt, "a coordinate");
  std::vector<Leaf> place = at.leaves();
  if (place.size() != whole.rank())
    e.fail(diag::bad_coordinate, call.ranges[coordinateAt],
           {std::to_string(place.size()), std::to_string(whole.rank())});

  if (at.hasKeep())
    e.fail(diag::bad_index, call.ranges[coordinateAt], {"a tensor", "`_`; the start of a tile is one element"});
  Coordinate coordinate{e, {}, false};
  std::vector<IntTuple> parts;
  for (auto [mode, leaf] : llvm::enumerate(place)) {
    if (const int64_t limit = limitOf(*tensor, whole.stride().leaves()[mode]); leaf.isStatic() && leaf.value > limit)
      e.fail(call.ranges[coordinateAt],
             diag::out_of_range{.what = "coordinate " + std::to_string(mode) + " of `" + call.builtin->name + "`",
                                .low = 0,
                                .high = limit,
                                .found = std::to_string(leaf.value)});
    Value each = leaf.isStatic() ? Value(leaf.value) : valueOf(leaf);
    if (auto *machine = each.as<MachineValue>())
      assertNonNegative(e, *machine, "coordinate " + std::to_string(mode) + " of `" + call.builtin->name + "`",
                        call.ranges[coordinateAt]);
    parts.push_back(coordinate.of(each, call.ranges[coordinateAt]));
  }
  IntTuple start(std::move(parts));
  if (auto alignment = ir::elementAlignment(typeOf(*tensor), start); !alignment)
    e.fail(diag::bad_coordinate_form, call.ranges[coordinateAt], {alignment.text()});
  constexpr size_t multicastAt = 3;
  mlir::Value multicast = isLoad ? multicastOf(e, call, multicastAt) : mlir::Value();
  const auto location = e.location(call.range, call.builtin->name,
                                   {{"place", call.ranges[at.isStatic() ? tensorAt : coordinateAt]},
                                    {"multicast", multicast ? call.ranges[multicastAt] : call.range}});
  ir::TensorMoveOp::create(b, location, tensor->value, ir::IntTupleAttr::get(&e.context, start), coordinate.dynamic,
                           tile->value, multicast, !isLoad);
}

Value tensorLoad(Elaborator &e, BoundCall &call) { return moveTile(e, call, 0, 1, 2, true), Value(); }
Value tensorStore(Elaborator &e, BoundCall &call) { return moveTile(e, call, 1, 2, 0, false), Value(); }

const Builtin tensorMoveRows[] = {
    {"tensor_load", "tensor, at, tile, *, multicast=",
     "the wave fills a tile in LDS from a tensor, starting at the coordinate `at`; elements outside of the tensor are "
     "0. `multicast`: bit r is set if the workgroup of rank r in the cluster loads the same tile",
     tensorLoad},
    {"tensor_store", "tile, tensor, at",
     "the wave writes a tile in LDS to a tensor, starting at the coordinate `at`; elements outside of the tensor are "
     "dropped",
     tensorStore},
};
} // namespace

llvm::ArrayRef<Builtin> tensorMoveBuiltins() { return tensorMoveRows; }

} // namespace fly::sema
