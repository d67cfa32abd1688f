// See Problems.h.
#include "compiler/editor/Problems.h"

#include "compiler/editor/Documents.h"
#include "compiler/sema/module/EmbeddedLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

namespace fly::editor {

namespace json = llvm::json;

namespace {

/// Places in all files of a snapshot.
class Places {
public:
  Places(const SourceManager &sources, PositionEncoding encoding) : sources(sources), encoding(encoding) {}
  json::Object range(SourceRange range) {
    auto [entry, isNew] = files.try_emplace(range.file, nullptr);
    if (isNew)
      entry->second = std::make_unique<TextPositions>(sources.text(range.file), encoding);
    return entry->second->range(range.begin, range.end);
  }
  std::string uri(FileId file) const { return uriOfPath(sources.name(file)); }
  json::Object location(SourceRange at) { return json::Object{{"uri", uri(at.file)}, {"range", range(at)}}; }
  json::Object edit(const Fix &fix) {
    std::map<std::string, json::Array> byFile;
    for (const Fix::Edit &edit : fix.edits)
      byFile[uri(edit.range.file)].push_back(json::Object{{"range", range(edit.range)}, {"newText", edit.text}});
    json::Object changes;
    for (auto &[uri, edits] : byFile)
      changes[uri] = std::move(edits);
    return json::Object{{"changes", std::move(changes)}};
  }

private:
  const SourceManager &sources;
  PositionEncoding encoding;
  std::map<FileId, std::unique_ptr<TextPositions>> files;
};

/// Where in the file itself: the place, or the call or import that leads there.
SourceRange placeIn(const Diagnostic &diagnostic, FileId file) {
  if (diagnostic.range.file == file)
    return diagnostic.range;
  for (auto &note : diagnostic.notes)
    if (note.range.file == file)
      return note.range;
  return {file, 0, 0};
}

int severityOf(Severity severity) {
  switch (severity) {
  case Severity::Error: return 1;
  case Severity::Warning: return 2;
  case Severity::Note: return 3;
  }
  return 1;
}

json::Object problem(const Diagnostic &diagnostic, FileId file, Places &places) {
  std::string message = diagnostic.message;
  if (!diagnostic.primaryText.empty())
    message += "; " + diagnostic.primaryText;
  json::Array related, fixes;
  if (diagnostic.range.valid() && diagnostic.range.file != file)
    related.push_back(json::Object{{"location", places.location(diagnostic.range)}, {"message", diagnostic.message}});
  for (auto &label : diagnostic.labels)
    if (label.range.valid())
      related.push_back(json::Object{{"location", places.location(label.range)},
                                     {"message", label.text.empty() ? "here" : label.text}});
  for (auto &note : diagnostic.notes) {
    if (note.range.valid())
      related.push_back(json::Object{{"location", places.location(note.range)}, {"message", note.text}});
    else if (!note.fix || !note.fix->isSafe)
      message += (note.remark == Diagnostic::Remark::Help ? "\nhelp: " : "\nnote: ") + note.text;
    if (note.fix)
      fixes.push_back(
          json::Object{{"title", note.text}, {"isSafe", note.fix->isSafe}, {"edit", places.edit(*note.fix)}});
  }
  const DiagnosticInfo &row = info(diagnostic.kind);
  json::Object result{{"range", places.range(placeIn(diagnostic, file))},
                      {"severity", severityOf(diagnostic.severity)},
                      {"code", row.code},
                      {"codeDescription", json::Object{{"href", std::string("fly-explain:///") + row.code + ".md"}}},
                      {"source", "flyc"},
                      {"message", message}};
  if (!related.empty())
    result["relatedInformation"] = std::move(related);
  if (!fixes.empty())
    result["data"] = json::Object{{"fixes", std::move(fixes)}};
  return result;
}

/// A name that is not defined has been told when an editor's module runs nevertheless, and finds no value.
bool isFollowUp(const Diagnostic &diagnostic, const std::vector<Diagnostic> &all) {
  return diagnostic.kind == diag::unassigned_name::kind && llvm::any_of(all, [&](const Diagnostic &other) {
           return other.kind == diag::unknown_name && other.range.file == diagnostic.range.file &&
                  other.range.begin == diagnostic.range.begin;
         });
}

} // namespace

json::Array problemsOf(const SourceManager &sources, const std::vector<Diagnostic> &diagnostics, FileId file,
                       PositionEncoding encoding) {
  Places places(sources, encoding);
  json::Array result;
  for (const Diagnostic &diagnostic : diagnostics)
    if (!isFollowUp(diagnostic, diagnostics))
      result.push_back(problem(diagnostic, file, places));
  return result;
}

json::Array problemsOf(const Snapshot &snapshot, PositionEncoding encoding) {
  return problemsOf(snapshot.session.sources, snapshot.diagnostics(), snapshot.file(), encoding);
}

void addFailures(json::Array &problems, const Snapshot &snapshot, const std::string &check, const CheckResult &result,
                 PositionEncoding encoding) {
  const SourceManager &sources = snapshot.session.sources;
  const FileId file = snapshot.file();
  Places places(sources, encoding);
  SourceRange name{file, 0, 0};
  for (auto *statement : snapshot.tree().body)
    if (auto *def = llvm::dyn_cast<ast::DefStmt>(statement); def && def->name == check)
      name = def->nameRange;
  for (const CheckResult::Failure &failure : result.failures) {
    SourceRange at = name;
    json::Array related;
    const bool isHere = realPath(failure.place.path) == realPath(sources.name(file));
    if (failure.place.line != 0 && isHere) {
      at.begin = sources.offset(file, {failure.place.line, failure.place.column});
      at.end = uint32_t(std::min(snapshot.text().find('\n', at.begin), snapshot.text().size()));
    } else if (failure.place.line != 0) {
      const uint64_t line = failure.place.line - 1, column = failure.place.column ? failure.place.column - 1 : 0;
      const json::Value position = json::Object{{"line", line}, {"character", column}};
      related.push_back(
          json::Object{{"location", json::Object{{"uri", uriOfPath(failure.place.path)},
                                                 {"range", json::Object{{"start", position}, {"end", position}}}}},
                       {"message", "here"}});
    }
    json::Object problem{{"range", places.range(at)},
                         {"severity", 1},
                         {"source", "flyc test"},
                         {"message", failure.text + "\n(" + result.arch + ")"}};
    if (!related.empty())
      problem["relatedInformation"] = std::move(related);
    problems.push_back(std::move(problem));
  }
}

json::Array fixesAt(const Snapshot &snapshot, PositionEncoding encoding, uint32_t begin, uint32_t end) {
  const SourceManager &sources = snapshot.session.sources;
  Places places(sources, encoding);
  const FileId file = snapshot.file();
  json::Array result;
  Fix all;
  for (const Diagnostic &diagnostic : snapshot.diagnostics()) {
    const SourceRange at = placeIn(diagnostic, file);
    for (auto &note : diagnostic.notes) {
      if (!note.fix)
        continue;
      auto isFixed = [&](const Fix::Edit &edit) { return sema::isEmbedded(sources.name(edit.range.file)); };
      if (llvm::any_of(note.fix->edits, isFixed))
        continue; // in the library that is part of flyc
      auto isElsewhere = [&](const Fix::Edit &edit) { return edit.range.file != file; };
      auto collides = [&](const Fix::Edit &edit) {
        return llvm::any_of(all.edits, [&](const Fix::Edit &other) {
          return edit.range.begin == other.range.begin ||
                 (edit.range.begin < other.range.end && other.range.begin < edit.range.end);
        });
      };
      if (note.fix->isSafe && llvm::none_of(note.fix->edits, isElsewhere) && llvm::none_of(note.fix->edits, collides))
        all.edits.insert(all.edits.end(), note.fix->edits.begin(), note.fix->edits.end());
      if (at.begin > end || begin > at.end)
        continue;
      result.push_back(json::Object{{"title", note.text},
                                    {"kind", "quickfix"},
                                    {"isPreferred", note.fix->isSafe},
                                    {"diagnostics", json::Array{problem(diagnostic, file, places)}},
                                    {"edit", places.edit(*note.fix)}});
    }
  }
  if (!all.edits.empty())
    result.push_back(json::Object{
        {"title", "apply the safe fixes of this file"}, {"kind", "source.fixAll"}, {"edit", places.edit(all)}});
  return result;
}

} // namespace fly::editor
