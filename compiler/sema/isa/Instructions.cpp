// Calls of instructions: positional arguments are operands in the order of the assembler, keywords are modifiers.
//
//     isa.buffer_load_dwordx4(x, at, rsrc, 0, offen=True, offset=16)
//         buffer_load_dwordx4 v[0:3], v4, s[4:7], 0 offen offset:16
//
// The assembler decides what is right. What it refuses is said at the argument that is wrong, with what would be right.
#include "compiler/isa/InputMistakes.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/isa/Refused.h"
#include "compiler/sema/isa/Registers.h"
#include "compiler/sema/isa/Stream.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::sema {

namespace {

constexpr unsigned widestOperand = 32;

class Reader {
public:
  Reader(Elaborator &e, IsaStream &stream) : e(e), stream(stream) {}

  std::optional<uint32_t> label;
  SourceRange labelRange;
  bool unchecked = false;

  void operand(IsaHalf &half, const Value &value, SourceRange range) {
    isa::AsmOperand operand;
    std::optional<assembly::Reference> reference;
    if (auto *r = objectAs<RegisterObject>(value)) {
      operand = registerOperand(half, r->value, range, reference);
    } else if (auto *target = objectAs<LabelObject>(value)) {
      if (target->serial != stream.serial)
        e.fail(range, diag::isa_only{.name = "a label of another kernel"});
      label = target->label;
      labelRange = range;
      operand = isa::AsmOperand::ofInteger(0);
    } else if (auto *parameter = objectAs<IsaParameterObject>(value)) {
      e.report(range, diag::isa_run_time{.what = parameter->description()})
          .help("load it from the argument block: `isa.s_load_dword(x, abi.kernarg, offset=abi.offset_of(" +
                parameter->name + "))`");
      throw Failed{};
    } else if (auto *text = value.as<std::string>()) {
      if (std::string why = isa::whyNotSymbol(*text); !why.empty())
        e.fail(range, diag::isa_refused{.text = *text, .message = why});
      operand = isa::AsmOperand::ofSymbol(*text);
    } else if (auto *number = value.as<double>()) {
      if (!std::isfinite(*number))
        e.report(range, diag::isa_operand{.number = int64_t(half.assembly.operands.size() + 1),
                                          .name = half.assembly.name,
                                          .wanted = "a finite number",
                                          .found = toText(value)})
            .help("give its bits as an integer"),
            throw Failed{};
      operand = isa::AsmOperand::ofFloat(*number);
    } else if (value.is<Int>()) {
      auto integer = toInt64(value);
      if (!integer)
        e.fail(diag::literal_out_of_range, range, {toText(value), "an operand", "64 bits"});
      operand = isa::AsmOperand::ofInteger(*integer);
    } else {
      e.fail(range, diag::isa_operand{.number = int64_t(half.assembly.operands.size() + 1),
                                      .name = half.assembly.name,
                                      .wanted = "a register, a number, a label or text of the assembler",
                                      .found = describe(value)});
    }
    half.assembly.operands.push_back(std::move(operand));
    half.references.push_back(reference);
    half.operandRanges.push_back(range);
    half.operandTexts.push_back(objectAs<RegisterObject>(value) ? objectAs<RegisterObject>(value)->description()
                                                                : describe(value));
  }

  void modifier(IsaHalf &half, const Argument &argument) {
    const Value &value = argument.value;
    e.refuseRunTime(value, argument.range);
    isa::AsmModifier modifier{argument.keyword, true};
    auto wrong = [&] {
      e.fail(argument.range,
             diag::isa_modifier{.name = half.assembly.name, .modifier = argument.keyword + "=" + toText(value, true)});
    };
    if (auto *flag = value.as<bool>()) {
      modifier.value = *flag;
    } else if (auto *text = value.as<std::string>()) {
      if (!isa::whyNotSymbol(*text).empty())
        wrong();
      modifier.value = *text;
    } else if (auto *list = value.sequence()) {
      std::vector<int64_t> numbers;
      for (const Value &each : *list) {
        auto number = each.is<double>() ? std::nullopt : toInt64(each);
        if (!number)
          wrong();
        numbers.push_back(*number);
      }
      modifier.value = std::move(numbers);
    } else if (auto number = value.is<Int>() ? toInt64(value) : std::nullopt) {
      modifier.value = *number;
    } else {
      wrong();
    }
    half.assembly.modifiers.push_back(std::move(modifier));
    half.modifierRanges.push_back(keywordIn(e.diags.sources, argument.range, argument.keyword));
  }

private:
  isa::AsmOperand registerOperand(IsaHalf &half, const Register &r, SourceRange range,
                                  std::optional<assembly::Reference> &reference) {
    if (r.width > widestOperand)
      e.fail(range, diag::isa_operand{.number = int64_t(half.assembly.operands.size() + 1),
                                      .name = half.assembly.name,
                                      .wanted = "at most " + std::to_string(widestOperand) + " registers",
                                      .found = std::to_string(r.width)});
    isa::AsmOperand operand;
    if (!r.symbol.empty()) {
      operand = isa::AsmOperand::ofSymbol(r.symbol);
    } else {
      operand = isa::AsmOperand::ofRegister(r.file, r.first, r.width);
      operand.half = r.half;
      if (r.variable) {
        if (r.serial != stream.serial)
          e.fail(range, diag::isa_only{.name = "a register of another kernel"});
        reference = assembly::Reference{*r.variable, uint16_t(r.first)};
      }
    }
    operand.neg = r.neg;
    operand.abs = r.abs;
    operand.sext = r.sext;
    return operand;
  }

  Elaborator &e;
  IsaStream &stream;
};

void record(Elaborator &e, IsaStream &stream, Reader &reader, std::vector<IsaHalf> &halves, SourceRange range) {
  assembly::Statement statement;
  statement.assembly = halves[0].assembly;
  statement.references = halves[0].references;
  if (halves.size() > 1) {
    statement.assembly.second = std::make_shared<isa::AsmInstruction>(halves[1].assembly);
    statement.references.insert(statement.references.end(), halves[1].references.begin(), halves[1].references.end());
  }
  statement.label = reader.label;
  statement.unchecked = reader.unchecked;
  statement.place = stream.placeOf(range);
  const isa::AsmInstruction whole = statement.assembly;
  if (auto error = stream.program.add(std::move(statement)))
    refuseInstruction(e, *stream.program.assembler, whole, *error, halves, range);
  if (auto mistake = isa::constantOutOfRange(whole); mistake && !whole.second) {
    stream.program.items.pop_back();
    const size_t k = mistake->number;
    e.fail(halves[0].operandRanges[k], diag::isa_operand{.number = int64_t(k + 1),
                                                         .name = whole.name,
                                                         .wanted = mistake->wanted,
                                                         .found = halves[0].operandTexts[k]});
  }
  if (reader.label && !stream.program.items.back().shape->decoded.find(isa::Role::Target)) {
    stream.program.items.pop_back();
    e.fail(reader.labelRange, diag::isa_operand{.number = 1,
                                                .name = whole.name,
                                                .wanted = "something other than a label; only branches take one",
                                                .found = "a label"});
  }
}

/// Removes `unchecked=`.
bool takeUnchecked(Elaborator &e, Arguments &arguments) {
  for (auto at = arguments.begin(); at != arguments.end(); ++at)
    if (at->keyword == "unchecked") {
      auto *flag = at->value.as<bool>();
      if (!flag)
        e.fail(at->range, diag::not_true_or_false{.what = "`unchecked`", .found = toText(at->value, true)});
      const bool value = *flag;
      arguments.erase(at);
      return value;
    }
  return false;
}

} // namespace

Value callInstruction(Elaborator &e, llvm::StringRef name, Arguments &arguments, SourceRange range) {
  IsaStream &stream = isaStream(e, range, ("isa." + name).str());
  e.step(range);
  Reader reader(e, stream);
  reader.unchecked = takeUnchecked(e, arguments);
  std::vector<IsaHalf> halves(1);
  halves[0].assembly.name = name.str();
  for (auto &argument : arguments)
    if (argument.keyword.empty())
      reader.operand(halves[0], argument.value, argument.range);
    else
      reader.modifier(halves[0], argument);
  record(e, stream, reader, halves, range);
  return Value();
}

// ---------------------------------------------------------------------------------------------------------
// What is not an instruction

namespace {

/// Labels that a loop or a function makes again and again are `top`, `top_2`, ... in listings.
std::string unusedLabelName(const IsaStream &stream, const std::string &wanted) {
  auto isTaken = [&](const std::string &name) {
    return llvm::any_of(stream.program.labels, [&](const assembly::Label &l) { return l.name == name; });
  };
  const std::string stem = wanted.empty() ? "label_" : wanted + "_";
  std::string name = wanted;
  for (unsigned number = wanted.empty() ? 1 : 2; name.empty() || isTaken(name); ++number)
    name = stem + std::to_string(number);
  return name;
}

Value makeLabel(Elaborator &e, BoundCall &call) {
  IsaStream &stream = isaStream(e, call.range, "isa.label");
  std::string name = assignedName(e);
  if (call.given[0]) {
    auto *text = call[0].as<std::string>();
    if (!text || text->empty())
      e.fail(call.ranges[0], diag::not_a_string{.what = "the name of a label", .found = toText(call[0], true)});
    name = *text;
  } else {
    name = unusedLabelName(stream, name);
  }
  const uint32_t label = stream.program.label(name, stream.placeOf(call.range));
  return makeObject<LabelObject>(label, stream.serial, name);
}

Value placeLabel(Elaborator &e, BoundCall &call) {
  IsaStream &stream = isaStream(e, call.range, "isa.place");
  auto *label = objectAs<LabelObject>(call[0]);
  if (!label || label->serial != stream.serial)
    e.fail(call.ranges[0],
           diag::isa_operand{
               .number = 1, .name = "isa.place", .wanted = "a label of this kernel", .found = describe(call[0])});
  if (auto before = stream.program.labels[label->label].placed) {
    e.report(call.range, diag::label_placed_twice{.name = label->name})
        .note(stream.rangeOf(*before), "it is first placed here");
    throw Failed{};
  }
  stream.program.place(label->label, stream.placeOf(call.range));
  return Value();
}

Value rawWords(Elaborator &e, BoundCall &call) {
  IsaStream &stream = isaStream(e, call.range, "isa.raw");
  const bool unchecked = call.given[0] && truth(e, call[0], call.ranges[0]);
  std::vector<uint8_t> bytes;
  for (const Argument &argument : call.rest) {
    e.refuseRunTime(argument.value, argument.range);
    const int64_t word = requireInt(e, argument.value, argument.range, "a word of machine code");
    if (word < 0 || word > int64_t(UINT32_MAX))
      e.fail(argument.range, diag::out_of_range{.what = "a word of machine code",
                                                .low = 0,
                                                .high = int64_t(UINT32_MAX),
                                                .found = std::to_string(word)});
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes.push_back(uint8_t(uint64_t(word) >> shift));
  }
  if (bytes.empty())
    e.fail(diag::wrong_argument_count, call.range, {"isa.raw", "at least 1 word", "0"});
  stream.program.addBytes(bytes, unchecked, stream.placeOf(call.range));
  return Value();
}

template <bool Register::*flag> Value modified(Elaborator &e, BoundCall &call) {
  auto *r = objectAs<RegisterObject>(call[0]);
  if (!r)
    e.fail(call.ranges[0], diag::isa_operand{.number = 1,
                                             .name = "isa." + std::string(call.builtin->name),
                                             .wanted = "a register",
                                             .found = describe(call[0])});
  Register changed = r->value;
  changed.*flag = true;
  return makeRegister(std::move(changed));
}

/// `isa.dual(isa.v_dual_mul_f32, (x, y, z), isa.v_dual_mov_b32, (u, w))`
Value dual(Elaborator &e, BoundCall &call) {
  IsaStream &stream = isaStream(e, call.range, "isa.dual");
  Reader reader(e, stream);
  std::vector<IsaHalf> halves(2);
  for (unsigned h = 0; h < 2; ++h) {
    const Value &name = call[2 * h];
    if (auto *method = name.as<MethodValue>(); method && method->self->is<ModuleValue>())
      halves[h].assembly.name = method->name;
    else
      e.fail(call.ranges[2 * h], diag::isa_operand{.number = 2 * h + 1,
                                                   .name = "isa.dual",
                                                   .wanted = "an instruction, `isa.v_dual_...`",
                                                   .found = describe(name)});
    auto *operands = call[2 * h + 1].sequence();
    if (!operands)
      e.fail(call.ranges[2 * h + 1], diag::isa_operand{.number = 2 * h + 2,
                                                       .name = "isa.dual",
                                                       .wanted = "a tuple of operands",
                                                       .found = describe(call[2 * h + 1])});
    for (const Value &operand : *operands)
      reader.operand(halves[h], operand, call.ranges[2 * h + 1]);
  }
  reader.unchecked = call.given[4] && truth(e, call[4], call.ranges[4]);
  for (Argument modifier : call.rest) { // `x_bitop3` is of the first half
    const bool isFirst = llvm::StringRef(modifier.keyword).starts_with("x_");
    if (isFirst || llvm::StringRef(modifier.keyword).starts_with("y_"))
      modifier.keyword = modifier.keyword.substr(2);
    reader.modifier(halves[isFirst ? 0 : 1], modifier);
  }
  record(e, stream, reader, halves, call.range);
  return Value();
}

/// Bytes of LDS: where they begin.
Value sharedBytes(Elaborator &e, BoundCall &call) {
  IsaStream &stream = isaStream(e, call.range, "isa.shared");
  const int64_t bytes = requireInt(e, call[0], call.ranges[0], "the number of bytes");
  const int64_t align = call.given[1] ? requireInt(e, call[1], call.ranges[1], "`align`") : 16;
  if (align < 1 || align > 4096 || (align & (align - 1)))
    e.fail(call.ranges[1], diag::not_a_power_of_two{.what = "`align`", .limit = 4096, .found = align});
  const int64_t first = (int64_t(stream.sharedBytes) + align - 1) / align * align;
  if (bytes < 1 || bytes > int64_t(e.target.ldsBytes) || first + bytes > int64_t(e.target.ldsBytes))
    e.fail(call.ranges[0], diag::out_of_range{.what = "the number of bytes",
                                              .low = 1,
                                              .high = std::max<int64_t>(1, int64_t(e.target.ldsBytes) - first),
                                              .found = std::to_string(bytes)});
  stream.sharedBytes = uint32_t(first + bytes);
  return Value(first);
}

Value descriptorFields(Elaborator &e, BoundCall &call) {
  IsaStream &stream = isaStream(e, call.range, "isa.descriptor");
  for (const Argument &argument : call.rest) {
    e.refuseRunTime(argument.value, argument.range);
    if (!llvm::all_of(argument.keyword, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
      e.fail(diag::unknown_keyword, argument.range, {"isa.descriptor", argument.keyword, ""});
    stream.program.descriptor[argument.keyword] = {
        requireInt(e, argument.value, argument.range, "`" + argument.keyword + "`"), stream.placeOf(argument.range)};
  }
  return Value();
}

const Builtin isaRows[] = {
    {"label", "name=",
     "a position that branches jump to, placed by `isa.place`; messages and `@expect(loop=)` use `name`", makeLabel},
    {"place", "label", "places a label before the next instruction", placeLabel},
    {"raw", "*words, unchecked=", "literal machine code, in 32-bit words", rawWords},
    {"neg", "x", "the operand with its sign changed: `-v1`", modified<&Register::neg>},
    {"abs", "x", "the operand without its sign: `|v1|`", modified<&Register::abs>},
    {"sext", "x", "the part that SDWA selects, sign-extended: `sext(v1)`", modified<&Register::sext>},
    {"dual", "x, x_operands, y, y_operands, *, unchecked=, **modifiers",
     "two instructions that issue together: `isa.dual(isa.v_dual_mul_f32, (a, b, c), isa.v_dual_mov_b32, (d, f))`; a "
     "prefix assigns a modifier to its half: `x_bitop3=64`",
     dual},
    {"shared", "bytes, align=", "allocates bytes of LDS and returns their offset", sharedBytes},
    {"descriptor", "**fields",
     "sets fields of the kernel descriptor, named like the assembler's directives without `.amdhsa_`",
     descriptorFields},
};

} // namespace

llvm::ArrayRef<Builtin> isaBuiltins() { return isaRows; }

} // namespace fly::sema
