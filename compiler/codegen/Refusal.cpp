// See Refusal.h.
#include "compiler/codegen/Refusal.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"

namespace fly::codegen {

namespace {
int refusalKind() {
  static const int kind = llvm::getNextAvailablePluginDiagnosticKind();
  return kind;
}
} // namespace

RefusalDiagnostic::RefusalDiagnostic(Refusal refusal)
    : DiagnosticInfo(refusalKind(), llvm::DS_Error), refusal(std::move(refusal)) {}

bool RefusalDiagnostic::classof(const llvm::DiagnosticInfo *info) { return info->getKind() == refusalKind(); }

void RefusalDiagnostic::print(llvm::DiagnosticPrinter &printer) const { printer << refusal.message; }

void refuse(const llvm::Function &function, const llvm::DebugLoc &at, const llvm::Twine &message) {
  Refusal refusal{message.str()};
  if (const llvm::DILocation *location = at.get()) {
    refusal.file = location->getFilename().str();
    refusal.line = location->getLine();
    refusal.column = location->getColumn();
  }
  function.getContext().diagnose(RefusalDiagnostic(std::move(refusal)));
}

} // namespace fly::codegen
