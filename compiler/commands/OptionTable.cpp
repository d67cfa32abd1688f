// See OptionTable.h.
#include "compiler/commands/OptionTable.h"

#include <algorithm>
#include <charconv>

namespace fly::driver {

namespace {

std::string textOf(const std::string &value) { return value; }
std::string textOf(bool value) { return value ? "true" : "false"; }
std::string textOf(double value) {
  char text[32]; // shortest that reads back to the same
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}
template <typename Number> std::string textOf(Number value) { return std::to_string(value); }

template <typename Value> std::vector<std::string> textsOf(const Value &value) { return {textOf(value)}; }
template <typename Value> std::vector<std::string> textsOf(const std::vector<Value> &values) {
  std::vector<std::string> out;
  for (auto &value : values)
    out.push_back(textOf(value));
  return out;
}

std::vector<std::string> split(const std::string &text, char mark) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(mark, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

} // namespace

OptionRow::OptionRow(std::string names, Place given, std::string text)
    : spellings(split(names, ',')), place(given), help(std::move(text)), defaults(texts()) {
  std::ranges::stable_partition(spellings, [](auto &spelling) { return !spelling.starts_with("--"); });
}

OptionRow &OptionRow::notEmpty() {
  return check([](const std::string &value) { return value.empty() ? std::string("its value is empty") : ""; });
}

const std::string &OptionRow::name() const {
  for (auto &spelling : spellings)
    if (spelling.starts_with("--"))
      return spelling;
  return spellings.front();
}

std::vector<std::string> OptionRow::texts() const {
  return std::visit([](auto *value) { return textsOf(*value); }, place);
}

std::vector<std::string> OptionRow::toArguments() const {
  std::vector<std::string> values = texts(), out;
  if (values == defaults && !isSpelled)
    return {};
  if (isPositional())
    return values;
  if (isFlag())
    return {name()};
  if (aloneValue)
    return {name() + "=" + values.front()};
  if (separator) {
    std::string all;
    for (auto &value : values)
      all += (&value == &values.front() ? "" : std::string(1, separator)) + value;
    values = {all};
  }
  for (auto &value : values) {
    if (!value.empty() && value[0] != '-')
      out.insert(out.end(), {name(), value});
    else // a word of its own would be taken for an option
      out.push_back(name() + (name().starts_with("--") ? "=" : "") + value);
  }
  return out;
}

OptionRow &OptionTable::at(std::string_view name) { return const_cast<OptionRow &>(*find(name)); }

const OptionRow *OptionTable::find(std::string_view name) const {
  for (auto &row : rows)
    for (auto &spelling : row.spellings)
      if (spelling == name)
        return &row;
  return nullptr;
}

std::vector<std::string> OptionTable::toArguments(bool withOwn) const {
  std::vector<std::string> out;
  for (const bool positional : {true, false})
    for (auto &row : rows)
      if (row.isPositional() == positional && (withOwn || !row.isOwn)) {
        const std::vector<std::string> words = row.toArguments();
        out.insert(out.end(), words.begin(), words.end());
      }
  return out;
}

} // namespace fly::driver
