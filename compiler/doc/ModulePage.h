// A Markdown page of what other files and host programs can use of a module: `flyc doc`.
#pragma once

#include "compiler/syntax/AST.h"

#include <string>

namespace fly {

/// Made from the tree alone, so that a module that does not elaborate, or only for some architectures, has a page too.
/// Names that begin with `_` are private and left out. The same tree gives the same bytes.
std::string modulePage(const ast::Module &module, const SourceManager &sources, llvm::StringRef name);

} // namespace fly
