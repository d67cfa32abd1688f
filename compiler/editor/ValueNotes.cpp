// See ValueNotes.h.
#include "compiler/editor/ValueNotes.h"

#include "compiler/dialect/FlyTypes.h"
#include "compiler/sema/value/LayoutObject.h"
#include "compiler/sema/value/Object.h"
#include "compiler/sema/value/Scope.h"

namespace fly::editor {

namespace {

/// Longer ones are told by their kind: nobody reads them, and some have millions of elements.
constexpr uint64_t mostElements = 64;
constexpr size_t longestText = 400;

std::string textOf(const sema::Value &value) {
  const bool isPlain = value.is<sema::Int>() || value.is<bool>() || value.is<double>() || value.is<std::string>() ||
                       value.is<sema::TupleValue>() || value.is<sema::ListValue>() || value.is<sema::DictValue>() ||
                       value.is<sema::StructValue>() || value.is<sema::SliceValue>() || value.is<sema::RangeValue>() ||
                       value.is<sema::Type>() || value.is<sema::LayoutValue>() || value.is<sema::ObjectValue>() ||
                       value.is<sema::TensorValue>() || value.is<sema::HostValue>() || value.is<sema::NoneValue>() ||
                       value.is<sema::PointerTypeValue>();
  if (isPlain && value.weight() <= mostElements)
    if (std::string text = sema::toText(value, true); text.size() <= longestText)
      return text;
  return sema::describe(value);
}

ValueNote::Place placeIn(ir::AddressSpace space) {
  switch (space) {
  case ir::AddressSpace::Global:
  case ir::AddressSpace::Constant:
  case ir::AddressSpace::Buffer: return ValueNote::Place::Global;
  case ir::AddressSpace::Shared: return ValueNote::Place::Shared;
  case ir::AddressSpace::Private: return ValueNote::Place::Register; // fragments
  default: return ValueNote::Place::Unknown;
  }
}

/// Where the value lives; of a tuple or struct, where all parts of it do that are no constants.
ValueNote::Place placeOf(const sema::Value &value) {
  if (auto *parts = value.parts(); parts && value.weight() <= mostElements && !value.isCompileTime()) {
    ValueNote::Place place = ValueNote::Place::CompileTime;
    for (auto &part : *parts) {
      const ValueNote::Place its = placeOf(part);
      if (place == ValueNote::Place::CompileTime)
        place = its;
      else if (its != place && its != ValueNote::Place::CompileTime)
        return ValueNote::Place::Unknown;
    }
    return place;
  }
  if (auto *tensor = value.as<sema::TensorValue>()) {
    auto type = llvm::dyn_cast<ir::TensorType>(tensor->value.getType());
    return type ? placeIn(type.getSpace()) : ValueNote::Place::Unknown;
  }
  if (value.is<sema::MachineValue>() || value.is<sema::IndexValue>())
    return ValueNote::Place::Register;
  if (value.is<sema::PointerValue>()) // the address is in registers; what it points to is what counts
    if (auto type = llvm::dyn_cast<ir::PtrType>(value.as<sema::PointerValue>()->value.getType()))
      return placeIn(type.getSpace());
  if (value.is<sema::ArenaValue>())
    return ValueNote::Place::Shared;
  if (value.is<sema::HostValue>() || value.is<sema::HostTensorValue>())
    return ValueNote::Place::LaunchTime;
  if (auto *object = value.as<sema::ObjectValue>(); object && object->object->isRunTime())
    return ValueNote::Place::Register;
  return value.isCompileTime() ? ValueNote::Place::CompileTime : ValueNote::Place::Unknown;
}

} // namespace

ValueNote noteOf(const sema::Value &value) {
  ValueNote note;
  note.text = textOf(value);
  note.place = placeOf(value);
  note.isType = value.is<sema::Type>() || value.is<sema::GenericValue>() || value.is<sema::PointerTypeValue>() ||
                value.is<sema::TensorTypeValue>();
  if (value.is<sema::LayoutValue>() || value.is<sema::TensorValue>() || value.is<sema::ObjectValue>())
    note.hint = ValueNote::Hint::Layout;
  else if (value.is<sema::Int>() || value.is<bool>() || value.is<double>())
    note.hint = ValueNote::Hint::Constant;
  if (auto *layout = value.as<sema::LayoutValue>()) {
    note.kind = "layout";
    if (!layout->object->hasMachineParts()) {
      note.layout = layout->object->layout();
      note.drawn = std::make_shared<const sema::Value>(value);
    }
  } else if (value.is<sema::Int>())
    note.kind = "int";
  else if (value.is<double>())
    note.kind = "float";
  if (auto *object = value.as<sema::ObjectValue>(); object && object->object->isCompileTime())
    note.drawn = std::make_shared<const sema::Value>(value);
  if (auto *builtin = value.as<sema::BuiltinValue>())
    note.builtin = builtin->builtin;
  if (auto *function = value.as<sema::FunctionValue>(); function && function->def)
    note.function = function->def;
  if (auto *kernel = value.as<sema::KernelValue>())
    note.function = kernel->kernel->def;
  if (auto *made = value.as<sema::StructTypeValue>())
    note.structure = made->definition->stmt;
  if (auto *made = value.as<sema::StructValue>())
    note.instanceOf = made->definition;
  if (auto *module = value.as<sema::ModuleValue>())
    note.module = module->module;
  if (note.function)
    note.definition = note.function->nameRange;
  if (note.structure)
    note.definition = note.structure->nameRange;
  return note;
}

std::optional<ValueNote> memberOf(const ValueNote &base, const std::string &name) {
  if (base.module)
    if (auto found = base.module->names.find(name); found != base.module->names.end())
      return noteOf(found->second);
  if (!base.instanceOf)
    return std::nullopt;
  ValueNote note;
  if (auto found = base.instanceOf->methods.find(name); found != base.instanceOf->methods.end()) {
    note.function = found->second;
    note.definition = found->second->nameRange;
    return note;
  }
  if (auto index = base.instanceOf->fieldIndex(name)) {
    auto &field = base.instanceOf->fields[*index];
    note.text = sema::toText(field.annotation);
    note.definition = field.range;
    return note;
  }
  return std::nullopt;
}

void ValueNotes::evaluated(const ast::Expr &expr, const sema::Value &value) {
  if (expr.range.file != file || value.is<sema::ErrorValue>() || value.is<sema::OneSidedValue>())
    return;
  auto [entry, isNew] = notes.try_emplace({expr.range.begin, expr.range.end});
  if (isNew)
    entry->second = noteOf(value);
  stopped |= wanted.valid() && wanted.begin == expr.range.begin && wanted.end == expr.range.end;
}

bool ValueNotes::isStopped() {
  if (!stopped && ++asked % 64 == 0)
    stopped = stop() || (offered && !offered->empty());
  return stopped;
}

const ValueNote *ValueNotes::find(SourceRange range) const {
  auto found = notes.find({range.begin, range.end});
  return range.file == file && found != notes.end() ? &found->second : nullptr;
}

} // namespace fly::editor
