// See EmbeddedLibrary.h. The tables are made by cmake/Embed.cmake and compiler/syntax/pack-trees.cpp.
#include "compiler/sema/module/EmbeddedLibrary.h"

#include "compiler/syntax/TreeBytes.h"

#include <string_view>

namespace fly::sema {

using namespace std::string_view_literals;

namespace {

struct Row {
  std::string_view name, content;
};

constexpr Row texts[] = {
#include "compiler/sema/module/EmbeddedLibrary.inc"
};

constexpr Row trees[] = {
#include "compiler/sema/module/EmbeddedTrees.inc"
};

std::optional<llvm::StringRef> lookUp(llvm::ArrayRef<Row> rows, llvm::StringRef path) {
  if (!isEmbedded(path) || !path.consume_back(".fly"))
    return std::nullopt;
  path = path.drop_front(embeddedLibrary.size() + 1);
  for (const Row &row : rows)
    if (std::string_view(path) == row.name)
      return llvm::StringRef(row.content);
  return std::nullopt;
}

} // namespace

std::optional<llvm::StringRef> embeddedText(llvm::StringRef path) { return lookUp(texts, path); }

std::vector<std::string> embeddedPaths() {
  std::vector<std::string> paths;
  for (const Row &row : texts)
    paths.push_back((embeddedLibrary + "/" + llvm::StringRef(row.name) + ".fly").str());
  return paths;
}

std::unique_ptr<ast::Module> embeddedTree(llvm::StringRef path, FileId file) {
  const auto bytes = lookUp(trees, path);
  return bytes ? treeFromBytes(*bytes, file) : nullptr;
}

std::string libraryModuleAt(llvm::StringRef path) {
  path.consume_front((embeddedLibrary + "/").str());
  path.consume_back(".fly");
  std::string dotted = path.str();
  llvm::replace(dotted, '/', '.');
  return dotted;
}

std::vector<std::string> libraryModules() {
  std::vector<std::string> all{amdModule.str()};
  for (const std::string &path : embeddedPaths())
    all.push_back(libraryModuleAt(path));
  return all;
}

} // namespace fly::sema
