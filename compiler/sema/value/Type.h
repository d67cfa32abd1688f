// The machine types of the language: what a register of a thread holds.
//
// A type is a number format and, for `vec[T, N]`, a count of elements. Signedness is the type's, not the
// operation's: MLIR integers are signless, so this is the only place where i32 and u32 differ.
#pragma once

#include "compiler/host/NumberFormat.h"

#include <cstdint>
#include <string>

namespace fly::sema {

struct Type {
  host::Number number = host::Number::I32;
  uint32_t lanes = 0; ///< 0: a scalar; else the elements of a vector

  static Type scalar(host::Number number) { return {number, 0}; }
  static Type vector(host::Number number, uint32_t lanes) { return {number, lanes}; }

  const host::NumberFormat &format() const { return host::format(number); }
  bool isVector() const { return lanes != 0; }
  bool isFloat() const { return format().isFloat(); }
  /// With arithmetic: those of 4 bits only store numbers.
  bool isInteger() const { return format().isInteger() && !format().isStorage(); }
  bool isBool() const { return format().isBool(); }
  bool isSigned() const { return format().isSigned; }
  Type element() const { return scalar(number); }
  Type withNumber(host::Number other) const { return {other, lanes}; }
  bool operator==(const Type &) const = default;

  /// As the author writes it: "f32", "vec[f16, 8]".
  std::string text() const {
    return isVector() ? "vec[" + std::string(format().name) + ", " + std::to_string(lanes) + "]" : format().name;
  }
};

} // namespace fly::sema
