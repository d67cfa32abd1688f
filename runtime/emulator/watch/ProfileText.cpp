// A profile for people: the tables of `profileText` and the annotated listing.
#include "runtime/emulator/watch/Profile.h"
#include "runtime/emulator/watch/ReportText.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace fly::emulator {

namespace {

using Count = unsigned long long; // what %llu wants
double percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}
std::string triple(const std::array<uint32_t, 3> &v) {
  return std::to_string(v[0]) + "x" + std::to_string(v[1]) + "x" + std::to_string(v[2]);
}
std::string place(const std::string &file, unsigned line) {
  return line ? file + ":" + std::to_string(line) : "(no line)";
}

void putMemory(std::string &out, const ProfileCounts &t) {
  out += "memory              read bytes  written bytes\n";
  if (t.globalAccesses || t.globalReadBytes || t.globalWrittenBytes) {
    put(out, "  global        %14llu %14llu   %llu accesses, lines of 32 B %llu, 64 B %llu, 128 B %llu\n",
        Count(t.globalReadBytes), Count(t.globalWrittenBytes), Count(t.globalAccesses), Count(t.transactions32),
        Count(t.transactions64), Count(t.transactions128));
    put(out, "                %14s %14s   %.1f %% of the bytes in the 64 B lines are requested\n", "", "",
        percent(t.globalReadBytes + t.globalWrittenBytes, 64 * t.transactions64));
  }
  if (t.ldsAccesses)
    put(out, "  LDS           %14llu %14llu   %llu accesses, %llu cycles, %llu of them bank conflicts (%.1f %%)\n",
        Count(t.ldsReadBytes), Count(t.ldsWrittenBytes), Count(t.ldsAccesses), Count(t.ldsCycles),
        Count(t.ldsConflictCycles), percent(t.ldsConflictCycles, t.ldsCycles));
  if (t.scratchReadBytes || t.scratchWrittenBytes)
    put(out, "  scratch       %14llu %14llu\n", Count(t.scratchReadBytes), Count(t.scratchWrittenBytes));
  put(out, "  scalar        %14llu\n", Count(t.scalarReadBytes));
  if (t.atomicLanes) put(out, "  atomic operations  %llu\n", Count(t.atomicLanes));
}

} // namespace

std::string profileText(const Profile &p, unsigned hottest) {
  ProfileCounts t = p.total();
  std::string out = "profile of " + p.kernel + " on " + p.architecture + ": grid " + triple(p.grid) + ", block " +
                    triple(p.block) + ", " + std::to_string(p.waves) + " waves of " + std::to_string(p.waveSize) +
                    " lanes\n\n";
  put(out, "instructions    %14llu   %.1f per wave\n", Count(t.executions),
      p.waves ? static_cast<double>(t.executions) / static_cast<double>(p.waves) : 0.0);
  std::map<std::string, uint64_t> units, counters;
  uint64_t matrix = 0;
  for (const ProfiledInstruction &i : p.instructions) {
    if (i.counts.executions) units[i.unit] += i.counts.executions;
    if (i.unit == "matrix") matrix += i.counts.executions;
    for (const std::string &c : i.counters) counters[c] += i.counts.executions;
  }
  std::vector<std::pair<std::string, uint64_t>> mix(units.begin(), units.end());
  std::sort(mix.begin(), mix.end(),
            [](const auto &a, const auto &b) { return std::tie(b.second, a.first) < std::tie(a.second, b.first); });
  for (const auto &[unit, n] : mix)
    put(out, "  %-14s%14llu   %5.1f %%\n", unit.c_str(), Count(n), percent(n, t.executions));
  put(out, "active lanes    %14.1f %%  of vector, memory and LDS instructions\n", 100 * p.activeLaneShare());
  if (matrix) put(out, "matrix          %14llu flop\n", Count(t.matrixFlops));
  for (const auto &[counter, n] : counters)
    if (n) put(out, "waits for %-10s%10llu\n", counter.c_str(), Count(n));
  putMemory(out, t);

  out += "\nhottest lines\n   executions  share   lanes  place\n";
  auto lines = p.lines();
  for (size_t k = 0; k < std::min<size_t>(lines.size(), hottest); ++k) {
    const ProfileCounts &c = lines[k].counts;
    put(out, "%13llu %5.1f %% %5.1f %%  ", Count(c.executions), percent(c.executions, t.executions),
        percent(c.lanes, c.executions * p.waveSize));
    out += place(lines[k].file, lines[k].line);
    if (c.ldsConflictCycles) out += "  " + std::to_string(c.ldsConflictCycles) + " conflict cycles";
    out += '\n';
  }
  out += "\nhottest instructions\n   executions  share   lanes  instruction\n";
  std::vector<const ProfiledInstruction *> order;
  for (const ProfiledInstruction &i : p.instructions)
    if (i.counts.executions) order.push_back(&i);
  std::sort(order.begin(), order.end(), [](auto *a, auto *b) {
    return std::tie(b->counts.executions, a->address) < std::tie(a->counts.executions, b->address);
  });
  for (size_t k = 0; k < std::min<size_t>(order.size(), hottest); ++k) {
    const ProfileCounts &c = order[k]->counts;
    put(out, "%13llu %5.1f %% %5.1f %%  ", Count(c.executions), percent(c.executions, t.executions),
        percent(c.lanes, c.executions * p.waveSize));
    out += order[k]->text + "  ; " + place(order[k]->file, order[k]->line) + "\n";
  }
  return out;
}

std::string profileListing(const Profile &p,
                           const std::function<std::string(const std::string &file, unsigned line)> &source) {
  std::string out = "   executions   lanes   instruction\n";
  const std::string *function = nullptr, *file = nullptr;
  unsigned line = 0;
  for (const ProfiledInstruction &i : p.instructions) {
    if (!function || *function != i.function) {
      out += "\n" + i.function + ":\n";
      file = nullptr;
    }
    function = &i.function;
    if (i.line && (!file || *file != i.file || line != i.line)) {
      out += "                        ; " + place(i.file, i.line);
      std::string text = source ? source(i.file, i.line) : "";
      if (!text.empty()) out += ": " + text;
      out += '\n';
      file = &i.file;
      line = i.line;
    }
    const ProfileCounts &c = i.counts;
    if (c.executions) put(out, "%13llu %5.1f %%   ", Count(c.executions), percent(c.lanes, c.executions * p.waveSize));
    else out += "            .       .   ";
    out += i.text;
    std::string note;
    auto say = [&](uint64_t n, const char *what) {
      if (n) note += (note.empty() ? "" : ", ") + std::to_string(n) + what;
    };
    say(c.transactions64, " lines of 64 B");
    say(c.ldsConflictCycles, " conflict cycles");
    say(c.matrixFlops, " flop");
    if (!note.empty()) out += "   ; " + note;
    out += '\n';
  }
  return out;
}

} // namespace fly::emulator
