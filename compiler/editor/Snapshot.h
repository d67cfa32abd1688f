// One version of a file, and what is known of it. It is read at once. Its module runs, and its kernels are elaborated,
// when somebody asks: first the kernel in which the author is, with its first instance, then the others, one at a time,
// so that questions in between are answered.
//
// A version begins with nothing of the last one: a kernel of a usual size takes some ten milliseconds from the text to
// the analyses, and so nothing is ever out of date.
#pragma once

#include "compiler/compilation/ArchCompilation.h"
#include "compiler/editor/ValueNotes.h"

#include <memory>
#include <set>
#include <string>

namespace fly::editor {

/// What a snapshot asks the server.
struct SnapshotContext {
  driver::Options options;
  const target::Target *target;
  std::function<bool()>
      stop; ///< whether elaboration shall end, since a newer text is there; what it leaves is of no use
  std::function<std::optional<std::string>(llvm::StringRef path)>
      unsaved;                   ///< the text of an imported file in the editor
  ParsedTexts *parsed = nullptr; ///< of all versions
};

class Snapshot {
public:
  Snapshot(const SnapshotContext &context, const std::string &path, std::string text);
  ~Snapshot();

  const ast::Module &tree() const { return *session.mainTree; }
  llvm::StringRef text() const { return session.sources.text(session.mainFile); }
  const target::Target &target() const { return compilation.target; }
  FileId file() const { return session.mainFile; }
  const std::vector<Diagnostic> &diagnostics() const { return session.diags.all(); }

  /// Runs the module's top level, once.
  void runModule();
  /// Elaborates the first instance of the kernel whose definition holds the offset, for its values.
  void elaborateAt(uint32_t offset);
  /// The next step: finds what is wrong with the whole of what is elaborated, or elaborates one more instance, each
  /// kernel's first one before all others. False if there is none, or if it has been stopped.
  bool elaborateNext();
  /// The first half of that.
  void finish();
  bool isFinished() const { return unfinished.empty(); }
  /// Whether each kernel's first instance is elaborated.
  bool hasFirstInstances() const;
  bool wasStopped() { return notes.isStopped(); }
  /// Where what the marker of completion could be is written to (sema/elaborator/Suggest.h).
  /// Elaboration ends there.
  void offer(std::vector<std::string> &names) { notes.offered = compilation.elaborator.offered = &names; }
  /// Instances of the kernel at the offset, and the first one's symbol.
  std::pair<unsigned, std::string> instancesAt(uint32_t offset);

  struct Kernel {
    const ast::DefStmt *def;
    std::string symbol;
  };
  /// The kernels of this module that have an instance, with the first one's symbol; without functions that launch.
  std::vector<Kernel> kernels();
  /// Of the texts of this module and of those that it imports.
  size_t textHash();
  bool hasErrors() const { return tree().hasErrors || session.diags.hasErrors(); }

  /// What the module imports, itself first.
  const std::deque<std::unique_ptr<sema::ModuleScope>> &modules() const { return compilation.loader.all(); }
  /// The path of a module's file, as `importer` finds it.
  std::optional<std::string> find(llvm::StringRef dotted, llvm::StringRef importer, unsigned level) const {
    return compilation.loader.find(dotted, importer, level);
  }

  driver::Session session;
  ValueNotes notes;

private:
  void elaborate(size_t index);
  std::set<const sema::KernelDefinition *> begun() const; ///< kernels with an instance that is elaborated

  driver::ArchCompilation compilation;
  bool hasRun = false;
  std::vector<sema::ExportedInstance> instances;
  std::vector<bool> elaborated; ///< of each instance
  std::vector<driver::ArchCompilation::Unfinished> unfinished;
};

} // namespace fly::editor
