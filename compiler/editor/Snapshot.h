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
  /// Whether elaboration shall end, since a newer text is there; what it leaves is of no use.
  std::function<bool()> stop = {};
  /// The text of an imported file in the editor.
  std::function<std::optional<std::string>(llvm::StringRef path)> unsaved = {};
  std::map<std::string, std::string> chosen = {}; ///< by kernel: the instance whose values are shown, if not the first
  ParsedTexts *parsed = nullptr;                  ///< of all versions
  std::function<void()> waits = {}; ///< called some times per second while an answer waits for another thread
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
  /// Elaborates the shown instance of the kernel whose definition holds the offset, for its values: the chosen one, else
  /// the first.
  void elaborateAt(uint32_t offset);
  /// The same for one value, of the expression that is just this range: elaboration ends there, and the snapshot counts
  /// as stopped. Values are noted when they are first there, so this one is no other than that of the whole kernel.
  void elaborateAt(uint32_t offset, SourceRange wanted);
  /// The next step: finds what is wrong with the whole of what is elaborated, or elaborates one more instance, each
  /// kernel's shown one before all others. False if there is none, or if it has been stopped.
  bool elaborateNext();
  /// The first half of that.
  void finish();
  bool isFinished() const { return unfinished.empty(); }
  /// Whether each kernel's shown instance is elaborated.
  bool hasFirstInstances() const;
  bool wasStopped() { return notes.isStopped(); }
  /// Where what the marker of completion could be is written to (sema/elaborator/Suggest.h).
  /// Elaboration ends there.
  void offer(std::vector<std::string> &names) { notes.offered = compilation.elaborator.offered = &names; }

  /// The instances of a kernel or launch function: those that the module exports, then those that its launch functions
  /// launch.
  struct InstanceList {
    const ast::DefStmt *def = nullptr;
    std::vector<std::string> symbols;
    size_t shown = 0; ///< which one's values are shown

    std::string symbol() const { return symbols.empty() ? "" : symbols[shown]; }
  };
  /// Of the kernel whose definition holds the offset; empty if there is none.
  InstanceList instancesAt(uint32_t offset);
  /// Of them, "sums[T=f16]" of the symbol.
  std::string displayName(const InstanceList &list, const std::string &symbol);

  struct Kernel {
    const ast::DefStmt *def;
    std::string symbol;
  };
  /// The kernels of this module that have an instance, with the shown one's symbol; without functions that launch.
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
  std::function<void()> waits; ///< as SnapshotContext's

private:
  struct Known {
    sema::ExportedInstance exported;
    std::string text; ///< "sums[T=f16]"
    bool isElaborated = false;
  };
  void elaborate(size_t index);
  void planLaunch(Known &launch);
  void planLaunchesFor(uint32_t offset);
  size_t shownOf(const sema::KernelDefinition &kernel) const;
  bool isAt(const Known &instance, uint32_t offset) const;

  driver::ArchCompilation compilation;
  bool hasRun = false;
  std::map<std::string, std::string> chosen;
  std::deque<Known> instances; ///< what the module exports, then what its launch functions launch
  std::vector<driver::ArchCompilation::Unfinished> unfinished;
};

} // namespace fly::editor
