// What must hold whatever the input is; shared by the fuzzers. A violation aborts, which libFuzzer reports.
#pragma once

#include "compiler/format/Format.h"
#include "compiler/syntax/Parser.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace fly::fuzz {

inline void require(bool condition, const llvm::Twine &what) {
  if (condition)
    return;
  llvm::errs() << "violated: " << what << "\n";
  std::abort();
}

/// Every place lies in its file, and every diagnostic prints, as text and as valid JSON.
inline void checkDiagnostics(const DiagnosticEngine &diags) {
  auto inside = [&](SourceRange range) {
    return !range.valid() || (range.begin <= range.end && range.end <= diags.sources.text(range.file).size());
  };
  for (const Diagnostic &diagnostic : diags.all()) {
    require(inside(diagnostic.range), "the range of a diagnostic lies in the file: " + diagnostic.message);
    for (auto &label : diagnostic.labels)
      require(inside(label.range), "the range of a label lies in the file: " + label.text);
    for (auto &note : diagnostic.notes) {
      require(inside(note.range), "the range of a note lies in the file: " + note.text);
      if (note.fix)
        for (auto &edit : note.fix->edits)
          require(inside(edit.range), "what a fix replaces lies in the file: " + note.text);
    }
    diags.render(diagnostic);
    auto json = llvm::json::parse(diags.renderJson(diagnostic));
    if (!json) {
      llvm::errs() << diags.renderJson(diagnostic) << "\n" << llvm::toString(json.takeError()) << "\n";
      require(false, "the JSON form of a diagnostic is JSON");
    }
  }
}

/// What parses has a usual form, which says the same (formatFile compares the trees) and is its own usual form.
inline void checkFormat(FileId file, DiagnosticEngine &diags) {
  auto once = formatFile(file, diags);
  require(once.has_value(), "what parses can be formatted");
  auto twice = formatFile(diags.sources.add("formatted.fly", *once), diags);
  if (twice == once)
    return;
  llvm::errs() << "once:\n" << *once << "\ntwice:\n" << twice.value_or("(nothing)") << "\n";
  require(false, "formatting what is formatted changes nothing");
}

} // namespace fly::fuzz
