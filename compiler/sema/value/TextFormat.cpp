// Python's format specifications: [[fill]align][sign][#][0][width][grouping][.precision][type].
//
// A number is made as digits with a sign and a prefix; grouping and padding then work on text. Doubles are printed by
// the C library, which rounds their exact value correctly, as Python does.
#include "compiler/sema/value/TextFormat.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace fly::sema {

std::string floatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  // The shortest digits that read back, then Python's choice between the two notations.
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  llvm::StringRef text(buffer, size_t(end - buffer));
  int exponent = 0;
  text.split('e').second.ltrim('+').getAsInteger(10, exponent);
  if (exponent < -4 || exponent >= 16)
    return text.str();
  end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
  std::string out(buffer, end);
  return out.find('.') == std::string::npos ? out + ".0" : out;
}

std::string integerText(const Int &value, unsigned base) {
  if (base == 10) {
    llvm::SmallString<32> text;
    llvm::raw_svector_ostream(text) << value;
    return std::string(text);
  }
  // As many digits at a time as fit 32 bits.
  int64_t chunk = base;
  unsigned digits = 1;
  for (; chunk * base <= int64_t(UINT32_MAX); chunk *= base)
    ++digits;
  Int rest = value < Int(0) ? -value : value, by(chunk);
  std::string reversed;
  do {
    auto part = uint64_t(int64_t(rest % by));
    rest = rest / by;
    for (unsigned i = 0; i < digits && (part || rest != Int(0) || i == 0); ++i, part /= base)
      reversed += "0123456789abcdefghijklmnopqrstuvwxyz"[part % base];
  } while (rest != Int(0));
  if (value < Int(0))
    reversed += '-';
  return std::string(reversed.rbegin(), reversed.rend());
}

std::optional<Int> parseInteger(llvm::StringRef text, unsigned base) {
  text = text.trim();
  bool negative = text.consume_front("-");
  if (!negative)
    text.consume_front("+");
  struct Prefix {
    const char *text;
    unsigned base;
  };
  static constexpr Prefix prefixes[] = {{"0x", 16}, {"0o", 8}, {"0b", 2}};
  for (auto &prefix : prefixes)
    if ((base == 0 || base == prefix.base) && text.consume_front_insensitive(prefix.text)) {
      base = prefix.base;
      text.consume_front("_");
      break;
    }
  if (base == 0)
    base = 10;
  if (text.empty() || text.size() > 20000 || text.ends_with("_") || text.starts_with("_") || text.contains("__"))
    return std::nullopt;
  Int result(0), scale{int64_t(base)};
  for (char c : text) {
    if (c == '_')
      continue;
    unsigned digit = llvm::isDigit(c)   ? unsigned(c - '0')
                     : llvm::isAlpha(c) ? unsigned(llvm::toLower(c) - 'a') + 10
                                        : 99;
    if (digit >= base)
      return std::nullopt;
    result = result * scale + Int(int64_t(digit));
  }
  return negative ? -result : result;
}

namespace {

struct Spec {
  std::string fill = " ";
  char align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false;
  unsigned width = 0;
  std::optional<unsigned> precision;
};

constexpr unsigned most = 4096; ///< of width and precision

std::optional<Spec> parseSpec(llvm::StringRef text) {
  Spec spec;
  auto isAlign = [](char c) { return llvm::StringRef("<>=^").contains(c); };
  size_t fill = 1; // bytes of the first character
  while (fill < text.size() && (uint8_t(text[fill]) & 0xc0) == 0x80)
    ++fill;
  if (text.size() > fill && isAlign(text[fill])) {
    spec.fill = text.take_front(fill).str();
    spec.align = text[fill];
    text = text.drop_front(fill + 1);
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = text[0];
    text = text.drop_front();
  }
  if (!text.empty() && llvm::StringRef("+- ").contains(text[0])) {
    spec.sign = text[0];
    text = text.drop_front();
  }
  spec.alternate = text.consume_front("#");
  if (text.consume_front("0") && !spec.align) {
    spec.fill = "0";
    spec.align = '=';
  }
  auto number = [&](unsigned &out) { return !text.consumeInteger(10, out) && out <= most; };
  if (!text.empty() && llvm::isDigit(text[0]) && !number(spec.width))
    return std::nullopt;
  if (!text.empty() && llvm::StringRef(",_").contains(text[0])) {
    spec.grouping = text[0];
    text = text.drop_front();
  }
  if (text.consume_front(".")) {
    unsigned precision = 0;
    if (text.empty() || !llvm::isDigit(text[0]) || !number(precision))
      return std::nullopt;
    spec.precision = precision;
  }
  if (!text.empty()) {
    spec.type = text[0];
    text = text.drop_front();
  }
  return text.empty() ? std::optional<Spec>(spec) : std::nullopt;
}

/// Characters, where `size()` would count bytes.
size_t lengthOf(llvm::StringRef text) {
  return size_t(llvm::count_if(text, [](char c) { return (uint8_t(c) & 0xc0) != 0x80; }));
}

std::string padded(const Spec &spec, const std::string &head, const std::string &body, char defaultAlign) {
  size_t length = lengthOf(head) + lengthOf(body);
  if (length >= spec.width)
    return head + body;
  size_t missing = spec.width - length;
  char align = spec.align ? spec.align : defaultAlign;
  auto fill = [&](size_t count) {
    std::string out;
    while (count--)
      out += spec.fill;
    return out;
  };
  switch (align) {
  case '<': return head + body + fill(missing);
  case '^': return fill(missing / 2) + head + body + fill(missing - missing / 2);
  case '=': return head + fill(missing) + body;
  default: return fill(missing) + head + body;
  }
}

/// Separators in the digits before the point; with zero padding the zeros are digits too.
std::string grouped(const Spec &spec, std::string body, size_t head, unsigned each) {
  if (!spec.grouping)
    return body;
  size_t digits = std::min(body.find_first_not_of("0123456789abcdefABCDEF"), body.size());
  if (spec.type == 'e' || spec.type == 'E' || spec.type == 'g' || spec.type == 'G' || !spec.type || spec.type == 'f' ||
      spec.type == 'F' || spec.type == '%')
    digits = std::min(body.find_first_not_of("0123456789"), body.size());
  std::string whole = body.substr(0, digits), rest = body.substr(digits);
  auto separate = [&](const std::string &text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      if (i && (text.size() - i) % each == 0)
        out += spec.grouping;
      out += text[i];
    }
    return out;
  };
  std::string out = separate(whole) + rest;
  if (spec.fill == "0" && spec.align == '=')
    while (head + out.size() < spec.width) {
      whole = "0" + whole;
      std::string longer = separate(whole) + rest;
      if (head + longer.size() > spec.width)
        break;
      out = longer;
    }
  return out;
}

std::string signOf(const Spec &spec, bool negative) {
  return negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::optional<std::string> formatFloat(const Spec &spec, double value) {
  char type = spec.type ? spec.type : 0;
  double magnitude = std::abs(value);
  std::string body;
  if (!std::isfinite(value)) {
    body = std::isnan(value) ? "nan" : "inf";
    if (llvm::isUpper(type))
      body = llvm::StringRef(body).upper();
    if (type == '%')
      body += '%';
  } else if (!type && !spec.precision) {
    body = floatText(magnitude);
  } else {
    char kind = type == '%' ? 'f' : type ? type : 'g';
    unsigned precision = spec.precision.value_or(6);
    if (!type && precision == 0)
      precision = 1;
    auto print = [&](char how, unsigned places) {
      std::string format = std::string("%") + (spec.alternate ? "#" : "") + ".*" + how;
      llvm::SmallString<512> buffer;
      buffer.resize(most + 400);
      int length = std::snprintf(buffer.data(), buffer.size(), format.c_str(), int(places),
                                 type == '%' ? magnitude * 100 : magnitude);
      return std::string(buffer.data(), size_t(length));
    };
    body = print(kind, precision);
    // Without a type there is a digit after the point, which takes one place: 100.0 in `.3` is 1e+02.
    if (!type && body.find_first_of(".e") == std::string::npos && body.size() >= precision) {
      body = print('e', precision - 1);
      size_t exponent = body.find('e'), point = body.find('.');
      if (point != std::string::npos)
        body.erase(std::max(point, body.find_last_not_of("0.", exponent - 1) + 1),
                   exponent - std::max(point, body.find_last_not_of("0.", exponent - 1) + 1));
    }
    if (type == '%')
      body += '%';
    if (!type && body.find_first_of(".e") == std::string::npos)
      body += ".0"; // without a type, a float shows that it is one
  }
  std::string head = signOf(spec, std::signbit(value) && !std::isnan(value));
  return padded(spec, head, grouped(spec, body, head.size(), 3), '>');
}

std::optional<std::string> formatInteger(const Spec &spec, const Int &value) {
  if (llvm::StringRef("eEfFgG%").contains(spec.type) && spec.type) {
    auto small = toInt64(Value(value));
    double d = 0;
    if (small)
      d = double(*small);
    else
      llvm::StringRef(integerText(value, 10)).getAsDouble(d);
    return formatFloat(spec, d);
  }
  if (spec.precision)
    return std::nullopt;
  bool negative = value < Int(0);
  Int magnitude = negative ? -value : value;
  if (spec.type == 'c') {
    auto code = toInt64(Value(value));
    if (!code || *code < 0 || *code > 127)
      return std::nullopt;
    return padded(spec, "", std::string(1, char(*code)), '<');
  }
  struct Base {
    char type;
    unsigned base;
    const char *prefix;
  };
  static constexpr Base bases[] = {{0, 10, ""},    {'d', 10, ""},   {'n', 10, ""},  {'b', 2, "0b"},
                                   {'o', 8, "0o"}, {'x', 16, "0x"}, {'X', 16, "0X"}};
  for (auto &base : bases)
    if (base.type == spec.type) {
      std::string body = integerText(magnitude, base.base);
      if (spec.type == 'X')
        body = llvm::StringRef(body).upper();
      std::string head = signOf(spec, negative) + (spec.alternate ? base.prefix : "");
      return padded(spec, head, grouped(spec, body, head.size(), base.base == 10 ? 3 : 4), '>');
    }
  return std::nullopt;
}

std::optional<std::string> formatText(const Spec &spec, std::string text) {
  if ((spec.type && spec.type != 's') || spec.sign != '-' || spec.alternate || spec.grouping || spec.align == '=')
    return std::nullopt;
  if (spec.precision) {
    size_t bytes = 0;
    for (unsigned count = 0; bytes < text.size(); ++bytes)
      if ((uint8_t(text[bytes]) & 0xc0) != 0x80 && count++ == *spec.precision)
        break;
    text.resize(bytes);
  }
  return padded(spec, "", text, '<');
}

} // namespace

std::optional<std::string> formatted(const Value &value, llvm::StringRef spec, std::string &error) {
  Value shown = value;
  if (spec.consume_front("!")) { // the part before the colon
    char conversion = spec.empty() ? 's' : spec[0];
    spec = spec.drop_front();
    spec.consume_front(":");
    shown = Value(toText(value, conversion != 's'));
  }
  if (spec.empty())
    return toText(shown);
  auto refuse = [&](const char *what) {
    error = "`" + spec.str() + "` is not a format for " + what;
    return std::nullopt;
  };
  auto parsed = parseSpec(spec);
  if (!parsed)
    return refuse("any value; it is [[fill]align][sign][#][0][width][,][.precision][type]");
  std::optional<std::string> out;
  const char *what = "a string";
  if (auto *d = shown.as<double>()) {
    if (!parsed->type || llvm::StringRef("eEfFgG%").contains(parsed->type))
      out = formatFloat(*parsed, *d);
    what = "a float";
  } else if (shown.is<Int>() || shown.is<bool>()) {
    out = formatInteger(*parsed, shown.is<Int>() ? *shown.as<Int>() : Int(*shown.as<bool>() ? 1 : 0));
    what = "an integer";
  } else {
    out = formatText(*parsed, toText(shown));
    if (!shown.is<std::string>())
      what = "this value, which is formatted as a string";
  }
  if (!out)
    return refuse(what);
  return out;
}

} // namespace fly::sema
