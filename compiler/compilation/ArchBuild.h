// Builds the exported instances of a file for one architecture, in two steps. Everything is elaborated in order, while
// other threads take instances through the backend. Then the results are collected in the same order and linked. So
// neither diagnostics nor artifacts depend on timing.
#pragma once

#include "compiler/compilation/ArchCompilation.h"

namespace fly::driver {

/// The texts, accesses and named loops of an instance, for a page.
struct InstancePage {
  std::string symbol;
  artifact::PlacedText fly, llvmIr;
  std::vector<analysis::KnownAccess> accesses;
  std::vector<NamedLoop> loops;
};
/// Takes them out of the instance, but for the loops, which its promises need.
InstancePage pageOf(CompiledInstance &instance);

class ArchBuild {
public:
  ArchBuild(Session &session, const target::Target &target, Keep keep)
      : session(session), keep(std::move(keep)), compilation(session, target) {}
  /// Runs the file, elaborates its instances and those of launch functions, and queues them; false after diagnostics.
  bool elaborate(BackendQueue &queue);
  /// After the queue has finished: links. False after diagnostics.
  bool link();
  /// Nothing in the file is for this architecture.
  bool isEmpty() const { return info.arch.empty(); }
  const target::Target &target() const { return compilation.target; }
  /// Paths of the files of all modules that were imported, the main file among them.
  std::vector<std::string> filesRead() const;

  artifact::ArchInfo info;
  std::string fly, rocdl, llvmIr;   ///< filled when asked for
  std::string stopped;              ///< what the pass that was the last one wanted left
  std::string printed;              ///< the same of passes that are to be printed, each under a headline
  std::vector<InstancePage> pages;  ///< of each instance, when asked for
  std::vector<std::string> skipped; ///< what is not for this architecture, a line each

private:
  CompiledInstance *elaborate(const sema::KernelValue &kernel, std::string symbol, SourceRange range,
                              BackendQueue &queue);
  void planLaunches(const std::vector<sema::ExportedInstance> &exported, BackendQueue &queue);
  void checkDefinitions();

  Session &session;
  Keep keep;
  ArchCompilation compilation;
  std::vector<std::unique_ptr<CompiledInstance>> compiled;
  std::map<std::string, CompiledInstance *> byKey; ///< instances that are the same code share one object
  std::vector<std::pair<std::string, std::string>> aliases;
  std::vector<std::unique_ptr<artifact::LaunchInfo>> launches;
};

/// The rows of architectures by name, each once; none after a diagnostic.
std::optional<std::vector<const target::Target *>> targetsByName(Session &session,
                                                                 const std::vector<std::string> &given);

/// Builds the open file for all of them, on up to `jobs` threads (0: one a core); false after diagnostics.
bool buildArchitectures(Session &session, llvm::ArrayRef<const target::Target *> targets, const Keep &keep,
                        unsigned jobs, std::vector<std::unique_ptr<ArchBuild>> &builds);

} // namespace fly::driver
