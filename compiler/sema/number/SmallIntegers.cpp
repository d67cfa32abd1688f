// Conversions of i4 and u4 in few instructions: eight numbers are one word, and operations on words convert several at
// once. Signed ones have their sign bits flipped first, which makes 0 to 15 of -8 to 7.
//
// To f16, the byte of two numbers goes to both halves of a word, below the byte 0x64, and a mask leaves one in each:
//
//     byte 0x5c (12, 5)      0x645c'645c  &  0x64f0'640f  =  0x6450'640c, in f16 1024 + 5 * 16 and 1024 + 12
//
// One fma makes 5 and 12 of them, times 1/16 and 1, and subtracts the 8 of a flipped sign bit too.
//
// To 8 bits, the numbers with even and with odd positions are each a word under the mask 0x0f0f0f0f. 0x78 + 0 to 15
// does not carry into the next byte, and is -8 to 7 with the top bit flipped. To 16 bits, two shifts of packed numbers;
// to 32 bits and more, one bit-field extract per number.
#include "compiler/sema/number/SmallIntegers.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/SmallFloatInstructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fly::sema {

namespace arith = mlir::arith;
using host::Number;

namespace {

constexpr int64_t inWord = 8; ///< numbers of 4 bits

/// The conversions of a vector, or with no lanes, of a scalar.
struct Nibbles {
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t lanes;
  bool isSigned;

  mlir::VectorType vectorOf(unsigned bits, int64_t count) const {
    return mlir::VectorType::get({count}, b.getIntegerType(bits));
  }
  mlir::Value view(mlir::Value x, mlir::VectorType type) const {
    return mlir::vector::BitCastOp::create(b, loc, type, x);
  }
  mlir::Value elementsOf(mlir::Value x, llvm::ArrayRef<int64_t> order) const {
    return mlir::vector::ShuffleOp::create(b, loc, x, x, order);
  }
  mlir::Value extract(mlir::Value x, int64_t at) const {
    return mlir::vector::ExtractOp::create(b, loc, x, llvm::ArrayRef<int64_t>{at});
  }
  mlir::Value bitXor(const Elementwise &m, mlir::Value x, uint64_t mask) const {
    return arith::XOrIOp::create(b, loc, x, m.integer(m.widthOf(x), mask));
  }
  /// Each lane its own number, from a pair that repeats.
  mlir::Value alternating(mlir::Attribute even, mlir::Attribute odd, mlir::Type element) const {
    llvm::SmallVector<mlir::Attribute> all;
    for (int64_t i = 0; i < lanes; ++i)
      all.push_back(i % 2 ? odd : even);
    auto type = mlir::VectorType::get({lanes}, element);
    return arith::ConstantOp::create(b, loc, mlir::DenseElementsAttr::get(type, all));
  }
  /// Bytes in words, the last one filled with what there is.
  mlir::Value wordsOf(mlir::Value bytes) const {
    int64_t count = llvm::cast<mlir::VectorType>(bytes.getType()).getNumElements(), whole = (count + 3) / 4 * 4;
    llvm::SmallVector<int64_t> order;
    for (int64_t i = 0; i < whole; ++i)
      order.push_back(std::min(i, count - 1));
    return view(whole == count ? bytes : elementsOf(bytes, order), vectorOf(32, whole / 4));
  }
  Elementwise onWords(mlir::Value words) const {
    return {b, loc, llvm::cast<mlir::VectorType>(words.getType()).getNumElements()};
  }
  /// Bytes of two words by number: 0 to 3 are of `low`, 4 to 7 of `high`. One instruction; of a shuffle of bytes LLVM
  /// makes several.
  mlir::Value permute(mlir::Value high, mlir::Value low, uint32_t select) const {
    return mlir::LLVM::CallIntrinsicOp::create(b, loc, b.getI32Type(), b.getStringAttr("llvm.amdgcn.perm"),
                                               {high, low, Elementwise{b, loc, 0}.integer(32, select)})
        .getResult(0);
  }
  mlir::Value fromWords(llvm::ArrayRef<mlir::Value> words, mlir::Type element, int64_t count) const {
    auto all = mlir::vector::FromElementsOp::create(b, loc, vectorOf(32, int64_t(words.size())), words);
    const int64_t held = int64_t(words.size()) * 32 / element.getIntOrFloatBitWidth();
    mlir::Value viewed = view(all, mlir::VectorType::get({held}, element));
    if (held == count)
      return viewed;
    llvm::SmallVector<int64_t> order;
    for (int64_t i = 0; i < count; ++i)
      order.push_back(i);
    return elementsOf(viewed, order);
  }
  /// Numbers from -8 to 7 as numbers from 0 to 15.
  mlir::Value raised(mlir::Value words) const { return isSigned ? bitXor(onWords(words), words, 0x88888888) : words; }

  mlir::Value toBytes(mlir::Value packed) const {
    mlir::Value words = raised(wordsOf(packed));
    Elementwise w = onWords(words);
    auto lowered = [&](mlir::Value x) {
      return isSigned ? bitXor(w, w.add(x, w.integer(32, 0x78787878)), 0x80808080) : x;
    };
    mlir::Value even = lowered(w.bitAnd(words, 0x0f0f0f0f)), odd = lowered(w.bitAnd(w.shr(words, 4), 0x0f0f0f0f));
    llvm::SmallVector<mlir::Value> all;
    for (int64_t i = 0; i < lanes; i += 4)
      all.push_back(permute(extract(odd, i / inWord), extract(even, i / inWord), i % inWord ? 0x07030602 : 0x05010400));
    return fromWords(all, b.getI8Type(), lanes);
  }

  /// A word per pair: their byte in both halves, below the byte `above`.
  llvm::SmallVector<mlir::Value> spread(mlir::Value words, mlir::Value above) const {
    llvm::SmallVector<mlir::Value> all;
    for (int64_t i = 0; i < lanes; i += 2)
      all.push_back(permute(above, extract(words, i / inWord), 0x04000400 + uint32_t(i % inWord / 2) * 0x00010001));
    return all;
  }

  mlir::Value toShorts(mlir::Value packed) const {
    mlir::Value none = Elementwise{b, loc, 0}.integer(32, 0);
    mlir::Value pairs = fromWords(spread(wordsOf(packed), none), b.getI16Type(), lanes);
    mlir::Value left = arith::ShLIOp::create(
        b, loc, pairs, alternating(b.getI16IntegerAttr(12), b.getI16IntegerAttr(8), b.getI16Type()));
    mlir::Value by = Elementwise{b, loc, lanes}.integer(16, 12);
    return isSigned ? arith::ShRSIOp::create(b, loc, left, by).getResult()
                    : arith::ShRUIOp::create(b, loc, left, by).getResult();
  }

  mlir::Value toHalves(mlir::Value packed) const {
    Elementwise m{b, loc, 0};
    llvm::SmallVector<mlir::Value> codes = spread(raised(wordsOf(packed)), m.integer(32, 0x64646464));
    for (mlir::Value &code : codes)
      code = m.bitAnd(code, 0x64f0640f);
    auto f16 = b.getF16Type();
    auto number = [&](double x) { return b.getFloatAttr(f16, x); };
    double zero = isSigned ? 1024 + 8 : 1024, zeroOfOdd = isSigned ? 1024 / 16 + 8 : 1024 / 16;
    return mlir::math::FmaOp::create(b, loc, fromWords(codes, f16, lanes),
                                     alternating(number(1), number(1.0 / 16), f16),
                                     alternating(number(-zero), number(-zeroOfOdd), f16));
  }

  /// i32, of one number in the low bits.
  mlir::Value wide(mlir::Value word, unsigned shift) const {
    Elementwise m{b, loc, 0};
    if (!isSigned)
      return m.bitAnd(m.shr(word, shift), 0xf);
    return arith::ShRSIOp::create(b, loc, m.shl(word, 28 - shift), m.integer(32, 28));
  }
  mlir::Value toWords(mlir::Value packed) const {
    mlir::Value words = wordsOf(packed);
    llvm::SmallVector<mlir::Value> all;
    for (int64_t i = 0; i < lanes; ++i)
      all.push_back(wide(extract(words, i / inWord), unsigned(i % inWord * 4)));
    return mlir::vector::FromElementsOp::create(b, loc, vectorOf(32, lanes), all);
  }

  mlir::Value fromBytes(mlir::Value bytes) const {
    mlir::Value words = wordsOf(bytes);
    Elementwise w = onWords(words);
    // Two numbers from four bytes: in the bytes 0 and 2.
    mlir::Value pairs = w.bitOr(w.bitAnd(words, 0x000f000f), w.bitAnd(w.shr(words, 4), 0x00f000f0));
    llvm::SmallVector<mlir::Value> all;
    for (int64_t i = 0; i < w.lanes; i += 2)
      all.push_back(permute(extract(pairs, std::min(i + 1, w.lanes - 1)), extract(pairs, i), 0x06040200));
    return fromWords(all, b.getI8Type(), lanes / 2);
  }
  mlir::Value fromWide(mlir::Value elements) const {
    Elementwise m{b, loc, 0};
    llvm::SmallVector<mlir::Value> words;
    for (int64_t i = 0; i < lanes; ++i) {
      mlir::Value low = m.bitAnd(m.resize(extract(elements, i), 32), 0xf);
      if (i % inWord == 0)
        words.push_back(low);
      else
        words.back() = m.bitOr(words.back(), m.shl(low, unsigned(i % inWord * 4)));
    }
    return fromWords(words, b.getI8Type(), lanes / 2);
  }
};

} // namespace

MachineValue fromSmallInteger(Elaborator &e, MachineValue from, Type to, SourceRange range) {
  auto &b = e.ir(range, "a conversion");
  Nibbles n{b, e.location(range), int64_t(from.type.lanes), from.type.isSigned()};
  Elementwise m{b, n.loc, n.lanes};
  const unsigned bits = to.format().bits;
  if (n.lanes && bits == 8)
    return {n.toBytes(from.value), to};
  if (n.lanes && to.isInteger() && bits == 16)
    return {n.toShorts(from.value), to};
  if (n.lanes && to.number == Number::F16)
    return {n.toHalves(from.value), to};
  MachineValue wide{n.lanes ? n.toWords(from.value) : n.wide(m.resize(from.value, 32), 0),
                    from.type.withNumber(n.isSigned ? Number::I32 : Number::U32)};
  if (to.number != Number::BF16)
    return *convert(e, Value(wide), to, range).as<MachineValue>();
  mlir::Value single = convert(e, Value(wide), to.withNumber(Number::F32), range).as<MachineValue>()->value;
  return {m.bitcast(m.resize(m.shr(m.bitcast(single, b.getI32Type()), 16), 16), b.getBF16Type()), to}; // exact
}

MachineValue toSmallInteger(Elaborator &e, MachineValue from, Type to, SourceRange range) {
  auto &b = e.ir(range, "a conversion");
  Nibbles n{b, e.location(range), int64_t(from.type.lanes), to.isSigned()};
  if (!n.lanes) {
    Elementwise m{b, n.loc, 0};
    return {m.bitAnd(m.resize(from.value, 8), 0xf), to};
  }
  return {from.type.format().bits == 8 ? n.fromBytes(from.value) : n.fromWide(from.value), to};
}

} // namespace fly::sema
