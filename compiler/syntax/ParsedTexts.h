// The trees of texts that were parsed before, for a program that reads a file again and again: what an open document
// imports is the same in nearly every version of it.
#pragma once

#include "compiler/diagnostics/Diagnostics.h"
#include "compiler/syntax/AST.h"

#include <map>
#include <memory>
#include <string>

namespace fly {

class ParsedTexts {
public:
  /// As `parseModule`.
  std::unique_ptr<ast::Module> parse(FileId file, DiagnosticEngine &diags);

private:
  struct Tree {
    std::string text, bytes;
  };
  std::map<std::string, Tree> trees; ///< by the file's name: of its last text
};

} // namespace fly
