// See CommandLine.h. CLI11 parses and prints help; no other file includes it, since that takes longer than most of ours.
//
// Elaboration recurses as deep as the program is nested, so a command runs on a thread with a large stack. If CLI11
// rejects the command line, the error is reported as a diagnostic (FLY0936) in the form that --error-format and --color
// select. The command line could not be parsed then, so `messagesOf` searches it for these two options.
#include "compiler/commands/CommandLine.h"

#include "compiler/commands/Command.h"
#include "compiler/compilation/CommandErrors.h"
#include "compiler/commands/Licenses.h"
#include "compiler/commands/Version.h"
#include "compiler/compilation/Session.h"
#include "compiler/diagnostics/Sarif.h"
#include "compiler/compilation/ObjectCache.h"

#include <CLI/CLI.hpp>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"

#include <functional>
#include <optional>
#include <tuple>

namespace fly::driver {

const char *const programDescription =
    "flyc compiles GPU kernels written in .fly to AMD machine code ahead of time, and runs them without a GPU.\n\n"
    "  flyc build vec_add.fly --arch gfx942 -o out     write machine code, metadata and a C header\n"
    "  flyc test vec_add.fly                           run the file's @check functions on the emulator\n"
    "  flyc run vec_add.fly --kernel add_f32 ...       run one kernel with arguments from .npy files\n"
    "  flyc fmt vec_add.fly                            format the file\n";

namespace {

int onLargeStack(const std::function<int()> &work) {
  int status = 0;
  llvm::thread worker(std::optional<unsigned>(512u << 20), [&] { status = work(); });
  worker.join();
  return status;
}

/// As CLI11 spells an option: a flag that turns something off begins with `!`, the value of one that may have a value
/// stands in braces.
std::string spellingOf(const OptionRow &row) {
  std::string out;
  for (auto &spelling : row.spellings) {
    const bool turnsOff = row.isFlag() && row.defaults.front() == "true";
    out += (out.empty() ? "" : ",") + (turnsOff ? "!" + spelling : spelling) +
           (row.aloneValue ? "{" + *row.aloneValue + "}" : "");
  }
  return out;
}

CLI::Option *declareOne(CLI::App &app, const OptionRow &row) {
  const std::string names = spellingOf(row);
  auto add = [&](auto *value) -> CLI::Option * {
    if constexpr (std::is_same_v<decltype(value), bool *>)
      return app.add_flag(names, *value, row.help);
    if constexpr (std::is_same_v<decltype(value), std::string *>)
      if (row.aloneValue)
        return app.add_flag(names, *value, row.help);
    return app.add_option(names, *value, row.help);
  };
  return std::visit(add, row.place);
}

void limit(CLI::Option &option, const OptionRow &row) {
  const auto [least, most] = *row.limits;
  if (std::holds_alternative<int64_t *>(row.place) || std::holds_alternative<std::vector<int64_t> *>(row.place))
    option.check(CLI::Range(least, most));
  else
    option.check(CLI::Range(unsigned(least), unsigned(most)));
}

/// What the row says beyond names, place and help.
void describe(CLI::Option &option, const OptionRow &row) {
  if (row.isRequired)
    option.required();
  if (row.isList() && row.separator)
    option.delimiter(row.separator);
  if (row.isList() && !row.isPositional() && !row.isGreedy)
    option.allow_extra_args(false);
  if (row.isJoined)
    option.join(',');
  for (auto &check : row.checks)
    option.check(CLI::Validator([check](std::string &value) { return check(value); }, ""));
  if (!row.choiceList.empty())
    option.check(CLI::IsMember(row.choiceList));
  if (row.limits)
    limit(option, row);
  if (!row.valueName.empty())
    option.type_name(row.valueName);
  if (row.showsDefault)
    option.capture_default_str();
  if (row.isHidden)
    option.group("");
}

void declareTo(CLI::App &app, const OptionTable &table) {
  std::vector<std::pair<CLI::Option *, const OptionRow *>> declared;
  for (auto &row : table.rows) {
    declared.push_back({declareOne(app, row), &row});
    describe(*declared.back().first, row);
  }
  for (auto [option, row] : declared) {
    for (auto &other : row->needed)
      option->needs(app.get_option(other));
    for (auto &other : row->excluded)
      option->excludes(app.get_option(other));
  }
}

/// The values of --error-format and --color on a command line that CLI11 cannot parse.
Options messagesOf(const std::vector<std::string> &arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i)
    for (auto [name, value, values] :
         {std::tuple{"--error-format", &options.errorFormat, std::vector{"text", "json", "sarif"}},
          std::tuple{"--color", &options.color, std::vector{"auto", "always", "never"}}}) {
      llvm::StringRef rest = arguments[i];
      if (!rest.consume_front(name))
        continue;
      std::string given = rest.consume_front("=")                    ? rest.str()
                          : rest.empty() && i + 1 < arguments.size() ? arguments[i + 1]
                                                                     : "";
      if (llvm::is_contained(values, given))
        *value = given;
    }
  return options;
}

/// An error of CLI11 in our words.
std::string messageOf(const CLI::App &app, const CLI::App &command, const std::string &name,
                      const CLI::ParseError &error) {
  if (dynamic_cast<const CLI::ExtrasError *>(&error)) {
    std::vector<std::string> extras = command.remaining();
    if (extras.empty())
      extras = app.remaining();
    const std::string first = extras.empty() ? "" : extras.front();
    if (!llvm::StringRef(first).starts_with("-"))
      return "`" + first + "` is one argument too many";
    std::vector<std::string> known;
    for (const CLI::Option *option : command.get_options())
      for (const std::string &word : option->get_lnames())
        known.push_back("--" + word);
    const std::string guess = closestOf(llvm::StringRef(first).split('=').first.str(), known);
    return "`" + name + "` has no option `" + first + "`" + (guess.empty() ? "" : "; did you mean `" + guess + "`?");
  }
  if (dynamic_cast<const CLI::RequiredError *>(&error) && &command == &app)
    return "a command is missing";
  std::string message = error.what();
  if (message.empty())
    return message;
  message[0] = llvm::toLower(message[0]);
  while (!message.empty() && (message.back() == '.' || message.back() == '\n'))
    message.pop_back();
  return message;
}

/// Reports the error of CLI11 as a diagnostic.
int refuse(const Options &options, const CLI::App &app, const CLI::ParseError &error) {
  const auto commands = app.get_subcommands();
  const CLI::App &command = commands.empty() ? app : *commands.front();
  const std::string name = commands.empty() ? "flyc" : "flyc " + command.get_name();
  return badCommandLine(options, messageOf(app, command, name, error), "`" + name + " --help` shows what it takes");
}

/// `flyc help build` as `flyc build --help`.
void spellHelp(std::vector<std::string> &arguments) {
  if (arguments.empty() || arguments[0] != "help")
    return;
  arguments.erase(arguments.begin());
  if (arguments.empty() || arguments.front()[0] != '-')
    arguments.insert(arguments.begin() + (arguments.empty() ? 0 : 1), "--help");
}

int unknownCommand(const std::vector<std::string> &arguments, const CommandList &commands) {
  std::vector<std::string> names;
  for (auto &command : commands)
    names.push_back(command->name);
  const std::string guess = closestOf(arguments[0], names);
  return badCommandLine(messagesOf(arguments),
                        "`" + arguments[0] + "` is not a command" +
                            (guess.empty() ? "" : "; did you mean `" + guess + "`?"),
                        "`flyc --help` lists the commands");
}

int runOne(Command &command) {
  if (command.usesCache && command.options.cache)
    if (const std::string problem = cacheSizeProblem(); !problem.empty())
      return badCommandLine(command.options, problem, "bytes, or a number followed by k, m or g: `500m`, `2g`");
  return command.needsLargeStack ? onLargeStack([&] { return command.run(); }) : command.run();
}

int parseAndRun(std::vector<std::string> arguments) {
  const CommandList commands = allCommands();
  spellHelp(arguments);
  if (!arguments.empty() && arguments[0][0] != '-') {
    auto named = llvm::find_if(commands, [&](auto &command) { return command->name == arguments[0]; });
    if (named == commands.end())
      return unknownCommand(arguments, commands);
    (*named)->prepare(arguments);
  }
  CLI::App app{programDescription, "flyc"};
  // Declared before --version, which also ends the parse: CLI11 calls flags in this order, so `--version --licenses`
  // prints both in either order.
  bool asJson = false;
  CLI::Option *json = app.add_flag("--json", asJson, "With --version: print it as JSON, with the versions of formats");
  app.add_flag_callback(
      "--licenses", [] { throw CLI::CallForVersion(programVersion + ("\n\n" + licenses()), 0); },
      "Print the version, the licence, and the notices of third parties whose code is part of flyc");
  json->needs(app.set_version_flag("--version", [&] { return asJson ? versionAsJson() : programVersion; }));
  app.require_subcommand(1);
  std::vector<CLI::App *> declared;
  for (auto &command : commands) {
    declared.push_back(app.add_subcommand(command->name, command->summary));
    if (command->isHidden)
      declared.back()->group("");
    OptionTable table;
    command->declare(table);
    declareTo(*declared.back(), table);
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend())); // CLI11 takes them from the end
  } catch (const CLI::CallForVersion &asked) {                                 // --version and --licenses
    llvm::outs() << asked.what() << '\n';
    return 0;
  } catch (const CLI::Success &done) {
    return app.exit(done); // --help
  } catch (const CLI::ParseError &error) {
    return refuse(messagesOf(arguments), app, error);
  }
  for (auto [command, its] : llvm::zip(commands, declared))
    if (*its)
      return runOne(*command);
  return 2;
}

} // namespace

int runCommandLine(std::vector<std::string> arguments) {
  const int status = parseAndRun(arguments);
  if (messagesOf(arguments).errorFormat == "sarif")
    sarifLog().write(llvm::errs(), versionNumber, status);
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return status;
  const std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error(); // else LLVM ends the program with a text of its own
  return cannotWriteOutput(messagesOf(arguments), reason);
}

std::string parseOptions(OptionTable &table, std::vector<std::string> arguments) {
  CLI::App app;
  declareTo(app, table);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Error &error) {
    return std::string(error.what()) + (error.get_name().empty() ? "" : " (" + error.get_name() + ")");
  }
  return "";
}

} // namespace fly::driver
