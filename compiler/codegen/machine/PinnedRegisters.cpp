// See PinnedRegisters.h. The pass works on one block after the other, in SSA form:
//
//   0. a value that is put together from parts is a write of each part; parts that stay as they are need none;
//   1. a write becomes the result of the instruction that computes its value, if nothing reads or writes the register
//      in between, and if nothing else needs the value;
//   2. a read becomes an operand of each instruction that uses its value, if nothing writes the register in between;
//   3. a value that is put together from reads of neighbouring registers, in their order, is a read of all;
//   4. what is left is a copy.
#include "compiler/codegen/machine/PinnedRegisters.h"

#include "compiler/codegen/machine/AccumulatorChains.h"
#include "compiler/codegen/BackendPass.h"
#include "compiler/codegen/machine/MatrixForms.h"
#include "compiler/codegen/ir/PinStatement.h"
#include "compiler/codegen/Refusal.h"
#include "compiler/protocol/RegisterCounts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace fly::codegen {

namespace {

constexpr llvm::StringRef isPinned = "fly-pinned", sgprBudget = "amdgpu-num-sgpr";

class PinRegisters {
public:
  explicit PinRegisters(llvm::MachineFunction &function)
      : function(function), instructions(*function.getSubtarget().getInstrInfo()),
        registers(*function.getSubtarget().getRegisterInfo()), values(function.getRegInfo()), forms(instructions),
        dominators(function), loops(dominators) {
    for (unsigned reg = 1; reg < registers.getNumRegs(); ++reg)
      byName[registers.getName(reg)] = llvm::MCRegister(reg);
  }

  bool run() {
    for (llvm::MachineBasicBlock &block : function)
      if (!runOn(block))
        return true;
    return true;
  }

private:
  struct Statement {
    Pinned pinned;
    llvm::MachineInstr *at; ///< the statement; of several writes, if its value is put together from parts
    llvm::Register value;
    unsigned sub = 0; ///< of a write: the part of the register
    bool isWrite = false;
    unsigned position = 0;   ///< of a write: where it takes effect
    bool done = false;       ///< a write that an instruction does
    uint32_t used = 0;       ///< of a read: the words of its value that are used
    bool isGathered = false; ///< a read: `at` puts together what others read, the first of them at `position`
  };

  //===------------------------------------------- one block ------------------------------------------------------===//

  bool runOn(llvm::MachineBasicBlock &block) {
    statements.clear(), positions.clear(), puzzles.clear();
    llvm::SmallVector<llvm::MachineInstr *> found;
    unsigned next = 0;
    for (llvm::MachineInstr &instruction : block) {
      positions[&instruction] = ++next;
      if (!instruction.isInlineAsm())
        continue;
      auto pinned = parsePinned(instruction.getOperand(llvm::InlineAsm::MIOp_AsmString).getSymbolName());
      if (!pinned)
        continue;
      if (!tupleOf(*pinned).isValid())
        return refuse(instruction, "there are no registers " + pinned->text());
      found.push_back(&instruction);
      const llvm::MachineOperand *reg = registerOf(instruction);
      if (reg && reg->isDef())
        statements.push_back(
            {*pinned, &instruction, reg->getReg(), 0, false, next, false, usedWords(reg->getReg(), 0)});
      else if (reg)
        addWrites(*pinned, instruction, reg->getReg(), next);
    }
    gatherReads(block);
    for (Statement &statement : statements)
      if (statement.isWrite)
        statement.done = isUnchanged(statement) || writeDirectly(statement);
    for (Statement &statement : statements)
      if (statement.isWrite && !statement.done && !writeByCopy(statement))
        return false;
    for (llvm::MachineInstr *statement : found) // a read without uses has none of what follows
      if (!registerOf(*statement) || !registerOf(*statement)->isDef())
        statement->eraseFromParent();
    for (llvm::Register reg : puzzles)
      eraseUnused(reg);
    for (const bool isGathered : {true, false}) { // what puts together is gone before what it takes is looked at
      for (Statement &statement : statements)
        if (!statement.isWrite && statement.isGathered == isGathered && !read(statement))
          return false;
      for (Statement &statement : statements)
        if (!statement.isWrite && statement.isGathered == isGathered)
          statement.at->eraseFromParent();
    }
    return true;
  }

  /// Adds reads of several registers: values that are put together from reads of these, which nothing has written
  /// since.
  void gatherReads(llvm::MachineBasicBlock &block) {
    for (llvm::MachineInstr &instruction : block) {
      const unsigned at = positions.lookup(&instruction);
      const bool isTaken =
          instruction.isRegSequence() && llvm::any_of(values.use_nodbg_instructions(instruction.getOperand(0).getReg()),
                                                      [](const llvm::MachineInstr &user) {
                                                        return !user.isCopy() && !user.isInlineAsm() &&
                                                               !user.isRegSequence() && !user.isInsertSubreg();
                                                      });
      if (!isTaken)
        continue;
      std::optional<Statement> whole;
      unsigned words = 0;
      for (unsigned i = 1; i + 1 < instruction.getNumOperands(); i += 2) {
        const llvm::MachineOperand &part = instruction.getOperand(i);
        const unsigned index = unsigned(instruction.getOperand(i + 1).getImm());
        unsigned sub = part.getSubReg();
        const Statement *from = readOf(part.getReg(), &sub);
        if (!from || registers.getSubRegIdxOffset(index) / 32 != words || !staysUntil(*from, at)) {
          whole.reset();
          break;
        }
        const Pinned held = sub ? partOf(from->pinned, sub) : from->pinned;
        if (!whole) {
          whole = Statement{{held.file, held.first, 0}, &instruction, instruction.getOperand(0).getReg()};
          whole->position = from->position;
        }
        if (held.file != whole->pinned.file || held.first != whole->pinned.first + words) {
          whole.reset();
          break;
        }
        whole->position = std::min(whole->position, from->position);
        words = whole->pinned.count += registers.getSubRegIdxSize(index) / 32;
      }
      if (!whole || !tupleOf(whole->pinned).isValid())
        continue;
      whole->isGathered = true;
      whole->used = usedWords(whole->value, 0);
      statements.push_back(*whole);
    }
  }

  /// The words of a part of a value.
  uint32_t wordsOf(unsigned index) const {
    if (!index)
      return ~0u;
    const unsigned first = registers.getSubRegIdxOffset(index) / 32;
    const unsigned count = std::max(1u, registers.getSubRegIdxSize(index) / 32);
    return count < 32 ? ((1u << count) - 1) << first : ~0u;
  }

  /// The part of a value that an operand takes, where `index` is the part that the operand's register holds.
  unsigned partTaken(const llvm::MachineOperand &use, unsigned index) const {
    return index && use.getSubReg() ? registers.composeSubRegIndices(index, use.getSubReg())
                                    : std::max(index, use.getSubReg());
  }

  /// Which words of a value are used, where `index` is the part of it that the register holds.
  uint32_t usedWords(llvm::Register reg, unsigned index) const {
    uint32_t words = 0;
    for (const llvm::MachineOperand &use : values.use_nodbg_operands(reg)) {
      const unsigned part = partTaken(use, index);
      const llvm::MachineInstr &user = *use.getParent();
      const bool isPlainCopy =
          user.isCopy() && user.getOperand(0).getReg().isVirtual() && !user.getOperand(0).getSubReg();
      words |= isPlainCopy ? usedWords(user.getOperand(0).getReg(), part) : wordsOf(part);
    }
    return words;
  }

  /// Whether some of these words of a read are in registers that a write changes.
  static bool sees(const Statement &read, const Pinned &written, uint32_t words) {
    for (unsigned word = 0; word < read.pinned.count; ++word)
      if (words >> std::min(word, 31u) & 1 && written.overlaps({read.pinned.file, read.pinned.first + word, 1}))
        return true;
    return false;
  }

  /// The instruction that makes a value, before copies.
  const llvm::MachineInstr *madeBy(llvm::Register value) const {
    const llvm::MachineInstr *made = values.getUniqueVRegDef(value);
    while (made && made->isCopy() && made->getOperand(1).getReg().isVirtual() && !made->getOperand(1).getSubReg())
      made = values.getUniqueVRegDef(made->getOperand(1).getReg());
    return made;
  }

  /// Where a part of a value lies, in registers.
  Pinned partOf(const Pinned &pinned, unsigned index) const {
    return {pinned.file, pinned.first + registers.getSubRegIdxOffset(index) / 32,
            registers.getSubRegIdxSize(index) / 32};
  }

  /// A write for each part of a value that is put together, so that parts which stay as they are cost nothing.
  void addWrites(const Pinned &pinned, llvm::MachineInstr &statement, llvm::Register value, unsigned position) {
    const llvm::MachineInstr *made = madeBy(value);
    const size_t before = statements.size();
    auto add = [&](const Pinned &part, const llvm::MachineOperand &from) {
      statements.push_back({part, &statement, from.getReg(), from.getSubReg(), true, position});
    };
    if (made && made->isRegSequence() && made->getParent() == statement.getParent()) {
      for (unsigned i = 1; i + 1 < made->getNumOperands(); i += 2)
        add(partOf(pinned, unsigned(made->getOperand(i + 1).getImm())), made->getOperand(i));
      joinParts(before);
      puzzles.push_back(value);
      return;
    }
    llvm::Register rest;
    for (; made && made->isInsertSubreg() && made->getParent() == statement.getParent();
         rest = made->getOperand(1).getReg(), made = madeBy(rest)) // the last ones count
      add(partOf(pinned, unsigned(made->getOperand(3).getImm())), made->getOperand(2));
    if (rest.isValid()) {
      const Statement *base = readOf(rest);
      auto overlaps = [&](size_t i) {
        for (size_t j = before; j < i; ++j)
          if (statements[j].pinned.overlaps(statements[i].pinned))
            return true;
        return false;
      };
      bool isPossible = base && base->pinned.file == pinned.file && base->pinned.first == pinned.first &&
                        base->pinned.count == pinned.count;
      for (size_t i = before; i < statements.size(); ++i)
        isPossible = isPossible && !overlaps(i);
      if (isPossible) {
        puzzles.push_back(value);
        return;
      }
    }
    statements.resize(before, Statement{pinned, &statement, value});
    statements.push_back({pinned, &statement, value, 0, true, position});
  }

  /// Parts that are all of one value, in its order, are that value.
  void joinParts(size_t first) {
    std::vector<Statement> joined(statements.begin(), statements.begin() + ptrdiff_t(first));
    for (size_t i = first; i < statements.size();) {
      Statement whole = statements[i];
      size_t next = i;
      unsigned words = 0;
      const unsigned size = registers.getRegSizeInBits(*values.getRegClass(whole.value)) / 32;
      while (next < statements.size() && statements[next].value == whole.value && statements[next].sub &&
             registers.getSubRegIdxOffset(statements[next].sub) / 32 == words &&
             statements[next].pinned.first == whole.pinned.first + words)
        words += statements[next++].pinned.count;
      if (words == size && next > i) {
        whole.sub = 0;
        whole.pinned.count = words;
        joined.push_back(whole);
        i = next;
      } else {
        joined.push_back(statements[i++]);
      }
    }
    statements = std::move(joined);
  }

  /// Whether a write puts back what the register holds.
  bool isUnchanged(const Statement &write) const {
    llvm::Register reg = write.value;
    unsigned sub = write.sub;
    const Statement *from = readOf(reg, &sub);
    if (!from || from->pinned.file != write.pinned.file)
      return false;
    const unsigned first = from->pinned.first + (sub ? registers.getSubRegIdxOffset(sub) / 32 : 0);
    return first == write.pinned.first && staysUntil(*from, write.position);
  }

  /// Erases a value that is put together, and what only it needs.
  void eraseUnused(llvm::Register reg) {
    while (reg.isVirtual() && values.use_nodbg_empty(reg)) {
      llvm::MachineInstr *made = values.getUniqueVRegDef(reg);
      if (!made || !(made->isCopy() || made->isRegSequence() || made->isInsertSubreg()))
        return;
      llvm::SmallVector<llvm::Register> parts;
      for (const llvm::MachineOperand &part : made->uses())
        if (part.isReg())
          parts.push_back(part.getReg());
      made->eraseFromParent();
      for (llvm::Register part : llvm::ArrayRef(parts).drop_front())
        eraseUnused(part);
      if (parts.empty())
        return;
      reg = parts.front();
    }
  }

  /// The operand of a statement that is its value. Null if the value was never needed.
  static llvm::MachineOperand *registerOf(llvm::MachineInstr &statement) {
    for (unsigned i = llvm::InlineAsm::MIOp_FirstOperand + 1; i < statement.getNumOperands(); ++i)
      if (statement.getOperand(i).isReg() && statement.getOperand(i).getReg().isVirtual())
        return &statement.getOperand(i);
    return nullptr;
  }

  //===------------------------------------------- writes ---------------------------------------------------------===//

  /// The instruction of this block that computes the value and nothing but copies lead from; null if there is none.
  llvm::MachineInstr *sourceOf(const Statement &write, llvm::SmallVectorImpl<llvm::MachineInstr *> &copies) {
    llvm::Register reg = write.value;
    if (write.sub || llvm::any_of(statements, [&](const Statement &other) { // a number that is all elements
          return &other != &write && other.isWrite && other.value == reg;
        }))
      return nullptr;
    for (;;) {
      llvm::MachineInstr *made = values.getUniqueVRegDef(reg);
      if (!made || made->getParent() != write.at->getParent() || !hasOneUser(reg))
        return nullptr;
      if (!made->isCopy())
        return made;
      const llvm::MachineOperand &from = made->getOperand(1);
      if (!from.getReg().isVirtual() || from.getSubReg() || made->getOperand(0).getSubReg())
        return nullptr;
      copies.push_back(made);
      reg = from.getReg();
    }
  }

  bool hasOneUser(llvm::Register reg) const {
    const llvm::MachineInstr *user = nullptr;
    for (const llvm::MachineInstr &each : values.use_nodbg_instructions(reg))
      if (user && user != &each)
        return false;
      else
        user = &each;
    return user != nullptr;
  }

  bool writeDirectly(Statement &write) {
    llvm::SmallVector<llvm::MachineInstr *> copies;
    llvm::MachineInstr *made = sourceOf(write, copies);
    if (!made || made->isPHI() || made->isInlineAsm() || made->isImplicitDef() || made->isRegSequence() ||
        made->isInsertSubreg() || made->isSubregToReg())
      return false;
    const unsigned position = positions.lookup(made);
    for (const Statement &other : statements) {
      if (&other == &write || !other.pinned.overlaps(write.pinned) ||
          (!other.isWrite && !sees(other, write.pinned, other.used)))
        continue;
      if (other.isWrite ? position <= other.position && other.position < write.position
                        : position < other.position && other.position < write.position)
        return false;
      if (!other.isWrite && other.position < position && isUsedBetween(other, write, position))
        return false;
    }
    llvm::MachineOperand &result = made->getOperand(0);
    if (!result.isReg() || !result.isDef() || result.getSubReg())
      return false;
    const llvm::MCRegister tuple = tupleOf(write.pinned);
    if (write.pinned.file == 'a' && isMatrixProduct(*made, instructions)) {
      if (!takesPinnedAccumulator(*made, write.pinned))
        return false;
      forms.toAgprs(*made, accumulates(*made, write.pinned));
    }
    llvm::MachineOperand *former = result.isTied() ? &made->getOperand(made->findTiedOperandIdx(0)) : nullptr;
    if (former) { // the instruction overwrites an operand: that must be what these registers hold
      const Statement *held = former->isReg() && !former->getSubReg() ? readOf(former->getReg()) : nullptr;
      if (!held || held->pinned.file != write.pinned.file || held->pinned.first != write.pinned.first ||
          held->pinned.count != write.pinned.count || !staysUntil(*held, position) || !fits(*former, tuple)) {
        // C of a matrix product may be elsewhere, if not in a part of these registers.
        if (write.pinned.file != 'v' || (held && held->pinned.overlaps(write.pinned)) || !forms.takeApart(*made))
          return false;
        former = nullptr;
      }
    }
    if (!fits(result, tuple))
      return false;
    if (former) {
      former->setReg(tuple);
      former->setIsKill(false);
    }
    result.setReg(tuple);
    result.setIsDead(false);
    for (llvm::MachineInstr *copy : copies)
      copy->eraseFromParent();
    write.position = position;
    return true;
  }

  /// The statement that read a value, through copies; null if no statement did. With `sub`, also where the value is a
  /// part of what was read: `sub` becomes the part.
  const Statement *readOf(llvm::Register reg, unsigned *sub = nullptr) const {
    while (reg.isVirtual()) {
      const llvm::MachineInstr *made = values.getUniqueVRegDef(reg);
      if (!made)
        return nullptr;
      for (const Statement &statement : statements)
        if (statement.at == made)
          return &statement;
      const unsigned part = made->isCopy() ? made->getOperand(1).getSubReg() : 0;
      if (!made->isCopy() || (part && !sub))
        return nullptr;
      if (part)
        *sub = *sub ? registers.composeSubRegIndices(part, *sub) : part;
      reg = made->getOperand(1).getReg();
    }
    return nullptr;
  }

  /// Whether C of a product is what these very registers hold.
  bool accumulates(const llvm::MachineInstr &product, const Pinned &pinned) const {
    const llvm::MachineOperand &c = product.getOperand(accumulatorOperand(product));
    const Statement *read = c.isReg() ? readOf(c.getReg()) : nullptr;
    return read && read->pinned.file == pinned.file && read->pinned.first == pinned.first &&
           read->pinned.count == pinned.count;
  }

  /// D in AGPRs takes C in AGPRs, or a number.
  bool takesPinnedAccumulator(const llvm::MachineInstr &product, const Pinned &pinned) const {
    const llvm::MachineOperand &c = product.getOperand(accumulatorOperand(product));
    if (c.isReg()) {
      const Statement *read = readOf(c.getReg());
      if (!read || read->pinned.file != 'a' || !staysUntil(*read, positions.lookup(&product)))
        return false;
    }
    return forms.formInAgprs(product, accumulates(product, pinned)).has_value();
  }

  /// A number is written once more. The writes of other kinds are a copy each.
  bool writeNumber(const Statement &write) {
    const llvm::MachineInstr *made = write.sub ? nullptr : madeBy(write.value);
    if (!made || !made->isMoveImmediate() || !fits(made->getOperand(0), tupleOf(write.pinned)))
      return false;
    llvm::MachineInstr *number = function.CloneMachineInstr(made);
    number->getOperand(0).setReg(tupleOf(write.pinned));
    number->setDebugLoc(write.at->getDebugLoc());
    write.at->getParent()->insert(write.at->getIterator(), number);
    return true;
  }

  bool writeByCopy(Statement &write) {
    if (writeNumber(write))
      return true;
    if (write.pinned.file != 'a' && isInLoop(*write.at))
      return refuse(*write.at,
                    "a value for " + write.pinned.text() +
                        " would need a copy: it is computed while the former value is still needed, or it has "
                        "other uses as well; write it after the last use of the former value");
    llvm::BuildMI(*write.at->getParent(), write.at, write.at->getDebugLoc(), instructions.get(llvm::TargetOpcode::COPY),
                  tupleOf(write.pinned))
        .addReg(write.value, 0, write.sub);
    return true;
  }

  //===------------------------------------------- reads ----------------------------------------------------------===//

  bool read(Statement &read) {
    const llvm::MCRegister tuple = tupleOf(read.pinned);
    llvm::SmallVector<llvm::MachineOperand *> left;
    replaceUses(read, read.value, 0, left);
    if (left.empty())
      return true;
    const bool isLate =
        llvm::any_of(left, [&](const llvm::MachineOperand *use) { return !reaches(read, *use, read.used); });
    if (isLate && isInLoop(*read.at))
      return refuse(*left.front()->getParent(), "the former value of " + read.pinned.text() +
                                                    " is used after it was overwritten, which would need a copy; "
                                                    "use it before the registers are written");
    llvm::BuildMI(*read.at->getParent(), read.at, read.at->getDebugLoc(), instructions.get(llvm::TargetOpcode::COPY),
                  read.value)
        .addReg(tuple);
    return true;
  }

  /// Whether a use is in this block, and no write of these words comes between it and the read.
  bool reaches(const Statement &read, const llvm::MachineOperand &use, uint32_t words) const {
    const llvm::MachineInstr &user = *use.getParent();
    return user.getParent() == read.at->getParent() && !user.isPHI() &&
           staysUntil(read, positions.lookup(&user), words);
  }
  bool staysUntil(const Statement &read, unsigned position, uint32_t words = ~0u) const {
    return llvm::none_of(statements, [&](const Statement &other) {
      return other.isWrite && sees(read, other.pinned, words) && read.position < other.position &&
             other.position < position;
    });
  }

  /// Puts the registers in the place of a value, and of what is copied from it. `left` are uses where that cannot be.
  void replaceUses(const Statement &read, llvm::Register reg, unsigned sub,
                   llvm::SmallVectorImpl<llvm::MachineOperand *> &left) {
    for (llvm::MachineOperand &use : llvm::make_early_inc_range(values.use_operands(reg))) {
      llvm::MachineInstr &user = *use.getParent();
      if (use.isDebug()) {
        user.setDebugValueUndef();
        continue;
      }
      const unsigned index = partTaken(use, sub);
      const uint32_t words = wordsOf(index);
      if (user.isCopy() && reaches(read, use, words) && user.getOperand(0).getReg().isVirtual() &&
          !user.getOperand(0).getSubReg()) {
        llvm::SmallVector<llvm::MachineOperand *> leftOfCopy;
        replaceUses(read, user.getOperand(0).getReg(), index, leftOfCopy);
        if (leftOfCopy.empty())
          user.eraseFromParent();
        else
          left.push_back(&use);
        continue;
      }
      llvm::MCRegister tuple = tupleOf(read.pinned);
      if (index)
        tuple = registers.getSubReg(tuple, index);
      const bool isPossible = tuple.isValid() && reaches(read, use, words);
      if (isPossible && use.isTied() && fits(use, tuple) && user.getOperand(0).getReg() != tuple)
        forms.takeApart(user); // D of a matrix product is in other registers
      if (!isPossible || !canBe(use, tuple)) {
        left.push_back(&use);
        continue;
      }
      use.setReg(tuple);
      use.setSubReg(0);
      use.setIsKill(false);
    }
  }

  /// Whether what a write changes of a read is still used after `position`, where the new value would come.
  bool isUsedBetween(const Statement &read, const Statement &write, unsigned position) const {
    return isUsedBetween(read, write, position, read.value, 0);
  }
  bool isUsedBetween(const Statement &read, const Statement &write, unsigned position, llvm::Register reg,
                     unsigned index) const {
    for (const llvm::MachineOperand &use : values.use_nodbg_operands(reg)) {
      const llvm::MachineInstr &user = *use.getParent();
      const unsigned at = positions.lookup(&user), part = partTaken(use, index);
      if (!sees(read, write.pinned, wordsOf(part)) || isGathering(user)) // whose uses are looked at apart
        continue;
      if (at == 0 || (at > position && at <= write.position))
        return true;
      if (user.isCopy() && user.getOperand(0).getReg().isVirtual() &&
          isUsedBetween(read, write, position, user.getOperand(0).getReg(), part))
        return true;
    }
    return false;
  }

  bool isGathering(const llvm::MachineInstr &user) const {
    return user.isRegSequence() &&
           llvm::any_of(statements, [&](const Statement &each) { return each.isGathered && each.at == &user; });
  }

  //===------------------------------------------- registers ------------------------------------------------------===//

  llvm::MCRegister tupleOf(const Pinned &pinned) const {
    const char *prefix = pinned.file == 'v' ? "VGPR" : pinned.file == 'a' ? "AGPR" : "SGPR";
    std::string name;
    for (unsigned i = 0; i < pinned.count; ++i)
      name += (i ? "_" : "") + std::string(prefix) + std::to_string(pinned.first + i);
    return byName.lookup(name);
  }

  bool canBe(const llvm::MachineOperand &operand, llvm::MCRegister reg) const {
    return !operand.isTied() && fits(operand, reg);
  }
  bool fits(const llvm::MachineOperand &operand, llvm::MCRegister reg) const {
    const llvm::MachineInstr &user = *operand.getParent();
    if (user.isRegSequence() || user.isPHI() || user.isInsertSubreg() || user.isSubregToReg() || user.isInlineAsm() ||
        operand.isImplicit())
      return false;
    const llvm::TargetRegisterClass *fits =
        user.getRegClassConstraint(operand.getOperandNo(), &instructions, &registers);
    return fits && fits->contains(reg);
  }

  bool isInLoop(const llvm::MachineInstr &instruction) const { return loops.getLoopFor(instruction.getParent()); }

  bool refuse(const llvm::MachineInstr &at, const llvm::Twine &message) const {
    codegen::refuse(function.getFunction(), at.getDebugLoc(), message);
    return false;
  }

  llvm::MachineFunction &function;
  const llvm::TargetInstrInfo &instructions;
  const llvm::TargetRegisterInfo &registers;
  llvm::MachineRegisterInfo &values;
  const MatrixForms forms;
  llvm::MachineDominatorTree dominators;
  llvm::MachineLoopInfo loops;
  llvm::StringMap<llvm::MCRegister> byName;
  llvm::SmallVector<llvm::Register> puzzles;                      ///< values of the block that are put together
  std::vector<Statement> statements;                              ///< of the block
  llvm::DenseMap<const llvm::MachineInstr *, unsigned> positions; ///< in it, from 1
};

/// One for each place in the backend's list of passes.
template <int place> struct PinnedRegistersAt : PassBase<PinnedRegistersAt<place>, Keeps::Nothing> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    return function.getFunction().hasFnAttribute(isPinned) && PinRegisters(function).run();
  }
};
using PinnedRegistersPass = PinnedRegistersAt<1>;
using PinnedRegistersPass0 = PinnedRegistersAt<0>;

} // namespace

BackendPass pinnedRegistersPass() { return backendPass<PinnedRegistersPass>(); }
BackendPass unoptimizedPinnedRegistersPass() { return backendPass<PinnedRegistersPass0>(); }

bool pinsRegisters(const llvm::Function &function) { return function.hasFnAttribute(isPinned); }

bool pinsAgprs(const llvm::Function &function) {
  return function.getFnAttribute(isPinned).getValueAsString().contains('a');
}

void settlePinned(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::SmallDenseMap<char, unsigned> first;
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      std::optional<Pinned> pinned = pinnedBy(&instruction);
      if (!pinned)
        continue;
      auto [known, isNew] = first.try_emplace(pinned->file, pinned->first);
      known->second = std::min(known->second, pinned->first);
    }
    if (first.empty())
      continue;
    std::string files;
    for (auto &[file, lowest] : first)
      files += file;
    function.addFnAttr(isPinned, files);
    constexpr const protocol::RegisterCount &vgprs = protocol::vgprBudget;
    const std::optional<unsigned> budget = vgprs.read(function.getFnAttribute(vgprs.name).getValueAsString());
    if (first.contains('v') && (!budget || *budget > first['v']))
      function.addFnAttr(vgprs.name, vgprs.write(first['v']));
    if (first.contains('s'))
      function.addFnAttr(sgprBudget, std::to_string(first['s']));
  }
}

} // namespace fly::codegen
