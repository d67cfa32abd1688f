// Outputs that nothing writes (FLY0515).
#pragma once

#include "compiler/analysis/Context.h"

namespace fly::analysis {

/// A parameter that the program declares as an output alone.
struct Output {
  unsigned argument;                          ///< of the kernel operation
  std::string name;
  SourceRange range;
};

/// Warns about outputs of the kernel, called `name`, that no operation may write to.
void checkUnwrittenOutputs(Context &context, llvm::StringRef name, llvm::ArrayRef<Output> outputs);

} // namespace fly::analysis
