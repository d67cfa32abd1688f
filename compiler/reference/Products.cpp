// Matrix products of the reference interpreter. How an instruction adds is the machine's business: a result is known
// where every order of additions gives the same bits, as with small integers.
#include "compiler/reference/Floats.h"
#include "compiler/reference/Machine.h"

#include <cmath>

using namespace mlir;
using llvm::APFloat;

namespace fly::reference {

namespace {

/// A type of the language as numbers: a float format, or an integer of some sign.
struct Element {
  const llvm::fltSemantics *format = nullptr;
  unsigned bits = 0;
  bool isSigned = false;

  static Element of(llvm::StringRef name) {
    Element element;
    element.format = formatByName(name);
    element.isSigned = name.starts_with("i");
    if (element.format)
      element.bits = APFloat::getSizeInBits(*element.format);
    else if ((!element.isSigned && !name.starts_with("u")) || name.drop_front().getAsInteger(10, element.bits))
      throw Stop{Outcome::Beyond, ("products of " + name).str()};
    return element;
  }
};

/// The lowest bit that is set, as a power of two.
int lowestBit(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(value), &exponent);
  return exponent - 53 + llvm::countr_zero(uint64_t(std::ldexp(mantissa, 53)));
}

/// A sum of products that is exact in any order, or not.
class ExactSum {
public:
  void add(double term, bool isExact = true) {
    if (!isExact || !std::isfinite(term))
      isOpen = true;
    if (term == 0 || isOpen)
      return;
    sum += term, magnitude += std::fabs(term);
    lowest = std::min(lowest, lowestBit(term));
  }
  void addProduct(double a, double b) {
    const double product = a * b;
    add(product, std::fma(a, b, -product) == 0);
  }
  /// In a format where no partial sum needs rounding.
  Cell in(const llvm::fltSemantics &format) const {
    const int least = APFloat::semanticsMinExponent(format);
    if (isOpen || (sum == 0 && magnitude == 0 && hasZeros))
      return isOpen ? Cell::unknown() : Cell{0, onesOf(APFloat::getSizeInBits(format) - 1), 0};
    if (magnitude != 0 &&
        (lowest < least || std::ldexp(magnitude, -lowest) >= std::ldexp(1.0, int(APFloat::semanticsPrecision(format)))))
      return Cell::unknown();
    APFloat value(sum);
    bool losesInfo = false;
    value.convert(format, llvm::RoundingMode::NearestTiesToEven, &losesInfo);
    if (losesInfo || !value.isFinite())
      return Cell::unknown();
    Cell cell = Cell::of(value.bitcastToAPInt().getZExtValue(), APFloat::getSizeInBits(format));
    if (value.isZero()) // its sign depends on the order
      cell.known = onesOf(APFloat::getSizeInBits(format) - 1);
    return cell;
  }

private:
  double sum = 0, magnitude = 0;
  int lowest = 1 << 20;
  bool isOpen = false, hasZeros = true;
};

double realOf(const Cell &cell, const Element &element, bool &isKnown) {
  if (cell.isPoison())
    throw Stop{Outcome::Mistake, "poison is multiplied"};
  if (!cell.isKnown(element.bits)) {
    isKnown = false;
    return 0;
  }
  APFloat value(*element.format, cell.value(element.bits));
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

/// One product of the lanes' values: of A, B and C by lane and value; D likewise.
using Values = std::vector<std::vector<Cell>>;

Values multiply(Wave &wave, ir::MmaAtomAttr atom, const Values &a, const Values &b, const Values &c) {
  const atom::MmaRow &row = atom.row();
  if (row.isScaled())
    throw Stop{Outcome::Beyond, "products with scales"};
  if (wave.active != onesOf(wave.size))
    throw Stop{Outcome::Beyond, "a product of some lanes"};
  const Element ea = Element::of(atom.getA()), eb = Element::of(atom.getB()), ec = Element::of(atom.getC()),
                ed = Element::of(atom.getD());
  const atom::MmaLayouts layouts = atom.layouts();
  const int64_t *none = nullptr;
  auto places = [&](const layout::Layout &layout, size_t values) {
    const Function function = functionOf(layout::AnyLayout(layout), none);
    std::vector<std::vector<int64_t>> result(wave.size);
    for (unsigned lane = 0; lane < wave.size; ++lane)
      for (size_t value = 0; value < values; ++value)
        result[lane].push_back(
            function.at(Tree::of(std::vector{Tree::of(lane), Tree::of(int64_t(value))})).number);
    return result;
  };
  auto gather = [&](const Values &values, const layout::Layout &layout) {
    std::map<int64_t, Cell> cells;
    const auto at = places(layout, values[0].size());
    for (unsigned lane = 0; lane < wave.size; ++lane)
      for (size_t i = 0; i < values[lane].size(); ++i)
        cells[at[lane][i]] = values[lane][i];
    return cells;
  };
  const auto as = gather(a, layouts.a), bs = gather(b, layouts.b);
  const auto at = places(layouts.c, c[0].size());
  Values d(wave.size);
  for (unsigned lane = 0; lane < wave.size; ++lane)
    for (size_t i = 0; i < c[lane].size(); ++i) {
      const int64_t place = at[lane][i], block = place / (row.m * row.n), inside = place % (row.m * row.n),
                    m = inside % row.m, n = inside / row.m;
      ExactSum sum;
      bool isKnown = true;
      uint64_t integer = c[lane][i].bits;
      if (ec.format)
        sum.add(realOf(c[lane][i], ec, isKnown));
      else
        isKnown = c[lane][i].isKnown(ec.bits);
      for (int64_t k = 0; k < row.k; ++k) {
        auto x = as.find(block * row.m * row.k + k * row.m + m), y = bs.find(block * row.n * row.k + k * row.n + n);
        if (x == as.end() || y == bs.end())
          throw Stop{Outcome::Mistake, "an operand of a product that no lane has"};
        if (ea.format) {
          sum.addProduct(realOf(x->second, ea, isKnown), realOf(y->second, eb, isKnown));
        } else {
          auto number = [](const Cell &cell, const Element &element) {
            return element.isSigned ? cell.value(element.bits).sext(64) : cell.value(element.bits).zext(64);
          };
          isKnown = isKnown && x->second.isKnown(ea.bits) && y->second.isKnown(eb.bits);
          integer += (number(x->second, ea) * number(y->second, eb)).getZExtValue();
        }
      }
      d[lane].push_back(!isKnown     ? Cell::unknown()
                        : ed.format ? sum.in(*ed.format)
                                    : Cell::of(integer, ed.bits));
    }
  return d;
}

/// A register's numbers as those of an element's width.
std::vector<Cell> asElements(const Cell *cells, unsigned width, unsigned count, unsigned bits) {
  std::vector<uint8_t> value(llvm::divideCeil(uint64_t(width) * count, 8)), known(value.size());
  writePacked(value.data(), known.data(), 0, width, count, cells);
  std::vector<Cell> elements(width * count / bits);
  readPacked(value.data(), known.data(), 0, bits, unsigned(elements.size()), elements.data());
  return elements;
}

bool runMultiply(Wave &wave, ir::MatrixMultiplyOp op) {
  if (!op.getScales().empty() || op.getModifiers())
    throw Stop{Outcome::Beyond, "products with scales or modifiers"};
  const ir::MmaAtomAttr atom = op.getAtom();
  auto values = [&](Value value, llvm::StringRef type) {
    Values all(wave.size);
    const Lanes &lanes = wave.lanes(value);
    wave.forLanes([&](unsigned lane) {
      all[lane] = asElements(lanes.of(lane), widthOf(value.getType()), lanes.count, Element::of(type).bits);
    });
    return all;
  };
  if (wave.active != onesOf(wave.size))
    throw Stop{Outcome::Beyond, "a product of some lanes"};
  const Values d = multiply(wave, atom, values(op.getA(), atom.getA()), values(op.getB(), atom.getB()),
                            values(op.getC(), atom.getC()));
  wave.forLanes([&](unsigned lane) { std::copy(d[lane].begin(), d[lane].end(), wave.result(op, lane)); });
  return true;
}

//===------------------------------------------------- of fragments ---------------------------------------------===//

class Product {
public:
  Product(Wave &wave, ir::MmaOp op) : wave(wave), op(op) {}

  void run() {
    if (op.getScaleA() || op.getModifiers())
      throw Stop{Outcome::Beyond, "products with scales or modifiers"};
    if (op.getAtom().row().call == atom::MmaCall::Fma)
      return fuse();
    // A sum over k is of one element of D at a time: the order of the atoms does not matter.
    for (int64_t k = 0; k < op.getK(); ++k)
      for (int64_t n = 0; n < op.getN(); ++n)
        for (int64_t m = 0; m < op.getM(); ++m)
          write(multiply(wave, op.getAtom(), read(op.getA(), m, k), read(op.getB(), n, k),
                         read(k ? op.getD() : op.getC(), m, n)),
                m, n);
  }

private:
  /// Each atom is a fused multiply-add of a thread.
  void fuse() {
    const FloatFormat format(cast<FloatType>(cast<ir::FragmentType>(op.getD().getType()).getElementType()).getFloatSemantics());
    wave.forLanes([&](unsigned lane) {
      const View a(wave, op.getA(), lane), b(wave, op.getB(), lane), c(wave, op.getC(), lane), d(wave, op.getD(), lane);
      for (int64_t k = 0; k < op.getK(); ++k)
        for (int64_t n = 0; n < op.getN(); ++n)
          for (int64_t m = 0; m < op.getM(); ++m) {
            Cell x, y, sum;
            a.read(at(0, m, k), &x);
            b.read(at(0, n, k), &y);
            (k ? d : c).read(at(0, m, n), &sum);
            if (!format.isUsable(x) || !format.isUsable(y) || !format.isUsable(sum)) {
              d.write(at(0, m, n), Cell::unknown());
              continue;
            }
            APFloat value = format.value(x);
            value.fusedMultiplyAdd(format.value(y), format.value(sum), llvm::RoundingMode::NearestTiesToEven);
            d.write(at(0, m, n), format.cell(value));
          }
    });
  }

  static Tree at(int64_t value, int64_t i, int64_t j) {
    return Tree::of(std::vector{Tree::of(value), Tree::of(i), Tree::of(j)});
  }
  Values read(Value fragment, int64_t i, int64_t j) {
    Values values(wave.size);
    wave.forLanes([&](unsigned lane) {
      const View view(wave, fragment, lane);
      values[lane].resize(size_t(view.function->domain.shape.mode(0).product()));
      for (size_t v = 0; v < values[lane].size(); ++v)
        view.read(at(int64_t(v), i, j), &values[lane][v]);
    });
    if (wave.active != onesOf(wave.size))
      throw Stop{Outcome::Beyond, "a product of some lanes"};
    return values;
  }
  void write(const Values &values, int64_t i, int64_t j) {
    wave.forLanes([&](unsigned lane) {
      const View view(wave, op.getD(), lane);
      for (size_t v = 0; v < values[lane].size(); ++v)
        view.write(at(int64_t(v), i, j), values[lane][v]);
    });
  }

  Wave &wave;
  ir::MmaOp op;
};

} // namespace

bool runProduct(Wave &wave, Operation *op) {
  if (auto multiply = dyn_cast<ir::MatrixMultiplyOp>(op))
    return runMultiply(wave, multiply);
  if (auto product = dyn_cast<ir::MmaOp>(op)) {
    Product(wave, product).run();
    return true;
  }
  return false;
}

} // namespace fly::reference
