// See HostObject.h. The file has one section of content, `.rodata.fly`, without relocations; what depends on the
// machine is a number in its header (gABI 4.1; the flags of RISC-V from its psABI: compressed code, floats in
// registers).
#include "compiler/artifact/HostObject.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <cstring>

namespace fly::artifact {

namespace {

namespace elf = llvm::ELF;

struct Machine {
  const char *name;
  uint16_t code;
  uint32_t flags;
};
constexpr Machine machines[] = {
    {"x86_64", elf::EM_X86_64, 0},
    {"aarch64", elf::EM_AARCH64, 0},
    {"riscv64", elf::EM_RISCV, elf::EF_RISCV_RVC | elf::EF_RISCV_FLOAT_ABI_DOUBLE},
};

#if defined(__x86_64__)
constexpr const char *thisMachine = "x86_64";
#elif defined(__aarch64__)
constexpr const char *thisMachine = "aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
constexpr const char *thisMachine = "riscv64";
#else
constexpr const char *thisMachine = "";
#endif

constexpr size_t codeAlignment = 64; // a cache line; HIP copies the bytes

void pad(std::string &bytes, size_t alignment) { bytes.resize(llvm::alignTo(bytes.size(), alignment)); }

/// The structures are written with their in-memory layout: all three machines, and those that flyc runs on, are
/// little-endian.
template <typename T> void append(std::string &bytes, const T &value) {
  static_assert(llvm::endianness::native == llvm::endianness::little);
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

} // namespace

uint64_t hashOf(const ModuleInfo &module) {
  uint64_t hash = 14695981039346656037ull;
  auto add = [&](const std::string &bytes) {
    for (unsigned char byte : bytes)
      hash = (hash ^ byte) * 1099511628211ull;
    hash = (hash ^ bytes.size()) * 1099511628211ull;
  };
  add(module.name);
  for (const ArchInfo &arch : module.archs) {
    add(arch.arch);
    add(arch.hsaco);
  }
  return hash;
}

std::string codeSymbol(const ModuleInfo &module, const ArchInfo &arch) {
  return "fly_code_" + module.name + "_" + arch.arch + "_" +
         llvm::utohexstr(hashOf(module), /*LowerCase=*/true, /*Width=*/16);
}

std::optional<std::string> toHostObject(const ModuleInfo &module, const std::string &name, std::string &problem) {
  const std::string wanted = name.empty() ? thisMachine : name;
  const Machine *machine = nullptr;
  for (const Machine &one : machines)
    if (wanted == one.name)
      machine = &one;
  if (!machine) {
    problem = "choose one of x86_64, aarch64, riscv64";
    return std::nullopt;
  }

  // Content and symbols.
  std::string code, symbols, strings(1, '\0');
  append(symbols, elf::Elf64_Sym{});
  constexpr uint16_t codeSection = 1, stackSection = 2, symbolSection = 3, stringSection = 4, nameSection = 5,
                     sections = 6;
  (void)stackSection, (void)symbolSection;
  for (const ArchInfo &arch : module.archs) {
    pad(code, codeAlignment);
    elf::Elf64_Sym symbol{};
    symbol.st_name = uint32_t(strings.size());
    symbol.setBindingAndType(elf::STB_WEAK, elf::STT_OBJECT);
    symbol.st_shndx = codeSection;
    symbol.st_value = code.size();
    symbol.st_size = arch.hsaco.size();
    append(symbols, symbol);
    strings += codeSymbol(module, arch) + '\0';
    code += arch.hsaco;
  }

  std::string names(1, '\0'), bytes(sizeof(elf::Elf64_Ehdr), '\0');
  std::vector<elf::Elf64_Shdr> headers(1);
  auto section = [&](const char *sectionName, uint32_t type, uint64_t flags, size_t alignment,
                     const std::string &content) -> elf::Elf64_Shdr & {
    pad(bytes, alignment);
    elf::Elf64_Shdr header{};
    header.sh_name = uint32_t(names.size());
    names += std::string(sectionName) + '\0';
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_offset = bytes.size();
    header.sh_size = content.size();
    header.sh_addralign = alignment;
    bytes += content;
    return headers.emplace_back(header);
  };
  section(".rodata.fly", elf::SHT_PROGBITS, elf::SHF_ALLOC, codeAlignment, code);
  section(".note.GNU-stack", elf::SHT_PROGBITS, 0, 1, ""); // no executable stack is needed
  elf::Elf64_Shdr &table = section(".symtab", elf::SHT_SYMTAB, 0, 8, symbols);
  table.sh_link = stringSection;
  table.sh_info = 1; // the first symbol that is not local
  table.sh_entsize = sizeof(elf::Elf64_Sym);
  section(".strtab", elf::SHT_STRTAB, 0, 1, strings);
  names += std::string(".shstrtab") + '\0';
  const uint32_t ownName = uint32_t(names.size() - sizeof ".shstrtab");
  const std::string allNames = names;
  section("", elf::SHT_STRTAB, 0, 1, allNames).sh_name = ownName;
  pad(bytes, 8);

  elf::Elf64_Ehdr file{};
  std::memcpy(file.e_ident, elf::ElfMagic, 4);
  file.e_ident[elf::EI_CLASS] = elf::ELFCLASS64;
  file.e_ident[elf::EI_DATA] = elf::ELFDATA2LSB;
  file.e_ident[elf::EI_VERSION] = elf::EV_CURRENT;
  file.e_type = elf::ET_REL;
  file.e_machine = machine->code;
  file.e_version = elf::EV_CURRENT;
  file.e_flags = machine->flags;
  file.e_shoff = bytes.size();
  file.e_ehsize = sizeof(elf::Elf64_Ehdr);
  file.e_shentsize = sizeof(elf::Elf64_Shdr);
  file.e_shnum = sections;
  file.e_shstrndx = nameSection;
  std::memcpy(bytes.data(), &file, sizeof file);
  for (const elf::Elf64_Shdr &header : headers)
    append(bytes, header);
  return bytes;
}

} // namespace fly::artifact
