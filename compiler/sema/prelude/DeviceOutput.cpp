// Formats of device output, and the calls that write them.
#include "compiler/sema/prelude/DeviceOutput.h"

#include "compiler/sema/number/Conversions.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/elaborator/Library.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/value/TextFormat.h"
#include "compiler/text/Words.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fly::sema {

namespace {

/// A place in the format: `{}`, `{2}`, `{:8.3f}`.
struct Field {
  std::optional<unsigned> index;
  std::string spec;
};

/// A text with directives, and the values for them.
class Message {
public:
  Message(Elaborator &e, SourceRange format) : e(e), format(format) {}

  void literal(llvm::StringRef part) {
    for (char c : part)
      text += c == '%' ? "%%" : std::string(1, c);
  }

  void value(const Value &x, llvm::StringRef spec, SourceRange range) {
    if (auto *m = x.as<MachineValue>())
      return m->type.isVector() ? sequence("[", vectorOf(*m, range), "]", spec, range) : machine(*m, spec, range);
    if (x.is<TupleValue>() && !x.isCompileTime())
      return sequence("(", *x.sequence(), x.sequence()->size() == 1 ? ",)" : ")", spec, range);
    if (x.is<ListValue>() && !x.isCompileTime())
      return sequence("[", *x.sequence(), "]", spec, range);
    if (auto *record = x.as<StructValue>(); record && !x.isCompileTime())
      return structure(*record, spec, range);
    if (x.is<PointerValue>()) {
      Value address = pointerAttribute(e, *x.as<PointerValue>(), "address", range, range);
      auto *m = address.as<MachineValue>();
      literal(m->type.format().bits == 64 ? "" : "0x");
      add(address, m->type.format().bits == 64 ? "%p" : "%x");
      return;
    }
    if (x.is<TensorValue>() || x.is<HostValue>() || x.is<ErrorValue>())
      e.fail(diag::wrong_argument_type, range,
             {"printf", "numbers, tuples, structs or pointers", "values", describe(x)});
    std::string error;
    auto known = formatted(x, spec, error);
    if (!known)
      e.fail(diag::bad_fstring, format, {error});
    literal(*known);
  }

  /// Python's replacement fields.
  void fields(llvm::StringRef source, const Arguments &arguments) {
    size_t next = 0;
    while (!source.empty()) {
      size_t at = source.find_first_of("{}");
      literal(source.take_front(at));
      if (at == llvm::StringRef::npos)
        break;
      char bracket = source[at];
      source = source.drop_front(at + 1);
      if (source.consume_front(llvm::StringRef(&bracket, 1))) {
        literal(llvm::StringRef(&bracket, 1));
        continue;
      }
      size_t close = source.find('}');
      if (bracket == '}' || close == llvm::StringRef::npos)
        e.fail(diag::wrong_value, format,
               {"a format", "text with `{}` for each value; a brace itself is `{{` or `}}`",
                std::string("a single `") + bracket + "`"});
      auto [index, spec] = source.take_front(close).split(':');
      size_t which = next;
      if (index.empty())
        ++next;
      else if (index.getAsInteger(10, which))
        e.fail(diag::wrong_value, format,
               {"a field of a format", "`{}`, `{0}` or `{:spec}`", "`{" + source.take_front(close).str() + "}`"});
      if (which >= arguments.size())
        e.fail(diag::wrong_argument_count, format,
               {"printf",
                "at least " + std::to_string(which + 1) + (which ? " values" : " value") + " with this format",
                std::to_string(arguments.size())});
      value(arguments[which].value, spec, arguments[which].range);
      used = std::max(used, which + 1);
      source = source.drop_front(close + 1);
    }
    if (used < arguments.size()) {
      auto builder =
          e.report(diag::wrong_argument_count, arguments[used].range,
                   {"printf", counted(used, "value") + " with this format", std::to_string(arguments.size())});
      if (used == 0 && llvm::StringRef(text).contains('%'))
        builder.help("write `{}` for a value and `{:8.3f}` for a value with a format; `%d` is plain text");
      throw Failed{};
    }
  }

  void write(SourceRange range) {
    if (text.find('\0') != std::string::npos)
      e.fail(diag::wrong_value, format, {"a format", "free of NUL characters", "one that contains NUL"});
    auto &b = e.ir(range, "printf");
    auto loc = e.location(range);
    mlir::Value variable = ir::OutputRingOp::create(b, loc, ir::PtrType::get(&e.context, ir::AddressSpace::Global, 8));
    PointerTypeValue ring{std::make_shared<const Value>(Type::scalar(host::Number::U32)), ir::AddressSpace::Global, 8};
    AccessOptions options;
    options.isInvariant = true; // the launcher sets it before
    Value target = loadFrom(e, variable, Value(ring), options, range);
    mlir::Value at =
        ir::TextOp::create(b, loc, ir::PtrType::get(&e.context, ir::AddressSpace::Constant, 1), b.getStringAttr(text));
    mlir::Value address = ir::PtrToIntOp::create(b, loc, b.getI64Type(), at);
    callLibrary(e, "fly.output", "write",
                {target, Value(MachineValue{address, Type::scalar(host::Number::U64)}), makeList(std::move(values))},
                range);
  }

private:
  void add(Value x, const std::string &directive) {
    text += directive;
    values.push_back(std::move(x));
  }

  Values vectorOf(const MachineValue &m, SourceRange range) { return e.iterate(Value(m), range, "printf"); }

  void sequence(const char *open, const Values &elements, const char *close, llvm::StringRef spec, SourceRange range) {
    literal(open);
    for (size_t i = 0; i < elements.size(); ++i) {
      literal(i ? ", " : "");
      value(elements[i], spec, range);
    }
    literal(close);
  }

  void structure(const StructValue &record, llvm::StringRef spec, SourceRange range) {
    literal(record.definition->name + "(");
    for (size_t i = 0; i < record.fields->size(); ++i) {
      literal((i ? ", " : "") + record.definition->fields[i].name + "=");
      value((*record.fields)[i], spec, range);
    }
    literal(")");
  }

  void machine(const MachineValue &m, llvm::StringRef spec, SourceRange range) {
    Type type = m.type;
    bool isWide = type.format().bits == 64;
    if (type.isBool())
      return add(convert(e, Value(m), Type::scalar(host::Number::U32), range), directive(spec, 'b', "", false));
    if (type.isFloat())
      return add(isWide || type.number == host::Number::F32
                     ? Value(m)
                     : convert(e, Value(m), Type::scalar(host::Number::F32), range),
                 directive(spec, 's', "fFeEgG", isWide));
    bool isSigned = type.format().isSigned;
    using host::Number;
    Type wide = Type::scalar(isWide ? type.number : isSigned ? Number::I32 : Number::U32);
    add(type == wide ? Value(m) : convert(e, Value(m), wide, range),
        directive(spec, isSigned ? 'd' : 'u', "dxXo", isWide));
  }

  /// Python's `[align][sign][#][0][width][.precision][type]` as a directive.
  std::string directive(llvm::StringRef spec, char otherwise, llvm::StringRef conversions, bool isWide) {
    llvm::StringRef rest = spec;
    std::string out = "%";
    rest.consume_front(" ");
    if (rest.consume_front("<"))
      out += '-';
    else
      rest.consume_front(">");
    for (char flag : {'+', '-', ' ', '#', '0'})
      if (rest.consume_front(llvm::StringRef(&flag, 1)) && flag != '-')
        out += flag;
    llvm::StringRef width = rest.take_while(llvm::isDigit), precision;
    rest = rest.drop_front(width.size());
    if (rest.consume_front(".")) {
      precision = rest.take_while(llvm::isDigit);
      rest = rest.drop_front(precision.size());
    }
    char conversion = rest.empty() ? otherwise : rest[0];
    bool isFloat = conversions.contains('f');
    bool isSound = rest.size() <= 1 && (rest.empty() || conversions.contains(conversion)) && width.size() <= 3 &&
                   precision.size() <= 2 && (precision.empty() || isFloat);
    if (!isSound)
      e.fail(diag::wrong_value, format,
             {"the format of a machine value",
              "`[<>][+][#][0][width]" + std::string(isFloat ? "[.precision]" : "") + "`" +
                  (conversions.empty() ? "" : " and one of " + conversions.str()),
              "`" + spec.str() + "`"});
    if (!precision.empty() && rest.empty())
      conversion = 'g';
    if (conversion == 'd' && otherwise == 'u')
      conversion = 'u';
    out += width.str() + (precision.empty() ? "" : "." + precision.str());
    return out + (isWide ? "l" : "") + conversion;
  }

  Elaborator &e;
  SourceRange format;
  std::string text;
  Values values;
  size_t used = 0;
};

} // namespace

Value devicePrint(Elaborator &e, BoundCall &call) {
  e.ir(call.range, "printf");
  auto *format = call[0].as<std::string>();
  if (!format)
    e.fail(call.ranges[0], diag::not_a_string{.what = diag::argument("format", "printf"), .found = describe(call[0])});
  Message message(e, call.ranges[0]);
  message.fields(*format, call.rest);
  message.write(call.range);
  return Value();
}

void emitTrap(Elaborator &e, SourceRange range) {
  auto &b = e.ir(range, "trap");
  mlir::LLVM::CallIntrinsicOp::create(b, e.location(range), b.getStringAttr("llvm.trap"), mlir::ValueRange{});
}

Value deviceTrap(Elaborator &e, BoundCall &call) {
  emitTrap(e, call.range);
  return Value();
}

/// The message of an `assert`: a string, or an f-string whose values may be the machine's.
static void addMessage(Elaborator &e, Message &message, const ast::Expr &expr) {
  auto *parts = llvm::dyn_cast<ast::FStringExpr>(&expr);
  if (!parts)
    return message.value(e.eval(expr), "", expr.range);
  for (auto &part : parts->parts)
    if (!part.value)
      message.literal(part.text);
    else if (part.format)
      e.fail(diag::not_supported, part.value->range,
             {"a computed format of a machine value", "write the width as a number"});
    else
      message.value(e.eval(*part.value), part.spec, part.value->range);
}

/// Where the test does not hold a thread prints its place, the claim, what is added to it, its ids, and stops the
/// kernel.
static void emitAssertion(Elaborator &e, const MachineValue &test, const std::string &claim,
                          llvm::function_ref<void(Message &)> add, SourceRange range, SourceRange whole) {
  auto place = e.diags.sources.lineColumn(range.file, range.begin);
  std::string file = e.locationName(range.file);
  e.branch(
      test, [] { return Value(); },
      [&] {
        Message message(e, range);
        message.literal(file + ":" + std::to_string(place.line) + ": " + claim);
        add(message);
        for (auto [name, kind] :
             {std::pair(" (block ", IndexKind::BlockId), std::pair(", thread ", IndexKind::ThreadId)}) {
          message.literal(name);
          for (const char *axis : {"x", "y", "z"}) {
            message.literal(*axis == 'x' ? "" : ".");
            message.value(e.attribute(Value(IndexValue{kind}), axis, range, range), "", range);
          }
        }
        message.literal(")\n");
        message.write(whole);
        makeFence(e, Value("release"), Value("system"), Value(), {range, range, range},
                  range); // the host reads it after the trap
        emitTrap(e, whole);
        return Value();
      },
      range);
}

void assertNonNegative(Elaborator &e, const MachineValue &value, const std::string &what, SourceRange range) {
  auto &b = e.ir(range, "a check");
  mlir::Value zero = mlir::arith::ConstantOp::create(b, e.location(range), b.getIntegerAttr(value.value.getType(), 0));
  auto test = mlir::arith::CmpIOp::create(b, e.location(range), mlir::arith::CmpIPredicate::sge, value.value, zero);
  test->setDiscardableAttr(ir::signCheckAttr, b.getUnitAttr());
  emitAssertion(
      e, {test, Type::scalar(host::Number::Bool)},
      what + " is negative: ", [&](Message &message) { message.value(Value(value), "", range); }, range, range);
}

Flow execAssert(Elaborator &e, const ast::AssertStmt &stmt) {
  Value test = e.eval(*stmt.test);
  SourceRange range = stmt.test->range;
  if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(stmt.test); tuple && !stmt.message && !tuple->elements.empty())
    e.report(diag::bad_condition, range, {describe(test)}).help("without parentheses: `assert condition, message`"),
        throw Failed{};
  std::string source = e.diags.sources.text(range).str();
  if (test.is<HostValue>())
    e.report(range, diag::known_at_launch{.what = "the condition of `assert`", .found = "`" + source + "`"})
        .help("to check it at launch, write `requires=" + source + "`"),
        throw Failed{};
  if (!test.is<MachineValue>()) {
    e.countExpectation();
    if (truth(e, test, range))
      return Flow::Next;
    Value text = stmt.message ? e.eval(*stmt.message) : Value();
    e.fail(range,
           diag::static_assert_failed{.message = text.isNone() ? "`" + source + "` does not hold" : toText(text)});
  }
  emitAssertion(
      e, toCondition(e, test, range), "`" + source + "` does not hold",
      [&](Message &message) {
        if (!stmt.message)
          return;
        message.literal(": ");
        addMessage(e, message, *stmt.message);
      },
      range, stmt.range);
  return Flow::Next;
}

} // namespace fly::sema
