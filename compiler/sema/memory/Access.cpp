// Accesses through pointers: options, loads and stores of every type that memory can hold, places of fields.
//
//     p.load(vec[f32, 4], align=16)      one 128-bit access
//     flag.load(order="acquire")         an atomic one; without `scope=` the agent's threads see it, in LDS the
//                                        workgroup's
//     nodes[i].left = x                  writes the field alone
#include "compiler/sema/memory/Pointers.h"
#include "compiler/sema/elaborator/InputWrites.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/elaborator/Suggest.h"

#include "compiler/dialect/FlyOps.h"

namespace fly::sema {

using ir::AddressSpace;
using ir::MemoryOrder;
using ir::MemoryScope;

// ---------------------------------------------------------------------------------------------------------
// Options

static diag::Choices quoted(std::initializer_list<const char *> names) {
  diag::Choices out;
  for (auto *name : names)
    out.push_back(std::string("\"") + name + "\"");
  return out;
}

MemoryOrder orderOf(Elaborator &e, const Value &value, SourceRange range) {
  if (auto *name = value.as<std::string>())
    if (auto order = ir::symbolizeMemoryOrder(*name))
      return *order;
  e.fail(range, diag::unknown_choice{.what = "an order",
                                     .choices = quoted({"relaxed", "acquire", "release", "acq_rel", "seq_cst"}),
                                     .found = describe(value)});
}

MemoryScope scopeOf(Elaborator &e, const Value &value, SourceRange range) {
  if (auto *name = value.as<std::string>())
    if (auto scope = ir::symbolizeMemoryScope(*name))
      return *scope;
  e.fail(range, diag::unknown_choice{.what = "a scope",
                                     .choices = quoted({"wave", "workgroup", "cluster", "agent", "system"}),
                                     .found = describe(value)});
}

AccessOptions takeOptions(Elaborator &e, llvm::StringRef method, Arguments &arguments, llvm::StringRef allowed) {
  AccessOptions options;
  Arguments rest;
  llvm::SmallVector<llvm::StringRef> names;
  allowed.split(names, ' ', -1, false);
  std::set<std::string> seen;
  for (auto &argument : arguments) {
    if (argument.keyword.empty()) {
      rest.push_back(argument);
      continue;
    }
    const std::string &name = argument.keyword;
    if (!llvm::is_contained(names, name)) {
      std::vector<std::string> candidates(names.begin(), names.end());
      failUnknown(e, diag::unknown_keyword, argument.range, method.str(), name, candidates);
    }
    if (!seen.insert(name).second)
      e.fail(diag::duplicate_argument, argument.range, {method.str(), name});
    if (name == "volatile" || name == "nontemporal") {
      auto *flag = argument.value.as<bool>();
      if (!flag)
        e.fail(argument.range,
               diag::not_true_or_false{.what = diag::argument(name, method), .found = describe(argument.value)});
      (name == "volatile" ? options.isVolatile : options.isNontemporal) = *flag;
    } else if (name == "order") {
      options.order = orderOf(e, argument.value, argument.range);
      options.orderRange = argument.range;
    } else if (name == "scope") {
      options.scope = scopeOf(e, argument.value, argument.range);
      options.orderRange = options.orderRange.valid() ? options.orderRange : argument.range;
    } else {
      int64_t align = requireInt(e, argument.value, argument.range, "the alignment");
      if (align < 1 || align > 4096 || (align & (align - 1)))
        e.fail(argument.range, diag::not_a_power_of_two{.what = "the alignment", .limit = 4096, .found = align});
      options.alignment = uint32_t(align);
    }
  }
  arguments = std::move(rest);
  return options;
}

/// An order without a scope is for the agent's threads (in LDS the workgroup's); a scope without an order is relaxed.
static void complete(AccessOptions &options, AddressSpace space) {
  if (options.scope && !options.order)
    options.order = MemoryOrder::Relaxed;
  if (options.order && !options.scope)
    options.scope = space == AddressSpace::Shared ? MemoryScope::Workgroup : MemoryScope::Agent;
}

static void checkOrder(Elaborator &e, const AccessOptions &options, const Value &type, bool isStore,
                       SourceRange range) {
  if (!options.order)
    return;
  auto never = isStore ? MemoryOrder::Acquire : MemoryOrder::Release;
  if (*options.order == never || *options.order == MemoryOrder::AcqRel)
    e.fail(options.orderRange,
           diag::unknown_choice{.what = isStore ? "the order of a store" : "the order of a load",
                                .choices = quoted({"relaxed", isStore ? "release" : "acquire", "seq_cst"}),
                                .found = "\"" + ir::stringifyMemoryOrder(*options.order).str() + "\""});
  auto *machine = type.as<Type>();
  if (!type.is<PointerTypeValue>() && (!machine || machine->isVector() || machine->isBool()))
    e.fail(diag::bad_access, range,
           {"an access with an order moves one number or pointer, not " +
            (machine ? machine->text() : "a `" + toText(type) + "`")});
}

// ---------------------------------------------------------------------------------------------------------
// Loads and stores

Value loadFrom(Elaborator &e, mlir::Value pointer, const Value &type, const AccessOptions &options, SourceRange range) {
  if (auto *record = type.as<StructTypeValue>()) {
    MemoryLayout layout = layoutOf(e, type, range);
    Values fields;
    for (size_t i = 0; i < layout.offsets.size(); ++i)
      fields.push_back(loadFrom(e, addBytes(e, pointer, layout.offsets[i], range),
                                record->definition->fields[i].annotation, options, range));
    return makeStruct(record->definition, std::move(fields));
  }
  auto *target = type.as<PointerTypeValue>();
  mlir::Type loaded = target ? mlir::Type(ir::PtrType::get(&e.context, target->space, target->alignment))
                             : mlirType(e, *type.as<Type>());
  auto load = ir::PtrLoadOp::create(e.ir(range, "a load"), e.location(range), loaded, pointer);
  load.setIsVolatile(options.isVolatile);
  load.setIsNontemporal(options.isNontemporal);
  load.setIsInvariant(options.isInvariant);
  if (options.order) {
    load.setOrder(options.order);
    load.setScope(options.scope);
  }
  if (target)
    return Value(PointerValue{load, target->element,
                              target->space == AddressSpace::Constant ? Access::Read : Access::ReadWrite, "pointer"});
  return Value(MachineValue{load, *type.as<Type>()});
}

void storeTo(Elaborator &e, mlir::Value pointer, const Value &type, const Value &value, const AccessOptions &options,
             SourceRange range, SourceRange valueRange) {
  if (value.is<ErrorValue>())
    throw Failed{};
  if (auto *record = type.as<StructTypeValue>()) {
    auto *stored = value.as<StructValue>();
    if (!stored || stored->definition != record->definition)
      e.fail(valueRange, diag::argument_of_type{.what = diag::argument("value", "store"),
                                                .type = "`" + record->definition->name + "`",
                                                .found = describe(value)});
    MemoryLayout layout = layoutOf(e, type, range);
    for (size_t i = 0; i < layout.offsets.size(); ++i)
      storeTo(e, addBytes(e, pointer, layout.offsets[i], range), record->definition->fields[i].annotation,
              (*stored->fields)[i], options, range, valueRange);
    return;
  }
  mlir::Value stored;
  if (auto *target = type.as<PointerTypeValue>())
    stored = coercePointer(e, value, *target, valueRange, diag::argument("value", "store")).as<PointerValue>()->value;
  else
    stored = toMachine(e, value, *type.as<Type>(), valueRange).value;
  auto store = ir::PtrStoreOp::create(e.ir(range, "a store"), e.location(range), stored, pointer);
  store.setIsVolatile(options.isVolatile);
  store.setIsNontemporal(options.isNontemporal);
  if (options.order) {
    store.setOrder(options.order);
    store.setScope(options.scope);
  }
}

static void requireWritable(Elaborator &e, const PointerValue &pointer, SourceRange range) {
  if (pointer.access != Access::Read)
    return;
  if (spaceOf(pointer) == AddressSpace::Constant)
    e.fail(diag::bad_access, range, {"constant memory cannot be written"});
  failInput(e, range, pointer.name);
}

void storeThrough(Elaborator &e, const PointerValue &place, const Value &value, SourceRange range,
                  SourceRange valueRange) {
  requireWritable(e, place, range);
  storeTo(e, place.value, *place.element, value, {}, range, valueRange);
}

// ---------------------------------------------------------------------------------------------------------
// Places of structs in memory

PointerValue fieldOf(Elaborator &e, const PointerValue &place, const ast::AttributeExpr &field) {
  auto *definition = place.element->as<StructTypeValue>()->definition;
  auto index = definition->fieldIndex(field.name);
  if (!index) {
    std::vector<std::string> names;
    for (auto &known : definition->fields)
      names.push_back(known.name);
    failUnknown(e, diag::unknown_attribute, field.nameRange, "a `" + definition->name + "`", field.name, names);
  }
  PointerValue out = place;
  out.value = addBytes(e, place.value, layoutOf(e, *place.element, field.range).offsets[*index], field.range);
  out.element = std::make_shared<const Value>(definition->fields[*index].annotation);
  return out;
}

// ---------------------------------------------------------------------------------------------------------
// Methods

Value pointerMethod(Elaborator &e, const PointerValue &pointer, llvm::StringRef name, Arguments &arguments,
                    SourceRange range) {
  if (isAtomicMethod(name))
    return atomicMethod(e, pointer, name, arguments, range);
  auto count = [&](size_t least, size_t most, const char *text) {
    if (arguments.size() < least || arguments.size() > most)
      e.fail(diag::wrong_argument_count, range, {name.str(), text, std::to_string(arguments.size())});
  };
  if (name == "aligned") {
    takeOptions(e, name, arguments, "");
    count(1, 1, "1 argument");
    arguments[0].keyword = "align";
    return Value(withAlignment(e, pointer, takeOptions(e, name, arguments, "align").alignment, range));
  }
  if (name == "to") {
    AccessOptions options = takeOptions(e, name, arguments, "align");
    count(1, 1, "1 argument");
    Value element = requireMemoryType(e, arguments[0].value, arguments[0].range, "what a pointer points to");
    uint32_t natural = uint32_t(layoutOf(e, element, range).alignment);
    PointerValue out = withAlignment(
        e, pointer, options.alignment ? options.alignment : std::max(natural, alignmentOf(pointer)), range);
    out.element = std::make_shared<const Value>(element);
    return Value(out);
  }
  bool isStore = name == "store";
  AccessOptions options = takeOptions(e, name, arguments, "volatile nontemporal order scope align");
  complete(options, spaceOf(pointer));
  PointerValue place = options.alignment ? withAlignment(e, pointer, options.alignment, range) : pointer;
  if (!isStore) {
    count(0, 1, "at most 1 argument");
    Value type = arguments.empty() ? *pointer.element
                                   : requireMemoryType(e, arguments[0].value, arguments[0].range, "what is loaded");
    checkOrder(e, options, type, false, range);
    return loadFrom(e, place.value, type, options, range);
  }
  count(1, 1, "1 argument");
  requireWritable(e, pointer, range);
  Value type = *pointer.element;
  // Stores several elements: `p.store(v)` with a vector.
  if (auto *m = arguments[0].value.as<MachineValue>();
      m && type.is<Type>() && m->type.isVector() && m->type.element() == type.as<Type>()->element())
    type = Value(m->type);
  checkOrder(e, options, type, true, range);
  storeTo(e, place.value, type, arguments[0].value, options, range, arguments[0].range);
  return Value();
}

} // namespace fly::sema
