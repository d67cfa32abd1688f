// See TuneTableUpdate.h.
#include "compiler/search/TuneTableUpdate.h"

#include "compiler/search/JobRows.h"
#include "compiler/compilation/Session.h"

#include "llvm/Support/MemoryBuffer.h"

namespace fly::driver {

std::optional<TuneTable> readTable(Session &session, const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return TuneTable();
  std::string error;
  auto table = TuneTable::parse((*buffer)->getBuffer().str(), error);
  if (!table)
    session.diags.report({}, diag::bad_tuning_table{.table = path, .problem = error});
  return table;
}

std::optional<size_t> addToTable(Session &session, const std::string &path, const std::vector<FoundEntries> &found,
                                 bool dryRun) {
  auto table = readTable(session, path); // now: another search may have ended meanwhile
  if (!table)
    return std::nullopt;
  table->module = session.moduleName;
  size_t entries = 0;
  for (auto &[arch, kernel, tuned] : found) {
    table->merge(arch, kernel, tuned.hash, tuned.entries);
    entries += tuned.entries.size();
  }
  if (entries == 0 || dryRun)
    return entries;
  return writeWhole(session, path, table->text()) ? std::optional(entries) : std::nullopt;
}

} // namespace fly::driver
