// linkCodeObject: objects of kernel instances -> one HSACO, by lld in this process.
//
//   1. check every object (ELF, this architecture) and take its metadata note out of the link;
//   2. merge the notes, with an entry for each alias, into one small object that is linked first;
//   3. merge the units of debug information into one (DebugUnit.h);
//   4. lld -shared, each alias as `--defsym=alias.kd=symbol.kd`;
//   5. give the alias symbols the type, size and visibility of their targets (an assignment does not copy them).
//
// lld keeps global state, so links run one at a time. It reads and writes files, so each link has a private temporary
// directory, whose path does not appear in the output. If lld crashed, it must not run again in this process.
//
// linkForeignObject: an object of another compiler, which only step 4 is done with.
#include "compiler/codegen/pipeline/Compile.h"
#include "compiler/codegen/pipeline/DebugUnit.h"
#include "compiler/codegen/pipeline/Guard.h"
#include "compiler/codegen/pipeline/Metadata.h"
#include "compiler/codegen/pipeline/TargetRegistry.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

namespace fly::codegen {

std::mutex &targetRegistryTurn() {
  static std::mutex turn;
  return turn;
}

namespace {

using ElfType = llvm::object::ELF64LE;
using File = llvm::object::ELFFile<ElfType>;

Failure linkFailure(const llvm::Twine &message) { return {Failure::Stage::Link, message.str(), "", false}; }

/// A directory that is removed at the end of the scope.
class PrivateDirectory {
public:
  std::string create() {
    if (std::error_code error = llvm::sys::fs::createUniqueDirectory("flyc-link", path))
      return "no temporary directory: " + error.message();
    return "";
  }
  ~PrivateDirectory() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }
  std::string file(const llvm::Twine &name) const {
    llvm::SmallString<128> full(path);
    llvm::sys::path::append(full, name);
    return std::string(full);
  }

private:
  llvm::SmallString<128> path;
};

std::string writeFile(const std::string &path, llvm::StringRef content) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error)
    return path + ": " + error.message();
  out << content;
  out.close();
  if (out.has_error()) {
    std::string text = path + ": " + out.error().message();
    out.clear_error();
    return text;
  }
  return "";
}

/// One run at a time; lld's messages are returned without its name in front.
std::string runLld(const std::vector<std::string> &arguments) {
  static bool usable = true;
  const std::lock_guard turn(targetRegistryTurn());
  if (!usable)
    return "the linker crashed earlier and cannot run again in this process";
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string text;
  llvm::raw_string_ostream out(text);
  lld::Result result = lld::lldMain(pointers, out, out, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode == 0)
    return "";
  llvm::StringRef message = llvm::StringRef(text).trim();
  message.consume_front("ld.lld: ");
  message.consume_front("error: ");
  return message.empty() ? "the linker failed without a message" : message.str();
}

/// Step 4: the objects, in this order.
Result<std::string> linkShared(const std::vector<std::string> &objects, const std::vector<std::string> &options) {
  PrivateDirectory directory;
  if (std::string error = directory.create(); !error.empty())
    return linkFailure(error);
  const std::string output = directory.file("out.hsaco");
  std::vector<std::string> arguments = {"ld.lld", "-shared",      "--threads=1", "--build-id=none",
                                        "-m",     "elf64_amdgpu", "-o",          output};
  for (size_t i = 0; i < objects.size(); ++i) {
    std::string path = directory.file(llvm::Twine(i) + ".o");
    if (std::string error = writeFile(path, objects[i]); !error.empty())
      return linkFailure(error);
    arguments.push_back(path);
  }
  arguments.insert(arguments.end(), options.begin(), options.end());
  if (std::string error = runLld(arguments); !error.empty()) {
    auto [first, rest] = llvm::StringRef(error).split('\n');
    if (first.consume_front(directory.file(""))) // of a file that lld cannot read: "0.o: section header ..."
      first = first.split(": ").second;
    return Failure{Failure::Stage::Link, first.str(), rest.str(), false};
  }
  auto buffer = llvm::MemoryBuffer::getFile(output);
  if (!buffer)
    return linkFailure("the linker's output cannot be read: " + buffer.getError().message());
  return std::string((*buffer)->getBuffer());
}

/// Step 5, in both symbol tables.
std::string completeAliases(std::string &codeObject, const std::vector<Alias> &aliases) {
  llvm::Expected<File> file = File::create(codeObject);
  if (!file)
    return llvm::toString(file.takeError());
  auto sections = file->sections();
  if (!sections)
    return llvm::toString(sections.takeError());
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_SYMTAB && section.sh_type != llvm::ELF::SHT_DYNSYM)
      continue;
    auto symbols = file->symbols(&section);
    auto strings = file->getStringTableForSymtab(section);
    if (!symbols || !strings) {
      llvm::consumeError(symbols.takeError());
      llvm::consumeError(strings.takeError());
      return "unreadable symbol table";
    }
    std::map<llvm::StringRef, const ElfType::Sym *> byName;
    for (const ElfType::Sym &symbol : *symbols)
      if (llvm::Expected<llvm::StringRef> name = symbol.getName(*strings))
        byName[*name] = &symbol;
      else
        llvm::consumeError(name.takeError());
    for (const Alias &alias : aliases)
      for (const char *suffix : {"", ".kd"}) {
        std::string from = alias.symbol + suffix, to = alias.alias + suffix;
        if (!byName.count(from) || !byName.count(to))
          continue;
        const ElfType::Sym *original = byName[from];
        auto *copy = const_cast<ElfType::Sym *>(byName[to]);
        copy->st_size = original->st_size;
        copy->st_info = original->st_info;
        copy->st_other = original->st_other;
      }
  }
  return "";
}

} // namespace

/// Appended after the file, where ELF readers do not look: "flyseal", the version of the interface between code and
/// runtime, and the FNV-1a hash of all bytes before it, little endian. The runtime checks them (runtime/image.h), so
/// that a damaged file is not run.
static void seal(std::string &codeObject) {
  uint64_t hash = 14695981039346656037ull;
  for (unsigned char byte : codeObject)
    hash = (hash ^ byte) * 1099511628211ull;
  codeObject += "flyseal1";
  for (unsigned i = 0; i < 8; ++i)
    codeObject += static_cast<char>(hash >> 8 * i);
}

static bool isNote(uint32_t type, llvm::StringRef) { return type == llvm::ELF::SHT_NOTE; }

Result<std::string> linkCodeObject(const std::vector<std::string_view> &objects, const std::vector<Alias> &aliases,
                                   const target::Target &target) {
  initialize();
  if (objects.empty())
    return linkFailure("there is no kernel to link");

  std::vector<std::string> inputs(objects.begin(), objects.end());
  std::vector<llvm::StringRef> notes;
  for (std::string &input : inputs) {
    llvm::StringRef note;
    if (std::string error = findMetadata(input, note); !error.empty())
      return linkFailure("an object of the link is damaged: " + error);
    auto *header = reinterpret_cast<const ElfType::Ehdr *>(input.data());
    if ((header->e_flags & llvm::ELF::EF_AMDGPU_MACH) != target.elfMachine)
      return linkFailure("an object of the link is not for " + llvm::StringRef(target.name.data(), target.name.size()));
    if (std::string error = excludeSections(input, isNote); !error.empty())
      return linkFailure("an object of the link is damaged: " + error);
    notes.push_back(note);
  }
  std::string merged;
  if (std::string error = mergeMetadata(notes, aliases, merged); !error.empty())
    return linkFailure(error);
  Result<std::string> debugInfo = mergedDebugInfo(inputs, target);
  if (!debugInfo)
    return debugInfo;
  inputs.insert(inputs.begin(), objectWithNote(merged, inputs.front()));
  if (!debugInfo->empty())
    inputs.push_back(std::move(*debugInfo));

  std::vector<std::string> options = {"--no-undefined"};
  for (const Alias &alias : aliases)
    for (const char *suffix : {"", ".kd"})
      options.push_back("--defsym=" + alias.alias + suffix + "=" + alias.symbol + suffix);
  Result<std::string> codeObject = linkShared(inputs, options);
  if (!codeObject)
    return codeObject;
  if (std::string error = completeAliases(*codeObject, aliases); !error.empty())
    return linkFailure(error);
  seal(*codeObject);
  return codeObject;
}

Result<std::string> linkForeignObject(std::string_view object) {
  initialize();
  return linkShared({std::string(object)}, {});
}

} // namespace fly::codegen
