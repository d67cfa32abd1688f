// A command of flyc: its name, its options, and what it does. One file has all of it (docs/adding-a-command.md):
//
//     class CacheCommand final : public Command {
//     public:
//       CacheCommand() : Command("cache", "Show where objects of earlier runs are kept, and how many there are") {}
//       void declare(OptionTable &table) override {
//         table.add("--clear", clear, "Remove all of them");
//         messageOptions(table, options);
//       }
//       int run() override;
//     private:
//       bool clear = false;
//     };
//     std::unique_ptr<Command> cacheCommand() { return std::make_unique<CacheCommand>(); }
//
// and Commands.cpp lists it.
#pragma once

#include "compiler/commands/OptionTable.h"
#include "compiler/compilation/Options.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fly::driver {

class Command {
public:
  Command(std::string name, std::string summary) : name(std::move(name)), summary(std::move(summary)) {}
  virtual ~Command() = default;

  /// Adds the options, with places in this object.
  virtual void declare(OptionTable &table) = 0;
  /// Returns the exit status: 0, 1 for errors in the input or failed checks, 2 for a wrong request.
  virtual int run() = 0;
  /// Changes the words of its command line before they are parsed, where they do not follow the rules of all commands.
  virtual void prepare(std::vector<std::string> &arguments) const { (void)arguments; }

  std::string name, summary;
  bool usesCache = false;      ///< of objects: a wrong FLY_CACHE_SIZE is refused
  bool needsLargeStack = true; ///< elaboration recurses as deep as a program is nested
  bool isHidden = false;       ///< flyc starts it itself
  Options options;
};

using CommandList = std::vector<std::unique_ptr<Command>>;

/// All of them, new, in the order of `flyc --help`.
CommandList allCommands();

} // namespace fly::driver
