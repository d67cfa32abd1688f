// gfx1250's tensor data mover: one instruction of a wave moves a whole tile between a tensor of up to five modes in global
// memory and LDS, with the tensor's bounds: outside of them LDS gets 0, and nothing is written.
//
//   tensor_load(x, (row, column), s)      s[i, j] = x[row + i, column + j]
//
// Its operand is a descriptor of 12 or 20 scalar words, which are put together here. Not trivial are the order of
// dimensions and the padding: the mover packs LDS, the dimension of stride 1 first, and can leave a gap after each
// so many bytes; so the tile's layout in LDS decides which mode is which dimension, and is refused where that is not what
// the mover does.
//
// Fields and their sources: runtime/emulator/ops/memory/TensorDescriptor.h. Mode k of the descriptor is the one with the k-th
// smallest stride in LDS.
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/prelude/DeviceOutput.h"
#include "compiler/sema/tensor/PackedElements.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/prelude/Words.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>
#include <bit>

namespace fly::sema {

using ir::AddressSpace;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
namespace arith = mlir::arith;

namespace {

constexpr size_t maximumRank = 5;

/// What of the tile's layout the descriptor says.
struct Packing {
  std::vector<size_t> order;          ///< of the descriptor's dimensions, the tile's modes
  int64_t interval = 0, amount = 0;   ///< bytes between gaps, and of a gap; 0: packed
};

class Descriptor {
public:
  Descriptor(Elaborator &e, SourceRange range) : e(e), b(e.ir(range, "tensor_load")), loc(e.location(range)), range(range) {}

  mlir::Value number(int64_t value) { return word(e, int32_t(uint32_t(value)), range); }
  mlir::Value wide(const Leaf &leaf) {
    mlir::Type i64 = b.getI64Type();
    if (leaf.isStatic())
      return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(leaf.value));
    mlir::Value value = machineValueOf(leaf).as<MachineValue>()->value;
    return value.getType() == i64 ? value : arith::ExtSIOp::create(b, loc, i64, value).getResult();
  }
  /// 32 bits of a number from `shift` on.
  mlir::Value part(mlir::Value value, int64_t shift) {
    if (shift)
      value = arith::ShRUIOp::create(b, loc, value, arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(shift)));
    return arith::TruncIOp::create(b, loc, b.getI32Type(), value);
  }
  mlir::Value masked(mlir::Value value, int64_t mask) { return arith::AndIOp::create(b, loc, value, number(mask)); }
  mlir::Value shifted(mlir::Value value, int64_t by) { return arith::ShLIOp::create(b, loc, value, number(by)); }
  mlir::Value either(mlir::Value left, mlir::Value right) { return arith::OrIOp::create(b, loc, left, right); }
  mlir::Value high(mlir::Value value) { return arith::ShRUIOp::create(b, loc, value, number(16)); }
  /// How much of an extent there is from `at` on, as an i32.
  mlir::Value inside(const Leaf &extent, const Leaf &at) {
    if (extent.isStatic() && at.isStatic())
      return number(std::clamp<int64_t>(extent.value - at.value, 0, INT32_MAX));
    mlir::Value rest = arith::SubIOp::create(b, loc, wide(extent), wide(at));
    auto bound = [&](int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); };
    if (extent.width() == 64 || at.width() == 64)
      rest = arith::MinSIOp::create(b, loc, rest, bound(INT32_MAX));
    rest = arith::MaxSIOp::create(b, loc, rest, bound(0));
    return arith::TruncIOp::create(b, loc, b.getI32Type(), rest);
  }
  mlir::Value group(llvm::ArrayRef<mlir::Value> words) {
    return mlir::vector::FromElementsOp::create(b, loc, mlir::VectorType::get({int64_t(words.size())}, b.getI32Type()), words);
  }

  Elaborator &e;
  mlir::OpBuilder &b;
  mlir::Location loc;
  SourceRange range;
};

/// The order of dimensions, or why the mover cannot fill such a tile.
layout::Result<Packing> packingOf(const Layout &tile, int64_t elementBytes) {
  Packing out;
  std::vector<Leaf> extents = tile.shape().leaves(), strides = tile.stride().leaves();
  for (size_t i = 0; i < extents.size(); ++i)
    out.order.push_back(i);
  // Where a mode of one element is in LDS does not matter.
  auto key = [&](size_t mode) { return std::pair(extents[mode].value == 1, strides[mode].value); };
  std::stable_sort(out.order.begin(), out.order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  int64_t expected = 1;
  for (size_t k = 0; k < out.order.size(); ++k) {
    int64_t extent = extents[out.order[k]].value, stride = strides[out.order[k]].value;
    if (extent == 1)
      continue;
    if (k == 1 && stride > expected) {
      out.interval = expected * elementBytes;
      out.amount = (stride - expected) * elementBytes;
      bool isPossible = std::has_single_bit(uint64_t(out.interval)) && out.interval >= 8 && out.interval <= 1024 && out.amount % 4 == 0 && out.amount <= 512;
      if (!isPossible)
        return layout::Error{"a gap of " + std::to_string(out.amount) + " bytes after every " + std::to_string(out.interval) + "; there are gaps of 4 to 512 bytes after 8, 16, ... or 1024"};
    } else if (stride != expected)
      return layout::Error{"mode " + std::to_string(out.order[k]) + " of the tile has stride " + std::to_string(stride) + ", packed it has " + std::to_string(expected)};
    expected = extent * stride;
  }
  return out;
}

/// A tensor's plain layout of numbers, at most five of them.
Layout plainLayout(Elaborator &e, const TensorValue &tensor, SourceRange range) {
  const auto &any = llvm::cast<ir::TensorType>(tensor.value.getType()).getLayout();
  auto *plain = std::get_if<Layout>(&any);
  bool isFlat = plain && plain->shape().isTuple() && llvm::all_of(plain->shape().modes(), [](const IntTuple &mode) { return mode.isLeaf(); });
  if (!isFlat || plain->rank() > maximumRank)
    e.fail(diag::wrong_value, range, {"the layout of what the tensor mover moves", "of one to five plain modes, without a swizzle", "`" + layout::textOf(any) + "`"});
  return *plain;
}

void moveTile(Elaborator &e, BoundCall &call, size_t tensorAt, size_t coordinateAt, size_t tileAt, bool isLoad) {
  if (!e.target.has("tensor_dma"))
    notOnTarget(e, std::string("`") + call.builtin->name + "`", call.range, [](auto &target) { return target.has("tensor_dma"); });
  Descriptor d(e, call.range);
  auto *tensor = pieceIn(call[tensorAt], AddressSpace::Global), *tile = pieceIn(call[tileAt], AddressSpace::Shared);
  if (!tensor || tensor->record)
    e.fail(diag::wrong_argument_type, call.ranges[tensorAt], {call.builtin->name, "a tensor of numbers in global memory", parameterName(*call.builtin, tensorAt), describe(call[tensorAt])});
  if (!tile || tile->record)
    e.fail(diag::wrong_argument_type, call.ranges[tileAt], {call.builtin->name, "a tensor in shared memory", parameterName(*call.builtin, tileAt), describe(call[tileAt])});
  if (tensor->element != tile->element)
    e.fail(diag::mixed_types, call.ranges[tileAt], {call.builtin->name, std::string(host::format(tensor->element).name), std::string(host::format(tile->element).name)});
  if (!isLoad && tensor->access == Access::Read)
    e.report(diag::write_to_input, call.ranges[tensorAt], {tensor->name}).help("declare it `Out[...]`, or `InOut[...]` if it is also read"), throw Failed{};
  Layout whole = plainLayout(e, *tensor, call.ranges[tensorAt]), part = plainLayout(e, *tile, call.ranges[tileAt]);
  if (whole.rank() != part.rank() || !part.isStatic())
    e.fail(diag::wrong_value, call.ranges[tileAt], {"the tile", "a static layout of as many modes as the tensor, " + std::to_string(whole.rank()), "`" + part.text() + "`"});
  if (liesPacked(tensor->element))
    e.report(diag::part_of_byte, call.ranges[tensorAt], {"`" + std::string(call.builtin->name) + "` counts them, and `" + std::string(host::format(tensor->element).name) + "` has " + std::to_string(host::format(tensor->element).bits) + " bits"})
        .help("move the bytes: `recast(t, u8)` of the tensor and of the tile"), throw Failed{};
  int64_t bytes = llvm::cast<ir::TensorType>(tensor->value.getType()).getElementBits() / 8;
  Packing packing = taken(e, packingOf(part, bytes), call.builtin->name, call.ranges[tileAt]);
  std::vector<Leaf> wholeStrides = whole.stride().leaves(), partExtents = part.shape().leaves();
  if (!wholeStrides[packing.order[0]].isStatic(1))
    e.report(diag::no_layout, call.ranges[tensorAt], {call.builtin->name, "mode " + std::to_string(packing.order[0]) + ", contiguous in the tile, has stride " + layout::leafText(wholeStrides[packing.order[0]]) + " in the tensor"})
        .help("the mover keeps the contiguous mode: give the tile the order of the tensor"), throw Failed{};
  LayoutCall c(e, call);
  IntTuple at = c.tuple(coordinateAt, "a coordinate");
  std::vector<Leaf> place = at.leaves();
  if (place.size() != whole.rank())
    e.fail(diag::bad_coordinate, call.ranges[coordinateAt], {std::to_string(place.size()), std::to_string(whole.rank())});

  Value layoutValue = e.tensorAttribute(*tensor, "layout", call.range, call.range);
  layout::AnyLayout known = *layoutValue.as<LayoutValue>()->object->layout();
  std::vector<Leaf> extents = layout::domainOf(known).shape().leaves(), strides = layout::domainOf(known).stride().leaves();
  auto addressOf = [&](const TensorValue &view, const Values &items, mlir::Type type) -> mlir::Value {
    return ir::PtrToIntOp::create(d.b, d.loc, type, elementOf(e, view, items, call.range).value);
  };
  for (auto [mode, leaf] : llvm::enumerate(place)) // the instruction's extents begin at the place it is given
    if (!leaf.isStatic()) {
      Value coordinate = machineValueOf(leaf);
      assertNonNegative(e, *coordinate.as<MachineValue>(), "coordinate " + std::to_string(mode) + " of `" + std::string(call.builtin->name) + "`", call.ranges[coordinateAt]);
    }
  Values start, zeros(place.size(), Value(int64_t(0)));
  for (const Leaf &leaf : place)
    start.push_back(leaf.isStatic() ? Value(leaf.value) : machineValueOf(leaf));
  mlir::Value global = addressOf(*tensor, start, d.b.getI64Type()), local = addressOf(*tile, zeros, d.b.getI32Type());

  size_t rank = packing.order.size();
  auto tileOf = [&](size_t k) { return k < rank ? partExtents[packing.order[k]].value : 0; };
  auto insideOf = [&](size_t k) {
    return k < rank ? d.inside(extents[packing.order[k]], place[packing.order[k]]) : d.number(0);
  };
  auto strideOf = [&](size_t k) { return k < rank ? d.wide(strides[packing.order[k]]) : d.wide(Leaf::known(0)); }; // of dimension k
  int64_t flags = int64_t(std::countr_zero(uint64_t(bytes))) << 16;
  if (packing.interval)
    flags |= int64_t(1) << 20 | int64_t(std::countr_zero(uint64_t(packing.interval)) - 3) << 22 | (packing.amount / 4 - 1) << 25;
  mlir::Value first = strideOf(1), second = strideOf(2), inside0 = insideOf(0), inside1 = insideOf(1);
  mlir::Value group0 = d.group({d.number(1), local, d.part(global, 0), d.either(d.masked(d.part(global, 32), 0x1ffffff), d.number(int64_t(2) << 30))});
  mlir::Value group1 = d.group({d.number(flags), d.shifted(inside0, 16), d.either(d.high(inside0), d.shifted(inside1, 16)),
                                d.either(d.high(inside1), d.number(tileOf(0) << 16)),
                                d.number(tileOf(1) | tileOf(2) << 16), d.part(first, 0),
                                d.either(d.masked(d.part(first, 32), 0xffff), d.shifted(d.part(second, 0), 16)), d.part(second, 16)});
  llvm::SmallVector<mlir::Value> operands = {group0, group1};
  if (rank > 2) {
    mlir::Value third = strideOf(3), fourth = strideOf(4), last = insideOf(4);
    operands.push_back(d.group({insideOf(2), insideOf(3), d.part(third, 0), d.either(d.masked(d.part(third, 32), 0xffff), d.number(tileOf(3) << 16))}));
    operands.push_back(d.group({d.part(fourth, 0), d.either(d.masked(d.part(fourth, 32), 0xffff), d.shifted(last, 16)), d.either(d.high(last), d.number(tileOf(4) << 16)), d.number(0)}));
  }
  operands.push_back(d.number(0));
  std::string name = std::string("llvm.amdgcn.tensor.") + (isLoad ? "load.to.lds" : "store.from.lds") + (rank > 2 ? "" : ".d2");
  auto op = mlir::LLVM::CallIntrinsicOp::create(d.b, d.loc, d.b.getStringAttr(name), operands);
  if (!e.trialDepth)
    e.notes.waveOperands.push_back({op, 0, call.ranges[at.isStatic() ? tensorAt : coordinateAt], "place", call.builtin->name});
}

Value tensorLoad(Elaborator &e, BoundCall &call) { return moveTile(e, call, 0, 1, 2, true), Value(); }
Value tensorStore(Elaborator &e, BoundCall &call) { return moveTile(e, call, 1, 2, 0, false), Value(); }

const Builtin table[] = {
    {"tensor_load", "tensor, at, tile", "the wave fills a tile in LDS from a tensor, from the coordinate `at` on; what is outside of the tensor is 0", tensorLoad},
    {"tensor_store", "tile, tensor, at", "the wave writes a tile of LDS to a tensor, from the coordinate `at` on; nothing outside of the tensor", tensorStore},
};
} // namespace

llvm::ArrayRef<Builtin> tensorMoveBuiltins() { return table; }

} // namespace fly::sema
