// Reads a code object. Each step needs the previous ones: the architecture determines how a descriptor is unpacked, the
// symbols name the descriptors, the metadata refers to them.
//
//   1. header       architecture from e_flags
//   2. segments     PT_LOAD; from here on addresses can be looked up
//   3. symbols      .dynsym and .symtab, joined
//   4. relocations  SHT_RELA sections that are loaded
//   5. kernels      each symbol NAME.kd is a descriptor; its code is the symbol at descriptor + entry offset
//   6. code         of kernels whose symbols have no size: up to the next code, or to the section's end
//   7. notes        metadata, and where the descriptors say otherwise
//   8. line table
#include "compiler/isa/CodeObject.h"

#include "compiler/isa/CodeObjectReader.h"
#include "compiler/isa/Decoder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

namespace fly::isa {

using namespace llvm::ELF;

namespace {
/// "gfx701": architectures that LLVM has no disassembler for, by their numbers in e_flags; empty for others.
const char *undecodable(unsigned mach) {
  switch (mach) {
  case EF_AMDGPU_MACH_AMDGCN_GFX600: return "gfx600";
  case EF_AMDGPU_MACH_AMDGCN_GFX601: return "gfx601";
  case EF_AMDGPU_MACH_AMDGCN_GFX602: return "gfx602";
  case EF_AMDGPU_MACH_AMDGCN_GFX700: return "gfx700";
  case EF_AMDGPU_MACH_AMDGCN_GFX701: return "gfx701";
  case EF_AMDGPU_MACH_AMDGCN_GFX702: return "gfx702";
  case EF_AMDGPU_MACH_AMDGCN_GFX703: return "gfx703";
  case EF_AMDGPU_MACH_AMDGCN_GFX704: return "gfx704";
  case EF_AMDGPU_MACH_AMDGCN_GFX705: return "gfx705";
  default: return nullptr;
  }
}

/// Recognises clang's bundles of code objects for several architectures; null for other files.
const char *bundleOf(llvm::StringRef bytes) {
  if (bytes.starts_with("__CLANG_OFFLOAD_BUNDLE__")) return "an offload bundle";
  if (bytes.starts_with("CCOB")) return "a compressed offload bundle";
  return nullptr;
}

llvm::Error damaged(const llvm::Twine &what) { return makeError("damaged code object: " + what); }
std::string hex(uint64_t v) { return "0x" + llvm::utohexstr(v, true); }
} // namespace

llvm::Error CodeObjectReader::readHeader() {
  object.eFlags = elf.header.e_flags;
  object.abi = elf.header.e_ident[EI_ABIVERSION];
  row = target::findMachine(object.eFlags);
  if (!row) {
    if (const char *name = undecodable(object.eFlags & EF_AMDGPU_MACH))
      return makeError(llvm::Twine("code object for ") + name + ", which LLVM has no disassembler for");
    return makeError("code object for an unknown architecture, e_flags " + hex(object.eFlags));
  }
  object.arch = row->name;
  if (elf.header.e_type != ET_DYN)
    return makeError("not a linked code object: ELF type " + llvm::Twine(elf.header.e_type) +
                     "; link it as a shared object first");
  return llvm::Error::success();
}

llvm::Error CodeObjectReader::readSegments() {
  for (const Elf64_Phdr &p : elf.programHeaders) {
    if (p.p_type != PT_LOAD) continue;
    Segment s;
    s.address = p.p_vaddr;
    s.memorySize = p.p_memsz;
    s.read = p.p_flags & PF_R;
    s.write = p.p_flags & PF_W;
    s.execute = p.p_flags & PF_X;
    if (!elf.file.slice(p.p_offset, p.p_filesz, s.data))
      return damaged("the segment at " + hex(p.p_vaddr) + " is outside the file");
    // A segment far larger than its file part can only be damage: nothing a kernel needs is that large.
    if (p.p_filesz > p.p_memsz || p.p_memsz > (uint64_t(1) << 32) || p.p_vaddr > (uint64_t(1) << 40))
      return damaged("the segment at " + hex(p.p_vaddr) + " has an impossible size");
    object.segmentList.push_back(s);
  }
  if (object.segmentList.empty()) return damaged("it has no segment to load");
  return llvm::Error::success();
}

std::vector<Symbol> CodeObjectReader::symbolsOf(const Elf64_Shdr &section, llvm::Error &error) const {
  llvm::ErrorAsOutParameter out(error);
  std::vector<Symbol> result;
  auto fail = [&](llvm::Error e) {
    error = std::move(e);
    return std::vector<Symbol>();
  };
  if (section.sh_link >= elf.sections.size()) return fail(damaged("a symbol table has no names"));
  auto table = elf.content(section);
  if (!table) return fail(table.takeError());
  auto names = elf.content(elf.sections[section.sh_link]);
  if (!names) return fail(names.takeError());
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->data.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym from;
    table->get(at, from);
    llvm::StringRef name;
    if (from.st_name && !names->text(from.st_name, name)) return fail(damaged("a symbol's name is outside the names"));
    Symbol s;
    s.name = name.str();
    s.address = from.st_value;
    s.size = from.st_size;
    s.type = from.st_info & 15;
    s.defined = from.st_shndx != SHN_UNDEF;
    result.push_back(std::move(s));
  }
  return result;
}

llvm::Error CodeObjectReader::readSymbols() {
  llvm::StringSet<> seen;
  for (unsigned wanted : {SHT_DYNSYM, SHT_SYMTAB})
    for (const Elf64_Shdr &section : elf.sections) {
      if (section.sh_type != wanted) continue;
      llvm::Error error = llvm::Error::success();
      std::vector<Symbol> found = symbolsOf(section, error);
      if (error) return error;
      for (Symbol &s : found)
        if (!s.name.empty() && seen.insert(s.name).second) object.symbolList.push_back(std::move(s));
    }
  return llvm::Error::success();
}

llvm::Error CodeObjectReader::readRelocations() {
  for (const Elf64_Shdr &section : elf.sections) {
    if (section.sh_type != SHT_RELA || !(section.sh_flags & SHF_ALLOC)) continue;
    auto table = elf.content(section);
    if (!table) return table.takeError();
    std::vector<Symbol> symbols;
    if (section.sh_link && section.sh_link < elf.sections.size() &&
        elf.sections[section.sh_link].sh_type == SHT_DYNSYM) {
      llvm::Error error = llvm::Error::success();
      symbols = symbolsOf(elf.sections[section.sh_link], error);
      if (error) return error;
    }
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= table->data.size(); at += sizeof(Elf64_Rela)) {
      Elf64_Rela from;
      table->get(at, from);
      Relocation r;
      r.address = from.r_offset;
      r.type = static_cast<uint32_t>(from.r_info);
      r.addend = from.r_addend;
      if (uint64_t index = from.r_info >> 32) {
        if (index >= symbols.size())
          return damaged("a relocation refers to symbol " + llvm::Twine(index) + " of " + llvm::Twine(symbols.size()));
        r.symbol = symbols[index].name;
        r.symbolAddress = symbols[index].address;
      }
      object.relocationList.push_back(std::move(r));
    }
  }
  return llvm::Error::success();
}

llvm::Error CodeObjectReader::readKernels() {
  for (const Symbol &symbol : object.symbolList) {
    llvm::StringRef name = symbol.name;
    if (!symbol.defined || !name.consume_back(".kd")) continue;
    Kernel k;
    k.name = name.str();
    k.descriptorName = symbol.name;
    k.descriptorAddress = symbol.address;
    llvm::amdhsa::kernel_descriptor_t raw;
    llvm::ArrayRef<uint8_t> bytes = object.bytesAt(symbol.address, sizeof raw);
    if (bytes.empty()) return damaged("the descriptor of kernel `" + k.name + "` is outside the file");
    std::memcpy(&raw, bytes.data(), sizeof raw);
    k.descriptor = unpackDescriptor(raw, *row);
    k.entry = symbol.address + static_cast<uint64_t>(k.descriptor.entryOffset);
    for (const Symbol &code : object.symbolList)
      if (code.type == STT_FUNC && code.defined && code.address == k.entry && (k.codeSize == 0 || code.name == k.name))
        k.codeSize = code.size;
    // Replaces the metadata for code objects without it.
    k.waveSize = waveSizeOf(k.descriptor);
    k.kernargSegmentSize = k.descriptor.kernargSize;
    k.groupSegmentFixedSize = k.descriptor.groupSegmentFixedSize;
    k.privateSegmentFixedSize = k.descriptor.privateSegmentFixedSize;
    object.kernelList.push_back(std::move(k));
  }
  std::sort(object.kernelList.begin(), object.kernelList.end(),
            [](const Kernel &a, const Kernel &b) { return a.entry < b.entry; });
  return llvm::Error::success();
}

/// Where the executable bytes around `address` end: with its section, or with its segment in a file without sections.
uint64_t CodeObjectReader::endOfCode(uint64_t address) const {
  for (const Elf64_Shdr &s : elf.sections)
    if (s.sh_type == SHT_PROGBITS && (s.sh_flags & SHF_EXECINSTR) && address >= s.sh_addr &&
        address - s.sh_addr < s.sh_size)
      return s.sh_addr + s.sh_size;
  for (const Segment &s : object.segmentList)
    if (s.execute && address >= s.address && address - s.address < s.data.size()) return s.address + s.data.size();
  return address;
}

/// Assembly by hand often has no `.size`, so that its symbols are of size 0.
llvm::Error CodeObjectReader::readCodeSizes() {
  for (Kernel &k : object.kernelList) {
    if (k.codeSize == 0) {
      uint64_t end = endOfCode(k.entry);
      for (const Symbol &s : object.symbolList)
        if ((s.type == STT_FUNC || s.type == STT_OBJECT) && s.defined && s.address > k.entry) // no type: a label inside
          end = std::min(end, s.address);
      for (const Kernel &other : object.kernelList)
        if (other.entry > k.entry) end = std::min(end, other.entry);
      k.codeSize = end - k.entry;
      for (auto code = object.text(k);
           code.size() > 4 && llvm::all_of(code.take_back(4), [](uint8_t b) { return b == 0; });
           code = code.drop_back(4))
        k.codeSize -= 4; // padding
    }
    if (k.codeSize == 0 || object.text(k).empty())
      return damaged("the code of kernel `" + k.name + "` is outside the file");
  }
  return llvm::Error::success();
}

llvm::Error CodeObjectReader::readNotes() {
  for (const Elf64_Phdr &p : elf.programHeaders) {
    if (p.p_type != PT_NOTE) continue;
    Bytes notes;
    if (!elf.file.slice(p.p_offset, p.p_filesz, notes.data)) return damaged("the notes are outside the file");
    auto aligned = [](uint64_t v) { return (v + 3) & ~uint64_t(3); };
    for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.data.size();) {
      Elf64_Nhdr header;
      notes.get(at, header);
      llvm::ArrayRef<uint8_t> name, content;
      uint64_t nameAt = at + sizeof header, contentAt = nameAt + aligned(header.n_namesz);
      if (!notes.slice(nameAt, header.n_namesz, name) || !notes.slice(contentAt, header.n_descsz, content))
        return damaged("a note is longer than the notes");
      if (header.n_type == NT_AMDGPU_METADATA && llvm::toStringRef(name).starts_with("AMDGPU"))
        if (llvm::Error error = readMetadata(llvm::toStringRef(content), object.kernelList)) return error;
      at = contentAt + aligned(header.n_descsz);
    }
  }
  return llvm::Error::success();
}

llvm::Expected<CodeObject> CodeObjectReader::read(llvm::ArrayRef<uint8_t> bytes) {
  CodeObjectReader reader;
  if (const char *bundle = bundleOf(llvm::toStringRef(bytes)))
    return makeError(llvm::Twine("it is ") + bundle +
                     ", not a code object; `clang-offload-bundler --unbundle` takes out those that are in it");
  auto elf = ElfView::read(bytes);
  if (!elf) return elf.takeError();
  reader.elf = std::move(*elf);
  reader.object.data = bytes;
  using Step = llvm::Error (CodeObjectReader::*)();
  for (Step step :
       {&CodeObjectReader::readHeader, &CodeObjectReader::readSegments, &CodeObjectReader::readSymbols,
        &CodeObjectReader::readRelocations, &CodeObjectReader::readKernels, &CodeObjectReader::readCodeSizes,
        &CodeObjectReader::readNotes, &CodeObjectReader::compareWithDescriptors})
    if (llvm::Error error = (reader.*step)()) return error;
  readLineTable(reader.elf, reader.object.fileList, reader.object.lineRows);
  for (std::string &file : reader.object.fileList) // damaged, or of another encoding; reports are UTF-8
    if (!llvm::json::isUTF8(file)) file = llvm::json::fixUTF8(file);
  return std::move(reader.object);
}

llvm::Expected<CodeObject> CodeObject::read(llvm::ArrayRef<uint8_t> bytes) { return CodeObjectReader::read(bytes); }
std::string CodeObject::architectureOf(llvm::StringRef bytes) {
  Elf64_Ehdr header;
  if (!Bytes{llvm::arrayRefFromStringRef(bytes)}.get(0, header)) return "";
  if (const target::Target *row = target::findMachine(header.e_flags)) return std::string(row->name);
  const char *name = undecodable(header.e_flags & EF_AMDGPU_MACH);
  return name ? name : "";
}

llvm::Expected<CodeObject> CodeObject::read(llvm::StringRef bytes) { return read(llvm::arrayRefFromStringRef(bytes)); }

const Kernel *CodeObject::find(llvm::StringRef name) const {
  for (const Kernel &k : kernelList)
    if (k.name == name || k.descriptorName == name) return &k;
  return nullptr;
}

const Symbol *CodeObject::findSymbol(llvm::StringRef name) const {
  for (const Symbol &s : symbolList)
    if (s.name == name) return &s;
  return nullptr;
}

llvm::ArrayRef<uint8_t> CodeObject::bytesAt(uint64_t address, uint64_t size) const {
  for (const Segment &s : segmentList)
    if (llvm::ArrayRef<uint8_t> out; address >= s.address && Bytes{s.data}.slice(address - s.address, size, out))
      return out;
  return {};
}

SourceLocation CodeObject::locationOf(uint64_t address) const {
  auto after = std::upper_bound(lineRows.begin(), lineRows.end(), address,
                                [](uint64_t a, const LineRow &row) { return a < row.address; });
  if (after == lineRows.begin()) return {};
  const LineRow &row = *std::prev(after);
  return row.endSequence ? SourceLocation() : row.location;
}

void CodeObject::attachLocations(std::vector<Instruction> &instructions) const {
  for (Instruction &inst : instructions) {
    inst.location = locationOf(inst.address);
    for (Instruction &part : inst.components) part.location = inst.location;
  }
}

uint32_t Kernel::explicitKernargSize() const {
  uint32_t end = 0;
  for (const KernelArgument &a : arguments)
    if (!a.hidden()) end = std::max(end, a.offset + a.size);
  return end;
}

} // namespace fly::isa
