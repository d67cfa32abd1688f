// When two launch expressions are the same number: what lets one layout be passed where another is declared.
//
// An expression becomes a sum of monomials: rational coefficients, and powers of atoms that may be negative, so that an
// exact division is a division of monomials and `k // splits * splits` is k again where `k % splits == 0` holds. An
// atom is a parameter, or an operation that is not polynomial (min, a rounded division, ...), identified by the normal
// forms of its operands. A number that exceeds 64 bits ends the attempt with the answer no.
#include "compiler/host/HostExpr.h"

#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace fly::host {

namespace {

struct TooLarge {};

/// Atoms and their powers, in order of their names; none has the power 0.
using Monomial = std::map<std::string, int>;

struct Rational {
  int64_t over = 0, under = 1; ///< reduced, `under` positive
  static Rational of(__int128 over, __int128 under) {
    if (under < 0)
      over = -over, under = -under;
    __int128 a = over < 0 ? -over : over, b = under;
    while (b)
      std::swap(a %= b, b);
    if (a)
      over /= a, under /= a;
    if (over > INT64_MAX || over < -INT64_MAX || under > INT64_MAX)
      throw TooLarge{};
    return {int64_t(over), int64_t(under)};
  }
  bool operator==(const Rational &) const = default;
};
Rational operator+(Rational a, Rational b) {
  return Rational::of(__int128(a.over) * b.under + __int128(b.over) * a.under, __int128(a.under) * b.under);
}
Rational operator*(Rational a, Rational b) {
  return Rational::of(__int128(a.over) * b.over, __int128(a.under) * b.under);
}

/// No term has the coefficient 0.
using Polynomial = std::map<Monomial, Rational>;

void addTo(Polynomial &sum, const Monomial &monomial, Rational coefficient) {
  auto &slot = sum[monomial];
  slot = slot + coefficient;
  if (slot.over == 0)
    sum.erase(monomial);
}

Polynomial product(const Polynomial &x, const Polynomial &y) {
  Polynomial out;
  for (auto &[a, p] : x)
    for (auto &[b, q] : y) {
      Monomial both = a;
      for (auto &[atom, power] : b)
        if ((both[atom] += power) == 0)
          both.erase(atom);
      addTo(out, both, p * q);
    }
  if (out.size() > 256)
    throw TooLarge{};
  return out;
}

/// 1 / x, of a single term.
std::optional<Polynomial> inverse(const Polynomial &x) {
  if (x.size() != 1)
    return std::nullopt;
  Monomial inverted;
  for (auto &[atom, power] : x.begin()->first)
    inverted[atom] = -power;
  auto &c = x.begin()->second;
  return Polynomial{{inverted, Rational::of(c.under, c.over)}};
}

/// An integer whatever the atoms are.
bool isWhole(const Polynomial &x) {
  for (auto &[monomial, coefficient] : x) {
    if (coefficient.under != 1)
      return false;
    for (auto &[atom, power] : monomial)
      if (power < 0)
        return false;
  }
  return true;
}

std::string textOf(const Polynomial &x) {
  std::string text;
  for (auto &[monomial, coefficient] : x) {
    text += "+" + std::to_string(coefficient.over) + "/" + std::to_string(coefficient.under);
    for (auto &[atom, power] : monomial)
      text += "*[" + atom + "]^" + std::to_string(power);
  }
  return text;
}

class Normalizer {
public:
  explicit Normalizer(llvm::ArrayRef<ExprRef> facts) {
    for (auto &fact : facts)
      equalities(*fact);
    for (auto &fact : facts)
      divisibilities(*fact);
  }

  Polynomial of(const Expr &expr) {
    switch (expr.op) {
    case ExprOp::IntConstant: return constant(expr.intValue);
    case ExprOp::Parameter: {
      auto equal = replacements.find(expr.parameterName);
      if (equal == replacements.end() || !expanding.insert(expr.parameterName).second)
        return atom(expr.parameterName);
      Polynomial out = of(*equal->second);
      expanding.erase(expr.parameterName);
      return out;
    }
    case ExprOp::Neg: return product(of(*expr.operands[0]), constant(-1));
    case ExprOp::Add:
    case ExprOp::Sub: {
      Polynomial out = of(*expr.operands[0]);
      for (auto &[monomial, coefficient] : of(*expr.operands[1]))
        addTo(out, monomial, coefficient * Rational{expr.op == ExprOp::Add ? 1 : -1, 1});
      return out;
    }
    case ExprOp::Mul: return product(of(*expr.operands[0]), of(*expr.operands[1]));
    case ExprOp::FloorDiv:
    case ExprOp::CeilDiv: {
      Polynomial whole = of(*expr.operands[0]), by = of(*expr.operands[1]);
      if (auto inverted = inverse(by))
        if (Polynomial quotient = product(whole, *inverted); isExact(whole, by, quotient))
          return quotient;
      break;
    }
    case ExprOp::Mod:
      if (Polynomial whole = of(*expr.operands[0]), by = of(*expr.operands[1]); auto inverted = inverse(by))
        if (isExact(whole, by, product(whole, *inverted)))
          return {};
      break;
    default: break;
    }
    std::string name = jsonName(expr.op).str();
    if (expr.op == ExprOp::Device || isConstant(expr))
      return atom(name + ":" + toFly(expr));
    for (auto &operand : expr.operands)
      name += "(" + textOf(of(*operand)) + ")";
    return atom(name);
  }

private:
  static Polynomial constant(int64_t value) {
    if (value == INT64_MIN)
      throw TooLarge{};
    return value == 0 ? Polynomial{} : Polynomial{{{}, {value, 1}}};
  }
  static Polynomial atom(std::string name) { return {{{{std::move(name), 1}}, {1, 1}}}; }

  void equalities(const Expr &fact) {
    if (fact.op == ExprOp::And)
      for (auto &operand : fact.operands)
        equalities(*operand);
    if (fact.op != ExprOp::Eq)
      return;
    for (size_t side : {0, 1})
      if (auto &name = *fact.operands[side]; name.op == ExprOp::Parameter && name.kind == ExprKind::Int)
        if (replacements.try_emplace(name.parameterName, fact.operands[1 - side]).second)
          return;
  }

  void divisibilities(const Expr &fact) {
    if (fact.op == ExprOp::And)
      for (auto &operand : fact.operands)
        divisibilities(*operand);
    if (fact.op != ExprOp::Eq || fact.operands[0]->op != ExprOp::Mod || fact.operands[1]->op != ExprOp::IntConstant ||
        fact.operands[1]->intValue != 0)
      return;
    auto &mod = *fact.operands[0];
    multiples.push_back({of(*mod.operands[0]), of(*mod.operands[1])});
  }

  /// `by` divides `whole` without remainder: the quotient is an integer by itself, or a multiple of a quotient that a
  /// fact states to be an integer.
  bool isExact(const Polynomial &whole, const Polynomial &by, const Polynomial &quotient) {
    if (isWhole(quotient))
      return true;
    auto inverted = inverse(by);
    for (auto &[dividend, divisor] : multiples) {
      auto dividendInverse = inverse(dividend);
      if (!dividendInverse)
        continue;
      // whole / by = (dividend / divisor) * (whole / dividend * divisor / by)
      if (isWhole(product(product(whole, *dividendInverse), product(divisor, *inverted))))
        return true;
    }
    return false;
  }

  std::map<std::string, ExprRef> replacements;
  std::set<std::string> expanding;
  std::vector<std::pair<Polynomial, Polynomial>> multiples;
};

} // namespace

bool provablyEqual(const ExprRef &x, const ExprRef &y, llvm::ArrayRef<ExprRef> facts) {
  if (x == y)
    return true;
  if (x->kind != ExprKind::Int || y->kind != ExprKind::Int)
    return false;
  try {
    Normalizer normalizer(facts);
    return normalizer.of(*x) == normalizer.of(*y);
  } catch (TooLarge &) {
    return false;
  }
}

} // namespace fly::host
