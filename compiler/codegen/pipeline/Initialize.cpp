// Start-up of the AMDGPU backend, done when it is first needed, and the question "has this GPU that instruction?".
//
// LLVM publishes no list of a subtarget's mnemonics, but its assembler knows: for a bare mnemonic it says "invalid
// instruction" when no GPU has it, "instruction not supported on this GPU" when another GPU has it, and complains about
// operands (or nothing at all) when this one does. One test per row of the architecture table checks this.
#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/codegen/pipeline/BackendPasses.h"
#include "compiler/codegen/pipeline/Guard.h"
#include "compiler/isa/LlvmTarget.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <memory>
#include <mutex>

extern "C" {
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUAsmPrinter();
}

namespace fly::codegen {

namespace {

bool assemblerKnows(const target::Target &target, std::string_view mnemonic) {
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget("", triple, error);
  if (!llvmTarget)
    return false;
  llvm::StringRef cpu(target.name.data(), target.name.size());
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(llvmTarget->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> asmInfo(llvmTarget->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(llvmTarget->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(llvmTarget->createMCSubtargetInfo(triple, cpu, ""));

  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(std::string(mnemonic) + "\n"), llvm::SMLoc());
  llvm::MCContext context(triple, asmInfo.get(), registers.get(), subtarget.get(), &sources, &options);
  bool unknown = false;
  context.setDiagnosticHandler(
      [&](const llvm::SMDiagnostic &diagnostic, bool, const llvm::SourceMgr &, std::vector<const llvm::MDNode *> &) {
        llvm::StringRef message = diagnostic.getMessage();
        if (message.contains("invalid instruction") || message.contains("not supported on this GPU"))
          unknown = true;
      });
  std::unique_ptr<llvm::MCObjectFileInfo> files(llvmTarget->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(files.get());
  std::unique_ptr<llvm::MCStreamer> streamer(llvmTarget->createNullStreamer(context));
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *asmInfo));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      llvmTarget->createMCAsmParser(*subtarget, *parser, *instructions, options));
  if (!targetParser)
    return false;
  parser->setTargetParser(*targetParser);
  parser->Run(/*NoInitialTextSection=*/false);
  return !unknown;
}

bool hasInstruction(const target::Target &target, std::string_view name) {
  // Only what can be a mnemonic: "v_add_f32", not ".set" or a label.
  auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (name.size() < 3 || !std::all_of(name.begin(), name.end(), fits) || name.find('_') == name.npos)
    return false;
  initialize();
  static std::mutex mutex;
  static std::map<std::pair<std::string_view, std::string>, bool> known;
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = known.try_emplace({target.name, std::string(name)}, false);
  if (isNew)
    entry->second = assemblerKnows(target, name);
  return entry->second;
}

struct InstallQuery { // so that `has` answers in any program that links the code generator
  InstallQuery() { target::setInstructionQuery(hasInstruction); }
} installQuery;

} // namespace

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    isa::amdgpuTarget();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUAsmPrinter();
    installBackendPasses();
    enableGuard();
  });
}

} // namespace fly::codegen
