// Where names live: frames of functions, scopes of modules, and the definitions that modules hold.
#pragma once

#include "compiler/sema/value/Variables.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fly::sema {

/// A control-flow edge to a join: the variables of the frame when it left (Join.h).
struct Edge {
  mlir::Block *block = nullptr; ///< not terminated yet; null on the host, where there is one way only
  Variables variables;
  Value value;       ///< of an expression or a `return`
  SourceRange range; ///< the `break`, `continue`, `return`, or the side of a branch
};

/// The variables of one call. Branches of run time work on copies of `variables` and join them.
struct Frame {
  Variables variables;
  std::shared_ptr<Frame> enclosing; ///< of a nested function: the frame it reads outer variables from
  ModuleScope *module = nullptr;
  const ast::DefStmt *function = nullptr;
  const StructDefinition *methodOf = nullptr; ///< the first parameter is an instance of it
  bool isKernel = false, isCall = false;
  bool isModule = false;        ///< module level: names live in `module`
  bool isComprehension = false; ///< of its names; `enclosing` is the surrounding frame

  /// A loop around the current statement, in this call: the edges that left it, and what it carries if it is a run-time
  /// loop.
  struct Loop {
    std::vector<Edge> breaks, continues;
    std::map<std::string, Value> carried;
    SourceRange range; ///< of the statement, once it is known to run on the machine
  };
  std::vector<Loop> loops; ///< innermost last
  std::vector<Edge> returns;
};

/// The place of a name that this frame binds; made if it does not exist.
inline Value &binding(Frame &frame, const std::string &name);

/// A `class` under `@struct`: fields in order, methods by name.
struct StructDefinition {
  std::string name;
  const ast::ClassStmt *stmt = nullptr;
  ModuleScope *module = nullptr;
  std::shared_ptr<Frame> enclosing; ///< of a class in a function
  bool isNamed = false;             ///< a module has named what a function made: `Pair = pair_of(f32)`
  std::string key;                  ///< of a class in a function: definitions with the same key are one type
  struct Field {
    std::string name;
    Value annotation; ///< a Type, a StructTypeValue, or a kind of compile-time value
    const ast::Expr *defaultValue = nullptr;
    SourceRange range;
  };
  std::vector<Field> fields;
  std::map<std::string, const ast::DefStmt *> methods;

  std::optional<size_t> fieldIndex(llvm::StringRef field) const {
    for (size_t i = 0; i < fields.size(); ++i)
      if (fields[i].name == field)
        return i;
    return std::nullopt;
  }
};

/// A `def` under `@extern`: a function of LLVM bitcode, declared with machine types.
struct ExternDefinition {
  std::string name, symbol;
  std::string file; ///< the bitcode, next to the source; empty: one from `--link`
  const ast::DefStmt *def = nullptr;
  std::vector<Type> parameters;
  std::optional<Type> result; ///< none: it returns nothing
};

/// `@tune(...)` above a kernel: the values that its Constexpr parameters may have, for `flyc tune` and its tables.
struct TuneOffer {
  std::vector<std::pair<std::string, Values>> offered; ///< by parameter, in the decorator's order
  const ast::Expr *where = nullptr;                    ///< a condition over these parameters; null: none
  std::vector<std::string> key; ///< the scalar parameters that tell shapes apart; empty: all integers
};

/// A `def` under `@kernel` or `@launch`, its decorator taken apart but not evaluated (that needs an instance).
struct KernelDefinition {
  std::string name;
  bool isLaunch = false; ///< a host function that launches kernels: Launches.h
  const ast::DefStmt *def = nullptr;
  ModuleScope *module = nullptr;
  const ast::CallExpr *decorator = nullptr;         ///< null for a bare `@kernel`
  std::map<std::string, const ast::Expr *> options; ///< grid, block, requires, arch, lds, ...
  std::unique_ptr<const TuneOffer> tune;            ///< null without `@tune`
};

/// A `def` under `@check` or `@bench`: the product of its parameter lists.
struct CheckDefinition {
  bool isBench = false;
  const ast::Expr *bytes = nullptr, *flops = nullptr; ///< of a bench: expressions of its parameters
  const ast::DefStmt *def = nullptr;
  ModuleScope *module = nullptr;
  std::vector<std::pair<std::string, const ast::Expr *>> parameters; ///< in the decorator's order
  const ast::Expr *arch = nullptr;                                   ///< the architectures it is for; null: all
};

/// One file, loaded once a compilation; its code runs once, top to bottom.
struct ModuleScope {
  std::string name; ///< dotted, as imported; the file's stem for the main module
  std::string path;
  FileId file = 0;
  std::shared_ptr<const ast::Module> tree; ///< shared: each architecture elaborates the same tree
  std::map<std::string, Value> names;
  std::vector<std::unique_ptr<KernelDefinition>> kernels;
  std::vector<std::unique_ptr<StructDefinition>> structs;
  std::vector<std::unique_ptr<ExternDefinition>> externs;
  std::vector<CheckDefinition> checks;
  struct Export {
    std::string symbol;
    KernelValue instance;
    SourceRange range;
  };
  std::vector<Export> exports;              ///< named instances, in source order
  std::vector<const ModuleScope *> imports; ///< in the order of the statements
  bool running = false, imported = false, isBuiltin = false;
  enum class State { Loading, Ready, Failed } state = State::Loading;
};

inline Value &binding(Frame &frame, const std::string &name) {
  return frame.isModule ? frame.module->names[name] : frame.variables[name];
}

} // namespace fly::sema
