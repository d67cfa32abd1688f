// One launch in a check: its arguments in guarded memory, its steps, and what they leave.
#pragma once

#include "compiler/launch/CheckRunner.h"
#include "compiler/launch/LaunchReference.h"

namespace fly::driver {

/// A pointer in the arguments: a parameter or a field of one.
struct PointerArgument {
  std::string name, type;
  size_t parameter;
  uint32_t offset; ///< where its address goes
  bool isInput;
  const sema::Value *value;
  SourceRange range;
};

struct CheckRunner::Run {
  CheckRunner &runner;
  const Plan &plan;
  SourceRange range;
  std::vector<const sema::Argument *> bound;
  // By parameter, and behind the parameters by field of their structs:
  std::vector<std::string> content; ///< as in an argument block
  std::vector<host::ScalarValue> values;
  std::vector<PointerArgument> pointers;

  struct Buffer {
    std::string name;
    host::Number number;
    bool isInput;
    host::HostArray *array;
    uint64_t address;
    host::Shape shape;
    std::vector<int64_t> strides;
    uint64_t bytes = 0;
    std::optional<std::string> initial = std::nullopt; ///< none: as the array holds it
  };
  std::vector<Buffer> buffers;
  /// Of launches that run at once: their arrays, which they share; null: this one runs alone.
  struct SharedArray {
    const host::HostArray *array;
    Run *run;
    size_t buffer;
  };
  std::vector<SharedArray> *shared = nullptr;
  std::vector<std::pair<host::HostArray *, uint64_t>> pointed; ///< arrays of pointers, and where they are
  struct Table {
    uint64_t address;
    std::string addresses;
  };
  std::vector<Table> tables; ///< what pointers to pointers refer to
  struct Part {
    uint64_t address;
    std::string initial;
  };
  std::vector<Part> parts;
  struct Step {
    const artifact::StepInfo *info;
    const Loaded *code;
    emulator::LaunchConfig config;
    std::string kernargs;
  };
  std::vector<Step> steps; ///< the ones whose guards hold
  bool prints = true;      ///< what the device prints is shown
  bool asBytes = false;    ///< `contents` are bytes, to compare them with what another device leaves
  bool hasInputs = false;  ///< the device does

  Run(CheckRunner &runner, const Plan &plan, const ast::DefStmt &def, const sema::Arguments &arguments,
      SourceRange range)
      : runner(runner), plan(plan), range(range),
        bound(sema::bindLaunchArguments(runner.compilation.elaborator, def, plan.info.parameters, arguments, range)),
        content(bound.size()), values(bound.size()) {}
  ~Run();

  sema::Elaborator &elaborator() { return runner.compilation.elaborator; }
  const std::string &name() { return plan.info.function; }

  host::ScalarValue evaluate(const host::ExprRef &expr, const std::string &what);
  int64_t integer(const host::ExprRef &expr, const std::string &what);

  /// Scalars first: extents depend on them.
  void readScalars();

  void readStruct(size_t index);

  /// The scalars as text, for messages.
  std::string scalarText();

  /// "; k % 64 is 32": the sides of a comparison that had to be computed.
  std::string computed(const host::Expr &expr);

  /// The launch is refused. False if the check expects that, by a part of the text; else the check fails.
  bool refuse(const std::string &kernel, const std::string &why, const std::string &details = "");

  /// False if the check expects this precondition to refuse, and it does.
  bool meets(const std::vector<artifact::RequirementInfo> &requirements, const std::string &kernel);

  /// Everything that can be refused, before anything runs.
  bool check();
  /// Arguments, checked and in memory. False if nothing is to run: the launch is refused, as the check expects, or only
  /// planned.
  bool prepare();

  /// The launches that would follow, with the scalars that their kernels would get.
  void tellPlanned();

  uint64_t allocate(uint64_t bytes, const std::string &what, SourceRange at);

  /// Arrays into memory.
  void makeBuffers();

  /// The array that a pointer refers to: contiguous, with its own shape. A pointer to pointers refers to a list of
  /// them.
  void makePointed(const PointerArgument &p);
  void makePointed(const PointerArgument &p, const sema::Value &value, llvm::StringRef type, bool isInput, char *to);

  /// Gives the array memory, whose address goes to `to`.
  void keep(Buffer buffer, char *to, SourceRange at);
  /// The same of one that another launch has, with the same contents; false if none has.
  bool keepShared(const Buffer &buffer, char *to, SourceRange at);

  void makeWorkspace();

  /// Where the memory of an argument begins; 0 for none.
  uint64_t addressOf(const artifact::ArgumentInfo &argument, const std::string &what);

  void fillArgument(const artifact::ArgumentInfo &argument, const std::string &what, const std::string &type,
                    bool isPointer, char *to);

  void fillStruct(const artifact::StructInfo &info, const artifact::ArgumentInfo &argument, const std::string &what,
                  char *to);

  void fillArguments();

  /// The memory that a step fills, and its bytes.
  std::pair<uint64_t, uint64_t> filled(const Step &step);

  /// The contents with which a run begins.
  void putAll(bool inputs);

  /// What a run left in a buffer: bytes, or elements as its array holds them, where zeros take no memory.
  struct Left {
    std::string bytes;
    std::optional<host::Elements> elements;
    bool operator==(const Left &other) const {
      return elements ? elements->hasBytesOf(*other.elements) : bytes == other.bytes;
    }
  };

  /// All steps on the GPU; false after an error of HIP.
  bool launchOnGpu();
  std::vector<Left> runOnGpu();

  /// The launch beside the reference.
  LaunchReference referenceOf(const Step &step);

  /// What the step's launch has in common in this order.
  void configure(Step &step, const Order &order, bool isLast);
  /// Fills memory, as the step says.
  void fill(const Step &step);
  /// What came of a launch of the step. False if it ended with the fault that the check expects.
  bool accept(emulator::LaunchResult &result, const Step &step, const Order &order);
  /// Fills what steps fill, and has the others launched until one returns false; false then. Empty grids launch
  /// nothing.
  bool eachLaunch(llvm::function_ref<bool(Step &)> launch);
  /// One run of all steps; false if it ended with the fault that the check expects.
  bool runSteps(const Order &order, bool isLast);

  /// By buffer; empty for inputs.
  std::vector<Left> contents();

  /// A buffer that another order of the waves leaves with other contents.
  struct Difference {
    size_t buffer;
    const Order *order;
  };

  /// One run in each order, or in the first if there is nothing to compare; `first` is what that one left.
  /// False if a run ended with the fault that the check expects.
  bool runEach(bool compare, std::vector<Left> &first, std::optional<Difference> &difference);

  /// None if a run ended with the fault that the check expects.
  std::optional<std::vector<Left>> runOrders();

  /// What a run left, by buffer, into the arrays of outputs.
  void takeResults(std::vector<Left> left);
  host::HostArray arrayOf(const Buffer &buffer, Left &left);

  // DeviceComparison.cpp
  /// Why the launch cannot run on a GPU from here; empty: it can.
  std::string needsEmulator() const;
  /// Where the GPU left other bits than the emulator did, as text; empty if nowhere.
  std::string difference(std::vector<Left> &onEmulator, std::vector<Left> &onGpu);
  /// Which store of the emulator's run put the byte of the buffer there.
  std::string origin(const Buffer &buffer, uint64_t offset);
};

} // namespace fly::driver
