// See SearchIdentity.h.
#include "compiler/search/SearchIdentity.h"

#include "compiler/launch/EmulatorOptions.h"
#include "runtime/emulator/timing/Machine.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::driver {

void SearchIdentity::add(const std::string &text) {
  hash.update(text);
  hash.update(llvm::StringRef("\0", 1)); // so that no two lists of texts are one
}

void SearchIdentity::addAll(const std::vector<std::string> &texts) {
  for (auto &text : texts)
    add(text);
  add("");
}

SearchIdentity::SearchIdentity(const std::string &command, const ArchCompilation &compilation,
                               const SearchSettings &settings, const emulator::Timing::Options &timing) {
  const Session &session = compilation.session;
  const Options &options = session.options;
  add(command);
  add(hashOfProgram(session.sources, compilation.loader, *compilation.main, /*checks=*/true));
  add(programIdentity());
  add(std::string(compilation.target.name));
  for (auto *texts : {&options.defines, &options.llvm, &options.bitcode, &options.warnings, &settings.emulator.checks})
    addAll(*texts);
  addAll({std::to_string(computeUnitsOf(settings.emulator)), std::to_string(settings.limit)});
  if (timing.machine)
    for (auto &[name, constant] : timing.machine->constants)
      add(name + " " + std::to_string(constant.value));
  const TimeOptions &time = settings.time;
  addAll({time.computeUnits, std::to_string(time.rounds), time.sample ? "sample" : "", time.cold ? "cold" : ""});
}

std::string SearchIdentity::text() {
  return llvm::toHex(llvm::ArrayRef(hash.final()).take_front(8), /*LowerCase=*/true);
}

} // namespace fly::driver
