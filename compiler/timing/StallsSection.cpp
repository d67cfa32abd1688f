// Where the cycles go: loops, then source lines with their instructions. See Sections.h.
//
// A wave is at each moment about to issue one instruction, or waits to. So the cycles of all waves are divided among
// instructions without a rest, and a line is the sum of its own. The bars of lines have one scale, those of a line's
// instructions too: the longest line fills its bar.
#include "compiler/text/Words.h"
#include "compiler/timing/Sections.h"

#include "compiler/timing/Palette.h"
#include "compiler/timing/Text.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fly::timing {

using namespace emulator;

namespace {

/// The cycles of one instruction, of a line, of all.
struct Cost {
  uint64_t executions = 0, issue = 0, conflicts = 0;
  std::array<uint64_t, stallCount> stalls{};

  void add(const TimedInstruction &i) {
    executions += i.executions;
    issue += i.issueCycles;
    conflicts += i.conflictCycles;
    for (unsigned s = 0; s < stallCount; ++s)
      stalls[s] += i.stalls[s];
  }
  uint64_t stalled() const {
    uint64_t sum = 0;
    for (uint64_t s : stalls)
      sum += s;
    return sum;
  }
  uint64_t cycles() const { return issue + stalled(); }
};

struct Line {
  std::string file;
  unsigned line = 0;
  Cost cost;
  std::vector<const TimedInstruction *> instructions;
};

double shareOf(uint64_t part, uint64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string placeOf(const std::string &file, unsigned line) {
  return file.empty() ? "no line" : escaped(shortened(file, 200)) + ":" + std::to_string(line);
}

/// Without its folder, which is in the title.
std::string shortPlaceOf(const std::string &file, unsigned line) {
  return "<span title=\"" + placeOf(file, line) + "\">" + placeOf(file.substr(file.rfind('/') + 1), line) + "</span>";
}

std::string cyclesText(double cycles) {
  return cycles >= 100 && cycles < 1e18 ? grouped(static_cast<uint64_t>(cycles + 0.5)) : decimal(cycles, 1);
}

/// One bar: issue, then stalls by kind. `longest`: what fills it. `whole`: of what percentages are.
std::string bar(const Cost &cost, uint64_t longest, uint64_t whole) {
  std::string parts;
  double x = 0;
  auto add = [&](const std::string &rule, std::string_view label, uint64_t cycles) {
    const double width = shareOf(cycles, longest) * 1000;
    if (width >= 0.5)
      parts += "<rect class=\"" + rule + "\" x=\"" + coordinate(x) + "\" width=\"" + coordinate(width) +
               "\" height=\"10\"><title>" + escaped(label) + ": " + grouped(cycles) + " cycles, " +
               percent(shareOf(cycles, whole)) + "</title></rect>";
    x += width;
  };
  add("issue", "issuing", cost.issue);
  for (unsigned s = 0; s < stallCount; ++s)
    add("s" + std::to_string(s), name(static_cast<Stall>(s)), cost.stalls[s]);
  return "<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"" +
         grouped(cost.cycles()) + " cycles\">" + parts + "</svg>";
}

/// "vector memory 61.2 %, barrier 20 %": the two that matter most.
std::string reasons(const Cost &cost) {
  std::vector<unsigned> kinds;
  for (unsigned s = 0; s < stallCount; ++s)
    if (cost.stalls[s] * 20 >= cost.cycles() && cost.stalls[s])
      kinds.push_back(s);
  std::ranges::stable_sort(kinds, std::ranges::greater(), [&](unsigned s) { return cost.stalls[s]; });
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(kinds.size(), 2); ++i)
    out += (i ? ", " : "") + escaped(name(static_cast<Stall>(kinds[i]))) + " " +
           percent(shareOf(cost.stalls[kinds[i]], cost.cycles()));
  return out;
}

std::string legendOf(const Cost &total) {
  std::string out = "<div class=\"legend total\"><span class=\"key\"><i class=\"issue\"></i>issuing <b>" +
                    percent(shareOf(total.issue, total.cycles())) + "</b></span>";
  std::vector<unsigned> kinds;
  for (unsigned s = 0; s < stallCount; ++s)
    if (total.stalls[s])
      kinds.push_back(s);
  std::ranges::stable_sort(kinds, std::ranges::greater(), [&](unsigned s) { return total.stalls[s]; });
  for (unsigned s : kinds)
    out += "<span class=\"key\" title=\"" + escaped(look(static_cast<Stall>(s)).sentence) + "\"><i class=\"s" +
           std::to_string(s) + "\"></i>" + escaped(name(static_cast<Stall>(s))) + " <b>" +
           percent(shareOf(total.stalls[s], total.cycles())) + "</b></span>";
  return out + "</div>\n";
}

std::string loops(const Timing &timing) {
  if (timing.loops.empty())
    return "";
  std::string out =
      "<div class=\"scroll\"><table class=\"loops\"><thead><tr><th scope=\"col\">loop</th>"
      "<th scope=\"col\">iterations</th><th scope=\"col\">cycles each</th>"
      "<th scope=\"col\">matrix cycles each</th><th scope=\"col\">matrix unit busy</th></tr></thead><tbody>\n";
  const std::size_t shown = std::min(timing.loops.size(), maximumStallLoops);
  for (std::size_t i = 0; i < shown; ++i) {
    const TimedLoop &loop = timing.loops[i];
    out += "<tr><th scope=\"row\"><code>" + shortPlaceOf(loop.file, loop.line) + "</code></th><td>" +
           grouped(loop.iterations) + "</td><td>" + cyclesText(loop.cycles) + "</td><td>" +
           cyclesText(loop.matrixCycles) +
           "</td><td class=\"share\"><svg class=\"gauge\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" "
           "aria-hidden=\"true\"><rect class=\"ground\" width=\"100\" height=\"4\"/><rect class=\"u0\" width=\"" +
           coordinate(std::clamp(loop.matrixShare, 0.0, 1.0) * 100) + "\" height=\"4\"/></svg>" +
           percent(loop.matrixShare) + "</td></tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (shown < timing.loops.size())
    out += "<p class=\"rest\">" + grouped(timing.loops.size() - shown) + " more loops</p>\n";
  return out;
}

std::vector<Line> linesOf(const Timing &timing) {
  std::map<std::pair<std::string, unsigned>, Line> lines;
  for (const TimedInstruction &i : timing.instructions) {
    Line &line = lines[{i.file, i.line}];
    line.file = i.file;
    line.line = i.line;
    line.cost.add(i);
    line.instructions.push_back(&i);
  }
  std::vector<Line> out;
  for (auto &[place, line] : lines)
    if (line.cost.cycles())
      out.push_back(std::move(line));
  std::ranges::stable_sort(out, std::ranges::greater(), [](const Line &line) { return line.cost.cycles(); });
  return out;
}

std::string instructionRows(const Line &line, uint64_t longest, uint64_t whole) {
  std::vector<const TimedInstruction *> shown;
  for (const TimedInstruction *i : line.instructions)
    if (i->executions)
      shown.push_back(i);
  uint64_t left = 0;
  if (shown.size() > maximumLineInstructions) { // the most expensive ones, in the order of the code
    auto cycles = [](const TimedInstruction *i) {
      Cost cost;
      cost.add(*i);
      return cost.cycles();
    };
    std::ranges::stable_sort(shown, std::ranges::greater(), cycles);
    left = shown.size() - maximumLineInstructions;
    shown.resize(maximumLineInstructions);
    std::ranges::stable_sort(shown, {}, &TimedInstruction::address);
  }
  std::string out = "<div class=\"instructions\">\n";
  for (const TimedInstruction *i : shown) {
    Cost cost;
    cost.add(*i);
    std::string note = reasons(cost);
    if (cost.conflicts)
      note += (note.empty() ? "" : "; ") + grouped(cost.conflicts) + " cycles of LDS bank conflicts";
    out += "<div class=\"row\"><span class=\"what\"><i class=\"dot u" +
           std::to_string(static_cast<unsigned>(unitOf(i->unit))) + "\" title=\"" + escaped(i->unit) + "\"></i><code>" +
           escaped(shortened(i->text, 300)) + "</code></span>" + bar(cost, longest, whole) + "<span class=\"number\">" +
           grouped(cost.cycles()) + "</span><span class=\"number\">" + percent(shareOf(cost.cycles(), whole)) +
           "</span><span class=\"note\">" + grouped(i->executions) + " " + plural(i->executions, "time") +
           (note.empty() ? "" : " · " + note) + "</span></div>\n";
  }
  if (left)
    out += "<p class=\"rest\">" + grouped(left) + " more instructions with fewer cycles</p>\n";
  return out + "</div>\n";
}

} // namespace

std::string stallsSection(const Timing &timing, const SourceLookup &source) {
  Cost total;
  for (const TimedInstruction &i : timing.instructions)
    total.add(i);
  std::string out = "<section id=\"stalls\">\n<h2>Where the cycles go</h2>\n";
  if (!total.cycles())
    return out + "<p class=\"none\">No instruction was timed.</p>\n</section>\n";
  out += bar(total, total.cycles(), total.cycles()) + legendOf(total) + loops(timing);
  const std::vector<Line> lines = linesOf(timing);
  const std::size_t shown = std::min(lines.size(), maximumStallLines);
  const uint64_t longest = lines.front().cost.cycles();
  out +=
      "<div class=\"lines\">\n<div class=\"row head\"><span>source line</span><span>issuing, and waits by kind</span>"
      "<span class=\"number\">wave cycles</span><span class=\"number\">share</span><span>mostly</span></div>\n";
  for (std::size_t n = 0; n < shown; ++n) {
    const Line &line = lines[n];
    std::string text = source && !line.file.empty() ? source(line.file, line.line) : "";
    text.erase(0, text.find_first_not_of(" \t"));
    std::string note = reasons(line.cost);
    if (line.cost.conflicts)
      note += (note.empty() ? "" : "; ") + std::string("LDS bank conflicts ") + grouped(line.cost.conflicts);
    out += "<details data-place=\"" + placeOf(line.file, line.line) +
           "\"><summary class=\"row\"><span class=\"what\"><b>" + shortPlaceOf(line.file, line.line) + "</b>" +
           (text.empty() ? "" : "<code>" + escaped(shortened(text, 200)) + "</code>") + "</span>" +
           bar(line.cost, longest, total.cycles()) + "<span class=\"number\">" + grouped(line.cost.cycles()) +
           "</span><span class=\"number\">" + percent(shareOf(line.cost.cycles(), total.cycles())) +
           "</span><span class=\"note\">" + note + "</span></summary>\n" +
           instructionRows(line, longest, total.cycles()) + "</details>\n";
  }
  out += "</div>\n";
  if (shown < lines.size()) {
    uint64_t rest = 0;
    for (std::size_t n = shown; n < lines.size(); ++n)
      rest += lines[n].cost.cycles();
    out += "<p class=\"rest\">" + grouped(lines.size() - shown) + " more lines, " +
           percent(shareOf(rest, total.cycles())) + " of the cycles</p>\n";
  }
  return out + "</section>\n";
}

} // namespace fly::timing
