// Where names live: frames of functions, scopes of modules, and the definitions that modules hold.
#pragma once

#include "compiler/sema/Value.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fly::sema {

/// The variables of one call. Run-time branches work on copies of `variables` and merge them.
struct Frame {
  std::map<std::string, Value> variables;
  std::shared_ptr<Frame> enclosing;   ///< of a nested function: the frame it reads outer variables from
  ModuleScope *module = nullptr;
  const ast::DefStmt *function = nullptr;
  bool isKernel = false, isCall = false;
  bool isModule = false;              ///< module level: names live in `module`
  Value returned;                     ///< set by `return`
  unsigned runtimeDepth = 0;          ///< run-time branches and loops that are open in this call

  struct LoopState {
    unsigned depth = 0;               ///< loops around the current statement, in this call
    unsigned runtimeDepth = 0;        ///< the frame's when the innermost loop was entered
    bool innermostIsRuntime = false, anyIsRuntime = false;
  } loop;

  /// A run-time branch one side of which returned: elaboration goes on in the other (ControlFlow.cpp).
  struct OpenReturn { mlir::Operation *branch; mlir::Block *returnedBlock; Value value; SourceRange range; };
  std::vector<OpenReturn> openReturns;
};

/// A `def` under `@kernel`, its decorator taken apart but not evaluated (that needs an instance).
struct KernelDefinition {
  std::string name;
  const ast::DefStmt *def = nullptr;
  ModuleScope *module = nullptr;
  const ast::CallExpr *decorator = nullptr;   ///< null for a bare `@kernel`
  std::map<std::string, const ast::Expr *> options; ///< grid, block, requires, arch, lds, ...
};

/// A `def` under `@check`: the product of its parameter lists.
struct CheckDefinition {
  const ast::DefStmt *def = nullptr;
  ModuleScope *module = nullptr;
  std::vector<std::pair<std::string, const ast::Expr *>> parameters; ///< in the decorator's order
};

/// One file, loaded once a compilation; its code runs once, top to bottom.
struct ModuleScope {
  std::string name;                   ///< dotted, as imported; the file's stem for the main module
  std::string path;
  FileId file = 0;
  std::unique_ptr<ast::Module> tree;
  std::map<std::string, Value> names;
  std::vector<std::unique_ptr<KernelDefinition>> kernels;
  std::vector<CheckDefinition> checks;
  struct Export { std::string symbol; KernelValue instance; SourceRange range; };
  std::vector<Export> exports;        ///< named instances, in source order
  bool running = false, imported = false;
  enum class State { Loading, Ready, Failed } state = State::Loading;
};

} // namespace fly::sema
