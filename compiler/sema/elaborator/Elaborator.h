// Elaboration: one pass that evaluates what is known, type-checks the rest and emits Fly IR for it.
//
// The same code runs a module's top level, a check's body (host mode, nothing is emitted) and a kernel's body
// (device mode: `kernel.builder` is set). An expression over compile-time values gives a compile-time value in
// either mode; as soon as an operand is a machine value, an operation is emitted. Functions are elaborated at each
// call, with the values of that call.
//
// Run-time control becomes blocks and branches at once. The sides of a run-time `if` and the bodies of run-time
// loops are elaborated with a copy of the frame's variables; where paths join, values that differ become block
// arguments, leaf by leaf for tuples, lists, dicts and structs (Join.h).
//
// Errors. A failing operation reports its diagnostic and throws Failed; the innermost statement catches it,
// marks the names it would have assigned as erroneous and continues, so that one run shows many mistakes, each only
// once.
//
// `Elaborator` has what all rooms need: services, the state of what is elaborated, and the evaluator's recursion as an
// interface. Its one implementation is `Evaluator` (sema/language).
#pragma once

#include "compiler/sema/value/LdsUse.h"
#include "compiler/sema/value/Scope.h"
#include "compiler/diagnostics/Reporter.h"
#include "compiler/target/Target.h"

#include "mlir/IR/Builders.h"

#include <deque>
#include <functional>
#include <set>

namespace fly::sema {

class ModuleLoader;
class IsaStream;
class CodeRole;
class Tuning;
class LlvmOptionList;

/// Thrown after a diagnostic was reported.
struct Failed {};

/// Thrown by a probe at the first operation emitted (Loops.cpp).
struct Emits {};

/// How a statement was left: to the next one, or by a jump on every path through it (its edges are in the frame).
enum class Flow { Next, Jumped };

struct Limits {
  uint64_t steps = 20'000'000; ///< statements and calls of compile-time evaluation
  unsigned callDepth = 400;
  unsigned exprDepth = 8000;
};

/// The kernel that is being elaborated; all empty on the host.
struct KernelScope {
  std::optional<mlir::OpBuilder> builder; ///< device mode
  mlir::Block *entry = nullptr;           ///< where slots and LDS objects are declared
  IsaStream *isaStream = nullptr;         ///< with `isa=True`: keeps the instructions
  std::string name;                       ///< for messages
  Value blockDim;                         ///< a tuple of ints where `block=` is constant, else None
  LdsUse lds;                             ///< so far
  std::vector<const ExternDefinition *> usedExterns;
  std::function<std::string()> suggestSmaller; ///< a Constexpr with which its LDS would fit: "STAGES=2"; may be null
};

/// What a module's top level may do (CodeRole.h).
CodeRole &topLevelRole();

/// Where elaboration stands. Code that is elaborated in between has one of its own (FrameScope), and a trial gives it
/// back as it was (Trial.h).
struct CodeScope {
  std::shared_ptr<Frame> frame;
  CodeRole *role = &topLevelRole(); ///< what the code may do; never null
  KernelScope kernel;
  std::vector<SourceRange> callSites; ///< of the functions being elaborated, innermost last
};

class Elaborator : public Reporter, public CodeScope {
public:
  Elaborator(DiagnosticEngine &diags, const target::Target &target, ModuleLoader &loader, mlir::MLIRContext &context);

  virtual ~Elaborator();

  // --- Evaluation, which is recursive: each room may call it, sema/language implements it ---
  /// Runs a module's top level.
  virtual void runModule(ModuleScope &module) = 0;
  virtual Value call(const Value &callee, Arguments arguments, SourceRange range) = 0;
  virtual Flow execBlock(const ast::Block &block) = 0;
  /// `valueRange` is where a value that cannot be stored is shown; without it, the target.
  virtual void assign(const ast::Expr &target, const Value &value, SourceRange valueRange = {}) = 0;
  virtual Value eval(const ast::Expr &expr) = 0;
  virtual Value lookUp(const std::string &name, SourceRange range) = 0;
  virtual Value attribute(const Value &base, llvm::StringRef name, SourceRange range, SourceRange nameRange) = 0;
  /// The elements of what a `for`, an unpacking or a comprehension runs over; fails on run-time sequences.
  virtual Values iterate(const Value &value, SourceRange range, llvm::StringRef purpose) = 0;
  virtual Value unary(ast::UnaryOp op, const Value &value, SourceRange range) = 0;
  virtual Value binary(ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range, SourceRange opRange,
                       SourceRange lhsRange, SourceRange rhsRange) = 0;
  virtual Value compare(ast::CompareOp op, const Value &lhs, const Value &rhs, SourceRange range,
                        SourceRange opRange) = 0;
  /// Elaborates both sides of a run-time condition, each in its own block, and joins their values.
  virtual Value branch(MachineValue condition, const std::function<Value()> &whenTrue,
                       const std::function<Value()> &whenFalse, SourceRange range) = 0;

  // --- Services ---
  [[noreturn]] void fail(diag::Kind kind, SourceRange range, std::initializer_list<std::string> args = {});
  template <diag::Row R> [[noreturn]] void fail(SourceRange range, const R &row) {
    report(range, row);
    throw Failed{};
  }
  /// The location of emitted operations: a range of the source, with the chain of calls (compiler/dialect/Places.h).
  mlir::Location location(SourceRange range);
  /// An argument that an analysis may blame; of a tensor, its name.
  struct RangedArgument {
    llvm::StringRef argument;
    SourceRange range;
    llvm::StringRef tensor = {};
  };
  /// With what the program calls it, and arguments.
  mlir::Location location(SourceRange range, llvm::StringRef name, llvm::ArrayRef<RangedArgument> arguments = {});
  /// What locations call a file.
  std::string locationName(FileId file) const { return locationNames(file); }
  /// The builder, or `not_in_kernel` of `what`, else of the text.
  mlir::OpBuilder &ir(SourceRange range, llvm::StringRef what);
  bool onDevice() const { return kernel.builder.has_value(); }
  /// Refuses a register or an argument of ISA mode where a value is needed at compile time.
  void refuseRunTime(const Value &value, SourceRange range);
  /// A condition of the program was evaluated; in a check it counts as an expectation if the check's own file has it.
  void countExpectation();
  void step(SourceRange range);
  /// Refuses sequences that nest so often that walking over them would not end.
  void checkSize(const Value &value, SourceRange range);

  const target::Target &target;
  ModuleLoader &loader;
  mlir::MLIRContext &context;
  Limits limits;
  Tuning *tuning;                                      ///< what takes the place of defaults of `@tune` parameters
  const LlvmOptionList *llvmOptions;                   ///< of which `llvm=` may name
  std::map<std::string, std::string> givenLlvmOptions; ///< `--llvm`: of every kernel, over its own
  std::deque<host::ExprRef> launchLeaves;              ///< keeps alive what leaves of layouts refer to (LayoutCalls.h)
  std::vector<std::string> *offered = nullptr;         ///< receives what `completionMarker` could be (Suggest.h)
  llvm::raw_ostream *printTo;                          ///< static_print; standard error unless it is set

  unsigned fastmath = 0;                                ///< flags for the operations that are emitted (FastMath.h)
  std::map<const ModuleScope *, unsigned> leftFastmath; ///< of files that call others: the flags where they did
  std::function<std::string(FileId)> locationNames; ///< file names as line tables have them; the sources' by default

  std::map<std::string, Value> definitions; ///< `-D`: Constexpr parameters and constants of the main module
  std::set<std::string> usedDefinitions;
  bool fatal = false;           ///< a limit was reached: no further statement runs
  unsigned trialDepth = 0;      ///< inside of elaboration that is thrown away
  unsigned openStreams = 0;     ///< of `sched.interleave`: each statement leaves a mark
  mlir::Block *probe = nullptr; ///< an operation in it, or a block after it, ends the probe (Emits)

  SourceRange statement; ///< what assigns now: values remember it for messages

private:
  [[noreturn]] void stepLimit(SourceRange range);
  uint64_t steps = 0;
  std::map<std::pair<FileId, uint32_t>, uint64_t> samples; ///< of every 61st step, its place
  mlir::Location rangeLocation(SourceRange range);
  mlir::Location inCalls(mlir::Location location) const;
  void locateCalls();
  SourceRange cachedRange; ///< the last answer of `location`
  mlir::LocationAttr cachedLocation;
  std::vector<std::pair<SourceRange, mlir::LocationAttr>> calls; ///< those of `callSites`, with their locations
  std::vector<mlir::StringAttr> fileNames;                       ///< by file, as far as locations have asked
};

} // namespace fly::sema
