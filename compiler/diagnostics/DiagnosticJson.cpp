// One diagnostic as a line of JSON, for editors and other programs: docs/schema/diagnostic.schema.json.
//
//     {"code":"FLY0203","name":"unknown-name","severity":"error","message":"...","file":"copy.fly","line":12,...}
//
// Columns count code points, as in the text form; offsets count bytes of the file, so that an edit can be applied
// directly. An end is one past the last character. What the text form draws (the labels of a snippet, the chain of
// calls) is a separate list here.
#include "compiler/diagnostics/Diagnostics.h"

#include "llvm/Support/JSON.h"

namespace fly {

namespace {

class Writer {
public:
  Writer(const SourceManager &sources, llvm::raw_ostream &os) : sources(sources), json(os) {}

  /// A remark about the output, which is no row of the table.
  void note(llvm::StringRef words) {
    json.object([&] {
      json.attribute("severity", "note");
      text("message", words);
    });
  }

  void diagnostic(const Diagnostic &d) {
    const DiagnosticInfo &row = info(d.kind);
    json.object([&] {
      json.attribute("code", row.code);
      json.attribute("name", row.name);
      json.attribute("severity", d.severity == Severity::Error     ? "error"
                                 : d.severity == Severity::Warning ? "warning"
                                                                   : "note");
      text("message", d.message);
      place(d.range);
      if (!d.primaryText.empty())
        text("label", d.primaryText);
      list("labels", d.labels, [&](const Diagnostic::Label &label) { remark(label.text, label.range); });
      notes("notes", d, Diagnostic::Remark::Note);
      notes("helps", d, Diagnostic::Remark::Help);
      notes("frames", d, Diagnostic::Remark::Frame);
    });
  }

private:
  /// Messages may quote bytes of a broken file.
  void text(const char *key, llvm::StringRef value) { json.attribute(key, llvm::json::fixUTF8(value)); }

  void place(SourceRange range) {
    if (!range.valid())
      return;
    LineColumn begin = sources.lineColumn(range.file, range.begin), end = sources.lineColumn(range.file, range.end);
    text("file", sources.name(range.file));
    json.attribute("line", begin.line);
    json.attribute("column", begin.column);
    json.attribute("end_line", end.line);
    json.attribute("end_column", end.column);
    json.attribute("offset", range.begin);
    json.attribute("end_offset", range.end);
  }

  template <typename List, typename Item> void list(const char *key, const List &items, Item item) {
    json.attributeArray(key, [&] {
      for (const auto &one : items)
        item(one);
    });
  }

  void remark(llvm::StringRef words, SourceRange range) {
    json.object([&] { text("text", words), place(range); });
  }

  void notes(const char *key, const Diagnostic &d, Diagnostic::Remark remark) {
    json.attributeArray(key, [&] {
      for (const Diagnostic::Note &note : d.notes) {
        if (note.remark != remark)
          continue;
        json.object([&] {
          text("text", note.text);
          place(note.range);
          if (!note.fix)
            return;
          json.attributeObject("fix", [&] {
            json.attribute("safe", note.fix->isSafe);
            list("edits", note.fix->edits, [&](const Fix::Edit &edit) {
              json.object([&] { place(edit.range), text("replacement", edit.text); });
            });
          });
        });
      }
    });
  }

  const SourceManager &sources;
  llvm::json::OStream json;
};

} // namespace

std::string DiagnosticEngine::noteAsJson(llvm::StringRef text) const {
  std::string line;
  llvm::raw_string_ostream os(line);
  Writer(sources, os).note(text);
  return line;
}

std::string DiagnosticEngine::renderJson(const Diagnostic &diagnostic) const {
  std::string line;
  llvm::raw_string_ostream os(line);
  Writer(sources, os).diagnostic(diagnostic);
  return line;
}

} // namespace fly
