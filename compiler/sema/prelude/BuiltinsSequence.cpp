// Compile-time helpers: ranges and sequences, conversions of numbers and text, assertions.
#include "compiler/sema/number/Constants.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/prelude/Prelude.h"
#include "compiler/sema/module/ModuleLoader.h"
#include "compiler/sema/number/Containers.h"
#include "compiler/sema/elaborator/Dicts.h"
#include "compiler/sema/elaborator/Kinds.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/sema/tensor/LayoutValues.h"
#include "compiler/sema/value/TextFormat.h"
#include "compiler/sema/number/Vectors.h"
#include "compiler/sema/tensor/Views.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

namespace fly::sema {

namespace {
Value makeRange(Elaborator &e, BoundCall &call) {
  bool unroll = llvm::StringRef(call.builtin->name) == "unroll";
  Values parts = {Value(int64_t(0)), call[0], Value(int64_t(1))};
  if (call.given[1])
    parts = {call[0], call[1], call.given[2] ? call[2] : Value(int64_t(1))};
  static const char *const names[] = {"start", "stop", "step"};
  for (size_t i = 0; i < 3; ++i) {
    const size_t argument = call.given[1] ? i : 0; // `range(stop)`
    auto range = call.given[argument] ? call.ranges[argument] : call.range;
    if (auto *m = parts[i].as<MachineValue>()) {
      if (unroll)
        e.fail(diag::not_compile_time, range, {"a bound of `unroll`", m->type.text()});
      if (!m->type.isInteger() || m->type.isVector())
        e.fail(range, diag::not_an_integer{.what = diag::argument(names[i], "range"), .found = m->type.text()});
      continue;
    }
    parts[i] = Value(requireInt(e, parts[i], range, "a bound of `" + std::string(call.builtin->name) + "`"));
  }
  if (auto by = toInt64(parts[2]); by && *by == 0 && parts[2].is<Int>())
    e.fail(call.given[2] ? call.ranges[2] : call.range, diag::zero_step{.name = call.builtin->name});
  std::string name;
  if (call.given[3]) {
    if (!call[3].is<std::string>())
      e.fail(call.ranges[3],
             diag::not_a_string{.what = diag::argument("name", call.builtin->name), .found = describe(call[3])});
    name = *call[3].as<std::string>();
  }
  std::optional<int64_t> unrollBy;
  if (!unroll && call.given[4] && !call[4].isNone()) {
    if (auto *whole = call[4].as<bool>())
      unrollBy = *whole ? 0 : 1;
    else if (unrollBy = requireInt(e, call[4], call.ranges[4], "`unroll=`"); *unrollBy < 1 || *unrollBy > 4096)
      e.fail(diag::wrong_value, call.ranges[4],
             {"`unroll=`", "True, False or a count from 1 to 4096", toText(call[4])});
  }
  return Value(RangeValue{std::make_shared<const Values>(std::move(parts)), unroll, name, unrollBy});
}

Value length(Elaborator &e, BoundCall &call) {
  if (auto *text = call[0].as<std::string>())
    return Value(int64_t(text->size()));
  if (auto *m = call[0].as<MachineValue>(); m && m->type.isVector())
    return Value(int64_t(m->type.lanes));
  if (auto *dict = call[0].as<DictValue>())
    return Value(int64_t(dict->keys->size()));
  if (auto *elements = call[0].sequence())
    return Value(int64_t(elements->size()));
  if (auto run = KnownRange::of(call[0]))
    return Value(run->size());
  return Value(int64_t(e.iterate(call[0], call.ranges[0], "`len`").size()));
}

Value zip(Elaborator &e, BoundCall &call) {
  std::vector<Values> all;
  size_t count = SIZE_MAX;
  if (llvm::any_of(call.rest, [](auto &argument) { return argument.value.template is<LayoutValue>(); }))
    return zipLayouts(e, call);
  for (auto &argument : call.rest) {
    all.push_back(e.iterate(argument.value, argument.range, "`zip`"));
    count = std::min(count, all.back().size());
  }
  if (call.given[0] && truth(e, call[0], call.ranges[0]))
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].size() != all[0].size())
        e.fail(diag::wrong_value, call.rest[i].range,
               {"a sequence of `zip(..., strict=True)`", "as long as the first, " + std::to_string(all[0].size()),
                std::to_string(all[i].size())});
  Values out;
  for (size_t i = 0; !all.empty() && i < count; ++i) {
    Values row;
    for (auto &values : all)
      row.push_back(values[i]);
    out.push_back(makeTuple(std::move(row)));
  }
  return makeList(std::move(out));
}

Value enumerate(Elaborator &e, BoundCall &call) {
  int64_t i = call.given[1] ? requireInt(e, call[1], call.ranges[1], "start") : 0;
  Values out;
  forEach(e, call[0], call.ranges[0], "`enumerate`", [&](const Value &value) {
    out.push_back(makeTuple({Value(i++), value}));
    return true;
  });
  return makeList(std::move(out));
}

Value reversed(Elaborator &e, BoundCall &call) {
  Values out = e.iterate(call[0], call.ranges[0], "`reversed`");
  std::reverse(out.begin(), out.end());
  return makeList(std::move(out));
}

Value sorted(Elaborator &e, BoundCall &call) {
  Values out = e.iterate(call[0], call.ranges[0], "`sorted`");
  sortValues(e, out, call[1], call.given[2] && truth(e, call[2], call.ranges[2]), call.ranges[0]);
  return makeList(std::move(out));
}

Value map(Elaborator &e, BoundCall &call) {
  std::vector<Values> all;
  size_t count = SIZE_MAX;
  for (auto &argument : call.rest) {
    all.push_back(e.iterate(argument.value, argument.range, "`map`"));
    count = std::min(count, all.back().size());
  }
  if (all.empty())
    e.fail(diag::wrong_argument_count, call.range, {"map", "a function and at least one sequence", "1"});
  Values out;
  for (size_t i = 0; i < count; ++i) {
    Values row;
    for (auto &values : all)
      row.push_back(values[i]);
    out.push_back(apply(e, call[0], std::move(row), call.range));
  }
  return makeList(std::move(out));
}

Value filter(Elaborator &e, BoundCall &call) {
  if (call[0].is<LayoutValue>() || isView(call[0]))
    return filterLayout(e, call);
  if (!call.given[1])
    e.fail(diag::missing_argument, call.range, {"filter", "sequence"});
  Values out;
  forEach(e, call[1], call.ranges[1], "`filter`", [&](const Value &value) {
    if (truth(e, call[0].isNone() ? value : apply(e, call[0], {value}, call.range), call.ranges[1]))
      out.push_back(value);
    return true;
  });
  return makeList(std::move(out));
}

Value makeDictOf(Elaborator &e, BoundCall &call) {
  DictBuilder dict;
  if (auto *other = call[0].as<DictValue>())
    dict.setAll(e, *other, call.ranges[0]);
  else if (call.given[0])
    for (auto &pair : e.iterate(call[0], call.ranges[0], "`dict`")) {
      auto *parts = pair.sequence();
      if (!parts || parts->size() != 2)
        e.fail(diag::wrong_value, call.ranges[0], {"an element for `dict`", "a pair (key, value)", describe(pair)});
      dict.set(e, (*parts)[0], (*parts)[1], call.ranges[0]);
    }
  for (auto &argument : call.rest)
    dict.set(e, Value(argument.keyword), argument.value, argument.range);
  return dict.done();
}

Value sum(Elaborator &e, BoundCall &call) {
  Value total = call.given[1] ? call[1] : Value(int64_t(0));
  bool first = !call.given[1];
  forEach(e, call[0], call.ranges[0], "`sum`", [&](const Value &value) {
    total = first ? value : e.binary(ast::BinaryOp::Add, total, value, call.range, call.range, call.range, call.range);
    first = false;
    return true;
  });
  return total;
}

Value allAny(Elaborator &e, BoundCall &call) {
  bool isAll = llvm::StringRef(call.builtin->name) == "all";
  Values decided; // what the machine decides
  bool result = isAll;
  forEach(e, call[0], call.ranges[0], call.builtin->name, [&](const Value &value) {
    if (value.is<MachineValue>())
      decided.push_back(Value(toCondition(e, value, call.ranges[0])));
    else
      result = truth(e, value, call.ranges[0]);
    return result == isAll;
  });
  if (result != isAll || decided.empty())
    return Value(result);
  return reducePairwise(e, std::move(decided), call.builtin->name, call.range);
}

Value toSequence(Elaborator &e, BoundCall &call) {
  Values out = call.given[0] ? e.iterate(call[0], call.ranges[0], call.builtin->name) : Values{};
  return llvm::StringRef(call.builtin->name) == "list" ? makeList(std::move(out)) : makeTuple(std::move(out));
}

Value toNumber(Elaborator &e, BoundCall &call) {
  llvm::StringRef name = call.builtin->name;
  const Value &x = call[0];
  if (auto *m = x.as<MachineValue>()) {
    e.report(diag::not_compile_time, call.ranges[0], {"the argument of `" + name.str() + "`", m->type.text()})
        .help("convert to a machine type: `i32(x)`, `f32(x)`");
    throw Failed{};
  }
  if (call.values.size() > 1 && call.given[1]) {
    auto *digits = x.as<std::string>();
    int64_t base = requireInt(e, call[1], call.ranges[1], "the base");
    if (!digits)
      e.fail(call.ranges[0], diag::not_a_string{.what = "the argument of `int` with a base", .found = describe(x)});
    if (base < 0 || base == 1 || base > 36)
      e.fail(diag::wrong_value, call.ranges[1], {"the base", "0 or from 2 to 36", toText(call[1])});
    if (auto value = parseInteger(*digits, unsigned(base)))
      return Value(*value);
  } else if (auto *text = x.as<std::string>()) {
    double d;
    if (auto value = name == "int" ? parseInteger(*text, 10) : std::nullopt)
      return Value(*value);
    if (name == "float" && !llvm::StringRef(*text).trim().getAsDouble(d))
      return Value(d);
  } else if (auto *array = x.as<ArrayValue>(); array && array->array->size() == 1) {
    host::Scalar element = array->array->at(0);
    if (element.kind != host::NumberClass::Float)
      return name == "int" ? Value(anySize(element.integer)) : Value(element.toDouble());
    call.values[0] = Value(element.floating);
    return toNumber(e, call);
  } else if (x.isNumber()) {
    if (name == "int" && !x.is<double>())
      return x.is<bool>() ? Value(int64_t(*x.as<bool>())) : x;
    double d = toDouble(e, x, call.ranges[0]);
    if (name == "float")
      return Value(d);
    if (auto whole = exactInteger(std::trunc(d)))
      return Value(*whole);
  }
  e.fail(diag::bad_conversion, call.ranges[0], {describe(x), name.str()});
}

Value toString(Elaborator &e, BoundCall &call) {
  if (auto *m = call[0].as<MachineValue>())
    e.fail(diag::not_compile_time, call.ranges[0], {"the argument of `str`", m->type.text()});
  return Value(toText(call[0]));
}

Value isStatic(Elaborator &e, BoundCall &call) {
  if (auto *index = call[0].as<IndexValue>())
    return Value(index->kind == IndexKind::ClusterDim ||
                 (index->kind == IndexKind::BlockDim && e.kernel.blockDim.sequence()));
  return Value(call[0].isCompileTime());
}

Value typeOfValue(Elaborator &e, BoundCall &call) {
  const Value &x = call[0];
  if (auto *m = x.as<MachineValue>())
    return Value(m->type);
  if (auto *t = x.as<TensorValue>())
    return Value(Type::scalar(t->element));
  if (objectAs<Fragment>(x))
    return e.attribute(x, "type", call.range, call.ranges[0]);
  if (auto *array = x.as<ArrayValue>(); array && array->array->type)
    return Value(Type::scalar(*array->array->type));
  if (x.is<bool>())
    return Value(Type::scalar(host::Number::Bool));
  if (auto *record = x.as<StructValue>())
    return Value(StructTypeValue{record->definition});
  if (auto *object = x.as<LayoutValue>(); object && object->object->layout())
    return Value(GenericValue{Generic::Layout});
  const char *kind = x.is<Int>()                               ? "int"
                     : x.is<double>()                          ? "float"
                     : x.is<std::string>()                     ? "str"
                     : x.is<TupleValue>()                      ? "tuple"
                     : x.is<ListValue>()                       ? "list"
                     : x.is<DictValue>()                       ? "dict"
                     : x.is<Type>() || x.is<StructTypeValue>() ? "type"
                                                               : nullptr;
  if (kind)
    return Value(BuiltinValue{e.loader.environment.builtins.find(kind)});
  e.fail(
      diag::wrong_argument_type, call.ranges[0],
      {"type", "a number, a string, a sequence, a struct, a machine value, a tensor or a fragment", "x", describe(x)});
}

Value isInstance(Elaborator &e, BoundCall &call) {
  auto *many = call[1].sequence();
  for (auto &kind : many ? *many : Values{call[1]}) {
    if (!isKind(kind))
      e.fail(diag::wrong_argument_type, call.ranges[1],
             {"isinstance", "a type, a kind such as `int`, or a tuple of them", "kind", describe(kind)});
    auto *m = call[0].as<MachineValue>();
    if (m ? kind.is<Type>() && *kind.as<Type>() == m->type : !kind.is<Type>() || kind.as<Type>()->isBool()) {
      bool exact = m || asKind(call[0], kind).has_value();
      if (call[0].is<Int>() && kind.is<BuiltinValue>()) // an int fits a float, but is none
        exact = llvm::StringRef(kind.as<BuiltinValue>()->builtin->name) == "int";
      if (exact)
        return Value(true);
    }
  }
  return Value(false);
}

/// `likely`, `unlikely`: `if` looks for them (ControlFlow.cpp); elsewhere they say nothing.
Value expected(Elaborator &e, BoundCall &call) {
  if (call[0].is<MachineValue>())
    return Value(toCondition(e, call[0], call.ranges[0]));
  return call[0].is<HostValue>() ? call[0] : Value(truth(e, call[0], call.ranges[0]));
}

Value staticAssert(Elaborator &e, BoundCall &call) {
  if (auto *m = call[0].as<MachineValue>())
    e.fail(diag::not_compile_time, call.ranges[0], {"the condition of `static_assert`", m->type.text()});
  if (call[0].is<HostValue>())
    e.report(call.ranges[0], diag::known_at_launch{.what = "the condition of `static_assert`",
                                                   .found = "`" + e.diags.sources.text(call.ranges[0]).str() + "`"})
        .help("to check it at launch, write `requires=" + e.diags.sources.text(call.ranges[0]).str() + "`"),
        throw Failed{};
  e.countExpectation();
  if (truth(e, call[0], call.ranges[0]))
    return Value();
  e.fail(call.ranges[0],
         diag::static_assert_failed{.message = call.given[1] ? toText(call[1])
                                                             : "`" + e.diags.sources.text(call.ranges[0]).str() +
                                                                   "` does not hold"});
}

Value staticError(Elaborator &e, BoundCall &call) {
  e.fail(call.range, diag::static_error{.message = toText(call[0])});
}

Value staticPrint(Elaborator &e, BoundCall &call) {
  if (e.trialDepth)
    return Value();
  auto &os = *e.printTo;
  bool first = true;
  for (auto &argument : call.rest) {
    os << (first ? "" : " ") << toText(argument.value);
    first = false;
  }
  os << '\n';
  return Value();
}

Value exportInstance(Elaborator &e, BoundCall &call) {
  auto *symbol = call[0].as<std::string>();
  auto *kernel = call[1].as<KernelValue>();
  if (!symbol || !kernel)
    e.fail(diag::wrong_argument_type, call.range,
           {"export", "a name and a kernel", symbol ? "instance" : "name", describe(symbol ? call[1] : call[0])});
  bool valid = !symbol->empty() && !llvm::isDigit((*symbol)[0]) &&
               llvm::all_of(*symbol, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!valid)
    e.fail(diag::wrong_value, call.ranges[0], {"an exported name", "an identifier", toText(call[0], true)});
  if (!e.frame->isModule)
    e.fail(diag::bad_decorator, call.range, {"`export` is only valid at the top level of a file"});
  e.frame->module->exports.push_back({*symbol, *kernel, call.range});
  return Value();
}

const Builtin sequenceRows[] = {
    {"range", "start, stop=, step=, *, name=, unroll=",
     "a sequence of integers; a loop over it runs on the device, unless its bounds are known and its body computes "
     "nothing at run time",
     makeRange},
    {"unroll", "start, stop=, step=, *, name=",
     "like `range` with bounds known at compile time, but the body is repeated", makeRange},
    {"len", "x", "the number of elements", length},
    {"zip", "*sequences, strict=",
     "tuples of the elements at the same positions; for layouts, one layout whose modes are paired", zip},
    {"enumerate", "sequence, start=", "(index, element) tuples", enumerate},
    {"reversed", "sequence", "the elements from last to first", reversed},
    {"sorted", "sequence, *, key=, reverse=", "a list in ascending order; equal elements keep their order", sorted},
    {"map", "function, *sequences", "a list of the function's results for the elements at the same positions", map},
    {"filter", "function, sequence=",
     "a list of the elements that are true, or for which the function is true; for a layout or view (and an optional "
     "profile), the coalesced layout without modes of stride 0",
     filter},
    {"sum", "sequence, start=", "the sum of all elements, added from left to right", sum},
    {"all", "sequence", "whether all elements are true", allAny},
    {"any", "sequence", "whether any element is true", allAny},
    {"list", "sequence=", "a list of the elements", toSequence},
    {"tuple", "sequence=", "a tuple of the elements", toSequence},
    {"dict", "pairs=, **named", "a dict from pairs or keyword arguments", makeDictOf},
    {"int", "x, base=", "a compile-time integer; floats are truncated, text is read in the given base", toNumber},
    {"float", "x", "a compile-time float", toNumber},
    {"str", "x", "a compile-time value as text", toString},
    {"is_static", "x", "whether the value is known at compile time", isStatic},
    {"type", "x",
     "the type of a machine value or struct, the element type of a tensor, or the kind of a compile-time value",
     typeOfValue},
    {"isinstance", "x, kind", "whether x has this type or kind (such as `int`), or one from a tuple of them",
     isInstance},
    {"likely", "condition", "the condition of an `if` that nearly always holds: the other side is put out of line",
     expected},
    {"unlikely", "condition", "the condition of an `if` that rarely holds: its side is put out of line", expected},
    {"static_assert", "condition, message=", "a compile-time error unless the condition holds", staticAssert},
    {"static_error", "message", "a compile-time error", staticError},
    {"static_print", "*values", "prints during compilation", staticPrint},
    {"export", "name, instance", "exports an instance of a kernel under a name", exportInstance},
};
} // namespace

llvm::ArrayRef<Builtin> sequenceBuiltins() { return sequenceRows; }

} // namespace fly::sema
