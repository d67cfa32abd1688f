// Broken instructions; see Mutation.h. decode/Broken.cpp makes them wrong.
#include "runtime/emulator/launch/Mutation.h"

#include "runtime/emulator/decode/Broken.h"

#include <algorithm>
#include <cctype>

namespace fly::emulator {

void breakOp(const Module &module, const Breakage &breakage) {
  module.broken = breakage;
  module.faulted = false;
  for (auto &[kernel, list] : module.programs)
    for (auto &program : list) program->breakOp(breakage);
}

namespace {

/// LLVM joins the last parts of some names: V_MFMA_F32_16X16X16F16.
std::optional<isa::Op> findInstruction(std::string name) {
  if (isa::isInstructionName(name)) return isa::findOp(name);
  if (const size_t last = name.rfind('_'); last != name.npos) name.erase(last, 1);
  if (isa::isInstructionName(name)) return isa::findOp(name);
  return {};
}

} // namespace

std::string parseBreakage(std::string_view text, Breakage &breakage) {
  const size_t colon = std::min(text.find(':'), text.size());
  std::string name(text.substr(0, colon));
  const std::string_view part = colon < text.size() ? text.substr(colon + 1) : std::string_view();
  for (char &c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::optional<isa::Op> op = findInstruction(name);
  if (!op) return "the name of an instruction, such as v_add_f32";
  breakage.op = *op;
  const bool isCache = isCacheControl(*op), isLost = isCache || isMemoryWait(*op);
  breakage.how = isLost ? Breakage::Lost : Breakage::Wrong;
  if (colon == text.size()) return {};
  constexpr std::pair<std::string_view, Breakage::How> ends[] = {{"hang", Breakage::Hangs},
                                                                 {"abort", Breakage::Aborts}};
  for (auto [end, how] : ends)
    if (part == end) {
      breakage.how = how;
      return {};
    }
  if (part == "layout" && isMatrixProduct(*op)) {
    breakage.how = Breakage::Transposed;
    return {};
  }
  constexpr std::pair<std::string_view, Reach> scopes[] = {
      {"workgroup", Reach::Group}, {"cluster", Reach::Cluster}, {"agent", Reach::Agent}, {"system", Reach::System}};
  for (auto [scope, reach] : scopes)
    if (part == scope && isCache) breakage.reach = reach;
  if (breakage.reach) return {};
  return isCache ? "the instruction, and of which scope: workgroup, cluster, agent, system; or :hang, :abort"
         : isMatrixProduct(*op)
             ? "the instruction, alone or with :layout, :hang, :abort"
             : "the instruction, alone or with :hang or :abort: only a matrix instruction has a :layout, and a cache "
               "control a scope";
}

bool hasBroken(const Module &module) {
  const Breakage &broken = module.broken;
  const auto isBroken = [&](const isa::Instruction &inst) {
    return inst.op == broken.op && (!broken.reach || reachOf(inst) == *broken.reach);
  };
  for (auto &[name, list] : module.programs)
    for (auto &program : list)
      for (const isa::Instruction &inst : program->instructions)
        if (isBroken(inst) || std::any_of(inst.components.begin(), inst.components.end(), isBroken)) return true;
  return false;
}

bool needsWeakMemory(const Breakage &breakage) { return breakage.how == Breakage::Lost && isCacheControl(breakage.op); }
bool needsNoWaitCheck(const Breakage &breakage) { return breakage.how == Breakage::Lost && isMemoryWait(breakage.op); }

std::vector<std::pair<isa::Op, isa::Class>> decodedOps(const Module &module, std::string_view kernel) {
  std::vector<std::pair<isa::Op, isa::Class>> ops;
  auto add = [&](const isa::Instruction &inst) {
    auto same = [&](const auto &known) { return known.first == inst.op; };
    if (inst.op != isa::Op::Invalid && std::find_if(ops.begin(), ops.end(), same) == ops.end())
      ops.emplace_back(inst.op, inst.cls);
  };
  for (auto &[name, list] : module.programs) {
    if (!kernel.empty() && kernel != name) continue;
    for (auto &program : list)
      for (const isa::Instruction &inst : program->instructions) {
        if (inst.components.empty()) add(inst);
        for (const isa::Instruction &half : inst.components) add(half);
      }
  }
  return ops;
}

} // namespace fly::emulator
