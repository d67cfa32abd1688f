// See JobRows.h.
#include "compiler/search/JobRows.h"

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/compilation/Session.h"
#include "compiler/search/RowHead.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <nlohmann/json.hpp>

namespace fly::driver {

using Json = nlohmann::ordered_json;

std::optional<JobRow> JobRow::parse(const std::string &line) {
  try {
    const Json json = Json::parse(line);
    JobRow row;
    row.search = json.at("search");
    row.arch = json.at("arch");
    row.job = json.at("job");
    row.died = json.at("outcome").get<std::string>() == "died";
    row.line = llvm::StringRef(line).rtrim().str() + "\n";
    return row;
  } catch (const Json::exception &) {
    return std::nullopt;
  }
}

JobRow JobRow::dead(const JobSearch &search, unsigned job, const std::string &why) {
  Json json = headJson({search.identity, search.arch, job, why}, "died");
  json["kernels"] = Json::object();
  return {search.identity, search.arch, job, true, lineOf(json)};
}

std::optional<std::vector<JobRow>> readRows(const std::string &path, std::string &error) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = llvm::StringRef(buffer.getError().message()).lower();
    return std::nullopt;
  }
  std::vector<JobRow> rows;
  for (llvm::StringRef rest = (*buffer)->getBuffer(); !rest.empty();) {
    auto [line, others] = rest.split('\n');
    if (auto row = JobRow::parse(line.str()))
      rows.push_back(std::move(*row));
    rest = others;
  }
  return rows;
}

bool joinRows(Session &session, const std::vector<std::string> &files, const JobSearch &search, JobRows &rows) {
  bool ofOther = false;
  for (auto &path : files) {
    std::string error;
    auto read = readRows(path, error);
    if (!read) {
      session.diags.report(diag::cannot_read, {}).arg(path).arg(error);
      return false;
    }
    for (auto &row : *read)
      if (row.search == search.identity && row.job < search.count)
        rows[row.job] = std::move(row);
      else
        ofOther |= row.arch == search.arch;
  }
  std::string missing;
  unsigned count = 0;
  for (unsigned job = 0; job < search.count; ++job)
    if (!rows.count(job) && ++count <= 10)
      missing += (missing.empty() ? "" : ", ") + std::to_string(job);
  if (count == 0)
    return true;
  auto builder = session.diags.report(diag::bad_option, {});
  builder.arg("--join").arg("no row of job " + missing + (count > 10 ? ", ..." : "") + " for " + search.arch + ": " +
                            std::to_string(count) + " of " + std::to_string(search.count) + " are missing");
  if (ofOther)
    builder.note("there are rows of another search: of another version of the file or of flyc, or with other options");
  return false;
}

bool writeWhole(Session &session, const std::string &path, const std::string &text) {
  const std::string error = artifact::writeAtomically({{path, text}});
  if (!error.empty())
    session.diags.report(diag::cannot_write, {}).arg(path).arg(llvm::StringRef(error).split(": ").second);
  return error.empty();
}

bool writeRow(Session &session, const std::string &path, const std::string &line) {
  if (path.empty()) {
    llvm::outs() << line;
    return true;
  }
  auto folder = llvm::sys::path::parent_path(path);
  if (!folder.empty())
    (void)llvm::sys::fs::create_directories(folder); // what is wrong with it, writing says
  return writeWhole(session, path, line);
}

} // namespace fly::driver
