// A launch in a check: bind arguments, test the preconditions, put arrays into guarded memory by the
// parameters' layouts, run the HSACO once for each order of waves, read results back.
#include "compiler/driver/Runner.h"
#include "compiler/sema/Suggest.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

namespace fly::driver {

using sema::Failed;

EmulatorRunner::EmulatorRunner(ArchCompilation &compilation, std::vector<Order> orders)
    : compilation(compilation), orders(std::move(orders)),
      arch(emulator::findArchitecture(compilation.target.name)), device(std::make_unique<emulator::Device>(*arch)) {}

std::string EmulatorRunner::place(SourceRange range) const {
  auto &sources = compilation.session.sources;
  auto at = sources.lineColumn(range.file, range.begin);
  return sources.name(range.file).str() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

void EmulatorRunner::mismatch(std::string reason, SourceRange range) {
  failures.push_back(place(range) + ": " + reason);
  compilation.elaborator.fatal = true; // nothing behind it means anything; the next check starts anew
  throw Failed{};
}

void EmulatorRunner::expectation(const host::Comparison &comparison, SourceRange range) {
  ++comparisons;
  maxUlps = std::max(maxUlps, comparison.maxUlps);
  if (!comparison.ok())
    mismatch(comparison.error.empty() ? "the result differs\n" + host::describe(comparison) : comparison.error, range);
}

const EmulatorRunner::Loaded &EmulatorRunner::loaded(const sema::KernelValue &kernel, SourceRange range) {
  auto &elaborator = compilation.elaborator;
  auto constants = sema::resolveConstants(elaborator, kernel, range);
  std::string key = sema::instanceKey(*kernel.kernel, constants);
  if (auto found = cache.find(key); found != cache.end())
    return found->second;
  // A check's frame must not leak into the instance's diagnostics, and the other way round.
  auto *runner = elaborator.runner;
  elaborator.runner = nullptr;
  auto compiled = compilation.compile(kernel, sema::anonymousSymbol(*kernel.kernel, constants), range, Keep{});
  elaborator.runner = runner;
  if (!compiled)
    throw Failed{};
  std::string hsaco = compilation.link({compiled.get()}, {}, compiled->info.symbol);
  if (hsaco.empty())
    throw Failed{};
  std::string error;
  auto module = device->load(hsaco, error);
  if (!module)
    mismatch("the emulator refuses the code object of `" + compiled->info.symbol + "`: " + error, range);
  return cache[key] = Loaded{std::move(compiled->info), std::move(module)};
}

namespace {
/// The bytes of a scalar argument, and its value for launch-time expressions.
struct ScalarArgument { std::string bytes; host::ScalarValue value; };

std::optional<ScalarArgument> scalarArgument(const sema::Value &value, host::Number number) {
  auto &format = host::format(number);
  ScalarArgument out;
  uint64_t bits = 0;
  if (format.isFloat()) {
    double d;
    if (auto *f = value.as<double>())
      d = *f;
    else if (auto i = sema::toInt64(value))
      d = double(*i);
    else
      return std::nullopt;
    bits = host::encode(number, d);
    out.value = host::decode(number, bits);
  } else if (format.isBool()) {
    if (!value.is<bool>())
      return std::nullopt;
    bits = *value.as<bool>();
    out.value = bits != 0;
  } else {
    auto i = value.is<double>() ? std::nullopt : sema::toInt64(value);
    if (!i || !host::representable(number, *i))
      return std::nullopt;
    bits = host::encodeInteger(number, *i);
    out.value = *i;
  }
  out.bytes.assign(reinterpret_cast<const char *>(&bits), format.bytes());
  return out;
}

/// A pointer in the arguments: a parameter or a field.
struct PointerArgument { std::string name, type; uint32_t offset, alignment; bool isInput; const sema::Value *value; SourceRange range; };

/// Lays a struct out in the argument block, as the C header's caller does; its numbers follow the scalars.
struct StructWriter {
  const std::string &kernel;
  std::string &kernargs;
  std::vector<host::ScalarValue> &scalars;
  std::vector<PointerArgument> &pointers;
  SourceRange range;
  std::pair<std::string, std::string> wanted; ///< of what does not fit: type and name
  std::string got;

  bool write(const artifact::StructInfo &info, const sema::Value &value, const std::string &path, uint32_t offset) {
    auto *record = value.as<sema::StructValue>();
    if (!record || record->definition->name != info.name || record->fields->size() != info.fields.size())
      return refuse("a `" + info.name + "`", path, value);
    for (size_t i = 0; i < info.fields.size(); ++i) {
      auto &field = info.fields[i];
      auto &given = (*record->fields)[i];
      std::string name = path + "." + field.name;
      if (field.record ? !write(*field.record, given, name, offset + field.offset) : !number(field, given, name, offset + field.offset))
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
      pointers.push_back({name, field.type, offset, 1, field.isReadOnly, &value, range});
      return true;
    }
    auto format = *host::numberByName(field.type);
    if (field.lanes == 0) {
      auto scalar = scalarArgument(value, format);
      if (!scalar)
        return refuse(field.type + " value", name, value);
      scalars.push_back(scalar->value);
      std::memcpy(&kernargs[offset], scalar->bytes.data(), scalar->bytes.size());
      return true;
    }
    auto *elements = value.sequence();
    if (!elements || elements->size() != field.lanes)
      return refuse("a tuple of " + std::to_string(field.lanes) + " " + field.type, name, value);
    for (size_t i = 0; i < elements->size(); ++i) {
      auto scalar = scalarArgument((*elements)[i], format);
      if (!scalar)
        return refuse(field.type + " value", name, (*elements)[i]);
      std::memcpy(&kernargs[offset + i * scalar->bytes.size()], scalar->bytes.data(), scalar->bytes.size());
    }
    return true;
  }
};
} // namespace

void EmulatorRunner::launch(const sema::KernelValue &kernel, sema::Arguments arguments, SourceRange range) {
  auto &elaborator = compilation.elaborator;
  const Loaded &code = loaded(kernel, range);
  auto &info = code.info;
  auto &name = kernel.kernel->name;

  // Arguments to parameters.
  std::vector<const sema::Argument *> bound(info.parameters.size());
  size_t next = 0;
  for (auto &argument : arguments) {
    size_t at = next;
    if (argument.keyword.empty()) {
      if (next >= bound.size())
        elaborator.fail(diag::wrong_argument_count, range, {name, std::to_string(bound.size()) + " arguments", std::to_string(arguments.size())});
      ++next;
    } else {
      at = size_t(llvm::find_if(info.parameters, [&](auto &p) { return p.name == argument.keyword; }) - info.parameters.begin());
      if (at == bound.size()) {
        std::vector<std::string> names;
        for (auto &p : info.parameters)
          names.push_back(p.name);
        sema::failUnknown(elaborator, diag::unknown_keyword, argument.range, name, argument.keyword, names);
      }
    }
    if (bound[at])
      elaborator.fail(diag::duplicate_argument, argument.range, {name, info.parameters[at].name});
    bound[at] = &argument;
  }
  for (size_t i = 0; i < bound.size(); ++i)
    if (!bound[i])
      elaborator.fail(diag::missing_argument, range, {name, info.parameters[i].name});

  // Scalars first: extents depend on them.
  uint32_t kernargBytes = 0;
  for (auto &p : info.parameters)
    kernargBytes = std::max(kernargBytes, p.offset + p.size);
  std::string kernargs(kernargBytes, '\0');
  std::vector<host::ScalarValue> scalars(info.parameters.size());
  std::vector<PointerArgument> pointers;
  for (size_t i = 0; i < bound.size(); ++i) {
    auto &p = info.parameters[i];
    if (p.kind == artifact::ParameterKind::Pointer)
      pointers.push_back({p.name, p.type, p.offset, p.alignment, p.direction == artifact::Direction::In, &bound[i]->value, bound[i]->range});
    if (p.kind == artifact::ParameterKind::Struct) {
      StructWriter writer{name, kernargs, scalars, pointers, bound[i]->range, {}, {}};
      if (!writer.write(*p.record, bound[i]->value, p.name, p.offset))
        elaborator.fail(diag::wrong_argument_type, bound[i]->range, {name, writer.wanted.first, writer.wanted.second, writer.got});
    }
    if (p.kind != artifact::ParameterKind::Scalar)
      continue;
    auto scalar = scalarArgument(bound[i]->value, *host::numberByName(p.type));
    if (!scalar)
      elaborator.fail(diag::wrong_argument_type, bound[i]->range, {name, p.type + " value", p.name, describe(bound[i]->value)});
    scalars[i] = scalar->value;
    std::memcpy(&kernargs[p.offset], scalar->bytes.data(), scalar->bytes.size());
  }
  auto evaluate = [&](const host::ExprRef &expr, const std::string &what) {
    auto result = host::evaluate(*expr, scalars);
    if (!result.ok())
      mismatch(what + ": " + result.error, range);
    return result.value;
  };

  for (auto &requirement : info.requirements) {
    if (std::get<bool>(evaluate(requirement.expr, "`" + requirement.text + "`")))
      continue;
    if (expectedRefusal && *expectedRefusal == requirement.text) {
      refused = true;
      return;
    }
    std::string values;
    for (size_t i = 0; i < info.parameters.size(); ++i)
      if (info.parameters[i].kind == artifact::ParameterKind::Scalar)
        if (auto *v = std::get_if<int64_t>(&scalars[i]))
          values += (values.empty() ? "" : ", ") + info.parameters[i].name + " = " + std::to_string(*v);
    mismatch("launch refused: " + name + " needs " + (requirement.implied ? requirement.text : "`" + requirement.text + "`") + "  [requires]\n  " + values + "\n  --> " +
                 requirement.file + ":" + std::to_string(requirement.line), range);
  }
  emulator::LaunchConfig config;
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t grid = std::get<int64_t>(evaluate(info.grid[axis], "`grid=`")), block = std::get<int64_t>(evaluate(info.block[axis], "`block=`"));
    if (grid < 0 || grid > INT32_MAX || block < 1 || block > int64_t(compilation.target.maxWorkgroupSize))
      mismatch("launch refused: the grid is " + std::to_string(grid) + " and the block " + std::to_string(block) + " along axis " + std::to_string(axis), range);
    config.grid[axis] = uint32_t(grid);
    config.block[axis] = uint32_t(block);
  }
  if (int64_t bytes = std::get<int64_t>(evaluate(info.dynamicLds, "`lds=`")); bytes >= 0 && bytes <= int64_t(compilation.target.ldsBytes))
    config.dynamicLdsBytes = uint32_t(bytes);
  else
    mismatch("launch refused: `lds=` is " + std::to_string(bytes) + " bytes; " + std::string(compilation.target.name) + " has " +
                 std::to_string(compilation.target.ldsBytes), range);

  // Arrays into memory.
  struct Buffer {
    std::string name; host::Number number; bool isInput; host::HostArray *array;
    uint64_t address; std::string initial; host::Shape shape; std::vector<int64_t> strides;
  };
  std::vector<Buffer> buffers;
  auto releaseAll = [&] {
    for (auto &buffer : buffers)
      device->free(buffer.address);
  };
  struct Release { decltype(releaseAll) &f; ~Release() { f(); } } release{releaseAll};
  for (size_t i = 0; i < bound.size(); ++i) {
    auto &p = info.parameters[i];
    if (p.kind != artifact::ParameterKind::Tensor)
      continue;
    auto *array = bound[i]->value.as<sema::ArrayValue>();
    auto number = *host::numberByName(p.type);
    if (!array)
      elaborator.fail(diag::wrong_argument_type, bound[i]->range, {name, "an array of " + p.type, p.name, describe(bound[i]->value)});
    if (array->array->type && *array->array->type != number)
      elaborator.fail(diag::wrong_argument_type, bound[i]->range,
                      {name, "an array of " + p.type, p.name, "one of " + std::string(host::format(*array->array->type).name)});
    Buffer buffer{p.name, number, p.direction == artifact::Direction::In, array->array.get(), 0, {}, {}, {}};
    for (auto &extent : p.shape)
      buffer.shape.push_back(std::get<int64_t>(evaluate(extent, "the shape of `" + p.name + "`")));
    for (auto &stride : p.strides)
      buffer.strides.push_back(std::get<int64_t>(evaluate(stride, "the strides of `" + p.name + "`")));
    if (array->array->shape != buffer.shape)
      elaborator.fail(diag::wrong_argument_type, bound[i]->range,
                      {name, "shape " + host::toText(buffer.shape), p.name, "shape " + host::toText(array->array->shape)});
    auto bytes = host::toBytes(*array->array, number, buffer.strides);
    if (!bytes.ok())
      mismatch("`" + p.name + "`: " + bytes.error, bound[i]->range);
    buffer.initial = std::move(bytes.value);
    buffer.address = device->allocate(buffer.initial.size(), p.name);
    if (!buffer.address && !buffer.initial.empty())
      mismatch("out of emulated memory for `" + p.name + "`", bound[i]->range);
    std::memcpy(&kernargs[p.offset], &buffer.address, 8);
    buffers.push_back(std::move(buffer));
  }
  // Arrays behind pointers: contiguous, of whatever shape they have.
  for (auto &p : pointers) {
    auto *array = p.value->as<sema::ArrayValue>();
    if (p.value->isNone()) // stays a null pointer
      continue;
    auto number = host::numberByName(p.type);
    if (!array || (number && array->array->type && *array->array->type != *number) || (!number && !array->array->type))
      elaborator.fail(diag::wrong_argument_type, p.range, {name, "an array of " + p.type + " or None", p.name,
                                                           array && array->array->type ? "one of " + std::string(host::format(*array->array->type).name) : describe(*p.value)});
    Buffer buffer{p.name, number ? *number : *array->array->type, p.isInput, array->array.get(), 0, {}, array->array->shape, {}};
    int64_t stride = 1;
    for (size_t k = buffer.shape.size(); k-- > 0; stride *= buffer.shape[k])
      buffer.strides.insert(buffer.strides.begin(), stride);
    auto bytes = host::toBytes(*array->array, buffer.number, buffer.strides);
    if (!bytes.ok())
      mismatch("`" + p.name + "`: " + bytes.error, p.range);
    buffer.initial = std::move(bytes.value);
    buffer.address = device->allocate(buffer.initial.size(), p.name);
    if (!buffer.address && !buffer.initial.empty())
      mismatch("out of emulated memory for `" + p.name + "`", p.range);
    std::memcpy(&kernargs[p.offset], &buffer.address, 8);
    buffers.push_back(std::move(buffer));
  }
  if (expectedRefusal)
    return; // not refused, nothing to run
  if (config.grid[0] == 0 || config.grid[1] == 0 || config.grid[2] == 0)
    return;

  std::vector<std::string> first;
  for (auto &order : orders) {
    config.order = order.order;
    config.seed = order.seed;
    for (auto &buffer : buffers)
      if (!buffer.initial.empty())
        device->write(buffer.address, buffer.initial.data(), buffer.initial.size());
    auto result = device->launch(*code.module, info.symbol, config, kernargs);
    waveInstructions += result.waveInstructions;
    if (&order == &orders.front())
      llvm::outs() << result.output;
    if (!result.ok)
      mismatch(result.report, range);
    for (size_t i = 0; i < buffers.size(); ++i) {
      std::string content(buffers[i].initial.size(), '\0');
      device->read(buffers[i].address, content.data(), content.size());
      if (&order == &orders.front())
        first.push_back(std::move(content));
      else if (content != first[i])
        mismatch("the contents of `" + buffers[i].name + "` depend on the order in which waves run (" +
                     orders.front().name + " and " + order.name + " differ): a barrier is missing or in the wrong place", range);
    }
    // One wave has one order.
    uint64_t threads = uint64_t(config.block[0]) * config.block[1] * config.block[2];
    if (threads <= compilation.target.waveSize)
      break;
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto &buffer = buffers[i];
    if (buffer.isInput)
      continue;
    auto result = host::fromBytes(first[i], buffer.number, buffer.shape, buffer.strides);
    if (!result.ok())
      mismatch("`" + buffer.name + "`: " + result.error, range);
    *buffer.array = std::move(result.value);
  }
}

} // namespace fly::driver
