// `flyc fix`: applies the fixes of a file's diagnostics that are safe, and looks again, since one mistake hides others,
// until there is nothing more to apply. Only the file itself is changed, never a module it imports.
#include "compiler/driver/CommandLine.h"
#include "compiler/driver/Rewrite.h"
#include "compiler/driver/UnifiedDiff.h"
#include "compiler/sema/kernel/Launches.h"

#include <algorithm>

namespace fly::driver {

namespace {

void elaborate(sema::Elaborator &e, const sema::ExportedInstance &instance) {
  if (!instance.kernel.kernel->isLaunch) {
    sema::instantiate(e, instance.kernel, instance.symbol, instance.range);
    return;
  }
  try {
    for (auto &needed : sema::planLaunch(e, instance.kernel, instance.range).kernels)
      sema::instantiate(e, needed.kernel, needed.kernel.kernel->name, needed.range);
  } catch (sema::Failed &) {
    ++e.failures;
  }
}

/// Finds what can be found without generating code: syntax, names, and the elaboration of all exported kernels and
/// launch functions.
void diagnose(Session &session, const std::string &path, FileId file,
              const std::vector<const target::Target *> &archs) {
  if (!session.open(path, file))
    return;
  for (auto *target : archs) {
    ArchCompilation compilation(session, *target);
    if (!compilation.run())
      continue;
    for (auto &instance : sema::exportedInstances(compilation.elaborator, *compilation.main))
      elaborate(compilation.elaborator, instance);
  }
}

/// The safe fixes of `file`, in order; of two that overlap the first one.
std::vector<Fix::Edit> safeEdits(const DiagnosticEngine &diags, FileId file) {
  std::vector<Fix> fixes;
  for (const Diagnostic &diagnostic : diags.all())
    for (const Diagnostic::Note &note : diagnostic.notes)
      if (note.fix && note.fix->isSafe &&
          llvm::all_of(note.fix->edits, [&](auto &edit) { return edit.range.file == file; }))
        fixes.push_back(*note.fix);
  std::vector<Fix::Edit> edits;
  auto collides = [&](const Fix::Edit &edit) {
    return llvm::any_of(edits, [&](auto &other) {
      return edit.range.begin == other.range.begin ||
             (edit.range.begin < other.range.end && other.range.begin < edit.range.end);
    });
  };
  for (const Fix &fix : fixes)
    if (llvm::none_of(fix.edits, collides))
      edits.insert(edits.end(), fix.edits.begin(), fix.edits.end());
  llvm::sort(edits, [](auto &a, auto &b) { return a.range.begin < b.range.begin; });
  return edits;
}

std::string withEdits(llvm::StringRef text, const std::vector<Fix::Edit> &edits) {
  std::string result;
  size_t at = 0;
  for (const Fix::Edit &edit : edits) {
    result += text.slice(at, edit.range.begin);
    result += edit.text;
    at = edit.range.end;
  }
  result += text.substr(at);
  return result;
}

} // namespace

int fix(const Options &options, const FixCommand &command) {
  constexpr unsigned maxRounds = 20;
  if (command.path == "-")
    return badCommandLine(options, "standard input cannot be changed", "name a file");
  std::vector<const target::Target *> archs;
  for (auto &name : command.archs) {
    auto *target = target::find(name);
    if (!target) {
      Session session(options);
      session.diags.report(diag::unknown_arch, {}).arg(name).arg("").help("targets: " + target::names());
      session.finish();
      return 2;
    }
    archs.push_back(target);
  }
  std::string original, text;
  size_t applied = 0;
  for (unsigned round = 0;; ++round) {
    Session session(options);
    std::optional<FileId> file;
    if (round == 0) {
      file = session.read(command.path);
      if (!file) {
        session.finish();
        return 2;
      }
      original = text = session.sources.text(*file).str();
    } else {
      file = session.sources.add(command.path, text);
    }
    diagnose(session, command.path, *file, archs);
    auto edits = round < maxRounds ? safeEdits(session.diags, *file) : std::vector<Fix::Edit>();
    if (!edits.empty()) {
      text = withEdits(text, edits);
      applied += edits.size();
      continue;
    }
    if (command.dryRun)
      llvm::outs() << unifiedDiff(original, text, command.path);
    else if (applied != 0 && rewriteFile(session, command.path, text) && !command.quiet)
      llvm::outs() << command.path << ": " << applied << (applied == 1 ? " place fixed\n" : " places fixed\n");
    llvm::outs().flush();
    return session.finish() ? 0 : statusOf(session.diags);
  }
}

} // namespace fly::driver
