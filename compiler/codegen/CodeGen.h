// From the LLVM dialect to a code object that the ROCm loader takes, all in this process.
//
//     registerTranslations(registry);                                   // once a MLIRContext
//     Result<Object> object = compileToObject(module, target, options);  // one kernel instance
//     Result<std::string> hsaco = linkCodeObject({object->bytes, ...}, {{"vec_add", "add_f32"}}, target);
//     auto resources = readResources(*hsaco);                            // registers, LDS, code bytes per kernel
//
// Nothing here aborts: a fatal error in LLVM or lld is returned as a Failure with their message. The same input gives
// the same bytes. All functions are thread-safe; links run one at a time.
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/artifact/PlacedText.h"
#include "compiler/codegen/LlvmOptions.h"
#include "compiler/target/Target.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mlir {
class DialectRegistry;
class ModuleOp;
}

namespace fly::codegen {

/// A kernel fixes what cannot be: registers, an order, a number of AGPRs.
struct Refusal {
  std::string message;   ///< lower case, no full stop
  std::string file = {}; ///< as the locations of the module name it; empty if the place is not known
  unsigned line = 0, column = 0;
};

struct Failure {
  enum class Stage { Translate, Optimize, Emit, Link, Read };
  Stage stage = Stage::Emit;
  std::string message;     ///< one line, lower case, in LLVM's own words where possible
  std::string details;     ///< LLVM's further lines (a selection graph, ...), may be empty
  bool crashed = false;    ///< the backend gave up instead of reporting: memory it held is lost
  std::string option = {}; ///< the LLVM option of the kernel whose value LLVM refused; the message is about it
  std::vector<Refusal> refusals = {}; ///< if there are any, the kernel is wrong, and neither compiler nor LLVM
};

/// A value or a Failure.
template <typename T> class Result {
public:
  Result(T value) : content(std::move(value)) {}
  Result(Failure failure) : content(std::move(failure)) {}
  explicit operator bool() const { return content.index() == 0; }
  T &operator*() { return std::get<0>(content); }
  const T &operator*() const { return std::get<0>(content); }
  T *operator->() { return &std::get<0>(content); }
  const T *operator->() const { return &std::get<0>(content); }
  const Failure &failure() const { return std::get<1>(content); }

private:
  std::variant<T, Failure> content;
};

/// A file of LLVM bitcode with functions that a kernel calls.
struct Bitcode {
  std::string name, bytes;
};

struct Options {
  std::vector<Bitcode> bitcode;       ///< linked into the kernel's module (Bitcode.h)
  LlvmOptions attributes;             ///< of the kernel's function
  LlvmOptions globals;                ///< for whoever starts the process; compileToObject does not look at them
  std::set<std::string> rulesOff;     ///< of compiler/verify: what breaks them is not mended
  unsigned timeout = 600;             ///< of that process, in seconds
  unsigned optimizationLevel = 3;     ///< 0 to 3
  bool keepLlvmIr = false;            ///< fill Object::llvmIr and Object::optimizedLlvmIr
  bool keepPlacedIr = false;          ///< fill Object::placedIr
  bool emitObject = true;             ///< false: stop after the LLVM IR
  std::vector<std::string> keepAfter; ///< passes, by name: fill Object::after
  std::string stopAfter;              ///< the last of them that is wanted: there is no object
  std::vector<std::string> without;   ///< passes that do not run, which may make the code wrong
};

/// LLVM IR or MIR as a pass left it.
struct PassText {
  std::string pass, text;
};

struct Object {
  std::string bytes;             ///< a relocatable ELF file
  std::string llvmIr;            ///< as translated
  std::string optimizedLlvmIr;   ///< as the backend gets it
  artifact::PlacedText placedIr; ///< the same, to be read next to the source
  std::vector<PassText> after;   ///< in the order in which they ran
};

/// Registers LLVM's AMDGPU target, the crash and fatal-error handlers of this process, and the instruction query
/// of fly::target. Cheap to call again; compileToObject, linkCodeObject call it themselves.
void initialize();

/// The interfaces by which the LLVM, ROCDL and builtin dialects become LLVM IR. Call before the context is used.
void registerTranslations(mlir::DialectRegistry &registry);

/// Compiles one module of the LLVM and ROCDL dialects to an object. The module is modified: its functions get
/// debug-info scopes, so that the object has a line table whose file names are those of the MLIR locations, unchanged.
/// Functions that are kernels have the `rocdl.kernel` attribute or the amdgpu_kernel calling convention.
Result<Object> compileToObject(mlir::ModuleOp module, const target::Target &target, const Options &options = {});

/// The passes between the LLVM dialect and the object, in the order in which they run (pipeline/Pipeline.cpp).
std::vector<std::string> passNames();

/// Whether the pass works on machine code; the others work on LLVM IR.
bool isMachinePass(std::string_view name);

/// A second name of a kernel.
struct Alias {
  std::string symbol, alias;
};

/// Links objects of one architecture into one code object whose single metadata note lists all kernels, in the
/// order given, aliases last. No object: an error.
Result<std::string> linkCodeObject(const std::vector<std::string_view> &objects, const std::vector<Alias> &aliases,
                                   const target::Target &target);

/// Links one object of any compiler as `ld.lld -shared` does: notes stay as they are, or absent, and what the object
/// does not define stays open.
Result<std::string> linkForeignObject(std::string_view object);

/// What each kernel of a linked code object needs, by name (aliases too).
Result<std::map<std::string, artifact::ResourceInfo>> readResources(std::string_view codeObject,
                                                                    const target::Target &target);

} // namespace fly::codegen
