// Taking values apart into words and putting them together again.
#include "compiler/sema/prelude/Words.h"
#include "compiler/sema/number/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fly::sema {

namespace arith = mlir::arith;
namespace vector = mlir::vector;

namespace {
class Cutter {
public:
  Cutter(Elaborator &e, llvm::StringRef what, SourceRange range)
      : b(e.ir(range, what)), loc(e.location(range)), i32(b.getI32Type()) {}

  /// Numbers below 8 bits travel as the bytes that hold them.
  static Type carrier(Type type) {
    if (type.format().bits >= 8)
      return type;
    return {host::Number::U8, type.isVector() ? type.lanes * type.format().bits / 8 : 0};
  }

  Words cut(mlir::Value x, Type type) {
    type = carrier(type);
    unsigned bits = type.format().bits;
    if (type.isVector())
      return type.isBool() ? cutBools(x, type.lanes) : cutVector(x, type);
    if (type.isBool())
      return {arith::ExtUIOp::create(b, loc, i32, x)};
    mlir::Type integer = b.getIntegerType(bits);
    if (x.getType() != integer)
      x = arith::BitcastOp::create(b, loc, integer, x);
    if (bits == 32)
      return {x};
    if (bits < 32)
      return {arith::ExtUIOp::create(b, loc, i32, x)};
    return {arith::TruncIOp::create(b, loc, i32, x),
            arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, x, constant(b.getI64IntegerAttr(32))))};
  }

  mlir::Value join(llvm::ArrayRef<mlir::Value> words, Type type, mlir::Type to) {
    type = carrier(type);
    unsigned bits = type.format().bits;
    if (type.isVector())
      return type.isBool() ? joinBools(words, to) : joinVector(words, type, to);
    if (type.isBool())
      return arith::TruncIOp::create(b, loc, to, words[0]);
    mlir::Type integer = b.getIntegerType(bits);
    mlir::Value x = words[0];
    if (bits < 32)
      x = arith::TruncIOp::create(b, loc, integer, x);
    if (bits == 64) {
      mlir::Value high = arith::ExtUIOp::create(b, loc, integer, words[1]);
      x = arith::OrIOp::create(b, loc, arith::ExtUIOp::create(b, loc, integer, x),
                               arith::ShLIOp::create(b, loc, high, constant(b.getI64IntegerAttr(32))));
    }
    return to == integer ? x : arith::BitcastOp::create(b, loc, to, x).getResult();
  }

private:
  mlir::Value constant(mlir::TypedAttr attr) { return arith::ConstantOp::create(b, loc, attr); }

  /// Elements of a vector that fills whole words.
  static int64_t padded(Type type) {
    int64_t perWord = std::max<int64_t>(1, 32 / type.format().bits);
    return (type.lanes + perWord - 1) / perWord * perWord;
  }

  Words cutVector(mlir::Value x, Type type) {
    int64_t lanes = padded(type), count = lanes * type.format().bits / 32;
    if (lanes != type.lanes) { // the last word repeats the first element
      llvm::SmallVector<int64_t> places;
      for (int64_t i = 0; i < lanes; ++i)
        places.push_back(i < type.lanes ? i : 0);
      x = vector::ShuffleOp::create(b, loc, x, x, places);
    }
    x = vector::BitCastOp::create(b, loc, mlir::VectorType::get({count}, i32), x);
    Words words;
    for (int64_t i = 0; i < count; ++i)
      words.push_back(vector::ExtractOp::create(b, loc, x, i));
    return words;
  }

  mlir::Value joinVector(llvm::ArrayRef<mlir::Value> words, Type type, mlir::Type to) {
    auto whole = mlir::VectorType::get({padded(type)}, mlir::getElementTypeOrSelf(to));
    mlir::Value x = vector::FromElementsOp::create(b, loc, mlir::VectorType::get({int64_t(words.size())}, i32), words);
    x = vector::BitCastOp::create(b, loc, whole, x);
    if (whole == to)
      return x;
    llvm::SmallVector<int64_t> places(type.lanes);
    std::iota(places.begin(), places.end(), 0);
    return vector::ShuffleOp::create(b, loc, x, x, places);
  }

  Words cutBools(mlir::Value x, uint32_t lanes) {
    Words words;
    for (int64_t i = 0; i < lanes; ++i)
      words.push_back(arith::ExtUIOp::create(b, loc, i32, vector::ExtractOp::create(b, loc, x, i)));
    return words;
  }

  mlir::Value joinBools(llvm::ArrayRef<mlir::Value> words, mlir::Type to) {
    Words bits;
    for (auto w : words)
      bits.push_back(arith::TruncIOp::create(b, loc, b.getI1Type(), w));
    return vector::FromElementsOp::create(b, loc, llvm::cast<mlir::VectorType>(to), bits);
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type i32;
};

/// True if all are known now and the same: then all lanes have it already.
bool sameKnown(llvm::ArrayRef<const Value *> inputs) {
  return llvm::all_of(inputs, [&](const Value *x) {
    return x->isCompileTime() && !x->parts() && x->storage.index() == inputs[0]->storage.index() &&
           equal(*inputs[0], *x).value_or(x == inputs[0]);
  });
}

Values overLeaf(Elaborator &e, llvm::ArrayRef<const Value *> inputs, unsigned results, const Site &site,
                llvm::function_ref<Words(llvm::ArrayRef<mlir::Value>)> exchange) {
  if (sameKnown(inputs) && !inputs[0]->is<ArrayValue>())
    return Values(results, *inputs[0]);
  auto typed = llvm::find_if(inputs, [](auto *x) { return x->template is<MachineValue>(); });
  for (auto *x : inputs)
    if (!x->is<MachineValue>() && !x->isNumber())
      e.fail(diag::wrong_argument_type, site.value, {site.what.str(), "values in registers", "x", describe(*x)});
  Type type = (typed == inputs.end() ? toMachine(e, *inputs[0], site.value) : *(*typed)->as<MachineValue>()).type;
  for (auto *x : inputs)
    if (auto *m = x->as<MachineValue>(); m && !(m->type == type))
      e.fail(diag::mixed_types, site.range, {site.what.str(), type.text(), m->type.text()});
  Cutter cutter(e, site.what, site.range);
  std::vector<Words> columns;
  for (auto *x : inputs)
    columns.push_back(cutter.cut(toMachine(e, *x, type, site.range).value, type));
  std::vector<Words> out(results);
  for (size_t i = 0; i < columns[0].size(); ++i) {
    Words row;
    for (auto &column : columns)
      row.push_back(column[i]);
    for (auto [column, w] : llvm::zip(out, exchange(row)))
      column.push_back(w);
  }
  Values values;
  for (auto &words : out)
    values.push_back(Value(MachineValue{cutter.join(words, type, mlirType(e, type)), type}));
  return values;
}
} // namespace

Values overWords(Elaborator &e, llvm::ArrayRef<const Value *> inputs, unsigned results, const Site &site,
                 llvm::function_ref<Words(llvm::ArrayRef<mlir::Value>)> exchange) {
  for (auto *x : inputs)
    if (x->is<ErrorValue>())
      throw Failed{};
  if (llvm::none_of(inputs, [](auto *x) { return x->parts(); }))
    return overLeaf(e, inputs, results, site, exchange);
  const Value &first = *inputs[0];
  for (auto *x : inputs)
    if (x != &first && !first.sameShape(*x))
      e.fail(diag::mixed_types, site.range, {site.what.str(), describe(first), describeOther(first, *x)});
  std::vector<Values> parts(results);
  for (size_t i = 0; i < first.parts()->size(); ++i) {
    llvm::SmallVector<const Value *> row;
    for (auto *x : inputs)
      row.push_back(&(*x->parts())[i]);
    for (auto [column, part] : llvm::zip(parts, overWords(e, row, results, site, exchange)))
      column.push_back(part);
  }
  Values out;
  for (auto &column : parts)
    out.push_back(first.withParts(std::move(column)));
  return out;
}

Value overWords(Elaborator &e, const Value &x, const Site &site,
                llvm::function_ref<mlir::Value(mlir::Value)> exchange) {
  return overWords(e, {&x}, 1, site, [&](llvm::ArrayRef<mlir::Value> words) { return Words{exchange(words[0])}; })[0];
}

Words emitWave(Elaborator &e, ir::WaveAction action, mlir::ValueRange operands, llvm::ArrayRef<int32_t> immediates,
               SourceRange range) {
  e.ir(range, "an exchange");
  return emitWave(e, action, operands, immediates, e.location(range));
}

Words emitWave(Elaborator &e, ir::WaveAction action, mlir::ValueRange operands, llvm::ArrayRef<int32_t> immediates,
               mlir::Location location) {
  auto &b = *e.kernel.builder;
  llvm::SmallVector<mlir::Type> types(ir::info(action).results, b.getI32Type());
  auto results = ir::WaveOp::create(b, location, types, action, operands, immediates).getResults();
  return Words(results.begin(), results.end());
}

mlir::Value word(Elaborator &e, int64_t value, SourceRange range) {
  auto &b = e.ir(range, "");
  return arith::ConstantOp::create(b, e.location(range), b.getI32IntegerAttr(int32_t(value)));
}

void notOnTarget(Elaborator &e, const std::string &what, SourceRange range,
                 llvm::function_ref<bool(const target::Target &)> has) {
  std::string names;
  for (auto &target : target::all())
    if (has(target))
      names += (names.empty() ? "" : ", ") + std::string(target.name);
  auto builder = e.report(diag::not_on_target, range, {what, std::string(e.target.name)});
  if (!names.empty())
    builder.note("it is available on " + names);
  throw Failed{};
}

} // namespace fly::sema
