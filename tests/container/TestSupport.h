// What the tests of this folder share: files put together in memory. Code objects in them are ELF headers of AMD GPUs
// with a text after them, since nothing in compiler/container looks further.
#pragma once

#include "compiler/container/Container.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/MD5.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace fly::container::test {

template <class T> std::string bytesOf(const T &value) {
  return std::string(reinterpret_cast<const char *>(&value), sizeof value);
}
inline std::string number(uint64_t value, unsigned bytes = 8) { return bytesOf(value).substr(0, bytes); }
inline std::string padded(std::string text, size_t multiple) {
  text.resize((text.size() + multiple - 1) / multiple * multiple, '\0');
  return text;
}
template <class T> std::string errorOf(llvm::Expected<T> &expected) {
  return expected ? std::string() : llvm::toString(expected.takeError());
}

inline llvm::ELF::Elf64_Ehdr elfHeader(uint16_t machine) {
  llvm::ELF::Elf64_Ehdr header{};
  std::memcpy(header.e_ident, "\177ELF\2\1\1", 7);
  header.e_type = llvm::ELF::ET_DYN;
  header.e_machine = machine;
  header.e_ehsize = sizeof header;
  return header;
}
inline std::string deviceObject(const std::string &text) { return bytesOf(elfHeader(llvm::ELF::EM_AMDGPU)) + text; }

using Parts = std::vector<std::pair<std::string, std::string>>;
inline std::string device(const std::string &processor) { return "hipv4-amdgcn-amd-amdhsa--" + processor; }

inline std::string bundle(const Parts &parts, size_t alignment = 64) {
  uint64_t header = 32;
  for (auto &[id, code] : parts)
    header += 24 + id.size();
  const uint64_t start = (header + alignment - 1) / alignment * alignment;
  std::string table = "__CLANG_OFFLOAD_BUNDLE__" + number(parts.size()), content;
  for (auto &[id, code] : parts) {
    table += number(start + content.size()) + number(code.size()) + number(id.size()) + id;
    content = padded(content + code, alignment);
  }
  return padded(table, alignment) + content;
}

inline std::string compressed(const std::string &plain, unsigned version, bool isZstd) {
  llvm::SmallVector<uint8_t, 0> stream;
  llvm::compression::compress(isZstd ? llvm::compression::Format::Zstd : llvm::compression::Format::Zlib,
                              llvm::arrayRefFromStringRef(plain), stream);
  const unsigned width = version == 3 ? 8 : 4;
  std::string sizes = number(plain.size(), width);
  if (version >= 2)
    sizes = number(8 + 2 * width + 8 + stream.size(), width) + sizes;
  return "CCOB" + number(version, 2) + number(isZstd, 2) + sizes +
         number(llvm::MD5::hash(llvm::arrayRefFromStringRef(plain)).low()) + llvm::toStringRef(stream).str();
}

/// An ELF file of x86-64 with these sections.
inline std::string hostElf(const Parts &sections) {
  llvm::ELF::Elf64_Ehdr header = elfHeader(llvm::ELF::EM_X86_64);
  std::string names("\0.shstrtab\0", 11), content(sizeof header, '\0');
  std::vector<llvm::ELF::Elf64_Shdr> table(2);
  for (auto &[name, bytes] : sections) {
    llvm::ELF::Elf64_Shdr section{};
    section.sh_name = static_cast<uint32_t>(names.size());
    section.sh_type = llvm::ELF::SHT_PROGBITS;
    section.sh_offset = (content = padded(content, 64)).size();
    section.sh_size = bytes.size();
    content += bytes;
    names += name + '\0';
    table.push_back(section);
  }
  table[1].sh_name = 1;
  table[1].sh_type = llvm::ELF::SHT_STRTAB;
  table[1].sh_offset = content.size();
  table[1].sh_size = names.size();
  content = padded(content + names, 8);
  header.e_shoff = content.size();
  header.e_shentsize = sizeof table[0];
  header.e_shnum = static_cast<uint16_t>(table.size());
  header.e_shstrndx = 1;
  for (auto &section : table)
    content += bytesOf(section);
  return content.replace(0, sizeof header, bytesOf(header));
}

inline std::string archive(const Parts &members) {
  std::string out = "!<arch>\n", names;
  for (auto &[name, bytes] : members)
    names += name + "/\n";
  auto add = [&](std::string name, const std::string &bytes) {
    name.resize(48, ' ');
    std::string size = std::to_string(bytes.size());
    size.resize(10, ' ');
    out = padded(out + name + size + "`\n" + bytes, 2);
  };
  add("//", names);
  size_t at = 0;
  for (auto &[name, bytes] : members) {
    add("/" + std::to_string(at), bytes);
    at += name.size() + 2;
  }
  return out;
}

/// What a walk finds, as lines: paths with the text after the ELF header, and damage.
struct Walked : Visitor {
  Contents contents;
  std::vector<std::string> objects, damages;

  explicit Walked(llvm::StringRef bytes, const Limits &limits = {}) { contents = walk(bytes, *this, limits); }
  bool object(const Found &found) override {
    std::string text = found.bytes.drop_front(std::min<size_t>(64, found.bytes.size())).str();
    objects.push_back(found.path + " " + text);
    return true;
  }
  void damage(const std::string &path, const std::string &what) override { damages.push_back(path + ": " + what); }
};

} // namespace fly::container::test
