// See StandardText.h. Sections are written from their first byte to their last: what a symbol covers is a kernel or a
// descriptor, and the rest is numbers.
#include "compiler/assembly/StandardText.h"

#include "compiler/assembly/Descriptor.h"
#include "compiler/isa/Assembler.h"
#include "compiler/isa/ElfView.h"
#include "compiler/isa/ObjectAssembler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

namespace fly::assembly {

namespace {

namespace elf = llvm::ELF;

std::string hex(uint64_t value) { return "0x" + llvm::utohexstr(value, /*LowerCase=*/true); }

/// A name as an operand: with anything but letters, digits, `_`, `.` and `$` it is quoted.
std::string symbolText(llvm::StringRef name) {
  auto isPlain = [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_.$").contains(c); };
  return llvm::all_of(name, isPlain) && !name.empty() && !llvm::isDigit(name[0]) ? name.str() : isa::quotedText(name);
}

class Writer {
public:
  explicit Writer(const isa::CodeObject &object) : object(object), target(target::find(object.architecture())) {}

  llvm::Expected<std::string> write() {
    auto view = isa::ElfView::read(object.bytes());
    if (!view)
      return view.takeError();
    readExported(*view);
    head();
    for (const elf::Elf64_Shdr &section : view->sections)
      if (isContent(*view, section))
        if (llvm::Error error = writeSection(*view, section))
          return std::move(error);
    aliases();
    metadata(*view);
    unit(*view);
    return std::move(text);
  }

private:
  llvm::StringRef nameOf(const isa::ElfView &view, const elf::Elf64_Shdr &section) const {
    llvm::StringRef name;
    if (view.header.e_shstrndx < view.sections.size())
      if (auto names = view.content(view.sections[view.header.e_shstrndx]))
        names->text(section.sh_name, name);
      else
        llvm::consumeError(names.takeError());
    return name;
  }

  /// What a loader sees; the other symbols are local.
  void readExported(const isa::ElfView &view) {
    for (const elf::Elf64_Shdr &section : view.sections) {
      if (section.sh_type != elf::SHT_DYNSYM || section.sh_link >= view.sections.size())
        continue;
      auto table = view.content(section), names = view.content(view.sections[section.sh_link]);
      elf::Elf64_Sym symbol{};
      llvm::StringRef name;
      for (uint64_t at = 0; table && names && table->get(at, symbol); at += sizeof symbol)
        if (names->text(symbol.st_name, name))
          exported[name.str()] = symbol;
      if (!table)
        llvm::consumeError(table.takeError());
      if (!names)
        llvm::consumeError(names.takeError());
    }
  }

  /// Code and data, without what a linker makes.
  bool isContent(const isa::ElfView &view, const elf::Elf64_Shdr &section) const {
    if (!(section.sh_flags & elf::SHF_ALLOC) || !section.sh_size)
      return false;
    const llvm::StringRef name = nameOf(view, section);
    for (llvm::StringRef made : {".got", ".plt", ".relro_padding", ".dynamic"})
      if (name.starts_with(made))
        return false;
    return section.sh_type == elf::SHT_PROGBITS || section.sh_type == elf::SHT_NOBITS;
  }

  void head() {
    std::string features;
    if (target && !object.kernels().empty())
      features = llvm::StringRef(isa::assemblerFeatures(*target, object.kernels().front().waveSize)).rtrim(',').str();
    text += "# llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=" + object.architecture() +
            (features.empty() ? "" : " -mattr=" + features) +
            " -filetype=obj FILE.s -o FILE.o && ld.lld -shared FILE.o -o FILE.hsaco\n";
    text += "\t.amdhsa_code_object_version " + std::to_string(object.abiVersion() + 2) + "\n";
    for (auto [number, file] : llvm::enumerate(object.files()))
      text += "\t.file\t" + std::to_string(number + 1) + " " + isa::quotedText(file) + "\n";
  }

  llvm::Error writeSection(const isa::ElfView &view, const elf::Elf64_Shdr &section) {
    const bool isCode = section.sh_flags & elf::SHF_EXECINSTR, isEmpty = section.sh_type == elf::SHT_NOBITS;
    const std::string flags = std::string("a") + (section.sh_flags & elf::SHF_WRITE ? "w" : "") + (isCode ? "x" : "");
    text += "\n\t.section\t" + nameOf(view, section).str() + ",\"" + flags + "\",@" +
            (isEmpty ? "nobits" : "progbits") + "\n";
    text += "\t.p2align\t" + std::to_string(llvm::Log2_64(std::max<uint64_t>(1, section.sh_addralign))) + "\n";
    if (isCode)
      text += ".Lcode:\n";
    const uint64_t end = section.sh_addr + section.sh_size;
    uint64_t at = section.sh_addr;
    for (const isa::Symbol *symbol : symbolsIn(section.sh_addr, end)) {
      if (symbol->address < at) { // within another one, or another name of it
        later.push_back(symbol);
        continue;
      }
      fill(at, symbol->address, isEmpty);
      at = symbol->address;
      written[at] = symbol->name;
      const isa::Kernel *code = kernelAt(symbol->address, &isa::Kernel::entry);
      const isa::Kernel *described = kernelAt(symbol->address, &isa::Kernel::descriptorAddress);
      if (described && writeDescriptor(*described)) {
        at += 64;
        continue;
      }
      label(*symbol);
      if (code && isCode) {
        auto size = writeCode(*code);
        if (!size)
          return size.takeError();
        at += *size;
      } else if (described) {
        descriptorAsData(*described);
        at += 64;
      }
      if (symbol->size) {
        if (at < symbol->address + symbol->size) {
          fill(at, symbol->address + symbol->size, isEmpty);
          at = symbol->address + symbol->size;
        }
        text += "\t.size\t" + symbolText(symbol->name) + ", " + std::to_string(symbol->size) + "\n";
      }
    }
    fill(at, end, isEmpty);
    return llvm::Error::success();
  }

  /// In order of address, of several at one place the kernel's own first.
  std::vector<const isa::Symbol *> symbolsIn(uint64_t begin, uint64_t end) const {
    std::vector<const isa::Symbol *> found;
    std::set<std::string> seen; // a symbol stands in the table of the linker and in that of the loader
    for (const isa::Symbol &symbol : object.symbols())
      if (symbol.defined && (symbol.type == elf::STT_FUNC || symbol.type == elf::STT_OBJECT) &&
          symbol.address >= begin && symbol.address < end && seen.insert(symbol.name).second)
        found.push_back(&symbol);
    llvm::stable_sort(found, [](auto *a, auto *b) { return a->address < b->address; });
    return found;
  }

  const isa::Kernel *kernelAt(uint64_t address, uint64_t isa::Kernel::*place) const {
    for (const isa::Kernel &kernel : object.kernels())
      if (kernel.*place == address)
        return &kernel;
    return nullptr;
  }

  void declare(const isa::Symbol &symbol) {
    const std::string name = symbolText(symbol.name);
    if (auto found = exported.find(symbol.name); found != exported.end()) {
      text += (found->second.getBinding() == elf::STB_WEAK ? "\t.weak\t" : "\t.globl\t") + name + "\n";
      if (const unsigned visibility = found->second.st_other & 3)
        text += (visibility == elf::STV_PROTECTED ? "\t.protected\t" : "\t.hidden\t") + name + "\n";
    }
    text += "\t.type\t" + name + (symbol.type == elf::STT_FUNC ? ",@function\n" : ",@object\n");
  }

  void label(const isa::Symbol &symbol) {
    declare(symbol);
    text += symbolText(symbol.name) + ":\n";
  }

  /// Numbers from one address to another.
  void fill(uint64_t from, uint64_t to, bool isEmpty) {
    if (from >= to)
      return;
    const llvm::ArrayRef<uint8_t> bytes = object.bytesAt(from, to - from);
    if (isEmpty || bytes.empty() || llvm::all_of(bytes, [](uint8_t byte) { return byte == 0; })) {
      text += "\t.zero\t" + std::to_string(to - from) + "\n";
      return;
    }
    size_t at = 0;
    for (; at + 4 <= bytes.size();) {
      const uint32_t word = llvm::support::endian::read32le(bytes.data() + at);
      size_t count = 1;
      while (at + 4 * (count + 1) <= bytes.size() &&
             llvm::support::endian::read32le(bytes.data() + at + 4 * count) == word)
        ++count;
      text +=
          count > 1 ? "\t.fill\t" + std::to_string(count) + ", 4, " + hex(word) + "\n" : "\t.long\t" + hex(word) + "\n";
      at += 4 * count;
    }
    for (; at < bytes.size(); ++at)
      text += "\t.byte\t" + hex(bytes[at]) + "\n";
  }

  /// The instructions of a kernel; how many bytes they have.
  llvm::Expected<uint64_t> writeCode(const isa::Kernel &kernel) {
    std::unique_ptr<isa::Assembler> &assembler = assemblers[kernel.waveSize];
    if (!assembler) {
      auto made = isa::Assembler::create(object.architecture(), kernel.waveSize);
      if (!made)
        return made.takeError();
      assembler = std::move(*made);
    }
    auto decoder = isa::Decoder::create(object.architecture(), kernel.waveSize);
    if (!decoder)
      return decoder.takeError();
    auto code = (*decoder)->decodeKernel(object.text(kernel), kernel.entry);
    if (!code)
      return code.takeError();
    object.attachLocations(*code);
    const std::map<uint64_t, std::string> labels = labelsOf(*code);
    isa::SourceLocation shown;
    uint64_t end = kernel.entry;
    for (const isa::Instruction &i : *code) {
      if (auto found = labels.find(i.address); found != labels.end())
        text += found->second + ":\n";
      if (!(i.location == shown)) // line 0: of no line
        text += "\t.loc\t" + std::to_string(i.location.file + 1) + " " + std::to_string(i.location.line) + " " +
                std::to_string(i.location.column) + "\n";
      shown = i.location;
      text += "\t" + instructionText(**decoder, *assembler, i, labels) + "\n";
      end = i.address + i.size;
    }
    return end - kernel.entry;
  }

  /// Branches to the middle of an instruction, which only odd code has, stay numbers.
  std::map<uint64_t, std::string> labelsOf(llvm::ArrayRef<isa::Instruction> code) {
    std::set<uint64_t> starts, targets;
    for (const isa::Instruction &i : code) {
      starts.insert(i.address);
      if (auto to = i.target())
        targets.insert(*to);
    }
    std::map<uint64_t, std::string> labels;
    for (uint64_t to : targets)
      if (starts.count(to))
        labels[to] = ".L" + std::to_string(labelCount++);
    return labels;
  }

  std::string instructionText(isa::Decoder &decoder, isa::Assembler &assembler, const isa::Instruction &i,
                              const std::map<uint64_t, std::string> &labels) const {
    const std::string printed = decoder.print(i);
    auto again = assembler.assemble(llvm::StringRef(printed));
    if (!again || llvm::ArrayRef<uint8_t>(*again) != bytesOf(i))
      return asWords(i) + "  // " + printed;
    const auto to = i.target();
    const auto found = to ? labels.find(*to) : labels.end();
    const size_t last = printed.find_last_of(" ,");
    return found == labels.end() || last == std::string::npos ? printed : printed.substr(0, last + 1) + found->second;
  }

  static llvm::ArrayRef<uint8_t> bytesOf(const isa::Instruction &i) { return {i.bytes.data(), i.size}; }

  static std::string asWords(const isa::Instruction &i) {
    std::string out = ".long\t";
    for (size_t at = 0; at + 4 <= i.size; at += 4)
      out += (at ? ", " : "") + hex(llvm::support::endian::read32le(i.bytes.data() + at));
    return out;
  }

  /// False if the directives cannot say it.
  bool writeDescriptor(const isa::Kernel &kernel) {
    if (!target)
      return false;
    const uint32_t lds = kernel.descriptor.groupSegmentFixedSize, arguments = kernel.descriptor.kernargSize;
    DescriptorFields fields =
        descriptorFields(kernel, object.bytesAt(kernel.descriptorAddress, 64), *target, arguments, lds);
    if (llvm::any_of(fields, [](auto &field) {
          return findDescriptorWord(field.first) && field.first != "private_segment_fixed_size";
        }))
      return false;
    fields.insert(fields.begin(), {{"group_segment_fixed_size", lds}, {"kernarg_size", arguments}});
    if (kernel.waveSize == 32 && target->hasWaveSize(32))
      fields.push_back({"wavefront_size32", 1});
    text += "\t.amdhsa_kernel " + symbolText(kernel.name) + "\n";
    for (auto &[name, value] : fields)
      text += "\t\t.amdhsa_" + name + " " + std::to_string(value) + "\n";
    text += "\t.end_amdhsa_kernel\n";
    return true;
  }

  void descriptorAsData(const isa::Kernel &kernel) {
    const uint64_t at = kernel.descriptorAddress, entry = at + llvm::amdhsa::KERNEL_CODE_ENTRY_BYTE_OFFSET_OFFSET;
    fill(at, entry, false);
    text += "\t.quad\t" + symbolText(kernel.name) + " - " + symbolText(kernel.descriptorName) + "\n";
    fill(entry + 8, at + 64, false);
  }

  /// Other names of what stands there already.
  void aliases() {
    if (later.empty())
      return;
    text += "\n";
    for (const isa::Symbol *symbol : later) {
      const auto &[address, first] = *std::prev(written.upper_bound(symbol->address));
      declare(*symbol);
      text += "\t.set\t" + symbolText(symbol->name) + ", " + symbolText(first) +
              (address < symbol->address ? " + " + std::to_string(symbol->address - address) : "") + "\n";
      if (symbol->size)
        text += "\t.size\t" + symbolText(symbol->name) + ", " + std::to_string(symbol->size) + "\n";
    }
  }

  void metadata(const isa::ElfView &view) {
    for (const elf::Elf64_Shdr &section : view.sections) {
      if (section.sh_type != elf::SHT_NOTE)
        continue;
      auto content = view.content(section);
      if (!content) {
        llvm::consumeError(content.takeError());
        continue;
      }
      elf::Elf64_Nhdr note{};
      llvm::ArrayRef<uint8_t> blob;
      if (!content->get(0, note) || note.n_type != elf::NT_AMDGPU_METADATA ||
          !content->slice(sizeof note + llvm::alignTo(note.n_namesz, 4), note.n_descsz, blob))
        continue;
      llvm::msgpack::Document document;
      if (!document.readFromBlob(llvm::StringRef(reinterpret_cast<const char *>(blob.data()), blob.size()),
                                 /*Multi=*/false))
        continue;
      llvm::raw_string_ostream os(text);
      os << "\n\t.amdgpu_metadata\n";
      document.toYAML(os);
      os << "\t.end_amdgpu_metadata\n";
    }
  }

  /// The unit to which the line table belongs; without one, no tool looks for it.
  void unit(const isa::ElfView &view) {
    const auto code = llvm::find_if(view.sections, [](auto &s) { return s.sh_flags & elf::SHF_EXECINSTR; });
    if (object.files().empty() || code == view.sections.end())
      return;
    text += "\n\t.section\t.debug_abbrev,\"\",@progbits\n"
            "\t.byte\t1, 0x11, 0 // DW_TAG_compile_unit, no children\n"
            "\t.byte\t0x25, 0x08, 0x13, 0x05, 0x03, 0x08 // DW_AT_producer, language, name\n"
            "\t.byte\t0x10, 0x17, 0x11, 0x01, 0x12, 0x06 // DW_AT_stmt_list, low_pc, high_pc\n"
            "\t.byte\t0, 0, 0\n"
            "\t.section\t.debug_info,\"\",@progbits\n"
            "\t.long\t.Lunit_end - .Lunit\n"
            ".Lunit:\n"
            "\t.short\t4 // DWARF 4\n"
            "\t.long\t.debug_abbrev\n"
            "\t.byte\t8, 1\n"
            "\t.asciz\t\"flyc\"\n"
            "\t.short\t0x14 // DW_LANG_Python\n"
            "\t.asciz\t" +
            isa::quotedText(object.files().front()) +
            "\n"
            "\t.long\t.Lline_table\n"
            "\t.quad\t.Lcode\n"
            "\t.long\t" +
            std::to_string(code->sh_size) +
            "\n"
            ".Lunit_end:\n"
            "\t.section\t.debug_line,\"\",@progbits\n"
            ".Lline_table:\n";
  }

  const isa::CodeObject &object;
  const target::Target *target;
  std::string text;
  std::map<unsigned, std::unique_ptr<isa::Assembler>> assemblers; // by wave size
  std::map<std::string, elf::Elf64_Sym> exported;
  std::map<uint64_t, std::string> written; // symbols by address, one at each
  std::vector<const isa::Symbol *> later;  // those that are aliases, or within another
  unsigned labelCount = 0;
};

} // namespace

llvm::Expected<std::string> standardText(const isa::CodeObject &object) { return Writer(object).write(); }

} // namespace fly::assembly
