// See OperandShapes.h. A kind is accepted at a place if the instruction up to there assembles, or if the assembler's
// complaint is about something that comes later ("too few operands").
#include "compiler/isa/OperandShapes.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::isa {

namespace {

constexpr unsigned mostOperands = 7;

/// Distinct registers for each place, aligned to 16.
unsigned firstRegister(RegisterFile file, unsigned position) {
  return file == RegisterFile::SGPR ? 16 * (position % 6) : 32 * (position % 8);
}

bool isAccepted(Assembler &assembler, AsmInstruction instruction, unsigned position) {
  instruction.operands.resize(position + 1);
  auto code = assembler.assemble(instruction);
  // gfx12 says of a short list that it is not valid.
  const llvm::StringRef said = code ? "" : llvm::StringRef(code.error().message);
  if (code || said.starts_with("too few operands") || said.starts_with("operands are not valid for this GPU")) return true;
  auto &part = code.error().part;
  return part &&
         (part->kind == AsmPart::Kind::Modifier || (part->kind == AsmPart::Kind::Operand && part->number > position));
}

struct Search {
  Assembler &assembler;
  std::vector<bool> isOpen = {}; ///< by place: it was Any
  unsigned tries = 2000;

  /// Fills places from `position` on.
  bool fill(AsmInstruction &instruction, unsigned position) {
    if (tries == 0) return false;
    if (position == instruction.operands.size()) return --tries, bool(assembler.assemble(instruction));
    if (!isOpen[position]) return fill(instruction, position + 1);
    for (const AsmOperand &kind : usualKinds(position)) {
      if (tries == 0) return false;
      --tries;
      instruction.operands[position] = kind;
      if (isAccepted(assembler, instruction, position) && fill(instruction, position + 1)) return true;
    }
    instruction.operands[position] = AsmOperand::any();
    return false;
  }
};

bool isSpanOf(const Operand &o, const AsmOperand &given) {
  return o.isRegister() && o.file == given.file && o.index >= given.index && o.index < given.index + given.width;
}

} // namespace

/// In the order in which they are tried.
std::vector<AsmOperand> usualKinds(unsigned position) {
  std::vector<AsmOperand> kinds;
  for (RegisterFile file : {RegisterFile::VGPR, RegisterFile::SGPR, RegisterFile::AGPR}) {
    for (unsigned width : {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 32})
      kinds.push_back(AsmOperand::ofRegister(file, firstRegister(file, position), width));
    if (file == RegisterFile::VGPR) {
      kinds.push_back(kinds.front());
      kinds.back().half = Half::Low;
    }
  }
  kinds.push_back(AsmOperand::ofInteger(0));
  for (const char *symbol : {"off", "vcc", "vcc_lo", "m0", "exec", "hwreg(HW_REG_MODE, 0, 4)", "sendmsg(MSG_INTERRUPT)"})
    kinds.push_back(AsmOperand::ofSymbol(symbol));
  return kinds;
}

std::vector<OperandShape> shapesOf(const AsmInstruction &assembly, const Instruction &decoded) {
  std::vector<OperandShape> shapes;
  for (const AsmOperand &given : assembly.operands) {
    OperandShape shape;
    shape.example = given;
    bool known = false;
    auto look = [&](const Operand &o) {
      if (!given.isRegister() || !isSpanOf(o, given)) return;
      shape.writes |= o.def;
      shape.reads |= !o.def;
      if (!known || !o.def) shape.role = o.role, shape.bits = o.operandBits, known = true;
    };
    for (const Operand &o : decoded.operands) look(o);
    for (const Instruction &half : decoded.components)
      for (const Operand &o : half.operands) look(o);
    shapes.push_back(shape);
  }
  return shapes;
}

std::optional<InstructionShape> shapeOf(Assembler &assembler, AsmInstruction pattern) {
  Search search{assembler};
  for (auto [position, operand] : llvm::enumerate(pattern.operands)) {
    search.isOpen.push_back(operand.kind == AsmOperand::Kind::Any);
    if (operand.isRegister())
      operand.index = static_cast<uint16_t>(firstRegister(operand.file, static_cast<unsigned>(position)));
  }
  if (!search.fill(pattern, 0)) return std::nullopt;
  auto code = assembler.assemble(pattern);
  if (!code) return std::nullopt;
  auto decoded = assembler.decode(*code);
  if (!decoded) {
    llvm::consumeError(decoded.takeError());
    return std::nullopt;
  }
  return InstructionShape{shapesOf(pattern, *decoded), pattern, std::move(*decoded)};
}

/// As many results as are written: `v_cmp_lt_u32 x, y` has one that is a mask, `v_add_co_u32` two.
std::optional<InstructionShape> shapeWithResults(Assembler &assembler, const AsmInstruction &inputs) {
  const AsmOperand mask = AsmOperand::ofRegister(RegisterFile::SGPR, 0, assembler.waveSize() / 32);
  auto attempt = [&](std::initializer_list<AsmOperand> results) -> std::optional<InstructionShape> {
    AsmInstruction pattern = inputs;
    pattern.operands.insert(pattern.operands.begin(), results);
    auto shape = shapeOf(assembler, std::move(pattern));
    if (shape && llvm::all_of(llvm::ArrayRef(shape->operands).take_front(results.size()), [](const OperandShape &o) {
          return o.writes || o.example.kind == AsmOperand::Kind::Symbol;
        }))
      return shape;
    return std::nullopt;
  };
  const AsmOperand any = AsmOperand::any();
  for (auto results : {std::initializer_list<AsmOperand>{any}, {}, {any, mask}, {any, any}})
    if (auto shape = attempt(results)) return shape;
  return std::nullopt;
}

std::vector<AsmOperand> acceptedAt(Assembler &assembler, const AsmInstruction &instruction, unsigned position) {
  std::vector<AsmOperand> accepted;
  for (AsmOperand kind : usualKinds(position)) {
    AsmInstruction changed = instruction;
    changed.operands[position] = kind;
    auto code = assembler.assemble(changed);
    bool good = static_cast<bool>(code);
    if (!good) {
      auto &part = code.error().part;
      good = part && part->kind == AsmPart::Kind::Operand && part->number > position &&
             isAccepted(assembler, changed, position);
    }
    if (good) accepted.push_back(kind);
  }
  return accepted;
}

std::string describeKinds(llvm::ArrayRef<AsmOperand> kinds) {
  std::vector<std::string> names;
  for (const AsmOperand &kind : kinds) {
    std::string name;
    switch (kind.kind) {
    case AsmOperand::Kind::Register: {
      static constexpr const char *files[] = {"s", "v", "a"};
      name = std::string(files[static_cast<unsigned>(kind.file)]) +
             (kind.width == 1 ? "()" : "(" + std::to_string(kind.width) + ")");
      if (kind.half != Half::Whole) name += ".l or .h";
      break;
    }
    case AsmOperand::Kind::Integer: name = "a constant"; break;
    default: name = kind.symbol; break;
    }
    if (kind.kind == AsmOperand::Kind::Symbol && kind.symbol != "off" && kind.symbol.find('(') == std::string::npos &&
        llvm::any_of(kinds, [](const AsmOperand &o) { return o.isRegister() && o.file == RegisterFile::SGPR; }))
      continue; // vcc, m0 and exec are SGPRs
    if (!llvm::is_contained(names, name)) names.push_back(name);
  }
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

std::optional<unsigned> operandCount(Assembler &assembler, AsmInstruction instruction) {
  const size_t given = instruction.operands.size();
  for (size_t count = given; count <= mostOperands; ++count) {
    instruction.operands.resize(count, AsmOperand::any());
    Search search{assembler};
    for (size_t i = 0; i < count; ++i) search.isOpen.push_back(i >= given);
    AsmInstruction trial = instruction;
    if (search.fill(trial, 0)) return static_cast<unsigned>(count);
  }
  return std::nullopt;
}

} // namespace fly::isa
