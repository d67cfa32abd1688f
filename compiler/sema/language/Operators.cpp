// Operators: which kind of evaluation a pair of operands needs. number/Arithmetic.cpp has machine integers and floats.
#include "compiler/sema/elaborator/CodeRole.h"
#include "compiler/sema/tensor/LayoutValues.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/Constants.h"
#include "compiler/sema/number/HostExpressions.h"
#include "compiler/sema/number/Arithmetic.h"
#include "compiler/sema/elaborator/ArrayValues.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/number/Containers.h"
#include "compiler/sema/elaborator/Dicts.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/number/SmallFloats.h"
#include "compiler/sema/number/Vectors.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fly::sema {

namespace arith = mlir::arith;
using ast::BinaryOp;
using ast::CompareOp;

static std::optional<host::Binary> arrayOp(BinaryOp op) { return host::binaryByName(ast::spelling(op)); }

/// `x ** y` of machine values. A small power known at compile time is a product; integers know no other.
static Value machinePower(Elaborator &e, const Value &lhs, const Value &rhs, SourceRange range, SourceRange lhsRange,
                          SourceRange rhsRange) {
  auto *x = lhs.as<MachineValue>();
  if (x)
    requireArithmetic(e, x->type, "**", range);
  auto whole = rhs.isNumber() && !rhs.is<double>() ? toInt64(rhs) : std::nullopt;
  bool isInteger = x && x->type.isInteger();
  constexpr int64_t mostFactors = 4; // of floats: 1.5 units in the last place off
  if (x && whole && *whole >= 0 && (isInteger || (x->type.isFloat() && *whole <= mostFactors))) {
    Value power = lhs, result = Value(toMachine(e, Value(int64_t(1)), x->type, rhsRange));
    bool isFirst = true;
    for (uint64_t n = uint64_t(*whole); n; n /= 2) {
      if (n % 2)
        result = std::exchange(isFirst, false)
                     ? power
                     : e.binary(BinaryOp::Mul, result, power, range, range, lhsRange, lhsRange);
      if (n > 1)
        power = e.binary(BinaryOp::Mul, power, power, range, range, lhsRange, lhsRange);
    }
    return result;
  }
  auto *y = rhs.as<MachineValue>();
  if (isInteger || (y && !y->type.isFloat()))
    e.report(diag::bad_operand, range,
             {"**", describe(isInteger ? rhs : lhs) + (isInteger ? " as a power of " : " to the power of ") +
                        describe(isInteger ? lhs : rhs)})
        .help("the exponent of an integer must be non-negative and known at compile time; otherwise use floats: "
              "`pow(f32(x), f32(y))`"),
        throw Failed{};
  return floatPower(e, lhs, rhs, range, lhsRange, rhsRange);
}

/// Reports `/` of integers. Only the author knows whether the quotient is to be floored, so the fix is a possible one.
static void refuseIntegerDivision(Elaborator &e, const Value &lhs, const Value &rhs, SourceRange range,
                                  SourceRange opRange) {
  auto isInteger = [](const Value &value) {
    if (auto *machine = value.as<MachineValue>())
      return machine->type.isInteger();
    if (auto *host = value.as<HostValue>())
      return host->expr->kind == host::ExprKind::Int;
    return value.is<Int>() || value.is<bool>();
  };
  if (!isInteger(lhs) || !isInteger(rhs))
    return;
  const std::string sign = e.diags.sources.text(opRange).str(); // `/=`, too
  auto builder = e.report(range, diag::integer_division{});
  if (llvm::StringRef(sign).starts_with("/"))
    builder.help("replace `" + sign + "` with `/" + sign + "`", Fix::possible(opRange, "/" + sign));
  throw Failed{};
}

Value Evaluator::binary(BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range, SourceRange opRange,
                        SourceRange lhsRange, SourceRange rhsRange) {
  if (lhs.is<ErrorValue>() || rhs.is<ErrorValue>())
    throw Failed{};
  refuseRunTime(lhs, lhsRange);
  refuseRunTime(rhs, rhsRange);
  if (lhs.is<StructValue>() || rhs.is<StructValue>()) {
    static const char *const names[] = {"add",    "sub",    "mul",    "truediv", "floordiv", "mod", "pow",
                                        "matmul", "lshift", "rshift", "and",     "or",       "xor"};
    if (auto result = structOperator(names[unsigned(op)], lhs, &rhs, range, rhsRange))
      return *result;
  }
  if (auto result = pointerBinary(*this, op, lhs, rhs, range))
    return *result;
  if (auto *memory = lhs.as<HostTensorValue>(); memory && (op == BinaryOp::Add || op == BinaryOp::Sub))
    if (auto view = role->moved(*memory->tensor, rhs, op == BinaryOp::Sub, range))
      return *view;
  if (op == BinaryOp::Div)
    refuseIntegerDivision(*this, lhs, rhs, range, opRange);
  if (lhs.is<ArrayValue>() || rhs.is<ArrayValue>()) {
    auto x = arrayOperand(*this, lhs, lhsRange), y = arrayOperand(*this, rhs, rhsRange);
    if (op == BinaryOp::MatMul)
      return fromArray(*this, host::matmul(x, y, role->work("@")), range);
    return fromArray(*this, host::apply(*arrayOp(op), x, y), range);
  }
  if (lhs.is<LayoutValue>() || rhs.is<LayoutValue>())
    return layoutBinary(*this, op, lhs, rhs, range);
  if (lhs.is<HostValue>() || rhs.is<HostValue>())
    return hostBinary(*this, op, lhs, rhs, range);
  if (!lhs.is<MachineValue>() && !rhs.is<MachineValue>())
    return constantBinary(*this, op, lhs, rhs, range, rhsRange);

  const char *name = ast::spelling(op);
  if (op == BinaryOp::Pow)
    return machinePower(*this, lhs, rhs, range, lhsRange, rhsRange);
  if (op == BinaryOp::MatMul)
    fail(diag::bad_operand, range, {name, describe(lhs.is<MachineValue>() ? lhs : rhs)});
  bool isShift = op == BinaryOp::Shl || op == BinaryOp::Shr;
  if (isShift)
    if (auto amount = toInt64(rhs); amount && lhs.is<MachineValue>()) {
      auto type = lhs.as<MachineValue>()->type;
      if (type.isInteger() && (*amount < 0 || *amount >= int64_t(type.format().bits)))
        fail(rhsRange, diag::shift_out_of_range{
                           .amount = toText(rhs), .type = type.text(), .limit = int64_t(type.format().bits - 1)});
    }
  auto [x, y] = unify(*this, lhs, rhs, name, range, opRange, lhsRange, rhsRange);
  if (auto known = x.type.isInteger() ? constantOf(y.value) : std::nullopt) {
    if ((op == BinaryOp::FloorDiv || op == BinaryOp::Mod) && known->isZero())
      fail(diag::division_by_zero, rhsRange, {name});
    if (isShift && known->uge(x.type.format().bits)) // of a machine constant; others were refused above
      fail(rhsRange, diag::shift_out_of_range{.amount = toText(Value(known->getSExtValue())),
                                              .type = x.type.text(),
                                              .limit = int64_t(x.type.format().bits - 1)});
  }
  Value result = machineBinary(*this, op, x, y, range);
  bool disguised = (lhs.origin && !lhs.origin->firstUse && lhs.is<MachineValue>()) ||
                   (rhs.origin && !rhs.origin->firstUse && rhs.is<MachineValue>());
  if (disguised && (lhs.origin || lhs.isNumber()) && (rhs.origin || rhs.isNumber()))
    result.origin = lhs.is<MachineValue>() && lhs.origin ? lhs.origin : rhs.origin;
  return result;
}

Value Evaluator::unary(ast::UnaryOp op, const Value &value, SourceRange range) {
  static const char *const names[] = {"-", "+", "~", "not"};
  const char *name = names[unsigned(op)];
  if (value.is<ErrorValue>())
    throw Failed{};
  refuseRunTime(value, range);
  if (value.is<StructValue>() && op != ast::UnaryOp::Not) {
    static const char *const methods[] = {"neg", "pos", "invert"};
    if (auto result = structOperator(methods[unsigned(op)], value, nullptr, range, range))
      return *result;
  }
  if (op == ast::UnaryOp::Not) {
    if (auto *m = value.as<MachineValue>(); m && m->type.isBool())
      return machineUnary(*this, op, *m, range);
    if (value.is<HostValue>())
      return Value(HostValue{host::make(host::ExprOp::Not, {toHostExpr(*this, value, host::ExprKind::Bool, range)})});
    if (auto *a = value.as<ArrayValue>())
      return fromArray(*this, host::apply(host::Unary::Not, *a->array), range);
    if (auto *m = value.as<MachineValue>())
      fail(diag::bad_condition, range, {m->type.text()});
    return Value(!truth(*this, value, range));
  }
  if (auto *a = value.as<ArrayValue>())
    return fromArray(*this, host::apply(*host::unaryByName(name), *a->array), range);
  if (auto *h = value.as<HostValue>()) {
    if (op == ast::UnaryOp::Pos)
      return value;
    return Value(
        HostValue{host::make(op == ast::UnaryOp::Neg ? host::ExprOp::Neg : host::ExprOp::Invert, {h->expr}), h->bits});
  }
  if (auto *m = value.as<MachineValue>()) {
    Value result = machineUnary(*this, op, *m, range);
    return op == ast::UnaryOp::Pos ? value : result;
  }
  Value result;
  if (auto *d = value.as<double>(); d && op != ast::UnaryOp::Invert)
    result = Value(op == ast::UnaryOp::Neg ? -*d : *d);
  else if (value.is<Int>() || value.is<bool>()) {
    Int i = value.is<bool>() ? Int(*value.as<bool>() ? 1 : 0) : *value.as<Int>();
    result = Value(op == ast::UnaryOp::Neg ? -i : op == ast::UnaryOp::Pos ? i : -i - Int(1));
  } else
    fail(diag::bad_operand, range, {name, describe(value)});
  result.origin = value.origin;
  return result;
}

// ---------------------------------------------------------------------------------------------------------
// Comparison

/// `n in (16, 32)` where a value is known at launch: `n == 16 or n == 32`.
static Value isAmong(Elaborator &e, const Value &lhs, const Values &elements, SourceRange range, SourceRange opRange) {
  auto any = host::boolConstant(false);
  for (auto &element : elements) {
    e.step(range);
    auto same = toHostExpr(e, e.compare(CompareOp::Eq, lhs, element, range, opRange), host::ExprKind::Bool, range);
    any = host::make(host::ExprOp::Or, {any, same});
    if (host::tooLarge(*any))
      e.fail(range, diag::launch_expression{});
  }
  return any->op == host::ExprOp::BoolConstant ? Value(any->boolValue) : Value(HostValue{any});
}

/// Where the left side of a comparison ends, which `opRange` follows.
static uint32_t leftEnd(const SourceManager &sources, SourceRange range, SourceRange opRange) {
  if (!opRange.valid() || opRange.file != range.file || opRange.begin <= range.begin)
    return range.end;
  return range.begin + static_cast<uint32_t>(sources.text({range.file, range.begin, opRange.begin}).rtrim().size());
}

Value Evaluator::compare(CompareOp op, const Value &lhs, const Value &rhs, SourceRange range, SourceRange opRange) {
  const char *name = ast::spelling(op);
  if (lhs.is<ErrorValue>() || rhs.is<ErrorValue>())
    throw Failed{};
  refuseRunTime(lhs, range);
  refuseRunTime(rhs, range);
  bool identity = op == CompareOp::Is || op == CompareOp::IsNot;
  bool membership = op == CompareOp::In || op == CompareOp::NotIn;
  if (membership) {
    if (auto *text = rhs.as<std::string>())
      if (auto *part = lhs.as<std::string>())
        return Value((text->find(*part) != std::string::npos) == (op == CompareOp::In));
    bool found = false;
    if (auto *dict = rhs.as<DictValue>(); dict && !lhs.is<HostValue>())
      found = findKey(*dict, lhs).has_value();
    else if (auto run = lhs.is<HostValue>() ? std::nullopt : KnownRange::of(rhs))
      found = run->find(lhs).has_value();
    else if (auto *m = lhs.as<MachineValue>())
      report(diag::not_compile_time,
             {range.file, range.begin, std::max(range.begin + 1, leftEnd(diags.sources, range, opRange))},
             {"the left side of `in`", m->type.text()})
          .help("compare one by one: `x == 1 or x == 2`"),
          throw Failed{};
    else {
      Values elements = iterate(rhs, range, "`in`");
      auto isLaunch = [](const Value &v) { return v.is<HostValue>(); };
      if (isLaunch(lhs) || llvm::any_of(elements, isLaunch)) {
        Value among = isAmong(*this, lhs, elements, range, opRange);
        if (op == CompareOp::In)
          return among;
        return among.is<bool>() ? Value(!*among.as<bool>())
                                : Value(HostValue{host::make(host::ExprOp::Not, {among.as<HostValue>()->expr})});
      }
      for (auto &element : elements) {
        step(range);
        if (auto *m = element.as<MachineValue>())
          fail(diag::not_compile_time, range, {"an element that `in` compares with", m->type.text()});
        if ((found = equal(lhs, element).value_or(false)))
          break;
      }
    }
    return Value(found == (op == CompareOp::In));
  }
  if (auto result = pointerCompare(*this, op, lhs, rhs, range))
    return *result;
  if (lhs.is<HostTensorValue>() || rhs.is<HostTensorValue>())
    fail(diag::not_supported, range,
         {"comparing memory in a `@launch` function", "a kernel can compare pointers; let the caller pass a bool"});
  if (identity && !lhs.isNone() && !rhs.isNone() && (lhs.is<MachineValue>() || rhs.is<MachineValue>()))
    report(diag::bad_operand, range, {name, describe(lhs.is<MachineValue>() ? lhs : rhs)})
        .help(op == CompareOp::Is ? "write `==`" : "write `!=`",
              Fix::possible(opRange, op == CompareOp::Is ? "==" : "!=")),
        throw Failed{};
  if (identity || lhs.isNone() || rhs.isNone()) {
    if (op != CompareOp::Eq && op != CompareOp::Ne && !identity)
      fail(diag::bad_operand, range, {name, describe(lhs.isNone() ? lhs : rhs)});
    bool same = lhs.isNone() || rhs.isNone() ? lhs.isNone() && rhs.isNone() : equal(lhs, rhs).value_or(false);
    return Value(same == (op == CompareOp::Eq || op == CompareOp::Is));
  }
  if (lhs.is<StructValue>() || rhs.is<StructValue>()) {
    static const char *const methods[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    if (auto result = structOperator(methods[unsigned(op)], lhs, &rhs, range, range))
      return *result;
  }
  if (lhs.is<ArrayValue>() || rhs.is<ArrayValue>()) {
    auto x = arrayOperand(*this, lhs, range), y = arrayOperand(*this, rhs, range);
    return fromArray(*this, host::apply(*host::binaryByName(name), x, y), range);
  }
  if (lhs.is<HostValue>() || rhs.is<HostValue>())
    return hostCompare(*this, op, lhs, rhs, range);
  if (lhs.is<MachineValue>() || rhs.is<MachineValue>()) {
    SourceRange left = range, right = range;
    if (uint32_t end = leftEnd(diags.sources, range, opRange); end < range.end && opRange.end < range.end) {
      left.end = end;
      right.begin = opRange.end + static_cast<uint32_t>(diags.sources.text({range.file, opRange.end, range.end})
                                                            .take_while([](char c) { return c == ' ' || c == '\t'; })
                                                            .size());
    }
    auto [x, y] = unify(*this, lhs, rhs, name, range, opRange, left, right);
    requireArithmetic(*this, x.type, name, range);
    using F = arith::CmpFPredicate;
    using I = arith::CmpIPredicate;
    static const F floats[] = {F::OLT, F::OLE, F::OGT, F::OGE, F::OEQ, F::UNE};
    static const I signeds[] = {I::slt, I::sle, I::sgt, I::sge, I::eq, I::ne};
    static const I unsigneds[] = {I::ult, I::ule, I::ugt, I::uge, I::eq, I::ne};
    unsigned row = unsigned(op);
    auto &b = ir(range, name);
    Type result = x.type.withNumber(host::Number::Bool);
    if (x.type.isFloat())
      return Value(MachineValue{arith::CmpFOp::create(b, location(range), floats[row], x.value, y.value), result});
    if (x.type.isBool() && op != CompareOp::Eq && op != CompareOp::Ne)
      fail(diag::bad_operand, range, {name, x.type.text()});
    auto predicate = x.type.isSigned() ? signeds[row] : unsigneds[row];
    return Value(MachineValue{arith::CmpIOp::create(b, location(range), predicate, x.value, y.value), result});
  }
  if (op == CompareOp::Eq || op == CompareOp::Ne) {
    auto same = equal(lhs, rhs);
    if (!same && lhs.sameShape(rhs)) { // some parts are machine values: all must be equal
      Value all(true);
      for (auto [x, y] : llvm::zip(*lhs.parts(), *rhs.parts()))
        all = binary(BinaryOp::And, all, compare(CompareOp::Eq, x, y, range, opRange), range, opRange, range, range);
      return op == CompareOp::Eq ? all : unary(ast::UnaryOp::Not, all, range);
    }
    if (!same)
      fail(diag::bad_operand, range, {name, describe(lhs) + " and " + describe(rhs)});
    return Value(*same == (op == CompareOp::Eq));
  }
  auto decide = [&](auto x, auto y) {
    return Value(op == CompareOp::Lt ? x < y : op == CompareOp::Le ? x <= y : op == CompareOp::Gt ? x > y : x >= y);
  };
  if (lhs.isNumber() && rhs.isNumber()) {
    auto ordering = order(lhs, rhs);
    return Value(op == CompareOp::Lt   ? ordering < 0
                 : op == CompareOp::Le ? ordering <= 0
                 : op == CompareOp::Gt ? ordering > 0
                                       : ordering >= 0);
  }
  if (lhs.sequence() && rhs.sequence() && lhs.storage.index() == rhs.storage.index()) { // by the first that differ
    auto &x = *lhs.sequence(), &y = *rhs.sequence();
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      step(range);
      Value same = compare(CompareOp::Eq, x[i], y[i], range, opRange);
      if (!truth(*this, same, range))
        return compare(op, x[i], y[i], range, opRange);
    }
    return decide(x.size(), y.size());
  }
  if (lhs.is<std::string>() && rhs.is<std::string>())
    return decide(*lhs.as<std::string>(), *rhs.as<std::string>());
  fail(diag::bad_operand, range, {name, describe(lhs) + " and " + describe(rhs)});
}

} // namespace fly::sema
