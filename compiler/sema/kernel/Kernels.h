// Turns a kernel and its constants into Fly IR and launch information.
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/analysis/KnownAccesses.h"
#include "compiler/analysis/Pipeline.h"
#include "compiler/sema/elaborator/CodeRole.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace fly::sema {

/// A kernel with `isa=True`: its instructions are machine code already.
struct IsaCode {
  std::string object;                   ///< a relocatable ELF file
  std::function<std::string()> listing; ///< instructions with the registers live at each; while its elaborator lives
  /// A branch back to a label with a name.
  struct Loop {
    std::string name, file;
    unsigned line;
  };
  std::vector<Loop> loops;
  /// What the verifier finds: the rule's name, and what reports it at the source's line.
  struct Unproved {
    std::string rule;
    std::function<void()> report;
  };
  std::vector<Unproved> unproved;
};

/// One kernel with all its Constexpr parameters decided.
struct Instance {
  artifact::InstanceInfo info;              ///< without resources
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< holds one fly.kernel named info.symbol; null with `isa`
  std::optional<IsaCode> isa;
  std::vector<const ExternDefinition *> externs;          ///< that it calls
  std::map<std::string, SourceRange> llvmOptionsAt;       ///< of info.llvmOptions
  bool allowsScratch = false;                             ///< `allow_scratch=True` of a fragment, or `isa=True`
  std::vector<analysis::NeighbouringAccesses> neighbours; ///< that the machine code may have joined
  std::vector<analysis::KnownAccess> accesses;            ///< if they were asked for
  std::string elaborated;        ///< if asked for: `module` before `fly-finish-kernel`, as MLIR bytecode
  std::function<void()> analyse; ///< what `finish` has left to do
};

/// Information from the signature and the decorator, without the body: everything but resources. Throws Failed, also if
/// the kernel is not for this target.
artifact::InstanceInfo describeInstance(Elaborator &e, const KernelValue &kernel, SourceRange range);

/// The constants of an instance: given ones, `-D` definitions, defaults. Reports what is missing; throws Failed.
std::map<std::string, Value> resolveConstants(Elaborator &e, const KernelValue &kernel, SourceRange range);
/// Gives the constants to the current frame, by name. LLVM options are not names of the program.
void bindConstants(Elaborator &e, const KernelDefinition &kernel, const std::map<std::string, Value> &constants);
/// True if every Constexpr parameter has a default or a definition.
bool hasAllConstants(Elaborator &e, const KernelDefinition &kernel);
/// The symbol of an instance that no export names: its kernel's `name=`, or "vec_add__T_f16__VEC_8" of what the instance
/// was given. Two instances may have one.
std::string instanceSymbol(Elaborator &e, const KernelValue &instance, SourceRange range);
/// "vec_add[T=f16, VEC=8]", of what the instance was given.
std::string displayName(const KernelValue &kernel);

/// What to keep of an instance besides what it is compiled from.
struct Kept {
  bool accesses = false;   ///< Instance::accesses
  bool elaborated = false; ///< Instance::elaborated
  bool unfinished = false; ///< `finish` is left to the caller: values are known before it
};

/// Elaborates the kernel. Null if there were errors (all reported).
std::unique_ptr<Instance> instantiate(Elaborator &e, const KernelValue &kernel, std::string symbol, SourceRange range,
                                      Kept kept = {});
/// Rewrites and analyses the whole of the kernel, once, which reports what is wrong with it. False if there were errors.
bool finish(Elaborator &e, const KernelValue &kernel, Instance &instance);

/// Why something with this `arch=` is not for the elaborator's target: "gfx950"; none if it is. An architecture, a
/// sequence of them, or a condition such as `target.has("mfma")`. Throws Failed.
std::optional<std::string> notForTarget(Elaborator &e, const ast::Expr *arch, ModuleScope *module);
std::optional<std::string> notForTarget(Elaborator &e, const KernelDefinition &kernel);

/// What a module exports, in source order: named instances and kernels whose constants are all known.
/// Launch functions among them.
struct ExportedInstance {
  std::string symbol;
  KernelValue kernel;
  SourceRange range;
};
/// `skipped` receives a line for each that is not for this target.
std::vector<ExportedInstance> exportedInstances(Elaborator &e, const ModuleScope &module,
                                                std::vector<std::string> *skipped = nullptr);

} // namespace fly::sema
