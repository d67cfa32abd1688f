// The line table: rows of DWARF's .debug_line, flattened into one list by address.
//
// DWARF gives sequences, each ascending in address and closed by an end row; kernels are separate sequences in any
// order. Sorting all rows and keeping the end rows makes lookup one binary search. Whatever LLVM's reader finds wrong
// is dropped: a program runs as well without its line table.
#include "compiler/isa/CodeObjectReader.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/Object/ObjectFile.h"

#include <algorithm>
#include <numeric>

namespace fly::isa {

void readLineTable(llvm::ArrayRef<uint8_t> bytes, std::vector<std::string> &files, std::vector<LineRow> &rows) {
  llvm::MemoryBufferRef buffer(llvm::toStringRef(bytes), "code object");
  auto object = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!object) return llvm::consumeError(object.takeError());
  auto ignore = [](llvm::Error e) { llvm::consumeError(std::move(e)); };
  auto context = llvm::DWARFContext::create(**object, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "",
                                            ignore, ignore);
  llvm::StringMap<uint32_t> numbers;
  for (const auto &unit : context->compile_units()) {
    auto table = context->getLineTableForUnit(unit.get(), ignore);
    if (!table) { llvm::consumeError(table.takeError()); continue; }
    if (!*table) continue;
    const char *directory = unit->getCompilationDir();
    std::vector<int64_t> known; // number of the unit's file in `files`, -1 not yet asked
    auto fileOf = [&](uint64_t index) -> int64_t {
      if (index > 0xffff) return -2;
      if (index >= known.size()) known.resize(index + 1, -1);
      if (known[index] != -1) return known[index];
      std::string path;
      if (!(*table)->getFileNameByIndex(index, directory ? directory : "",
                                        llvm::DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath, path))
        return known[index] = -2;
      auto [it, fresh] = numbers.try_emplace(path, static_cast<uint32_t>(files.size()));
      if (fresh) files.push_back(path);
      return known[index] = it->second;
    };
    for (const llvm::DWARFDebugLine::Row &row : (*table)->Rows) {
      SourceLocation location;
      int64_t file = row.EndSequence ? -2 : fileOf(row.File);
      if (file >= 0) location = {static_cast<uint32_t>(file), row.Line, row.Column};
      rows.push_back({row.Address.Address, location, static_cast<bool>(row.EndSequence)});
    }
  }
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
