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
  if (code || said.starts_with("too few operands") || said.starts_with("operands are not valid for this GPU"))
    return true;
  auto &part = code.error().part;
  return part &&
         (part->kind == AsmPart::Kind::Modifier || (part->kind == AsmPart::Kind::Operand && part->number > position));
}

/// Fills the places that are open: first the files of those whose width is known, which the assembler often judges only
/// as a whole, then all others.
class Search {
public:
  static constexpr unsigned most = 6000; ///< instructions that are tried
  Search(Assembler &assembler, const AsmInstruction &pattern, unsigned limit = most)
      : assembler(assembler), pattern(pattern), tries(std::min(limit, most)), allowed(tries) {
    for (auto [position, operand] : llvm::enumerate(pattern.operands))
      if (operand.kind == AsmOperand::Kind::Any)
        (operand.width ? sized : open).push_back(static_cast<unsigned>(position));
  }

  /// What assembles, or nothing.
  std::optional<AsmInstruction> run() {
    AsmInstruction trial = pattern;
    // Files that occur together: of v_readlane_b32 a VGPR and an SGPR; of v_accvgpr_read_b32 an AGPR.
    for (auto &files : {std::vector<RegisterFile>{RegisterFile::VGPR},
                        {RegisterFile::SGPR},
                        {RegisterFile::VGPR, RegisterFile::SGPR},
                        {RegisterFile::AGPR}})
      if (fillSized(trial, 0, files)) return trial;
    return std::nullopt;
  }

  unsigned tried() const { return allowed - tries; }

private:
  bool fillSized(AsmInstruction &trial, unsigned next, llvm::ArrayRef<RegisterFile> files) {
    if (next == sized.size()) return fillOpen(trial);
    const AsmOperand &wanted = pattern.operands[sized[next]];
    for (RegisterFile file : files)
      for (bool isHalf : {false, true}) {
        if (isHalf && (wanted.half == Half::Whole || file != RegisterFile::VGPR)) continue;
        AsmOperand &operand = trial.operands[sized[next]];
        operand = AsmOperand::ofRegister(file, firstRegister(file, sized[next]), wanted.width);
        if (isHalf) operand.half = Half::Low;
        if (fillSized(trial, next + 1, files)) return true;
      }
    return false;
  }

  /// All alike, as operands of arithmetic are, or each by itself.
  bool fillOpen(AsmInstruction &trial) {
    if (open.empty()) return assembles(trial);
    const auto kinds = usualKinds(0);
    for (size_t kind = 0; open.size() > 1 && kind < kinds.size(); ++kind) {
      for (unsigned position : open) trial.operands[position] = usualKinds(position)[kind];
      if (assembles(trial)) return true;
    }
    for (unsigned position : open) trial.operands[position] = AsmOperand::any();
    return fillEach(trial, 0);
  }

  bool fillEach(AsmInstruction &trial, unsigned next) {
    if (next == open.size()) return assembles(trial);
    for (const AsmOperand &kind : usualKinds(open[next])) {
      if (tries == 0) return false;
      trial.operands[open[next]] = kind;
      if (next + 1 < open.size() && (--tries, !isAccepted(assembler, trial, open[next]))) continue;
      if (fillEach(trial, next + 1)) return true;
    }
    trial.operands[open[next]] = AsmOperand::any();
    return false;
  }

  bool assembles(const AsmInstruction &trial) {
    if (tries == 0) return false;
    --tries;
    return bool(assembler.assemble(trial));
  }

  Assembler &assembler;
  const AsmInstruction &pattern;
  std::vector<unsigned> sized, open; ///< places
  unsigned tries;                    ///< left
  const unsigned allowed;
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
  for (const char *symbol :
       {"off", "vcc", "vcc_lo", "m0", "exec", "hwreg(HW_REG_MODE, 0, 4)", "sendmsg(MSG_INTERRUPT)"})
    kinds.push_back(AsmOperand::ofSymbol(symbol));
  return kinds;
}

/// What the tables do not say: s_bitset1_b32 writes one bit, and SDWA a part of its result's register, dst_unused being
/// UNUSED_PRESERVE. They leave the rest.
static bool keepsPart(const Instruction &decoded) {
  constexpr unsigned preserve = 2, dword = 6;
  const Modifiers &modifiers = decoded.modifiers;
  return name(decoded.op).substr(0, 8) == "S_BITSET" ||
         (modifiers.sdwa && modifiers.sdwaUnused == preserve && modifiers.sdwaDst != dword);
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
  if (keepsPart(decoded) && !shapes.empty() && shapes.front().writes) shapes.front().reads = true;
  return shapes;
}

std::optional<InstructionShape> shapeOf(Assembler &assembler, AsmInstruction pattern, unsigned *tries) {
  for (auto [position, operand] : llvm::enumerate(pattern.operands))
    if (operand.isRegister())
      operand.index = static_cast<uint16_t>(firstRegister(operand.file, static_cast<unsigned>(position)));
  Search search(assembler, pattern, tries ? *tries : Search::most);
  auto found = search.run();
  if (tries) *tries -= std::min(*tries, search.tried());
  if (!found) return std::nullopt;
  auto code = assembler.assemble(*found);
  if (!code) return std::nullopt;
  auto decoded = assembler.decode(*code);
  if (!decoded) {
    llvm::consumeError(decoded.takeError());
    return std::nullopt;
  }
  auto shapes = shapesOf(*found, *decoded);
  return InstructionShape{std::move(shapes), std::move(*found), std::move(*decoded)};
}

/// Whether a result is in VCC because nothing else was said: `v_add_co_u32 v0, v1, v2` of gfx9.
static bool writesHiddenVcc(const InstructionShape &shape) {
  const bool isOperand = llvm::any_of(shape.operands, [](const OperandShape &o) {
    return o.example.kind == AsmOperand::Kind::Symbol && llvm::StringRef(o.example.symbol).starts_with("vcc");
  });
  return !isOperand &&
         llvm::any_of(shape.decoded.operands, [](const Operand &o) { return o.def && o.isSpecial(Special::VCC); });
}

/// As many results as are written: `v_cmp_lt_u32 x, y` has one that is a mask, `v_add_co_u32` two.
std::optional<InstructionShape> shapeWithResults(Assembler &assembler, const AsmInstruction &inputs, unsigned *tries) {
  const AsmOperand mask = AsmOperand::ofRegister(RegisterFile::SGPR, 0, assembler.waveSize() / 32);
  auto attempt = [&](std::initializer_list<AsmOperand> results) -> std::optional<InstructionShape> {
    AsmInstruction pattern = inputs;
    pattern.operands.insert(pattern.operands.begin(), results);
    auto shape = shapeOf(assembler, std::move(pattern), tries);
    if (!shape) return std::nullopt;
    const llvm::ArrayRef<OperandShape> all = shape->operands;
    const bool areResults = llvm::all_of(all.take_front(results.size()), [](const OperandShape &o) {
      return o.writes || o.example.kind == AsmOperand::Kind::Symbol;
    });
    const bool areRead =
        llvm::none_of(all.drop_front(results.size()), [](const OperandShape &o) { return o.writes && !o.reads; });
    return areResults && areRead ? shape : std::nullopt;
  };
  const AsmOperand any = AsmOperand::any();
  // Second best: a result that is not seen, or one whose former value is not given.
  std::optional<InstructionShape> partial;
  for (auto results : {std::initializer_list<AsmOperand>{any}, {}, {any, mask}}) {
    auto shape = attempt(results);
    if (!shape) continue;
    const bool keepsFormer =
        llvm::any_of(llvm::ArrayRef(shape->operands).take_front(results.size()), [](auto &o) { return o.reads; });
    if (!keepsFormer && !writesHiddenVcc(*shape)) return shape;
    if (!partial) partial = std::move(shape);
  }
  return partial;
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
             (kind.width == 1 ? "" : "(" + std::to_string(kind.width) + ")");
      if (kind.half != Half::Whole) name = "half of " + name;
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
    if (Search(assembler, instruction).run()) return static_cast<unsigned>(count);
  }
  return std::nullopt;
}

} // namespace fly::isa
