// The bench's state against the expected one: everything is compared, registers that the instruction does not name too.
#include "tests/emulator/pseudocode/MachineParts.h"

#include <cmath>
#include <cstring>

namespace fly::pseudocode {

std::string Machine::difference() {
  char buffer[256];
  const emulator::Wave &w = bench.wave();
  for (const Approximate &a : approximate) { // within the hardware's error: take the emulator's value
    Wide got = 0, want = 0;
    const uint32_t *from = a.scalar ? w.scalar : w.vector;
    uint32_t *into = a.scalar ? scalar : vector.data();
    for (unsigned k = 0; k < a.words; ++k) {
      got |= Wide(from[a.at + k * stride]) << 32 * k;
      want |= Wide(into[a.at + k * stride]) << 32 * k;
    }
    got = got >> a.lo & maskOf(a.type.bits);
    want = want >> a.lo & maskOf(a.type.bits);
    FloatMode m;
    Value g(a.type, got), e(a.type, want);
    if (isNan(e, m) || isNan(g, m)) continue;
    bool near = distance(got, want, a.type) <= a.ulps || std::fabs(toDouble(g, m) - toDouble(e, m)) <= a.absolute;
    if (near)
      for (unsigned k = 0; k < a.words; ++k) {
        uint32_t mask = static_cast<uint32_t>(maskOf(a.type.bits) << a.lo >> 32 * k), &to = into[a.at + k * stride];
        to = (to & ~mask) | (from[a.at + k * stride] & mask);
      }
  }
  for (size_t at = 0; at < vector.size(); ++at)
    if (((w.vector[at] ^ vector[at]) & ~open[at]) && at % stride < bench.lanes()) {
      unsigned reg = static_cast<unsigned>(at / stride);
      std::snprintf(buffer, sizeof buffer, "%c%u lane %u is 0x%08x, expected 0x%08x (open 0x%08x), was 0x%08x",
                    reg < bench.vgprCount() ? 'v' : 'a', reg < bench.vgprCount() ? reg : reg - bench.vgprCount(),
                    static_cast<unsigned>(at % stride), w.vector[at], vector[at], open[at], before[at]);
      return buffer;
    }
  for (unsigned s = 0; s < slot::zero; ++s)
    if ((w.scalar[s] ^ scalar[s]) & ~scalarOpen[s]) {
      const char *name = s < slot::vcc    ? "s"
                         : s < slot::exec ? "vcc+"
                         : s < slot::m0   ? "exec+"
                         : s == slot::m0  ? "m0 "
                         : s == slot::scc ? "scc "
                                          : "slot ";
      std::snprintf(buffer, sizeof buffer, "%s%u is 0x%08x, expected 0x%08x, was 0x%08x", name,
                    s < slot::vcc    ? s
                    : s < slot::exec ? s - slot::vcc
                    : s < slot::m0   ? s - slot::exec
                                     : s,
                    w.scalar[s], scalar[s], scalarBefore[s]);
      return buffer;
    }
  auto bytes = [&](const char *name, const uint8_t *got, const std::vector<uint8_t> &want,
                   const std::vector<uint8_t> &undetermined) -> std::string {
    if (!std::memcmp(got, want.data(), want.size())) return {};
    size_t k = 0;
    while (k < want.size() && !((got[k] ^ want[k]) & ~(undetermined.empty() ? 0 : undetermined[k]))) ++k;
    if (k == want.size()) return {};
    std::snprintf(buffer, sizeof buffer, "%s byte 0x%zx is 0x%02x, expected 0x%02x", name, k, got[k], want[k]);
    return buffer;
  };
  if (std::string d = bytes("LDS", bench.lds.data(), lds, ldsOpen); !d.empty()) return d;
  if (std::string d = bytes("scratch", bench.scratch.data(), scratch, scratchOpen); !d.empty()) return d;
  if (memoryHost)
    if (std::string d = bytes("memory", memoryHost, memory, memoryOpen); !d.empty()) return d;
  if (bench.mode() != modeAfter) {
    std::snprintf(buffer, sizeof buffer, "MODE is 0x%x, expected 0x%x", bench.mode(), modeAfter);
    return buffer;
  }
  // On gfx9 two bits of MODE choose the variant of the decoded code.
  const uint32_t variant = emulator::test::isGfx12(bench.row) ? 0
                                                              : (modeAfter >> 27 & 1 ? emulator::codeIndexed : 0u) |
                                                                    (modeAfter >> 28 & 1 ? emulator::codeSkipping : 0u);
  if ((w.codeState & ~0xffu) != variant) {
    std::snprintf(buffer, sizeof buffer, "the code's variant is 0x%x, expected 0x%x", w.codeState & ~0xffu, variant);
    return buffer;
  }
  bool jumped = bench.jumped() != 0 || bench.wave().fault.kind == emulator::FaultKind::BadJump; // to where no code is
  if (jumps && jumped != jumpTaken) return jumpTaken ? "did not jump" : "jumped";
  return {};
}

} // namespace fly::pseudocode
