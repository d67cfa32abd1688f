// One run of flyc: sources, diagnostics and options that every command shares. Nothing of MLIR or of the elaborator is
// in this header: a command that compiles includes ArchCompilation.h.
#pragma once

#include "compiler/diagnostics/Diagnostics.h"
#include "compiler/compilation/ObjectCache.h"
#include "compiler/compilation/Options.h"
#include "compiler/compilation/PhaseTimes.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
}

namespace fly {
class SarifLog;
namespace ast {
class Module;
}
} // namespace fly

namespace fly::driver {

class ContextPool;

/// What the sessions of this process report with --error-format=sarif; `runCommandLine` writes it.
SarifLog &sarifLog();

class Session {
public:
  explicit Session(Options options);
  ~Session();

  /// Registers the text of a file, or of standard input for `-`; none after a diagnostic.
  std::optional<FileId> read(const std::string &path);
  /// Reads and parses the main file; false after diagnostics.
  bool open(const std::string &path);
  /// The same for a text that is registered already.
  bool open(const std::string &path, FileId file);
  /// With what is good of the file (syntax/Parser.h), for tools that show it while it is written.
  void openWhatIsGood(const std::string &path, FileId file);
  /// Shows the diagnostics since the last call: on standard error, or in `sarifLog`. Where a workflow of GitHub runs, text
  /// has a `::error` line with each, which marks the place in a pull request.
  void tell();
  /// `tell`; true if there were no errors.
  bool finish();
  /// The MLIR context, made when first needed.
  mlir::MLIRContext &context();
  /// The name that line tables embed: relative to the main file's folder, `<stdlib>/...`, or as mapped.
  std::string locationName(FileId file) const;

  Options options;
  SourceManager sources;
  DiagnosticEngine diags;
  PhaseTimes times;
  std::string mainPath, moduleName;
  FileId mainFile = 0;
  std::shared_ptr<const ast::Module> mainTree;
  std::vector<std::string> searchPath;  ///< of modules: -I folders, then the stdlib
  std::string stdlib;                   ///< its folder: FLY_STDLIB, or the name of the embedded one
  std::vector<std::string> bitcodeRead; ///< files of bitcode that were linked, each once
  std::set<std::string> verifyOff;      ///< rules of compiler/verify that `-W no-verify=RULE` turned off
  ObjectCache cache;
  std::unique_ptr<ContextPool> contexts; ///< for backends

private:
  void name(const std::string &path, FileId file);
  size_t told = 0; ///< so many of the diagnostics were shown
  bool isLimitTold = false;
  std::unique_ptr<mlir::MLIRContext> mlirContext;
};

} // namespace fly::driver
