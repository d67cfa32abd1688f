// Private: how a pass says that a kernel cannot have what it fixes, be it registers, an order or a number of AGPRs.
#pragma once

#include "compiler/codegen/CodeGen.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/DiagnosticInfo.h"

namespace llvm {
class DebugLoc;
class Function;
} // namespace llvm

namespace fly::codegen {

/// A Refusal on its way through LLVM to the handler of diagnostics.
class RefusalDiagnostic final : public llvm::DiagnosticInfo {
public:
  explicit RefusalDiagnostic(Refusal refusal);
  static bool classof(const llvm::DiagnosticInfo *info);
  void print(llvm::DiagnosticPrinter &printer) const override;

  const Refusal refusal;
};

/// Diagnoses it. The code that follows is not used.
void refuse(const llvm::Function &function, const llvm::DebugLoc &at, const llvm::Twine &message);

} // namespace fly::codegen
