// What a kernel is compiled to: registers, LDS, waves, loops, and its instructions by line. The code generator runs in
// a process of its own, which a newer text ends, so that the server answers meanwhile, and lives whatever happens
// there.
#pragma once

#include "compiler/compilation/ChildProcess.h"
#include "compiler/compilation/Options.h"
#include "compiler/editor/Positions.h"
#include "compiler/target/Target.h"

#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace fly::editor {

/// One kernel of a text that may be on no disk.
struct CompileJob {
  std::string path, text;
  std::map<std::string, std::string> unsaved; ///< by path: imported modules as they are in the editor
  std::string kernel, symbol;                 ///< its name, and the instance's
  PositionEncoding encoding;                  ///< of what is told

  llvm::json::Value toJson() const;
};

struct MachineInstruction {
  std::string text;
  int64_t address = 0;
  int64_t line = 0;           ///< of the source, from 1; 0: none
  std::string uri;            ///< of the file that the line is of; empty: the document
  std::vector<int64_t> calls; ///< of a line elsewhere: lines of the document with calls that lead there
};

struct MachineCode {
  std::string symbol, arch;                ///< the instance that was asked for
  std::string instance;                    ///< what was compiled: not every one is for every target
  bool isAbsent = false;                   ///< the kernel is not for this target
  int64_t version = 0;                     ///< of the document
  size_t textHash = 0;                     ///< of all that was compiled
  std::string problem;                     ///< why there is no code; then the rest is empty
  std::string summary;                     ///< "128 VGPRs, 32 SGPRs, 64 KiB LDS, 2 waves per SIMD"
  std::string details;                     ///< Markdown: what limits the waves, and loops
  std::vector<MachineInstruction> listing; ///< in the order of addresses
  llvm::json::Array warnings;              ///< for `publishDiagnostics`: advice of -Wperf
};

/// By kernel and architecture.
using MachineCodes = std::map<std::pair<std::string, std::string>, MachineCode>;

/// A kernel that is being compiled; ends with this object.
class KernelCompilation {
public:
  KernelCompilation(const driver::Options &options, const target::Target &target, const CompileJob &job,
                    unsigned timeout);
  ~KernelCompilation() { child->stop(); }
  bool ended() { return child->ended(); }
  void wait() { child->wait(); }
  /// After the end.
  MachineCode result() const;

private:
  CompileJob job;
  std::string arch;
  driver::TemporaryFile jobFile{"json"};
  std::unique_ptr<driver::ChildProcess> child;
};

/// In that process: compiles the job of the file, and prints what `flyc report --json --listing` has of it. The status.
int describeMachineCode(const driver::Options &options, const target::Target &target, const std::string &jobFile,
                        llvm::raw_ostream &out);

} // namespace fly::editor
