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

#include "compiler/codegen/CodeGen.h"

namespace mlir {
class DialectRegistry;
class ModuleOp;
}

namespace fly::codegen {

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

/// The producer of the unit of debug information that each kernel's object has.
inline constexpr llvm::StringLiteral unitProducer = "flyc";

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
