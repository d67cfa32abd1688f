// The scope of an instruction, from its cache bits. Sources: LLVM's AMDGPUUsage, "Memory Model GFX942" and "GFX12".
#include "runtime/emulator/wave/Observer.h"

#include "compiler/isa/Instruction.h"

#include <algorithm>

namespace fly::emulator {

Reach reachOf(const isa::Instruction &instruction, bool isAtomic) {
  const isa::Modifiers &m = instruction.modifiers;
  const Reach least = isAtomic ? Reach::Agent : Reach::Group;
  if (m.scope) return std::max(least, m.scope == 3 ? Reach::System : m.scope == 2 ? Reach::Agent : Reach::Cluster);
  if (!m.sc1) return least;
  return isAtomic || m.sc0 ? Reach::System : Reach::Agent; // an atomic's sc0 says that it returns something
}

} // namespace fly::emulator
