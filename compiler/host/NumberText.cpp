// Numbers as text: the shortest decimal that reads back as the same value of its format.
//
// f16(0.1) is held as the double 0.0999755859375; a reader wants "0.1". The formats without a standard shortest printer
// are narrow, so trying 1, 2, ... significant digits ends early (after five for f16). An 8-bit format has so few values
// that its users know them: 448, not 450, which would round to it.
#include "compiler/host/NumberFormat.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace fly::host {

/// "1" reads as an integer: floats show a point or an exponent.
static std::string asFloat(std::string text) {
  if (text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return text;
}

std::string toText(double value) { return toText(Number::F64, value); }

std::string toText(Number number, double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const NumberFormat &f = format(number);
  if (!f.isFloat())
    return toText(decodeInteger(number, encode(number, value)));
  if (number != Number::F64 && roundTo(number, value) != value)
    number = Number::F64; // not a value of the format: show it exactly
  if (number == Number::F64 || number == Number::F32) {
    auto end = number == Number::F64 ? std::to_chars(buffer, buffer + sizeof buffer, value).ptr
                                     : std::to_chars(buffer, buffer + sizeof buffer, float(value)).ptr;
    return asFloat(std::string(buffer, end));
  }
  bool isKnown = f.bits <= 8 && f.mantissaBits > 0;
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    double read = std::strtod(buffer, nullptr);
    if ((isKnown ? read : roundTo(number, read)) == value)
      break;
  }
  // The same decimal without a needless exponent: 10.0, not 1e+01.
  return asFloat(std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, std::strtod(buffer, nullptr)).ptr));
}

std::string toText(Int value) {
  if (value == 0)
    return "0";
  using Unsigned = unsigned __int128;
  Unsigned magnitude = value < 0 ? -Unsigned(value) : Unsigned(value);
  std::string digits;
  for (; magnitude; magnitude /= 10)
    digits += char('0' + int(magnitude % 10));
  if (value < 0)
    digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

} // namespace fly::host
