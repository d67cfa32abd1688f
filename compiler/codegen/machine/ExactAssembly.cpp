// See ExactAssembly.h.
#include "compiler/codegen/machine/ExactAssembly.h"

#include "compiler/codegen/machine/BackendForm.h"
#include "compiler/codegen/machine/WholePacked.h"
#include "compiler/codegen/ir/TrustedWaits.h"
#include "compiler/protocol/Assembly.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
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

} // namespace

ExactAssembly::ExactAssembly(llvm::MachineFunction &function)
    : function(function), instructions(*function.getSubtarget().getInstrInfo()),
      registers(*function.getSubtarget().getRegisterInfo()) {
  const unsigned waveSize = function.getSubtarget().checkFeatures("+wavefrontsize32") ? 32 : 64;
  if (auto made = isa::Assembler::create(function.getSubtarget().getCPU(), waveSize))
    assembler = std::move(*made);
  else
    llvm::consumeError(made.takeError());
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

/// The text with operands spelled, and which former value an operand `$0<$3` has that is read and written.
std::string ExactAssembly::spell(llvm::StringRef text, llvm::ArrayRef<std::string> spellings, std::string &wrong,
                                 llvm::DenseMap<unsigned, unsigned> &former) {
  std::string spelledText;
  while (!text.empty()) {
    auto operand = protocol::takeOperand(text);
    if (!operand) {
      spelledText += text.front();
      text = text.drop_front();
      continue;
    }
    for (unsigned number : {operand->number, operand->former.value_or(operand->number)})
      if (number >= spellings.size() || spellings[number].empty()) {
        wrong = "there is no operand `" + protocol::operandText(number) + "`";
        return spelledText;
      }
    spelledText += spellings[operand->number];
    if (operand->former)
      former[operand->number] = *operand->former;
  }
  return spelledText;
}

/// Whether the instruction stays a text for the assembler, which is so where it has no operands to choose registers for
/// and LLVM's passes fail with it, since it is a memory instruction without an address (a writeback or invalidation of
/// caches), or drop it, since to them it does nothing (v_nop).
bool ExactAssembly::keepsText(const llvm::MCInstrDesc &description) const {
  const bool hasRegisters =
      llvm::any_of(description.operands(), [](const llvm::MCOperandInfo &o) { return o.RegClass >= 0; });
  const bool isDead = !description.hasUnmodeledSideEffects() && !description.mayLoad() && !description.mayStore() &&
                      description.implicit_defs().empty();
  return !hasRegisters && (isDead || instructions.getName(description.getOpcode()).starts_with("GLOBAL_"));
}

void ExactAssembly::buildText(llvm::MachineInstr &statement, llvm::StringRef text) const {
  using llvm::InlineAsm;
  llvm::BuildMI(*statement.getParent(), statement, statement.getDebugLoc(),
                instructions.get(llvm::TargetOpcode::INLINEASM))
      .addExternalSymbol(function.createExternalSymbolName(text))
      .addImm(InlineAsm::Extra_HasSideEffects | InlineAsm::Extra_MayLoad | InlineAsm::Extra_MayStore);
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
  const auto [m0Number, words] = protocol::withoutM0(text);
  if (m0Number && *m0Number >= operands.size())
    return "there is no operand `" + protocol::operandText(*m0Number) + "`";
  if (m0Number)
    m0 = operands[*m0Number];
  llvm::DenseMap<unsigned, unsigned> former;
  const std::string assembly = spell(words, spellings, wrong, former);
  if (!wrong.empty())
    return wrong;
  auto matched = assembler->match(assembly);
  if (!matched)
    return matched.error().message;
  auto form = backendFormOf(instructions, *matched);
  if (!form)
    return "LLVM's backend has no such instruction";
  const llvm::MCInstrDesc *description = form->description;
  if (keepsText(*description))
    return buildText(statement, assembly), "";

  llvm::SmallVector<llvm::MachineOperand> added;
  llvm::SmallVector<std::pair<llvm::Register, llvm::Register>> copiesBefore, copiesAfter; // to, from
  struct Half {
    llvm::Register half, whole;
    unsigned index;
  };
  llvm::SmallVector<Half> halvesBefore, halvesAfter;
  // Numbers of operands, and where they are in the instruction.
  llvm::SmallVector<std::pair<unsigned, unsigned>> results;
  llvm::SmallVector<unsigned> formerRead; // numbers of those
  for (auto [i, source] : llvm::enumerate(form->sources)) {
    const llvm::MCOperand &operand = matched->getOperand(source);
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
      const auto at = unsigned(found - spellings.begin());
      reg = operands[!isResult && former.contains(at) ? former[at] : at];
      const auto *wanted = instructions.getRegClass(*description, unsigned(i));
      if (isResult)
        results.push_back({at, unsigned(i)});
      else if (former.contains(at))
        formerRead.push_back(at);
      else if (source < description->getNumDefs())
        return "it keeps part of the former value of its result register, which is not given";
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
  for (auto [number, place] : results) // SDWA has no operand for what it keeps
    if (former.contains(number) && !llvm::is_contained(formerRead, number)) {
      built.addReg(operands[former[number]], llvm::RegState::Implicit);
      built->tieOperands(place, built->getNumOperands() - 1);
    }
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
  keepWhole(*built);
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
  auto add = [&](llvm::MachinePointerInfo where, llvm::MachineMemOperand::Flags flags, llvm::MDNode *scopes = nullptr) {
    llvm::AAMDNodes aliases;
    aliases.Scope = scopes;
    instruction.addMemOperand(function,
                              function.getMachineMemOperand(where, flags, llvm::LocationSize::beforeOrAfterPointer(),
                                                            llvm::Align(1), aliases));
  };
  constexpr auto load = llvm::MachineMemOperand::MOLoad, store = llvm::MachineMemOperand::MOStore;
  constexpr unsigned global = 1, lds = 3, constant = 4, scratch = 5;
  if (name.contains("_LDS") && !name.starts_with("DS_")) { // from memory to LDS, or back
    add(anywhere(global), load | store);
    add(anywhere(lds), load | store, function.getFunction().getMetadata(scopesOfCopies));
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
  add(llvm::MachinePointerInfo(space), flags);
}

/// A place in an address space, which may be any. The backend compares only what is a value of the IR.
llvm::MachinePointerInfo ExactAssembly::anywhere(unsigned space) const {
  llvm::LLVMContext &context = function.getFunction().getContext();
  auto *number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 4);
  return llvm::MachinePointerInfo(llvm::ConstantExpr::getIntToPtr(number, llvm::PointerType::get(context, space)));
}

} // namespace fly::codegen
