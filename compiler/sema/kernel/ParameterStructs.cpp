// See ParameterStructs.h.
#include "compiler/sema/kernel/ParameterStructs.h"

namespace fly::sema {

using artifact::FieldInfo;
using artifact::StructInfo;

std::shared_ptr<const StructInfo> structInfo(Elaborator &e, const Value &type, SourceRange range) {
  auto *definition = type.as<StructTypeValue>()->definition;
  MemoryLayout layout = layoutOf(e, type, range);
  auto out = std::make_shared<StructInfo>();
  out->name = definition->name;
  out->size = uint32_t(layout.bytes);
  out->alignment = uint32_t(layout.alignment);
  for (size_t i = 0; i < definition->fields.size(); ++i) {
    auto &field = definition->fields[i];
    FieldInfo info;
    info.name = field.name;
    info.offset = uint32_t(layout.offsets[i]);
    info.size = uint32_t(layoutOf(e, field.annotation, range).bytes);
    if (auto *machine = field.annotation.as<Type>()) {
      info.type = machine->format().name;
      info.lanes = machine->lanes;
    } else if (auto *pointer = field.annotation.as<PointerTypeValue>()) {
      if (pointer->space != ir::AddressSpace::Global && pointer->space != ir::AddressSpace::Constant)
        e.fail(diag::bad_pointer, range,
               {"field `" + field.name + "` of `" + definition->name + "` points to " +
                ir::stringifyAddressSpace(pointer->space).str() + " memory, which exists only in a running kernel"});
      info.isPointer = true;
      info.type = toText(*pointer->element);
      info.isReadOnly = pointer->space == ir::AddressSpace::Constant;
      info.alignment = pointer->alignment;
    } else {
      info.record = structInfo(e, field.annotation, range);
      info.type = info.record->name;
    }
    out->fields.push_back(std::move(info));
  }
  return out;
}

static bool isNumber(const FieldInfo &field) { return !field.record && !field.isPointer && field.lanes == 0; }

Value launchStruct(const StructInfo &info, const Value &type, const std::string &path, unsigned first, uint32_t offset,
                   std::vector<artifact::ParameterInfo> &fields) {
  auto *definition = type.as<StructTypeValue>()->definition;
  Values out;
  for (size_t i = 0; i < info.fields.size(); ++i) {
    auto &field = info.fields[i];
    std::string name = path + "." + field.name;
    if (field.record) {
      out.push_back(
          launchStruct(*field.record, definition->fields[i].annotation, name, first, offset + field.offset, fields));
      continue;
    }
    if (!isNumber(field)) {
      out.push_back(Value());
      continue;
    }
    auto &format = host::format(*host::numberByName(field.type));
    auto kind = format.isFloat() ? host::ExprKind::Float : format.isBool() ? host::ExprKind::Bool : host::ExprKind::Int;
    out.push_back(
        Value(HostValue{host::parameter(first + unsigned(fields.size()), name, kind), format.bits > 32 ? 64u : 32u}));
    artifact::ParameterInfo leaf;
    leaf.name = name;
    leaf.type = field.type;
    leaf.elementBytes = leaf.size = field.size;
    leaf.offset = offset + field.offset;
    fields.push_back(std::move(leaf));
  }
  return makeStruct(definition, std::move(out));
}

void numbersOf(const StructInfo &info, const Value &record, Values &out) {
  for (size_t i = 0; i < info.fields.size(); ++i) {
    const Value &value = (*record.parts())[i];
    if (info.fields[i].record)
      numbersOf(*info.fields[i].record, value, out);
    else if (isNumber(info.fields[i]))
      out.push_back(value);
  }
}

} // namespace fly::sema
