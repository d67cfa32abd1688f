// The table of phases. Sources:
//   measured    lane groups found with hardware counters on an MI355X (gfx950): tests/facts/lds_phases.json.
//   documented  AMD's documentation of Composable Kernel ("Understanding AMD GPU LDS and Bank Conflicts") for
//               ds_read_b128 and ds_write_b128 of CDNA3; the lane groups of its reads are those measured on gfx950 for
//               ds_read_b96, where 32 banks serve them too.
//   general     lanes in order, as many as fill the banks once with their width rounded up to a power of two. Banks:
//               CDNA3: 32 (CDNA3 ISA document, Local Data Share). RDNA4: a workgroup processor has 64, of which 32
//               serve the pair of SIMDs a wave runs on (RDNA3 and RDNA4 ISA documents). gfx1250: 64, a single source
//               (public analysers of bank conflicts written for it). gfx950: 64 for reads, 32 for writes, as in all
//               its measured rows.
#include "compiler/target/LdsBanks.h"

#include "compiler/target/Target.h"

#include <algorithm>
#include <bit>

namespace fly::target {

namespace {

constexpr uint64_t lanes(unsigned first, unsigned count) {
  return (count >= 64 ? ~0ull : (1ull << count) - 1) << first;
}
/// Two groups of four lanes, as 8-lane phases of reads have them.
constexpr uint64_t fours(unsigned a, unsigned b) { return lanes(a, 4) | lanes(b, 4); }

struct PhaseRow {
  std::string_view arch;
  bool write;
  unsigned bytes, banks, count;
  uint64_t phases[8];
};

// clang-format off
constexpr PhaseRow phaseRows[] = {
    // measured
    {"gfx950", false, 16, 64, 4,
     {lanes(0, 4) | lanes(12, 4) | lanes(20, 8), lanes(4, 8) | lanes(16, 4) | lanes(28, 4),
      lanes(32, 4) | lanes(44, 4) | lanes(52, 8), lanes(36, 8) | lanes(48, 4) | lanes(60, 4)}},
    {"gfx950", false, 12, 32, 8,
     {fours(0, 20), fours(4, 16), fours(8, 28), fours(12, 24), fours(32, 52), fours(36, 48), fours(40, 60),
      fours(44, 56)}},
    {"gfx950", false, 8, 64, 2, {lanes(0, 32), lanes(32, 32)}},
    {"gfx950", true, 8, 32, 4, {lanes(0, 16), lanes(16, 16), lanes(32, 16), lanes(48, 16)}},
    // documented
    {"gfx942", false, 16, 32, 8,
     {fours(0, 20), fours(4, 16), fours(8, 28), fours(12, 24), fours(32, 52), fours(36, 48), fours(40, 60),
      fours(44, 56)}},
    {"gfx942", true, 16, 32, 8,
     {lanes(0, 8), lanes(8, 8), lanes(16, 8), lanes(24, 8), lanes(32, 8), lanes(40, 8), lanes(48, 8), lanes(56, 8)}},
};
// clang-format on

unsigned banksOf(std::string_view arch, bool write) {
  const Target *target = find(arch);
  return !target ? 32 : write ? target->ldsWriteBanks : target->ldsReadBanks;
}

} // namespace

LdsRule ldsRule(std::string_view arch, unsigned waveSize, unsigned bytes, bool write) {
  LdsRule rule{};
  for (const PhaseRow &row : phaseRows)
    if (row.arch == arch && row.write == write && row.bytes == bytes) {
      rule.banks = row.banks;
      rule.phaseCount = row.count;
      std::copy_n(row.phases, row.count, rule.phases);
      rule.measured = true;
      return rule;
    }
  rule.banks = banksOf(arch, write);
  unsigned dwords = std::bit_ceil(std::max(1u, (bytes + 3) / 4));
  unsigned together = std::clamp(rule.banks / dwords, 1u, waveSize);
  for (unsigned first = 0; first < waveSize; first += together)
    rule.phases[rule.phaseCount++] = lanes(first, together);
  return rule;
}

LdsCost ldsCost(const LdsRule &rule, uint64_t active, const uint64_t *addresses, unsigned bytes, bool atomic) {
  LdsCost cost;
  if (bytes > 16) { // rows of the tensor mover
    const uint64_t width = 4 * rule.banks, all = static_cast<uint64_t>(std::popcount(active)) * bytes;
    cost.cycles = cost.ideal = static_cast<unsigned>((all + width - 1) / width);
    return cost;
  }
  uint64_t dwords[64 * 5]; // an unaligned access of 16 bytes touches 5
  for (unsigned p = 0; p < rule.phaseCount; ++p) {
    uint64_t left = rule.phases[p] & active;
    if (!left)
      continue;
    unsigned count = 0;
    for (; left; left &= left - 1) {
      uint64_t address = addresses[std::countr_zero(left)];
      for (uint64_t d = address / 4; d <= (address + std::max(bytes, 1u) - 1) / 4; ++d)
        dwords[count++] = d;
    }
    if (!atomic) {
      std::sort(dwords, dwords + count);
      count = static_cast<unsigned>(std::unique(dwords, dwords + count) - dwords);
    }
    unsigned used[64] = {}, busiest = 0;
    for (unsigned k = 0; k < count; ++k)
      busiest = std::max(busiest, ++used[dwords[k] % rule.banks]);
    cost.cycles += busiest;
    cost.ideal += 1;
  }
  return cost;
}

} // namespace fly::target
