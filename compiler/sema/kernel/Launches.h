// `@launch` functions: host code that launches kernels in order on one stream, turned into a plan.
//
//     @launch
//     def gemm_splitk(a: In[f16, (m, k)], ...):          plan: a workspace of splits * m * n * 4 bytes,
//         parts = workspace(f32, (splits, m, n))               launch multiply_part(a, b, parts, ...),
//         multiply_part(a, b, parts, m, n, k, splits)          launch add_parts(parts, c, ...)
//         add_parts(parts, c, m, n, splits)
//
// The body is elaborated once, with the parameters as launch-time values: computations become expressions, calls become
// steps, and a condition known only at launch becomes the guard of the steps inside it. The runner of a plan (the C
// header, a check) evaluates and checks all of it before it launches anything.
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/sema/elaborator/CodeRole.h"

namespace fly::sema {

/// The plan of one instance of a launch function, and the kernel instances it needs. A step's `kernel` is the key of
/// its instance until the instances get symbols.
struct LaunchPlan {
  artifact::LaunchInfo info;
  struct Kernel {
    KernelValue kernel;
    std::string key;
    SourceRange range;
  };
  std::vector<Kernel> kernels;
};
/// Throws Failed.
LaunchPlan planLaunch(Elaborator &e, const KernelValue &launch, SourceRange range);

/// Arguments in the order of the parameters of the function that `def` defines; reports count, unknown keywords and
/// missing ones. Throws Failed.
std::vector<const Argument *> bindLaunchArguments(Elaborator &e, const ast::DefStmt &def,
                                                  const std::vector<artifact::ParameterInfo> &parameters,
                                                  const Arguments &arguments, SourceRange range);

/// The bytes of a compile-time number as a scalar argument, and its value in launch-time expressions; none if the type
/// does not hold it.
struct ScalarArgument {
  std::string bytes;
  host::ScalarValue value;
};
std::optional<ScalarArgument> scalarArgument(const Value &value, host::Number number);

class PlanBuilder final : public LaunchPlanner {
public:
  explicit PlanBuilder(Elaborator &e) : e(e) {}
  Value call(Elaborator &, const KernelValue &callee, Arguments arguments, SourceRange range) override {
    return addSteps(callee, arguments, range);
  }
  Value workspace(Type element, const Value &shape, const Value &stride, bool zero, SourceRange range) override;
  void fill(const HostTensor &memory, const Value &value, SourceRange range) override;
  std::optional<Flow> branch(const ast::IfStmt &stmt, const Value &test) override;
  // LaunchViews.cpp
  std::optional<Value> slice(const HostTensor &memory, const Values &items, SourceRange range) override;
  Value reshaped(const HostTensor &memory, const Value &shape, SourceRange range) override;
  Value transposed(const HostTensor &memory, const Value &order, SourceRange range) override;
  Value pointerTo(const HostTensor &memory, SourceRange range) override;
  std::optional<Value> moved(const HostTensor &pointer, const Value &elements, bool back, SourceRange range) override;
  std::optional<Value> tensorAt(const HostTensor &pointer, const Value &shape, const Value &stride,
                                SourceRange range) override;
  /// Runs the body of a launch function with its parameters bound.
  void run(const KernelValue &launch, const std::map<std::string, Value> &constants, const Values &parameters,
           const artifact::InstanceInfo &info);

  LaunchPlan plan;
  std::vector<host::ExprRef> facts; ///< what the preconditions promise
  /// The fields of each parameter that is a struct, by which it is known where it is passed on, and its number.
  std::vector<std::pair<std::shared_ptr<const Values>, unsigned>> structs;

private:
  /// A call of a kernel, or of a launch function with all of its steps.
  Value addSteps(const KernelValue &callee, const Arguments &arguments, SourceRange range);
  /// A call of `tuned(kernel)` (TunedLaunches.cpp).
  Value callByShape(const KernelValue &callee, const Arguments &arguments, SourceRange range);
  struct Bound; ///< a callee's parameters in terms of this function's
  Bound bind(const artifact::InstanceInfo &callee, const ast::DefStmt &def, const Arguments &arguments,
             SourceRange range);
  void record(const artifact::InstanceInfo &callee, size_t index, const Argument &argument, Bound &bound);
  artifact::ArgumentInfo scalar(const std::string &callee, const std::string &name, const std::string &type,
                                const Value &value, SourceRange range, Bound &bound);
  artifact::ArgumentInfo madeStruct(const std::string &callee, const artifact::StructInfo &info,
                                    const std::string &path, const Value &value, SourceRange range, Bound &bound);
  artifact::ArgumentInfo pointerArgument(const std::string &callee, const std::string &name, const std::string &type,
                                         artifact::Direction direction, uint32_t alignment, const Value &value,
                                         SourceRange range, Bound &bound);
  artifact::ArgumentInfo memoryArgument(const std::string &callee, const std::string &name,
                                        artifact::Direction direction, uint32_t alignment, const HostTensor &memory,
                                        SourceRange range, Bound &bound);
  void checkLayout(const artifact::InstanceInfo &callee, const artifact::ParameterInfo &parameter,
                   const HostTensor &tensor, Bound &bound, SourceRange range);
  void checkSteps(SourceRange range);
  /// Holds, or the launch is refused; an error if it never does. `what`: "`x[0:n]`: the rows are there".
  void require(const host::ExprRef &condition, const std::string &what, SourceRange range);
  artifact::RequirementInfo impliedBy(const host::ExprRef &condition, std::string text, SourceRange range);
  bool isRowMajor(const HostTensor &memory);
  host::ExprRef bytesOf(const HostTensor &memory, const host::ExprRef &elements, SourceRange range);
  host::ExprRef under(host::ExprRef condition) const; ///< the guard and the condition
  Value join(const std::string &name, const host::ExprRef &condition, const Value &yes, const Value &no,
             const ast::IfStmt &stmt);
  std::optional<Value> joined(const host::ExprRef &condition, const Value &yes, const Value &no);

  Elaborator &e;
  host::ExprRef guard;       ///< of the statement being elaborated; null: always
  Frame *function = nullptr; ///< the launch function's: a `return` there may be conditional
  unsigned depth = 0;
};

} // namespace fly::sema
