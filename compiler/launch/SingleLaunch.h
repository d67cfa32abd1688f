// One run of `flyc run`: what the command line says about the kernel, then the launch and its results.
#pragma once

#include "compiler/launch/Arguments.h"
#include "compiler/launch/RunnableKernel.h"
#include "compiler/launch/RunSettings.h"
#include "runtime/emulator/Emulator.h"
#include "runtime/emulator/timing/Timing.h"
#include "runtime/emulator/watch/Profile.h"

namespace fly::driver {

/// What a parameter or a place of the block of arguments is given.
struct Binding {
  std::optional<ArgumentSpec> spec;
  ArgumentContent content;
  uint64_t address = 0;
  std::string result; ///< bytes after the run
};

class SingleLaunch {
public:
  SingleLaunch(Session &session, const RunSettings &command) : session(session), command(command) {}
  int run();

private:
  void refuse(const llvm::Twine &what, const llvm::Twine &why) {
    session.diags.report(diag::bad_option, {}).arg(what).arg(why);
  }
  // ArgumentBinding.cpp
  void bind(std::vector<ArgumentSpec> specs);
  void readBlock();
  void bindInOrder(std::vector<ArgumentSpec> specs);
  void bindPlace(ArgumentSpec spec);
  bool isCovered(const KernelParameter &parameter) const;
  void check(size_t i);
  std::optional<size_t> find(const std::string &name, const std::string &text);

  bool readOptions();
  void checkShape(size_t i);
  bool shapeOfLaunch();
  bool place();
  // SingleLaunchResults.cpp
  void addNotes(DiagnosticBuilder diagnostic, const std::vector<std::string> &details);
  void reportFindings(const emulator::FindingList &findings);
  bool fetch();
  std::string printed() const;
  std::string profileReport() const;
  std::function<std::string(const std::string &, unsigned)> sourceLookup() const;

  Session &session;
  const RunSettings &command;
  RunnableKernel kernel;
  std::vector<Binding> bindings;                       ///< by parameter; places follow
  std::vector<std::pair<size_t, std::string>> outputs; ///< parameter, path
  std::vector<std::pair<size_t, PrintSpec>> prints;
  std::vector<uint32_t> grid;             ///< of --grid; empty: the kernel's own
  std::vector<host::ScalarValue> scalars; ///< of a .fly kernel, by parameter
  emulator::LaunchConfig config;
  emulator::Profile profile;
  emulator::Timing timing;
  std::unique_ptr<emulator::Device> device;
  std::shared_ptr<emulator::Module> module;
  std::string kernargs;
  std::optional<std::string> argumentBlock; ///< of --kernarg
};

} // namespace fly::driver
