// The line table: the programs of DWARF's .debug_line (versions 2 to 5), run and flattened into one list by address.
//
// A line program is a small byte code. It moves a register set (address, file, line, column) forward and emits rows;
// a row holds from its address to the next row's. Kernels are separate sequences in any order, each closed by an end
// row, so sorting all rows makes lookup one binary search.
//
// It is read here and not by llvm::DWARFContext because that crashes on damaged headers (attribute forms it does not
// expect), and a program whose line table is damaged runs as well without it: whatever is wrong ends the table there.
#include "compiler/isa/CodeObjectReader.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/DataExtractor.h"

#include <algorithm>
#include <numeric>

namespace fly::isa {

namespace {

using llvm::DataExtractor;
namespace dwarf = llvm::dwarf;

struct LineReader {
  const ElfView &elf;
  std::vector<std::string> &files;
  std::vector<LineRow> &rows;
  Bytes lines = elf.section(".debug_line"), lineStrings = elf.section(".debug_line_str"),
        strings = elf.section(".debug_str");
  llvm::StringMap<uint32_t> fileNumbers{};

  /// The header of one program: what its byte code needs.
  struct Program {
    uint16_t version = 0;
    unsigned offsetSize = 4; ///< 8 in 64-bit DWARF
    uint8_t minimumLength = 1, lineRange = 1, opcodeBase = 13;
    int8_t lineBase = 0;
    std::vector<uint8_t> operandCounts;
    std::vector<std::string> directories;
    std::vector<int64_t> files; ///< by the program's file number, the number in `files`; -1 no such file
  };

  int64_t fileNumber(const std::string &name, uint64_t directory, const Program &program) {
    std::string path = name;
    // Directory 0 is the compilation's own: paths below it stay relative.
    if (directory > 0 && directory < program.directories.size() && !llvm::StringRef(name).starts_with("/"))
      path = program.directories[directory] + "/" + name;
    auto [it, fresh] = fileNumbers.try_emplace(path, static_cast<uint32_t>(files.size()));
    if (fresh) files.push_back(path);
    return it->second;
  }

  /// One attribute of a version 5 entry, as text or number; false for a form that does not occur there.
  bool readForm(const DataExtractor &data, DataExtractor::Cursor &at, const Program &program, uint64_t form,
                std::string &text, uint64_t &number) {
    auto indirect = [&](const Bytes &table) {
      llvm::StringRef found;
      uint64_t offset = data.getUnsigned(at, program.offsetSize);
      if (at && table.text(offset, found)) text = found.str();
      return static_cast<bool>(at);
    };
    switch (form) {
    case dwarf::DW_FORM_string: text = data.getCStrRef(at).str(); return true;
    case dwarf::DW_FORM_line_strp: return indirect(lineStrings);
    case dwarf::DW_FORM_strp: return indirect(strings);
    case dwarf::DW_FORM_udata: number = data.getULEB128(at); return true;
    case dwarf::DW_FORM_data1: number = data.getU8(at); return true;
    case dwarf::DW_FORM_data2: number = data.getU16(at); return true;
    case dwarf::DW_FORM_data4: number = data.getU32(at); return true;
    case dwarf::DW_FORM_data8: number = data.getU64(at); return true;
    case dwarf::DW_FORM_data16: data.skip(at, 16); return true;
    case dwarf::DW_FORM_block: data.skip(at, data.getULEB128(at)); return true;
    default: return false;
    }
  }

  /// A version 5 table of directories or files: a list of (content, form) and the entries in that layout.
  template <class Add>
  bool readEntries(const DataExtractor &data, DataExtractor::Cursor &at, const Program &program, Add add) {
    std::vector<std::pair<uint64_t, uint64_t>> layout(data.getU8(at));
    for (auto &[content, form] : layout) {
      content = data.getULEB128(at);
      form = data.getULEB128(at);
    }
    uint64_t count = data.getULEB128(at);
    if (count && layout.empty()) return false;
    for (; at && count; --count) {
      std::string path;
      uint64_t directory = 0;
      for (auto [content, form] : layout) {
        std::string text;
        uint64_t number = 0;
        if (!readForm(data, at, program, form, text, number)) return false;
        if (content == dwarf::DW_LNCT_path) path = text;
        if (content == dwarf::DW_LNCT_directory_index) directory = number;
      }
      if (at) add(path, directory);
    }
    return static_cast<bool>(at);
  }

  bool readHeader(const DataExtractor &data, DataExtractor::Cursor &at, Program &program) {
    program.version = data.getU16(at);
    if (!at || program.version < 2 || program.version > 5) return false;
    if (program.version == 5) data.skip(at, 2); // sizes of addresses and of segment selectors
    uint64_t length = data.getUnsigned(at, program.offsetSize), begin = at.tell();
    program.minimumLength = data.getU8(at);
    if (program.version >= 4) data.getU8(at); // operations of an instruction
    data.getU8(at);                           // default of is_stmt
    program.lineBase = static_cast<int8_t>(data.getU8(at));
    program.lineRange = data.getU8(at);
    program.opcodeBase = data.getU8(at);
    if (!at || program.lineRange == 0 || program.opcodeBase == 0) return false;
    for (unsigned i = 1; i < program.opcodeBase; ++i) program.operandCounts.push_back(data.getU8(at));
    auto addDirectory = [&](const std::string &path, uint64_t) { program.directories.push_back(path); };
    auto addFile = [&](const std::string &path, uint64_t directory) {
      program.files.push_back(path.empty() ? -1 : fileNumber(path, directory, program));
    };
    if (program.version == 5) {
      if (!readEntries(data, at, program, addDirectory) || !readEntries(data, at, program, addFile)) return false;
    } else {
      program.directories.emplace_back();
      program.files.push_back(-1); // numbers begin at 1
      for (llvm::StringRef text; at && !(text = data.getCStrRef(at)).empty();) addDirectory(text.str(), 0);
      for (llvm::StringRef text; at && !(text = data.getCStrRef(at)).empty();) {
        uint64_t directory = data.getULEB128(at);
        data.getULEB128(at); // time
        data.getULEB128(at); // size
        if (at) addFile(text.str(), directory);
      }
    }
    if (!at || length > data.size() || begin + length > data.size()) return false;
    at.seek(begin + length);
    return true;
  }

  void run(const DataExtractor &data, DataExtractor::Cursor &at, const Program &program) {
    uint64_t address = 0, file = 1, line = 1, column = 0, discriminator = 0;
    auto emit = [&](bool end) {
      SourceLocation location;
      if (!end && file < program.files.size() && program.files[file] >= 0 && line <= 0xffffff)
        location = {static_cast<uint32_t>(program.files[file]), static_cast<uint32_t>(line),
                    static_cast<uint32_t>(std::min<uint64_t>(column, 0xffff)), static_cast<uint32_t>(discriminator)};
      rows.push_back({address, location, end});
      discriminator = 0; // of one row
    };
    auto advance = [&](uint64_t by) { address += by * program.minimumLength; };
    while (at && at.tell() < data.size()) {
      uint8_t op = data.getU8(at);
      if (op >= program.opcodeBase) {
        unsigned adjusted = op - program.opcodeBase;
        advance(adjusted / program.lineRange);
        line += static_cast<uint64_t>(int64_t(program.lineBase) + adjusted % program.lineRange);
        emit(false);
        continue;
      }
      switch (op) {
      case 0: {
        uint64_t length = data.getULEB128(at), begin = at.tell();
        if (!at || length == 0 || length > data.size() - begin) return;
        uint8_t extended = data.getU8(at);
        if (extended == dwarf::DW_LNE_end_sequence) {
          emit(true);
          address = column = 0;
          file = line = 1;
        } else if (extended == dwarf::DW_LNE_set_address && length == 9) {
          address = data.getU64(at);
        } else if (extended == dwarf::DW_LNE_set_discriminator) {
          discriminator = data.getULEB128(at);
        }
        at.seek(begin + length);
        break;
      }
      case dwarf::DW_LNS_copy: emit(false); break;
      case dwarf::DW_LNS_advance_pc: advance(data.getULEB128(at)); break;
      case dwarf::DW_LNS_advance_line: line += static_cast<uint64_t>(data.getSLEB128(at)); break;
      case dwarf::DW_LNS_set_file: file = data.getULEB128(at); break;
      case dwarf::DW_LNS_set_column: column = data.getULEB128(at); break;
      case dwarf::DW_LNS_const_add_pc: advance((255u - program.opcodeBase) / program.lineRange); break;
      case dwarf::DW_LNS_fixed_advance_pc: address += data.getU16(at); break;
      default:
        for (unsigned n = program.operandCounts[op - 1]; at && n; --n) data.getULEB128(at);
      }
    }
  }

  void readAll() {
    const DataExtractor all(llvm::toStringRef(lines.data), /*IsLittleEndian=*/true, 8);
    for (uint64_t offset = 0; offset < lines.data.size();) {
      DataExtractor::Cursor at(offset);
      Program program;
      uint64_t length = all.getU32(at);
      if (length == 0xffffffff) {
        length = all.getU64(at);
        program.offsetSize = 8;
      }
      const uint64_t begin = at.tell();
      llvm::Error error = at.takeError();
      if (error || length > lines.data.size() - begin) return llvm::consumeError(std::move(error));
      // The program does not read past its end.
      const DataExtractor data(llvm::toStringRef(lines.data.take_front(begin + length)), true, 8);
      DataExtractor::Cursor inside(begin);
      if (readHeader(data, inside, program)) run(data, inside, program);
      llvm::consumeError(inside.takeError());
      offset = begin + length;
    }
  }
};

} // namespace

void readLineTable(const ElfView &elf, std::vector<std::string> &files, std::vector<LineRow> &rows) {
  LineReader{elf, files, rows}.readAll();
  // At one address the last row wins, except that a row that begins a sequence beats the end of another.
  std::vector<uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t i, uint32_t j) {
    const LineRow &a = rows[i], &b = rows[j];
    if (a.address != b.address) return a.address < b.address;
    return a.endSequence != b.endSequence ? a.endSequence : i < j;
  });
  std::vector<LineRow> sorted;
  sorted.reserve(rows.size());
  for (uint32_t i : order) sorted.push_back(rows[i]);
  rows = std::move(sorted);
}

} // namespace fly::isa
