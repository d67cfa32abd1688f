// The options of every command: set, printed back as a command line, parsed, and the same again. So an option that a
// child process needs cannot be lost on the way, unless its row says `own`, and those rows are listed here.
#include "compiler/commands/Command.h"
#include "compiler/commands/CommandLine.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace fly::driver {
namespace {

std::string problemOf(const OptionRow &row, const std::string &value) {
  for (auto &check : row.checks)
    if (std::string problem = check(value); !problem.empty())
      return problem;
  return "";
}

/// A value that the row takes, and that is not the default.
std::string otherValue(const OptionRow &row) {
  std::vector<std::string> values = row.choiceList;
  if (row.limits)
    values = {std::to_string(row.limits->first), std::to_string(row.limits->first + 1)};
  else if (values.empty())
    values = {"7", "a=b", "races", "no-verify", "fly-divisions", "cse"}; // what validators want
  for (auto &value : values)
    if (row.defaults != std::vector{value} && problemOf(row, value).empty())
      return value;
  ADD_FAILURE() << row.name() << ": no value fits; add one to the list";
  return "";
}

struct Assign {
  const OptionRow &row;
  void operator()(bool *value) const { *value = !*value; }
  void operator()(std::string *value) const { *value = otherValue(row); }
  template <typename Number> void operator()(Number *value) const { *value = Number(std::stod(otherValue(row))); }
  void operator()(std::vector<std::string> *value) const { *value = {otherValue(row), otherValue(row)}; }
  template <typename Number> void operator()(std::vector<Number> *value) const {
    *value = {Number(std::stod(otherValue(row)))};
  }
};

void setOther(const OptionRow &row) { std::visit(Assign{row}, row.place); }

/// Sets the row, and what it needs.
void setWithNeeds(OptionTable &table, OptionRow &row) {
  setOther(row);
  for (auto &name : row.needed)
    if (OptionRow &other = table.at(name); other.isDefault())
      setWithNeeds(table, other);
}

std::map<std::string, std::vector<std::string>> valuesOf(const OptionTable &table) {
  std::map<std::string, std::vector<std::string>> out;
  for (auto &row : table.rows)
    out[row.name()] = row.texts();
  return out;
}

/// `command` with the row at `number` set, as words, parsed into `fresh`: both must have the same values.
void roundTrip(Command &command, Command &fresh, size_t number) {
  OptionTable given, parsed;
  command.declare(given);
  fresh.declare(parsed);
  SCOPED_TRACE("flyc " + command.name + ": " + given.rows[number].name());
  setWithNeeds(given, given.rows[number]);
  for (auto &row : given.rows)
    if (row.isRequired && row.isDefault())
      setOther(row);
  const std::vector<std::string> words = given.toArguments(/*withOwn=*/true);
  EXPECT_FALSE(given.rows[number].toArguments().empty());
  EXPECT_EQ(parseOptions(parsed, words), "");
  EXPECT_EQ(valuesOf(parsed), valuesOf(given));
}

TEST(CommandOptions, EveryOptionComesBack) {
  const CommandList counted = allCommands();
  for (size_t i = 0; i < counted.size(); ++i) {
    OptionTable table;
    counted[i]->declare(table);
    for (size_t number = 0; number < table.rows.size(); ++number) {
      const CommandList given = allCommands(), fresh = allCommands();
      roundTrip(*given[i], *fresh[i], number);
    }
  }
}

/// Commands that start processes of themselves, and what these do not get.
TEST(CommandOptions, OwnOptionsAreKnown) {
  const std::map<std::string, std::set<std::string>> expected = {
      {"test", {"--error-format", "--color", "--jobs", "--timeout", "--junit", "--json"}},
      {"bench",
       {"--error-format", "--color", "--jobs", "--timeout", "--junit", "--json", "--listing", "--hot", "--time-page"}},
      {"tune",
       {"--error-format", "--color", "--timeout", "--journal", "--print-jobs", "--join", "--rows", "--json",
        "--dry-run", "--quiet"}},
      {"sweep",
       {"--error-format", "--color", "--timeout", "--journal", "--print-jobs", "--join", "--rows", "--json", "--by",
        "--top", "--pin", "--quiet"}}};
  for (auto &command : allCommands()) {
    auto found = expected.find(command->name);
    if (found == expected.end())
      continue;
    OptionTable table;
    command->declare(table);
    std::set<std::string> own;
    for (auto &row : table.rows)
      if (row.isOwn)
        own.insert(row.name());
    EXPECT_EQ(own, found->second) << command->name;
  }
}

TEST(CommandOptions, NamesAreUnique) {
  std::set<std::string> commands;
  for (auto &command : allCommands()) {
    EXPECT_TRUE(commands.insert(command->name).second) << command->name;
    std::set<std::string> names;
    OptionTable table;
    command->declare(table);
    for (auto &row : table.rows)
      for (auto &spelling : row.spellings)
        EXPECT_TRUE(names.insert(spelling).second) << command->name << " " << spelling;
  }
}

TEST(CommandOptions, RelationsNameOptionsThatExist) {
  for (auto &command : allCommands()) {
    OptionTable table;
    command->declare(table);
    for (auto &row : table.rows)
      for (auto *names : {&row.needed, &row.excluded})
        for (auto &name : *names)
          EXPECT_NE(table.find(name), nullptr) << command->name << " " << row.name() << " " << name;
  }
}

} // namespace
} // namespace fly::driver
