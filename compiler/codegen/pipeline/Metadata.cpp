// See Metadata.h. ELF files are read by LLVM's checked reader; the only file that we write ourselves has a single note
// section: header, note, names, three section headers.
#include "compiler/codegen/pipeline/Metadata.h"

#include "compiler/codegen/pipeline/Compile.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Error.h"

#include <cstring>
#include <set>

namespace fly::codegen {

namespace {

using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
using namespace llvm::ELF;

std::string textOf(llvm::Error error) { return llvm::toString(std::move(error)); }

void append(std::string &bytes, const void *data, size_t size) { bytes.append(static_cast<const char *>(data), size); }
void padTo(std::string &bytes, size_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

} // namespace

std::string findMetadata(llvm::StringRef elf, llvm::StringRef &metadata) {
  if (elf.size() < sizeof(Elf64_Ehdr) || !elf.starts_with(llvm::StringRef(ElfMagic, 4)) ||
      elf[EI_CLASS] != ELFCLASS64 || elf[EI_DATA] != ELFDATA2LSB)
    return "not a 64-bit little-endian ELF file";
  llvm::Expected<File> file = File::create(elf);
  if (!file)
    return textOf(file.takeError());
  if (file->getHeader().e_machine != EM_AMDGPU)
    return "an ELF file for a machine other than AMDGPU";
  auto sections = file->sections();
  if (!sections)
    return textOf(sections.takeError());
  for (const auto &section : *sections) {
    if (section.sh_type != SHT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : file->notes(section, error)) {
      if (note.getName() != "AMDGPU" || note.getType() != NT_AMDGPU_METADATA)
        continue;
      metadata = note.getDescAsStringRef(section.sh_addralign ? static_cast<size_t>(section.sh_addralign) : 4);
      llvm::consumeError(std::move(error));
      return "";
    }
    if (error)
      return textOf(std::move(error));
  }
  return "no AMDGPU metadata note";
}

bool parseMetadata(llvm::StringRef bytes, llvm::msgpack::Document &document) {
  if (!document.readFromBlob(bytes, /*Multi=*/false) || !document.getRoot().isMap())
    return false;
  auto &root = document.getRoot().getMap();
  auto kernels = root.find("amdhsa.kernels");
  if (kernels == root.end() || !kernels->second.isArray())
    return false;
  for (llvm::msgpack::DocNode &kernel : kernels->second.getArray()) {
    if (!kernel.isMap())
      return false;
    for (llvm::StringRef key : {".name", ".symbol"}) {
      auto value = kernel.getMap().find(key);
      if (value == kernel.getMap().end() || !value->second.isString())
        return false;
    }
  }
  return true;
}

std::string mergeMetadata(const std::vector<llvm::StringRef> &notes, const std::vector<Alias> &aliases,
                          std::string &merged) {
  llvm::msgpack::Document all;
  std::set<std::string> names;
  for (llvm::StringRef note : notes) {
    // Reads it into a separate document and appends its kernels as text, because nodes cannot move between documents.
    llvm::msgpack::Document one;
    if (!parseMetadata(note, one))
      return "damaged metadata note";
    for (llvm::msgpack::DocNode &kernel : one.getRoot().getMap()["amdhsa.kernels"].getArray())
      if (!names.insert(kernel.getMap()[".name"].getString().str()).second)
        return "two kernels are named `" + kernel.getMap()[".name"].getString().str() + "`";
    auto appendLists = [](llvm::msgpack::DocNode *to, llvm::msgpack::DocNode from, llvm::msgpack::DocNode) -> int {
      if (to->isArray() && from.isArray())
        return static_cast<int>(to->getArray().size()); // elements of `from` follow those of `to`
      return to->getKind() == from.getKind() ? 0 : -1;
    };
    if (!all.readFromBlob(note, /*Multi=*/false, appendLists))
      return "damaged metadata note";
  }
  auto &root = all.getRoot().getMap();
  // "amdhsa.version" is a list too, and the same everywhere: keep the first pair.
  auto &version = root["amdhsa.version"].getArray(/*Convert=*/true);
  auto pair = all.getArrayNode();
  for (unsigned i = 0; i < 2 && i < version.size(); ++i)
    pair.push_back(version[i]);
  root["amdhsa.version"] = pair;

  auto &kernels = root["amdhsa.kernels"].getArray(/*Convert=*/true);
  for (const Alias &alias : aliases) {
    if (!names.insert(alias.alias).second)
      return "two kernels are named `" + alias.alias + "`";
    size_t original = 0;
    while (original < kernels.size() && kernels[original].getMap()[".name"].getString() != alias.symbol)
      ++original;
    if (original == kernels.size())
      return "`" + alias.alias + "` cannot be a second name of `" + alias.symbol + "`, which is not in the code object";
    auto copy = all.getMapNode();
    for (auto &[key, value] : kernels[original].getMap())
      copy[key] = value;
    copy[".name"] = all.getNode(alias.alias, /*Copy=*/true);
    copy[".symbol"] = all.getNode(alias.alias + ".kd", /*Copy=*/true);
    kernels.push_back(copy);
  }
  all.writeToBlob(merged);
  return "";
}

std::string objectWithNote(llvm::StringRef metadata, llvm::StringRef like) {
  static constexpr char names[] = "\0.note\0.shstrtab";
  static constexpr char owner[8] = "AMDGPU"; // with its zero, padded to four
  Elf64_Ehdr header;
  std::memcpy(&header, like.data(), sizeof header);

  std::string bytes(sizeof header, '\0');
  const size_t noteStart = bytes.size();
  const Elf64_Nhdr note = {7, static_cast<Elf64_Word>(metadata.size()), NT_AMDGPU_METADATA};
  append(bytes, &note, sizeof note);
  append(bytes, owner, sizeof owner);
  bytes += metadata;
  padTo(bytes, 4);
  const size_t noteEnd = bytes.size();
  append(bytes, names, sizeof names);
  const size_t namesEnd = bytes.size();
  padTo(bytes, 8);

  Elf64_Shdr sections[3] = {};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_NOTE;
  sections[1].sh_flags = SHF_ALLOC;
  sections[1].sh_offset = noteStart;
  sections[1].sh_size = noteEnd - noteStart;
  sections[1].sh_addralign = 4;
  sections[2].sh_name = 7;
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = noteEnd;
  sections[2].sh_size = namesEnd - noteEnd;
  sections[2].sh_addralign = 1;
  header.e_shoff = bytes.size();
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  append(bytes, sections, sizeof sections);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

std::string excludeSections(std::string &object, llvm::function_ref<bool(uint32_t type, llvm::StringRef name)> chosen) {
  llvm::Expected<File> file = File::create(object);
  if (!file)
    return textOf(file.takeError());
  auto sections = file->sections();
  if (!sections)
    return textOf(sections.takeError());
  for (const auto &section : *sections) {
    auto name = file->getSectionName(section);
    if (!name)
      llvm::consumeError(name.takeError());
    if (!chosen(section.sh_type, name ? *name : llvm::StringRef()))
      continue;
    // The checked reader has shown that the header lies inside `object`.
    size_t offset = reinterpret_cast<const char *>(&section) - object.data();
    const_cast<llvm::object::ELF64LE::Shdr *>(
        reinterpret_cast<const llvm::object::ELF64LE::Shdr *>(object.data() + offset))
        ->sh_flags = section.sh_flags | SHF_EXCLUDE;
  }
  return "";
}

} // namespace fly::codegen
