// See RegisterUse.h.
#include "compiler/report/RegisterUse.h"

#include "compiler/report/Counts.h"
#include "compiler/report/Liveness.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <map>

namespace fly::report {

using isa::Instruction;
using isa::Operand;

RegisterUse registersUsed(const Code &code) {
  RegisterUse out;
  for (const Instruction &i : code.instructions)
    out.add(i);
  out.atLeast |= code.calls != 0;
  return out;
}

RegisterAllocation registersAllocated(const isa::CodeObject &object, const isa::Kernel &kernel) {
  const target::Target *row = target::findReadable(object.architecture());
  const isa::KernelDescriptor &d = kernel.descriptor;
  RegisterAllocation out;
  out.vgprs = kernel.vgprsAllocated;
  if (row && row->unifiedRegisters && d.accumOffset < out.vgprs) {
    out.agprs = out.vgprs - d.accumOffset;
    out.vgprs = d.accumOffset;
  }
  if (row && row->agprs && !row->unifiedRegisters)
    out.agprs = out.vgprs; // gfx908: two files, as many of each
  if (row)
    out.sgprs = row->sgprs.perSimd ? (d.granulatedSgprs / 2 + 1) * 16 : row->sgprs.addressable;
  return out;
}

namespace {

/// Registers that only ever hold one constant: all their writes move it there.
std::map<unsigned, uint32_t> constantRegisters(const Code &code) {
  std::map<unsigned, std::optional<uint32_t>> seen;
  const llvm::BitVector initial = initialRegisters(code);
  for (unsigned number : initial.set_bits())
    seen[number] = std::nullopt;
  for (const Instruction &i : code.instructions) {
    const Operand *from = i.find(isa::Role::Src0);
    const bool moves = isa::name(i.op) == "V_MOV_B32" && i.form != isa::Form::VOPD && !i.modifiers.dpp &&
                       !i.modifiers.dpp8 && !i.modifiers.sdwa && from && from->isImmediate();
    i.forEachDef([&](const Operand &o) {
      for (unsigned k = 0; o.isVgpr() && k < o.width; ++k) {
        std::optional<uint32_t> value = moves ? std::optional(uint32_t(from->bits)) : std::nullopt;
        auto [at, fresh] = seen.try_emplace(o.index + k, value);
        if (!fresh && at->second != value)
          at->second = std::nullopt;
      }
    });
  }
  std::map<unsigned, uint32_t> out;
  for (auto &[number, value] : seen)
    if (value)
      out[number] = *value;
  return out;
}

/// The value that a register has before an instruction.
std::optional<uint32_t> valueBefore(const Code &code, uint32_t number, unsigned reg,
                                    const std::map<unsigned, uint32_t> &constants) {
  if (auto found = constants.find(reg); found != constants.end() && code.kernel)
    return found->second;
  const isa::Block &block = code.flow.blocks()[code.flow.blockOf(number)];
  constexpr uint32_t farthest = 64; // so that long blocks take linear time
  for (uint32_t k = number; k > block.first && number - k < farthest; --k) {
    const Instruction &i = code.instructions[k - 1];
    bool writes = false;
    i.forEachDef(
        [&](const Operand &o) { writes |= o.isVgpr() && o.index <= reg && reg < unsigned(o.index) + o.width; });
    if (!writes)
      continue;
    const Operand *from = i.find(isa::Role::Src0);
    if (isa::name(i.op) != "V_MOV_B32" || i.modifiers.dpp || i.modifiers.dpp8 || i.modifiers.sdwa || !from ||
        !from->isImmediate())
      return std::nullopt;
    return uint32_t(from->bits);
  }
  return std::nullopt;
}

} // namespace

LdsUse ldsUsed(const Code &code) {
  LdsUse out;
  std::map<unsigned, uint32_t> constants = constantRegisters(code);
  uint32_t touched = 0;
  for (uint32_t number = 0; number < code.instructions.size(); ++number) {
    const Instruction &i = code.instructions[number];
    llvm::StringRef op = isa::name(i.op);
    const bool byOtherUnits =
        i.is(isa::Class::VectorMemory) &&
        (i.form == isa::Form::FLAT || i.form == isa::Form::TENSOR || i.modifiers.lds || op.contains("_LDS"));
    out.accesses += byOtherUnits;
    if (!i.is(isa::Class::Lds) || op.contains("PERMUTE") || op.contains("SWIZZLE") || op.contains("NOP"))
      continue;
    ++out.accesses;
    AccessWidth width = accessWidth(op);
    const bool two = op.contains("READ2") || op.contains("WRITE2") || op.contains("WRXCHG2");
    uint32_t end = uint32_t(i.modifiers.offset) + width.bits / 8;
    if (two) {
      const uint32_t each = width.bits / 16, step = each * (op.contains("ST64") ? 64 : 1);
      end = std::max(uint32_t(i.modifiers.offset), uint32_t(i.modifiers.offset1)) * step + each;
    }
    const Operand *address = i.find(isa::Role::Vaddr);
    if (!address || !address->isVgpr() || i.modifiers.gds || width.bits == 0)
      continue;
    out.highestOffset = std::max(out.highestOffset, end);
    if (auto base = valueBefore(code, number, address->index, constants)) {
      ++out.constant;
      touched = std::max(touched, *base + end);
    }
  }
  if (out.constant == out.accesses && !code.calls)
    out.touched = touched;
  return out;
}

} // namespace fly::report
