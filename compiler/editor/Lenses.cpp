// See Lenses.h.
#include "compiler/editor/Lenses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

namespace fly::editor {

namespace json = llvm::json;

static bool hasDecorator(const ast::DefStmt &def, std::initializer_list<llvm::StringRef> names) {
  return llvm::any_of(def.decorators, [&](const ast::Expr *decorator) {
    auto *call = llvm::dyn_cast<ast::CallExpr>(decorator);
    auto *name = llvm::dyn_cast<ast::NameExpr>(call ? call->callee : decorator);
    return name && llvm::is_contained(names, llvm::StringRef(name->name));
  });
}

bool isKernel(const ast::DefStmt &def) { return hasDecorator(def, {"kernel", "launch"}); }

std::string titleOf(const MachineCode &code, size_t textHash) {
  std::string text = code.arch;
  if (code.instance != code.symbol)
    text += ", " + code.instance;
  text += ": ";
  text += code.problem.empty() ? code.summary : "not compiled: " + code.problem;
  if (code.textHash != textHash)
    text += " (before the last change)";
  return text;
}

/// Of the shown instance, on the architectures whose machine code is shown, in their order.
static std::vector<const MachineCode *> codesOf(const LensContext &context, const Snapshot::InstanceList &list) {
  std::vector<const MachineCode *> result;
  for (auto &arch : context.archs)
    if (auto found = context.machine.find({list.def->name, arch}); found != context.machine.end())
      if (const MachineCode &code = found->second; !code.isAbsent && code.symbol == list.symbol())
        result.push_back(&code);
  return result;
}

std::string machineText(const LensContext &context, const Snapshot::InstanceList &list, size_t textHash) {
  std::string text;
  for (const MachineCode *code : codesOf(context, list))
    text += "\n" + titleOf(*code, textHash) + "\n\n" + code->details;
  return text;
}

namespace {

class LensWriter {
public:
  LensWriter(Snapshot &snapshot, const TextPositions &positions, const LensContext &context)
      : snapshot(snapshot), positions(positions), context(context) {}

  void write(const ast::DefStmt &def) {
    at = positions.range(def.nameRange.begin, def.nameRange.end);
    if (hasDecorator(def, {"check"}))
      run(def, "run check", "fly.runCheck", context.checks);
    if (hasDecorator(def, {"bench"}))
      run(def, "run bench", "fly.runBench", context.benches);
    if (isKernel(def))
      kernel(def);
  }
  json::Array result;

private:
  void add(const std::string &title, const std::string &command = "", json::Array arguments = json::Array()) {
    json::Object shown{{"title", title}, {"command", command}};
    if (!command.empty())
      shown["arguments"] = std::move(arguments);
    result.push_back(json::Object{{"range", json::Object(at)}, {"command", std::move(shown)}});
  }
  std::string ofWhen(const std::string &text, size_t textHash) const {
    return text + (textHash == snapshot.textHash() ? "" : " (before the last change)");
  }
  template <class Result>
  void run(const ast::DefStmt &def, const char *title, const char *command,
           const std::map<std::string, Result> &results) {
    add(title, command, json::Array{context.uri, def.name});
    if (auto found = results.find(def.name); found != results.end())
      add(ofWhen(found->second.title(), found->second.textHash));
  }
  /// Modelled times of its launches, of each architecture.
  void times(const std::string &kernel) {
    std::map<std::string, std::vector<const BenchResult::Launch *>> launches;
    std::map<std::string, bool> isOld;
    for (const BenchResult *bench : context.launching)
      for (const BenchResult::Launch &launch : bench->launches)
        if (launch.kernel == kernel) {
          launches[bench->arch].push_back(&launch);
          isOld[bench->arch] |= bench->textHash != snapshot.textHash();
        }
    for (auto &[arch, its] : launches)
      add(arch + ": " + timeText(its) + " modelled" + (isOld[arch] ? " (before the last change)" : ""));
  }
  void kernel(const ast::DefStmt &def) {
    const Snapshot::InstanceList list = snapshot.instancesAt(def.nameRange.begin);
    const size_t count = list.symbols.size();
    if (count == 0)
      return add("no instance, so no values are shown");
    std::string title = list.symbol();
    if (count > 1)
      title += ", " + std::to_string(list.shown + 1) + " of " + std::to_string(count) + " instances";
    add(title + ", " + context.archs.front(), "fly.chooseInstance", json::Array{context.uri, def.name});
    const auto codes = codesOf(context, list);
    for (const MachineCode *code : codes) {
      const std::string machine = titleOf(*code, snapshot.textHash());
      if (code->arch == context.archs.front())
        add(machine);
      else
        add(machine, "fly.chooseArch", json::Array{context.uri, code->arch});
    }
    times(def.name);
    if (context.commands.count("fly.showIsa") && !codes.empty())
      add("show ISA", "fly.showIsa", json::Array{context.uri, json::Object(*at.getObject("start"))});
  }

  Snapshot &snapshot;
  const TextPositions &positions;
  const LensContext &context;
  json::Object at; ///< the range of the lenses
};

} // namespace

json::Array lensesOf(Snapshot &snapshot, const TextPositions &positions, const LensContext &context) {
  LensWriter writer(snapshot, positions, context);
  for (auto *statement : snapshot.tree().body)
    if (auto *def = llvm::dyn_cast<ast::DefStmt>(statement))
      writer.write(*def);
  return std::move(writer.result);
}

} // namespace fly::editor
