// Outputs that nothing writes (FLY0515), and objects in LDS that are read though nothing writes them (FLY0637).
#pragma once

#include "compiler/analysis/Context.h"

namespace fly::analysis {

/// A parameter that the program declares as an output alone.
struct Output {
  unsigned argument; ///< of the kernel operation
  std::string name;
  SourceRange range;
};

/// Warns about outputs of the kernel, called `name`, that no operation may write to.
void checkUnwrittenOutputs(Context &context, llvm::StringRef name, llvm::ArrayRef<Output> outputs);

/// Warns about the first read of each object in LDS that no operation of the kernel, called `name`, may write to.
void checkUnwrittenLds(Context &context, llvm::StringRef name);

} // namespace fly::analysis
