// See Shell.h. The options of a command become rows, and each form writes these.
#include "compiler/commands/Shell.h"

#include "compiler/commands/Command.h"
#include "compiler/commands/CommandLine.h"
#include "compiler/diagnostics/Diagnostics.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fly::driver {

namespace {

struct ShellOption {
  std::vector<std::string> names;              ///< "-j", "--jobs"; of an argument without an option "file"
  std::string value;                           ///< "N"; empty: it takes none, as a word of its own
  std::vector<std::string> choices;            ///< of the value
  std::string text;                            ///< what it does
  bool isRequired = false, isRepeated = false; ///< of an argument without an option
};

struct CommandRow {
  std::string name, text;
  std::vector<ShellOption> options, arguments;
};

/// The words that an option takes; of the types ARCH, CODE and COMMAND those that there are.
std::vector<std::string> choicesOf(const OptionRow &option, const std::vector<std::string> &commands) {
  const llvm::StringRef type = option.valueName;
  std::vector<std::string> out = option.choiceList;
  if (type.starts_with("ARCH"))
    for (auto &target : target::all())
      out.push_back(std::string(target.name));
  else if (type == "CODE")
    for (unsigned kind = 0; kind < diag::count; ++kind) {
      out.push_back(info(diag::Kind(kind)).code);
      out.push_back(info(diag::Kind(kind)).name);
    }
  else if (type == "COMMAND")
    out = commands;
  return out;
}

ShellOption shellOptionOf(const OptionRow &option, const std::vector<std::string> &commands) {
  ShellOption one{option.spellings, "", {}, option.help};
  if (!option.isFlag() && !option.aloneValue) { // --profile=json is one word
    one.value = option.valueName.empty() ? "VALUE" : option.valueName;
    one.choices = choicesOf(option, commands);
  }
  one.isRequired = option.isRequired;
  one.isRepeated = option.isList();
  return one;
}

CommandRow rowOf(Command &command, const std::vector<std::string> &commands) {
  CommandRow row{command.name, command.summary, {{{"-h", "--help"}, "", {}, "Print this help message and exit"}}, {}};
  OptionTable table;
  command.declare(table);
  for (const OptionRow &option : table.rows)
    if (!option.isHidden)
      (option.isPositional() ? row.arguments : row.options).push_back(shellOptionOf(option, commands));
  return row;
}

std::vector<CommandRow> shownCommands() {
  const CommandList all = allCommands();
  std::vector<std::string> names;
  for (auto &command : all)
    if (!command->isHidden)
      names.push_back(command->name);
  std::vector<CommandRow> rows;
  for (auto &command : all)
    if (!command->isHidden)
      rows.push_back(rowOf(*command, names));
  return rows;
}

std::string namesOf(const std::vector<CommandRow> &commands) {
  return llvm::join(llvm::map_range(commands, [](auto &command) { return command.name; }), " ");
}

llvm::StringRef firstLine(const std::string &text) { return llvm::StringRef(text).split('\n').first; }

/// In single quotes, for any of the shells.
std::string inQuotes(llvm::StringRef text) {
  std::string out = "'";
  for (char c : text)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// "-j|--jobs" under a command, as a pattern of `case`.
std::string patternOf(const CommandRow &command, const ShellOption &option) {
  return llvm::join(llvm::map_range(option.names, [&](auto &name) { return "\"" + command.name + " " + name + "\""; }),
                    "|");
}

bool isFile(const ShellOption &argument) { return argument.names.front() == "file"; }

/// What stands for the command's arguments without an option: "_flyc_files", or their choices. Nothing is completed if
/// there are none, or if they are neither.
std::string bashArguments(const CommandRow &command) {
  for (auto &argument : command.arguments)
    if (isFile(argument))
      return "_flyc_files";
    else if (!argument.choices.empty())
      return "_flyc_words " + inQuotes(llvm::join(argument.choices, " "));
  return ":";
}

std::string bash(const std::vector<CommandRow> &commands) {
  std::string values, words, arguments;
  for (auto &command : commands) {
    std::vector<std::string> all;
    for (auto &option : command.options) {
      llvm::append_range(all, option.names);
      if (!option.choices.empty())
        values += "    " + patternOf(command, option) + ") _flyc_words " + inQuotes(llvm::join(option.choices, " ")) +
                  "; return ;;\n";
      else if (!option.value.empty())
        values += "    " + patternOf(command, option) + ") _flyc_files; return ;;\n";
    }
    words += "    " + command.name + ") options=" + inQuotes(llvm::join(all, " ")) + " ;;\n";
    arguments += "    " + command.name + ") " + bashArguments(command) + " ;;\n";
  }
  return "# Completion of flyc for bash, made by `flyc completion bash`.\n"
         "_flyc_words() { COMPREPLY=($(compgen -W \"$1\" -- \"${cur##*,}\")); }\n"
         "_flyc_files() { local IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$cur\")); }\n"
         "_flyc() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options=\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    _flyc_words " +
         inQuotes(namesOf(commands) + " --help --version") +
         "\n    return\n  fi\n"
         "  # --color=al is three words: bash splits at the sign.\n"
         "  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "  case \"$command $prev\" in\n" +
         values +
         "  esac\n"
         "  case $command in\n" +
         words +
         "  esac\n"
         "  if [[ $cur == -* ]]; then _flyc_words \"$options\"; return; fi\n"
         "  case $command in\n" +
         arguments +
         "  esac\n"
         "}\n"
         "complete -o filenames -F _flyc flyc\n";
}

/// A text inside of [...] of zsh's _arguments.
std::string bracketed(llvm::StringRef text) {
  std::string out;
  for (char c : text) {
    if (llvm::StringRef("[]:\\").contains(c))
      out += '\\';
    out += c;
  }
  return "[" + out + "]";
}

std::string zsh(const std::vector<CommandRow> &commands) {
  std::string out = "#compdef flyc\n# Completion of flyc for zsh, made by `flyc completion zsh`.\n_flyc() {\n"
                    "  local -a commands\n  commands=(\n";
  for (auto &command : commands)
    out += "    " + inQuotes(command.name + ":" + firstLine(command.text).str()) + "\n";
  out += "  )\n  if ((CURRENT == 2)); then _describe command commands; return; fi\n"
         "  local command=$words[2]\n  shift words; ((CURRENT--))\n  case $command in\n";
  for (auto &command : commands) {
    out += "    " + command.name + ") _arguments -s";
    for (auto &option : command.options)
      for (auto &name : option.names) {
        std::string spec = "*" + name;
        if (!option.value.empty())
          spec += llvm::StringRef(name).starts_with("--") ? "=" : "+";
        spec += bracketed(firstLine(option.text));
        if (!option.value.empty())
          spec += ":" + option.value + ":" +
                  (option.choices.empty() ? "_files" : "(" + llvm::join(option.choices, " ") + ")");
        out += " \\\n      " + inQuotes(spec);
      }
    for (auto &argument : command.arguments)
      out += " \\\n      " + inQuotes((argument.isRepeated   ? "*:"
                                       : argument.isRequired ? ":"
                                                             : "::") +
                                      argument.names.front() + ":" +
                                      (isFile(argument)           ? "_files"
                                       : argument.choices.empty() ? " "
                                                                  : "(" + llvm::join(argument.choices, " ") + ")"));
    out += " ;;\n";
  }
  return out + "  esac\n}\n_flyc \"$@\"\n";
}

std::string fish(const std::vector<CommandRow> &commands) {
  std::string out =
      "# Completion of flyc for fish, made by `flyc completion fish`.\ncomplete -c flyc -n __fish_use_subcommand -f\n";
  for (auto &command : commands)
    out += "complete -c flyc -n __fish_use_subcommand -a " + command.name + " -d " + inQuotes(firstLine(command.text)) +
           "\n";
  for (auto &command : commands) {
    const std::string under = "complete -c flyc -n '__fish_seen_subcommand_from " + command.name + "'";
    if (llvm::none_of(command.arguments, isFile))
      out += under + " -f\n";
    for (auto &argument : command.arguments)
      if (!argument.choices.empty())
        out += under + " -a " + inQuotes(llvm::join(argument.choices, " ")) + "\n";
    for (auto &option : command.options) {
      out += under;
      for (llvm::StringRef name : option.names)
        out += name.starts_with("--") ? " -l " + name.drop_front(2).str() : " -s " + name.drop_front(1).str();
      if (!option.choices.empty())
        out += " -x -a " + inQuotes(llvm::join(option.choices, " "));
      else if (!option.value.empty())
        out += " -r";
      out += " -d " + inQuotes(firstLine(option.text)) + "\n";
    }
  }
  return out;
}

/// Text of a manual page: a line does not begin with a dot or a quote, a minus sign is one.
std::string roff(llvm::StringRef text) {
  std::string out;
  bool begins = true;
  for (char c : text) {
    if (begins && (c == '.' || c == '\''))
      out += "\\&";
    begins = c == '\n';
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return out;
}

/// "flyc test [OPTIONS] file...", "flyc targets [OPTIONS] [arch]"
std::string usageOf(const CommandRow &command) {
  std::string out = "flyc " + command.name + " [OPTIONS]";
  for (auto &argument : command.arguments) {
    const std::string name = argument.names.front() + (argument.isRepeated ? "..." : "");
    out += " " + (argument.isRequired ? name : "[" + name + "]");
  }
  return out;
}

} // namespace

std::string completionFor(const std::string &shell) {
  const auto commands = shownCommands();
  return shell == "bash" ? bash(commands) : shell == "zsh" ? zsh(commands) : fish(commands);
}

std::string manPage(const std::string &version) {
  const auto commands = shownCommands();
  std::string out = ".TH FLYC 1 \"\" \"" + version +
                    "\" \"User Commands\"\n.SH NAME\nflyc \\- compiler of .fly kernels for AMD GPUs\n"
                    ".SH SYNOPSIS\n";
  for (auto &command : commands)
    out += ".B " + roff(usageOf(command)) + "\n.br\n";
  out += ".SH DESCRIPTION\n.nf\n" + roff(std::string(programDescription)) + "\n.fi\n.SH COMMANDS\n";
  for (auto &command : commands) {
    out += ".SS " + roff(usageOf(command)) + "\n" + roff(command.text) + ".\n";
    for (auto *rows : {&command.arguments, &command.options})
      for (auto &option : *rows) {
        std::string head = llvm::join(option.names, ", ");
        if (!option.value.empty() && rows == &command.options)
          head += " " + option.value;
        std::string text = option.text;
        // Others are too many, and have lists of their own.
        if (!option.choices.empty() && option.choices.size() < 10 && option.value.find("ARCH") == std::string::npos)
          text += ": " + llvm::join(option.choices, ", ");
        out += ".TP\n.B " + roff(head) + "\n" + (text.empty() ? "\\&" : roff(text)) + "\n";
      }
  }
  return out + ".SH EXIT STATUS\n0 if nothing failed, 1 if the input was wrong or a check failed, 2 or more if the "
               "command line was "
               "wrong.\n.SH SEE ALSO\nThe manual, in share/doc/fly of the installation.\n";
}

} // namespace fly::driver
