// See Session.h.
#include "compiler/compilation/Session.h"

#include "compiler/compilation/Backend.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/compilation/VerifyOptions.h"
#include "compiler/diagnostics/GithubAnnotation.h"
#include "compiler/diagnostics/Sarif.h"
#include "compiler/sema/module/EmbeddedLibrary.h"
#include "compiler/syntax/Parser.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

namespace fly::driver {

Session::Session(Options given)
    : options(std::move(given)), diags(sources), cache(options.cache), contexts(std::make_unique<ContextPool>()) {
  diags.asJson = options.errorFormat == "json";
  // https://no-color.org: a non-empty NO_COLOR turns colours off, unless the command line says otherwise.
  auto noColor = llvm::sys::Process::GetEnv("NO_COLOR");
  diags.inColor = options.color == "always" || (options.color == "auto" && !(noColor && !noColor->empty()) &&
                                                llvm::sys::Process::StandardErrHasColors());
  for (const std::string &warning : options.warnings)
    if (auto rules = rulesTurnedOff(warning)) // the command line has been checked
      verifyOff.insert(rules->names.begin(), rules->names.end());
    else
      (void)diags.setWarnings(warning);
  searchPath = options.includeDirs;
  stdlib = llvm::sys::Process::GetEnv("FLY_STDLIB").value_or(sema::embeddedLibrary.str());
  searchPath.push_back(stdlib);
}

int statusOf(const DiagnosticEngine &diags) {
  auto isOfCommandLine = [&](const Diagnostic &diagnostic) {
    if (diagnostic.severity != Severity::Error)
      return false;
    if (diagnostic.range.valid())
      return diags.sources.name(diagnostic.range.file).starts_with("<-D "); // see readDefinitions
    return info(diagnostic.kind).exit == 2;
  };
  return llvm::any_of(diags.all(), isOfCommandLine) ? 2 : 1;
}

bool Session::open(const std::string &path) {
  auto timer = times.measure("read and parse");
  auto file = read(path);
  return file && open(path, *file);
}

void Session::name(const std::string &path, FileId file) {
  mainPath = path;
  mainFile = file;
  moduleName = llvm::sys::path::stem(path).str();
  for (char &c : moduleName)
    if (!llvm::isAlnum(c))
      c = '_';
  if (moduleName.empty() || llvm::isDigit(moduleName[0]))
    moduleName = "m" + moduleName;
}

bool Session::open(const std::string &path, FileId file) {
  name(path, file);
  mainTree = parseModule(mainFile, diags);
  return mainTree != nullptr;
}

void Session::openWhatIsGood(const std::string &path, FileId file) {
  name(path, file);
  mainTree = parseWhatIsGood(mainFile, diags);
}

Session::~Session() = default;

std::optional<FileId> Session::read(const std::string &path) {
  if (llvm::sys::fs::is_directory(path)) {
    diags.report(diag::cannot_read, {}).arg(path).arg("it is a folder");
    return std::nullopt;
  }
  auto buffer = path == "-" ? llvm::MemoryBuffer::getSTDIN()
                            : llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    diags.report(diag::cannot_read, {}).arg(path).arg(llvm::StringRef(buffer.getError().message()).lower());
    return std::nullopt;
  }
  return sources.add(path == "-" ? "<stdin>" : path, (*buffer)->getBuffer().str());
}

SarifLog &sarifLog() {
  static SarifLog log;
  return log;
}

void Session::tell() {
  const std::vector<Diagnostic> &all = diags.all();
  const size_t first = std::exchange(told, all.size());
  if (options.errorFormat != "sarif") {
    diags.flush(llvm::errs());
    if (options.errorFormat == "text")
      annotateForGithub(llvm::ArrayRef(all).drop_front(first), sources, llvm::errs());
    return;
  }
  for (size_t i = first; i < all.size(); ++i)
    sarifLog().add(all[i], sources);
  if (const unsigned errors = diags.shownErrors(); errors > diags.errorLimit && !std::exchange(isLimitTold, true))
    sarifLog().addHidden(errors - diags.errorLimit);
}

bool Session::finish() {
  tell();
  return !diags.hasErrors();
}

mlir::MLIRContext &Session::context() {
  if (!mlirContext) {
    auto timer = times.measure("set up MLIR");
    mlirContext = newContext();
  }
  return *mlirContext;
}

std::string Session::locationName(FileId file) const {
  std::string name = sources.name(file).str();
  if (sema::isEmbedded(name))
    return name;
  if (auto [from, to] = llvm::StringRef(options.prefixMap).split('=');
      !options.prefixMap.empty() && llvm::StringRef(name).starts_with(from))
    return to.str() + name.substr(from.size());
  auto absolute = [](llvm::StringRef path) {
    llvm::SmallString<256> out(path);
    llvm::sys::fs::make_absolute(out);
    llvm::sys::path::remove_dots(out, true);
    return std::string(out);
  };
  std::string full = absolute(name);
  // The folder of the main file is the root, so the bytes do not depend on where the sources are.
  std::string root = absolute(llvm::sys::path::parent_path(mainPath.empty() ? "." : mainPath)) + "/";
  if (llvm::StringRef(full).starts_with(root))
    return full.substr(root.size());
  for (size_t i = searchPath.size(); i-- > 0;) {
    std::string folder = absolute(searchPath[i]) + "/";
    if (llvm::StringRef(full).starts_with(folder))
      return (i + 1 == searchPath.size() ? "<stdlib>/" : "<include>/") + full.substr(folder.size());
  }
  return llvm::sys::path::filename(name).str();
}

} // namespace fly::driver
