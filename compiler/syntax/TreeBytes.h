// A syntax tree as bytes, so that the standard library inside of flyc need not be parsed at every start.
//
// The bytes are made while flyc is built and read by the same flyc: there is no version, and a reader may trust them.
#pragma once

#include "compiler/syntax/AST.h"

#include <memory>
#include <string>

namespace fly {

std::string treeToBytes(const ast::Module &module);
/// Places are in `file`, which must hold the text that the tree was made of.
std::unique_ptr<ast::Module> treeFromBytes(llvm::StringRef bytes, FileId file);

} // namespace fly
