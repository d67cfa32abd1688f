// The lanes of a wave in the prelude: exchanges, votes, and the names and sizes that go with them.
//
// Each exchange uses the cheapest method of the target: a DPP move, which is merged into the instruction that uses it;
// a permutation between rows; else the LDS crossbar (ds_swizzle, ds_bpermute), which needs no memory. Values of
// inactive lanes are unspecified.
#include "compiler/sema/prelude/Dpp.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/sema/tensor/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fly::sema {

namespace {
namespace arith = mlir::arith;
using host::Number;

/// Arithmetic on i32 words.
struct Emit {
  mlir::OpBuilder &b;
  mlir::Location loc;
  Emit(Elaborator &e, SourceRange range) : b(e.ir(range, "an exchange")), loc(e.location(range)) {}
  mlir::Value constant(int64_t value) const {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(value)));
  }
  mlir::Value laneId() const { return ir::LaneIdOp::create(b, loc); }
  mlir::Value add(mlir::Value x, mlir::Value y) const { return arith::AddIOp::create(b, loc, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) const { return arith::SubIOp::create(b, loc, x, y); }
  mlir::Value band(mlir::Value x, mlir::Value y) const { return arith::AndIOp::create(b, loc, x, y); }
  mlir::Value bor(mlir::Value x, mlir::Value y) const { return arith::OrIOp::create(b, loc, x, y); }
  mlir::Value bxor(mlir::Value x, mlir::Value y) const { return arith::XOrIOp::create(b, loc, x, y); }
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) const {
    return arith::SelectOp::create(b, loc, c, x, y);
  }
  mlir::Value less(mlir::Value x, mlir::Value y) const {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y);
  }
  mlir::Value times4(mlir::Value x) const { return arith::ShLIOp::create(b, loc, x, constant(2)); }
};

/// A lane or distance: known, or an i32 of the machine.
struct Count {
  std::optional<int64_t> known;
  mlir::Value value;
  mlir::Value emit(const Emit &emit) const { return known ? emit.constant(*known) : value; }
};

Count countOf(Elaborator &e, BoundCall &call, size_t place, const char *name, int64_t end) {
  auto *m = call[place].as<MachineValue>();
  if (m && (m->type == Type::scalar(Number::I32) || m->type == Type::scalar(Number::U32)))
    return {std::nullopt, m->value};
  if (m)
    e.fail(call.ranges[place], diag::argument_of_type{.what = diag::argument(name, call.builtin->name),
                                                      .type = "i32",
                                                      .found = m->type.text()});
  int64_t known = requireInt(e, call[place], call.ranges[place], std::string("`") + name + "`");
  if (known < 0 || known >= end)
    e.fail(call.ranges[place], diag::out_of_range{.what = diag::argument(name, call.builtin->name),
                                                  .low = 0,
                                                  .high = end - 1,
                                                  .found = std::to_string(known)});
  return {known, {}};
}

/// `width=`: the lanes of a group, all of the wave if not given.
int64_t widthOf(Elaborator &e, BoundCall &call, size_t place) {
  int64_t wave = e.target.waveSize;
  if (!call.given[place])
    return wave;
  int64_t width = requireInt(e, call[place], call.ranges[place], "`width=`");
  if (width < 1 || width > wave || (width & (width - 1)))
    e.fail(call.ranges[place], diag::not_a_power_of_two{.what = "`width=`", .limit = wave, .found = width});
  return width;
}

/// Each word from the lane whose number the address is four times.
Value bpermute(Elaborator &e, BoundCall &call, mlir::Value address) {
  return overWords(e, call[0], call, [&](mlir::Value x) {
    return emitWave(e, ir::WaveAction::Bpermute, {address, x}, {}, call.range)[0];
  });
}

//===------------------------------------------------ exchanges --------------------------------------------------===//

Value shuffle(Elaborator &e, BoundCall &call) {
  int64_t wave = e.target.waveSize, width = widthOf(e, call, 2);
  Count lane = countOf(e, call, 1, "lane", width);
  auto share = [&](const char *control, int32_t amount) {
    return overWords(e, call[0], call, [&](mlir::Value x) { return emitDpp(e, control, amount, x, call.range); });
  };
  if (lane.known && width == 1)
    return call[0];
  if (lane.known && width == 4)
    return share("quad_perm", int32_t(*lane.known * 0x55));
  if (lane.known && width == 16 && e.target.has("dpp_row_share"))
    return share("row_share", int32_t(*lane.known));
  Emit emit(e, call.range);
  if (lane.known && width == wave)
    return overWords(e, call[0], call, [&](mlir::Value x) {
      return emitWave(e, ir::WaveAction::ReadLane, {x, emit.constant(*lane.known)}, {}, call.range)[0];
    });
  mlir::Value from = lane.emit(emit); // the crossbar counts modulo the wave
  if (width < wave)
    from = emit.bor(emit.band(from, emit.constant(width - 1)), emit.band(emit.laneId(), emit.constant(-width)));
  return bpermute(e, call, emit.times4(from));
}

/// How the lanes of a row reach lane ^ n, n below 16: one or two moves.
Words xorInRow(Elaborator &e, int32_t n, mlir::Value x, SourceRange range) {
  auto quad = [](int32_t q) { return (0 ^ q) | (1 ^ q) << 2 | (2 ^ q) << 4 | (3 ^ q) << 6; };
  if (n >= 4 && e.target.has("dpp_row_xmask"))
    return {emitDpp(e, "row_xmask", n, x, range)};
  static constexpr struct {
    const char *control;
    int32_t amount, mask;
  } far[] = {{nullptr, 0, 0}, {"row_half_mirror", 0, 7}, {"row_ror", 8, 8}, {"row_mirror", 0, 15}};
  auto &first = far[n / 4];
  if (first.control)
    x = emitDpp(e, first.control, first.amount, x, range);
  return {n == first.mask ? x : emitDpp(e, "quad_perm", quad(n ^ first.mask), x, range)};
}

Value shuffleXor(Elaborator &e, BoundCall &call) {
  int64_t width = widthOf(e, call, 2);
  Count n = countOf(e, call, 1, "n", width);
  auto over = [&](llvm::function_ref<mlir::Value(mlir::Value)> exchange) {
    return overWords(e, call[0], call, exchange);
  };
  if (n.known && *n.known == 0)
    return call[0];
  if (n.known && *n.known < 16)
    return over([&](mlir::Value x) { return xorInRow(e, int32_t(*n.known), x, call.range)[0]; });
  if (n.known && *n.known < 32 && e.target.has("v_permlanex16_b32")) {
    uint64_t selectors = 0;
    for (uint64_t lane = 0; lane < 16; ++lane)
      selectors |= (lane ^ (uint64_t(*n.known) & 15)) << (4 * lane);
    mlir::Value low = word(e, int32_t(selectors), call.range), high = word(e, int32_t(selectors >> 32), call.range);
    return over([&](mlir::Value x) {
      return emitWave(e, ir::WaveAction::PermlaneX16, {x, x, low, high}, {0, 1}, call.range)[0];
    });
  }
  if (n.known && *n.known < 32) // bit mode: lane = ((lane & 0x1f) | 0) ^ n within 32 lanes
    return over([&](mlir::Value x) {
      return emitWave(e, ir::WaveAction::Swizzle, x, int32_t(0x1f | *n.known << 10), call.range)[0];
    });
  Emit emit(e, call.range);
  mlir::Value distance = n.emit(emit);
  if (!n.known && width < e.target.waveSize)
    distance = emit.band(distance, emit.constant(width - 1));
  return bpermute(e, call, emit.times4(emit.bxor(emit.laneId(), distance)));
}

/// shuffle_up and shuffle_down: a lane whose source lies outside its group keeps its own.
Value shuffleBy(Elaborator &e, BoundCall &call) {
  bool up = llvm::StringRef(call.builtin->name) == "shuffle_up";
  int64_t width = widthOf(e, call, 2);
  Count n = countOf(e, call, 1, "n", width);
  if (n.known && *n.known == 0)
    return call[0];
  auto shift = [&](const char *control) {
    return overWords(e, call[0], call,
                     [&](mlir::Value x) { return emitDpp(e, control, int32_t(*n.known), x, x, call.range); });
  };
  if (n.known && width == 16)
    return shift(up ? "row_shr" : "row_shl");
  if (n.known && *n.known == 1 && width == e.target.waveSize && e.target.has("dpp_wave_shr"))
    return shift(up ? "wave_shr" : "wave_shl");
  Emit emit(e, call.range);
  if (n.known && *n.known == 1 && width == 32 && e.target.waveSize == 32)
    // Two rows: a shift in each, and the lane where they touch by way of a scalar register.
    return overWords(e, call[0], call, [&](mlir::Value x) {
      mlir::Value from = emit.constant(up ? 15 : 16), to = emit.constant(up ? 16 : 15);
      mlir::Value across = emitWave(e, ir::WaveAction::ReadLane, {x, from}, {}, call.range)[0];
      mlir::Value shifted = emitDpp(e, up ? "row_shr" : "row_shl", 1, x, x, call.range);
      return emitWave(e, ir::WaveAction::WriteLane, {across, to, shifted}, {}, call.range)[0];
    });
  mlir::Value lane = emit.laneId(), distance = n.emit(emit), last = emit.constant(width - 1);
  mlir::Value inGroup = emit.band(lane, last);
  mlir::Value outside = up ? emit.less(inGroup, distance) : emit.less(emit.sub(last, inGroup), distance);
  mlir::Value from = up ? emit.sub(lane, distance) : emit.add(lane, distance);
  return bpermute(e, call, emit.times4(emit.select(outside, lane, from)));
}

Value readLane(Elaborator &e, BoundCall &call) {
  Count lane = countOf(e, call, 1, "lane", e.target.waveSize);
  Emit emit(e, call.range);
  mlir::Value from = lane.emit(emit);
  const auto location = e.location(call.range, call.builtin->name, {{"lane", call.ranges[1]}});
  return overWords(e, call[0], call,
                   [&](mlir::Value x) { return emitWave(e, ir::WaveAction::ReadLane, {x, from}, {}, location)[0]; });
}

Value readFirstLane(Elaborator &e, BoundCall &call) {
  return overWords(e, call[0], call,
                   [&](mlir::Value x) { return emitWave(e, ir::WaveAction::ReadFirstLane, x, {}, call.range)[0]; });
}

Value writeLane(Elaborator &e, BoundCall &call) {
  Count lane = countOf(e, call, 1, "lane", e.target.waveSize);
  Emit emit(e, call.range);
  mlir::Value to = lane.emit(emit);
  const auto location =
      e.location(call.range, call.builtin->name, {{"lane", call.ranges[1]}, {"value", call.ranges[2]}});
  return overWords(e, {&call[0], &call[2]}, 1, call, [&](llvm::ArrayRef<mlir::Value> words) {
    return emitWave(e, ir::WaveAction::WriteLane, {words[1], to, words[0]}, {}, location);
  })[0];
}

//===-------------------------------------------------- votes ----------------------------------------------------===//

Type maskType(Elaborator &e) { return Type::scalar(e.target.waveSize == 64 ? Number::I64 : Number::I32); }

mlir::Value emitBallot(Elaborator &e, mlir::Value condition, SourceRange range) {
  auto &b = e.ir(range, "a ballot");
  return ir::WaveOp::create(b, e.location(range), mlir::TypeRange{mlirType(e, maskType(e))}, ir::WaveAction::Ballot,
                            mlir::ValueRange{condition}, llvm::ArrayRef<int32_t>{})
      .getResults()[0];
}

Value ballot(Elaborator &e, BoundCall &call) {
  e.ir(call.range, "ballot");
  return Value(MachineValue{emitBallot(e, toCondition(e, call[0], call.ranges[0]).value, call.range), maskType(e)});
}

Value vote(Elaborator &e, BoundCall &call) {
  bool isAll = llvm::StringRef(call.builtin->name) == "wave_all";
  auto &b = e.ir(call.range, call.builtin->name);
  if (!call[0].is<MachineValue>())
    return Value(truth(e, call[0], call.ranges[0]));
  auto loc = e.location(call.range);
  mlir::Value condition = toCondition(e, call[0], call.ranges[0]).value;
  if (isAll) { // no active lane objects
    mlir::Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    condition = arith::XOrIOp::create(b, loc, condition, yes);
  }
  mlir::Value mask = emitBallot(e, condition, call.range);
  mlir::Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(mask.getType()));
  auto predicate = isAll ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne;
  return Value(MachineValue{arith::CmpIOp::create(b, loc, predicate, mask, zero), Type::scalar(Number::Bool)});
}

/// `together()`: leaves a mark where it stands, for the check of the whole kernel.
Value together(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "together");
  int64_t width = widthOf(e, call, 0);
  if (width == 1)
    return Value();
  ir::TogetherOp::create(b, e.location(call.range, e.frame->function ? e.frame->function->name : call.builtin->name),
                         int32_t(width));
  return Value();
}

/// The set bits of a ballot's mask below this lane: one instruction for each 32 lanes.
Value mbcnt(Elaborator &e, BoundCall &call) {
  Type type = maskType(e);
  auto &b = e.ir(call.range, "mbcnt");
  auto loc = e.location(call.range);
  auto *m = call[0].as<MachineValue>();
  bool fits = m ? m->type == type || m->type == type.withNumber(type.number == Number::I64 ? Number::U64 : Number::U32)
                : call[0].is<Int>();
  if (!fits)
    e.fail(call.ranges[0], diag::argument_of_type{.what = diag::argument("mask", "mbcnt"),
                                                  .type = type.text(),
                                                  .found = describe(call[0])});
  mlir::Value mask = m ? m->value : toMachine(e, call[0], type, call.ranges[0]).value, low = mask;
  if (type.number == Number::I64)
    low = arith::TruncIOp::create(b, loc, b.getI32Type(), mask);
  mlir::Value count = emitWave(e, ir::WaveAction::MbcntLo, {low, word(e, 0, call.range)}, {}, call.range)[0];
  if (type.number == Number::I64) {
    mlir::Value by = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
    mlir::Value high = arith::TruncIOp::create(b, loc, b.getI32Type(), arith::ShRUIOp::create(b, loc, mask, by));
    count = emitWave(e, ir::WaveAction::MbcntHi, {high, count}, {}, call.range)[0];
  }
  return Value(MachineValue{count, Type::scalar(Number::I32)});
}

//===-------------------------------------------------- sizes ----------------------------------------------------===//

Value product(Elaborator &e, const Value &x, SourceRange range) {
  if (x.isNumber() || x.is<MachineValue>() || x.is<HostValue>())
    return x;
  if (x.is<std::string>()) // whose characters are strings again
    e.fail(diag::wrong_argument_type, range, {"size", "a shape, a layout, a tensor or an array", "x", describe(x)});
  Value all(int64_t(1));
  bool first = true;
  for (auto &part : e.iterate(x, range, "`size`")) {
    Value factor = product(e, part, range);
    all = first ? factor : e.binary(ast::BinaryOp::Mul, all, factor, range, range, range, range);
    first = false;
  }
  return all;
}

Value size(Elaborator &e, BoundCall &call) {
  if (isView(call[0]))
    return e.attribute(call[0], "size", call.ranges[0], call.ranges[0]);
  if (call[0].is<LayoutValue>())
    return e.attribute(call[0], "size", call.ranges[0], call.ranges[0]);
  if (auto *array = call[0].as<ArrayValue>())
    return Value(int64_t(array->array->size()));
  return product(e, call[0], call.ranges[0]);
}

Value isPowerOfTwo(Elaborator &e, BoundCall &call) {
  int64_t n = requireInt(e, call[0], call.ranges[0], "the argument of `is_power_of_two`");
  return Value(n > 0 && (n & (n - 1)) == 0);
}

const Builtin waveRows[] = {
    {"shuffle", "x, lane, *, width=",
     "the value of x in the given lane; `lane` counts within each group of `width` lanes, modulo `width`", shuffle},
    {"shuffle_xor", "x, n, *, width=", "the value of x in lane ^ n", shuffleXor},
    {"shuffle_up", "x, n, *, width=",
     "the value of x in lane - n; the first n lanes of each group of `width` keep their own", shuffleBy},
    {"shuffle_down", "x, n, *, width=",
     "the value of x in lane + n; the last n lanes of each group of `width` keep their own", shuffleBy},
    {"readlane", "x, lane", "the value of x in one lane, for all lanes; `lane` must be the same in all of them",
     readLane},
    {"readfirstlane", "x", "the value of x in the first active lane, for all lanes", readFirstLane},
    {"writelane", "x, lane, value",
     "x with one lane replaced by `value`; `lane` and `value` must be the same in all lanes", writeLane},
    {"ballot", "p", "a mask of the active lanes where p holds: i32, or i64 in a wave of 64", ballot},
    {"wave_all", "p", "whether p holds in all active lanes of the wave", vote},
    {"wave_any", "p", "whether p holds in any active lane of the wave", vote},
    {"together", "width=",
     "states that the lanes of each group of `width` get here together or not at all; an error where a condition "
     "divides them",
     together},
    {"mbcnt", "mask", "the number of bits set in a ballot's mask for the lanes below this one", mbcnt},
    {"size", "x", "the number of elements of a shape, layout or tensor, or of `block_dim` or `cluster_dim`", size},
    {"is_power_of_two", "n", "whether a compile-time integer is 1, 2, 4, 8, ...", isPowerOfTwo},
};
} // namespace

llvm::ArrayRef<Builtin> waveBuiltins() { return waveRows; }

} // namespace fly::sema
