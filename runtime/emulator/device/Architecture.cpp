// Every row of compiler/target, in the form that the emulator needs; see Architecture.h.
#include "runtime/emulator/device/Architecture.h"

namespace fly::emulator {

Architecture::Architecture(const target::Target &row)
    : Target(row), gfx12(row.generation == target::Generation::Gfx12), clusters(row.maxClusterSize > 1),
      fnuz(row.fp8 == target::Fp8Flavour::Fnuz), pairedWmma(gfx12 && !clusters),
      agentReleaseWritesBack(!gfx12 || clusters),
      maxVgprs(row.unifiedRegisters ? row.vgprs.addressable - row.agprs : row.vgprs.addressable) {}

const Architecture *findArchitecture(std::string_view name) {
  static const std::vector<Architecture> architectures(target::all().begin(), target::all().end());
  for (const Architecture &architecture : architectures)
    if (architecture.name == name) return &architecture;
  return nullptr;
}

} // namespace fly::emulator
