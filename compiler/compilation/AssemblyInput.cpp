// See AssemblyInput.h.
#include "compiler/compilation/AssemblyInput.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/Magic.h"

#include <cstring>

namespace fly::driver {

std::string targetIn(llvm::StringRef assembly) {
  for (llvm::StringRef marker : {".amdgcn_target", "amdhsa.target:"})
    if (size_t at = assembly.find(marker); at != llvm::StringRef::npos) {
      llvm::StringRef line = assembly.drop_front(at).split('\n').first;
      line = line.drop_front(line.find("--") == llvm::StringRef::npos ? line.size() : line.find("--") + 2);
      return line.take_while([](char c) { return llvm::isAlnum(c) || c == ':' || c == '+' || c == '-'; }).str();
    }
  return "";
}

std::string architectureIn(llvm::StringRef assembly) {
  return llvm::StringRef(targetIn(assembly)).split(':').first.str();
}

bool isRelocatable(llvm::StringRef bytes) {
  llvm::ELF::Elf64_Ehdr header;
  if (bytes.size() < sizeof(header) || llvm::identify_magic(bytes) != llvm::file_magic::elf_relocatable)
    return false;
  std::memcpy(&header, bytes.data(), sizeof(header));
  return header.e_machine == llvm::ELF::EM_AMDGPU;
}

} // namespace fly::driver
