// Where clang puts device code in programs, libraries and objects of the host:
//
//     .hip_fatbin                       bundles one after another, one per source file
//     .llvm.offloading                  offload binaries, of the new driver
//     __CLANG_OFFLOAD_BUNDLE__<target>  one object each, by clang-offload-bundler
#include "compiler/container/Bytes.h"
#include "compiler/container/Formats.h"

#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace fly::container {

using namespace llvm::ELF;

bool isElf(llvm::StringRef bytes) { return bytes.starts_with("\177ELF"); }

bool isDeviceElf(llvm::StringRef bytes) {
  uint16_t machine;
  return isElf(bytes) && get(bytes, 18, machine) && machine == EM_AMDGPU;
}

namespace {

bool isOfDevice(llvm::StringRef name) {
  return name == ".hip_fatbin" || name == ".llvm.offloading" || name.starts_with("__CLANG_OFFLOAD_BUNDLE__");
}

} // namespace

llvm::Error readDeviceSections(llvm::StringRef bytes, Part part) {
  Elf64_Ehdr header;
  if (!get(bytes, 0, header))
    return failure("the ELF header is truncated after " + llvm::Twine(bytes.size()) + " bytes");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_shoff == 0)
    return llvm::Error::success(); // no host of AMD GPUs, or without sections
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    return failure("e_shentsize of the ELF header is " + llvm::Twine(header.e_shentsize));
  Elf64_Shdr first;
  if (!get(bytes, header.e_shoff, first))
    return failure("e_shoff of the ELF header is " + hex(header.e_shoff) + ", outside of the file");
  // Numbers that do not fit the header are in the first section.
  const uint64_t count = header.e_shnum ? header.e_shnum : first.sh_size;
  const uint64_t namesAt = header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx;
  if (count > (bytes.size() - header.e_shoff) / sizeof first)
    return failure("the ELF file has " + llvm::Twine(count) +
                   " sections according to its header, which do not fit into it");
  if (namesAt == SHN_UNDEF)
    return llvm::Error::success();
  Elf64_Shdr namesHeader;
  llvm::StringRef names;
  if (namesAt >= count || !get(bytes, header.e_shoff + namesAt * sizeof first, namesHeader) ||
      !slice(bytes, namesHeader.sh_offset, namesHeader.sh_size, names))
    return failure("the names of the ELF file's sections (section " + llvm::Twine(namesAt) + ") are outside of it");
  std::vector<std::tuple<uint64_t, uint64_t, llvm::StringRef>> found; // offset, size, name
  for (uint64_t i = 0; i < count; ++i) {
    Elf64_Shdr section;
    get(bytes, header.e_shoff + i * sizeof section, section);
    llvm::StringRef name = names.substr(section.sh_name).take_until([](char c) { return c == '\0'; }), content;
    if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL || !isOfDevice(name))
      continue;
    if (section.sh_flags & SHF_COMPRESSED)
      return failure("section " + shown(name) + " is compressed like debug information");
    if (!slice(bytes, section.sh_offset, section.sh_size, content))
      return failure("section " + shown(name) + " has offset " + hex(section.sh_offset) + " and size " +
                     hex(section.sh_size) + ", outside of the file");
    found.push_back({section.sh_offset, section.sh_size, name});
  }
  std::sort(found.begin(), found.end());
  uint64_t end = 0;
  for (auto &[offset, size, name] : found) {
    if (offset < end)
      return failure("section " + shown(name) + " at offset " + hex(offset) + " overlaps the one before it");
    end = offset + size;
  }
  for (auto &[offset, size, name] : found)
    if (!part(name, bytes.substr(offset, size)))
      break;
  return llvm::Error::success();
}

} // namespace fly::container
