// compileToObject: LLVM dialect -> LLVM IR -> optimised -> object, in five steps inside one guarded task.
//
//   1. debug-info scopes for functions that have none, with the locations' file names kept as they are;
//   2. translation to LLVM IR (in a separate context, so that instances compile in parallel);
//   3. data layout, code-object version, target attributes; the bitcode that the kernel calls is linked in;
//   4. LLVM's optimizer, with passes of ours before and after it;
//   5. the backend, with passes of ours before it and in it; once more if pairs came too close to what they depend on
//      (PairHazards.h), and once more if waits or distances are missing (Mending.h).
//
// Pipeline.cpp lists the passes of steps 4 and 5.
// Errors that MLIR or LLVM report become the Failure; the first one is its message. Those of our own passes are
// refusals (Refusal.h).
#include "compiler/codegen/check/AccumulatorCheck.h"
#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/codegen/check/Mending.h"
#include "compiler/codegen/faults/BackendFaults.h"
#include "compiler/codegen/Bitcode.h"
#include "compiler/codegen/pipeline/BackendPasses.h"
#include "compiler/codegen/pipeline/Guard.h"
#include "compiler/codegen/pipeline/MendingStreamer.h"
#include "compiler/codegen/pipeline/Pipeline.h"
#include "compiler/codegen/check/PairHazards.h"
#include "compiler/codegen/machine/PinnedRegisters.h"
#include "compiler/codegen/ir/PlacedIr.h"
#include "compiler/codegen/Refusal.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

namespace fly::codegen {

namespace {

/// The first error is the message, the others are details.
class Errors {
public:
  void add(llvm::StringRef text) { (all.empty() ? all : all.append("\n")).append(text.str()); }
  void add(const Refusal &refusal) { refusals.push_back(refusal); }
  bool any() const { return !all.empty() || !refusals.empty(); }
  Failure failure(Failure::Stage stage, bool crashed = false) const {
    auto [first, rest] = llvm::StringRef(all).split('\n');
    if (!refusals.empty()) // what else went wrong follows from them
      return {stage, refusals.front().message, "", crashed, "", refusals};
    return {stage, first.str(), rest.trim().str(), crashed};
  }

private:
  std::string all;
  std::vector<Refusal> refusals;
};

struct CollectErrors final : llvm::DiagnosticHandler {
  explicit CollectErrors(Errors &errors) : errors(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    const auto *failed = llvm::dyn_cast<llvm::DiagnosticInfoRegAllocFailure>(&info);
    if (const auto *refused = llvm::dyn_cast<RefusalDiagnostic>(&info)) {
      errors.add(refused->refusal);
    } else if (failed && pinsRegisters(failed->getFunction())) {
      errors.add(Refusal{"too few registers are left below the pinned ones; pin higher registers"});
    } else if (info.getSeverity() == llvm::DS_Error) {
      std::string text;
      llvm::raw_string_ostream out(text);
      llvm::DiagnosticPrinterRawOStream printer(out);
      info.print(printer);
      errors.add(text);
    }
    return true; // warnings and remarks of the backend are not for the user of a kernel language
  }
  Errors &errors;
};

/// MLIR splits a location's path into name and directory, and takes the directory of the first location for that of the
/// compilation. Debuggers would then search below it for files that are elsewhere. So the complete path is the name,
/// and the directory stays empty. The units are ours, of the language that is nearest to it and that DWARF knows.
void mendDebugScopes(mlir::ModuleOp module) {
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([](mlir::LLVM::DIFileAttr file) -> std::optional<mlir::Attribute> {
    if (file.getDirectory().empty())
      return std::nullopt;
    llvm::SmallString<128> path(file.getDirectory().getValue());
    llvm::sys::path::append(path, file.getName().getValue());
    return mlir::LLVM::DIFileAttr::get(file.getContext(), path, "");
  });
  replacer.addReplacement([](mlir::LLVM::DICompileUnitAttr unit) -> std::optional<mlir::Attribute> {
    if (unit.getProducer() == unitProducer)
      return std::nullopt;
    return mlir::LLVM::DICompileUnitAttr::get(unit.getContext(), unit.getId(), llvm::dwarf::DW_LANG_Python,
                                              unit.getFile(), mlir::StringAttr::get(unit.getContext(), unitProducer),
                                              unit.getIsOptimized(), unit.getEmissionKind(), unit.getNameTableKind(),
                                              unit.getSplitDebugFilename());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/true);
}

bool addDebugScopes(mlir::ModuleOp module) {
  mlir::PassManager passes(module->getContext());
  passes.enableVerifier(false);
  passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass());
  if (mlir::failed(passes.run(module)))
    return false;
  mendDebugScopes(module);
  return true;
}

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const target::Target &target, const Options &options) {
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget("", triple, error);
  if (!llvmTarget)
    return nullptr;
  llvm::StringRef cpu(target.name.data(), target.name.size());
  std::string features = target.waveSize == 32 ? "+wavefrontsize32" : "+wavefrontsize64";
  constexpr llvm::CodeGenOptLevel levels[] = {llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less,
                                              llvm::CodeGenOptLevel::Default, llvm::CodeGenOptLevel::Aggressive};
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Standard; // fuse only what the IR allows
  return std::unique_ptr<llvm::TargetMachine>(
      llvmTarget->createTargetMachine(triple, cpu, features, targetOptions, llvm::Reloc::PIC_, std::nullopt,
                                      levels[std::min(options.optimizationLevel, 3u)]));
}

/// Target machines that compile nothing just now. A kernel's compilation needs one to itself, but making one works out
/// tables of thousands of registers, and so does its first use: a fifth of `flyc test` where kernels are small.
class IdleMachines {
public:
  std::unique_ptr<llvm::TargetMachine> take(const target::Target &target, const Options &options) {
    {
      std::lock_guard lock(mutex);
      auto &there = idle[{target.name, target.waveSize, options.optimizationLevel}];
      if (!there.empty()) {
        auto machine = std::move(there.back());
        there.pop_back();
        return machine;
      }
    }
    return createTargetMachine(target, options);
  }
  /// Not after an error or a crash: it may be in any state.
  void give(std::unique_ptr<llvm::TargetMachine> machine, const target::Target &target, const Options &options) {
    std::lock_guard lock(mutex);
    idle[{target.name, target.waveSize, options.optimizationLevel}].push_back(std::move(machine));
  }

private:
  std::mutex mutex;
  std::map<std::tuple<std::string_view, unsigned, unsigned>, std::vector<std::unique_ptr<llvm::TargetMachine>>> idle;
};

IdleMachines &idleMachines() {
  static auto *machines = new IdleMachines; // never destroyed: threads that crashed may still be around at the end
  return *machines;
}

std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

/// Runs the passes over the module of one place; false if nothing after them is wanted.
bool runPasses(PassPlace place, ModuleRun &run, const Options &options, Object &object) {
  for (const PassRow &row : passRows()) {
    if (row.place != place)
      continue;
    if (row.when.holds(run.target, run.optimizationLevel) && !llvm::is_contained(options.without, row.name))
      row.run(run);
    if (llvm::is_contained(options.keepAfter, row.name))
      object.after.push_back({row.name.str(), textOf(run.module)});
    if (options.stopAfter == row.name)
      return false;
  }
  return true;
}

/// The object of a module, which is no longer what it was.
bool emit(llvm::Module &module, llvm::TargetMachine &machine, bool pairs, const Insertions &insertions,
          const Options &options, Object &object, Errors &errors) {
  llvm::erase_if(object.after, [](const PassText &text) { // of an earlier call
    return llvm::any_of(passRows(),
                        [&](const PassRow &row) { return row.name == text.pass && row.place == PassPlace::InBackend; });
  });
  BackendOptions backend(options, object.after);
  PassGate gate(module, pairs);
  module.getContext().setOptPassGate(gate);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (insertions.empty() ? machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile)
                         : !addPassesToEmit(passes, machine, out, insertions)) {
    errors.add("the AMDGPU target cannot emit object files");
    return false;
  }
  passes.run(module);
  object.bytes.assign(bytes.begin(), bytes.end());
  return !errors.any();
}

/// Runs steps 1 to 5. Returns false with an entry in `errors`; `stage` then says which step failed.
bool run(mlir::ModuleOp mlirModule, const target::Target &target, const Options &options, Errors &errors,
         Failure::Stage &stage, Object &object) {
  stage = Failure::Stage::Translate;
  if (!addDebugScopes(mlirModule))
    return false;
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<CollectErrors>(errors));
  std::unique_ptr<llvm::Module> module = mlir::translateModuleToLLVMIR(mlirModule, context, "kernel");
  if (!module || errors.any())
    return false;

  std::unique_ptr<llvm::TargetMachine> machine = idleMachines().take(target, options);
  if (!machine) {
    errors.add("this build of LLVM has no AMDGPU target");
    return false;
  }
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  module->addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", target.codeObjectVersion * 100);
  for (llvm::Function &function : *module)
    if (function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL)
      for (auto &[name, value] : options.attributes)
        function.addFnAttr(name, value);
  if (options.keepLlvmIr)
    object.llvmIr = textOf(*module);
  if (!options.bitcode.empty())
    if (std::string error = linkBitcode(*module, options.bitcode); !error.empty()) {
      errors.add(error);
      return false;
    }

  ModuleRun passes{*module, *machine, target, options.optimizationLevel};
  stage = Failure::Stage::Optimize;
  for (PassPlace place : {PassPlace::BeforeOptimizer, PassPlace::Optimizer, PassPlace::AfterOptimizer})
    if (!runPasses(place, passes, options, object))
      return true;
  if (options.keepLlvmIr)
    object.optimizedLlvmIr = textOf(*module);
  if (options.keepPlacedIr)
    object.placedIr = placedIr(*module);
  if (errors.any() || !options.emitObject)
    return !errors.any();

  stage = Failure::Stage::Emit;
  if (!runPasses(PassPlace::BeforeBackend, passes, options, object))
    return true;
  const std::unique_ptr<llvm::Module> kept = llvm::CloneModule(*module);
  bool pairs = true;
  if (!emit(*module, *machine, pairs, {}, options, object, errors))
    return false;
  if (mayHavePairHazards(target) && hasPairHazards(object.bytes, target)) {
    pairs = false;
    if (!emit(*llvm::CloneModule(*kept), *machine, pairs, {}, options, object, errors))
      return false;
  }
  // What is linked may hold assembly of its own, whose author has to know.
  if (options.bitcode.empty())
    if (const Insertions missing = findMissing(object.bytes, target, options.rulesOff); !missing.empty()) {
      if (!emit(*llvm::CloneModule(*kept), *machine, pairs, missing, options, object, errors))
        return false;
    }
  if (std::string error = checkAccumulators(*module, object.bytes, target); !error.empty()) {
    errors.add(error);
    return false;
  }
  idleMachines().give(std::move(machine), target, options);
  return true;
}

} // namespace

void registerTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerROCDLDialectTranslation(registry);
}

Result<Object> compileToObject(mlir::ModuleOp module, const target::Target &target, const Options &options) {
  initialize();
  Errors errors;
  Object object;
  Failure::Stage stage = Failure::Stage::Translate;
  bool good = false;
  // Instances may compile side by side in one MLIRContext: take the errors of our task's thread only. The handler
  // lives out here, because a task that crashes destroys nothing.
  std::atomic<std::thread::id> worker{};
  mlir::ScopedDiagnosticHandler handler(module->getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (std::this_thread::get_id() != worker.load())
      return mlir::failure();
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors.add(diagnostic.str());
    return mlir::success();
  });
  GuardOutcome outcome = runGuarded([&] {
    worker = std::this_thread::get_id();
    good = run(module, target, options, errors, stage, object);
  });
  // What the rest of a backend does after the pass that was asked for does not count.
  const bool hasStopped =
      llvm::any_of(object.after, [&](const PassText &text) { return text.pass == options.stopAfter; });
  if ((good && outcome.completed) || hasStopped)
    return object;
  if (!outcome.fatalError.empty()) {
    Errors fatal;
    fatal.add(outcome.fatalError);
    return fatal.failure(stage, true);
  }
  if (!errors.any())
    errors.add(outcome.completed ? "the module could not be converted to LLVM IR"
                                 : "the AMDGPU backend of LLVM crashed on this kernel");
  return errors.failure(stage, !outcome.completed);
}

} // namespace fly::codegen
