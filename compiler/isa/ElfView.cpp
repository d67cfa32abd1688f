// Reads the skeleton of an ELF64 file: header, program headers, section headers, each checked against the file's size.
#include "compiler/isa/ElfView.h"

#include "compiler/isa/Machine.h"

namespace fly::isa {

using namespace llvm::ELF;

llvm::Expected<ElfView> ElfView::read(llvm::ArrayRef<uint8_t> bytes) {
  ElfView view;
  view.file.data = bytes;
  Elf64_Ehdr &h = view.header;
  if (!view.file.get(0, h))
    return makeError("not a code object: " + llvm::Twine(bytes.size()) + " bytes are too few for an ELF header");
  if (std::memcmp(h.e_ident, ElfMagic, 4) != 0)
    return makeError("not a code object: it does not begin like an ELF file");
  if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB)
    return makeError("not an AMD GPU code object: the ELF file is not 64-bit little-endian");
  if (h.e_machine != EM_AMDGPU)
    return makeError("not an AMD GPU code object: ELF machine " + llvm::Twine(h.e_machine) + " instead of " +
                     llvm::Twine(unsigned(EM_AMDGPU)));

  if (h.e_phnum && h.e_phentsize != sizeof(Elf64_Phdr))
    return makeError("damaged code object: e_phentsize is " + llvm::Twine(h.e_phentsize));
  for (unsigned i = 0; i < h.e_phnum; ++i) {
    Elf64_Phdr p;
    if (h.e_phoff > bytes.size() || !view.file.get(h.e_phoff + i * sizeof p, p))
      return makeError("damaged code object: program header " + llvm::Twine(i) + " is outside the file");
    view.programHeaders.push_back(p);
  }
  if (h.e_shnum && h.e_shentsize != sizeof(Elf64_Shdr))
    return makeError("damaged code object: e_shentsize is " + llvm::Twine(h.e_shentsize));
  for (unsigned i = 0; i < h.e_shnum; ++i) {
    Elf64_Shdr s;
    if (h.e_shoff > bytes.size() || !view.file.get(h.e_shoff + i * sizeof s, s))
      return makeError("damaged code object: section header " + llvm::Twine(i) + " is outside the file");
    view.sections.push_back(s);
  }
  return view;
}

llvm::Expected<Bytes> ElfView::content(const Elf64_Shdr &section) const {
  Bytes bytes;
  if (section.sh_type == SHT_NOBITS) return bytes;
  if (!file.slice(section.sh_offset, section.sh_size, bytes.data))
    return makeError("damaged code object: section " + llvm::Twine(&section - sections.data()) +
                     " is outside the file");
  return bytes;
}

Bytes ElfView::section(llvm::StringRef name) const {
  Bytes names, found;
  if (header.e_shstrndx >= sections.size()) return found;
  auto read = [&](const Elf64_Shdr &s, Bytes &to) {
    return s.sh_type != SHT_NOBITS && !(s.sh_flags & SHF_COMPRESSED) && file.slice(s.sh_offset, s.sh_size, to.data);
  };
  if (!read(sections[header.e_shstrndx], names)) return found;
  for (const Elf64_Shdr &s : sections)
    if (llvm::StringRef text; names.text(s.sh_name, text) && text == name && read(s, found)) return found;
  return {};
}

} // namespace fly::isa
