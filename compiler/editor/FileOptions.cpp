// See FileOptions.h.
#include "compiler/editor/FileOptions.h"

#include "compiler/editor/Documents.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace fly::editor {

namespace json = llvm::json;
namespace path = llvm::sys::path;

namespace {

struct OptionKind {
  llvm::StringLiteral name;
  std::vector<std::string> driver::Options::*values;
  bool isPath;
};
const OptionKind kinds[] = {
    {"-I", &driver::Options::includeDirs, true},     {"-D", &driver::Options::defines, false},
    {"-W", &driver::Options::warnings, false},       {"--llvm", &driver::Options::llvm, false},
    {"--without", &driver::Options::without, false}, {"--link", &driver::Options::bitcode, true},
};

std::string absolute(llvm::StringRef file, llvm::StringRef directory) {
  llvm::SmallString<256> result(directory);
  if (path::is_absolute(file))
    result.clear();
  path::append(result, file);
  path::remove_dots(result, true);
  return std::string(result);
}

/// "-I", "x" or "-Ix" or "--link=x"; other options of a build say nothing about what the file means.
driver::Options readOptions(const json::Array &words, llvm::StringRef directory) {
  driver::Options result;
  for (size_t i = 0; i < words.size(); ++i) {
    const llvm::StringRef word = words[i].getAsString().value_or("");
    for (const OptionKind &kind : kinds) {
      llvm::StringRef value = word;
      if (!value.consume_front(kind.name))
        continue;
      const bool isLong = kind.name.starts_with("--");
      if (value.empty() && i + 1 < words.size())
        value = words[++i].getAsString().value_or("");
      else if (value.empty() || (isLong && !value.consume_front("=")))
        continue;
      (result.*kind.values).push_back(kind.isPath ? absolute(value, directory) : value.str());
      break;
    }
  }
  return result;
}

struct Entry {
  std::string file;
  FileOptions options;
};

std::vector<Entry> readList(llvm::StringRef list) {
  std::vector<Entry> result;
  auto buffer = llvm::MemoryBuffer::getFile(list);
  if (!buffer)
    return result;
  auto read = json::parse((*buffer)->getBuffer());
  if (!read) { // half of it is written
    llvm::consumeError(read.takeError());
    return result;
  }
  for (const json::Value &value : read->getAsArray() ? *read->getAsArray() : json::Array()) {
    auto *object = value.getAsObject();
    auto file = object ? object->getString("file") : std::nullopt;
    if (!file)
      continue;
    const std::string directory = object->getString("directory").value_or(path::parent_path(list)).str();
    Entry entry{absolute(*file, directory), {}};
    if (auto *archs = object->getArray("archs"))
      for (const json::Value &arch : *archs)
        entry.options.archs.push_back(arch.getAsString().value_or("").str());
    if (auto *words = object->getArray("options"))
      entry.options.options = readOptions(*words, directory);
    result.push_back(std::move(entry));
  }
  return result;
}

} // namespace

bool FileOptions::operator==(const FileOptions &other) const {
  for (const OptionKind &kind : kinds)
    if (options.*kind.values != other.options.*kind.values)
      return false;
  return archs == other.archs;
}

std::optional<FileOptions> listedOptions(llvm::StringRef file) {
  if (!path::is_absolute(file))
    return std::nullopt;
  const std::string wanted = realPath(file);
  std::optional<FileOptions> neighbour;
  for (llvm::StringRef folder = path::parent_path(file); !folder.empty(); folder = path::parent_path(folder))
    for (llvm::StringRef where : {"", "build"}) {
      llvm::SmallString<256> list(folder);
      path::append(list, where, optionListName);
      for (const Entry &entry : readList(list)) {
        if (realPath(entry.file) == wanted)
          return entry.options;
        if (!neighbour && path::parent_path(realPath(entry.file)) == path::parent_path(wanted)) {
          neighbour = FileOptions{entry.options.archs, {}};
          neighbour->options.includeDirs = entry.options.options.includeDirs;
        }
      }
    }
  return neighbour;
}

driver::Options joined(driver::Options server, const FileOptions &file) {
  for (const OptionKind &kind : kinds) {
    auto &all = server.*kind.values;
    const auto &more = file.options.*kind.values;
    all.insert(all.end(), more.begin(), more.end());
  }
  return server;
}

} // namespace fly::editor
