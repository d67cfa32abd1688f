// See ParsedTexts.h. Trees are kept as bytes, since a tree has the number that its file has in one run.
#include "compiler/syntax/ParsedTexts.h"

#include "compiler/syntax/Parser.h"
#include "compiler/syntax/TreeBytes.h"

namespace fly {

std::unique_ptr<ast::Module> ParsedTexts::parse(FileId file, DiagnosticEngine &diags) {
  const std::string name = diags.sources.name(file).str();
  const llvm::StringRef text = diags.sources.text(file);
  if (auto found = trees.find(name); found != trees.end() && text == found->second.text)
    return treeFromBytes(found->second.bytes, file);
  const size_t told = diags.all().size();
  auto tree = parseModule(file, diags);
  if (tree && diags.all().size() == told) // a warning has to be told again
    trees[name] = {text.str(), treeToBytes(*tree)};
  return tree;
}

} // namespace fly
