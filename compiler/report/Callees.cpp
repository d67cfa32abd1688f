// Follows constants in scalar registers through each block: program counter, moves, additions and their carry. The
// state at a block's start is what all predecessors that were already walked (in address order) agree on; a block that
// is the target of a later back edge starts with nothing known. Calls are assumed to preserve registers: code that uses
// one for an address after a call relies on that.
#include "compiler/report/Callees.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace fly::report {

namespace {

using isa::Operand;
using isa::Role;

struct Constants {
  std::map<unsigned, uint32_t> registers; ///< by number
  std::optional<bool> carry;              ///< SCC of an addition

  std::optional<uint64_t> read(const Operand *o, unsigned dwords) const {
    if (!o)
      return std::nullopt;
    if (o->isImmediate())
      return dwords == 1 ? o->bits & 0xffffffff : o->bits;
    if (!o->isSgpr())
      return std::nullopt;
    uint64_t value = 0;
    for (unsigned k = 0; k < dwords; ++k) {
      auto found = registers.find(o->index + k);
      if (found == registers.end())
        return std::nullopt;
      value |= uint64_t(found->second) << (32 * k);
    }
    return value;
  }
  void write(const Operand &o, uint64_t value) {
    for (unsigned k = 0; k < o.width && k < 2; ++k)
      registers[o.index + k] = uint32_t(value >> (32 * k));
  }

  void step(const isa::Instruction &i) {
    llvm::StringRef op = isa::name(i.op);
    const Operand *to = i.find(Role::Dst), *a = i.find(Role::Src0), *b = i.find(Role::Src1);
    std::optional<uint64_t> value;
    std::optional<bool> newCarry;
    if (op == "S_GETPC_B64") {
      value = i.next();
    } else if (op == "S_MOV_B32") {
      value = read(a, 1);
    } else if (op == "S_MOV_B64") {
      value = read(a, 2);
    } else if (op == "S_SEXT_I32_I16") {
      if (auto x = read(a, 1))
        value = uint32_t(int32_t(int16_t(*x)));
    } else if (op == "S_ADD_U64") {
      auto x = read(a, 2), y = read(b, 2);
      if (x && y)
        value = *x + *y;
    } else if (op == "S_ADD_U32" || op == "S_ADDC_U32") {
      auto x = read(a, 1), y = read(b, 1);
      if (x && y && (op == "S_ADD_U32" || carry)) {
        value = *x + *y + (op == "S_ADDC_U32" && *carry);
        newCarry = *value >> 32 != 0;
      }
    }
    i.forEachDef([&](const Operand &o) {
      for (unsigned k = 0; o.isSgpr() && k < o.width; ++k)
        registers.erase(o.index + k);
      if (o.isSpecial(isa::Special::SCC))
        carry = newCarry;
    });
    if (value && to && to->isSgpr())
      write(*to, *value);
  }
};

/// The facts on which two states agree.
Constants meet(const Constants &a, const Constants &b) {
  Constants out;
  for (auto &[number, value] : a.registers)
    if (auto found = b.registers.find(number); found != b.registers.end() && found->second == value)
      out.registers[number] = value;
  return out;
}

} // namespace

std::map<uint64_t, uint32_t> calleesOf(const Code &code) {
  std::map<uint64_t, uint32_t> out;
  if (!code.calls)
    return out;
  auto blocks = code.flow.blocks();
  std::vector<Constants> after(blocks.size());
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    Constants state;
    bool first = true;
    for (uint32_t p : blocks[b].predecessors) {
      if (p >= b) { // not walked yet
        state = {};
        break;
      }
      state = first ? after[p] : meet(state, after[p]);
      first = false;
    }
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      const isa::Instruction &instruction = code.instructions[i];
      if (code.isCall(i)) {
        auto direct = instruction.target();
        ++out[direct ? *direct : state.read(instruction.find(Role::Src0), 2).value_or(~uint64_t(0))];
      }
      state.step(instruction);
    }
    after[b] = std::move(state);
  }
  return out;
}

} // namespace fly::report
