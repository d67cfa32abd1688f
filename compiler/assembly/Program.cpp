// Recording: stand-ins for registers that are not chosen yet, and the first assembly.
#include "compiler/assembly/Program.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::assembly {

using isa::RegisterFile;

const char *name(Input input) {
  switch (input) {
  case Input::None: break;
  case Input::KernargPointer: return "abi.kernarg";
  case Input::WorkgroupIdX: return "abi.workgroup_id.x";
  case Input::WorkgroupIdY: return "abi.workgroup_id.y";
  case Input::WorkgroupIdZ: return "abi.workgroup_id.z";
  case Input::WorkitemIds: return "abi.workitem_id";
  }
  return "";
}

std::string describe(RegisterFile file, unsigned width) {
  static constexpr const char *files[] = {"s", "v", "a"};
  return std::string(files[static_cast<unsigned>(file)]) + (width == 1 ? "()" : "(" + std::to_string(width) + ")");
}

uint32_t Program::variable(RegisterFile file, unsigned width, Place place) {
  Variable v;
  v.file = file;
  v.width = static_cast<uint16_t>(width);
  v.place = place;
  variables.push_back(std::move(v));
  return static_cast<uint32_t>(variables.size() - 1);
}

uint32_t Program::input(Input input, Place place) {
  auto [entry, isNew] = inputs.try_emplace(input, 0);
  if (isNew) {
    entry->second = variable(input == Input::WorkitemIds ? RegisterFile::VGPR : RegisterFile::SGPR,
                             input == Input::KernargPointer ? 2 : 1, place);
    variables.back().input = input;
    variables.back().name = name(input);
  }
  return entry->second;
}

bool Program::uses(Input input) const { return inputs.count(input) != 0; }

uint32_t Program::label(std::string name, Place place) {
  labels.push_back({std::move(name), place, std::nullopt});
  return static_cast<uint32_t>(labels.size() - 1);
}

void Program::place(uint32_t label, Place place) {
  labels[label].placed = place;
  Item item;
  item.kind = Item::Kind::Label;
  item.label = label;
  item.statement.place = place;
  items.push_back(std::move(item));
}

namespace {

/// All operands: those of the second half follow.
template <class F> void forEachOperand(isa::AsmInstruction &assembly, F &&f) {
  size_t number = 0;
  for (isa::AsmOperand &o : assembly.operands)
    f(o, number++);
  if (assembly.second) {
    auto second = std::make_shared<isa::AsmInstruction>(*assembly.second);
    for (isa::AsmOperand &o : second->operands)
      f(o, number++);
    assembly.second = std::move(second);
  }
}

/// Registers of one file that an instruction names already.
struct Taken {
  llvm::SmallVector<std::pair<unsigned, unsigned>, 8> spans[3];
  /// The lowest aligned span that is free. Dual instructions take one result of an even number and one of an odd one,
  /// and sources of different banks; neighbours are different in all of these.
  unsigned take(RegisterFile file, unsigned width, unsigned alignment) {
    auto &list = spans[static_cast<unsigned>(file)];
    unsigned first = 0;
    for (bool again = true; again;) {
      again = false;
      for (auto [begin, end] : list)
        if (first < end && begin < first + width)
          first = (end + alignment - 1) / alignment * alignment, again = true;
    }
    list.push_back({first, first + width});
    return first;
  }
};

} // namespace

std::optional<isa::AsmError> Program::add(Statement statement) {
  Item item;
  isa::AsmInstruction assembly = statement.assembly;
  auto referenceOf = [&](size_t k) -> std::optional<Reference> {
    return k < statement.references.size() ? statement.references[k] : std::nullopt;
  };
  Taken taken;
  forEachOperand(assembly, [&](isa::AsmOperand &o, size_t k) {
    if (o.isRegister() && !referenceOf(k))
      taken.spans[static_cast<unsigned>(o.file)].push_back({o.index, unsigned(o.index) + o.width});
  });
  forEachOperand(assembly, [&](isa::AsmOperand &o, size_t k) {
    auto reference = referenceOf(k);
    if (!reference)
      return;
    auto same = llvm::find_if(item.standIns, [&](const Item::StandIn &s) {
      return s.reference.variable == reference->variable && s.reference.offset == reference->offset &&
             s.width == o.width;
    });
    if (same == item.standIns.end()) {
      // A slice that begins at an odd place of an even tuple cannot be aligned: the stand-in is as odd as it will be.
      const unsigned alignment = assembler->alignmentOf(o.file, variables[reference->variable].width);
      const unsigned first =
          taken.take(o.file, o.width + reference->offset % alignment, alignment) + reference->offset % alignment;
      item.standIns.push_back({o.file, static_cast<uint16_t>(first), o.width, *reference});
      same = std::prev(item.standIns.end());
    }
    o.index = same->first;
  });
  const std::string text = isa::textOf(assembly);
  auto known = shapes.find(text);
  if (known == shapes.end()) {
    auto code = assembler->assemble(assembly);
    if (!code)
      return code.error();
    auto decoded = assembler->decode(*code);
    if (!decoded)
      return isa::AsmError{llvm::toString(decoded.takeError()), {}};
    auto shape = std::make_shared<Shape>();
    shape->clobbersEarly = decoded->is(isa::Class::Matrix) || decoded->is(isa::Class::ScalarMemory) ||
                           (target.translationCounter && decoded->is(isa::Class::VectorMemory)) ||
                           assembler->clobbersEarly(*decoded);
    shape->code = std::move(*code);
    shape->decoded = std::move(*decoded);
    known = shapes.try_emplace(text, std::move(shape)).first;
  }
  item.shape = known->second;
  item.statement = std::move(statement);
  items.push_back(std::move(item));
  return std::nullopt;
}

void Program::addBytes(llvm::ArrayRef<uint8_t> bytes, bool unchecked, Place place) {
  while (!bytes.empty()) {
    Item item;
    item.kind = Item::Kind::Bytes;
    item.statement.place = place;
    item.statement.unchecked = unchecked;
    auto shape = std::make_shared<Shape>();
    auto decoded = assembler->decode(isa::Encoding(bytes.begin(), bytes.end()));
    size_t size = bytes.size();
    if (decoded) {
      size = decoded->size;
      shape->decoded = std::move(*decoded);
    } else {
      llvm::consumeError(decoded.takeError());
      size = std::min<size_t>(size, 4);
      shape->decoded.cls = isa::Class::Hint;
      shape->decoded.size = static_cast<uint8_t>(size);
      std::copy_n(bytes.begin(), size, shape->decoded.bytes.begin());
    }
    shape->code.assign(bytes.begin(), bytes.begin() + static_cast<long>(size));
    item.shape = std::move(shape);
    items.push_back(std::move(item));
    bytes = bytes.drop_front(size);
  }
}

} // namespace fly::assembly
