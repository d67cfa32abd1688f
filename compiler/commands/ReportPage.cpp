// See ReportPage.h.
#include "compiler/commands/ReportPage.h"

#include "compiler/compilation/CodeObjects.h"
#include "compiler/page/Page.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace fly::driver {

namespace {

using report::Json;

page::Access accessOf(const analysis::KnownAccess &known) {
  page::Access out;
  out.place = {known.file, known.line, known.column, -1};
  out.tensor = known.tensor, out.element = known.element;
  out.isLds = known.isLds, out.isWrite = known.isWrite;
  out.bits = known.bits, out.active = known.active, out.bytes = known.bytes;
  if (known.tiling) {
    out.atom = known.tiling->atom, out.tv = known.tiling->tv, out.tile = known.tiling->tile;
    out.ofSource = known.tiling->ofSource;
  }
  return out;
}

/// The text of a regular file; none if it cannot be read.
std::optional<std::string> sourceText(const llvm::Twine &path) {
  if (!llvm::sys::fs::is_regular_file(path))
    return std::nullopt;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  return buffer ? std::optional((*buffer)->getBuffer().str()) : std::nullopt;
}

} // namespace

int ReportPage::add(Session &session, const isa::CodeObject &object, const std::string &name, const std::string &kernel,
                    const std::map<std::string, page::Compiled> &compiled, const page::Model::SourceText &source) {
  if (llvm::Error error = model.add(object, name, kernel, compiled, source)) {
    session.diags.report(diag::cannot_read, {}).arg(name).arg(llvm::toString(std::move(error)));
    return 1;
  }
  if (model.instructions() <= page::mostInstructions)
    return 0;
  session.diags.report(diag::bad_option, {})
      .arg("--html " + request.html)
      .arg("a page holds " + std::to_string(page::mostInstructions) + " instructions, and there are more")
      .help("choose with `--kernel` and `--arch`; `flyc report --summary` lists all kernels");
  return 2;
}

int ReportPage::addObject(Session &session, const isa::CodeObject &object, const std::string &name,
                          const std::string &kernel, const std::string &path) {
  llvm::StringRef folder =
      llvm::sys::fs::is_directory(path) ? llvm::StringRef(path) : llvm::sys::path::parent_path(path);
  return add(session, object, name, kernel, {}, [folder](const std::string &file) {
    llvm::SmallString<256> beside(folder);
    llvm::sys::path::append(beside, file);
    auto text = sourceText(beside);
    return text ? text : sourceText(file);
  });
}

int ReportPage::addCompiled(Session &session, const isa::CodeObject &object, const std::string &kernel,
                            const std::vector<InstancePage> &pages) {
  std::map<std::string, page::Compiled> compiled;
  for (const InstancePage &page : pages) {
    page::Compiled &one = compiled[page.symbol];
    one.fly = page.fly, one.llvmIr = page.llvmIr;
    for (const analysis::KnownAccess &access : page.accesses)
      one.accesses.push_back(accessOf(access));
    for (const NamedLoop &loop : page.loops)
      one.loops.push_back({loop.name, loop.file, loop.line});
  }
  std::map<std::string, llvm::StringRef> texts;
  for (FileId file = 1; file <= session.sources.fileCount(); ++file)
    texts.try_emplace(session.locationName(file), session.sources.text(file));
  return add(session, object, session.mainPath, kernel, compiled,
             [&](const std::string &file) -> std::optional<std::string> {
               auto found = texts.find(file);
               return found == texts.end() ? std::nullopt : std::optional(found->second.str());
             });
}

int ReportPage::attach(Session &session, const std::string &path) {
  auto buffer = openInput(session, path);
  if (!buffer)
    return 1;
  std::string problem;
  try {
    problem = model.attach(Json::parse(buffer->getBuffer().begin(), buffer->getBuffer().end()));
  } catch (const Json::parse_error &) {
    problem = "it is not JSON";
  } catch (const Json::exception &) {
    problem = "its values are not those that `flyc run` writes";
  }
  if (problem.empty())
    return 0;
  session.diags.report(diag::cannot_read, {}).arg(path).arg(problem);
  return 1;
}

int ReportPage::write(Session &session) {
  for (const std::string &path : request.profiles)
    if (int status = attach(session, path))
      return status;
  std::string title = request.paths.size() == 1 ? llvm::sys::path::filename(request.paths.front()).str()
                                                : std::to_string(request.paths.size()) + " files";
  const std::string text = page::pageOf(model.json(), title);
  if (request.html == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    return 0;
  }
  if (auto problem = artifact::writeAtomically({{request.html, text}}); !problem.empty()) {
    session.diags.report(diag::cannot_write, {}).arg(request.html).arg(problem);
    return 1;
  }
  return 0;
}

} // namespace fly::driver
