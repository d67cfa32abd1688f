// See ExactAssembly.h.
#include "compiler/codegen/ExactAssembly.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"

namespace fly::codegen {

namespace {

/// Registers that stand for operands begin here, one tuple per operand.
constexpr unsigned vectorStep = 32, scalarStep = 16, mostScalars = 6, mostVectors = 8;

/// The file of a class of registers: 'v', 'a' or 's'.
char fileOf(llvm::StringRef className) {
  if (className.starts_with("S"))
    return 's';
  return className.starts_with("A") && !className.starts_with("AV") ? 'a' : 'v';
}

/// A name without the parts that say on which targets an instruction is encoded so.
std::string withoutTargets(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> parts;
  name.split(parts, '_');
  llvm::erase_if(parts, [](llvm::StringRef part) {
    return part == "vi" || part == "ci" || part == "si" || (part.starts_with("gfx") && part.size() > 4) ||
           part == "format";
  });
  std::string text = llvm::join(parts, "_");
  // A renamed instruction has both names: V_TANH_F16V_TANH_F16_t16_e64.
  if (size_t second = text.find("V_", 2); second != text.npos && text[second - 1] != '_')
    text.erase(0, second);
  return text;
}

/// Names that the backend may have for it, the best first.
std::vector<std::string> backendNames(llvm::StringRef encoded) {
  const std::string base = withoutTargets(encoded);
  llvm::StringRef rest = base;
  if (rest.consume_back("_vcd"))
    return {rest.str() + "_vgprcd_e64"};
  if (rest.consume_back("_acd"))
    return {rest.str() + "_e64"};
  std::vector<std::string> names = {base + "_gfx9", base}; // of LDS: without M0
  for (llvm::StringRef wave : {"_w32", "_w64"})
    if (rest = base; rest.consume_back(wave))
      for (llvm::StringRef form : {"_twoaddr", "_threeaddr"}) {
        names.push_back((rest + form + wave).str());
        names.push_back((rest + wave + form).str());
      }
  names.push_back(base + "_e64");
  return names;
}

} // namespace

ExactAssembly::ExactAssembly(llvm::MachineFunction &function)
    : function(function), instructions(*function.getSubtarget().getInstrInfo()),
      registers(*function.getSubtarget().getRegisterInfo()) {
  const unsigned waveSize = function.getSubtarget().checkFeatures("+wavefrontsize32") ? 32 : 64;
  if (auto made = isa::Assembler::create(function.getSubtarget().getCPU(), waveSize))
    assembler = std::move(*made);
  else
    llvm::consumeError(made.takeError());
  for (unsigned i = 0; i < instructions.getNumOpcodes(); ++i)
    if (instructions.get(i).isPseudo())
      byName.try_emplace(instructions.getName(i), i);
}

std::string ExactAssembly::spelled(llvm::Register reg, unsigned number) const {
  const llvm::TargetRegisterClass *kind = function.getRegInfo().getRegClass(reg);
  const char file = fileOf(registers.getRegClassName(kind));
  const unsigned bits = registers.getRegSizeInBits(*kind), words = (bits + 31) / 32;
  const unsigned first = file == 's' ? scalarStep * number : vectorStep * number;
  std::string text(1, file);
  if (words == 1)
    return text + std::to_string(first);
  return text + "[" + std::to_string(first) + ":" + std::to_string(first + words - 1) + "]";
}

unsigned ExactAssembly::opcodeFor(unsigned encoded) const {
  for (const std::string &name : backendNames(instructions.getName(encoded)))
    if (auto found = byName.find(name); found != byName.end())
      return found->second;
  return encoded;
}

/// The text with operands spelled, and which former value an operand `$0<$3` has that is read and written.
std::string ExactAssembly::spell(llvm::StringRef text, llvm::ArrayRef<std::string> spellings, std::string &wrong,
                                 llvm::DenseMap<unsigned, unsigned> &former) {
  std::string spelledText;
  auto takeNumber = [&](unsigned &number) {
    const size_t digits = std::min(text.find_if_not([](char c) { return c >= '0' && c <= '9'; }), text.size());
    if (text.take_front(digits).getAsInteger(10, number) || number >= spellings.size() || spellings[number].empty())
      wrong = "there is no operand `$" + text.take_front(digits).str() + "`";
    text = text.drop_front(digits);
    return wrong.empty();
  };
  while (wrong.empty() && !text.empty()) {
    if (!text.consume_front("$")) {
      spelledText += text.front();
      text = text.drop_front();
      continue;
    }
    unsigned number = 0, before = 0;
    if (!takeNumber(number))
      break;
    spelledText += spellings[number];
    if (text.consume_front("<$") && takeNumber(before))
      former[number] = before;
  }
  return spelledText;
}

/// The description to build, and how many of the matched operands it takes.
std::pair<const llvm::MCInstrDesc *, unsigned> ExactAssembly::describe(const llvm::MCInst &matched) const {
  const llvm::MCInstrDesc &encoded = instructions.get(matched.getOpcode());
  const llvm::MCInstrDesc &description = instructions.get(opcodeFor(matched.getOpcode()));
  const unsigned count = matched.getNumOperands();
  if (description.getNumDefs() == encoded.getNumDefs()) {
    if (description.getNumOperands() == count)
      return {&description, count};
    const llvm::MCOperand &last = matched.getOperand(count - 1); // gfx12's DPP: whether inactive lanes are read
    if (description.getNumOperands() + 1 == count && last.isImm() && last.getImm() == 0)
      return {&description, count - 1};
  }
  return {encoded.getNumOperands() == count ? &encoded : nullptr, count};
}

std::string ExactAssembly::build(llvm::MachineInstr &statement, llvm::StringRef text,
                                 llvm::ArrayRef<llvm::Register> operands) {
  if (!assembler)
    return "this build of LLVM has no assembler for the target";
  llvm::MachineRegisterInfo &values = function.getRegInfo();
  llvm::SmallVector<std::string> spellings;
  unsigned vectors = 0, scalars = 0;
  for (llvm::Register reg : operands) {
    const bool isScalar = reg.isValid() && fileOf(registers.getRegClassName(values.getRegClass(reg))) == 's';
    unsigned &next = isScalar ? scalars : vectors;
    if (next == (isScalar ? mostScalars : mostVectors))
      return "it has too many operands";
    spellings.push_back(reg.isValid() ? spelled(reg, next++) : "");
  }
  std::string wrong;
  llvm::Register m0;
  if (text.consume_front("m0=$")) {
    unsigned number = 0;
    auto [digits, rest] = text.split(' ');
    if (digits.getAsInteger(10, number) || number >= operands.size())
      return "there is no operand `$" + digits.str() + "`";
    m0 = operands[number];
    text = rest;
  }
  llvm::DenseMap<unsigned, unsigned> former;
  const std::string assembly = spell(text, spellings, wrong, former);
  if (!wrong.empty())
    return wrong;
  auto matched = assembler->match(assembly);
  if (!matched)
    return matched.error().message;
  auto [description, count] = describe(*matched);
  if (!description)
    return "LLVM's backend has no such instruction";

  llvm::SmallVector<llvm::MachineOperand> added;
  llvm::SmallVector<std::pair<llvm::Register, llvm::Register>> copiesBefore, copiesAfter; // to, from
  struct Half {
    llvm::Register half, whole;
    unsigned index;
  };
  llvm::SmallVector<Half> halvesBefore, halvesAfter;
  for (unsigned i = 0; i < count; ++i) {
    const llvm::MCOperand &operand = matched->getOperand(i);
    const bool isResult = i < description->getNumDefs();
    int64_t number = 0;
    if (operand.isImm() || (operand.isExpr() && operand.getExpr()->evaluateAsAbsolute(number))) {
      added.push_back(llvm::MachineOperand::CreateImm(operand.isImm() ? operand.getImm() : number));
      continue;
    }
    if (!operand.isReg())
      return "LLVM's backend cannot represent its operands";
    llvm::Register reg(backendRegister(operand.getReg()));
    std::string spelling = operand.getReg() ? assembler->spellingOf(operand.getReg()) : "";
    const unsigned half = takeHalf(spelling);
    if (auto found = llvm::find(spellings, spelling); !spelling.empty() && found != spellings.end()) {
      auto at = unsigned(found - spellings.begin());
      reg = operands[!isResult && former.contains(at) ? former[at] : at];
      const auto *wanted = instructions.getRegClass(*description, i);
      if (half) { // of a register of 32 bits
        llvm::Register other = values.createVirtualRegister(wanted);
        (isResult ? halvesAfter : halvesBefore).push_back({other, reg, half});
        reg = other;
      } else if (wanted && !values.constrainRegClass(reg, wanted)) {
        llvm::Register other = values.createVirtualRegister(wanted);
        if (isResult)
          copiesAfter.push_back({reg, other});
        else
          copiesBefore.push_back({other, reg});
        reg = other;
      }
    }
    added.push_back(llvm::MachineOperand::CreateReg(reg, isResult));
  }
  llvm::MachineBasicBlock &block = *statement.getParent();
  auto copy = [&](llvm::MachineBasicBlock::iterator at, llvm::Register to, llvm::Register from) {
    llvm::BuildMI(block, at, statement.getDebugLoc(), instructions.get(llvm::TargetOpcode::COPY), to).addReg(from);
  };
  for (auto [to, from] : copiesBefore)
    copy(statement.getIterator(), to, from);
  for (const Half &each : halvesBefore)
    llvm::BuildMI(block, statement, statement.getDebugLoc(), instructions.get(llvm::TargetOpcode::COPY), each.half)
        .addReg(each.whole, 0, each.index);
  const llvm::Register m0Register(m0.isValid() ? registerCalled("M0") : 0);
  if (m0Register.isValid())
    copy(statement.getIterator(), m0Register, m0);
  llvm::MachineInstrBuilder built = llvm::BuildMI(block, statement, statement.getDebugLoc(), *description);
  for (const llvm::MachineOperand &operand : added)
    built.add(operand);
  if (m0Register.isValid() && !built->readsRegister(m0Register, &registers))
    built.addReg(m0Register, llvm::RegState::Implicit);
  for (auto [to, from] : copiesAfter)
    copy(std::next(statement.getIterator()), to, from);
  for (const Half &each : halvesAfter) {
    llvm::Register rest = values.createVirtualRegister(values.getRegClass(each.half));
    auto at = std::next(statement.getIterator());
    llvm::BuildMI(block, at, statement.getDebugLoc(), instructions.get(llvm::TargetOpcode::IMPLICIT_DEF), rest);
    llvm::BuildMI(block, at, statement.getDebugLoc(), instructions.get(llvm::TargetOpcode::REG_SEQUENCE), each.whole)
        .addReg(each.half)
        .addImm(each.index)
        .addReg(rest)
        .addImm(subregister(each.index == subregister("lo16") ? "hi16" : "lo16"));
  }
  addMemoryOperands(*built);
  return {};
}

/// Some registers have a number per generation, which they get when code is emitted: SGPR_NULL_gfx11plus.
unsigned ExactAssembly::backendRegister(unsigned encoded) const {
  const llvm::StringRef name = encoded ? llvm::StringRef(registers.getName(encoded)) : "";
  for (llvm::StringRef generation : {"_gfxpre11", "_gfx11plus", "_gfx9plus", "_vi", "_ci"})
    if (llvm::StringRef plain = name; plain.consume_back(generation))
      if (const unsigned reg = registerCalled(plain))
        return reg;
  return encoded;
}

/// 0 if there is none.
unsigned ExactAssembly::registerCalled(llvm::StringRef name) const {
  for (unsigned reg = 1; reg < registers.getNumRegs(); ++reg)
    if (name == registers.getName(reg))
      return reg;
  return 0;
}

unsigned ExactAssembly::subregister(llvm::StringRef name) const {
  for (unsigned index = 1; index < registers.getNumSubRegIndices(); ++index)
    if (name == registers.getSubRegIndexName(index))
      return index;
  return 0;
}

/// Takes ".l" or ".h" off a spelling; the subregister that it names, or 0.
unsigned ExactAssembly::takeHalf(std::string &spelling) const {
  llvm::StringRef text = spelling;
  const char *name = text.consume_back(".l") ? "lo16" : text.consume_back(".h") ? "hi16" : nullptr;
  if (!name)
    return 0;
  spelling = text.str();
  return subregister(name);
}

/// Without one, an access could be to any memory, and waits around it would be for all of it.
void ExactAssembly::addMemoryOperands(llvm::MachineInstr &instruction) const {
  if (!instruction.mayLoadOrStore())
    return;
  const llvm::StringRef name = instructions.getName(instruction.getOpcode());
  auto add = [&](unsigned space, llvm::MachineMemOperand::Flags flags) {
    instruction.addMemOperand(function, function.getMachineMemOperand(llvm::MachinePointerInfo(space), flags,
                                                                      llvm::LocationSize::beforeOrAfterPointer(),
                                                                      llvm::Align(1)));
  };
  constexpr auto load = llvm::MachineMemOperand::MOLoad, store = llvm::MachineMemOperand::MOStore;
  constexpr unsigned global = 1, lds = 3, constant = 4, scratch = 5;
  if (name.contains("_LDS") && !name.starts_with("DS_")) { // from memory to LDS, or back
    add(global, load | store);
    add(lds, load | store);
    return;
  }
  const unsigned space = name.starts_with("DS_")        ? lds
                         : name.starts_with("SCRATCH_") ? scratch
                         : name.starts_with("FLAT_")    ? 0
                         : name.starts_with("S_")       ? constant
                                                        : global;
  auto flags = llvm::MachineMemOperand::MONone;
  if (instruction.mayLoad())
    flags |= load;
  if (instruction.mayStore())
    flags |= store;
  add(space, flags);
}

} // namespace fly::codegen
