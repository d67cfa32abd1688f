// Structs: `@struct class` groups values under names, at both binding times.
//
//     @struct
//     class Online:                        a StructDefinition: fields `top`, `sum`, method `join`
//         top: f32
//         sum: f32 = 0.0
//         def join(self, other): ...
//
//     s = Online(x)                        construct: binds and coerces the fields
//     s.join(t), s + t                     methods and operators are functions with `s` as first argument
//
// An instance is a value, as a tuple is: its fields travel through control flow one by one, and assigning a field
// makes a new instance. A method cannot assign to its own: it would change a copy.
#include "compiler/sema/control/AssignedNames.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/tensor/Tensors.h"
#include "compiler/sema/language/Evaluator.h"

#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/elaborator/Kinds.h"
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/value/Key.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/text/Words.h"
#include "llvm/ADT/ScopeExit.h"

namespace fly::sema {

static bool sameFields(const StructDefinition &a, const StructDefinition &b) {
  return llvm::equal(a.fields, b.fields,
                     [](auto &x, auto &y) { return x.name == y.name && toText(x.annotation) == toText(y.annotation); });
}

/// A class in a function may become several types. Those with other fields, or whose methods read other values, get
/// other names, in messages and in C, where one cannot be passed for the other: `Value`, `Value_2`.
static void distinguish(StructDefinition &made) {
  unsigned number = 1;
  for (const std::string name = made.name;; made.name = name + "_" + std::to_string(++number))
    if (llvm::none_of(made.module->structs, [&](auto &other) {
          return other.get() != &made && other->name == made.name &&
                 (other->key != made.key || !sameFields(*other, made));
        }))
      return;
}

/// Whether statements of the function after the class may change what its methods read.
static bool changesLater(const Frame &frame, const ast::ClassStmt &stmt, llvm::StringRef text) {
  if (!frame.function)
    return true;
  auto at = llvm::find(frame.function->body, &stmt);
  if (at == frame.function->body.end())
    return true; // in a loop or a branch
  for (auto *later : llvm::make_range(std::next(at), frame.function->body.end()))
    for (const std::string &name : assignedNames(*later))
      if (text.contains(name))
        return true;
  return false;
}

/// A function that makes a struct of the same values again makes the same type.
static const StructDefinition *sameAsEarlier(const StructDefinition &made) {
  for (auto &other : made.module->structs)
    if (other.get() != &made && !made.key.empty() && other->key == made.key)
      return other.get();
  return nullptr;
}

void Evaluator::defineStruct(const ast::ClassStmt &stmt) {
  auto *decorator = stmt.decorators.size() == 1 ? llvm::dyn_cast<ast::NameExpr>(stmt.decorators[0]) : nullptr;
  if (!decorator || decorator->name != "struct") {
    SourceRange at = stmt.decorators.empty() ? stmt.nameRange : stmt.decorators[0]->range;
    auto builder = report(diag::bad_decorator, at, {"a class must be a struct; decorate it with `@struct`"});
    const std::string help = "put `@struct` above `class " + stmt.name + "`";
    if (stmt.decorators.empty() && diags.sources.lineColumn(stmt.range.file, stmt.range.begin).column == 1)
      builder.help(help, Fix::safe({stmt.range.file, stmt.range.begin, stmt.range.begin}, "@struct\n"));
    else
      builder.help(help);
    throw Failed{};
  }
  auto definition = std::make_unique<StructDefinition>();
  definition->name = stmt.name;
  definition->stmt = &stmt;
  definition->module = frame->module;
  if (!frame->isModule)
    definition->enclosing = frame;
  auto *made = definition.get();
  frame->module->structs.push_back(std::move(definition));
  binding(*frame, stmt.name) = Value(StructTypeValue{made}); // its methods and fields may name it

  auto taken = [&](const std::string &name, SourceRange range) {
    if (made->fieldIndex(name) || made->methods.count(name))
      fail(diag::bad_struct, range, {"`" + stmt.name + "` already has a `" + name + "`"});
  };
  for (auto *member : stmt.body) {
    if (auto *field = llvm::dyn_cast<ast::AnnAssignStmt>(member)) {
      auto *name = llvm::cast<ast::NameExpr>(field->target); // the parser lets only a name have a type
      taken(name->name, name->range);
      Value annotation = eval(*field->annotation);
      if (auto *other = annotation.as<StructTypeValue>(); other && other->definition == made)
        fail(diag::bad_struct, field->annotation->range, {"`" + stmt.name + "` cannot contain itself"});
      if (!field->value && !made->fields.empty() && made->fields.back().defaultValue)
        fail(diag::bad_struct, name->range,
             {"field `" + name->name + "` has no default, but follows a field with a default"});
      made->fields.push_back({name->name, annotation, field->value, name->range});
    } else if (auto *method = llvm::dyn_cast<ast::DefStmt>(member)) {
      taken(method->name, method->nameRange);
      if (!method->decorators.empty())
        fail(diag::bad_decorator, method->decorators[0]->range, {"a method cannot have a decorator"});
      if (method->name == "__init__" || method->name == "__new__" || method->name == "__post_init__")
        report(diag::bad_struct, method->nameRange,
               {"a struct cannot define `" + method->name + "`; `" + stmt.name + "(...)` initializes each field"})
            .help("to compute the fields, write a function that returns a `" + stmt.name + "`"),
            throw Failed{};
      if (method->parameters.empty())
        fail(diag::bad_struct, method->nameRange,
             {"method `" + method->name + "` has no parameter for the instance; write `def " + method->name +
              "(self)`"});
      made->methods[method->name] = method;
    } else if (member->kind != ast::StmtKind::Pass)
      fail(diag::bad_struct, member->range,
           {"the body of a struct may contain only fields (`name: type`) and methods"});
  }
  if (made->enclosing && !changesLater(*frame, stmt, diags.sources.text(stmt.range)))
    made->key = structKey(diags.sources, *made);
  if (auto *earlier = sameAsEarlier(*made))
    binding(*frame, stmt.name) = Value(StructTypeValue{earlier});
  else
    distinguish(*made);
}

Value Evaluator::coerce(Value value, const Value &annotation, SourceRange range, llvm::StringRef what,
                        llvm::StringRef name) {
  auto refuse = [&](const std::string &wanted) {
    fail(diag::wrong_argument_type, range, {what.str(), wanted, name.str(), describe(value)});
  };
  if (value.is<ErrorValue>())
    throw Failed{};
  if (auto *type = annotation.as<Type>()) {
    // Exactly that type; a literal becomes one where there is a machine.
    if (value.is<MachineValue>() || (value.isNumber() && onDevice()))
      return Value(toMachine(*this, value, *type, range));
    bool isHostVector = !onDevice() && type->isVector() && value.sequence() && value.sequence()->size() == type->lanes;
    if (!value.isNumber() && !value.is<HostValue>() && !value.is<ArrayValue>() && !isHostVector)
      refuse(type->text());
  } else if (auto *pointerType = annotation.as<PointerTypeValue>()) {
    const bool isMemory =
        value.is<ArrayValue>() || value.is<HostTensorValue>() || value.isNone(); // of a check, of a launch
    if (onDevice() || !isMemory)
      return coercePointer(*this, value, *pointerType, range, diag::argument(name, what));
  } else if (auto *structType = annotation.as<StructTypeValue>()) {
    auto *record = value.as<StructValue>();
    if (!record || record->definition != structType->definition)
      refuse("a `" + structType->definition->name + "`");
  } else if (annotation.is<GenericValue>() && annotation.as<GenericValue>()->generic == Generic::Constexpr) {
    if (!value.isCompileTime()) {
      if (auto *m = value.as<MachineValue>())
        fail(diag::not_compile_time, range, {"`" + name.str() + "` of `" + what.str() + "`", m->type.text()});
      refuse("a compile-time value");
    }
    if (auto &kind = annotation.as<GenericValue>()->kind) {
      auto fitting = asKind(value, *kind);
      if (!fitting)
        refuse(kindText(*kind));
      return *fitting;
    }
  } else if (annotation.is<BuiltinValue>() && isKind(annotation)) { // `n: int`
    if (auto *m = value.as<MachineValue>())
      fail(diag::not_compile_time, range, {"`" + name.str() + "` of `" + what.str() + "`", m->type.text()});
    auto fitting = asKind(value, annotation);
    if (!fitting)
      refuse(kindText(annotation));
    return *fitting;
  }
  return value;
}

Value Evaluator::construct(const StructDefinition &definition, Arguments arguments, SourceRange range) {
  auto &fields = definition.fields;
  std::vector<std::optional<Value>> given(fields.size());
  size_t next = 0;
  for (auto &argument : arguments) {
    size_t at = next;
    if (!argument.keyword.empty()) {
      auto found = definition.fieldIndex(argument.keyword);
      if (!found) {
        std::vector<std::string> names;
        for (auto &field : fields)
          names.push_back(field.name);
        failUnknown(*this, diag::unknown_keyword, argument.range, definition.name, argument.keyword, names);
      }
      at = *found;
    } else if (next++ >= fields.size()) {
      auto builder = report(diag::wrong_argument_count, range,
                            {definition.name, counted(fields.size(), "argument"),
                             std::to_string(llvm::count_if(arguments, [](auto &a) { return a.keyword.empty(); }))});
      builder.note(definition.stmt->nameRange, "`" + definition.name + "` is defined here");
      throw Failed{};
    }
    if (given[at])
      fail(diag::duplicate_argument, argument.range, {definition.name, fields[at].name});
    given[at] = coerce(argument.value, fields[at].annotation, argument.range, definition.name, fields[at].name);
  }
  Values values;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!given[i] && !fields[i].defaultValue) {
      report(diag::missing_argument, range, {definition.name, fields[i].name})
          .note(fields[i].range, "`" + fields[i].name + "` is declared here");
      throw Failed{};
    }
    if (!given[i]) { // a default reads what surrounds the class
      auto caller = frame;
      frame = std::make_shared<Frame>();
      frame->enclosing = definition.enclosing;
      frame->module = definition.module;
      llvm::scope_exit restore([&] { frame = caller; });
      given[i] = coerce(eval(*fields[i].defaultValue), fields[i].annotation, fields[i].defaultValue->range,
                        definition.name, fields[i].name);
    }
    values.push_back(*given[i]);
  }
  Value made = makeStruct(&definition, std::move(values));
  checkSize(made, range);
  return made;
}

/// A method as a function of the struct's module; its first parameter is the instance.
static FunctionValue methodOf(const StructDefinition &definition, const ast::DefStmt *method) {
  FunctionValue function;
  function.def = method;
  function.enclosing = definition.enclosing;
  function.module = definition.module;
  function.methodOf = &definition;
  return function;
}

std::optional<Value> Evaluator::structAttribute(const StructDefinition &definition, llvm::StringRef name) {
  auto found = definition.methods.find(name.str());
  return found == definition.methods.end() ? std::nullopt : std::optional<Value>(methodOf(definition, found->second));
}

Value Evaluator::callStructMethod(const StructValue &self, llvm::StringRef name, Arguments arguments,
                                  SourceRange range) {
  arguments.insert(arguments.begin(), Argument{"", Value(self), range});
  return callFunction(methodOf(*self.definition, self.definition->methods.at(name.str())), std::move(arguments), range);
}

std::optional<Value> Evaluator::structOperator(llvm::StringRef operation, const Value &lhs, const Value *rhs,
                                               SourceRange range, SourceRange rhsRange) {
  auto call = [&](const Value &self, const std::string &method, const Value *other) -> std::optional<Value> {
    auto *record = self.as<StructValue>();
    if (!record || !record->definition->methods.count(method))
      return std::nullopt;
    Arguments arguments;
    if (other)
      arguments.push_back({"", *other, rhsRange});
    return callStructMethod(*record, method, std::move(arguments), range);
  };
  if (auto result = call(lhs, "__" + operation.str() + "__", rhs))
    return result;
  return rhs ? call(*rhs, "__r" + operation.str() + "__", &lhs) : std::nullopt;
}

/// Where `p[i]`, `p[i].field`, `t[i].field` are in memory; none if the expression names no place of a struct in memory.
static std::optional<PointerValue> placeOf(Elaborator &e, const ast::Expr &expr) {
  if (auto *item = llvm::dyn_cast<ast::SubscriptExpr>(&expr)) {
    if (!llvm::isa<ast::NameExpr, ast::AttributeExpr>(item->base))
      return std::nullopt;
    Value base = e.eval(*item->base);
    auto *tensor = base.as<TensorValue>();
    if (!base.is<PointerValue>() && !(tensor && tensor->record))
      return std::nullopt;
    Values items;
    for (auto &each : item->items)
      items.push_back(e.eval(*each.value));
    PointerValue place =
        tensor ? elementOf(e, *tensor, items, expr.range) : elementOf(e, *base.as<PointerValue>(), items, expr.range);
    return place.element->is<StructTypeValue>() ? std::optional(place) : std::nullopt;
  }
  if (auto *field = llvm::dyn_cast<ast::AttributeExpr>(&expr))
    if (auto outer = placeOf(e, *field->base))
      if (auto place = fieldOf(e, *outer, *field); place.element->is<StructTypeValue>())
        return place;
  return std::nullopt;
}

void Evaluator::assignField(const ast::AttributeExpr &target, const Value &value, SourceRange valueRange) {
  if (auto place =
          onDevice() ? placeOf(*this, *target.base) : std::nullopt) // a struct in memory: the field alone is written
    return storeThrough(*this, fieldOf(*this, *place, target), value, target.range, valueRange);
  Value base = eval(*target.base);
  auto *record = base.as<StructValue>();
  if (!record)
    fail(diag::bad_target, target.range, {"attribute `" + target.name + "` of " + describe(base), ""});
  auto *name = llvm::dyn_cast<ast::NameExpr>(target.base);
  if (name && frame->methodOf && frame->function && name->name == frame->function->parameters[0].name) {
    report(diag::bad_target, target.range, {"a field of `" + name->name + "`", "; a method has a copy of its struct"})
        .help("return a new struct: `return " + record->definition->name + "(...)`");
    throw Failed{};
  }
  auto index = record->definition->fieldIndex(target.name);
  if (!index)
    attribute(base, target.name, target.range, target.nameRange); // reports the unknown name
  if (!index)
    fail(diag::bad_target, target.range, {"method `" + target.name + "`", ""});
  Values fields = *record->fields;
  fields[*index] =
      coerce(value, record->definition->fields[*index].annotation, valueRange, record->definition->name, target.name);
  assign(*target.base, makeStruct(record->definition, std::move(fields)));
}

} // namespace fly::sema
