// Every row of compiler/target, in the form that the emulator needs; see Architecture.h.
#include "runtime/emulator/device/Architecture.h"

namespace fly::emulator {

Architecture::Architecture(const target::Target &row)
    : Target(row), clusters(row.maxClusterSize > 1), fnuz(row.fp8 == target::Fp8Flavour::Fnuz),
      maxVgprs(row.unifiedRegisters ? row.vgprs.addressable - row.agprs : row.vgprs.addressable), counterCapacity{} {
  for (unsigned c = 0; c < target::counterCount; ++c)
    counterCapacity[c] = target::counterCapacity(static_cast<target::Counter>(c), row.generation);
}

const Architecture *findArchitecture(std::string_view name) {
  static const std::vector<Architecture> architectures(target::all().begin(), target::all().end());
  for (const Architecture &architecture : architectures)
    if (architecture.name == name) return &architecture;
  return nullptr;
}

} // namespace fly::emulator
