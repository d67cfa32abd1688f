// A launch in a check: bind arguments, test every precondition of every step, put arrays into guarded memory by the
// parameters' layouts, run the steps once for each order of waves, read results back.
//
// Each part of a workspace is a separate allocation here, so that an access beyond one is detected although on a device
// the next part follows it. Their contents are poison, because on a device they are unknown.
#include "runtime/sizes.h"
#include "compiler/launch/CheckRunner.h"
#include "compiler/launch/LaunchReference.h"

#include <cstring>

namespace fly::driver {

using sema::Failed;

namespace {
/// A pointer in the arguments: a parameter or a field of one.
struct PointerArgument {
  std::string name, type;
  size_t parameter;
  uint32_t offset; ///< where its address goes
  bool isInput;
  const sema::Value *value;
  SourceRange range;
};

/// Lays a struct out as the C header's caller does.
struct StructWriter {
  size_t parameter;
  SourceRange range;
  std::string bytes;
  std::vector<sema::ScalarArgument> numbers; ///< in the order of `InstanceInfo::fields`
  std::vector<PointerArgument> pointers;
  std::pair<std::string, std::string> wanted; ///< of a mismatch: type and name
  std::string got;

  bool write(const artifact::StructInfo &info, const sema::Value &value, const std::string &path, uint32_t offset) {
    auto *record = value.as<sema::StructValue>();
    if (!record || record->definition->name != info.name || record->fields->size() != info.fields.size())
      return refuse("a `" + info.name + "`", path, value);
    for (size_t i = 0; i < info.fields.size(); ++i) {
      auto &field = info.fields[i];
      auto &given = (*record->fields)[i];
      std::string name = path + "." + field.name;
      if (field.record ? !write(*field.record, given, name, offset + field.offset)
                       : !number(field, given, name, offset + field.offset))
        return false;
    }
    return true;
  }

private:
  bool refuse(std::string type, const std::string &name, const sema::Value &value) {
    wanted = {std::move(type), name};
    got = describe(value);
    return false;
  }
  bool number(const artifact::FieldInfo &field, const sema::Value &value, const std::string &name, uint32_t offset) {
    if (field.isPointer) {
      pointers.push_back({name, field.type, parameter, offset, field.isReadOnly, &value, range});
      return true;
    }
    auto format = *host::numberByName(field.type);
    if (field.lanes == 0) {
      auto scalar = sema::scalarArgument(value, format);
      if (!scalar)
        return refuse("a value of type " + field.type, name, value);
      std::memcpy(&bytes[offset], scalar->bytes.data(), scalar->bytes.size());
      numbers.push_back(std::move(*scalar));
      return true;
    }
    auto *elements = value.sequence();
    if (!elements || elements->size() != field.lanes)
      return refuse("a tuple of " + std::to_string(field.lanes) + " " + field.type, name, value);
    for (size_t i = 0; i < elements->size(); ++i) {
      if (format == host::Number::U64 && (*elements)[i].is<sema::ArrayValue>()) { // its address
        pointers.push_back({name, "", parameter, uint32_t(offset + 8 * i), false, &(*elements)[i], range});
        continue;
      }
      auto scalar = sema::scalarArgument((*elements)[i], format);
      if (!scalar)
        return refuse("a value of type " + field.type, name, (*elements)[i]);
      std::memcpy(&bytes[offset + i * scalar->bytes.size()], scalar->bytes.data(), scalar->bytes.size());
    }
    return true;
  }
};
} // namespace

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
  bool hasInputs = false;  ///< the device does

  Run(CheckRunner &runner, const Plan &plan, const ast::DefStmt &def, const sema::Arguments &arguments,
      SourceRange range)
      : runner(runner), plan(plan), range(range),
        bound(sema::bindLaunchArguments(runner.compilation.elaborator, def, plan.info.parameters, arguments, range)),
        content(bound.size()), values(bound.size()) {}
  ~Run() {
    for (auto &buffer : buffers)
      runner.free(buffer.address);
    for (auto &table : tables)
      runner.free(table.address);
    for (auto &part : parts)
      runner.free(part.address);
  }

  sema::Elaborator &elaborator() { return runner.compilation.elaborator; }
  const std::string &name() { return plan.info.function; }

  host::ScalarValue evaluate(const host::ExprRef &expr, const std::string &what) {
    auto known = host::substitute(expr, [&](const host::ExprRef &leaf) {
      return leaf->op == host::ExprOp::Device ? host::intConstant(runner.computeUnits()) : leaf;
    });
    auto result = host::evaluate(*known, values);
    if (!result.ok())
      runner.mismatch(what + ": " + result.error, range);
    return result.value;
  }
  int64_t integer(const host::ExprRef &expr, const std::string &what) {
    auto value = evaluate(expr, what);
    return std::holds_alternative<bool>(value) ? std::get<bool>(value) : std::get<int64_t>(value);
  }

  /// Scalars first: extents depend on them.
  void readScalars() {
    for (size_t i = 0; i < bound.size(); ++i) {
      auto &p = plan.info.parameters[i];
      auto &value = bound[i]->value;
      if (p.kind == artifact::ParameterKind::Pointer) {
        content[i].assign(8, '\0');
        pointers.push_back({p.name, p.type, i, 0, p.direction == artifact::Direction::In, &value, bound[i]->range});
      }
      if (p.kind == artifact::ParameterKind::Struct)
        readStruct(i);
      if (p.kind != artifact::ParameterKind::Scalar)
        continue;
      auto scalar = sema::scalarArgument(value, *host::numberByName(p.type));
      if (!scalar)
        elaborator().fail(
            bound[i]->range,
            diag::argument_of_type{.what = diag::argument(p.name, name()), .type = p.type, .found = describe(value)});
      values[i] = scalar->value;
      content[i] = std::move(scalar->bytes);
    }
  }

  void readStruct(size_t index) {
    auto &p = plan.info.parameters[index];
    StructWriter writer{index, bound[index]->range, std::string(p.size, '\0'), {}, {}, {}, {}};
    if (!writer.write(*p.record, bound[index]->value, p.name, 0))
      elaborator().fail(diag::wrong_argument_type, bound[index]->range,
                        {name(), writer.wanted.first, writer.wanted.second, writer.got});
    content[index] = std::move(writer.bytes);
    llvm::append_range(pointers, writer.pointers);
    for (auto &number : writer.numbers) {
      values.push_back(number.value);
      content.push_back(std::move(number.bytes));
    }
  }

  /// The scalars as text, for messages.
  std::string scalarText() {
    std::string text;
    for (size_t i = 0; i < values.size(); ++i) {
      auto &p = i < bound.size() ? plan.info.parameters[i] : plan.info.fields[i - bound.size()];
      if (auto *v = std::get_if<int64_t>(&values[i]); v && p.kind == artifact::ParameterKind::Scalar)
        text += (text.empty() ? "" : ", ") + p.name + " = " + std::to_string(*v);
    }
    return text;
  }

  /// "; k % 64 is 32": the sides of a comparison that had to be computed.
  std::string computed(const host::Expr &expr) {
    if (expr.op < host::ExprOp::Lt || expr.op > host::ExprOp::Ne)
      return "";
    std::string out;
    for (auto &side : expr.operands)
      if (!side->operands.empty())
        if (auto value = evaluate(side, "`" + host::toFly(*side) + "`"); std::holds_alternative<int64_t>(value))
          out += "; " + host::toFly(*side) + " is " + std::to_string(std::get<int64_t>(value));
    return out;
  }

  /// The launch is refused. False if the check expects that, by a part of the text; else the check fails.
  bool refuse(const std::string &kernel, const std::string &why, const std::string &details = "") {
    if (runner.expectedRefusal && llvm::StringRef(why).contains(*runner.expectedRefusal) &&
        (!runner.expectedKernel || *runner.expectedKernel == kernel)) {
      runner.refused = true;
      return false;
    }
    const std::string instead =
        runner.expectedRefusal ? "\n  `expect_refused` waits for `" + *runner.expectedRefusal + "`" : "";
    runner.mismatch("launch refused: " + why + details + instead, range);
  }

  /// False if the check expects this precondition to refuse, and it does.
  bool meets(const std::vector<artifact::RequirementInfo> &requirements, const std::string &kernel) {
    for (auto &requirement : requirements)
      if (!std::get<bool>(evaluate(requirement.expr, "`" + requirement.text + "`")))
        return refuse(kernel,
                      kernel + " needs " + (requirement.implied ? requirement.text : "`" + requirement.text + "`"),
                      "  [requires]\n  " + scalarText() + computed(*requirement.expr) + "\n  --> " + requirement.file +
                          ":" + std::to_string(requirement.line));
    return true;
  }

  /// Everything that can be refused, before anything runs.
  bool check() {
    if (!meets(plan.info.requirements, name()))
      return false;
    for (size_t i = 0; i < plan.info.steps.size(); ++i) {
      auto &info = plan.info.steps[i];
      if (info.when && !std::get<bool>(evaluate(info.when, "`if`")))
        continue;
      Step step{&info, plan.steps[i], {}, {}};
      if (!meets(info.requirements, info.name))
        return false;
      if (!info.fill) {
        fly_launch sizes{};
        for (size_t axis = 0; axis < 3; ++axis) {
          sizes.grid[axis] = integer(info.grid[axis], "`grid=` of " + info.name);
          sizes.block[axis] = integer(info.block[axis], "`block=` of " + info.name);
        }
        sizes.dynamic_lds = info.dynamicLds ? integer(info.dynamicLds, "`lds=` of " + info.name) : 0;
        sizes.max_workgroup_size = plan.steps[i]->info.resources.maxWorkgroupSize;
        const std::string file = elaborator().frame->module->name;
        if (fly_check_sizes(file.c_str(), info.name.c_str(), &sizes) !=
            FLY_OK) // the rules of the runtime, in its words
          return refuse(info.name, fly_error());
        for (size_t axis = 0; axis < 3; ++axis) {
          step.config.grid[axis] = uint32_t(sizes.grid[axis]);
          step.config.block[axis] = uint32_t(sizes.block[axis]);
        }
        auto &target = runner.compilation.target;
        const int64_t lds = sizes.dynamic_lds, all = lds + plan.steps[i]->info.resources.ldsBytes;
        if (all > int64_t(target.ldsBytes))
          return refuse(info.name, info.name + " needs " + std::to_string(all) + " bytes of LDS, " +
                                       std::to_string(lds) + " of them by `lds=`; " + std::string(target.name) +
                                       " has " + std::to_string(target.ldsBytes));
        step.config.dynamicLdsBytes = uint32_t(lds);
      }
      steps.push_back(std::move(step));
    }
    return true;
  }

  /// The launches that would follow, with the scalars that their kernels would get.
  void tellPlanned() {
    PlannedLaunch::Function function;
    if (llvm::any_of(plan.info.steps, [](auto &step) { return !step.kernel.empty(); })) { // else it is a kernel's own
      function = {name(), plan.info.constants, {}};
      for (size_t i = 0; i < plan.info.parameters.size(); ++i)
        if (auto &p = plan.info.parameters[i]; p.kind == artifact::ParameterKind::Scalar)
          if (auto *number = std::get_if<int64_t>(&values[i]))
            function.scalars[p.name] = *number;
    }
    for (auto &step : steps) {
      if (step.info->fill)
        continue;
      PlannedLaunch launch{&step.code->info, &step.code->codeObject, step.config, {}, function};
      auto &parameters = step.code->info.parameters;
      for (size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].kind != artifact::ParameterKind::Scalar)
          continue;
        auto &argument = step.info->arguments[i];
        auto value = argument.kind == artifact::ArgumentInfo::Parameter
                         ? values[argument.index]
                         : evaluate(argument.value, "`" + parameters[i].name + "` of " + step.info->name);
        if (auto *number = std::get_if<int64_t>(&value))
          launch.scalars[parameters[i].name] = *number;
      }
      runner.planned->push_back(std::move(launch));
    }
  }

  uint64_t allocate(uint64_t bytes, const std::string &what, SourceRange at) {
    uint64_t address = runner.allocate(bytes, what);
    if (!address && bytes)
      runner.mismatch(std::string("out of ") + (runner.gpu ? "the GPU's" : "emulated") + " memory for `" + what + "`",
                      at);
    return address;
  }

  /// Arrays into memory.
  void makeBuffers() {
    for (size_t i = 0; i < bound.size(); ++i) {
      auto &p = plan.info.parameters[i];
      if (p.kind != artifact::ParameterKind::Tensor)
        continue;
      if (bound[i]->value.isNone()) { // memory that the instance does not use
        content[i].assign(8, '\0');
        continue;
      }
      auto *value = bound[i]->value.as<sema::ArrayValue>();
      auto number = *host::numberByName(p.type);
      if (!value)
        elaborator().fail(bound[i]->range, diag::array_expected{.what = diag::argument(p.name, name()),
                                                                .type = p.type,
                                                                .also = "",
                                                                .found = describe(bound[i]->value)});
      auto &array = *value->array;
      if (array.type && *array.type != number)
        elaborator().fail(bound[i]->range,
                          diag::array_expected{.what = diag::argument(p.name, name()),
                                               .type = p.type,
                                               .also = "",
                                               .found = "one of " + std::string(host::format(*array.type).name)});
      Buffer buffer{p.name, number, p.direction == artifact::Direction::In, &array, 0, {}, {}, {}};
      host::Shape extents, strides;
      for (auto &extent : p.shape)
        extents.push_back(integer(extent, "the shape of `" + p.name + "`"));
      for (auto &stride : p.strides)
        strides.push_back(integer(stride, "the strides of `" + p.name + "`"));
      auto axes = host::hostAxes(p.modes, extents, strides);
      if (!axes.error.empty())
        runner.mismatch("`" + p.name + "` has " + axes.error, bound[i]->range);
      host::Shape wanted = axes.modes;
      buffer.shape = axes.extents;
      buffer.strides = axes.strides;
      if (value->raw) { // the memory itself, flat
        auto span = host::elementSpan(buffer.shape, buffer.strides);
        if (!span.ok())
          runner.mismatch("`" + p.name + "`: " + span.error, bound[i]->range);
        if (array.shape.size() != 1 || array.shape[0] < span.value)
          elaborator().fail(diag::wrong_argument_type, bound[i]->range,
                            {name(), "at least " + std::to_string(span.value) + " elements of memory", p.name,
                             "shape " + host::toText(array.shape)});
        buffer.shape = wanted = array.shape;
        buffer.strides = {1};
      }
      if (array.shape != wanted)
        elaborator().fail(bound[i]->range, diag::array_shape{.what = diag::argument(p.name, name()),
                                                             .wanted = host::toText(wanted),
                                                             .found = host::toText(array.shape)});
      content[i].assign(8, '\0');
      keep(std::move(buffer), &content[i][0], bound[i]->range);
    }
    for (auto &p : pointers)
      makePointed(p);
  }

  /// The array that a pointer refers to: contiguous, with its own shape. A pointer to pointers refers to a list of them.
  void makePointed(const PointerArgument &p) {
    makePointed(p, *p.value, p.type, p.isInput, &content[p.parameter][p.offset]);
  }
  void makePointed(const PointerArgument &p, const sema::Value &value, llvm::StringRef type, bool isInput, char *to) {
    if (value.isNone()) // stays a null pointer
      return;
    if (auto *list = value.sequence(); list && type.consume_front("Pointer[")) {
      auto [element, space] = type.rsplit(", ");
      Table table{0, std::string(8 * list->size(), '\0')};
      for (size_t i = 0; i < list->size(); ++i)
        makePointed(p, (*list)[i], element, space.starts_with("constant"), &table.addresses[8 * i]);
      table.address = allocate(table.addresses.size(), p.name, p.range);
      std::memcpy(to, &table.address, 8);
      tables.push_back(std::move(table));
      return;
    }
    auto *array = value.as<sema::ArrayValue>();
    auto number = host::numberByName(type);
    if (!array || (number && array->array->type && *array->array->type != *number) || (!number && !array->array->type))
      elaborator().fail(
          p.range, diag::array_expected{.what = diag::argument(p.name, name()),
                                        .type = type.str(),
                                        .also = " or None",
                                        .found = array && array->array->type
                                                     ? "one of " + std::string(host::format(*array->array->type).name)
                                                     : describe(value)});
    for (const auto &[known, address] : pointed) // given several times, it is one
      if (known == array->array.get()) {
        std::memcpy(to, &address, 8);
        for (Buffer &buffer : buffers)
          buffer.isInput &= buffer.address != address || isInput;
        return;
      }
    Buffer buffer{p.name, number ? *number : *array->array->type, isInput, array->array.get(), 0, array->array->shape,
                  {}};
    int64_t stride = 1;
    for (size_t k = buffer.shape.size(); k-- > 0; stride *= buffer.shape[k])
      buffer.strides.insert(buffer.strides.begin(), stride);
    keep(std::move(buffer), to, p.range);
    pointed.push_back({array->array.get(), buffers.back().address});
  }

  /// Gives the array memory, whose address goes to `to`.
  void keep(Buffer buffer, char *to, SourceRange at) {
    if (buffer.array->shape == buffer.shape && host::liesAsHeld(*buffer.array, buffer.number, buffer.strides)) {
      auto span = host::elementSpan(buffer.shape, buffer.strides);
      buffer.bytes = (uint64_t(span.value) * host::memoryBits(host::format(buffer.number)) + 7) / 8;
    } else {
      auto bytes = buffer.array->shape == buffer.shape
                       ? host::toBytes(*buffer.array, buffer.number, buffer.strides)
                       : host::toBytes(host::reshape(*buffer.array, buffer.shape).value, buffer.number, buffer.strides);
      if (!bytes.ok())
        runner.mismatch("`" + buffer.name + "`: " + bytes.error, at);
      buffer.bytes = bytes.value.size();
      buffer.initial = std::move(bytes.value);
    }
    buffer.address = allocate(buffer.bytes, buffer.name, at);
    std::memcpy(to, &buffer.address, 8);
    buffers.push_back(std::move(buffer));
  }

  void makeWorkspace() {
    for (auto &info : plan.info.workspace) {
      int64_t bytes = integer(info.bytes, "the size of `" + info.name + "`");
      if (bytes < 0 || bytes > (int64_t(1) << 31))
        runner.mismatch("launch refused: workspace `" + info.name + "` of " + std::to_string(bytes) + " bytes", range);
      auto number = *host::numberByName(info.type);
      int64_t elements = bytes * 8 / host::format(number).bits;
      auto poison = host::empty({elements}, number);
      auto initial = poison.ok() ? host::toBytes(poison.value, number, {1}) : host::Result<std::string>{};
      initial.value.resize(size_t(bytes), char(0xa5));
      parts.push_back({allocate(uint64_t(bytes), info.name, range), std::move(initial.value)});
    }
  }

  /// Where the memory of an argument begins; 0 for none.
  uint64_t addressOf(const artifact::ArgumentInfo &argument, const std::string &what) {
    uint64_t address = 0;
    if (argument.kind == artifact::ArgumentInfo::Workspace)
      address = parts[argument.index].address;
    else if (argument.kind == artifact::ArgumentInfo::Parameter)
      std::memcpy(&address, content[argument.index].data(), 8);
    return address + (argument.offset ? uint64_t(integer(argument.offset, "where " + what + " begins")) : 0);
  }

  void fillArgument(const artifact::ArgumentInfo &argument, const std::string &what, const std::string &type,
                    bool isPointer, char *to) {
    if (argument.kind == artifact::ArgumentInfo::Workspace || argument.offset) {
      const uint64_t address = addressOf(argument, what);
      std::memcpy(to, &address, 8);
    } else if (argument.kind == artifact::ArgumentInfo::Parameter)
      std::memcpy(to, content[argument.index].data(), content[argument.index].size());
    else if (argument.value && !isPointer) { // else it stays null
      auto value = evaluate(argument.value, what);
      auto asValue = std::visit([](auto v) { return sema::Value(v); }, value);
      auto scalar = sema::scalarArgument(asValue, *host::numberByName(type));
      if (!scalar)
        runner.mismatch("launch refused: " + what + " is " + toText(asValue) + ", which is not of type " + type, range);
      std::memcpy(to, scalar->bytes.data(), scalar->bytes.size());
    }
  }

  void fillStruct(const artifact::StructInfo &info, const artifact::ArgumentInfo &argument, const std::string &what,
                  char *to) {
    for (size_t i = 0; i < info.fields.size(); ++i) {
      auto &field = info.fields[i];
      auto &part = argument.fields[i];
      if (field.record)
        fillStruct(*field.record, part, what, to + field.offset);
      else if (field.lanes)
        for (uint32_t lane = 0; lane < field.lanes; ++lane)
          fillArgument(part.fields[lane], what, field.type, false,
                       to + field.offset + lane * (field.size / field.lanes));
      else
        fillArgument(part, what, field.type, field.isPointer, to + field.offset);
    }
  }

  void fillArguments() {
    for (auto &step : steps) {
      if (step.info->fill)
        continue;
      auto &parameters = step.code->info.parameters;
      for (auto &p : parameters)
        step.kernargs.resize(std::max<size_t>(step.kernargs.size(), p.offset + p.size));
      for (size_t i = 0; i < parameters.size(); ++i) {
        auto &p = parameters[i];
        auto &argument = step.info->arguments[i];
        const std::string what = "`" + p.name + "` of " + step.info->name;
        if (argument.kind == artifact::ArgumentInfo::Struct)
          fillStruct(*p.record, argument, what, &step.kernargs[p.offset]);
        else
          fillArgument(argument, what, p.type, p.kind == artifact::ParameterKind::Pointer, &step.kernargs[p.offset]);
      }
    }
  }

  /// The memory that a step fills, and its bytes.
  std::pair<uint64_t, uint64_t> filled(const Step &step) {
    const artifact::FillInfo &fill = *step.info->fill;
    return {addressOf(fill.memory, "`" + step.info->name + "`"),
            uint64_t(integer(fill.bytes, "the size of `" + step.info->name + "`"))};
  }

  /// The contents with which a run begins.
  void putAll(bool inputs) {
    for (auto &buffer : buffers) {
      if (!inputs && buffer.isInput)
        continue;
      if (buffer.initial) {
        runner.write(buffer.address, *buffer.initial, range);
        continue;
      }
      runner.zero(buffer.address, buffer.bytes, range);
      host::forPieces(*buffer.array, [&](uint64_t offset, llvm::StringRef piece) {
        runner.write(buffer.address + offset, piece, range);
      });
    }
    for (auto &table : tables)
      runner.write(table.address, table.addresses, range);
    for (auto &part : parts)
      runner.write(part.address, part.initial, range);
  }

  /// All steps on the GPU; false after an error of HIP.
  bool launchOnGpu() {
    for (auto &step : steps) {
      if (step.info->fill) {
        auto [address, bytes] = filled(step);
        if (!runner.gpu->fill(address, step.info->fill->value, bytes))
          return false;
      } else if (!runner.gpu->launch(step.code->codeObject, step.code->info.symbol, step.config.grid, step.config.block,
                                     step.config.dynamicLdsBytes, step.kernargs)) {
        return false;
      }
    }
    return true;
  }

  void runOnGpu() {
    putAll(/*inputs=*/true);
    if (!runner.measured) {
      if (!launchOnGpu() || !runner.gpu->synchronize())
        runner.gpuFailed(range);
    } else {
      auto times = runner.gpu->measure(
          runner.repetitions.warmUp, runner.repetitions.repeat,
          [&] {
            putAll(/*inputs=*/false);
            return true;
          },
          [&] { return launchOnGpu(); });
      if (!times)
        runner.gpuFailed(range);
      std::string title = name(), constants;
      if (steps.size() == 1 && steps.front().code)
        for (auto &[constant, value] : steps.front().code->info.constants)
          constants += (constants.empty() ? "" : ", ") + constant + "=" + value;
      runner.measured->push_back({title + (constants.empty() ? "" : "[" + constants + "]"), std::move(*times)});
    }
    takeResults(contents());
  }

  /// The launch beside the reference.
  LaunchReference referenceOf(const Step &step) {
    std::vector<ReachedArea> areas;
    for (auto &buffer : buffers)
      areas.push_back({buffer.address, buffer.bytes, buffer.name, host::format(buffer.number).name});
    for (auto &table : tables)
      areas.push_back({table.address, table.addresses.size(), "a table of pointers", "u8"});
    for (auto &part : parts)
      areas.push_back({part.address, part.initial.size(), "a part of the workspace", "u8"});
    return {
        {*runner.device, *step.code->module, step.code->info.label, step.code->info.symbol, step.config, step.kernargs},
        step.code->reference,
        runner.compilation.target,
        std::move(areas),
        runner.settings.referenceSeconds};
  }

  /// One run of all steps; false if it ended with the fault that the check expects.
  bool runSteps(const Order &order, bool isLast) {
    putAll(/*inputs=*/std::exchange(hasInputs, true) == false); // which no kernel changes
    for (auto &step : steps) {
      if (step.info->fill) {
        auto [address, bytes] = filled(step);
        if (!runner.device->fill(address, step.info->fill->value, bytes))
          runner.mismatch("launch refused: there are no " + std::to_string(bytes) + " bytes of memory for `" +
                              step.info->name + "` to fill",
                          range);
        continue;
      }
      if (step.config.grid[0] == 0 || step.config.grid[1] == 0 || step.config.grid[2] == 0)
        continue;
      step.config.label = step.code->info.label;
      step.config.order = order.order;
      step.config.seed = order.seed;
      step.config.checks = runner.settings.checks;
      // What these find does not depend on the order, and together they are slow.
      if (&order != &runner.settings.orders.front())
        step.config.checks.races = emulator::CheckMode::Off;
      if (!isLast)
        step.config.checks.init = emulator::CheckMode::Off;
      step.config.only = runner.onlyWorkgroups;
      step.config.instructionLimit = runner.settings.instructionLimit;
      if (runner.settings.threads)
        step.config.threads = runner.settings.threads;
      emulator::Profile profile;
      step.config.profile = runner.counts ? &profile : nullptr;
      std::optional<emulator::Timing> timing;
      if (runner.counts && runner.timing)
        timing.emplace().options = *runner.timing;
      step.config.timing = timing ? &*timing : nullptr;
      std::optional<LaunchReference> reference;
      if (runner.settings.referenceSeconds > 0 && &order == &runner.settings.orders.front() && !runner.counts)
        reference.emplace(referenceOf(step));
      auto result = runner.device->launch(*step.code->module, step.code->info.symbol, step.config, step.kernargs);
      runner.waveInstructions += result.waveInstructions;
      runner.findings.merge(result.findings);
      if (runner.expectedFault && !result.ok &&
          (result.report + result.output).find(*runner.expectedFault) != std::string::npos) { // or an `assert`'s text
        runner.faulted = true;
        return false;
      }
      if (runner.expectedFault && !result.ok)
        result.report += "  `expect_fault` waits for a fault of `" + *runner.expectedFault + "`\n";
      if (prints && &order == &runner.settings.orders.front()) // once, not for each order
        llvm::outs() << result.output;
      if (result.fault == emulator::FaultKind::Runaway)
        result.report += "  `--limit N` sets another limit\n";
      if (result.fault == emulator::FaultKind::BadLaunch)
        return refuse(step.info->name, result.report);
      if (!result.ok)
        runner.mismatch(result.report, range);
      if (reference)
        if (const std::string difference = reference->difference(runner.reference); !difference.empty())
          runner.mismatch(difference, range);
      if (runner.counts) {
        std::string constants;
        for (auto &[constant, value] : step.code->info.constants)
          constants += (constants.empty() ? "" : ", ") + constant + "=" + value;
        runner.counts->push_back(
            {&step.code->info, std::move(constants), std::move(profile), std::move(timing), &step.code->promises});
      }
    }
    return true;
  }

  /// What a run left in a buffer: bytes, or elements as its array holds them, where zeros take no memory.
  struct Left {
    std::string bytes;
    std::optional<host::Elements> elements;
    bool operator==(const Left &other) const {
      return elements ? elements->hasBytesOf(*other.elements) : bytes == other.bytes;
    }
  };

  /// By buffer; empty for inputs.
  std::vector<Left> contents() {
    std::vector<Left> all(buffers.size());
    for (size_t i = 0; i < buffers.size(); ++i) {
      auto &buffer = buffers[i];
      if (buffer.isInput)
        continue;
      const void *memory = buffer.initial || runner.gpu || !buffer.bytes
                               ? nullptr
                               : runner.device->hostPointer(buffer.address, buffer.bytes);
      if (memory) {
        auto &array = *buffer.array;
        all[i].elements.emplace(array.type, array.kind, array.size()).readFrom(static_cast<const char *>(memory));
      } else {
        all[i].bytes.resize(buffer.bytes);
        runner.read(buffer.address, all[i].bytes, range);
      }
    }
    return all;
  }

  /// A buffer that another order of the waves leaves with other contents.
  struct Difference {
    size_t buffer;
    const Order *order;
  };

  /// One run in each order, or in the first if there is nothing to compare; `first` is what that one left.
  /// False if a run ended with the fault that the check expects.
  bool runEach(bool compare, std::vector<Left> &first, std::optional<Difference> &difference) {
    difference.reset();
    for (auto &order : runner.settings.orders) {
      if (!runSteps(order, !compare || &order == &runner.settings.orders.back()))
        return false;
      auto now = contents();
      if (&order == &runner.settings.orders.front())
        first = std::move(now);
      else if (auto [one, other] = std::mismatch(first.begin(), first.end(), now.begin()); one != first.end()) {
        difference = {size_t(one - first.begin()), &order};
        return true;
      }
      if (!compare)
        break;
    }
    return true;
  }

  void runOrders() {
    bool severalWaves = llvm::any_of(steps, [&](auto &step) { // that may wait for each other
      if (step.info->fill)
        return false;
      auto &block = step.config.block;
      auto &cluster = step.code->info.cluster;
      return uint64_t(block[0]) * block[1] * block[2] > runner.compilation.target.waveSize ||
             cluster[0] * cluster[1] * cluster[2] > 1;
    });
    std::vector<Left> first;
    std::optional<Difference> difference;
    const bool compare = severalWaves && !runner.counts;
    if (!runEach(compare, first, difference))
      return;
    // or only the order in which workgroups came, on several host threads: on one that is always the same
    if (difference) {
      prints = false;
      for (auto &step : steps)
        step.config.threads = 1;
      if (!runEach(compare, first, difference))
        return;
    }
    if (difference)
      runner.mismatch("the contents of `" + buffers[difference->buffer].name +
                          "` depend on the order in which waves run (" + runner.settings.orders.front().name + " and " +
                          difference->order->name + " differ): a barrier is missing or in the wrong place",
                      range);
    takeResults(std::move(first));
  }

  /// What a run left, by buffer, into the arrays of outputs.
  void takeResults(std::vector<Left> left) {
    for (size_t i = 0; i < buffers.size(); ++i) {
      auto &buffer = buffers[i];
      if (buffer.isInput)
        continue;
      if (left[i].elements) {
        *buffer.array = host::fromHeld(std::move(*left[i].elements), buffer.number, buffer.shape);
        continue;
      }
      auto result = host::fromBytes(left[i].bytes, buffer.number, buffer.shape, buffer.strides);
      if (!result.ok())
        runner.mismatch("`" + buffer.name + "`: " + result.error, range);
      host::Shape shape = buffer.array->shape;
      *buffer.array = std::move(result.value);
      if (buffer.array->shape != shape)
        *buffer.array = host::reshape(*buffer.array, shape).value;
    }
  }
};

void CheckRunner::launch(const sema::KernelValue &kernel, sema::Arguments arguments, SourceRange range) {
  if (auto why = sema::notForTarget(compilation.elaborator, *kernel.kernel))
    throw NotForTarget{describe(sema::Value(kernel)) + " is " + *why};
  ++launches;
  Run run(*this, planOf(kernel, range), *kernel.kernel->def, arguments, range);
  run.readScalars();
  if (!run.check())
    return; // refused, as expected
  if (planned) {
    run.tellPlanned();
    return;
  }
  run.makeBuffers();
  run.makeWorkspace();
  run.fillArguments();
  if (!expectedRefusal) // else it was not refused, and there is nothing to run
    gpu ? run.runOnGpu() : run.runOrders();
}

} // namespace fly::driver
