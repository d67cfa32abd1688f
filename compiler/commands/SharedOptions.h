// Options that several commands take, declared once.
#pragma once

#include "compiler/commands/OptionTable.h"
#include "compiler/compilation/Options.h"
#include "compiler/launch/LaunchOptions.h"
#include "compiler/search/SearchSettings.h"
#include "compiler/search/Suite.h"

namespace fly::driver {

/// --error-format, --color.
void messageOptions(OptionTable &table, Options &options);
/// What compiling a source needs: -D, -I, --link, -W and the like; with messageOptions.
void sourceOptions(OptionTable &table, Options &options);
/// -W alone, of a command that compiles nothing: no-verify=RULE; with messageOptions.
void verifyOptions(OptionTable &table, Options &options);
/// --check, --compute-units.
void emulatorOptions(OptionTable &table, EmulatorOptions &options);
/// --machine, --cus, --rounds, --sample, --cold
void timeOptions(OptionTable &table, TimeOptions &options);
/// Files and folders, -j, --timeout, --list, --junit
void suiteOptions(OptionTable &table, SuiteOptions &options);
/// --device, --warm-up, --repeat
void deviceOptions(OptionTable &table, DeviceOptions &options);

/// -j, --timeout, --limit, --journal, --print-jobs, --join, --job, --rows, --json. `what`: "candidate", "point"; the
/// journal is X.`command`.journal.
void searchOptions(OptionTable &table, SearchSettings &settings, const std::string &what, const std::string &command);

/// --arch, of a command that compiles: the default is target::defaultName.
OptionRow &archOption(OptionTable &table, std::string &arch, std::string help);
OptionRow &archOption(OptionTable &table, std::vector<std::string> &archs, std::string help);
/// --arch, of a command that reads code objects: by default whatever there is.
OptionRow &archFilter(OptionTable &table, std::vector<std::string> &archs, std::string help);

} // namespace fly::driver
