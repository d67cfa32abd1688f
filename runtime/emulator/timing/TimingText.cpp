// A timing as text. Every figure of time has the model's uncertainty in the same line.
#include "compiler/text/Words.h"
#include "runtime/emulator/timing/Timing.h"
#include "runtime/emulator/watch/ReportText.h"

#include <algorithm>
#include <map>

namespace fly::emulator {

namespace {

std::string withThousands(uint64_t n) {
  std::string text = std::to_string(n);
  for (size_t k = text.size(); k > 3; k -= 3) text.insert(k - 3, " ");
  return text;
}

/// "12 % matrix unit busy, 5 % LDS": the stalls that matter, largest first.
std::string stallsText(const std::array<uint64_t, stallCount> &stalls, double whole) {
  std::vector<unsigned> order;
  for (unsigned k = 0; k < stallCount; ++k)
    if (whole > 0 && static_cast<double>(stalls[k]) / whole >= 0.005) order.push_back(k);
  std::sort(order.begin(), order.end(),
            [&](unsigned a, unsigned b) { return stalls[a] != stalls[b] ? stalls[a] > stalls[b] : a < b; });
  std::string text;
  for (unsigned k : order)
    put(text, "%s%.0f %% %s", text.empty() ? "" : ", ", 100 * static_cast<double>(stalls[k]) / whole,
        std::string(name(static_cast<Stall>(k))).c_str());
  return text;
}

} // namespace

std::string uncertaintyText(const Timing &t) {
  std::string text;
  if (t.uncertainty > 0) put(text, "+-%.0f %%", 100 * t.uncertainty);
  else text = "not validated";
  return text;
}

static void ratesText(std::string &text, const Timing &t, const char *clock, double megahertz,
                      const std::string &sure) {
  const double seconds = static_cast<double>(t.cycles) / (megahertz * 1e6);
  put(text, "  at %4.0f MHz (%s): %.4g us", megahertz, clock, seconds * 1e6);
  if (t.matrixFlops > 0) put(text, ", %.4g TFLOP/s", t.matrixFlops / seconds * 1e-12);
  if (t.memoryBytes > 0) put(text, ", %.3g TB/s beyond L2", t.memoryBytes / seconds * 1e-12);
  put(text, " (%s)\n", sure.c_str());
}

std::string timingText(const Timing &t, unsigned hottest) {
  std::string text;
  const std::string sure = uncertaintyText(t);
  put(text, "%s on %s (%s): %s cycles (%s), bound by %s\n", t.kernel.c_str(), t.machine.c_str(), t.architecture.c_str(),
      withThousands(t.cycles).c_str(), sure.c_str(), t.bound.c_str());
  ratesText(text, t, "maximum", t.maximumClock, sure);
  if (t.sustainedClock != t.maximumClock) ratesText(text, t, "sustained matrix load", t.sustainedClock, sure);
  if (t.launchTime > 0) put(text, "  the launch takes some %.3g us more\n", t.launchTime);
  if (t.peakMatrixFlops > 0)
    put(text, "  %.1f %% of the matrix peak, ",
        100 * t.matrixFlops / (static_cast<double>(t.cycles) * t.peakMatrixFlops));
  else text += "  ";
  put(text, "%.1f %% of what %s gives (%s)\n",
      100 * t.memoryBytes / (static_cast<double>(std::max<uint64_t>(1, t.cycles)) * t.peakMemoryBytes),
      t.memoryLevel.c_str(), sure.c_str());
  text += "  busy:";
  for (unsigned k = 0; k < resourceCount; ++k)
    put(text, "%s %s %.1f %%", k ? "," : "", std::string(name(static_cast<Resource>(k))).c_str(), 100 * t.busy[k]);
  put(text, " (%s)\n  %s %s, %s of them replayed on %u of %u compute units, at most %s per SIMD (%s)\n", sure.c_str(),
      withThousands(t.workgroups).c_str(), plural(t.workgroups, "workgroup").c_str(), withThousands(t.replayed).c_str(),
      t.simulated, t.computeUnits, counted(t.wavesPerSimd, "wave").c_str(), t.occupancyLimit.c_str());
  if (t.workgroupsDiffer())
    put(text,
        "  workgroups differ: those replayed have %.2f times the instructions of the launch's mean, and the figures stand "
        "for them alone; `--cus all` replays all\n",
        t.shareOfWork);
  if (t.timeDependent) text += "  it waits for memory that another wave or device writes: how long is not modelled\n";
  if (t.orderDependent)
    text += "  atomics return values: on hardware each may go to another wave than in the emulator\n";

  std::array<uint64_t, stallCount> stalls{};
  uint64_t issued = 0, waited = 0;
  for (const TimedInstruction &i : t.instructions) {
    issued += i.issueCycles, waited += i.stalled();
    for (unsigned k = 0; k < stallCount; ++k) stalls[k] += i.stalls[k];
  }
  const double whole = static_cast<double>(issued + waited);
  if (whole <= 0) return text;
  put(text, "  of the waves' time: %.0f %% issuing, %s (%s)\n", 100 * static_cast<double>(issued) / whole,
      stallsText(stalls, whole).c_str(), sure.c_str());

  for (size_t k = 0; k < std::min<size_t>(t.loops.size(), 3); ++k) {
    const TimedLoop &l = t.loops[k];
    put(text, "  loop %llx-%llx", static_cast<unsigned long long>(l.first), static_cast<unsigned long long>(l.last));
    if (l.line) put(text, " (%s:%u)", l.file.c_str(), l.line);
    put(text, ": %.1f cycles per iteration (%s)", l.cycles, sure.c_str());
    if (l.matrixCycles > 0)
      put(text, ", %.0f of the matrix unit, matrix share %.1f %%", l.matrixCycles, 100 * l.matrixShare);
    put(text, "; %s iterations\n", withThousands(l.iterations).c_str());
  }
  std::map<std::pair<std::string, unsigned>, TimedInstruction> lines;
  for (const TimedInstruction &i : t.instructions) {
    TimedInstruction &sum = lines[{i.file, i.line}];
    sum.issueCycles += i.issueCycles, sum.executions += i.executions;
    for (unsigned k = 0; k < stallCount; ++k) sum.stalls[k] += i.stalls[k];
  }
  std::vector<std::pair<std::pair<std::string, unsigned>, TimedInstruction>> hot(lines.begin(), lines.end());
  std::sort(hot.begin(), hot.end(), [](const auto &a, const auto &b) {
    const uint64_t x = a.second.issueCycles + a.second.stalled(), y = b.second.issueCycles + b.second.stalled();
    return x != y ? x > y : a.first < b.first;
  });
  if (hottest) put(text, "  where the waves' time goes, by line (%s):\n", sure.c_str());
  for (size_t k = 0; k < std::min<size_t>(hot.size(), hottest); ++k) {
    const auto &[place, i] = hot[k];
    const auto cycles = static_cast<double>(i.issueCycles + i.stalled());
    put(text, "    %5.1f %%  %s:%u", 100 * cycles / whole, place.first.empty() ? "?" : place.first.c_str(),
        place.second);
    const std::string what = stallsText(i.stalls, whole);
    put(text, "%s%s\n", what.empty() ? "" : "  ", what.c_str());
  }
  std::vector<const TimedInstruction *> instructions;
  for (const TimedInstruction &i : t.instructions) instructions.push_back(&i);
  std::sort(instructions.begin(), instructions.end(), [](const TimedInstruction *a, const TimedInstruction *b) {
    return a->stalled() != b->stalled() ? a->stalled() > b->stalled() : a->address < b->address;
  });
  if (hottest) put(text, "  instructions that wait longest (%s):\n", sure.c_str());
  for (size_t k = 0; k < std::min<size_t>(instructions.size(), hottest); ++k) {
    const TimedInstruction &i = *instructions[k];
    if (!i.stalled()) break;
    put(text, "    %5.1f %%  %06llx  %-50s %s\n", 100 * static_cast<double>(i.stalled()) / whole,
        static_cast<unsigned long long>(i.address), i.text.c_str(), stallsText(i.stalls, whole).c_str());
  }
  return text;
}

} // namespace fly::emulator
