// `flyc fix`: applies the fixes of a file's diagnostics that are safe, and looks again, since one mistake hides others,
// until there is nothing more to apply. Only the file itself is changed, never a module it imports.
//
// A fix must not put one error in the place of another: where a line that was edited has an error at the end that it
// did not have at the beginning, the edits of that line are wrong (`program_id(0)` is not `block_id(0)`), and all
// begins again without them.
#include "compiler/compilation/CommandErrors.h"
#include "compiler/compilation/ArchCompilation.h"
#include "compiler/commands/Command.h"
#include "compiler/commands/SharedOptions.h"
#include "compiler/compilation/ExitStatus.h"
#include "compiler/commands/Rewrite.h"
#include "compiler/commands/UnifiedDiff.h"
#include "compiler/text/Words.h"

#include <algorithm>
#include <set>

namespace fly::driver {

namespace {

class FixCommand final : public Command {
public:
  FixCommand() : Command("fix", "Apply the safe fixes that errors in a .fly file suggest") {}
  void declare(OptionTable &table) override {
    table.add("file", request.path, "The .fly file").required();
    archOption(table, request.archs, "Architectures to check; all: every one").takesMoreWords();
    table.add("--dry-run", request.dryRun, "Change nothing; print the differences");
    table.add("--quiet,-q", request.quiet, "Print errors only");
    sourceOptions(table, options);
  }
  int run() override;

  FixRequest request;
};

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
      compilation.diagnose(instance);
  }
}

/// An edit as text: the same one is found again when all begins again.
struct Applied {
  uint32_t begin = 0, end = 0; ///< in the text as it is now
  std::string what;            ///< "unknown-name print printf"
};

/// What the fixes of one attempt have done to the text.
class Attempt {
public:
  Attempt(std::string text, const std::set<std::string> &refused) : text(std::move(text)), refused(refused) {}

  /// Applies the safe fixes of `file`, of two that overlap the first one; false if there are none.
  bool apply(const DiagnosticEngine &diags, FileId file) {
    std::vector<std::pair<Fix::Edit, std::string>> edits;
    auto collides = [&](const Fix::Edit &edit) {
      return llvm::any_of(edits, [&](auto &other) {
        const SourceRange &range = other.first.range;
        return edit.range.begin == range.begin || (edit.range.begin < range.end && range.begin < edit.range.end);
      });
    };
    for (const Diagnostic &diagnostic : diags.all())
      for (const Diagnostic::Note &note : diagnostic.notes) {
        if (!note.fix || !note.fix->isSafe || llvm::any_of(note.fix->edits, [&](auto &edit) {
              return edit.range.file != file || collides(edit) || refused.count(describe(diagnostic, edit));
            }))
          continue;
        for (const Fix::Edit &edit : note.fix->edits)
          edits.push_back({edit, describe(diagnostic, edit)});
      }
    llvm::sort(edits, [](auto &a, auto &b) { return a.first.range.begin < b.first.range.begin; });
    for (auto &[edit, what] : llvm::reverse(edits)) { // from the end: what is before it stays where it is
      const auto [begin, end] = std::pair(edit.range.begin, edit.range.end);
      const auto grown = static_cast<int32_t>(edit.text.size()) - static_cast<int32_t>(end - begin);
      for (Applied &earlier : applied)
        if (earlier.begin >= end)
          earlier.begin += grown, earlier.end += grown;
      text.replace(begin, end - begin, edit.text);
      applied.push_back({begin, begin + static_cast<uint32_t>(edit.text.size()), what});
    }
    return !edits.empty();
  }

  /// The edits of lines with an error that is not one of `before`.
  std::set<std::string> wrong(const DiagnosticEngine &diags, FileId file, const std::set<std::string> &before) const {
    std::set<std::string> out;
    for (const Diagnostic &diagnostic : diags.all()) {
      if (diagnostic.severity != Severity::Error || diagnostic.range.file != file || !diagnostic.range.valid() ||
          before.count(diagnostic.message))
        continue;
      const llvm::StringRef all(text);
      const size_t begin = all.take_front(diagnostic.range.begin).rfind('\n') + 1, // npos + 1 is 0
          end = std::min(all.find('\n', diagnostic.range.begin), all.size());
      for (const Applied &edit : applied)
        if (edit.begin <= end && edit.end >= begin)
          out.insert(edit.what);
    }
    return out;
  }

  std::string text;
  std::vector<Applied> applied;

private:
  std::string describe(const Diagnostic &diagnostic, const Fix::Edit &edit) const {
    return std::string(info(diagnostic.kind).name) + " " +
           text.substr(edit.range.begin, edit.range.end - edit.range.begin) + " " + edit.text;
  }
  const std::set<std::string> &refused;
};

std::set<std::string> errorsOf(const DiagnosticEngine &diags) {
  std::set<std::string> messages;
  for (const Diagnostic &diagnostic : diags.all())
    if (diagnostic.severity == Severity::Error)
      messages.insert(diagnostic.message);
  return messages;
}

} // namespace

int fixFile(const Options &options, const FixRequest &command) {
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
  std::string original;
  std::set<std::string> refused, before;
  std::optional<Attempt> attempt;
  for (unsigned round = 0;; ++round) {
    Session session(options);
    std::optional<FileId> file;
    if (!attempt) {
      file = session.read(command.path);
      if (!file) {
        session.finish();
        return 2;
      }
      original = session.sources.text(*file).str();
      attempt.emplace(original, refused);
    } else {
      file = session.sources.add(command.path, attempt->text);
    }
    diagnose(session, command.path, *file, archs);
    if (attempt->applied.empty())
      before = errorsOf(session.diags);
    if (round < maxRounds && attempt->apply(session.diags, *file))
      continue;
    if (auto wrong = attempt->wrong(session.diags, *file, before); !wrong.empty()) {
      refused.merge(wrong);
      attempt.emplace(original, refused);
      round = 0;
      continue;
    }
    const size_t applied = attempt->applied.size();
    if (command.dryRun)
      llvm::outs() << unifiedDiff(original, attempt->text, command.path);
    else if (applied != 0 && rewriteFile(session, command.path, attempt->text) && !command.quiet)
      llvm::outs() << command.path << ": " << counted(applied, "place") << " fixed\n";
    llvm::outs().flush();
    return session.finish() ? 0 : statusOf(session.diags);
  }
}

int FixCommand::run() { return fixFile(options, request); }

std::unique_ptr<Command> fixCommand() { return std::make_unique<FixCommand>(); }

} // namespace fly::driver
