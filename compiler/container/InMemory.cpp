#include "compiler/container/InMemory.h"

#include "compiler/container/Bundle.h"
#include "compiler/container/Bytes.h"
#include "compiler/container/Formats.h"

#include "llvm/BinaryFormat/ELF.h"

namespace fly::container {

using namespace llvm::ELF;

namespace {

/// Larger images do not occur; offsets beyond it are damage, and sums of two of them fit 64 bits.
constexpr uint64_t largest = uint64_t(4) << 30;
constexpr uint64_t mostEntries = 4096; // there are not that many targets

struct Image {
  const char *start;
  llvm::function_ref<bool(uint64_t, uint64_t)> readable;

  template <class T> bool get(uint64_t offset, T &to) const {
    if (offset > largest || !readable(offset, sizeof to))
      return false;
    std::memcpy(&to, start + offset, sizeof to);
    return true;
  }
  /// [offset, offset + size) is part of the image; `end` grows to hold it. What is empty may be anywhere.
  bool add(uint64_t offset, uint64_t size, uint64_t &end) const {
    if (size == 0)
      return true;
    if (offset > largest || size > largest || !readable(offset, size))
      return false;
    end = std::max(end, offset + size);
    return true;
  }
  bool beginsWith(llvm::StringRef text) const {
    return readable(0, text.size()) && llvm::StringRef(start, text.size()) == text;
  }
};

llvm::Error unreadable(const llvm::Twine &what) { return failure(what + " is outside of the memory that can be read"); }

/// Up to the last of the headers, segments and sections; which is last differs between linkers and after `strip`.
llvm::Expected<uint64_t> elfSize(const Image &image) {
  Elf64_Ehdr header;
  uint64_t end = 0;
  if (!image.get(0, header))
    return unreadable("the ELF header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return failure("the ELF image is not 64-bit little-endian");
  if (header.e_phnum && header.e_phentsize != sizeof(Elf64_Phdr))
    return failure("e_phentsize of the ELF header is " + llvm::Twine(header.e_phentsize));
  if (header.e_shnum && header.e_shentsize != sizeof(Elf64_Shdr))
    return failure("e_shentsize of the ELF header is " + llvm::Twine(header.e_shentsize));
  image.add(0, sizeof header, end);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (header.e_phoff > largest || !image.get(header.e_phoff + i * sizeof segment, segment))
      return unreadable("program header " + llvm::Twine(i));
    if (!image.add(segment.p_offset, segment.p_filesz, end))
      return unreadable("segment " + llvm::Twine(i));
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (header.e_shoff > largest || !image.get(header.e_shoff + i * sizeof section, section))
      return unreadable("section header " + llvm::Twine(i));
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        !image.add(section.sh_offset, section.sh_size, end))
      return unreadable("section " + llvm::Twine(i));
  }
  image.add(header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf64_Phdr), end);
  image.add(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr), end);
  return end;
}

llvm::Expected<uint64_t> bundleSize(const Image &image) {
  uint64_t at = 24, count, end = 0;
  if (!image.get(at, count))
    return unreadable("the offload bundle's number of entries");
  if (count > mostEntries)
    return failure("the offload bundle has " + llvm::Twine(count) + " entries according to its header");
  at += 8;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t fields[3]; // offset, size, length of the name
    if (!image.get(at, fields) || !image.add(at + 24, fields[2], end))
      return unreadable("entry " + llvm::Twine(i) + " of the offload bundle");
    at += 24 + fields[2];
    if (fields[1] && !image.add(fields[0], fields[1], end))
      return unreadable("the code of entry " + llvm::Twine(i) + " of the offload bundle");
  }
  return std::max(end, at);
}

llvm::Expected<uint64_t> compressedSize(const Image &image) {
  constexpr uint64_t longestHeader = 32, step = 1 << 16;
  uint64_t there = longestHeader;
  while (there && !image.readable(0, there))
    --there;
  auto header = readCompressedHeader(llvm::StringRef(image.start, there));
  if (!header)
    return header.takeError();
  if (header->size) {
    uint64_t end = 0;
    if (!image.add(0, *header->size, end))
      return unreadable("the end of the compressed offload bundle");
    return end;
  }
  // What does not shrink is stored with a few bytes per block.
  const uint64_t most = header->headerBytes + header->inflated + header->inflated / 64 + step;
  uint64_t end = header->headerBytes;
  while (end < most && image.readable(end, step))
    end += step;
  for (uint64_t part = step / 2; part; part /= 2)
    if (image.readable(end, part))
      end += part;
  return end;
}

} // namespace

llvm::Expected<uint64_t> sizeInMemory(const char *start,
                                      llvm::function_ref<bool(uint64_t offset, uint64_t size)> readable) {
  const Image image{start, readable};
  using Size = llvm::Expected<uint64_t>;
  Size size = image.beginsWith("\177ELF")                    ? elfSize(image)
              : image.beginsWith("__CLANG_OFFLOAD_BUNDLE__") ? bundleSize(image)
              : image.beginsWith("CCOB") ? compressedSize(image)
                                         : Size(failure("it does not begin like a code object or an offload bundle"));
  // A wrong offset may lead to other memory that can be read, with a hole before it.
  if (size && !readable(0, *size))
    return unreadable("some of its " + llvm::Twine(*size) + " bytes");
  return size;
}

} // namespace fly::container
