// Text to syntax tree. ANTLR4 generates the parser from grammar/; this is the only door to it, so that no
// other file sees an ANTLR header.
#pragma once

#include "compiler/syntax/AST.h"
#include "compiler/diagnostics/Diagnostics.h"

#include <memory>

namespace fly {

/// Parses a registered file. Reports syntax errors to `diags`; the tree is null if there were any.
/// Never crashes and never recurses without bound, whatever the bytes are.
std::unique_ptr<ast::Module> parseModule(FileId file, DiagnosticEngine &diags);

/// The same with what is good of a bad file, for tools that show a file while it is written: the tree is never null,
/// and holds the statements that could be read; a bad statement in a block costs that statement alone. What it means is
/// not what the file means, so nothing is compiled from it: `hasErrors` of the tree is set.
std::unique_ptr<ast::Module> parseWhatIsGood(FileId file, DiagnosticEngine &diags);

/// Parses one expression (for `flyc eval` and `-D NAME=VALUE`). The module owns the tree, which is the
/// single ExprStmt of its body.
std::unique_ptr<ast::Module> parseExpression(FileId file, DiagnosticEngine &diags);

/// Prints the tree as an indented outline, one node per line (`--emit=ast`). Without places, the outlines of two files
/// are equal if the files mean the same.
void printAST(const ast::Module &module, const SourceManager &sources, llvm::raw_ostream &os, bool withPlaces = true);

} // namespace fly
