// Methods of strings and of compile-time numbers. Strings are bytes of UTF-8; upper and lower case are ASCII's.
#include "compiler/sema/number/TextMethods.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/number/Containers.h"
#include "compiler/sema/value/TextFormat.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace fly::sema {

namespace {

llvm::StringRef self(BoundCall &call) { return *call.self->as<std::string>(); }
llvm::StringRef name(BoundCall &call) { return call.builtin->name; }

/// The argument as a string; empty where it was left out.
llvm::StringRef text(Elaborator &e, BoundCall &call, size_t i, const char *parameter) {
  if (!call.given[i])
    return "";
  if (auto *value = call[i].as<std::string>())
    return *value;
  e.fail(call.ranges[i],
         diag::not_a_string{.what = diag::argument(parameter, call.builtin->name), .found = describe(call[i])});
}

Value strings(llvm::ArrayRef<llvm::StringRef> parts) {
  Values out;
  for (auto part : parts)
    out.push_back(Value(part.str()));
  return makeList(std::move(out));
}

void limit(Elaborator &e, BoundCall &call, size_t length) {
  if (length > size_t(1) << 24)
    e.fail(diag::literal_out_of_range, call.range, {"the length", "a string", "up to 2^24 bytes"});
}

Value changeCase(Elaborator &, BoundCall &call) {
  std::string out = self(call).str();
  bool first = true;
  for (char &c : out) {
    bool upper = name(call) == "upper" || (name(call) == "capitalize" && first) || (name(call) == "title" && first);
    c = upper ? llvm::toUpper(c) : llvm::toLower(c);
    first = name(call) == "title" && !llvm::isAlpha(c);
  }
  return Value(out);
}

Value strip(Elaborator &e, BoundCall &call) {
  llvm::StringRef set = call[0].isNone() ? llvm::StringRef(" \t\n\r\f\v") : text(e, call, 0, "characters"),
                  out = self(call);
  if (name(call) != "rstrip")
    out = out.ltrim(set);
  if (name(call) != "lstrip")
    out = out.rtrim(set);
  return Value(out.str());
}

/// `prefix` may be a tuple of them, as in Python.
Value startsOrEnds(Elaborator &e, BoundCall &call) {
  bool starts = name(call) == "startswith";
  auto *many = call[0].sequence();
  for (auto &one : many ? *many : Values{call[0]}) {
    auto *part = one.as<std::string>();
    if (!part)
      e.fail(diag::wrong_argument_type, call.ranges[0],
             {call.builtin->name, "a string or a tuple of them", starts ? "prefix" : "suffix", describe(one)});
    if (starts ? self(call).starts_with(*part) : self(call).ends_with(*part))
      return Value(true);
  }
  return Value(false);
}

Value removeAffix(Elaborator &e, BoundCall &call) {
  llvm::StringRef out = self(call);
  if (name(call) == "removeprefix")
    out.consume_front(text(e, call, 0, "prefix"));
  else
    out.consume_back(text(e, call, 0, "suffix"));
  return Value(out.str());
}

Value split(Elaborator &e, BoundCall &call) {
  int64_t most = call.given[1] ? requireInt(e, call[1], call.ranges[1], "`maxsplit`") : -1;
  bool fromRight = name(call) == "rsplit";
  llvm::StringRef rest = self(call), separator = call[0].isNone() ? llvm::StringRef() : text(e, call, 0, "separator");
  std::vector<llvm::StringRef> parts;
  if (call[0].isNone()) { // runs of white space, none of them at the ends
    constexpr llvm::StringLiteral white = " \t\n\r\f\v";
    rest = rest.trim(white);
    while (!rest.empty() && most != int64_t(parts.size())) {
      size_t at = fromRight ? rest.find_last_of(white) : rest.find_first_of(white);
      if (at == llvm::StringRef::npos)
        break;
      parts.push_back(fromRight ? rest.drop_front(at + 1) : rest.take_front(at));
      rest = fromRight ? rest.take_front(at).rtrim(white) : rest.drop_front(at).ltrim(white);
    }
    if (!rest.empty())
      parts.push_back(rest);
  } else {
    if (separator.empty())
      e.fail(call.ranges[0], diag::empty_value{.what = "the separator of `" + name(call).str() + "`"});
    while (most != int64_t(parts.size())) {
      size_t at = fromRight ? rest.rfind(separator) : rest.find(separator);
      if (at == llvm::StringRef::npos)
        break;
      parts.push_back(fromRight ? rest.drop_front(at + separator.size()) : rest.take_front(at));
      rest = fromRight ? rest.take_front(at) : rest.drop_front(at + separator.size());
    }
    parts.push_back(rest);
  }
  if (fromRight)
    std::reverse(parts.begin(), parts.end());
  return strings(parts);
}

Value splitLines(Elaborator &, BoundCall &call) {
  std::vector<llvm::StringRef> parts;
  for (llvm::StringRef rest = self(call); !rest.empty();) {
    auto [line, after] = rest.split('\n');
    parts.push_back(line.rtrim('\r'));
    rest = after;
  }
  return strings(parts);
}

Value partition(Elaborator &e, BoundCall &call) {
  llvm::StringRef separator = text(e, call, 0, "separator"), whole = self(call);
  if (separator.empty())
    e.fail(call.ranges[0], diag::empty_value{.what = "the separator of `partition`"});
  size_t at = whole.find(separator);
  if (at == llvm::StringRef::npos)
    return makeTuple({Value(whole.str()), Value(""), Value("")});
  return makeTuple({Value(whole.take_front(at).str()), Value(separator.str()),
                    Value(whole.drop_front(at + separator.size()).str())});
}

Value joinStrings(Elaborator &e, BoundCall &call) {
  std::string out;
  bool first = true;
  forEach(e, call[0], call.ranges[0], "`join`", [&](const Value &value) {
    auto *part = value.as<std::string>();
    if (!part)
      e.fail(call.ranges[0], diag::not_a_string{.what = "each element for `join`", .found = describe(value)});
    if (!first)
      out += self(call);
    out += *part;
    limit(e, call, out.size());
    first = false;
    return true;
  });
  return Value(out);
}

Value replace(Elaborator &e, BoundCall &call) {
  llvm::StringRef from = text(e, call, 0, "old"), to = text(e, call, 1, "new"), rest = self(call);
  int64_t most = call.given[2] ? requireInt(e, call[2], call.ranges[2], "`count`") : -1;
  std::string out;
  if (from.empty())
    e.fail(call.ranges[0], diag::empty_value{.what = diag::argument("old", "replace")});
  for (; most != 0; --most) {
    size_t at = rest.find(from);
    if (at == llvm::StringRef::npos)
      break;
    (out += rest.take_front(at)) += to;
    limit(e, call, out.size());
    rest = rest.drop_front(at + from.size());
  }
  return Value(out + rest.str());
}

Value find(Elaborator &e, BoundCall &call) {
  llvm::StringRef part = text(e, call, 0, "part");
  size_t at = name(call).starts_with("r") ? self(call).rfind(part) : self(call).find(part);
  if (at != llvm::StringRef::npos)
    return Value(int64_t(at));
  if (name(call).ends_with("index"))
    e.fail(diag::index_out_of_range, call.ranges[0], {toText(call[0], true), describe(*call.self)});
  return Value(int64_t(-1));
}

Value countParts(Elaborator &e, BoundCall &call) {
  llvm::StringRef part = text(e, call, 0, "part");
  return Value(int64_t(part.empty() ? self(call).size() + 1 : self(call).count(part)));
}

Value pad(Elaborator &e, BoundCall &call) {
  int64_t width = requireInt(e, call[0], call.ranges[0], "the width");
  llvm::StringRef fill = call.given.size() > 1 && call.given[1] ? text(e, call, 1, "fill")
                         : name(call) == "zfill"                ? "0"
                                                                : " ";
  if (fill.size() != 1)
    e.fail(call.ranges[1],
           diag::not_a_character{.what = diag::argument("fill", name(call)), .found = toText(call[1], true)});
  limit(e, call, size_t(std::max<int64_t>(width, 0)));
  int64_t missing = std::max<int64_t>(width - int64_t(self(call).size()), 0);
  if (name(call) == "zfill") { // after the sign
    llvm::StringRef digits = self(call);
    std::string sign = digits.starts_with("-") || digits.starts_with("+") ? digits.take_front(1).str() : "";
    return Value(sign + std::string(size_t(missing), '0') + digits.drop_front(sign.size()).str());
  }
  int64_t left = name(call) == "rjust" ? missing : name(call) == "center" ? missing / 2 : 0;
  return Value(std::string(size_t(left), fill[0]) + self(call).str() + std::string(size_t(missing - left), fill[0]));
}

Value classify(Elaborator &, BoundCall &call) {
  struct Row {
    const char *name;
    bool (*test)(char);
  };
  static const Row rows[] = {{"isdigit", [](char c) { return llvm::isDigit(c); }},
                             {"isalpha", [](char c) { return llvm::isAlpha(c); }},
                             {"isalnum", [](char c) { return llvm::isAlnum(c); }},
                             {"isspace", [](char c) { return llvm::isSpace(c); }}};
  auto row = llvm::find_if(rows, [&](auto &r) { return name(call) == r.name; });
  return Value(!self(call).empty() && llvm::all_of(self(call), row->test));
}

/// `"{} of {name:>4}".format(...)`.
Value format(Elaborator &e, BoundCall &call) {
  llvm::StringRef rest = self(call);
  std::string out;
  size_t next = 0;
  auto bad = [&](const std::string &what) { e.fail(diag::bad_fstring, call.range, {what}); };
  while (!rest.empty()) {
    size_t at = rest.find_first_of("{}");
    out += rest.take_front(at);
    if (at == llvm::StringRef::npos)
      break;
    char brace = rest[at];
    rest = rest.drop_front(at + 1);
    if (rest.consume_front(llvm::StringRef(&brace, 1))) {
      out += brace;
      continue;
    }
    if (brace == '}')
      bad("a single `}` in the format; write `}}` for the character");
    auto [field, after] = rest.split('}');
    if (field.size() == rest.size())
      bad("`{` is never closed in the format; write `{{` for the character");
    rest = after;
    size_t spec = field.find_first_of(":!");
    llvm::StringRef key = field.take_front(spec), how = spec == llvm::StringRef::npos ? "" : field.drop_front(spec);
    how.consume_front(":");
    const Value *value = nullptr;
    unsigned number;
    std::vector<const Argument *> positional;
    for (auto &argument : call.rest) {
      if (argument.keyword.empty())
        positional.push_back(&argument);
      else if (argument.keyword == key)
        value = &argument.value;
    }
    bool byPlace = key.empty() || !key.getAsInteger(10, number);
    size_t place = key.empty() ? next++ : byPlace ? number : 0;
    if (byPlace && place < positional.size())
      value = &positional[place]->value;
    if (!value)
      bad("the format has `{" + field.str() + "}`, and there is no argument for it");
    if (auto *m = value->as<MachineValue>())
      e.fail(diag::not_compile_time, call.range, {"an argument of `format`", m->type.text()});
    std::string error;
    auto shown = formatted(*value, how, error);
    if (!shown)
      bad(error);
    out += *shown;
    limit(e, call, out.size());
  }
  return Value(out);
}

const Builtin texts[] = {
    {"upper", "", "in upper case", changeCase},
    {"lower", "", "in lower case", changeCase},
    {"capitalize", "", "the first letter in upper case", changeCase},
    {"title", "", "each word's first letter in upper case", changeCase},
    {"strip", "characters=", "without white space, or the given characters, at both ends", strip},
    {"lstrip", "characters=", "without them at the beginning", strip},
    {"rstrip", "characters=", "without them at the end", strip},
    {"startswith", "prefix", "whether it starts with the prefix, or with one from a tuple", startsOrEnds},
    {"endswith", "suffix", "whether it ends with the suffix, or with one from a tuple", startsOrEnds},
    {"removeprefix", "prefix", "without this prefix", removeAffix},
    {"removesuffix", "suffix", "without this suffix", removeAffix},
    {"split", "separator=, maxsplit=", "the parts between separators, or between white space", split},
    {"rsplit", "separator=, maxsplit=", "the same, counted from the end", split},
    {"splitlines", "", "the lines", splitLines},
    {"partition", "separator", "(the part before the separator, the separator, the part after it)", partition},
    {"join", "values", "the strings with this one between them", joinStrings},
    {"replace", "old, new, count=", "with one part replaced by another", replace},
    {"find", "part", "the index where the part first occurs, or -1", find},
    {"rfind", "part", "the index where the part last occurs, or -1", find},
    {"index", "part", "the index where the part first occurs", find},
    {"rindex", "part", "the index where the part last occurs", find},
    {"count", "part", "how often the part occurs", countParts},
    {"zfill", "width", "padded with zeros before the digits", pad},
    {"ljust", "width, fill=", "padded at the end", pad},
    {"rjust", "width, fill=", "padded at the beginning", pad},
    {"center", "width, fill=", "padded at both ends", pad},
    {"isdigit", "", "whether all characters are digits", classify},
    {"isalpha", "", "whether all characters are letters", classify},
    {"isalnum", "", "whether all characters are letters or digits", classify},
    {"isspace", "", "whether all characters are white space", classify},
    {"format", "*values, **named", "the text with `{}` replaced by the values, as in an f-string", format},
};

Value bitLength(Elaborator &e, BoundCall &call) {
  if (!call.self->is<Int>())
    e.fail(diag::unknown_attribute, call.range, {describe(*call.self), "bit_length", ""});
  Int magnitude = *call.self->as<Int>() < Int(0) ? -*call.self->as<Int>() : *call.self->as<Int>();
  return Value(int64_t(magnitude == Int(0) ? 0 : integerText(magnitude, 2).size()));
}
Value bitCount(Elaborator &e, BoundCall &call) {
  if (!call.self->is<Int>())
    e.fail(diag::unknown_attribute, call.range, {describe(*call.self), "bit_count", ""});
  return Value(int64_t(llvm::count(integerText(*call.self->as<Int>(), 2), '1')));
}
Value isInteger(Elaborator &, BoundCall &call) {
  return Value(call.self->is<Int>() || exactInteger(*call.self->as<double>()).has_value());
}

const Builtin numbers[] = {
    {"bit_length", "", "how many bits the magnitude needs", bitLength},
    {"bit_count", "", "how many of the magnitude's bits are 1", bitCount},
    {"is_integer", "", "whether it has no fraction", isInteger},
};

} // namespace

llvm::ArrayRef<Builtin> textMethods() { return texts; }
llvm::ArrayRef<Builtin> numberMethods() { return numbers; }

} // namespace fly::sema
