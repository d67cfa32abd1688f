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

/// Where the values of lanes are in the matrices of an atom.
struct Matrices {
  explicit Matrices(ir::MmaAtomAttr atom) {
    const atom::MmaLayouts layouts = atom.layouts();
    auto placesOf = [&](const layout::Layout &layout, std::vector<int64_t> &places) {
      const int64_t *none = nullptr;
      const Function function = functionOf(layout::AnyLayout(layout), none);
      for (int64_t i = 0; i < function.domain.size(); ++i)
        places.push_back(function.at(Tree::of(i)).number);
    };
    placesOf(layouts.a, a);
    placesOf(layouts.b, b);
    placesOf(layouts.c, c);
  }
  std::vector<int64_t> a, b, c; ///< by lane, then by value
};

const Matrices &matricesOf(ir::MmaAtomAttr atom) {
  static thread_local std::map<std::string, Matrices> known; // a name and types determine them
  const std::string key = atom.getName().str() + " " + atom.getA().str() + " " + atom.getB().str();
  return known.try_emplace(key, atom).first->second;
}

/// An operand as numbers in the order of its matrix.
struct Factors {
  std::vector<double> reals;
  std::vector<int64_t> integers;
  std::vector<bool> isKnown;

  Factors(const Values &values, const std::vector<int64_t> &places, const Element &element) {
    const size_t size = places.size();
    isKnown.resize(size), element.format ? reals.resize(size) : integers.resize(size);
    const size_t lanes = values.size();
    for (size_t lane = 0; lane < lanes; ++lane)
      for (size_t i = 0; i < values[lane].size(); ++i) {
        const auto place = size_t(places[lane + lanes * i]);
        const Cell &cell = values[lane][i];
        bool known = cell.isKnown(element.bits);
        if (element.format)
          reals[place] = realOf(cell, element, known);
        else
          integers[place] = element.isSigned ? cell.value(element.bits).getSExtValue()
                                             : int64_t(cell.value(element.bits).getZExtValue());
        isKnown[place] = known;
      }
  }
};

Values multiply(Wave &wave, ir::MmaAtomAttr atom, const Values &a, const Values &b, const Values &c) {
  const atom::MmaRow &row = atom.row();
  if (row.isScaled())
    throw Stop{Outcome::Beyond, "products with scales"};
  if (wave.active != onesOf(wave.size))
    throw Stop{Outcome::Beyond, "a product of some lanes"};
  const Element ea = Element::of(atom.getA()), eb = Element::of(atom.getB()), ec = Element::of(atom.getC()),
                ed = Element::of(atom.getD());
  const Matrices &matrices = matricesOf(atom);
  const Factors as(a, matrices.a, ea), bs(b, matrices.b, eb);
  Values d(wave.size);
  for (unsigned lane = 0; lane < wave.size; ++lane)
    for (size_t i = 0; i < c[lane].size(); ++i) {
      const int64_t place = matrices.c[lane + wave.size * i], block = place / (row.m * row.n),
                    inside = place % (row.m * row.n), m = inside % row.m, n = inside / row.m;
      ExactSum sum;
      bool isKnown = true;
      uint64_t integer = c[lane][i].bits;
      if (ec.format)
        sum.add(realOf(c[lane][i], ec, isKnown));
      else
        isKnown = c[lane][i].isKnown(ec.bits);
      for (int64_t k = 0; k < row.k && isKnown; ++k) {
        const auto x = size_t(block * row.m * row.k + k * row.m + m), y = size_t(block * row.n * row.k + k * row.n + n);
        isKnown = as.isKnown[x] && bs.isKnown[y];
        if (ea.format)
          sum.addProduct(as.reals[x], bs.reals[y]);
        else
          integer += uint64_t(as.integers[x] * bs.integers[y]);
      }
      d[lane].push_back(!isKnown ? Cell::unknown() : ed.format ? sum.in(*ed.format) : Cell::of(integer, ed.bits));
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
    const FloatFormat format(
        cast<FloatType>(cast<ir::FragmentType>(op.getD().getType()).getElementType()).getFloatSemantics());
    wave.forLanes([&](unsigned lane) {
      const View a(wave, op.getA(), lane), b(wave, op.getB(), lane), c(wave, op.getC(), lane), d(wave, op.getD(), lane);
      for (int64_t k = 0; k < op.getK(); ++k)
        for (int64_t n = 0; n < op.getN(); ++n)
          for (int64_t m = 0; m < op.getM(); ++m) {
            Cell x, y, sum;
            a.read(at(a, 0, m, k), &x);
            b.read(at(b, 0, n, k), &y);
            (k ? d : c).read(at(k ? d : c, 0, m, n), &sum);
            if (!format.isUsable(x) || !format.isUsable(y) || !format.isUsable(sum)) {
              d.write(at(d, 0, m, n), Cell::unknown());
              continue;
            }
            APFloat value = format.value(x);
            value.fusedMultiplyAdd(format.value(y), format.value(sum), llvm::RoundingMode::NearestTiesToEven);
            d.write(at(d, 0, m, n), format.cell(value));
          }
    });
  }

  /// The place of value `value` of the atom at (i, j).
  static int64_t at(const View &view, int64_t value, int64_t i, int64_t j) {
    const Tree &shape = view.function->domain.shape;
    const int64_t values = shape.mode(0).product();
    return view.place(value + values * (i + shape.mode(1).product() * j));
  }
  Values read(Value fragment, int64_t i, int64_t j) {
    Values values(wave.size);
    wave.forLanes([&](unsigned lane) {
      const View view(wave, fragment, lane);
      values[lane].resize(size_t(view.function->domain.shape.mode(0).product()));
      for (size_t v = 0; v < values[lane].size(); ++v)
        view.read(at(view, int64_t(v), i, j), &values[lane][v]);
    });
    if (wave.active != onesOf(wave.size))
      throw Stop{Outcome::Beyond, "a product of some lanes"};
    return values;
  }
  void write(const Values &values, int64_t i, int64_t j) {
    wave.forLanes([&](unsigned lane) {
      const View view(wave, op.getD(), lane);
      for (size_t v = 0; v < values[lane].size(); ++v)
        view.write(at(view, int64_t(v), i, j), values[lane][v]);
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
