// See DebugUnit.h. The unit is written as a file of assembly: addresses are a symbol and an offset, which the linker
// resolves. What is read was just made by LLVM in this process, so its reader is good enough.
#include "compiler/codegen/pipeline/DebugUnit.h"

#include "compiler/codegen/pipeline/Metadata.h"
#include "compiler/isa/ObjectAssembler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace fly::codegen {

namespace {

namespace dwarf = llvm::dwarf;
using Elf = llvm::object::ELFObjectFile<llvm::object::ELF64LE>;

constexpr llvm::StringLiteral abbreviations = R"(
	.section	.debug_abbrev,"",@progbits
	.byte	1, 0x11, 1	// compile unit, with children: producer, language, name, line table, low_pc, ranges
	.byte	0x25, 8, 0x13, 5, 3, 8, 0x10, 0x17, 0x11, 1, 0x55, 0x17, 0, 0
	.byte	2, 0x2e, 0	// subprogram: name, low_pc, high_pc
	.byte	3, 8, 0x11, 1, 0x12, 6, 0, 0
	.byte	3, 0x2e, 1	// the same with children
	.byte	3, 8, 0x11, 1, 0x12, 6, 0, 0
	.byte	4, 0x2e, 0	// subprogram that is inlined: name, inline
	.byte	3, 8, 0x20, 0xb, 0, 0
	.byte	5, 0x1d, 0	// inlined subroutine: origin, low_pc, high_pc, file, line and column of the call
	.byte	0x31, 0x13, 0x11, 1, 0x12, 6, 0x58, 0xf, 0x59, 0xf, 0x57, 0xf, 0, 0
	.byte	6, 0x1d, 1	// the same with children
	.byte	0x31, 0x13, 0x11, 1, 0x12, 6, 0x58, 0xf, 0x59, 0xf, 0x57, 0xf, 0, 0
	.byte	7, 0x1d, 0	// in several places: origin, ranges, file, line and column of the call
	.byte	0x31, 0x13, 0x55, 0x17, 0x58, 0xf, 0x59, 0xf, 0x57, 0xf, 0, 0
	.byte	8, 0x1d, 1	// the same with children
	.byte	0x31, 0x13, 0x55, 0x17, 0x58, 0xf, 0x59, 0xf, 0x57, 0xf, 0, 0
	.byte	0
)";

/// A function of an object, whose code begins at `address` of its section.
struct Function {
  std::string name;
  uint64_t address = 0, size = 0, section = 0;
  bool isGlobal = false;
};

/// Whether every table lies within the file: the readers of symbols and of DWARF take that for granted, and end the
/// program otherwise. What is damaged is left to the linker, which says so.
bool isWhole(llvm::StringRef bytes) {
  auto isGood = [](auto &&expected) {
    if (!expected)
      llvm::consumeError(expected.takeError());
    return bool(expected);
  };
  auto file = llvm::object::ELF64LEFile::create(bytes);
  if (!isGood(file))
    return false;
  auto sections = file->sections();
  if (!isGood(sections))
    return false;
  for (const auto &section : *sections) {
    if (!isGood(file->getSectionName(section)))
      return false;
    if (section.sh_type != llvm::ELF::SHT_NOBITS && !isGood(file->getSectionContents(section)))
      return false;
    if (section.sh_type == llvm::ELF::SHT_RELA &&
        (!isGood(file->relas(section)) || section.sh_link >= sections->size()))
      return false;
    if (section.sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    auto symbols = file->symbols(&section);
    auto names = file->getStringTableForSymtab(section);
    if (!isGood(symbols) || !isGood(names))
      return false;
    for (const auto &symbol : *symbols)
      if (!isGood(symbol.getName(*names)) ||
          (symbol.st_shndx >= sections->size() && symbol.st_shndx < llvm::ELF::SHN_LORESERVE))
        return false;
  }
  return true;
}

/// One object of the link.
class Input {
public:
  /// Null if its debug information is not flyc's.
  static std::unique_ptr<Input> read(llvm::StringRef bytes) {
    if (!isWhole(bytes))
      return nullptr;
    auto file = Elf::create(llvm::MemoryBufferRef(bytes, "object"));
    if (!file)
      return llvm::consumeError(file.takeError()), nullptr;
    auto input = std::unique_ptr<Input>(new Input(std::move(*file)));
    input->context = llvm::DWARFContext::create(input->file);
    for (const auto &unit : input->context->compile_units())
      if (dwarf::toString(unit->getUnitDIE().find(dwarf::DW_AT_producer), "") != unitProducer)
        return nullptr;
    if (!input->readFunctions() || !input->readLines())
      return nullptr;
    return input;
  }

  /// "kernel+16": an address that the linker resolves.
  std::string place(uint64_t address) const {
    const int64_t offset = int64_t(address) - int64_t(anchor.address);
    return anchor.name + (offset < 0 ? "-" : "+") + std::to_string(offset < 0 ? -offset : offset);
  }

  std::vector<Function> functions; ///< in order of address
  std::vector<llvm::DWARFDebugLine::LineTable> tables;
  std::unique_ptr<llvm::DWARFContext> context;

private:
  explicit Input(Elf file) : file(std::move(file)) {}

  bool readFunctions() {
    for (const llvm::object::ELFSymbolRef symbol : file.symbols()) {
      if (symbol.getELFType() != llvm::ELF::STT_FUNC)
        continue;
      auto name = symbol.getName();
      auto address = symbol.getAddress();
      auto section = symbol.getSection();
      if (!name || !address || !section || *section == file.section_end()) {
        llvm::consumeError(name.takeError());
        llvm::consumeError(address.takeError());
        llvm::consumeError(section.takeError());
        return false;
      }
      functions.push_back({name->str(), *address, symbol.getSize(), (*section)->getIndex(),
                           symbol.getBinding() == llvm::ELF::STB_GLOBAL});
    }
    llvm::stable_sort(functions, [](auto &a, auto &b) { return a.address < b.address; });
    const auto global = llvm::find_if(functions, [](auto &function) { return function.isGlobal; });
    if (global == functions.end())
      return false;
    anchor = *global;
    return llvm::all_of(functions, [&](auto &function) { return function.section == anchor.section; });
  }

  bool readLines() {
    const llvm::DWARFObject &object = context->getDWARFObj();
    llvm::DWARFDataExtractor data(object, object.getLineSection(), context->isLittleEndian(), 8);
    llvm::DWARFDebugLine::SectionParser parser(data, *context, context->normal_units());
    bool isGood = true;
    auto fail = [&](llvm::Error error) { llvm::consumeError(std::move(error)), isGood = false; };
    while (!parser.done() && isGood)
      tables.push_back(parser.parseNext(fail, fail));
    for (auto &table : tables)
      for (auto &row : table.Rows)
        isGood &= row.Address.SectionIndex == anchor.section;
    return isGood;
  }

  Elf file;
  Function anchor; ///< other objects know it
};

class Writer {
public:
  explicit Writer(llvm::ArrayRef<std::unique_ptr<Input>> inputs) : inputs(inputs) {}

  std::string write() {
    for (auto &input : inputs)
      for (auto &table : input->tables)
        writeLines(*input, table);
    for (auto &input : inputs)
      for (const Function &function : input->functions)
        writeFunction(*input, function);
    flush(lines, lineBytes);
    std::string text = abbreviations.str();
    text += "\t.section\t.debug_info,\"\",@progbits\n.Lunit:\n\t.long\t.Lunit_end - .Lunit - 4\n\t.short\t4\n"
            "\t.long\t.debug_abbrev\n\t.byte\t8, 1\n"
            "\t.asciz\t\"flyc " FLY_VERSION "\"\n\t.short\t0x14\n\t.asciz\t" +
            isa::quotedText(files.empty() ? "" : files.front()) +
            "\n\t.long\t.debug_line\n\t.quad\t0\n\t.long\t.debug_ranges\n";
    text += entries;
    for (auto &[name, number] : inlined)
      text +=
          ".Linlined" + std::to_string(number) + ":\n\t.byte\t4\n\t.asciz\t" + isa::quotedText(name) + "\n\t.byte\t1\n";
    text +=
        "\t.byte\t0\n.Lunit_end:\n\t.section\t.debug_ranges,\"\",@progbits\n" + unitRanges + "\t.quad\t0, 0\n" + ranges;
    text += lineHeader() + lines + ".Lline_end:\n";
    return text;
  }

  bool hasLines() const {
    return llvm::any_of(inputs, [](auto &input) { return !input->tables.empty(); });
  }

private:
  unsigned fileNumber(const std::string &name) {
    auto found = llvm::find(files, name);
    if (found == files.end())
      found = files.insert(found, name);
    return unsigned(found - files.begin()) + 1;
  }

  unsigned fileNumber(const llvm::DWARFDebugLine::LineTable &table, uint64_t number) {
    std::string name;
    if (!table.getFileNameByIndex(number, "", llvm::DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath, name))
      return 0;
    return fileNumber(name);
  }

  static std::string uleb(uint64_t value) {
    uint8_t bytes[16];
    return std::string(reinterpret_cast<char *>(bytes), llvm::encodeULEB128(value, bytes));
  }
  static std::string sleb(int64_t value) {
    uint8_t bytes[16];
    return std::string(reinterpret_cast<char *>(bytes), llvm::encodeSLEB128(value, bytes));
  }

  /// Appends the bytes as directives.
  static void flush(std::string &text, std::string &bytes) {
    for (size_t at = 0; at < bytes.size(); at += 32) {
      text += "\t.byte\t";
      for (size_t k = at; k < std::min(at + 32, bytes.size()); ++k)
        text += (k == at ? "" : ",") + std::to_string(uint8_t(bytes[k]));
      text += '\n';
    }
    bytes.clear();
  }

  // The line table: one byte steps address and line where they go on a little, as LLVM's own does.
  static constexpr int lineBase = -5, lineRange = 14, opcodeBase = 13, instructionBytes = 4;

  std::string lineHeader() const {
    std::string text = "\t.section\t.debug_line,\"\",@progbits\n\t.long\t.Lline_end - .Lline\n.Lline:\n\t.short\t4\n"
                       "\t.long\t.Lprogram - .Lheader\n.Lheader:\n\t.byte\t4, 1, 1, 251, 14, 13\n"
                       "\t.byte\t0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1\n\t.byte\t0\n";
    for (auto &file : files)
      text += "\t.asciz\t" + isa::quotedText(file) + "\n\t.byte\t0, 0, 0\n";
    return text + "\t.byte\t0\n.Lprogram:\n";
  }

  void writeLines(const Input &input, const llvm::DWARFDebugLine::LineTable &table) {
    llvm::DWARFDebugLine::Row state(/*DefaultIsStmt=*/true);
    bool isOpen = false;
    for (const llvm::DWARFDebugLine::Row &row : table.Rows) {
      if (!isOpen) {
        flush(lines, lineBytes);
        lines += "\t.byte\t0, 9, 2\n\t.quad\t" + input.place(row.Address.Address) + "\n"; // DW_LNE_set_address
        state.reset(true);
        currentFile = 1; // a sequence begins with the first
        state.Address = row.Address;
        isOpen = true;
      }
      const uint64_t step = (row.Address.Address - state.Address.Address) / instructionBytes;
      if (row.EndSequence) {
        if (step)
          lineBytes += char(dwarf::DW_LNS_advance_pc) + uleb(step);
        lineBytes += std::string("\0\1\1", 3); // DW_LNE_end_sequence
        isOpen = false;
        continue;
      }
      changeState(table, row, state);
      writeStep(int64_t(row.Line) - int64_t(state.Line), step);
      state = row;
    }
  }

  void changeState(const llvm::DWARFDebugLine::LineTable &table, const llvm::DWARFDebugLine::Row &row,
                   const llvm::DWARFDebugLine::Row &state) {
    if (const unsigned number = fileNumber(table, row.File); number != currentFile) {
      lineBytes += char(dwarf::DW_LNS_set_file) + uleb(number);
      currentFile = number;
    }
    if (row.Column != state.Column)
      lineBytes += char(dwarf::DW_LNS_set_column) + uleb(row.Column);
    if (row.Discriminator) {
      const std::string value = uleb(row.Discriminator);
      lineBytes += char(0) + uleb(value.size() + 1) + char(dwarf::DW_LNE_set_discriminator) + value;
    }
    if (row.IsStmt != state.IsStmt)
      lineBytes += char(dwarf::DW_LNS_negate_stmt);
    if (row.PrologueEnd)
      lineBytes += char(dwarf::DW_LNS_set_prologue_end);
    if (row.EpilogueBegin)
      lineBytes += char(dwarf::DW_LNS_set_epilogue_begin);
  }

  void writeStep(int64_t lineStep, uint64_t addressStep) {
    if (lineStep < lineBase || lineStep >= lineBase + lineRange) {
      lineBytes += char(dwarf::DW_LNS_advance_line) + sleb(lineStep);
      lineStep = 0;
    }
    const uint64_t most = (255 - opcodeBase - uint64_t(lineStep - lineBase)) / lineRange;
    if (addressStep > most) {
      lineBytes += char(dwarf::DW_LNS_advance_pc) + uleb(addressStep);
      addressStep = 0;
    }
    if (lineStep == 0 && addressStep == 0)
      lineBytes += char(dwarf::DW_LNS_copy);
    else
      lineBytes += char(uint64_t(lineStep - lineBase) + lineRange * addressStep + opcodeBase);
  }

  void writeFunction(const Input &input, const Function &function) {
    unitRanges +=
        "\t.quad\t" + input.place(function.address) + ", " + input.place(function.address + function.size) + "\n";
    std::vector<llvm::DWARFDie> calls;
    for (const auto &unit : input.context->compile_units())
      for (llvm::DWARFDie entry : unit->getUnitDIE(/*ExtractUnitDIEOnly=*/false).children())
        if (uint64_t low, high, section; entry.getTag() == dwarf::DW_TAG_subprogram &&
                                         entry.getLowAndHighPC(low, high, section) && low == function.address)
          calls = callsOf(entry);
    entries += "\t.byte\t" + std::string(calls.empty() ? "2" : "3") + "\n\t.asciz\t" + isa::quotedText(function.name) +
               "\n\t.quad\t" + input.place(function.address) + "\n\t.long\t" + std::to_string(function.size) + "\n";
    writeCalls(input, calls);
  }

  static std::vector<llvm::DWARFDie> callsOf(llvm::DWARFDie of) {
    std::vector<llvm::DWARFDie> calls;
    for (llvm::DWARFDie entry : of.children())
      if (entry.getTag() == dwarf::DW_TAG_inlined_subroutine)
        calls.push_back(entry);
    return calls;
  }

  void writeCalls(const Input &input, llvm::ArrayRef<llvm::DWARFDie> calls) {
    for (llvm::DWARFDie call : calls)
      writeCall(input, call);
    if (!calls.empty())
      entries += "\t.byte\t0\n";
  }

  void writeCall(const Input &input, llvm::DWARFDie call) {
    const std::vector<llvm::DWARFDie> below = callsOf(call);
    llvm::DWARFAddressRangesVector places;
    if (auto found = call.getAddressRanges())
      places = *found;
    else
      llvm::consumeError(found.takeError());
    const bool isSpread = places.size() != 1;
    const char *name = call.getSubroutineName(llvm::DINameKind::ShortName);
    const unsigned number = inlined.try_emplace(name ? name : "", unsigned(inlined.size())).first->second;
    entries += "\t.byte\t" + std::to_string((isSpread ? 7 : 5) + !below.empty()) + "\n\t.long\t.Linlined" +
               std::to_string(number) + " - .Lunit\n";
    if (isSpread) {
      const std::string label = ".Lranges" + std::to_string(rangeLists++);
      entries += "\t.long\t" + label + "\n";
      ranges += label + ":\n";
      for (const llvm::DWARFAddressRange &place : places)
        ranges += "\t.quad\t" + input.place(place.LowPC) + ", " + input.place(place.HighPC) + "\n";
      ranges += "\t.quad\t0, 0\n";
    } else {
      entries += "\t.quad\t" + input.place(places[0].LowPC) + "\n\t.long\t" +
                 std::to_string(places[0].HighPC - places[0].LowPC) + "\n";
    }
    uint32_t file = 0, line = 0, column = 0, discriminator = 0;
    call.getCallerFrame(file, line, column, discriminator);
    const unsigned known = input.tables.empty() ? 0 : fileNumber(input.tables.front(), file);
    for (uint64_t value : {known, line, column})
      entries += "\t.uleb128\t" + std::to_string(value) + "\n";
    writeCalls(input, below);
  }

  llvm::ArrayRef<std::unique_ptr<Input>> inputs;
  std::vector<std::string> files;
  std::map<std::string, unsigned> inlined; ///< functions, by name
  std::string entries, unitRanges, ranges, lines, lineBytes;
  unsigned rangeLists = 0, currentFile = 1;
};

/// What a unit is made of; the frame table has none.
bool isOfUnit(uint32_t, llvm::StringRef name) { return name.starts_with(".debug_") && name != ".debug_frame"; }

} // namespace

Result<std::string> mergedDebugInfo(std::vector<std::string> &objects, const target::Target &target) {
  std::vector<std::unique_ptr<Input>> inputs;
  for (const std::string &object : objects) {
    inputs.push_back(Input::read(object));
    if (!inputs.back())
      return std::string();
  }
  Writer writer(inputs);
  if (!writer.hasLines())
    return std::string();
  auto merged = isa::assembleObject(std::string(target.name), writer.write());
  if (!merged)
    return Failure{Failure::Stage::Link, "debug information: " + llvm::toString(merged.takeError()), "", false};
  // As the others: lld refuses to link what differs in these.
  using Header = llvm::ELF::Elf64_Ehdr;
  Header like, own;
  std::memcpy(&like, objects.front().data(), sizeof like);
  std::memcpy(&own, merged->data(), sizeof own);
  own.e_flags = like.e_flags;
  std::memcpy(own.e_ident, like.e_ident, sizeof own.e_ident);
  std::memcpy(merged->data(), &own, sizeof own);
  inputs.clear();
  for (std::string &object : objects)
    if (std::string error = excludeSections(object, isOfUnit); !error.empty())
      return Failure{Failure::Stage::Link, "debug information: " + error, "", false};
  return std::move(*merged);
}

} // namespace fly::codegen
