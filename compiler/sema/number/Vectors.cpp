// Elements of vectors. A run-time position in a vector of 32-bit elements is left to the code generator, which selects
// between registers or, if the position is uniform, indexes them. Narrower elements are addressed by their 32-bit word
// and a shift, wider ones as pairs of words; directly, they would go through memory.
//
// A run-time position outside of the vector selects some element of it: modulo the count where that is a power of two,
// else the last.
#include "compiler/sema/number/Vectors.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/Arithmetic.h"
#include "compiler/sema/number/SmallFloatInstructions.h"
#include "compiler/sema/number/SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

namespace fly::sema {

namespace arith = mlir::arith;
using host::Number;

std::vector<int64_t> slicePositions(Elaborator &e, const SliceValue &slice, int64_t size, SourceRange range) {
  auto &parts = *slice.parts;
  int64_t by = parts[2].isNone() ? 1 : requireInt(e, parts[2], range, "the step of a slice");
  if (by == 0)
    e.fail(range, diag::zero_step{.name = "[start:stop:step]"});
  auto bound = [&](const Value &part, int64_t otherwise) {
    if (part.isNone())
      return otherwise;
    int64_t v = requireInt(e, part, range, "a bound of a slice");
    if (v < 0)
      v += size;
    return by > 0 ? std::clamp<int64_t>(v, 0, size) : std::clamp<int64_t>(v, -1, size - 1);
  };
  int64_t start = bound(parts[0], by > 0 ? 0 : size - 1), stop = bound(parts[1], by > 0 ? size : -1);
  std::vector<int64_t> out;
  for (__int128 i = start; by > 0 ? i < stop : i > stop; i += by)
    out.push_back(int64_t(i));
  return out;
}

int64_t elementPosition(Elaborator &e, const Value &item, int64_t size, const std::string &what, SourceRange range) {
  int64_t at = requireInt(e, item, range, "an index");
  if (at < -size || at >= size)
    e.fail(diag::index_out_of_range, range, {std::to_string(at), what});
  return at < 0 ? at + size : at;
}

namespace {

mlir::Value extract(mlir::OpBuilder &b, mlir::Location loc, mlir::Value vector, int64_t at) {
  return mlir::vector::ExtractOp::create(b, loc, vector, llvm::ArrayRef<int64_t>{at});
}

/// One element per lane: packed numbers in bytes.
mlir::Value lanesOf(Elaborator &e, MachineValue vector, SourceRange range) {
  return isPacked(vector.type) ? unpackElements(e, vector, range) : vector.value;
}
MachineValue fromLanes(Elaborator &e, mlir::Value lanes, Type type, SourceRange range) {
  return {isPacked(type) ? packElements(e, lanes, type, range) : lanes, type};
}

/// The type of a vector with another count, if there is one.
Type withLanes(Elaborator &e, Type type, size_t lanes, SourceRange range) {
  if (lanes < 1 || lanes > 256)
    e.fail(range,
           diag::out_of_range{.what = "the count of a vector", .low = 1, .high = 256, .found = std::to_string(lanes)});
  Type out = Type::vector(type.number, uint32_t(lanes));
  if (lanes * type.format().bits % 8 && isPacked(out))
    e.fail(range, diag::not_a_multiple{.what = "the count of a vector of " + type.element().text(),
                                       .unit = 8 / std::gcd(8u, type.format().bits),
                                       .found = int64_t(lanes)});
  return out;
}

Value shuffled(Elaborator &e, MachineValue vector, const std::vector<int64_t> &order, SourceRange range) {
  Type type = withLanes(e, vector.type, order.size(), range);
  auto &b = e.ir(range, "a part of a vector");
  mlir::Value lanes = lanesOf(e, vector, range);
  return Value(fromLanes(e, mlir::vector::ShuffleOp::create(b, e.location(range), lanes, lanes, order), type, range));
}

/// The positions of a list or slice; none if the item is one element.
std::optional<std::vector<int64_t>> positionsOf(Elaborator &e, Type type, const Value &item, SourceRange range) {
  int64_t size = type.lanes;
  if (auto *slice = item.as<SliceValue>())
    return slicePositions(e, *slice, size, range);
  if (auto *list = item.as<ListValue>()) {
    std::vector<int64_t> out;
    for (auto &at : *list->elements)
      out.push_back(elementPosition(e, at, size, type.text(), range));
    return out;
  }
  return std::nullopt;
}

// ---------------------------------------------------------------------------------------------------------
// Positions of run time

struct RuntimePosition {
  Elaborator &e;
  Elementwise m;
  MachineValue vector;
  mlir::Value at; ///< i32, inside of the vector

  RuntimePosition(Elaborator &e, MachineValue vector, MachineValue position, SourceRange range, SourceRange itemRange)
      : e(e), m{e.ir(range, "an element of a vector"), e.location(range), 0}, vector(vector) {
    if (!position.type.isInteger() || position.type.isVector())
      e.fail(diag::bad_index, itemRange, {describe(Value(vector)), describe(Value(position))});
    at = m.resize(position.value, 32);
    int64_t count = vector.type.lanes;
    at = llvm::isPowerOf2_64(uint64_t(count))
             ? m.bitAnd(at, uint64_t(count) - 1)
             : arith::MinUIOp::create(m.b, m.loc, at, m.integer(32, uint64_t(count) - 1)).getResult();
  }

  mlir::Value index(mlir::Value position) const {
    return arith::IndexCastUIOp::create(m.b, m.loc, m.b.getIndexType(), position);
  }
  mlir::Value get(mlir::Value from, mlir::Value position) const {
    return mlir::vector::ExtractOp::create(m.b, m.loc, from, mlir::OpFoldResult(index(position)));
  }
  mlir::Value put(mlir::Value element, mlir::Value into, mlir::Value position) const {
    return mlir::vector::InsertOp::create(m.b, m.loc, element, into, mlir::OpFoldResult(index(position)));
  }
  mlir::Value wordsOf(mlir::Value lanes, int64_t words) const {
    return mlir::vector::BitCastOp::create(m.b, m.loc, mlir::VectorType::get({words}, m.b.getI32Type()), lanes);
  }

  /// Bits of an element in a word, if a vector of such elements fills words; else 0.
  unsigned narrowBits() const {
    unsigned bits = vector.type.format().bits;
    return !vector.type.isBool() && bits < 32 && 32 % bits == 0 && vector.type.lanes * bits % 32 == 0 ? bits : 0;
  }
  mlir::Value shift(unsigned bits) const {
    mlir::Value within = m.bitAnd(at, 32 / bits - 1);
    return m.shl(within, llvm::Log2_32(bits));
  }
  mlir::Value word(unsigned bits) const { return m.shr(at, llvm::Log2_32(32 / bits)); }
  int64_t words() const { return int64_t(vector.type.lanes) * vector.type.format().bits / 32; }
  mlir::Type elementType() const { return mlirType(e, vector.type.element()); }
  /// The element in a lane of 32 or 64 bits, for odd counts of narrow elements and for bool.
  unsigned laneBits() const { return vector.type.format().bits == 64 ? 64 : 32; }

  Value element() const {
    Type type = vector.type.element();
    if (unsigned bits = narrowBits()) {
      mlir::Value word32 = words() == 1 ? extract(m.b, m.loc, wordsOf(vector.value, 1), 0)
                                        : get(wordsOf(vector.value, words()), word(bits));
      mlir::Value low = arith::ShRUIOp::create(m.b, m.loc, word32, shift(bits));
      if (bits < 8)
        low = m.bitAnd(low, (1u << bits) - 1);
      low = m.resize(low, std::max(bits, 8u));
      return Value(MachineValue{low.getType() == elementType() ? low : m.bitcast(low, elementType()), type});
    }
    if (vector.type.format().bits >= 32)
      return Value(MachineValue{get(vector.value, at), type});
    mlir::Value wide = get(widened(), at);
    mlir::Value low = m.resize(wide, type.isBool() ? 1 : std::max(type.format().bits, 8u));
    return Value(MachineValue{low.getType() == elementType() ? low : m.bitcast(low, elementType()), type});
  }
  /// The elements as integers of 32 bits.
  mlir::Value widened() const {
    Elementwise all{m.b, m.loc, int64_t(vector.type.lanes)};
    mlir::Value lanes = lanesOf(e, vector, {});
    if (vector.type.format().bits == 16 && vector.type.isFloat())
      lanes = all.bitcast(lanes, m.b.getI16Type());
    return all.resize(lanes, 32);
  }

  MachineValue with(mlir::Value element) const {
    auto asInteger = [&](mlir::Value x) {
      unsigned width = mlir::getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
      return m.resize(x.getType().isInteger() ? x : m.bitcast(x, m.b.getIntegerType(width)), 32);
    };
    if (unsigned bits = narrowBits()) {
      mlir::Value all = wordsOf(vector.value, words()), by = shift(bits), place = word(bits);
      mlir::Value old = words() == 1 ? extract(m.b, m.loc, all, 0) : get(all, place);
      mlir::Value mask = arith::ShLIOp::create(m.b, m.loc, m.integer(32, (uint64_t(1) << bits) - 1), by);
      mlir::Value kept =
          arith::AndIOp::create(m.b, m.loc, old, arith::XOrIOp::create(m.b, m.loc, mask, m.integer(32, ~uint64_t(0))));
      mlir::Value changed = m.bitOr(kept, arith::ShLIOp::create(m.b, m.loc, asInteger(element), by));
      all = words() == 1
                ? mlir::vector::FromElementsOp::create(m.b, m.loc, llvm::cast<mlir::VectorType>(all.getType()), changed)
                      .getResult()
                : put(changed, all, place);
      return {mlir::vector::BitCastOp::create(m.b, m.loc, llvm::cast<mlir::VectorType>(vector.value.getType()), all),
              vector.type};
    }
    if (vector.type.format().bits >= 32)
      return {put(element, vector.value, at), vector.type};
    mlir::Value changed = put(asInteger(element), widened(), at);
    Elementwise all{m.b, m.loc, int64_t(vector.type.lanes)};
    mlir::Value lanes = all.resize(changed, vector.type.isBool() ? 1 : std::max(vector.type.format().bits, 8u));
    if (!isPacked(vector.type) && lanes.getType() != vector.value.getType())
      lanes = all.bitcast(lanes, elementType());
    return fromLanes(e, lanes, vector.type, {});
  }
};

} // namespace

Value vectorIndex(Elaborator &e, MachineValue vector, const Value &item, SourceRange range, SourceRange itemRange) {
  if (auto *at = item.as<MachineValue>())
    return RuntimePosition(e, vector, *at, range, itemRange).element();
  if (auto order = positionsOf(e, vector.type, item, itemRange))
    return shuffled(e, vector, *order, range);
  auto &b = e.ir(range, "an element of a vector");
  int64_t at = elementPosition(e, item, vector.type.lanes, vector.type.text(), itemRange);
  if (isPacked(vector.type)) {
    Elementwise m{b, e.location(range), 0};
    unsigned bits = vector.type.format().bits, shift = unsigned(at * bits % 8);
    mlir::Value code = m.shr(extract(b, m.loc, vector.value, at * bits / 8), shift);
    if (shift + bits > 8)
      code = m.bitOr(code, m.shl(extract(b, m.loc, vector.value, at * bits / 8 + 1), 8 - shift));
    return Value(MachineValue{m.bitAnd(code, (uint64_t(1) << bits) - 1), vector.type.element()});
  }
  return Value(MachineValue{extract(b, e.location(range), vector.value, at), vector.type.element()});
}

Value vectorWith(Elaborator &e, MachineValue vector, const Value &item, const Value &value, SourceRange range,
                 SourceRange itemRange, SourceRange valueRange) {
  auto &b = e.ir(range, "an element of a vector");
  Type element = vector.type.element();
  if (auto *at = item.as<MachineValue>()) {
    RuntimePosition place(e, vector, *at, range, itemRange);
    return Value(place.with(toMachine(e, value, element, valueRange).value));
  }
  auto loc = e.location(range);
  mlir::Value lanes = lanesOf(e, vector, range);
  if (auto order = positionsOf(e, vector.type, item, itemRange)) {
    if (order->empty())
      return Value(vector);
    Type type = Type::vector(element.number, uint32_t(order->size()));
    if (auto *m = value.as<MachineValue>(); m && m->type.isVector() && m->type.lanes != type.lanes)
      e.fail(diag::wrong_value, valueRange,
             {"what is assigned to " + std::to_string(type.lanes) + " elements", "a vector of the same length",
              m->type.text()});
    Values parts;
    if (auto *m = value.as<MachineValue>(); m && m->type == type)
      parts = vectorElements(e, *m, valueRange);
    else
      parts = Values(order->size(), Value(toMachine(e, value, element, valueRange)));
    for (auto [at, part] : llvm::zip(*order, parts))
      lanes =
          mlir::vector::InsertOp::create(b, loc, part.as<MachineValue>()->value, lanes, llvm::ArrayRef<int64_t>{at});
  } else {
    int64_t at = elementPosition(e, item, vector.type.lanes, vector.type.text(), itemRange);
    lanes = mlir::vector::InsertOp::create(b, loc, toMachine(e, value, element, valueRange).value, lanes,
                                           llvm::ArrayRef<int64_t>{at});
  }
  return Value(fromLanes(e, lanes, vector.type, range));
}

Values vectorElements(Elaborator &e, MachineValue vector, SourceRange range) {
  auto &b = e.ir(range, "the elements of a vector");
  mlir::Value lanes = lanesOf(e, vector, range);
  Values out;
  for (int64_t i = 0; i < int64_t(vector.type.lanes); ++i)
    out.push_back(Value(MachineValue{extract(b, e.location(range), lanes, i), vector.type.element()}));
  return out;
}

MachineValue vectorOfParts(Elaborator &e, Type type, const Values &parts, SourceRange range) {
  auto &b = e.ir(range, type.text());
  llvm::SmallVector<mlir::Value> values;
  for (auto &part : parts) {
    auto *m = part.as<MachineValue>();
    if (!m || !m->type.isVector()) {
      values.push_back(toMachine(e, part, type.element(), range).value);
      continue;
    }
    if (m->type.number != type.number)
      e.fail(diag::bad_conversion, range, {m->type.text(), "elements of " + type.text() + " implicitly"});
    for (auto &element : vectorElements(e, *m, range))
      values.push_back(element.as<MachineValue>()->value);
  }
  auto lanes = mlir::VectorType::get({int64_t(values.size())}, mlirType(e, type.element()));
  return fromLanes(e, mlir::vector::FromElementsOp::create(b, e.location(range), lanes, values), type, range);
}

MachineValue broadcast(Elaborator &e, MachineValue scalar, Type type, SourceRange range) {
  auto &b = e.ir(range, "a vector");
  auto lanes = mlir::VectorType::get({int64_t(type.lanes)}, mlirType(e, type.element()));
  return fromLanes(e, mlir::vector::BroadcastOp::create(b, e.location(range), lanes, scalar.value), type, range);
}

// ---------------------------------------------------------------------------------------------------------

Value reducePairwise(Elaborator &e, Values parts, llvm::StringRef name, SourceRange range) {
  using ast::BinaryOp;
  static const std::pair<const char *, BinaryOp> operators[] = {
      {"sum", BinaryOp::Add}, {"prod", BinaryOp::Mul}, {"all", BinaryOp::And}, {"any", BinaryOp::Or}};
  auto *row = llvm::find_if(operators, [&](auto &row) { return name == row.first; });
  if (parts.empty())
    return Value(name == "all");
  while (parts.size() > 1) {
    Values next;
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      next.push_back(row != std::end(operators)
                         ? e.binary(row->second, parts[i], parts[i + 1], range, range, range, range)
                         : minMax(e, name == "max", parts[i], parts[i + 1], range));
    if (parts.size() % 2)
      next.push_back(parts.back());
    parts = std::move(next);
  }
  return parts[0];
}

/// By instructions that take three: each result goes to the end of what is left.
static Value extremeByThrees(Elaborator &e, Values parts, bool isMax, SourceRange range) {
  size_t first = 0;
  for (; parts.size() - first > 2; first += 3)
    parts.push_back(minMax(e, isMax, minMax(e, isMax, parts[first], parts[first + 1], range), parts[first + 2], range));
  return parts.size() - first == 1 ? parts[first] : minMax(e, isMax, parts[first], parts[first + 1], range);
}

/// Adds the elements from the largest power of two on to the first ones, until one is left: by packed instructions where
/// there are such.
static Value foldHalves(Elaborator &e, MachineValue vector, ast::BinaryOp op, SourceRange range) {
  auto part = [&](const Values &from, size_t first, size_t count) {
    if (count == 1)
      return from[first];
    Values run(from.begin() + long(first), from.begin() + long(first + count));
    return Value(vectorOfParts(e, Type::vector(vector.type.number, uint32_t(count)), run, range));
  };
  Values elements = vectorElements(e, vector, range);
  while (elements.size() > 1) {
    const size_t half = llvm::bit_floor(elements.size() - 1), paired = elements.size() - half;
    Value sum = e.binary(op, part(elements, 0, paired), part(elements, half, paired), range, range, range, range);
    Values next = paired == 1 ? Values{sum} : vectorElements(e, *sum.as<MachineValue>(), range);
    next.insert(next.end(), elements.begin() + long(paired), elements.begin() + long(half));
    elements = std::move(next);
  }
  return elements[0];
}

Value reduceVector(Elaborator &e, MachineValue vector, llvm::StringRef name, SourceRange range) {
  bool isLogic = name == "all" || name == "any";
  if (isLogic != vector.type.isBool())
    e.fail(diag::bad_operand, range,
           {name.str(), vector.type.text() + (isLogic ? "; compare its elements first" : "; it has `all` and `any`")});
  requireArithmetic(e, vector.type, name, range);
  if (name == "max" || name == "min")
    return extremeByThrees(e, vectorElements(e, vector, range), name == "max", range);
  return isLogic ? reducePairwise(e, vectorElements(e, vector, range), name, range)
                 : foldHalves(e, vector, name == "sum" ? ast::BinaryOp::Add : ast::BinaryOp::Mul, range);
}

} // namespace fly::sema
