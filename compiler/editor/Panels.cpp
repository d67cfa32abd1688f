// What a client shows beside a document: the machine code of its kernels, and the layout under the cursor.
#include "compiler/editor/Descriptions.h"
#include "compiler/editor/ServerParts.h"
#include "compiler/picture/Picture.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

namespace fly::editor {

/// An instruction for `fly/isa`; lines are counted from 0 there.
static json::Value isaOf(const MachineInstruction &instruction) {
  json::Object made{{"address", instruction.address}, {"text", instruction.text}};
  if (instruction.line > 0)
    made["line"] = instruction.line - 1;
  if (!instruction.uri.empty())
    made["uri"] = instruction.uri;
  if (!instruction.calls.empty()) {
    json::Array calls;
    for (int64_t line : instruction.calls)
      calls.push_back(line - 1);
    made["calls"] = std::move(calls);
  }
  return made;
}

/// The instructions of the line under the cursor, or all, of each kernel of the document that was compiled; those for
/// the chosen architecture first.
json::Value Server::isa(const json::Object &params) {
  Document &document = documentIn(params);
  const TextPositions positions = positionsOf(document);
  const bool all = params.getBoolean("all").value_or(false);
  const int64_t line = all ? -1 : int64_t(positions.lineOf(offsetIn(params, document)));
  Snapshot &snapshot = snapshotOf(document);
  const size_t hash = snapshot.textHash();
  json::Array kernels;
  auto write = [&](const std::string &name, const MachineCode &code) {
    json::Object made{{"kernel", name},
                      {"instance", code.instance},
                      {"arch", code.arch},
                      {"version", code.version},
                      {"isCurrent", code.textHash == hash},
                      {"summary", code.summary},
                      {"instructions", json::Array{}}};
    for (auto *statement : snapshot.tree().body)
      if (auto *def = llvm::dyn_cast<ast::DefStmt>(statement); def && def->name == name)
        made["range"] = positions.range(def->range.begin, def->range.end);
    if (!code.problem.empty())
      made["problem"] = code.problem;
    for (const MachineInstruction &each : code.listing)
      if (all || (each.line == line + 1 && each.uri.empty()) || llvm::is_contained(each.calls, line + 1))
        made.getArray("instructions")->push_back(isaOf(each));
    kernels.push_back(std::move(made));
  };
  for (auto *target : targetsOf(document))
    for (auto &[key, code] : document.machine)
      if (key.second == target->name && !code.isAbsent)
        write(key.first, code);
  json::Object result{{"version", document.version}, {"kernels", std::move(kernels)}};
  if (!all)
    result["line"] = line;
  return result;
}

/// The page of `flyc layout --html` of the layout that the name at the position has; null if it has none, or one that
/// cannot be drawn.
json::Value Server::layout(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  Snapshot &snapshot = snapshotOf(document);
  snapshot.elaborateAt(offset);
  auto named = namedAt(snapshot.tree(), offset);
  auto note = named ? noteAt(snapshot, *named) : std::nullopt;
  if (!note || !note->layout)
    return nullptr;
  picture::Request request(*note->layout);
  picture::Subject subject;
  auto drawn = picture::draw(request, subject);
  if (!drawn)
    return nullptr;
  return json::Object{{"name", named->name}, {"title", drawn->title}, {"html", picture::toHtml(*drawn)}};
}

} // namespace fly::editor
