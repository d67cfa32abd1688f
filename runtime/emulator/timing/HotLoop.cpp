// The hottest loop of a launch as a listing: what each instruction costs, and what it waits for.
//
//     hot loop 2398-2658 (gemm.fly:88): 2148.0 cycles per iteration, 1 024 iterations (+-13 %)
//       cycles  address  instruction
//          4.0  002398   v_mfma_f32_16x16x32_f16 v[0:3], v[64:67], v[80:83], v[0:3]
//         68.0  0023a0   s_waitcnt lgkmcnt(0)                                        LDS 64.0
//
// Cycles are those of one wave in one trip: of its issue, and all that it waited before. So they add up to the cycles of
// a trip. An instruction that is not executed in each trip has its share.
#include "runtime/emulator/timing/Timing.h"
#include "runtime/emulator/watch/ReportText.h"

#include <algorithm>

namespace fly::emulator {

/// "matrix unit busy 12.0, LDS 4.0": cycles of a trip, largest first.
static std::string waitsOf(const TimedInstruction &i, double trips) {
  std::vector<unsigned> order;
  for (unsigned k = 0; k < stallCount; ++k)
    if (static_cast<double>(i.stalls[k]) / trips >= 0.05) order.push_back(k);
  std::sort(order.begin(), order.end(),
            [&](unsigned a, unsigned b) { return i.stalls[a] != i.stalls[b] ? i.stalls[a] > i.stalls[b] : a < b; });
  std::string text;
  for (unsigned k : order)
    put(text, "%s%s %.1f", text.empty() ? "" : ", ", std::string(name(static_cast<Stall>(k))).c_str(),
        static_cast<double>(i.stalls[k]) / trips);
  return text;
}

std::string hotLoopText(const Timing &t) {
  std::string text;
  if (t.loops.empty()) return text;
  const TimedLoop &loop = t.loops.front();
  uint64_t trips = 0;
  size_t widest = 0;
  for (const TimedInstruction &i : t.instructions)
    if (i.address >= loop.first && i.address <= loop.last) {
      widest = std::max(widest, i.text.size());
      if (i.address == loop.last) trips = i.executions;
    }
  if (!trips) return text;
  put(text, "hot loop %llx-%llx", static_cast<unsigned long long>(loop.first),
      static_cast<unsigned long long>(loop.last));
  if (loop.line) put(text, " (%s:%u)", loop.file.c_str(), loop.line);
  put(text, ": %.1f cycles per iteration, %llu iterations (%s)\n  cycles  address  instruction\n", loop.cycles,
      static_cast<unsigned long long>(loop.iterations), uncertaintyText(t).c_str());
  const int width = static_cast<int>(std::min<size_t>(widest, 72));
  for (const TimedInstruction &i : t.instructions) {
    if (i.address < loop.first || i.address > loop.last || !i.executions) continue;
    const auto share = static_cast<double>(i.executions) / static_cast<double>(trips);
    std::string waits = waitsOf(i, static_cast<double>(trips));
    if (share < 0.995) put(waits, "%sin %.3g of a trip", waits.empty() ? "" : "; ", share);
    std::string line;
    put(line, "  %6.1f  %06llx   %-*s  %s",
        static_cast<double>(i.issueCycles + i.stalled()) / static_cast<double>(trips),
        static_cast<unsigned long long>(i.address), width, i.text.c_str(), waits.c_str());
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

} // namespace fly::emulator
