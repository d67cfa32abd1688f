// Operations on values that need no elaboration: text, kind, equality.
#include "compiler/sema/value/Value.h"
#include "compiler/dialect/FlyTypes.h"
#include "compiler/sema/value/Builtin.h"
#include "compiler/sema/value/KeyIndex.h"
#include "compiler/sema/value/KnownRange.h"
#include "compiler/sema/value/LayoutObject.h"
#include "compiler/sema/value/Object.h"
#include "compiler/sema/value/Scope.h"
#include "compiler/sema/value/TextFormat.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace fly::sema {

Value::Value(const Value &) = default;
Value::Value(Value &&) noexcept = default;
Value &Value::operator=(const Value &) = default;
Value &Value::operator=(Value &&) noexcept = default;
Value::~Value() = default;

uint64_t Value::weight() const {
  if (auto *tuple = as<TupleValue>())
    return tuple->weight;
  if (auto *list = as<ListValue>())
    return list->weight;
  if (auto *dict = as<DictValue>())
    return dict->weight;
  if (auto *record = as<StructValue>())
    return record->weight;
  return 1;
}

static uint64_t weightOf(const Values &elements) {
  uint64_t weight = 1;
  for (auto &element : elements)
    weight = std::min<uint64_t>(weight + element.weight(), uint64_t(1) << 40);
  return weight;
}

Value makeTuple(Values elements) {
  uint64_t weight = weightOf(elements);
  return Value(TupleValue{std::make_shared<Values>(std::move(elements)), weight});
}
Value makeList(Values elements) {
  uint64_t weight = weightOf(elements);
  return makeList(std::move(elements), weight);
}
Value makeList(Values elements, uint64_t weight) {
  return Value(ListValue{std::make_shared<Values>(std::move(elements)), weight});
}
Value makeDict(Values keys, Values values) {
  uint64_t weight = weightOf(keys) + weightOf(values);
  return Value(
      DictValue{std::make_shared<Values>(std::move(keys)), std::make_shared<Values>(std::move(values)), weight});
}
Value makeStruct(const StructDefinition *definition, Values fields) {
  uint64_t weight = weightOf(fields);
  return Value(StructValue{definition, std::make_shared<Values>(std::move(fields)), weight});
}

const Values *Value::sequence() const {
  if (auto *tuple = as<TupleValue>())
    return tuple->elements.get();
  if (auto *list = as<ListValue>())
    return list->elements.get();
  return nullptr;
}

const Values *Value::parts() const {
  if (auto *record = as<StructValue>())
    return record->fields.get();
  if (auto *dict = as<DictValue>())
    return dict->values.get();
  return sequence();
}

Value Value::withParts(Values parts) const {
  Value out;
  if (is<TupleValue>())
    out = makeTuple(std::move(parts));
  else if (is<ListValue>())
    out = makeList(std::move(parts));
  else if (auto *dict = as<DictValue>()) {
    uint64_t weight = weightOf(*dict->keys) + weightOf(parts);
    out = Value(DictValue{dict->keys, std::make_shared<Values>(std::move(parts)), weight, dict->index});
  } else
    out = makeStruct(as<StructValue>()->definition, std::move(parts));
  out.assigned = assigned;
  return out;
}

bool Value::sameShape(const Value &other) const {
  if (storage.index() != other.storage.index())
    return false;
  auto *mine = parts(), *others = other.parts();
  if (!mine || !others || mine->size() != others->size())
    return false;
  if (auto *record = as<StructValue>())
    return record->definition == other.as<StructValue>()->definition;
  if (auto *dict = as<DictValue>()) {
    auto *keys = other.as<DictValue>()->keys.get();
    return dict->keys.get() == keys || llvm::all_of(llvm::zip(*dict->keys, *keys), [](auto pair) {
             return equal(std::get<0>(pair), std::get<1>(pair)).value_or(false);
           });
  }
  return true;
}

bool Value::isCompileTime() const {
  if (is<MachineValue>() || is<TensorValue>() || is<PointerValue>() || is<HostValue>() || is<HostTensorValue>() ||
      is<ErrorValue>() || is<OneSidedValue>())
    return false;
  if (auto *layout = as<LayoutValue>())
    return !layout->object->hasMachineParts();
  if (auto *object = as<ObjectValue>())
    return object->object->isCompileTime();
  if (auto *all = parts())
    return llvm::all_of(*all, [](const Value &v) { return v.isCompileTime(); });
  return true;
}

const char *indexName(IndexKind kind) {
  static const char *const names[] = {"thread_id",  "block_id",    "block_dim",       "grid_dim",
                                      "cluster_id", "cluster_dim", "cluster_block_id"};
  return names[unsigned(kind)];
}

static std::string intText(const Int &value) { return integerText(value, 10); }

namespace {
template <typename... F> struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F> Overloaded(F...) -> Overloaded<F...>;

std::string functionName(const FunctionValue &function) {
  return function.def ? "function `" + function.def->name + "`" : std::string("a lambda");
}

const char *genericName(Generic generic) {
  static const char *const names[] = {"In", "Out", "InOut", "Constexpr", "vec", "Pointer", "layout"};
  return names[unsigned(generic)];
}

std::string typeText(const PointerTypeValue &pointer) {
  return "Pointer[" + toText(*pointer.element) + ", " + ir::stringifyAddressSpace(pointer.space).str() + "]";
}

std::string quoted(const std::string &text) {
  std::string out;
  llvm::raw_string_ostream os(out);
  os << '"';
  for (char c : text)
    switch (c) {
    case '"':
    case '\\': os << '\\' << c; break;
    case '\n': os << "\\n"; break;
    case '\t': os << "\\t"; break;
    case '\r': os << "\\r"; break;
    default:
      if (uint8_t(c) < 0x20 || c == 0x7f)
        os << "\\x" << llvm::hexdigit(uint8_t(c) >> 4, true) << llvm::hexdigit(c & 15, true);
      else
        os << c;
    }
  os << '"';
  return out;
}

std::string join(const Values &values) {
  std::string out;
  for (auto &v : values)
    out += (out.empty() ? "" : ", ") + toText(v, true);
  return out;
}
} // namespace

std::string describe(const Value &value) {
  return std::visit(
      Overloaded{
          [](const NoneValue &) { return std::string("None"); },
          [](const EllipsisValue &) { return std::string("`...`"); },
          [](const ErrorValue &) { return std::string("an erroneous value"); },
          [](const OneSidedValue &) { return std::string("a value that may not exist"); },
          [](bool b) { return std::string(b ? "True" : "False"); },
          [](const Int &i) { return "the integer " + intText(i); },
          [](double d) { return "the float " + floatText(d); },
          [](const std::string &s) {
            return "the string " + (s.size() > 40 ? quoted(s.substr(0, 37) + "...") : quoted(s));
          },
          [](const Type &t) { return "the type " + t.text(); },
          [](const TupleValue &t) { return "a tuple of " + counted(t.elements->size(), "element"); },
          [](const ListValue &t) { return "a list of " + counted(t.elements->size(), "element"); },
          [](const DictValue &t) { return "a dict of " + counted(t.keys->size(), "entry", "entries"); },
          [](const StructValue &s) { return "a `" + s.definition->name + "`"; },
          [](const StructTypeValue &s) { return "struct `" + s.definition->name + "`"; },
          [](const SliceValue &) { return std::string("a slice"); },
          [](const RangeValue &r) { return std::string(r.unroll ? "an unroll(...)" : "a range"); },
          [](const FunctionValue &f) { return functionName(f); },
          [](const ExternValue &x) { return "extern function `" + x.definition->name + "`"; },
          [](const BuiltinValue &b) { return "function `" + std::string(b.builtin->name) + "`"; },
          [](const MethodValue &m) { return "method `" + m.name + "`"; },
          [](const KernelValue &k) {
            return (k.kernel->isLaunch ? "launch function `" : "kernel `") + k.kernel->name + "`";
          },
          [](const ModuleValue &m) { return "module `" + m.module->name + "`"; },
          [](const LayoutValue &l) { return l.object->description(); },
          [](const ObjectValue &o) { return o.object->description(); },
          [](const IndexValue &i) { return "`" + std::string(indexName(i.kind)) + "`"; },
          [](const TargetValue &) { return std::string("`target`"); },
          [](const GenericValue &g) { return "`" + std::string(genericName(g.generic)) + "`"; },
          [](const TensorTypeValue &t) { return "a tensor type of " + std::string(host::format(t.element).name); },
          [](const ArrayValue &a) { return "a host array of shape " + host::toText(a.array->shape); },
          [](const HostValue &h) { return "the launch-time value `" + host::toFly(*h.expr) + "`"; },
          [](const HostTensorValue &t) {
            if (t.tensor->isVector)
              return std::string("a vector in a struct");
            if (!t.tensor->pointee.empty())
              return "a pointer to " + t.tensor->pointee;
            return std::string(t.tensor->isWorkspace ? "a workspace of " : "a tensor of ") +
                   host::format(t.tensor->element).name;
          },
          [](const DeviceValue &) { return std::string("`device`"); },
          [](const MachineValue &m) { return m.type.text(); },
          [](const TensorValue &t) {
            return "a tensor of " + (t.record ? toText(*t.record) : std::string(host::format(t.element).name));
          },
          [](const PointerValue &p) { return "a pointer to " + toText(*p.element); },
          [](const PointerTypeValue &p) { return "the type " + typeText(p); },
          [](const ArenaValue &) { return std::string("an arena of LDS"); },
      },
      value.storage);
}

std::string describeOther(const Value &first, const Value &second) {
  std::string text = describe(second);
  return text == describe(first) && llvm::StringRef(text).starts_with("a ") ? "another " + text.substr(2) : text;
}

std::string toText(const Value &value, bool nested) {
  return std::visit(
      Overloaded{
          [](const NoneValue &) { return std::string("None"); },
          [](const EllipsisValue &) { return std::string("..."); },
          [](bool b) { return std::string(b ? "True" : "False"); },
          [](const Int &i) { return intText(i); },
          [](double d) { return floatText(d); },
          [&](const std::string &s) { return nested ? quoted(s) : s; },
          [](const Type &t) { return t.text(); },
          [](const TupleValue &t) { return "(" + join(*t.elements) + (t.elements->size() == 1 ? ",)" : ")"); },
          [](const ListValue &t) { return "[" + join(*t.elements) + "]"; },
          [](const DictValue &t) {
            std::string out;
            for (auto [k, v] : llvm::zip(*t.keys, *t.values))
              out += (out.empty() ? "" : ", ") + toText(k, true) + ": " + toText(v, true);
            return "{" + out + "}";
          },
          [](const StructValue &s) {
            std::string out;
            for (auto [field, v] : llvm::zip(s.definition->fields, *s.fields))
              out += (out.empty() ? "" : ", ") + field.name + "=" + toText(v, true);
            return s.definition->name + "(" + out + ")";
          },
          [](const StructTypeValue &s) { return s.definition->name; },
          [](const PointerTypeValue &p) { return typeText(p); },
          [](const SliceValue &s) {
            auto part = [&](size_t i) { return (*s.parts)[i].isNone() ? std::string() : toText((*s.parts)[i], true); };
            return part(0) + ":" + part(1) + (part(2).empty() ? "" : ":" + part(2));
          },
          [](const RangeValue &r) { return std::string(r.unroll ? "unroll(" : "range(") + join(*r.parts) + ")"; },
          [](const ArrayValue &a) { return host::toText(*a.array); },
          [](const LayoutValue &l) { return l.object->text(); },
          [](const ObjectValue &o) { return o.object->text(); },
          [](const TensorValue &t) {
            auto type = llvm::cast<ir::TensorType>(t.value.getType());
            return "tensor(" + (t.record ? toText(*t.record) : std::string(host::format(t.element).name)) + ", " +
                   layout::textOf(type.getLayout()) + ", " + ir::stringifyAddressSpace(type.getSpace()).str() + ")";
          },
          [](const HostValue &h) { return host::toFly(*h.expr); },
          [&](const auto &) { return "<" + describe(value) + ">"; },
      },
      value.storage);
}

Int anySize(host::Int value) {
  return Int(int64_t(value >> 32)) * Int(int64_t(1) << 32) + Int(int64_t(value & 0xffffffff));
}

std::optional<Int> exactInteger(double value) {
  if (!std::isfinite(value) || value != std::trunc(value))
    return std::nullopt;
  int exponent;
  Int result(int64_t(std::ldexp(std::frexp(value, &exponent), 53)));
  for (; exponent > 53; --exponent)
    result = result * Int(2);
  return exponent == 53 ? result : Int(int64_t(value));
}

std::partial_ordering order(const Value &a, const Value &b) {
  auto asInt = [](const Value &v) { return v.is<bool>() ? Int(*v.as<bool>() ? 1 : 0) : *v.as<Int>(); };
  auto compare = [](auto x, auto y) {
    return x < y    ? std::partial_ordering::less
           : x > y  ? std::partial_ordering::greater
           : x == y ? std::partial_ordering::equivalent
                    : std::partial_ordering::unordered;
  };
  auto *x = a.as<double>(), *y = b.as<double>();
  if (x && y)
    return compare(*x, *y);
  if (!x && !y)
    return compare(asInt(a), asInt(b));
  if (x) {
    auto reversed = order(b, a);
    return reversed == std::partial_ordering::less      ? std::partial_ordering::greater
           : reversed == std::partial_ordering::greater ? std::partial_ordering::less
                                                        : reversed;
  }
  if (!std::isfinite(*y))
    return compare(0.0, *y);
  Int whole = *exactInteger(std::floor(*y)), i = asInt(a); // i < y is i <= floor(y) where y has a fraction
  return *y == std::floor(*y) || i != whole ? compare(i, whole) : std::partial_ordering::less;
}

static bool sameDefaults(const FunctionValue &f, const FunctionValue &g) {
  if (f.defaults == g.defaults || !f.defaults || !g.defaults)
    return f.defaults == g.defaults;
  auto same = [](auto pair) {
    auto &[x, y] = pair;
    if (!x || !y)
      return !x && !y;
    auto *m = x->template as<MachineValue>(), *n = y->template as<MachineValue>();
    return m && n ? m->value == n->value : equal(*x, *y).value_or(false);
  };
  return llvm::all_of(llvm::zip(*f.defaults, *g.defaults), same);
}

std::optional<bool> equal(const Value &a, const Value &b) {
  if (a.isNumber() && b.isNumber())
    return order(a, b) == std::partial_ordering::equivalent;
  if (a.storage.index() != b.storage.index())
    return a.isCompileTime() && b.isCompileTime() ? std::optional<bool>(false) : std::nullopt;
  if (auto *s = a.as<std::string>())
    return *s == *b.as<std::string>();
  if (auto *t = a.as<Type>())
    return *t == *b.as<Type>();
  if (a.isNone())
    return true;
  if (auto *k = a.as<KernelValue>())
    return k->kernel == b.as<KernelValue>()->kernel && toText(a) == toText(b);
  if (auto *f = a.as<FunctionValue>())
    return f->def == b.as<FunctionValue>()->def && f->lambda == b.as<FunctionValue>()->lambda &&
           f->enclosing == b.as<FunctionValue>()->enclosing && sameDefaults(*f, *b.as<FunctionValue>());
  if (auto *f = a.as<BuiltinValue>())
    return f->builtin == b.as<BuiltinValue>()->builtin;
  if (auto *f = a.as<ExternValue>())
    return f->definition == b.as<ExternValue>()->definition;
  if (a.is<RangeValue>()) { // as the sequences they are
    auto r = KnownRange::of(a), s = KnownRange::of(b);
    if (!r || !s)
      return std::nullopt;
    int64_t size = r->size();
    return size == s->size() && (size == 0 || (r->start == s->start && (size == 1 || r->step == s->step)));
  }
  if (auto *x = a.as<DictValue>(), *y = b.as<DictValue>(); x && y && x->keys != y->keys) {
    if (x->keys->size() != y->keys->size())
      return false;
    for (size_t i = 0; i < x->keys->size(); ++i) {
      auto at = findKey(*y, (*x->keys)[i]);
      auto same = at ? equal((*x->values)[i], (*y->values)[*at]) : std::optional<bool>(false);
      if (!same || !*same)
        return same;
    }
    return true;
  }
  if (auto *g = a.as<GenericValue>(); g && g->generic == Generic::Layout)
    return b.as<GenericValue>()->generic == Generic::Layout;
  if (auto *l = a.as<LayoutValue>())
    return *l->object == *b.as<LayoutValue>()->object;
  if (auto *o = a.as<ObjectValue>())
    return o->object->equals(*b.as<ObjectValue>()->object);
  if (auto *t = a.as<StructTypeValue>())
    return t->definition == b.as<StructTypeValue>()->definition;
  if (auto *t = a.as<PointerTypeValue>(), *u = b.as<PointerTypeValue>(); t && u)
    return t->space == u->space && t->alignment == u->alignment ? equal(*t->element, *u->element)
                                                                : std::optional<bool>(false);
  if (auto *x = a.as<GenericValue>(), *y = b.as<GenericValue>(); x && y)
    return x->generic != y->generic || !x->kind != !y->kind ? std::optional<bool>(false)
           : x->kind                                        ? equal(*x->kind, *y->kind)
                                                            : true;
  if (auto *m = a.as<MethodValue>(), *n = b.as<MethodValue>(); m && n)
    return m->name != n->name ? std::optional<bool>(false) : m->self == n->self ? true : equal(*m->self, *n->self);
  if (auto *m = a.as<ModuleValue>())
    return m->module == b.as<ModuleValue>()->module;
  if (auto *i = a.as<IndexValue>())
    return i->kind == b.as<IndexValue>()->kind;
  if (auto *arena = a.as<ArenaValue>())
    return arena->index == b.as<ArenaValue>()->index;
  if (a.is<TargetValue>() || a.is<DeviceValue>() || a.is<EllipsisValue>())
    return true; // there is one of each
  if (auto *x = a.parts()) {
    auto *y = b.parts();
    if (x == y)
      return true;
    if (!a.sameShape(b))
      return false;
    for (size_t i = 0; i < x->size(); ++i) {
      auto same = equal((*x)[i], (*y)[i]);
      if (!same || !*same)
        return same;
    }
    return true;
  }
  return std::nullopt;
}

std::optional<int64_t> toInt64(const Value &value) {
  if (auto *b = value.as<bool>())
    return *b;
  auto *i = value.as<Int>();
  if (!i || *i > Int(INT64_MAX) || *i < Int(INT64_MIN))
    return std::nullopt;
  return int64_t(*i);
}

std::optional<host::Int> toHostInt(const Value &value) {
  if (auto small = toInt64(value))
    return host::Int(*small);
  auto *i = value.as<Int>();
  const Int half(int64_t(1) << 32); // of u64, the largest that arrays have
  if (!i || *i < Int(0) || *i >= half * half)
    return std::nullopt;
  return (host::Int(int64_t(*i / half)) << 32) | host::Int(int64_t(*i % half));
}

} // namespace fly::sema
