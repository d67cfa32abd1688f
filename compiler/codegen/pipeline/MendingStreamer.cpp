// See MendingStreamer.h. LLVM emits exactly one MC instruction for each one of the machine code, and a function's symbol
// before them.
#include "compiler/codegen/pipeline/MendingStreamer.h"

#include "compiler/codegen/pipeline/TargetRegistry.h"
#include "compiler/isa/LlvmTarget.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCELFStreamer.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

namespace fly::codegen {

namespace {

/// Of the streamer that this thread is about to make.
thread_local const Insertions *wanted = nullptr;

class MendingStreamer final : public llvm::MCELFStreamer {
public:
  using MCELFStreamer::MCELFStreamer;

  void emitLabel(llvm::MCSymbol *symbol, llvm::SMLoc place) override {
    MCELFStreamer::emitLabel(symbol, place);
    if (!insertions || symbol->isTemporary())
      return;
    auto found = insertions->find(symbol->getName().str());
    here = found == insertions->end() ? nullptr : &found->second;
    next = 0;
  }
  void emitInstruction(const llvm::MCInst &instruction, const llvm::MCSubtargetInfo &subtarget) override {
    if (here)
      if (auto found = here->find(next++); found != here->end())
        emitBytes(found->second);
    MCELFStreamer::emitInstruction(instruction, subtarget);
  }

private:
  const Insertions *const insertions = wanted;
  const std::map<uint32_t, std::string> *here = nullptr; ///< of the current function
  uint32_t next = 0;                                     ///< the number of its next instruction
};

llvm::MCStreamer *create(const llvm::Triple &, llvm::MCContext &context, std::unique_ptr<llvm::MCAsmBackend> &&backend,
                         std::unique_ptr<llvm::MCObjectWriter> &&writer,
                         std::unique_ptr<llvm::MCCodeEmitter> &&emitter) {
  return new MendingStreamer(context, std::move(backend), std::move(writer), std::move(emitter));
}

} // namespace

bool addPassesToEmit(llvm::legacy::PassManager &passes, llvm::TargetMachine &machine, llvm::raw_pwrite_stream &out,
                     const Insertions &insertions) {
  const std::lock_guard turn(targetRegistryTurn());
  // The registry gives out constant targets, and takes their parts by mutable reference.
  if (const llvm::Target *target = isa::amdgpuTarget())
    llvm::TargetRegistry::RegisterELFStreamer(const_cast<llvm::Target &>(*target), create);
  wanted = &insertions;
  const bool fails = machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile);
  wanted = nullptr;
  return !fails;
}

} // namespace fly::codegen
