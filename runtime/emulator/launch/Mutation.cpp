// Broken instructions; see Mutation.h. decode/Broken.cpp makes them wrong.
#include "runtime/emulator/launch/Mutation.h"

#include <algorithm>

namespace fly::emulator {

void breakOp(const Module &module, isa::Op op) {
  module.broken = op;
  module.faulted = false;
  for (auto &[kernel, list] : module.programs)
    for (auto &program : list) program->breakOp(op);
}

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
