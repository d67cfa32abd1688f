// See BackendPasses.h. LLVM asks a callback for each backend that it sets up, and that inserts our passes after LLVM's.
#include "compiler/codegen/pipeline/BackendPasses.h"

#include "compiler/codegen/pipeline/Pipeline.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MIRPrinter.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/Function.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"

namespace fly::codegen {

namespace {

thread_local BackendOptions *current = nullptr;

/// The text of the functions after one pass, in their order.
std::string &textAfter(llvm::StringRef pass, std::vector<PassText> &texts) {
  auto found = llvm::find_if(texts, [&](const PassText &text) { return text.pass == pass; });
  return found != texts.end() ? found->text : texts.emplace_back(PassText{pass.str(), ""}).text;
}

struct KeepIr final : llvm::FunctionPass {
  static char ID;
  KeepIr(llvm::StringRef pass, std::vector<PassText> &texts) : FunctionPass(ID), pass(pass), texts(texts) {}
  llvm::StringRef getPassName() const override { return "keep LLVM IR"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override { usage.setPreservesAll(); }
  bool runOnFunction(llvm::Function &function) override {
    llvm::raw_string_ostream out(textAfter(pass, texts));
    function.print(out);
    return false;
  }
  llvm::StringRef pass;
  std::vector<PassText> &texts;
};
char KeepIr::ID;

struct KeepMir final : llvm::MachineFunctionPass {
  static char ID;
  KeepMir(llvm::StringRef pass, std::vector<PassText> &texts) : MachineFunctionPass(ID), pass(pass), texts(texts) {}
  llvm::StringRef getPassName() const override { return "keep MIR"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    llvm::raw_string_ostream out(textAfter(pass, texts));
    llvm::printMIR(out, getAnalysis<llvm::MachineModuleInfoWrapperPass>().getMMI(), function);
    return false;
  }
  llvm::StringRef pass;
  std::vector<PassText> &texts;
};
char KeepMir::ID;

llvm::AnalysisID idOf(const Anchor &anchor) {
  if (anchor.id)
    return anchor.id;
  const llvm::PassInfo *info = llvm::PassRegistry::getPassRegistry()->getPassInfo(llvm::StringRef(anchor.name));
  if (!info)
    llvm::report_fatal_error("LLVM has no pass " + llvm::Twine(anchor.name));
  return info->getTypeInfo();
}

void insertPasses(const llvm::TargetMachine &machine, llvm::TargetPassConfig &config) {
  const target::Target *target = target::find(std::string_view(machine.getTargetCPU()));
  for (const PassRow &row : passRows()) {
    if (row.place != PassPlace::InBackend)
      continue;
    const llvm::AnalysisID after = idOf(row.after);
    if (target && row.when.holds(*target, unsigned(machine.getOptLevel())) &&
        !(current && llvm::is_contained(current->without, row.name)))
      config.insertPass(after, row.backend().id);
    // Where the pass would be, if it is not for this target.
    if (current && llvm::is_contained(current->wanted, row.name)) {
      if (row.level == Level::Machine)
        config.insertPass(after, new KeepMir(row.name, current->texts));
      else
        config.insertPass(after, new KeepIr(row.name, current->texts));
    }
  }
  config.disablePass(&llvm::LiveDebugValuesID); // there are lines, and no variables
}

} // namespace

void installBackendPasses() {
  // LLVM registers these only when it first makes one, and then it is too late to find them by name.
  llvm::initializeEarlyCSELegacyPassPass(*llvm::PassRegistry::getPassRegistry());
  llvm::initializeAtomicExpandLegacyPass(*llvm::PassRegistry::getPassRegistry());
  // Never destroyed, because LLVM's registries that contain them may be destroyed earlier.
  for (const PassRow &row : passRows())
    if (row.backend) {
      const BackendPass pass = row.backend();
      llvm::PassRegistry::getPassRegistry()->registerPass(
          *new llvm::PassInfo(row.why, row.name, pass.id, pass.create, /*isCFGOnly=*/false, /*is_analysis=*/false));
    }
  new llvm::RegisterTargetPassConfigCallback([](llvm::TargetMachine &machine, llvm::PassManagerBase &,
                                                llvm::TargetPassConfig *config) { insertPasses(machine, *config); });
}

BackendOptions::BackendOptions(const Options &options, std::vector<PassText> &texts)
    : wanted(options.keepAfter), without(options.without), texts(texts) {
  current = this;
}

BackendOptions::~BackendOptions() { current = nullptr; }

} // namespace fly::codegen
