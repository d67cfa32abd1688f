// The diagnostic table as data, and the engine that collects diagnostics: it fills in messages, drops duplicates, adds
// the chain of calls that led to an error, and stops keeping errors after a limit.
//
// A call chain of thousands (a runaway recursion) must stay readable, so that only its ends are shown:
//
//     note: in the call of `f` here          innermost four, with their source lines
//     ... 995 calls ...
//     note: in the call of `main` here       outermost one
#include "compiler/diagnostics/Diagnostics.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <iterator>

namespace fly {

namespace {

using enum DiagnosticInfo::Scope;

const DiagnosticInfo table[] = {
#define FLY_ARG(type, name) #name " "
#define FLY_ROW(row, number, level, words, text, args, ...)                                                            \
  {.id = #row,                                                                                                         \
   .code = number,                                                                                                     \
   .severity = Severity::level,                                                                                        \
   .name = words,                                                                                                      \
   .message = text,                                                                                                    \
   .arguments = "" args,                                                                                               \
   __VA_ARGS__},
#define FLY_DIAG(row, number, level, words, text, ...) FLY_ROW(row, number, level, words, text, , __VA_ARGS__)
#include "compiler/diagnostics/Diagnostics.def"
};

struct Explanation {
  llvm::StringLiteral code, text;
};
const Explanation explanations[] = {
#include "compiler/diagnostics/Explanations.inc"
    {"", ""},
};

std::string textOf(const diag::Text &text) { return text; }
std::string textOf(diag::Number number) { return std::to_string(number); }
std::string textOf(const diag::Choices &choices) {
  std::string out;
  for (size_t i = 0; i < choices.size(); ++i)
    out += (i == 0 ? "" : i + 1 < choices.size() ? ", " : " or ") + choices[i];
  return out;
}

/// The place of an argument by what stands in the braces of a message, "0" or "what"; none for other braces.
std::optional<size_t> argumentAt(llvm::StringRef name, llvm::StringRef names) {
  if (name.size() == 1 && llvm::isDigit(name[0]))
    return name[0] - '0';
  for (size_t place = 0; !names.empty(); ++place) {
    auto [first, rest] = names.split(' ');
    if (first == name)
      return place;
    names = rest;
  }
  return std::nullopt;
}

/// "`{0}` takes {1}" or "{what} must be positive" with its arguments; a place without an argument becomes empty.
std::string fill(const DiagnosticInfo &row, const std::vector<std::string> &args) {
  std::string result;
  for (llvm::StringRef rest = row.message; !rest.empty();) {
    const size_t end = rest[0] == '{' ? rest.find('}') : llvm::StringRef::npos;
    auto index = end == llvm::StringRef::npos ? std::nullopt : argumentAt(rest.slice(1, end), row.arguments);
    if (index && *index < args.size())
      result += args[*index];
    if (!index)
      result += rest[0];
    rest = rest.drop_front(index ? end + 1 : 1);
  }
  return result;
}

/// What a call of the library gets wrong is told at the call, with the place in the library as a note. Returns the frames
/// around the call. What has no such call stays where it is: it is the library's own.
llvm::ArrayRef<DiagnosticEngine::Frame>
moveOutOfLibrary(Diagnostic &diagnostic, llvm::ArrayRef<DiagnosticEngine::Frame> frames, const SourceManager &sources) {
  auto isLibrary = [&](SourceRange range) {
    return range.valid() && sources.name(range.file).starts_with("<stdlib>/");
  };
  if (!isLibrary(diagnostic.range))
    return frames;
  size_t outer = frames.size();
  while (outer && (isLibrary(frames[outer - 1].call) || !frames[outer - 1].call.valid()))
    --outer;
  if (!outer)
    return frames;
  std::vector<Diagnostic::Note> notes;
  notes.push_back({diagnostic.range, "it shows here, inside of the library", Diagnostic::Remark::Note, {}});
  for (auto &label : diagnostic.labels)
    notes.push_back({label.range, label.text, Diagnostic::Remark::Note, {}});
  for (auto &note : diagnostic.notes) {
    if (note.fix && llvm::any_of(note.fix->edits, [&](const Fix::Edit &edit) { return isLibrary(edit.range); }))
      note.fix.reset();
    notes.push_back(std::move(note));
  }
  diagnostic.notes = std::move(notes);
  diagnostic.labels.clear();
  diagnostic.primaryText.clear();
  diagnostic.range = frames[outer - 1].call;
  return frames.take_front(outer - 1);
}

void appendFrames(Diagnostic &diagnostic, llvm::ArrayRef<DiagnosticEngine::Frame> frames) {
  constexpr size_t innermost = 4, outermost = 1;
  size_t hidden = frames.size() > innermost + outermost ? frames.size() - innermost - outermost : 0;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (hidden && i == innermost) {
      diagnostic.notes.push_back({{}, "... " + counted(hidden, "call") + " ...", Diagnostic::Remark::Frame, {}});
      i += hidden;
    }
    const DiagnosticEngine::Frame &frame = frames[frames.size() - 1 - i];
    diagnostic.notes.push_back(
        {frame.call, frame.text.empty() ? "called here" : frame.text, Diagnostic::Remark::Frame, {}});
  }
}

} // namespace

#define FLY_DIAG(id, code, severity, name, message, ...)
#define FLY_ARG(type, name) textOf(name),
#define FLY_ROW(id, code, severity, name, message, arguments, ...)                                                     \
  std::vector<std::string> diag::id::texts() const { return {arguments}; }
#include "compiler/diagnostics/Diagnostics.def"

const DiagnosticInfo &info(diag::Kind kind) { return table[kind < diag::count ? kind : 0]; }

std::optional<diag::Kind> findDiagnostic(llvm::StringRef codeOrName) {
  for (unsigned i = 0; i < diag::count; ++i)
    if (codeOrName.equals_insensitive(table[i].code) || codeOrName == table[i].name)
      return static_cast<diag::Kind>(i);
  return std::nullopt;
}

llvm::StringRef explanation(diag::Kind kind) {
  for (const Explanation &e : explanations)
    if (e.code == info(kind).code)
      return e.text;
  return {};
}

DiagnosticBuilder::DiagnosticBuilder(DiagnosticEngine &engine, diag::Kind kind, SourceRange range) : engine(&engine) {
  diagnostic.kind = kind;
  diagnostic.severity = info(kind).severity;
  diagnostic.range = range;
}

DiagnosticBuilder::DiagnosticBuilder(DiagnosticBuilder &&other)
    : engine(other.engine), diagnostic(std::move(other.diagnostic)), given(std::move(other.given)) {
  other.engine = nullptr;
}

DiagnosticBuilder::~DiagnosticBuilder() {
  if (!engine)
    return;
  diagnostic.message = fill(info(diagnostic.kind), given);
  engine->commit(std::move(diagnostic));
}

DiagnosticBuilder &DiagnosticBuilder::arg(const llvm::Twine &value) {
  given.push_back(value.str());
  return *this;
}
DiagnosticBuilder &DiagnosticBuilder::args(std::vector<std::string> values) {
  given = std::move(values);
  return *this;
}
DiagnosticBuilder &DiagnosticBuilder::caret(const llvm::Twine &text) {
  diagnostic.primaryText = text.str();
  return *this;
}
DiagnosticBuilder &DiagnosticBuilder::label(SourceRange range, const llvm::Twine &text) {
  diagnostic.labels.push_back({range, text.str()});
  return *this;
}
DiagnosticBuilder &DiagnosticBuilder::note(const llvm::Twine &text) {
  diagnostic.notes.push_back({{}, text.str(), Diagnostic::Remark::Note, {}});
  return *this;
}
DiagnosticBuilder &DiagnosticBuilder::note(SourceRange range, const llvm::Twine &text) {
  diagnostic.notes.push_back({range, text.str(), Diagnostic::Remark::Note, {}});
  return *this;
}
DiagnosticBuilder &DiagnosticBuilder::help(const llvm::Twine &text) {
  diagnostic.notes.push_back({{}, text.str(), Diagnostic::Remark::Help, {}});
  return *this;
}
DiagnosticBuilder &DiagnosticBuilder::help(const llvm::Twine &text, Fix fix) {
  diagnostic.notes.push_back({{}, text.str(), Diagnostic::Remark::Help, std::move(fix)});
  return *this;
}
DiagnosticBuilder &DiagnosticBuilder::suggest(SourceRange range, llvm::StringRef name,
                                              const std::optional<std::string> &guess) {
  if (!guess)
    return *this;
  const std::string text = ("replace `" + name + "` with `" + *guess + "`").str();
  // An argument's range is that of `name=value`; a name that is not in the file (a generated one) cannot be replaced.
  if (!range.valid() || !engine->sources.text(range).starts_with(name))
    return help(text);
  range.end = range.begin + static_cast<uint32_t>(name.size());
  return help(text, Fix::safe(range, *guess));
}

void DiagnosticEngine::commit(Diagnostic diagnostic) {
  if (!quietCounts.empty()) {
    quietErrors += diagnostic.severity == Severity::Error;
    return;
  }
  if (expected && diagnostic.severity == Severity::Error) {
    expected->push_back(std::move(diagnostic));
    return;
  }
  if (diagnostic.severity != Severity::Error && !isWanted(diagnostic.kind))
    return;
  if (diagnostic.severity == Severity::Warning && (allAsErrors || asErrors.count(diagnostic.kind)))
    diagnostic.severity = Severity::Error; // a note stays one
  const llvm::ArrayRef<Frame> around = moveOutOfLibrary(diagnostic, frames, sources);
  const SourceRange &range = diagnostic.range;
  if (diagnostic.severity == Severity::Error && errors > errorLimit) {
    ++errors;
    return;
  }
  // Diagnostics without a place are told apart by their messages, as are findings in machine code.
  std::string key = std::to_string(diagnostic.kind) + ':' + std::to_string(range.file) + ':' +
                    std::to_string(range.begin) + ':' + std::to_string(range.end);
  if (!range.valid() || info(diagnostic.kind).scope == DiagnosticInfo::Scope::Machine)
    key += ':' + diagnostic.message;
  if (!reported.insert(std::move(key)).second)
    return;
  if (diagnostic.severity == Severity::Error && ++errors > errorLimit)
    return;
  appendFrames(diagnostic, around);
  diagnostics.push_back(std::move(diagnostic));
}

void DiagnosticEngine::flush(llvm::raw_ostream &os) {
  for (; printed < diagnostics.size(); ++printed)
    os << (asJson ? renderJson(diagnostics[printed]) : render(diagnostics[printed], inColor)) << '\n';
  if (errors > errorLimit && !limitTold) {
    unsigned more = errors - errorLimit;
    const std::string text = counted(more, "more error is", "more errors are") + " not shown";
    os << (asJson ? noteAsJson(text) : "note: " + text) << '\n';
    limitTold = true;
  }
}

/// Two letters changed places: the commonest slip of all.
static bool isTransposed(llvm::StringRef a, llvm::StringRef b) {
  size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i])
    ++i;
  return a.size() == b.size() && i + 1 < a.size() && a[i] == b[i + 1] && a[i + 1] == b[i] &&
         a.substr(i + 2) == b.substr(i + 2);
}

std::optional<std::string> didYouMean(llvm::StringRef name, const std::vector<std::string> &candidates) {
  // A typo changes about a third of a name at most. Of two candidates that are as near, either may be meant.
  unsigned best = std::max<size_t>(1, name.size() / 3) + 1;
  std::optional<std::string> found;
  bool isOnly = true;
  for (const std::string &candidate : candidates) {
    if (candidate == name)
      continue;
    unsigned distance = name.equals_insensitive(candidate) ? 0
                        : isTransposed(name, candidate)
                            ? 1
                            : name.edit_distance(candidate, /*AllowReplacements=*/true, /*MaxEditDistance=*/best);
    if (distance >= name.size() && distance != 0)
      continue; // nothing of the name is left
    if (distance < best) {
      best = distance;
      found = candidate;
      isOnly = true;
    } else if (distance == best && found && candidate != *found) {
      isOnly = false;
    }
  }
  return isOnly ? found : std::nullopt;
}

} // namespace fly
