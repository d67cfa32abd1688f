// Arguments into guarded memory, by the parameters' layouts.
//
// Each part of a workspace is a separate allocation here, so that an access beyond one is detected although on a device
// the next part follows it. Their contents are poison, because on a device they are unknown.
#include "compiler/launch/PlanRun.h"

#include <cstring>

namespace fly::driver {

uint64_t CheckRunner::Run::allocate(uint64_t bytes, const std::string &what, SourceRange at) {
  uint64_t address = runner.allocate(bytes, what);
  if (!address && bytes)
    runner.mismatch(std::string("out of ") + (runner.gpu ? "the GPU's" : "emulated") + " memory for `" + what + "`",
                    at);
  return address;
}

void CheckRunner::Run::makeBuffers() {
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

void CheckRunner::Run::makePointed(const PointerArgument &p) {
  makePointed(p, *p.value, p.type, p.isInput, &content[p.parameter][p.offset]);
}

void CheckRunner::Run::makePointed(const PointerArgument &p, const sema::Value &value, llvm::StringRef type,
                                   bool isInput, char *to) {
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
  uint64_t address;
  std::memcpy(&address, to, 8);
  pointed.push_back({array->array.get(), address});
}

void CheckRunner::Run::keep(Buffer buffer, char *to, SourceRange at) {
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
  if (shared && keepShared(buffer, to, at))
    return;
  buffer.address = allocate(buffer.bytes, buffer.name, at);
  std::memcpy(to, &buffer.address, 8);
  buffers.push_back(std::move(buffer));
  if (shared)
    shared->push_back({buffers.back().array, this, buffers.size() - 1});
}

bool CheckRunner::Run::keepShared(const Buffer &buffer, char *to, SourceRange at) {
  auto known = llvm::find_if(*shared, [&](const SharedArray &each) { return each.array == buffer.array; });
  if (known == shared->end())
    return false;
  Buffer &first = known->run->buffers[known->buffer];
  if (first.bytes != buffer.bytes || first.initial != buffer.initial)
    runner.mismatch("`" + buffer.name + "` lies in memory in another way than `" + first.name +
                        "` of another launch, which is the same array",
                    at);
  first.isInput &= buffer.isInput;
  std::memcpy(to, &first.address, 8);
  return true;
}

void CheckRunner::Run::makeWorkspace() {
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

uint64_t CheckRunner::Run::addressOf(const artifact::ArgumentInfo &argument, const std::string &what) {
  uint64_t address = 0;
  if (argument.kind == artifact::ArgumentInfo::Workspace)
    address = parts[argument.index].address;
  else if (argument.kind == artifact::ArgumentInfo::Parameter)
    std::memcpy(&address, content[argument.index].data() + argument.member.value_or(0), 8);
  return address + (argument.offset ? uint64_t(integer(argument.offset, "where " + what + " begins")) : 0);
}

void CheckRunner::Run::fillArgument(const artifact::ArgumentInfo &argument, const std::string &what,
                                    const std::string &type, bool isPointer, char *to) {
  if (argument.kind == artifact::ArgumentInfo::Workspace || argument.offset || argument.member) {
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

void CheckRunner::Run::fillStruct(const artifact::StructInfo &info, const artifact::ArgumentInfo &argument,
                                  const std::string &what, char *to) {
  for (size_t i = 0; i < info.fields.size(); ++i) {
    auto &field = info.fields[i];
    auto &part = argument.fields[i];
    if (field.record)
      fillStruct(*field.record, part, what, to + field.offset);
    else if (field.lanes)
      for (uint32_t lane = 0; lane < field.lanes; ++lane)
        fillArgument(part.fields[lane], what, field.type, false, to + field.offset + lane * (field.size / field.lanes));
    else
      fillArgument(part, what, field.type, field.isPointer, to + field.offset);
  }
}

void CheckRunner::Run::fillArguments() {
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

std::pair<uint64_t, uint64_t> CheckRunner::Run::filled(const Step &step) {
  const artifact::FillInfo &fill = *step.info->fill;
  return {addressOf(fill.memory, "`" + step.info->name + "`"),
          uint64_t(integer(fill.bytes, "the size of `" + step.info->name + "`"))};
}

} // namespace fly::driver
