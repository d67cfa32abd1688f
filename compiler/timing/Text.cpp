// Escaping, and how numbers are written. See Text.h.
#include "compiler/timing/Text.h"

#include "compiler/text/Markup.h"

#include <cmath>
#include <cstdio>

namespace fly::timing {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD

/// The bytes of the UTF-8 character that starts here; 0: none does.
std::size_t characterAt(std::string_view text) {
  auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first <= 0xDF)
    return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0, surrogate = first == 0xED && byte(1) > 0x9F;
    const bool noncharacter = first == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE; // U+FFFE, U+FFFF: not in XML
    return follows(1) && follows(2) && !overlong && !surrogate && !noncharacter ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90, beyond = first == 0xF4 && byte(1) > 0x8F;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::string trimmed(std::string text) {
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0')
      text.pop_back();
    if (text.back() == '.')
      text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

} // namespace

std::string cleanText(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = characterAt(text);
    const auto first = static_cast<unsigned char>(text[0]);
    const bool control = length == 1 && (first < 0x20 || first == 0x7F);
    const bool highControl = length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (first == '\t')
      out += ' ';
    else if (length == 0 || control || highControl)
      out += replacement;
    else
      out += text.substr(0, length);
    text.remove_prefix(length ? length : 1);
  }
  return out;
}

std::string escaped(std::string_view text) { return escapeMarkup(cleanText(text)); }

std::string jsonText(std::string_view text) {
  std::string out = "\"";
  for (char c : cleanText(text))
    switch (c) {
    case '<': out += "\\u003c"; break;
    case '>': out += "\\u003e"; break;
    case '&': out += "\\u0026"; break;
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    default: out += c;
    }
  return out + "\"";
}

std::string shortened(std::string_view text, std::size_t characters) {
  const std::string clean = cleanText(text);
  std::size_t seen = 0, last = 0;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    if ((static_cast<unsigned char>(clean[i]) & 0xC0) == 0x80)
      continue;
    if (++seen == characters)
      last = i;
    if (seen > characters)
      return clean.substr(0, last) + "\xE2\x80\xA6";
  }
  return clean;
}

std::string grouped(uint64_t value) {
  std::string digits = std::to_string(value), out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0)
      out += ',';
    out += digits[i];
  }
  return out;
}

std::string decimal(double value, int digits) {
  if (!std::isfinite(value))
    return "0";
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return trimmed(text);
}

std::string brief(double value) {
  if (!std::isfinite(value))
    return "0";
  constexpr const char *powers[] = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t power = 0;
  while (std::abs(value) >= 999.5 && power + 1 < std::size(powers)) {
    value /= 1000;
    ++power;
  }
  const double size = std::abs(value);
  return decimal(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.01 || size == 0 ? 2 : 5) + powers[power];
}

std::string percent(double share) {
  if (!(share > 0) || !std::isfinite(share))
    return "0 %";
  if (share < 0.0005)
    return "< 0.1 %";
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %%", share >= 0.9995 ? 0 : 1, share * 100);
  return text;
}

std::string coordinate(double value) { return decimal(value, 2); }

} // namespace fly::timing
