// The options of a command, each declared once.
//
//     table.add("--kernel", kernel, "Run only this kernel").type("NAME").notEmpty();
//
// A row says how an option is spelt, where its value goes, and what it means. From the rows come the parser and `--help`
// (CommandLine.cpp), completion and the manual page (Shell.cpp), the tables of docs/command-line.md (CommandPage.cpp),
// and the command lines of child processes (`toArguments`): an option that is declared reaches the children, and one
// that they must not have is marked with `own`.
//
// Nothing of CLI11 is in this header, which every command includes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fly::driver {

class OptionRow {
public:
  /// Where the value goes. A bool is a flag: given, it has the opposite of its default.
  using Place = std::variant<bool *, std::string *, unsigned *, int64_t *, uint64_t *, double *,
                             std::vector<std::string> *, std::vector<unsigned> *, std::vector<int64_t> *>;
  /// What is wrong with a value; empty: nothing.
  using Check = std::function<std::string(const std::string &value)>;

  OptionRow(std::string names, Place place, std::string help);

  // What `--help` shows of the value. Without: TEXT, UINT, INT or FLOAT.
  OptionRow &type(std::string text) { return set(valueName, std::move(text)); }
  OptionRow &showDefault() { return set(showsDefault, true); }
  /// Only on the page, after the help: Markdown.
  OptionRow &more(std::string text) { return set(pageText, std::move(text)); }

  /// Only on the page: the command in whose table it is described, of an option that several have.
  OptionRow &describedIn(std::string command) { return set(describedAt, std::move(command)); }
  /// Only on the page: as it is written, where that is not how it is parsed.
  OptionRow &shownAs(std::string spelling) { return set(shownName, std::move(spelling)); }

  // What it accepts.
  OptionRow &required() { return set(isRequired, true); }
  OptionRow &choices(std::vector<std::string> words) { return set(choiceList, std::move(words)); }
  OptionRow &range(int64_t least, int64_t most) { return set(limits, std::optional(std::pair(least, most))); }
  OptionRow &check(Check problem) { return checks.push_back(std::move(problem)), *this; }
  /// An empty value usually comes from a variable that a script did not set, and must not silently disable the option.
  OptionRow &notEmpty();
  /// Without `=VALUE` its value is this: `--profile`, `--profile=json`.
  OptionRow &orAlone(std::string value) { return set(aloneValue, std::optional(std::move(value))); }

  // Of lists. Otherwise each occurrence gives one element.
  OptionRow &separatedBy(char mark) { return set(separator, mark); }
  /// One occurrence takes all words that follow: `--join a b c`.
  OptionRow &takesMoreWords() { return set(isGreedy, true); }
  /// Occurrences of a single value are joined by commas.
  OptionRow &joined() { return set(isJoined, true); }

  // Of other options, by name. These may be declared later.
  OptionRow &needs(std::string name) { return needed.push_back(std::move(name)), *this; }
  OptionRow &excludes(std::string name) { return excluded.push_back(std::move(name)), *this; }

  /// Of this process alone: child processes do not get it.
  OptionRow &own() { return set(isOwn, true); }
  /// Child processes are told even the default, for those who read their command lines.
  OptionRow &spelled() { return set(isSpelled, true); }
  /// `--help`, pages and shells do not show it: flyc itself gives it to its children.
  OptionRow &hidden() { return set(isHidden, true); }

  bool isPositional() const { return spellings.front()[0] != '-'; }
  bool isFlag() const { return std::holds_alternative<bool *>(place); }
  bool isList() const { return place.index() >= 6; }
  /// The long spelling, if there is one.
  const std::string &name() const;
  bool isDefault() const { return texts() == defaults; }
  /// The present value as words, one an element. Of a flag: "true" or "false".
  std::vector<std::string> texts() const;
  /// As words of a command line that give the present value; none if it is the default.
  std::vector<std::string> toArguments() const;

  std::vector<std::string> spellings; ///< "-o", "--output", short ones first; of an argument without an option "file"
  Place place;
  std::string help, valueName, pageText, describedAt, shownName;
  std::vector<std::string> defaults; ///< texts() when it was declared
  bool showsDefault = false, isRequired = false, isGreedy = false, isJoined = false, isOwn = false, isSpelled = false,
       isHidden = false;
  char separator = 0;
  std::optional<std::string> aloneValue;
  std::vector<std::string> choiceList;
  std::optional<std::pair<int64_t, int64_t>> limits;
  std::vector<Check> checks;
  std::vector<std::string> needed, excluded;

private:
  template <typename T> OptionRow &set(T &property, T value) { return property = std::move(value), *this; }
};

class OptionTable {
public:
  /// `names`: "-o,--output"; without a dash it is an argument. The place must outlive the table, and has the default.
  OptionRow &add(const std::string &names, OptionRow::Place place, std::string help) {
    return rows.emplace_back(names, place, std::move(help));
  }
  template <typename T> OptionRow &add(const std::string &names, T &value, std::string help) {
    return add(names, OptionRow::Place(&value), std::move(help));
  }
  /// The row of an option that was declared; it must exist.
  OptionRow &at(std::string_view name);
  const OptionRow *find(std::string_view name) const;

  /// The words of a command line that give the present values, arguments first; without those that children do not get.
  std::vector<std::string> toArguments() const { return toArguments(false); }
  /// With them, for tests.
  std::vector<std::string> toArguments(bool withOwn) const;

  std::deque<OptionRow> rows; ///< whose addresses stay
};

/// The words of a command line that make a process of `given`, with what `change` changes of a copy. The defaults are
/// those of a new command.
template <typename Command, typename Change>
std::vector<std::string> argumentsLike(const Command &given, const Change &change) {
  Command copy;
  OptionTable table;
  copy.declare(table);
  copy = given;
  change(copy);
  return table.toArguments();
}

} // namespace fly::driver
