// Private: an ELF64 file's structures with every access checked.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Error.h"

#include <cstring>
#include <type_traits>
#include <vector>

namespace fly::isa {

/// A view of part of the file that never reads outside it. Little-endian, as AMD GPUs and all hosts they sit in.
struct Bytes {
  llvm::ArrayRef<uint8_t> data;

  /// [offset, offset+size); nothing if any part is outside.
  bool slice(uint64_t offset, uint64_t size, llvm::ArrayRef<uint8_t> &out) const {
    if (offset > data.size() || size > data.size() - offset) return false;
    out = data.slice(offset, size);
    return true;
  }
  template <class T> bool get(uint64_t offset, T &out) const {
    static_assert(std::is_trivially_copyable_v<T>);
    llvm::ArrayRef<uint8_t> from;
    if (!slice(offset, sizeof(T), from)) return false;
    std::memcpy(&out, from.data(), sizeof(T));
    return true;
  }
  /// The zero-terminated text at `offset`; false if it does not end within.
  bool text(uint64_t offset, llvm::StringRef &out) const {
    if (offset >= data.size()) return false;
    const char *begin = reinterpret_cast<const char *>(data.data()) + offset;
    const void *end = std::memchr(begin, 0, data.size() - offset);
    if (!end) return false;
    out = llvm::StringRef(begin, static_cast<const char *>(end) - begin);
    return true;
  }
};

struct ElfView {
  Bytes file;
  llvm::ELF::Elf64_Ehdr header{};
  std::vector<llvm::ELF::Elf64_Phdr> programHeaders;
  std::vector<llvm::ELF::Elf64_Shdr> sections;

  static llvm::Expected<ElfView> read(llvm::ArrayRef<uint8_t> bytes);
  /// The content of a section; an error if it is not in the file.
  llvm::Expected<Bytes> content(const llvm::ELF::Elf64_Shdr &section) const;
  /// The content of the section of that name; empty if there is none that can be read.
  Bytes section(llvm::StringRef name) const;
};

} // namespace fly::isa
