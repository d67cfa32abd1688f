// LLVM's intrinsics in Fly IR: saturating sums, bits, and the conversion instructions of small floats.
//
// Sources: LLVM's LangRef and IntrinsicsAMDGPU.td. Conversions to 8 bits overflow as the format does, those to 4 and 6
// bits saturate; what these make of a NaN is left open.
#include "compiler/reference/Floats.h"
#include "compiler/reference/Machine.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;
using llvm::RoundingMode;

namespace fly::reference {

namespace {

class Intrinsic {
public:
  Intrinsic(Wave &wave, LLVM::CallIntrinsicOp op) : wave(wave), op(op), name(op.getIntrin()) {}

  bool run() {
    if (!name.consume_front("llvm."))
      return false;
    if (name == "trap")
      throw Stop{Outcome::Fault, "the kernel traps"};
    return runIntegers() || runToIntegers() || runLdexp() || runConversions();
  }

private:
  unsigned width() const { return widthOf(op.getArgs()[0].getType()); }
  unsigned count() const { return wave.lanes(op->getResult(0)).count; }
  Cell in(unsigned operand, unsigned lane, unsigned at = 0) const {
    const Lanes &lanes = wave.lanes(op.getArgs()[operand]);
    return lanes.of(lane)[lanes.count == 1 ? 0 : at];
  }

  /// For each number: of operands that are known.
  template <typename Compute> bool each(Compute compute) {
    wave.forLanes([&](unsigned lane) {
      for (unsigned i = 0; i < count(); ++i) {
        llvm::SmallVector<APInt, 3> values;
        Cell result = Cell::unknown();
        bool isKnown = true;
        for (unsigned operand = 0; operand < op.getArgs().size(); ++operand) {
          const Cell cell = in(operand, lane, i);
          const unsigned bits = widthOf(op.getArgs()[operand].getType());
          if (cell.isPoison())
            result = Cell::poison();
          isKnown &= cell.isKnown(bits);
          values.push_back(cell.value(bits));
        }
        wave.result(op, lane)[i] =
            isKnown ? Cell::of(compute(values).getZExtValue(), widthOf(op->getResult(0).getType())) : result;
      }
    });
    return true;
  }

  bool runIntegers() {
    using Values = llvm::SmallVector<APInt, 3>;
    llvm::StringRef what = name.rsplit('.').first;
    if (what == "sadd.sat")
      return each([](const Values &in) { return in[0].sadd_sat(in[1]); });
    if (what == "uadd.sat")
      return each([](const Values &in) { return in[0].uadd_sat(in[1]); });
    if (what == "ssub.sat")
      return each([](const Values &in) { return in[0].ssub_sat(in[1]); });
    if (what == "usub.sat")
      return each([](const Values &in) { return in[0].usub_sat(in[1]); });
    if (what == "bitreverse")
      return each([](const Values &in) { return in[0].reverseBits(); });
    if (what == "fshl" || what == "fshr")
      return each([&](const Values &in) {
        const auto by = unsigned(in[2].urem(in[2].getBitWidth()));
        const unsigned bits = in[0].getBitWidth();
        if (what == "fshl")
          return by ? in[0].shl(by) | in[1].lshr(bits - by) : in[0];
        return by ? in[0].shl(bits - by) | in[1].lshr(by) : in[1];
      });
    if (name != "amdgcn.perm")
      return false;
    return each([](const Values &in) {
      const uint64_t bytes = in[0].getZExtValue() << 32 | in[1].getZExtValue(), select = in[2].getZExtValue();
      uint64_t result = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const uint64_t by = select >> (8 * i) & 0xff;
        if (by > 7 && by != 12)
          throw Stop{Outcome::Beyond, "a selector of a permutation of bytes"};
        result |= (by == 12 ? 0 : bytes >> (8 * by) & 0xff) << (8 * i);
      }
      return APInt(32, result);
    });
  }

  bool runToIntegers() {
    const bool isSigned = name.starts_with("fptosi.sat.");
    if (!isSigned && !name.starts_with("fptoui.sat."))
      return false;
    const FloatFormat format(cast<FloatType>(getElementTypeOrSelf(op.getArgs()[0].getType())).getFloatSemantics());
    const unsigned bits = widthOf(op->getResult(0).getType());
    wave.forLanes([&](unsigned lane) {
      for (unsigned i = 0; i < count(); ++i) {
        const Cell cell = in(0, lane, i);
        Cell &out = wave.result(op, lane)[i];
        if (!format.isUsable(cell)) {
          out = cell.isPoison() ? Cell::poison() : Cell::unknown();
          continue;
        }
        llvm::APSInt value(bits, !isSigned);
        bool isExact = false;
        // APFloat saturates, and gives 0 for a NaN.
        format.value(cell).convertToInteger(value, RoundingMode::TowardZero, &isExact);
        out = Cell::of(format.value(cell).isNaN() ? 0 : value.getZExtValue(), bits);
      }
    });
    return true;
  }

  bool runLdexp() {
    if (!name.starts_with("ldexp."))
      return false;
    const FloatFormat format(cast<FloatType>(getElementTypeOrSelf(op.getArgs()[0].getType())).getFloatSemantics());
    wave.forLanes([&](unsigned lane) {
      for (unsigned i = 0; i < count(); ++i) {
        const Cell x = in(0, lane, i), by = in(1, lane, i);
        wave.result(op, lane)[i] = !format.isUsable(x) || !by.isKnown(32)
                                       ? Cell::unknown()
                                       : format.cell(llvm::scalbn(format.value(x), int(by.value(32).getSExtValue()),
                                                                  RoundingMode::NearestTiesToEven));
      }
    });
    return true;
  }

  //===----------------------------------------- small floats ----------------------------------------------------===//

  /// The format of a part of a name. 8 bits are those of the target.
  const llvm::fltSemantics *formatOf(llvm::StringRef part) const {
    const bool isFnuz = wave.kernel.target.fp8 == target::Fp8Flavour::Fnuz;
    return llvm::StringSwitch<const llvm::fltSemantics *>(part)
        .Case("f32", &APFloat::IEEEsingle())
        .Case("f16", &APFloat::IEEEhalf())
        .Case("bf16", &APFloat::BFloat())
        .Case("fp8", isFnuz ? &APFloat::Float8E4M3FNUZ() : &APFloat::Float8E4M3FN())
        .Case("bf8", isFnuz ? &APFloat::Float8E5M2FNUZ() : &APFloat::Float8E5M2())
        .Case("fp6", &APFloat::Float6E2M3FN())
        .Case("bf6", &APFloat::Float6E3M2FN())
        .Case("fp4", &APFloat::Float4E2M1FN())
        .Default(nullptr);
  }

  static Cell converted(const Cell &cell, const llvm::fltSemantics &from, const llvm::fltSemantics &to) {
    const FloatFormat source(from), target(to);
    if (!source.isUsable(cell))
      return cell.isPoison() ? Cell::poison() : Cell::unknown();
    APFloat value = source.value(cell);
    if (value.isNaN())
      return target.width < 8 ? Cell::unknown() : target.nan();
    if (target.width < 8 && value.isInfinity())
      return target.cell(APFloat::getLargest(to, value.isNegative()));
    bool losesInfo = false;
    value.convert(to, RoundingMode::NearestTiesToEven, &losesInfo);
    return target.cell(value);
  }

  /// All bits of an operand in a row, as numbers of `bits`.
  std::vector<Cell> asNumbers(unsigned operand, unsigned lane, unsigned bits) const {
    const Lanes &lanes = wave.lanes(op.getArgs()[operand]);
    const unsigned width = widthOf(op.getArgs()[operand].getType());
    std::vector<uint8_t> value(llvm::divideCeil(uint64_t(width) * lanes.count, 8)), known(value.size());
    writePacked(value.data(), known.data(), 0, width, lanes.count, lanes.of(lane));
    std::vector<Cell> cells(size_t(width) * lanes.count / bits);
    readPacked(value.data(), known.data(), 0, bits, unsigned(cells.size()), cells.data());
    return cells;
  }
  void setNumbers(unsigned lane, llvm::ArrayRef<Cell> cells, unsigned bits, uint64_t first = 0) {
    const unsigned width = widthOf(op->getResult(0).getType());
    std::vector<uint8_t> value(llvm::divideCeil(uint64_t(width) * count(), 8)), known(value.size());
    writePacked(value.data(), known.data(), 0, width, count(), wave.result(op, lane));
    writePacked(value.data(), known.data(), first, bits, unsigned(cells.size()), cells.data());
    readPacked(value.data(), known.data(), 0, width, count(), wave.result(op, lane));
  }
  uint64_t constant(unsigned operand, unsigned lane) const {
    return wave.needed(in(operand, lane), widthOf(op.getArgs()[operand].getType()), "a number of an instruction");
  }

  bool runConversions() {
    if (!name.consume_front("amdgcn.cvt."))
      return false;
    const bool isScaled = name.consume_front("scalef32.") || name.consume_front("scale.");
    llvm::SmallVector<llvm::StringRef, 4> parts;
    name.split(parts, '.');
    unsigned together = 1;
    bool isTwice = false;
    if (parts[0].starts_with("pk") || parts[0] == "2xpk16") {
      isTwice = parts[0].starts_with("2x");
      const llvm::StringRef number = parts[0].substr(isTwice ? 4 : 2);
      if (number.empty())
        together = 2;
      else if (number.getAsInteger(10, together))
        return false;
      parts.erase(parts.begin());
    }
    if (parts.size() != 2 || !formatOf(parts[0]) || !formatOf(parts[1]))
      return false;
    const llvm::fltSemantics &to = *formatOf(parts[0]), &from = *formatOf(parts[1]);
    const unsigned toBits = APFloat::getSizeInBits(to), fromBits = APFloat::getSizeInBits(from);
    const auto arguments = unsigned(op.getArgs().size());
    if (toBits > fromBits) { // some of the numbers of the first operand
      wave.forLanes([&](unsigned lane) {
        std::vector<Cell> numbers = asNumbers(0, lane, fromBits), results;
        uint64_t first = 0;
        if (together <= 2 && arguments > 1)
          first = constant(arguments - 1, lane) * together;
        requireNoScale(isScaled, together, arguments, lane);
        for (unsigned i = 0; i < together; ++i)
          results.push_back(converted(numbers.at(first + i), from, to));
        setNumbers(lane, results, toBits);
      });
      return true;
    }
    wave.forLanes([&](unsigned lane) {
      std::vector<Cell> results;
      requireNoScale(isScaled, together, arguments, lane);
      if (!isScaled) { // x, y, the word that is changed in half
        *wave.result(op, lane) = in(2, lane);
        for (unsigned i = 0; i < 2; ++i)
          results.push_back(converted(in(i, lane), from, to));
        return setNumbers(lane, results, toBits, constant(3, lane) * 16);
      }
      if (together == 2 && !isTwice) { // the word that is changed, x, y, scale, which byte
        *wave.result(op, lane) = in(0, lane);
        for (unsigned i = 1; i < 3; ++i)
          results.push_back(converted(in(i, lane), from, to));
        return setNumbers(lane, results, toBits, constant(4, lane) * 2 * toBits);
      }
      for (unsigned i = 0; i < together; ++i)
        for (unsigned operand = 0; operand < (isTwice ? 2u : 1u); ++operand)
          results.push_back(converted(in(operand, lane, i), from, to));
      setNumbers(lane, results, toBits);
    });
    return true;
  }

  /// Scaled forms are used with the scale 1 alone.
  void requireNoScale(bool isScaled, unsigned together, unsigned arguments, unsigned lane) const {
    if (!isScaled)
      return;
    for (unsigned operand = 0; operand < arguments; ++operand) {
      const Type type = op.getArgs()[operand].getType();
      const bool isScale = (type.isF32() && operand + (together == 2 ? 2 : 1) == arguments) ||
                           (type.isF32() && operand + 1 == arguments);
      if (isScale && in(operand, lane).bits != 0x3f800000)
        throw Stop{Outcome::Beyond, "a conversion with a scale"};
    }
    if (arguments == 3 && op.getArgs()[1].getType().isInteger(32) && together >= 8 && in(1, lane).bits != 0x7f7f7f7f)
      throw Stop{Outcome::Beyond, "a conversion with a scale"};
  }

  Wave &wave;
  mutable LLVM::CallIntrinsicOp op; // MLIR's accessors are not const
  llvm::StringRef name;
};

} // namespace

bool runIntrinsic(Wave &wave, Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call && Intrinsic(wave, call).run();
}

} // namespace fly::reference
