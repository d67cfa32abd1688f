// Python's functions of numbers and characters, of compile-time values.
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/sema/value/TextFormat.h"

#include "llvm/ADT/SmallString.h"

#include <cmath>

namespace fly::sema {

namespace {

Int integer(Elaborator &e, BoundCall &call, size_t i) {
  if (auto *b = call[i].as<bool>())
    return Int(*b ? 1 : 0);
  if (auto *value = call[i].as<Int>())
    return *value;
  if (auto *m = call[i].as<MachineValue>())
    e.fail(diag::not_compile_time, call.ranges[i],
           {"the argument of `" + std::string(call.builtin->name) + "`", m->type.text()});
  e.fail(call.ranges[i],
         diag::not_an_integer{.what = diag::argument("x", call.builtin->name), .found = describe(call[i])});
}

Value power(Elaborator &e, BoundCall &call) {
  if (!call.given[2])
    return e.binary(ast::BinaryOp::Pow, call[0], call[1], call.range, call.range, call.ranges[0], call.ranges[1]);
  Int base = integer(e, call, 0), exponent = integer(e, call, 1), modulus = integer(e, call, 2);
  if (modulus == Int(0))
    e.fail(diag::division_by_zero, call.ranges[2], {"pow"});
  if (exponent < Int(0))
    e.fail(call.ranges[1],
           diag::negative_value{.what = "the exponent of `pow` with a modulus", .found = toText(call[1])});
  auto reduced = [&](const Int &x) { return x - modulus * llvm::floorDiv(x, modulus); };
  Int result = reduced(Int(1));
  base = reduced(base);
  for (Int two(2); exponent != Int(0); exponent = exponent / two) {
    e.step(call.range);
    if (exponent % two != Int(0))
      result = reduced(result * base);
    base = reduced(base * base);
  }
  return Value(result);
}

/// To an integer with ties to even, or to decimal places as the exact value of the double rounds.
Value round(Elaborator &e, BoundCall &call) {
  int64_t places = call.given[1] ? requireInt(e, call[1], call.ranges[1], "the number of places") : 0;
  if (places < -400 || places > 400)
    e.fail(
        call.ranges[1],
        diag::out_of_range{.what = "the number of places", .low = -400, .high = 400, .found = std::to_string(places)});
  if (call[0].is<Int>() || call[0].is<bool>()) {
    Int x = integer(e, call, 0);
    if (places >= 0)
      return Value(x);
    Int unit(1);
    for (int64_t i = places; i < 0; ++i)
      unit = unit * Int(10);
    Int quotient = llvm::floorDiv(x, unit), rest = x - quotient * unit, twice = rest * Int(2);
    bool odd = quotient % Int(2) != Int(0);
    if (twice > unit || (twice == unit && odd))
      quotient = quotient + Int(1);
    return Value(quotient * unit);
  }
  auto *d = call[0].as<double>();
  if (!d) {
    (void)integer(e, call, 0);
    return Value();
  }
  if (!call.given[1]) {
    auto whole = exactInteger(std::nearbyint(*d));
    if (!whole)
      e.fail(diag::bad_conversion, call.ranges[0], {describe(call[0]), "int"});
    return Value(*whole);
  }
  if (!std::isfinite(*d) || places > 330)
    return call[0];
  if (places < 0) {
    double unit = std::pow(10.0, double(-places));
    return Value(std::nearbyint(*d / unit) * unit);
  }
  llvm::SmallString<1024> buffer;
  buffer.resize(1000);
  std::snprintf(buffer.data(), buffer.size(), "%.*f", int(places), *d);
  return Value(std::strtod(buffer.c_str(), nullptr));
}

Value inBase(Elaborator &e, BoundCall &call) {
  struct Base {
    const char *name;
    unsigned base;
    const char *prefix;
  };
  static constexpr Base bases[] = {{"hex", 16, "0x"}, {"oct", 8, "0o"}, {"bin", 2, "0b"}};
  auto &row = *llvm::find_if(bases, [&](auto &b) { return llvm::StringRef(b.name) == call.builtin->name; });
  Int x = integer(e, call, 0);
  return Value((x < Int(0) ? "-" : "") + std::string(row.prefix) + integerText(x < Int(0) ? -x : x, row.base));
}

Value character(Elaborator &e, BoundCall &call) {
  auto code = toInt64(Value(integer(e, call, 0)));
  if (!code || *code < 0 || *code > 127)
    e.fail(call.ranges[0],
           diag::out_of_range{.what = "the code of a character", .low = 0, .high = 127, .found = toText(call[0])});
  return Value(std::string(1, char(*code)));
}

Value codeOf(Elaborator &e, BoundCall &call) {
  auto *text = call[0].as<std::string>();
  if (!text || text->size() != 1)
    e.fail(call.ranges[0], diag::not_a_character{.what = diag::argument("x", "ord"), .found = describe(call[0])});
  return Value(int64_t(uint8_t((*text)[0])));
}

Value represent(Elaborator &, BoundCall &call) { return Value(toText(call[0], true)); }

const Builtin numberRows[] = {
    {"pow", "x, y, mod=", "x to the power of y, like `x ** y`; with `mod`, modulo it, for compile-time integers",
     power},
    {"round", "x, places=", "the nearest integer, ties to even, or x rounded to `places` decimals", round},
    {"hex", "x", "an integer as hexadecimal text", inBase},
    {"oct", "x", "an integer as octal text", inBase},
    {"bin", "x", "an integer as binary text", inBase},
    {"chr", "x", "the character with an ASCII code", character},
    {"ord", "x", "the ASCII code of a character", codeOf},
    {"repr", "x", "a value as it is written in source code", represent},
};
} // namespace

llvm::ArrayRef<Builtin> numberBuiltins() { return numberRows; }

} // namespace fly::sema
