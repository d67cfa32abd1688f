// The compilation of a file for one architecture: its modules run once, then each kernel can be instantiated, compiled,
// and linked with others to a code object.
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/compilation/Backend.h"
#include "compiler/object_checks/NarrowAccesses.h"
#include "compiler/object_checks/Promises.h"
#include "compiler/compilation/Session.h"
#include "compiler/compilation/TuneTableLookup.h"
#include "compiler/object_checks/TightenedWaits.h"
#include "compiler/sema/elaborator/Elaborator.h"
#include "compiler/sema/kernel/Kernels.h"
#include "compiler/sema/module/ModuleLoader.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fly::driver {

/// An instance's IR for the reference interpreter, as MLIR bytecode.
struct ReferenceCode {
  std::string elaborated; ///< as the source says; empty: there is none, or it was not asked for
  std::string finished;   ///< after `fly-finish-kernel`: what the passes get
  std::string plantFault; ///< as the machine code has it
};

/// The texts and bytes of one instance on its way.
struct CompiledInstance {
  artifact::InstanceInfo info;
  Promises promises;                                      ///< of `@expect`, kept or reported when the object is linked
  std::vector<analysis::NeighbouringAccesses> neighbours; ///< that LLVM might join, for -Wperf
  std::vector<WrittenWait> waits;
  std::string fly;                ///< filled when asked for
  ReferenceCode reference;        ///< when asked for
  artifact::PlacedText placedFly; ///< for a page, as what follows; or for places
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
  /// Elaborates an exported kernel, or what a launch function launches, for its diagnostics alone.
  void diagnose(const sema::ExportedInstance &instance);
  /// The two halves of that. First what a kernel's values are and what is wrong with them, then with the whole.
  struct Unfinished {
    sema::KernelValue kernel;
    std::unique_ptr<sema::Instance> instance;
  };
  std::vector<Unfinished> evaluate(const sema::ExportedInstance &instance);
  void finish(Unfinished &unfinished);
  /// After the job: counts its time, and reports what the backend refused; false then.
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
  sema::Evaluator elaborator;
  TuneTableLookup tables; ///< of `flyc tune`, beside the sources
  sema::ModuleScope *main = nullptr;
};

} // namespace fly::driver
