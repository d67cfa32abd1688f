// One run of flyc: sources, diagnostics and options that every command shares, and the compilation of a file
// for one architecture.
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/driver/Backend.h"
#include "compiler/driver/Commands.h"
#include "compiler/driver/ObjectCache.h"
#include "compiler/driver/NarrowAccesses.h"
#include "compiler/driver/TightenedWaits.h"
#include "compiler/driver/Promises.h"
#include "compiler/driver/TableTuning.h"
#include "compiler/sema/elaborator/Elaborator.h"
#include "compiler/sema/kernel/Kernels.h"
#include "compiler/sema/module/ModuleLoader.h"

#include "mlir/IR/MLIRContext.h"

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace fly::driver {

/// Wall-clock time by phase, for `--time`; of phases that run side by side the sum over threads.
class PhaseTimes {
public:
  struct Scope {
    PhaseTimes &times;
    std::string phase;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Scope() {
      times.add(phase, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
  };
  Scope measure(std::string phase) { return {*this, std::move(phase)}; }
  void add(const std::string &phase, double ms);
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<std::pair<std::string, double>> phases;
};

class Session {
public:
  explicit Session(Options options);

  /// Registers the text of a file, or of standard input for `-`; none after a diagnostic.
  std::optional<FileId> read(const std::string &path);
  /// Reads and parses the main file; false after diagnostics.
  bool open(const std::string &path);
  /// The same for a text that is registered already.
  bool open(const std::string &path, FileId file);
  /// Prints collected diagnostics to standard error; true if there were no errors.
  bool finish();
  /// The MLIR context, made when first needed.
  mlir::MLIRContext &context();
  /// The name that line tables embed: relative to the main file's folder, `<stdlib>/...`, or as mapped.
  std::string locationName(FileId file) const;

  Options options;
  SourceManager sources;
  DiagnosticEngine diags;
  PhaseTimes times;
  std::string mainPath, moduleName;
  FileId mainFile = 0;
  std::shared_ptr<const ast::Module> mainTree;
  std::vector<std::string> searchPath;  ///< of modules: -I folders, then the stdlib
  std::string stdlib;                   ///< its folder: FLY_STDLIB, or the name of the embedded one
  std::vector<std::string> bitcodeRead; ///< files of bitcode that were linked, each once
  std::set<std::string> verifyOff;      ///< rules of compiler/verify that `-W no-verify=RULE` turned off
  ObjectCache cache;
  ContextPool contexts; ///< for backends

private:
  std::unique_ptr<mlir::MLIRContext> mlirContext;
};

/// The texts and bytes of one instance on its way.
struct CompiledInstance {
  artifact::InstanceInfo info;
  Promises promises;                                      ///< of `@expect`, kept or reported when the object is linked
  std::vector<analysis::NeighbouringAccesses> neighbours; ///< that LLVM might join, for -Wperf
  std::vector<WrittenWait> waits;
  std::string fly;                ///< filled when asked for
  artifact::PlacedText placedFly; ///< for a page, as what follows
  std::vector<analysis::KnownAccess> accesses;
  SourceRange at;          ///< the kernel's name, for what the backend refuses
  uint32_t vgprBudget = 0; ///< of `vgprs=`; 0: none
  SourceRange vgprBudgetAt;
  std::map<std::string, SourceRange> llvmOptionsAt; ///< of info.llvmOptions
  bool isExact = false;       ///< with `isa=True`: the verifier has been asked, at the source's lines
  bool allowsScratch = false; ///< a fragment was made with `allow_scratch=True`
  BackendJob job;
  BackendResult result;
};

/// One file for one architecture: its modules have run, kernels can be instantiated.
class ArchCompilation {
public:
  ArchCompilation(Session &session, const target::Target &target);
  /// Runs the file's top level; false after errors.
  bool run();
  /// The first half of a compilation: the instance with its job; null after diagnostics.
  std::unique_ptr<CompiledInstance> elaborate(const sema::KernelValue &kernel, std::string symbol, SourceRange range,
                                              const Keep &keep);
  /// Behind the job: counts its time, and reports what the backend refused; false then.
  bool accept(CompiledInstance &instance);
  /// Runs all of it on this thread; null after diagnostics.
  std::unique_ptr<CompiledInstance> compile(const sema::KernelValue &kernel, std::string symbol, SourceRange range,
                                            const Keep &keep);
  /// Links objects to a code object; empty after a diagnostic. Fills in the instances' resources.
  std::string link(std::vector<CompiledInstance *> instances,
                   const std::vector<std::pair<std::string, std::string>> &aliases, const std::string &what);

  bool keepIr(sema::Instance &instance, CompiledInstance &compiled, const sema::KernelValue &kernel,
              std::vector<Promise> promises);

  Session &session;
  const target::Target &target;
  sema::ModuleLoader loader;
  sema::Elaborator elaborator;
  TableTuning tables; ///< of `flyc tune`, beside the sources
  sema::ModuleScope *main = nullptr;
};

/// The bitcode that the functions need, each file once; none after diagnostics.
std::optional<std::vector<codegen::Bitcode>> collectBitcode(Session &session, const target::Target &target,
                                                            const std::vector<const sema::ExternDefinition *> &externs);

/// One expression of the command line, which may use `names`; none after diagnostics, which name `place` as its file.
std::optional<sema::Value> evaluateText(Session &session, sema::Elaborator &elaborator, std::string place,
                                        std::string text, const std::map<std::string, sema::Value> &names = {});

/// The `-D` options as compile-time values, parsed in the elaborator's prelude; false after diagnostics.
bool readDefinitions(Session &session, sema::Elaborator &elaborator);

} // namespace fly::driver
