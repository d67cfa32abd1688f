// Diagnostics: one table of kinds (Diagnostics.def), one engine that collects, orders and prints them.
//
//     diags.report(range, diag::out_of_range{.what = "the width", .low = 1, .high = 32, .found = "40"})
//         .help("split it into two fields");
//
// prints
//
//     error[FLY0318]: the width must be from 1 to 32, got 40  [out-of-range]
//        --> fields.fly:12:20
//         |
//      12 |     x = field(word, 40)
//         |                     ^^
//         = help: split it into two fields
//
// A row is a struct, whose fields are the arguments of its message. The rows that are still FLY_DIAG in the table are
// enumerators, and take their arguments in order, each with a call of `arg`; there are no new ones.
//
// A builder commits its diagnostic when it is destroyed. Identical diagnostics (same kind, same range) are
// reported once. Kinds live in Diagnostics.def; explanations in compiler/diagnostics/explain/FLYnnnn.md.
#pragma once

#include "compiler/diagnostics/Source.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace fly {

enum class Severity { Error, Warning, Note };

namespace diag {
/// `diag::unknown_name` and so on, one for each row of Diagnostics.def.
enum Kind : unsigned {
#define FLY_DIAG(id, code, severity, name, message, ...) id,
#define FLY_ROW(id, code, severity, name, message, arguments, ...) id##_row,
#define FLY_ARG(type, name)
#include "compiler/diagnostics/Diagnostics.def"
  count
};

/// What the arguments of a row can be.
using Text = std::string;
using Number = int64_t;
using Choices = std::vector<std::string>; ///< "a, b or c"

#define FLY_DIAG(id, code, severity, name, message, ...)
#define FLY_ARG(type, name) type name;
#define FLY_ROW(id, code, severity, name, message, arguments, ...)                                                     \
  struct id {                                                                                                          \
    static constexpr Kind kind = id##_row;                                                                             \
    arguments std::vector<std::string> texts() const;                                                                  \
  };
#include "compiler/diagnostics/Diagnostics.def"

/// "`x` of `ldexp`", as a message names an argument.
inline Text argument(llvm::StringRef parameter, llvm::StringRef function) {
  return ("`" + parameter + "` of `" + function + "`").str();
}

/// A row with named arguments, as `diag::out_of_range`.
template <class T>
concept Row = requires(const T &row) {
  T::kind;
  row.texts();
};
} // namespace diag

/// A row of the table. `arguments` are the names in its message, each followed by a space; none for {0}, {1}, ...
/// A row names those of the others in which it differs from the default.
struct DiagnosticInfo {
  const char *id, *code;
  Severity severity;
  const char *name, *message, *arguments;
  /// What a diagnostic is about, and so when two at one place are the same. A mistake of the source counts once however
  /// often the place is elaborated. A finding in machine code is another one per architecture and instance, as its
  /// message says.
  enum class Scope { Source, Machine } scope = Scope::Source;
  int exit = 1;           ///< the status of a command that fails with it; 2 if it is about the command line
  bool isOptIn = false;   ///< a warning or note that is off until a `-W` names it
  const char *group = ""; ///< the name of a `-W` that covers several rows
};
/// The table row of a kind.
const DiagnosticInfo &info(diag::Kind kind);
/// Finds "FLY0203" or "unknown-name"; none if there is no such diagnostic.
std::optional<diag::Kind> findDiagnostic(llvm::StringRef codeOrName);
/// The explanation page (Markdown) of a kind; empty when there is none (a test forbids that).
llvm::StringRef explanation(diag::Kind kind);

/// A fix for the program: text that replaces ranges. An empty range inserts.
struct Fix {
  struct Edit {
    SourceRange range;
    std::string text;
  };
  std::vector<Edit> edits;
  bool isSafe = false; ///< hardly anything else can be meant: `flyc fix` applies it unasked
  static Fix safe(SourceRange range, const llvm::Twine &text) { return {{{range, text.str()}}, true}; }
  static Fix possible(SourceRange range, const llvm::Twine &text) { return {{{range, text.str()}}, false}; }
};

struct Diagnostic {
  diag::Kind kind{};
  Severity severity = Severity::Error;
  std::string message;
  SourceRange range;
  struct Label {
    SourceRange range;
    std::string text;
  };
  std::string primaryText;   ///< follows the carets
  std::vector<Label> labels; ///< other places of the same snippet or file, underlined with ~
  enum class Remark { Note, Help, Frame };
  struct Note {
    SourceRange range;
    std::string text;
    Remark remark = Remark::Note;
    std::optional<Fix> fix;
  }; ///< range optional
  std::vector<Note> notes;
};

class DiagnosticEngine;

/// Collects the parts of one diagnostic; commits when it goes out of scope.
class DiagnosticBuilder {
public:
  DiagnosticBuilder(DiagnosticEngine &engine, diag::Kind kind, SourceRange range);
  DiagnosticBuilder(DiagnosticBuilder &&other);
  ~DiagnosticBuilder();
  DiagnosticBuilder &arg(const llvm::Twine &value);         ///< fills {0}, {1}, ... of the message in order
  DiagnosticBuilder &args(std::vector<std::string> values); ///< all at once
  DiagnosticBuilder &caret(const llvm::Twine &text);        ///< text after the carets
  DiagnosticBuilder &label(SourceRange range, const llvm::Twine &text);
  DiagnosticBuilder &note(const llvm::Twine &text);
  DiagnosticBuilder &note(SourceRange range, const llvm::Twine &text);
  DiagnosticBuilder &help(const llvm::Twine &text);
  DiagnosticBuilder &help(const llvm::Twine &text, Fix fix); ///< help that includes a replacement
  /// "replace `a` with `b`", if a guess was made; `range` starts with the name.
  DiagnosticBuilder &suggest(SourceRange range, llvm::StringRef name, const std::optional<std::string> &guess);

private:
  DiagnosticEngine *engine;
  Diagnostic diagnostic;
  std::vector<std::string> given; ///< the arguments
};

class DiagnosticEngine {
public:
  explicit DiagnosticEngine(SourceManager &sources) : sources(sources) {}
  DiagnosticBuilder report(diag::Kind kind, SourceRange range) { return {*this, kind, range}; }
  template <diag::Row R> DiagnosticBuilder report(SourceRange range, const R &row) {
    DiagnosticBuilder builder(*this, R::kind, range);
    builder.args(row.texts());
    return builder;
  }

  /// Frames are the calls (and imports) that elaboration is inside of; each new error carries them as notes.
  struct Frame {
    SourceRange call;
    std::string text;
  };
  std::vector<Frame> frames;

  unsigned errorCount() const { return errors + quietErrors; }
  bool hasErrors() const { return errors != 0; }
  unsigned shownErrors() const { return errors; } ///< without those that are expected or silenced
  const std::vector<Diagnostic> &all() const { return diagnostics; }
  /// Errors after this many are counted but not kept.
  unsigned errorLimit = 50;

  /// How `flush` prints: text, with colours or not, or an object of JSON a line (docs/schema/diagnostic.schema.json).
  bool asJson = false, inColor = false;
  /// Prints everything that was not printed yet, in the order of reporting.
  void flush(llvm::raw_ostream &os);
  /// One diagnostic as text.
  std::string render(const Diagnostic &diagnostic, bool color = false) const;
  /// One diagnostic as a line of JSON.
  std::string renderJson(const Diagnostic &diagnostic) const;

  /// Between `suspend` and `resume` (they nest) errors are counted but not kept: elaboration that is thrown away.
  void suspend() { quietCounts.push_back(quietErrors); }
  void resume() { quietErrors = quietCounts.back(), quietCounts.pop_back(); }

  /// While set, errors go here instead of being kept; for code that is expected to have errors.
  std::vector<Diagnostic> *expected = nullptr;

  /// One `-W`: "perf", "no-inexact-tiling", "error", "error=FLY0652", or the text of what is wrong with it.
  std::optional<std::string> setWarnings(llvm::StringRef option);
  /// Whether a warning of the kind would be kept; what it takes to find one may be left out otherwise.
  bool isWanted(diag::Kind kind) const;

  void commit(Diagnostic diagnostic);
  SourceManager &sources;

private:
  /// A note without a row, as `renderJson`.
  std::string noteAsJson(llvm::StringRef text) const;

  std::vector<Diagnostic> diagnostics;
  std::unordered_set<std::string> reported; ///< kind and place of every diagnostic so far
  unsigned errors = 0;
  std::map<diag::Kind, bool> wanted; ///< of warnings that a `-W` named
  std::set<diag::Kind> asErrors;
  bool allAsErrors = false;
  std::vector<unsigned> quietCounts;
  unsigned quietErrors = 0;
  size_t printed = 0;
  bool limitTold = false;
};

/// The closest of `candidates` by edit distance, if it is close enough to be a likely typo.
std::optional<std::string> didYouMean(llvm::StringRef name, const std::vector<std::string> &candidates);

} // namespace fly
