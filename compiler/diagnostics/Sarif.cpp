// See Sarif.h.
#include "compiler/diagnostics/Sarif.h"

#include "compiler/text/Uri.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace fly {

namespace json = llvm::json;

namespace {

constexpr llvm::StringLiteral schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const char *levelOf(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

json::Object message(llvm::StringRef text) { return json::Object{{"text", json::fixUTF8(text)}}; }

/// A relative path stays one: readers resolve it against the folder in which the command ran.
json::Object artifact(llvm::StringRef path) {
  return json::Object{{"uri", (path.starts_with("/") ? "file://" : "") + percentEncoded(path)}};
}

json::Object region(SourceRange range, const SourceManager &sources) {
  const LineColumn begin = sources.lineColumn(range.file, range.begin), end = sources.lineColumn(range.file, range.end);
  return json::Object{{"startLine", begin.line},   {"startColumn", begin.column},
                      {"endLine", end.line},       {"endColumn", end.column},
                      {"byteOffset", range.begin}, {"byteLength", range.end - range.begin}};
}

json::Object location(SourceRange range, const SourceManager &sources, llvm::StringRef text = "") {
  json::Object out;
  if (range.valid())
    out["physicalLocation"] =
        json::Object{{"artifactLocation", artifact(sources.name(range.file))}, {"region", region(range, sources)}};
  if (!text.empty())
    out["message"] = message(text);
  return out;
}

json::Object fixOf(const Diagnostic::Note &note, const SourceManager &sources) {
  json::Array changes;
  for (FileId file = 1; file <= sources.fileCount(); ++file) {
    json::Array replacements;
    for (const Fix::Edit &edit : note.fix->edits)
      if (edit.range.file == file)
        replacements.push_back(
            json::Object{{"deletedRegion", region(edit.range, sources)}, {"insertedContent", message(edit.text)}});
    if (!replacements.empty())
      changes.push_back(
          json::Object{{"artifactLocation", artifact(sources.name(file))}, {"replacements", std::move(replacements)}});
  }
  return json::Object{{"description", message(note.text)},
                      {"artifactChanges", std::move(changes)},
                      {"properties", json::Object{{"safe", note.fix->isSafe}}}};
}

/// What has no place of its own, in the words of the text form.
std::string textOf(const Diagnostic &diagnostic) {
  std::string text = diagnostic.message;
  for (const Diagnostic::Note &note : diagnostic.notes)
    if (note.remark != Diagnostic::Remark::Frame && !note.range.valid())
      text += (note.remark == Diagnostic::Remark::Help ? "\nhelp: " : "\nnote: ") + note.text;
  return text;
}

json::Object resultOf(const Diagnostic &diagnostic, int64_t rule, const SourceManager &sources) {
  json::Object out{{"ruleId", info(diagnostic.kind).code},
                   {"ruleIndex", rule},
                   {"level", levelOf(diagnostic.severity)},
                   {"message", message(textOf(diagnostic))},
                   {"locations", json::Array{}}};
  if (diagnostic.range.valid())
    out["locations"] = json::Array{location(diagnostic.range, sources, diagnostic.primaryText)};
  json::Array related, fixes, frames;
  auto relate = [&](SourceRange range, llvm::StringRef text) {
    json::Object one = location(range, sources, text);
    one["id"] = int64_t(related.size());
    related.push_back(std::move(one));
  };
  for (const Diagnostic::Label &label : diagnostic.labels)
    relate(label.range, label.text);
  for (const Diagnostic::Note &note : diagnostic.notes) {
    if (note.remark == Diagnostic::Remark::Frame)
      frames.push_back(json::Object{{"location", location(note.range, sources, note.text)}});
    else if (note.range.valid())
      relate(note.range, note.text);
    if (note.fix)
      fixes.push_back(fixOf(note, sources));
  }
  if (!related.empty())
    out["relatedLocations"] = std::move(related);
  if (!fixes.empty())
    out["fixes"] = std::move(fixes);
  if (!frames.empty())
    out["stacks"] = json::Array{json::Object{{"frames", std::move(frames)}}};
  return out;
}

/// `unknown-name` as `UnknownName`: readers show a rule's name as an identifier.
std::string identifierOf(llvm::StringRef name) {
  std::string out;
  bool starts = true;
  for (char c : name) {
    if (c != '-')
      out += starts ? llvm::toUpper(c) : c;
    starts = c == '-';
  }
  return out;
}

json::Object descriptorOf(diag::Kind kind) {
  const DiagnosticInfo &row = info(kind);
  // The page's heading repeats the code and the name.
  const llvm::StringRef page = explanation(kind).split('\n').second.trim();
  return json::Object{
      {"id", row.code},
      {"name", identifierOf(row.name)},
      {"shortDescription", message(page.split("\n\n").first.str())},
      {"help", json::Object{{"text", json::fixUTF8(page)}, {"markdown", json::fixUTF8(page)}}},
      {"defaultConfiguration", json::Object{{"level", levelOf(row.severity)}}},
  };
}

} // namespace

int64_t SarifLog::ruleOf(diag::Kind kind) {
  const auto found = llvm::find(rules, kind);
  if (found != rules.end())
    return found - rules.begin();
  rules.push_back(kind);
  return int64_t(rules.size()) - 1;
}

void SarifLog::add(const Diagnostic &diagnostic, const SourceManager &sources) {
  const std::lock_guard lock(mutex);
  results.push_back(resultOf(diagnostic, ruleOf(diagnostic.kind), sources));
}

void SarifLog::addHidden(unsigned errors) {
  const std::lock_guard lock(mutex);
  notifications.push_back(json::Object{
      {"level", "note"}, {"message", message(counted(errors, "more error is", "more errors are") + " not shown")}});
}

bool SarifLog::add(llvm::StringRef log) {
  // What the process said besides stands before the log.
  const size_t begin = log.starts_with("{\n") ? 0 : log.rfind("\n{\n") + 1;
  const llvm::StringRef besides = log.take_front(begin).trim();
  auto parsed = json::parse(log.drop_front(begin));
  if (!parsed)
    return llvm::consumeError(parsed.takeError()), false;
  const json::Array *runs = parsed->getAsObject() ? parsed->getAsObject()->getArray("runs") : nullptr;
  json::Object *run = runs && runs->size() == 1 ? const_cast<json::Object *>(runs->front().getAsObject()) : nullptr;
  json::Array *found = run ? run->getArray("results") : nullptr;
  if (!found)
    return false;
  const std::lock_guard lock(mutex);
  if (!besides.empty())
    notifications.push_back(json::Object{{"level", "note"}, {"message", message(besides)}});
  for (json::Value &one : *found) {
    json::Object *result = one.getAsObject();
    const auto kind = findDiagnostic(result ? result->getString("ruleId").value_or("") : "");
    if (!kind)
      return false;
    (*result)["ruleIndex"] = ruleOf(*kind);
    if (!llvm::is_contained(results, one))
      results.push_back(std::move(one));
  }
  if (const json::Array *invocations = run->getArray("invocations"); invocations && !invocations->empty())
    if (const json::Object *invocation = invocations->front().getAsObject())
      if (const json::Array *told = invocation->getArray("toolExecutionNotifications"))
        notifications.insert(notifications.end(), told->begin(), told->end());
  return true;
}

void SarifLog::write(llvm::raw_ostream &os, llvm::StringRef version, int status) const {
  const std::lock_guard lock(mutex);
  json::Array descriptors;
  for (diag::Kind kind : rules)
    descriptors.push_back(descriptorOf(kind));
  json::Object driver{
      {"name", "flyc"}, {"version", version}, {"semanticVersion", version}, {"rules", std::move(descriptors)}};
  json::Object invocation{{"executionSuccessful", status == 0}, {"exitCode", status}};
  if (!notifications.empty())
    invocation["toolExecutionNotifications"] = json::Array(notifications);
  json::Object run{{"tool", json::Object{{"driver", std::move(driver)}}},
                   {"invocations", json::Array{std::move(invocation)}},
                   {"columnKind", "unicodeCodePoints"},
                   {"results", json::Array(results)}};
  os << llvm::formatv("{0:2}", json::Value(json::Object{
                                   {"$schema", schema}, {"version", "2.1.0"}, {"runs", json::Array{std::move(run)}}}))
     << '\n';
}

} // namespace fly
