// See Outside.h. An address is a program counter and a constant:
//
//     s_getpc_b64 s[4:5]                      the address of the next instruction
//     s_add_u32 s4, s4, 0x1234                the low half, by one of the next few instructions
#include "compiler/assembly/Outside.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fly::assembly {

namespace {

llvm::StringRef opOf(const isa::Instruction &i) { return isa::name(i.op); }

std::string nameAt(const isa::CodeObject &object, uint64_t address) {
  for (const isa::Symbol &s : object.symbols())
    if (s.defined && !s.name.empty() && address >= s.address && address < s.address + std::max<uint64_t>(1, s.size))
      return "`" + s.name + "`";
  return "0x" + llvm::utohexstr(address, /*LowerCase=*/true);
}

/// The constant that is added to the low half of what instruction `at` gives; none if another form is used.
std::optional<int64_t> addedConstant(llvm::ArrayRef<isa::Instruction> code, size_t at) {
  constexpr size_t near = 8;
  const isa::Operand *pc = nullptr;
  for (const isa::Operand &o : code[at].operands)
    if (o.def && o.isSgpr())
      pc = &o;
  if (!pc)
    return std::nullopt;
  for (const isa::Instruction &i : code.slice(at + 1).take_front(near)) {
    if (!opOf(i).starts_with("S_ADD_"))
      continue;
    const bool readsIt =
        llvm::any_of(i.operands, [&](const isa::Operand &o) { return !o.def && o.isSgpr() && o.index == pc->index; });
    auto constant = llvm::find_if(i.operands, [](const isa::Operand &o) { return !o.def && o.isImmediate(); });
    if (readsIt && constant != i.operands.end())
      return constant->operandBits == 64 ? static_cast<int64_t>(constant->bits)
                                         : static_cast<int64_t>(static_cast<int32_t>(constant->bits));
  }
  return std::nullopt;
}

} // namespace

bool computesAddress(const isa::Instruction &i) { return opOf(i).starts_with("S_GETPC"); }

std::vector<std::string> findOutside(const isa::CodeObject &object, const isa::Kernel &kernel,
                                     llvm::ArrayRef<isa::Instruction> code, const Paths &paths) {
  std::vector<std::string> found;
  auto add = [&](std::string what) {
    if (!llvm::is_contained(found, what))
      found.push_back(std::move(what));
  };
  auto isInside = [&](uint64_t address) { return address >= kernel.entry && address < code.back().next(); };
  for (uint32_t k = 0; k < code.size(); ++k) {
    if (!paths.hasComputedJump() && !paths.reachedAt(k))
      continue;
    if (auto to = code[k].target(); to && !isInside(*to))
      add("jumps to " + nameAt(object, *to));
    if (!computesAddress(code[k]))
      continue;
    auto constant = addedConstant(code, k);
    if (!constant)
      add("computes an address from its own");
    else if (const uint64_t to = code[k].next() + static_cast<uint64_t>(*constant); !isInside(to))
      add("refers to " + nameAt(object, to));
  }
  return found;
}

} // namespace fly::assembly
