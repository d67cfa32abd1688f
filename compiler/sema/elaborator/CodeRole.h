// What code may do where it stands, beyond what all code may:
//
//     role                a call of a kernel          `expect_equal`, ...   `workspace`, ...   views of host tensors
//     module's top level  refused                     refused               refused            there are none
//     check, bench        launches it                 compares              refused            there are none
//     `@launch` function  adds a step to its plan     refused               adds steps         `x[1:n]`, `x.T`, ...
//     kernel              refused                     refused               refused            there are none
//
// There always is one (`CodeScope::role`), and callers do not ask which: they call it. `CodeRole` itself is a module's
// top level, and so are signatures, decorators and defaults.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

class KernelRunner;
class LaunchPlanner;

class CodeRole {
public:
  virtual ~CodeRole() = default;

  /// A call of a kernel or a launch function. Throws Failed.
  virtual Value call(Elaborator &e, const KernelValue &kernel, Arguments arguments, SourceRange range);
  /// The services of a check, or `not_in_check` of the name.
  virtual KernelRunner &runner(Elaborator &e, llvm::StringRef name, SourceRange range);
  /// The services of a launch function, or `not_in_launch` of the name.
  virtual LaunchPlanner &planner(Elaborator &e, llvm::StringRef name, SourceRange range);

  /// An `if` on a number of launch time, where it can be one.
  virtual std::optional<Flow> branch(const ast::IfStmt &, const Value &) { return std::nullopt; }
  // Views of memory that a launch function passes on: `x[1:n, i]`, `p + n`, `make_tensor(p, shape, stride)`; none where
  // the memory is only described.
  virtual std::optional<Value> slice(const HostTensor &, const Values &, SourceRange) { return std::nullopt; }
  virtual std::optional<Value> moved(const HostTensor &, const Value &, bool, SourceRange) { return std::nullopt; }
  virtual std::optional<Value> tensorAt(const HostTensor &, const Value &, const Value &, SourceRange) {
    return std::nullopt;
  }
  /// What memory has besides shape, stride and type: "ptr", "T", ...; `planner` makes it.
  virtual std::vector<std::string> memoryAttributes() const { return {}; }

  /// A condition of the check's own file was evaluated.
  virtual void countExpectation() {}
  /// For long work on host arrays: its threads, and to whom its progress is told.
  virtual host::Work work(llvm::StringRef /*what*/) { return {}; }
  /// After an error, nothing that follows means anything.
  virtual bool endsAtError() const { return false; }
  /// What a message calls the function whose body this is.
  virtual const char *text() const { return "a kernel"; }
};

/// What the body of a kernel may do.
CodeRole &kernelRole();

/// Services that a check needs: launching kernels, and recording results.
class KernelRunner : public CodeRole {
public:
  /// Runs the kernel; host arrays of `Out` and `InOut` parameters receive the result. Throws Failed.
  virtual void launch(const KernelValue &kernel, Arguments arguments, SourceRange range) = 0;
  /// A comparison was made; a failed one is kept, and too many end the check (throws Failed).
  virtual void expectation(const host::Comparison &comparison, SourceRange range) = 0;
  /// The check failed for the given reason (throws Failed).
  [[noreturn]] virtual void mismatch(std::string reason, SourceRange range) = 0;
  /// `with together():` begins and ends; its launches run at the end, all at once, each on a device of its own. They do
  /// not if the body has failed.
  virtual void beginTogether(SourceRange range) = 0;
  virtual void endTogether(bool runs) = 0;

  Value call(Elaborator &e, const KernelValue &kernel, Arguments arguments, SourceRange range) final;
  KernelRunner &runner(Elaborator &, llvm::StringRef, SourceRange) final { return *this; }
  void countExpectation() final { ++expectations; }
  bool endsAtError() const final { return true; }

  /// Inside `with expect_refused(...)`: the precondition that must fail, optionally of which kernel, and whether it
  /// did. Inside `with expect_fault(...)`: text that the fault report of a launch must contain.
  std::optional<std::string> expectedRefusal, expectedKernel, expectedFault;
  /// Inside `with only_workgroups(...)`: the workgroups that launches execute; empty: all.
  std::vector<std::array<uint32_t, 3>> onlyWorkgroups;
  bool refused = false, faulted = false;
  bool isTogether = false; ///< inside `with together()`
  bool anyOrder = false;   ///< inside `with any_order()`: what launches leave may depend on the order of waves
  /// Of this check so far: what was expected of a result, of a launch or of the compiler, and calls of kernels, whether
  /// they ran or were refused.
  unsigned expectations = 0, launches = 0;
};

/// Services that a `@launch` function needs: an object that stores the steps of its plan (Launches.h). What must hold
/// for the numbers of a view, and is not known, is checked before the first step.
class LaunchPlanner : public CodeRole {
public:
  virtual Value workspace(Type element, const Value &shape, const Value &stride, bool zero, SourceRange range) = 0;
  /// Fills a tensor with bytes of a value.
  virtual void fill(const HostTensor &memory, const Value &value, SourceRange range) = 0;
  // `x.reshape(n, 4)`, `x.T`, `x.ptr`
  virtual Value reshaped(const HostTensor &memory, const Value &shape, SourceRange range) = 0;
  virtual Value transposed(const HostTensor &memory, const Value &order, SourceRange range) = 0;
  virtual Value pointerTo(const HostTensor &memory, SourceRange range) = 0;

  LaunchPlanner &planner(Elaborator &, llvm::StringRef, SourceRange) final { return *this; }
  std::vector<std::string> memoryAttributes() const final { return {"ptr", "T", "reshape", "transpose"}; }
  const char *text() const final { return "a `@launch` function"; }
};

/// Other code of a module while it lives: an empty frame, no kernel, no calls around it, and a role.
struct FrameScope {
  Elaborator &e;
  CodeScope outer;
  FrameScope(Elaborator &e, ModuleScope *module, CodeRole &role = topLevelRole())
      : e(e), outer(std::exchange(static_cast<CodeScope &>(e), CodeScope{std::make_shared<Frame>(), &role, {}, {}})) {
    e.frame->module = module;
  }
  FrameScope(const FrameScope &) = delete;
  ~FrameScope() { static_cast<CodeScope &>(e) = std::move(outer); }
};

} // namespace fly::sema
