// See CommandPage.h. Options that several commands share are described once, where their rows say so (`describedAt`);
// other commands have a line that names them.
#include "compiler/commands/CommandPage.h"

#include "compiler/commands/Command.h"

#include <map>

namespace fly::driver {

namespace {

/// In a cell of a table.
std::string cellText(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

/// "`-o`, `--output DIR`"
std::string spellingsOf(const OptionRow &option, bool withValue) {
  if (!option.shownName.empty())
    return "`" + option.shownName + (withValue && !option.isFlag() ? " " + cellText(option.valueName) : "") + "`";
  std::string out;
  for (auto &spelling : option.spellings)
    out += (out.empty() ? "`" : "`, `") + spelling;
  if (withValue && option.aloneValue)
    return out + "`, `" + option.name() + "=...`";
  if (withValue && !option.isFlag())
    out += " " + cellText(option.valueName.empty() ? "VALUE" : option.valueName);
  return out + "`";
}

/// The help in one line. A line of it that is indented names something, and says what that is after spaces.
std::string meaningOf(const OptionRow &option) {
  std::string out;
  std::string text = option.help;
  if (!option.shownName.empty() && text.starts_with(option.shownName + ": "))
    text.erase(0, option.shownName.size() + 2);
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const size_t gap = line.starts_with("  ") ? line.find("  ", 2) : std::string::npos;
    if (gap != std::string::npos)
      out += "<br>`" + line.substr(2, gap - 2) + "` " + line.substr(line.find_first_not_of(' ', gap));
    else if (line.starts_with("  "))
      out += "<br>`" + line.substr(2) + "`";
    else
      out += (out.empty() ? "" : "<br>") + line;
    begin = end + 1;
  }
  std::string more;
  if (option.showsDefault && !option.defaults.empty())
    more = "the default is `" + option.defaults.front() + "`";
  if (!option.pageText.empty())
    more += (more.empty() ? "" : "; ") + option.pageText;
  if (!more.empty())
    out += "; " + more;
  return cellText(out);
}

std::string tableOf(Command &command) {
  OptionTable table;
  command.declare(table);
  std::string own, shared;
  std::map<std::string, std::string> elsewhere; // names, by the command that describes them
  for (auto &option : table.rows) {
    if (option.isHidden || option.isPositional() || option.describedAt == "messages")
      continue;
    if (option.describedAt.empty() || option.describedAt == command.name)
      own += "| " + spellingsOf(option, true) + " | " + meaningOf(option) + " |\n";
    else {
      auto &names = elsewhere[option.describedAt];
      names += (names.empty() ? "" : ", ") + spellingsOf(option, false);
    }
  }
  for (auto &[at, names] : elsewhere)
    shared += "| " + names + " | as for `flyc " + at + "` |\n";
  return own.empty() && shared.empty() ? "" : "| option | meaning |\n|---|---|\n" + own + shared;
}

std::string messagesTable(Command &command) {
  OptionTable table;
  command.declare(table);
  std::string out = "| option | meaning |\n|---|---|\n";
  for (auto &option : table.rows)
    if (option.describedAt == "messages")
      out += "| " + spellingsOf(option, true) + " | " + meaningOf(option) + " |\n";
  return out;
}

} // namespace

std::string commandLinePage() {
  const CommandList commands = allCommands();
  std::string out = "# Options of all commands\n\n" + messagesTable(*commands.front());
  for (auto &command : commands)
    if (const std::string table = command->isHidden ? "" : tableOf(*command); !table.empty())
      out += "\n## flyc " + command->name + "\n\n" + table;
  return out;
}

} // namespace fly::driver
