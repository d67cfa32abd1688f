// See Registers.h.
#include "compiler/sema/isa/Registers.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/isa/Stream.h"

namespace fly::sema {

using isa::RegisterFile;

Value makeRegister(Register value) { return makeObject<RegisterObject>(std::move(value)); }

namespace {

const char *letterOf(RegisterFile file) {
  return file == RegisterFile::SGPR ? "s" : file == RegisterFile::VGPR ? "v" : "a";
}
const char *pluralOf(RegisterFile file) {
  return file == RegisterFile::SGPR ? "SGPRs" : file == RegisterFile::VGPR ? "VGPRs" : "AGPRs";
}

} // namespace

unsigned namedRegisters(const Elaborator &e, RegisterFile file) {
  const target::Target &target = e.target;
  if (file == RegisterFile::SGPR)
    return target.sgprs.addressable;
  if (file == RegisterFile::AGPR)
    return target.agprs;
  const unsigned all = target.unifiedRegisters ? target.vgprs.addressable - target.agprs : target.vgprs.addressable;
  return e.kernel.isaStream || !target.has("vgpr_msb") ? std::min(256u, all) : all;
}

namespace {

/// `[3]` or `[0:4]` of `count` registers: the first, and how many.
std::pair<unsigned, unsigned> rangeIn(Elaborator &e, const Values &items, unsigned count, const std::string &what,
                                      SourceRange range) {
  auto fail = [&](const std::string &found) {
    e.fail(range, diag::register_range{.what = "registers of " + what,
                                       .wanted = "a register or a range from 0 to " + std::to_string(count),
                                       .found = found});
  };
  if (items.size() != 1)
    fail(std::to_string(items.size()) + " subscripts");
  auto number = [&](const Value &value) {
    e.refuseRunTime(value, range);
    auto n = toInt64(value);
    if (!n || value.is<double>())
      fail(describe(value));
    return *n;
  };
  if (auto *slice = items[0].as<SliceValue>()) {
    auto &parts = *slice->parts;
    const int64_t begin = parts[0].isNone() ? 0 : number(parts[0]), end = parts[1].isNone() ? count : number(parts[1]);
    if (!parts[2].isNone() && number(parts[2]) != 1)
      fail("a range with a step");
    if (begin < 0 || end > int64_t(count) || begin >= end)
      fail("`" + std::to_string(begin) + ":" + std::to_string(end) + "`");
    return {unsigned(begin), unsigned(end - begin)};
  }
  const int64_t at = number(items[0]);
  if (at < 0 || at >= int64_t(count))
    fail("`" + std::to_string(at) + "`");
  return {unsigned(at), 1};
}

} // namespace

// --- RegisterObject ---

std::string RegisterObject::text() const {
  std::string text;
  if (!value.symbol.empty())
    text = value.symbol;
  else if (value.variable) {
    text = value.name.empty() ? assembly::describe(value.file, value.width) : value.name;
  } else {
    text = letterOf(value.file);
    text += value.width == 1
                ? "[" + std::to_string(value.first) + "]"
                : "[" + std::to_string(value.first) + ":" + std::to_string(value.first + value.width) + "]";
  }
  if (value.half != isa::Half::Whole)
    text += value.half == isa::Half::High ? ".h" : ".l";
  if (value.sext)
    text = "isa.sext(" + text + ")";
  if (value.abs)
    text = "isa.abs(" + text + ")";
  if (value.neg)
    text = "isa.neg(" + text + ")";
  return text;
}

std::string RegisterObject::description() const {
  if (!value.symbol.empty())
    return "the register `" + text() + "`";
  const std::string count = value.width == 1 ? std::string(1, char(std::toupper(letterOf(value.file)[0]))) + "GPR"
                                             : std::to_string(value.width) + " " + pluralOf(value.file);
  return "the " + count + " `" + text() + "`";
}

bool RegisterObject::equals(const Object &other) const {
  auto *o = dynamic_cast<const RegisterObject *>(&other);
  return o && text() == o->text() && value.variable == o->value.variable && value.serial == o->value.serial &&
         value.first == o->value.first && value.width == o->value.width;
}

Value RegisterObject::attribute(Elaborator &e, const Value &, llvm::StringRef name, SourceRange,
                                SourceRange nameRange) const {
  if (name == "width")
    return Value(int64_t(value.width));
  if ((name == "l" || name == "h") && value.symbol.empty() && value.width == 1) {
    Register half = value;
    half.half = name == "h" ? isa::Half::High : isa::Half::Low;
    return makeRegister(std::move(half));
  }
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name, {"width", "l", "h"});
}

Value RegisterObject::index(Elaborator &e, const Values &items, SourceRange range) const {
  if (!value.symbol.empty() || value.neg || value.abs || value.sext)
    return Object::index(e, items, range);
  auto [first, width] = rangeIn(e, items, value.width, "`" + text() + "`", range);
  Register part = value;
  part.first = value.first + first;
  part.width = width;
  if (!value.name.empty())
    part.name = value.name + (width == 1 ? "[" + std::to_string(first) + "]"
                                         : "[" + std::to_string(first) + ":" + std::to_string(first + width) + "]");
  return makeRegister(std::move(part));
}

// --- RegisterFileObject ---

std::string RegisterFileObject::description() const {
  return std::string("the ") + pluralOf(file) + " `" + letterOf(file) + "`";
}
std::string RegisterFileObject::text() const { return letterOf(file); }

Value RegisterFileObject::attribute(Elaborator &e, const Value &, llvm::StringRef name, SourceRange,
                                    SourceRange nameRange) const {
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name, {});
}

Value RegisterFileObject::call(Elaborator &e, Arguments &arguments, SourceRange range) const {
  IsaStream &stream = isaStream(e, range, text());
  const unsigned count = namedRegisters(e, file);
  if (count == 0)
    e.fail(diag::not_on_target, range, {"`" + text() + "`", std::string(e.target.name) + ", which has no AGPRs"});
  int64_t width = 1;
  for (auto &argument : arguments) {
    if (!argument.keyword.empty())
      failUnknown(e, diag::unknown_keyword, argument.range, text(), argument.keyword, {});
    if (&argument != &arguments.front())
      e.fail(diag::wrong_argument_count, range,
             {text(), "a number of registers", std::to_string(arguments.size()) + " arguments"});
    e.refuseRunTime(argument.value, argument.range);
    width = requireInt(e, argument.value, argument.range, "the number of registers");
    if (width < 1 || width > int64_t(count))
      e.fail(argument.range,
             diag::out_of_range{
                 .what = "the number of registers", .low = 1, .high = int64_t(count), .found = std::to_string(width)});
  }
  Register made;
  made.file = file;
  made.serial = stream.serial;
  made.width = unsigned(width);
  made.name = assignedName(e);
  made.variable = stream.program.variable(file, unsigned(width), stream.placeOf(range));
  stream.program.variables.back().name = made.name;
  return makeRegister(std::move(made));
}

Value RegisterFileObject::index(Elaborator &e, const Values &items, SourceRange range) const {
  const unsigned count = namedRegisters(e, file);
  if (count == 0)
    e.fail(diag::not_on_target, range, {"`" + text() + "`", std::string(e.target.name) + ", which has no AGPRs"});
  auto [first, width] = rangeIn(e, items, count, "`" + text() + "`", range);
  Register made;
  made.file = file;
  made.first = first;
  made.width = width;
  return makeRegister(std::move(made));
}

// --- The others ---

Value TrapRegistersObject::attribute(Elaborator &e, const Value &, llvm::StringRef name, SourceRange,
                                     SourceRange nameRange) const {
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name, {});
}

Value TrapRegistersObject::index(Elaborator &e, const Values &items, SourceRange range) const {
  auto [first, width] = rangeIn(e, items, 16, "`ttmp`", range);
  Register made;
  made.file = RegisterFile::Special;
  made.width = width;
  made.symbol = width == 1 ? "ttmp" + std::to_string(first)
                           : "ttmp[" + std::to_string(first) + ":" + std::to_string(first + width - 1) + "]";
  return makeRegister(std::move(made));
}

Value LabelObject::attribute(Elaborator &e, const Value &, llvm::StringRef name, SourceRange,
                             SourceRange nameRange) const {
  failUnknown(e, diag::unknown_attribute, nameRange, description(), name, {});
}

Value IsaParameterObject::attribute(Elaborator &e, const Value &, llvm::StringRef, SourceRange range,
                                    SourceRange) const {
  e.report(range, diag::isa_run_time{.what = description()})
      .help("load it from the argument block: `isa.s_load_dword(x, abi.kernarg, offset=abi.offset_of(" + name + "))`");
  throw Failed{};
}

Value isaParameter(std::string name, std::string type, uint32_t offset) {
  return makeObject<IsaParameterObject>(std::move(name), std::move(type), offset);
}

std::map<std::string, Value> registerNames() {
  std::map<std::string, Value> names;
  names["v"] = makeObject<RegisterFileObject>(RegisterFile::VGPR);
  names["s"] = makeObject<RegisterFileObject>(RegisterFile::SGPR);
  names["a"] = makeObject<RegisterFileObject>(RegisterFile::AGPR);
  names["ttmp"] = makeObject<TrapRegistersObject>();
  for (llvm::StringRef symbol : isa::namedOperands()) {
    Register special;
    special.file = RegisterFile::Special;
    special.symbol = symbol.str();
    names[symbol.str()] = makeRegister(std::move(special));
  }
  return names;
}

} // namespace fly::sema
