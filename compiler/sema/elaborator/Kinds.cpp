// Decides the kind of a value.
#include "compiler/sema/elaborator/Kinds.h"

#include "compiler/sema/value/Builtin.h"
#include "compiler/sema/value/LayoutObject.h"

namespace fly::sema {

namespace {
struct Kind {
  const char *name, *text;
  bool (*has)(const Value &);
};
const Kind kinds[] = {
    {"int", "an int", [](const Value &v) { return v.is<Int>(); }},
    {"float", "a float", [](const Value &v) { return v.is<double>() || v.is<Int>(); }},
    {"str", "a string", [](const Value &v) { return v.is<std::string>(); }},
    {"type", "a type", [](const Value &v) { return v.is<Type>() || v.is<StructTypeValue>(); }},
    {"tuple", "a tuple", [](const Value &v) { return v.is<TupleValue>(); }},
    {"list", "a list", [](const Value &v) { return v.is<ListValue>(); }},
    {"dict", "a dict", [](const Value &v) { return v.is<DictValue>(); }},
};

const Kind *kindOf(const Value &annotation) {
  auto *builtin = annotation.as<BuiltinValue>();
  auto found = builtin
                   ? llvm::find_if(kinds, [&](auto &k) { return llvm::StringRef(builtin->builtin->name) == k.name; })
                   : std::end(kinds);
  return found == std::end(kinds) ? nullptr : found;
}
} // namespace

/// `Constexpr[layout]`: any function of the algebra that has a shape.
static bool isLayoutKind(const Value &annotation) {
  auto *generic = annotation.as<GenericValue>();
  return generic && generic->generic == Generic::Layout;
}

bool isKind(const Value &annotation) {
  return isLayoutKind(annotation) || kindOf(annotation) || annotation.is<Type>() || annotation.is<StructTypeValue>();
}

std::string kindText(const Value &kind) {
  if (isLayoutKind(kind))
    return "a layout";
  if (auto *known = kindOf(kind))
    return known->text;
  if (auto *type = kind.as<Type>())
    return type->isBool() ? "a bool" : "a number of " + type->text();
  return "a `" + kind.as<StructTypeValue>()->definition->name + "`";
}

std::optional<Value> asKind(const Value &value, const Value &kind) {
  if (isLayoutKind(kind)) {
    auto *object = value.as<LayoutValue>();
    return object && object->object->layout() ? std::optional<Value>(value) : std::nullopt;
  }
  if (auto *known = kindOf(kind)) {
    if (!known->has(value))
      return std::nullopt;
    if (llvm::StringRef(known->name) == "float" && value.is<Int>())
      if (auto small = toInt64(value); small && std::abs(*small) <= int64_t(1) << 53)
        return Value(double(*small));
    return value;
  }
  if (auto *type = kind.as<Type>()) {
    if (type->isBool())
      return value.is<bool>() ? std::optional<Value>(value) : std::nullopt;
    if (type->isFloat())
      return value.is<double>() || value.is<Int>() ? std::optional<Value>(value) : std::nullopt;
    auto *integer = value.as<Int>();
    bool fits = integer && !type->isVector() && *integer >= anySize(host::lowestInteger(type->number)) &&
                *integer <= anySize(host::largestInteger(type->number));
    return fits ? std::optional<Value>(value) : std::nullopt;
  }
  auto *record = value.as<StructValue>();
  return record && record->definition == kind.as<StructTypeValue>()->definition ? std::optional<Value>(value)
                                                                                : std::nullopt;
}

Value checkConstant(Elaborator &e, const std::string &what, const ast::Parameter &parameter, Value value,
                    SourceRange range) {
  Value annotation = parameter.annotation ? e.eval(*parameter.annotation) : Value();
  auto *constant = annotation.as<GenericValue>();
  if (!constant || !constant->kind)
    return value;
  auto fitting = asKind(value, *constant->kind);
  if (!fitting) {
    e.report(diag::wrong_argument_type, range, {what, kindText(*constant->kind), parameter.name, describe(value)})
        .note(parameter.range, "`" + parameter.name + "` is declared here");
    throw Failed{};
  }
  return *fitting;
}

} // namespace fly::sema
