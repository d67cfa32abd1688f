// See ExactInstructions.h. A call goes through these steps:
//
//   1. arguments become operands of a pattern: constants as they are, values as registers whose file is open
//   2. the assembler is asked which files and results complete it, and what the instruction does with each operand
//   3. what LLVM's own code relies on must be left alone
//   4. `fly.exact` with the instruction's text, in which values have numbers
#include "compiler/sema/amd/ExactInstructions.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/isa/InputMistakes.h"
#include "compiler/isa/KernelUse.h"
#include "compiler/isa/OperandShapes.h"
#include "compiler/protocol/Assembly.h"
#include "compiler/sema/atom/BufferCopies.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/prelude/Words.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/target/Target.h"

#include "compiler/dialect/FlyOps.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/StringExtras.h"

#include <deque>
#include <mutex>

namespace fly::sema {

namespace {

using isa::AsmInstruction;
using isa::AsmOperand;

/// One for each architecture and thread: it is not thread-safe, and takes a millisecond to make.
isa::Assembler *assemblerFor(llvm::StringRef arch) {
  static thread_local std::map<std::string, std::unique_ptr<isa::Assembler>> made;
  auto &slot = made[arch.str()];
  if (!slot) {
    auto created = isa::Assembler::create(arch);
    if (!created) {
      llvm::consumeError(created.takeError());
      return nullptr;
    }
    slot = std::move(*created);
  }
  return slot.get();
}

/// An argument of a call that is not a modifier.
struct Given {
  SourceRange range;
  mlir::Value value; ///< null: a constant, which is in the text
  Type type = {};
  int64_t bits = 0;
  bool isMask = false; ///< a bool: a bit for each lane
  const Value *constant = nullptr;
};

class Call {
public:
  Call(Elaborator &e, BoundCall &call)
      : e(e), call(call), name(call.builtin->name), assembler(*assemblerFor(archOf(e))) {}

  Value run() {
    e.ir(call.range, name);
    if (!assembler.knows(name))
      unknownName();
    takeArguments();
    findShape();
    checkEffects();
    keepNothing();
    return emit();
  }

  static llvm::StringRef archOf(Elaborator &e) { return {e.target.name.data(), e.target.name.size()}; }

private:
  //===------------------------------------------- arguments ------------------------------------------------------===//

  void takeArguments() {
    pattern.name = name;
    for (const Argument &argument : call.rest)
      if (argument.keyword.empty())
        takeOperand(argument);
      else if (argument.keyword == "type")
        resultType = requireType(e, argument.value, argument.range, "`type`");
      else if (argument.keyword == "m0")
        takeM0(argument);
      else if (argument.keyword == "neg" || argument.keyword == "abs")
        takeSigns(argument);
      else
        takeModifier(argument);
  }

  void takeOperand(const Argument &argument) {
    Given given{argument.range, {}, {}, 0, false, nullptr};
    AsmOperand operand = AsmOperand::any();
    const Value &value = argument.value;
    auto &b = e.ir(call.range, name);
    if (value.isNone()) {
      operand = AsmOperand::ofSymbol("off");
    } else if (auto *machine = value.as<MachineValue>()) {
      given.value = machine->value, given.type = machine->type;
      given.isMask = machine->type.isBool() && !machine->type.isVector();
      given.bits = given.isMask ? int64_t(e.target.waveSize)
                                : int64_t(machine->type.format().bits) * std::max<int64_t>(1, machine->type.lanes);
    } else if (auto *fragment = objectAs<Fragment>(value)) {
      given.value = fragment->load(e, argument.range), given.type = fragment->type();
      given.bits = int64_t(given.type.format().bits) * given.type.lanes;
    } else if (auto *pointer = value.as<PointerValue>()) {
      given.value = pointer->value;
      const auto space = llvm::cast<ir::PtrType>(pointer->value.getType()).getSpace();
      given.bits = space == ir::AddressSpace::Shared || space == ir::AddressSpace::Private ? 32 : 64;
    } else if (auto *view = pieceIn(value, ir::AddressSpace::Buffer)) {
      const auto &layout = llvm::cast<ir::TensorType>(view->value.getType()).getLayout();
      std::vector<layout::IntTuple> zeros(layout::domainOf(layout).rank(), layout::IntTuple(0));
      given.value = ir::AddressOp::create(b, e.location(argument.range), view->value,
                                          ir::IntTupleAttr::get(&e.context, layout::IntTuple(std::move(zeros))),
                                          mlir::ValueRange());
      given.bits = 128;
    } else if (value.isNumber()) {
      given.constant = &value;
      auto number = toInt64(value);
      if (auto *real = value.as<double>())
        operand = AsmOperand::ofFloat(*real);
      else if (number)
        operand = AsmOperand::ofInteger(*number);
      else
        e.fail(argument.range, diag::isa_operand{.number = int64_t(pattern.operands.size() + 1),
                                                 .name = text(),
                                                 .wanted = "a number of 64 bits",
                                                 .found = toText(value)});
    } else {
      e.fail(argument.range, diag::isa_operand{.number = int64_t(pattern.operands.size() + 1),
                                               .name = text(),
                                               .wanted = "a number, a vector, a pointer, a fragment or a buffer",
                                               .found = describe(value)});
    }
    if (given.value)
      operand = openOperand(given);
    pattern.operands.push_back(std::move(operand));
    operands.push_back(given);
  }

  /// Registers of which the file is not known, apart from that of a mask.
  AsmOperand openOperand(const Given &given) const {
    const auto words = unsigned((given.bits + 31) / 32);
    return given.isMask ? AsmOperand::ofRegister(isa::RegisterFile::SGPR, 0, words)
                        : AsmOperand::anyRegister(words, given.bits <= 16);
  }

  /// `neg=(0, 1)`: of the operands from the first one that is only read. Packed instructions have neg_lo and neg_hi.
  void takeSigns(const Argument &argument) {
    auto *items = argument.value.sequence();
    if (!items)
      e.fail(argument.range, diag::isa_refused{.text = text(),
                                               .message = "`" + argument.keyword +
                                                          "=` takes a tuple of 0 and 1, one for each operand"});
    auto &signs = argument.keyword == "neg" ? negated : absolute;
    for (const Value &item : *items)
      signs.push_back(item.isNumber() && truth(e, item, argument.range));
    signsRange = argument.range;
  }

  void takeM0(const Argument &argument) {
    m0Range = argument.range;
    const Type type = Type::scalar(host::Number::I32);
    if (argument.value.isNumber())
      m0 = toMachine(e, argument.value, type, argument.range).value;
    else if (auto *given = argument.value.as<MachineValue>();
             given && !given->type.isVector() && given->type.isInteger() && given->type.format().bits == 32)
      m0 = given->value;
    else if (auto *pointer = argument.value.as<PointerValue>();
             pointer && llvm::cast<ir::PtrType>(pointer->value.getType()).getSpace() == ir::AddressSpace::Shared)
      m0 = pointer->value;
    else
      e.fail(argument.range,
             diag::isa_refused{.text = text(),
                               .message = "`m0=` takes an integer of 32 bits or a pointer to LDS, not " +
                                          describe(argument.value)});
  }

  void takeModifier(const Argument &argument) {
    isa::AsmModifier modifier{argument.keyword, true};
    const Value &value = argument.value;
    if (auto *flag = value.as<bool>()) {
      if (!*flag)
        return;
    } else if (auto *word = value.as<std::string>()) {
      modifier.value = *word;
    } else if (auto *items = value.sequence()) {
      std::vector<int64_t> numbers;
      for (const Value &item : *items)
        numbers.push_back(requireInt(e, item, argument.range, "an item of `" + argument.keyword + "`"));
      modifier.value = std::move(numbers);
    } else {
      modifier.value = requireInt(e, value, argument.range, "`" + argument.keyword + "`");
    }
    pattern.modifiers.push_back(std::move(modifier));
    modifierRanges.push_back(argument.range);
  }

  //===------------------------------------------- what the assembler says ----------------------------------------===//

  void findShape() {
    if (auto mistake = isa::constantOutOfRange(pattern))
      refuse(*mistake);
    const isa::InstructionShape *found = shapeOnce(pattern);
    AsmInstruction open = pattern;
    for (size_t i = 0; i < operands.size(); ++i)
      if (pattern.operands[i].kind == AsmOperand::Kind::Symbol) // `None`
        open.operands[i] = AsmOperand::ofSymbol("null");
    if (!found)
      found = shapeOnce(open);
    if (found) {
      shape = *found;
      return;
    }
    // A constant that cannot stand in the instruction is put into a register.
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].constant)
        open.operands[i] = AsmOperand::any();
    if ((found = shapeOnce(open))) {
      shape = *found;
      for (size_t i = 0; i < operands.size(); ++i)
        if (operands[i].constant)
          materialize(i, shape.operands[results() + i]);
      return;
    }
    refuse(isa::explainInputs(assembler, pattern));
  }

  /// Kernels are unrolled: the same instruction is asked for many times. Null if there is none.
  const isa::InstructionShape *shapeOnce(const AsmInstruction &inputs) {
    static thread_local std::map<std::pair<std::string, std::string>, std::optional<isa::InstructionShape>> known;
    auto [entry, isNew] = known.try_emplace({archOf(e).str(), isa::textOf(inputs)});
    if (isNew)
      entry->second = isa::shapeWithResults(assembler, inputs);
    return entry->second ? &*entry->second : nullptr;
  }

  void materialize(size_t i, const isa::OperandShape &wanted) {
    Given &given = operands[i];
    const int64_t bits = wanted.example.half != isa::Half::Whole ? 16 : 32 * int64_t(wanted.example.width);
    const bool isFloat = given.constant->is<double>();
    if (!wanted.example.isRegister() || bits > 64)
      refuse(isa::explainInputs(assembler, pattern));
    using host::Number;
    const Number number = isFloat ? (bits == 16   ? Number::F16
                                     : bits == 64 ? Number::F64
                                                  : Number::F32)
                                  : (bits == 16   ? Number::I16
                                     : bits == 64 ? Number::I64
                                                  : Number::I32);
    MachineValue made = toMachine(e, *given.constant, Type::scalar(number), given.range);
    given.value = made.value, given.type = made.type, given.bits = bits, given.constant = nullptr;
  }

  [[noreturn]] void unknownName() {
    auto refused = assembler.assemble(pattern.name.empty() ? AsmInstruction{name, {}, {}, nullptr} : pattern);
    isa::AsmMistake mistake = assembler.explain({name, {}, {}, nullptr}, refused.error());
    auto builder = e.report(call.range, diag::unknown_instruction{.arch = archOf(e).str(), .name = name});
    if (!mistake.targets.empty())
      builder.help(llvm::join(mistake.targets, ", ") + " " + plural(mistake.targets.size(), "has", "have") + " it");
    else if (!mistake.suggestions.empty())
      builder.help("similar names: `" + llvm::join(mistake.suggestions, "`, `") + "`");
    throw Failed{};
  }

  /// Says which part of the call the assembler does not take.
  [[noreturn]] void refuse(const isa::InputMistake &mistake) {
    using Kind = isa::InputMistake::Kind;
    if (mistake.kind == Kind::Operand) {
      const Given &given = operands[mistake.number];
      e.fail(given.range,
             diag::isa_operand{.number = int64_t(mistake.number + 1),
                               .name = text(),
                               .wanted = mistake.wanted,
                               .found = given.value ? found(given)
                                                    : "`" + isa::textOf(pattern.operands[mistake.number]) + "`"});
    }
    auto builder = e.report(mistake.kind == Kind::Modifier ? modifierRanges[mistake.number] : call.range,
                            diag::isa_refused{.text = text(), .message = mistake.message});
    if (!mistake.help.empty())
      builder.help(mistake.help);
    if (!mistake.note.empty())
      builder.note(mistake.note);
    throw Failed{};
  }

  std::string text() const { return "isa." + name; }

  //===------------------------------------------- checks ---------------------------------------------------------===//

  /// What LLVM's code relies on is not changed behind its back.
  void checkEffects() {
    if (const std::string why = isa::whyNotInKernel(shape.decoded, results()); !why.empty())
      e.report(call.range, diag::isa_only{.name = text()}).note("in a kernel that LLVM compiles, it " + why),
          throw Failed{};
    const bool readsM0 = isa::readsM0(shape.decoded);
    if (readsM0 && !m0)
      e.report(call.range,
               diag::isa_refused{.text = text(), .message = "it reads M0, which LLVM uses for other values"})
          .help("give its value: `m0=...`"),
          throw Failed{};
    if (m0 && !readsM0)
      e.fail(m0Range,
             diag::isa_refused{.text = text(), .message = "it does not read M0 with these operands and modifiers"});
    for (size_t i = 0; i < results(); ++i)
      if (shape.operands[i].reads)
        e.report(call.range, diag::isa_refused{.text = text(),
                                               .message = "it keeps part of the former value of its result register"})
            .help("give that as the first operand: `" + text() + "(former, ...)`"),
            throw Failed{};
  }

  /// SDWA keeps what its result does not fill, as long as nothing else is said, and LLVM wants to know which value that
  /// is. There is none where it fills the whole register.
  void keepNothing() {
    const isa::Modifiers &modifiers = shape.decoded.modifiers;
    if (!modifiers.sdwa || shape.operands.empty() || shape.operands.front().reads)
      return;
    auto &given = shape.assembly.modifiers;
    if (llvm::none_of(given, [](const isa::AsmModifier &m) { return m.name == "dst_unused"; }))
      given.push_back({"dst_unused", std::string("UNUSED_PRESERVE")});
    for (isa::AsmModifier &modifier : given)
      if (modifier.name == "dst_unused" && modifier.value == decltype(modifier.value)(std::string("UNUSED_PRESERVE")))
        modifier.value = std::string("UNUSED_PAD");
    if (!assembler.assemble(shape.assembly)) // of a comparison, whose result is a mask
      llvm::erase_if(given, [](const isa::AsmModifier &m) { return m.name == "dst_unused"; });
  }

  /// Results that are not operands, too.
  size_t results() const { return shape.operands.size() - operands.size(); }

  static std::string found(const Given &given) {
    if (given.isMask)
      return "a bool, which is a mask of lanes";
    const std::string bits = std::to_string(given.bits) + " bits";
    return given.bits == 128 && given.type.lanes == 0 ? "a buffer, which is " + bits
                                                      : "`" + given.type.text() + "`, which is " + bits;
  }

  //===------------------------------------------- code -----------------------------------------------------------===//

  /// "f32" of v_fma_f32, "f32" of v_cvt_f32_i32: the first type in a name is the result's.
  std::optional<host::Number> elementOf(int64_t bits) const {
    using host::Number;
    static const std::pair<const char *, Number> types[] = {
        {"f16", Number::F16}, {"bf16", Number::BF16}, {"f32", Number::F32}, {"f64", Number::F64}, {"i16", Number::I16},
        {"u16", Number::U16}, {"i32", Number::I32},   {"u32", Number::U32}, {"i64", Number::I64}, {"u64", Number::U64}};
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(name).split(words, '_');
    for (llvm::StringRef word : words)
      for (auto &[spelling, number] : types)
        if (word == spelling && bits % int64_t(host::format(number).bits) == 0)
          return number;
    return std::nullopt;
  }

  Type typeOfResult(const isa::OperandShape &result) const {
    const bool isHalf = result.example.half != isa::Half::Whole;
    const int64_t bits = isHalf ? 16 : 32 * int64_t(result.example.width);
    if (result.example.file == isa::RegisterFile::SGPR && isMask(result))
      return Type::scalar(host::Number::Bool);
    if (resultType)
      return *resultType;
    const auto number = elementOf(bits).value_or(isHalf ? host::Number::I16 : host::Number::I32);
    const auto width = int64_t(host::format(number).bits);
    // A number of 16 bits is the lower half of its register, unless the instruction computes two.
    const int64_t lanes = bits == 32 && width == 16 && !llvm::StringRef(name).contains("_pk_") ? 1 : bits / width;
    return lanes == 1 ? Type::scalar(number) : Type::vector(number, uint32_t(lanes));
  }

  /// A comparison's result, or a carry.
  bool isMask(const isa::OperandShape &result) const {
    return shape.decoded.cls != isa::Class::Scalar && shape.decoded.cls != isa::Class::ScalarMemory &&
           (result.role == isa::Role::Sdst || llvm::StringRef(name).starts_with("v_cmp")) &&
           unsigned(result.example.width) * 32 == e.target.waveSize;
  }

  static char letterOf(const AsmOperand &operand) {
    return operand.file == isa::RegisterFile::SGPR ? 's' : operand.file == isa::RegisterFile::AGPR ? 'a' : 'v';
  }

  Value emit() {
    llvm::SmallVector<size_t> written; // places of results
    for (size_t i = 0; i < shape.operands.size(); ++i)
      if (shape.operands[i].writes)
        written.push_back(i);
    std::string files;
    llvm::SmallVector<mlir::Type> types;
    std::vector<Type> resultTypes;
    for (size_t place : written) {
      Type type =
          place >= results() && operands[place - results()].value && !operands[place - results()].isMask && !resultType
              ? operands[place - results()].type
              : typeOfResult(shape.operands[place]);
      if (int64_t(type.format().bits) * std::max<int64_t>(1, type.lanes) >
          32 * int64_t(shape.operands[place].example.width))
        e.fail(call.range, diag::isa_refused{.text = text(),
                                             .message = "its result has " +
                                                        std::to_string(32 * shape.operands[place].example.width) +
                                                        " bits, too few for `" + type.text() + "`"});
      resultTypes.push_back(type);
      types.push_back(mlirType(e, type));
      files += letterOf(shape.assembly.operands[place]);
    }
    AsmInstruction spelled = shape.assembly;
    llvm::SmallVector<mlir::Value> values;
    for (size_t place = 0; place < shape.operands.size(); ++place) {
      AsmOperand &operand = spelled.operands[place];
      const Given *given = place >= results() ? &operands[place - results()] : nullptr;
      std::string number;
      auto *at = llvm::find(written, place);
      const bool isWritten = at != written.end();
      if (isWritten)
        number = protocol::operandText(unsigned(at - written.begin()));
      if (given && given->value) {
        const auto source = unsigned(written.size() + values.size());
        number =
            isWritten ? protocol::operandText(unsigned(at - written.begin()), source) : protocol::operandText(source);
        values.push_back(given->value);
        files += letterOf(operand);
      }
      if (number.empty())
        continue;
      const bool isHalf = operand.half != isa::Half::Whole;
      operand = AsmOperand::ofSymbol(number + (isHalf ? ".l" : ""));
    }
    size_t source = 0;
    for (size_t place = 0; place < spelled.operands.size(); ++place) {
      if (shape.operands[place].writes && !shape.operands[place].reads)
        continue;
      spelled.operands[place].neg = source < negated.size() && negated[source];
      spelled.operands[place].abs = source < absolute.size() && absolute[source];
      ++source;
    }
    checkSigns(spelled);
    auto &b = e.ir(call.range, name);
    std::vector<std::string> names(operands.size());
    llvm::SmallVector<Elaborator::RangedArgument> ranges;
    size_t next = 0;
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].value) {
        names[i] = "operand " + std::to_string(++next);
        ranges.push_back({names[i], operands[i].range});
      }
    std::string assembly = isa::textOf(spelled);
    if (m0) {
      assembly = protocol::withM0(unsigned(written.size() + values.size()), assembly);
      values.push_back(m0);
      files += 's';
      ranges.push_back({"m0", m0Range});
    }
    const isa::Instruction &inst = shape.decoded;
    const bool hasEffects = inst.mayLoad || inst.mayStore || written.empty() || inst.cls == isa::Class::Wait ||
                            inst.cls == isa::Class::Hint;
    auto op = ir::ExactOp::create(b, e.location(call.range, name, ranges), types, assembly, files, hasEffects, values);
    Values all;
    for (auto [value, type] : llvm::zip(op.getResults(), resultTypes))
      all.push_back(Value(MachineValue{value, type}));
    return all.empty() ? Value() : all.size() == 1 ? all[0] : makeTuple(std::move(all));
  }

  /// Whether the instruction takes signs where they were given.
  void checkSigns(const AsmInstruction &) {
    if (negated.empty() && absolute.empty())
      return;
    AsmInstruction trial = shape.assembly;
    size_t source = 0;
    for (size_t place = 0; place < trial.operands.size(); ++place) {
      if (shape.operands[place].writes && !shape.operands[place].reads)
        continue;
      trial.operands[place].neg = source < negated.size() && negated[source];
      trial.operands[place].abs = source < absolute.size() && absolute[source];
      ++source;
    }
    if (!assembler.assemble(trial) || std::max(negated.size(), absolute.size()) > source)
      e.fail(signsRange, diag::isa_refused{.text = text(), .message = "it does not take these signs"});
  }

  Elaborator &e;
  BoundCall &call;
  std::string name;
  isa::Assembler &assembler;
  AsmInstruction pattern;      ///< without results
  std::vector<Given> operands; ///< of the pattern
  std::vector<SourceRange> modifierRanges;
  std::vector<bool> negated, absolute; ///< by source operand
  SourceRange signsRange;
  mlir::Value m0; ///< null: not given
  SourceRange m0Range;
  std::optional<Type> resultType;
  isa::InstructionShape shape; ///< with results
};

Value callExact(Elaborator &e, BoundCall &call) { return Call(e, call).run(); }

/// Whether an instruction has this name on some target.
bool isKnownAnywhere(llvm::StringRef name) {
  return llvm::any_of(target::all(), [&](const target::Target &target) {
    isa::Assembler *assembler = assemblerFor({target.name.data(), target.name.size()});
    return assembler && assembler->knows(name);
  });
}

} // namespace

std::optional<Value> exactInstruction(Elaborator &e, llvm::StringRef name) {
  isa::Assembler *own = assemblerFor(Call::archOf(e));
  if (!own || !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }) ||
      !(own->knows(name) || isKnownAnywhere(name)))
    return std::nullopt;
  static std::mutex mutex;
  static std::map<std::string, Builtin> made; // never moved or erased
  std::lock_guard lock(mutex);
  auto [entry, isNew] = made.try_emplace(name.str());
  if (isNew)
    entry->second = {entry->first.c_str(), "*operands, **modifiers", "an instruction of the target", callExact};
  return Value(BuiltinValue{&entry->second});
}

} // namespace fly::sema
