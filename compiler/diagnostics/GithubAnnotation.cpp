// See GithubAnnotation.h.
#include "compiler/diagnostics/GithubAnnotation.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

namespace fly {

/// Line ends and the sign that escapes, and in a property what ends one.
static std::string escaped(llvm::StringRef text, llvm::StringRef more = "") {
  std::string out;
  for (char c : text)
    if (llvm::StringRef("%\r\n").contains(c) || more.contains(c))
      out += {'%', llvm::hexdigit(uint8_t(c) >> 4), llvm::hexdigit(uint8_t(c) & 15)};
    else
      out += c;
  return out;
}

/// The path as a workflow knows the file; as it is, if it is outside of the workspace.
static std::string inWorkspace(llvm::StringRef path, llvm::StringRef workspace) {
  llvm::SmallString<256> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  llvm::sys::path::remove_dots(absolute, true);
  llvm::StringRef rest = absolute;
  return rest.consume_front(workspace) && rest.consume_front("/") ? rest.str() : path.str();
}

void annotateForGithub(llvm::ArrayRef<Diagnostic> diagnostics, const SourceManager &sources, llvm::raw_ostream &os) {
  if (llvm::sys::Process::GetEnv("GITHUB_ACTIONS") != "true")
    return;
  const std::string workspace = llvm::sys::Process::GetEnv("GITHUB_WORKSPACE").value_or("");
  for (const Diagnostic &diagnostic : diagnostics) {
    const DiagnosticInfo &row = info(diagnostic.kind);
    os << (diagnostic.severity == Severity::Error     ? "::error "
           : diagnostic.severity == Severity::Warning ? "::warning "
                                                      : "::notice ");
    if (const SourceRange range = diagnostic.range; range.valid()) {
      const LineColumn begin = sources.lineColumn(range.file, range.begin),
                       end = sources.lineColumn(range.file, range.end);
      os << "file=" << escaped(inWorkspace(sources.name(range.file), workspace), ":,") << ",line=" << begin.line
         << ",endLine=" << end.line << ",col=" << begin.column << ",endColumn=" << end.column << ',';
    }
    os << "title=" << row.code << ' ' << row.name << "::" << escaped(diagnostic.message) << '\n';
  }
}

} // namespace fly
