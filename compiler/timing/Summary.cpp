// The head of a page: what was timed, and the numbers that answer "how long, and why not shorter". See Sections.h.
#include "compiler/text/Words.h"
#include "compiler/timing/Sections.h"

#include "compiler/timing/Palette.h"
#include "compiler/timing/Text.h"

#include <algorithm>

namespace fly::timing {

using namespace emulator;

namespace {

std::string card(const std::string &label, const std::string &value, const std::string &note,
                 const std::string &more = {}) {
  return "<div class=\"card\"><dt>" + label + "</dt><dd><b>" + value + "</b>" +
         (note.empty() ? "" : "<small>" + note + "</small>") + more + "</dd></div>\n";
}

/// A bar of one share.
std::string gauge(double share, const char *rule) {
  return "<svg class=\"gauge\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
         "<rect class=\"ground\" width=\"100\" height=\"4\"/><rect class=\"" +
         std::string(rule) + "\" width=\"" + coordinate(std::clamp(share, 0.0, 1.0) * 100) + "\" height=\"4\"/></svg>";
}

std::string timeAt(double cycles, double megahertz) {
  const double microseconds = cycles / megahertz;
  return microseconds >= 1000 ? decimal(microseconds / 1000) + " ms" : decimal(microseconds) + " µs";
}

/// The colour of a resource is that of the unit that uses it.
const char *ruleOf(Resource resource) {
  switch (resource) {
  case Resource::Matrix: return "u0";
  case Resource::Vector: return "u1";
  case Resource::Scalar: return "u3";
  case Resource::Lds: return "u4";
  case Resource::Issue: return "s7";
  default: return "u5";
  }
}

std::string busyBars(const Timing &timing) {
  std::string out;
  for (unsigned i = 0; i < resourceCount; ++i) {
    const auto resource = static_cast<Resource>(i);
    if (timing.busy[i] > 0)
      out += "<li><span>" + escaped(name(resource)) + "</span>" + gauge(timing.busy[i], ruleOf(resource)) + "<b>" +
             percent(timing.busy[i]) + "</b></li>";
  }
  return out.empty() ? ""
                     : "<ul class=\"busy\" aria-label=\"shares of the time that units are busy\">" + out + "</ul>\n";
}

} // namespace

std::string summarySection(const Timing &timing) {
  const double cycles = static_cast<double>(timing.cycles);
  std::string where = escaped(timing.architecture);
  if (!timing.machine.empty() && timing.machine != timing.architecture)
    where += (where.empty() ? "" : " · ") + escaped(timing.machine);
  std::string out =
      "<header>\n<div class=\"title\"><div><h1>" + escaped(shortened(timing.kernel, 300)) + "</h1><p>" + where;
  if (timing.workgroups)
    out += " · " + grouped(timing.workgroups) + " " + plural(timing.workgroups, "workgroup") + " on " +
           grouped(timing.computeUnits) + " " + plural(timing.computeUnits, "compute unit");
  out += "</p></div>\n<button id=\"theme\" type=\"button\" title=\"dark or light\" aria-label=\"dark or light\">"
         "<span aria-hidden=\"true\">◐</span></button></div>\n<dl class=\"cards\">\n";

  std::string note = timing.uncertainty > 0 ? "± " + percent(timing.uncertainty) : "";
  if (!timing.uncertaintyNote.empty())
    note += (note.empty() ? "" : ", ") + escaped(timing.uncertaintyNote);
  out += card("modelled cycles", grouped(timing.cycles), note);
  if (timing.maximumClock > 0) {
    const bool slower = timing.sustainedClock > 0 && timing.sustainedClock < timing.maximumClock;
    out += card(
        "time", timeAt(cycles, timing.maximumClock),
        "at " + decimal(timing.maximumClock, 0) + " MHz" +
            (slower ? "; " + timeAt(cycles, timing.sustainedClock) + " at " + decimal(timing.sustainedClock, 0) + " MHz"
                    : ""));
  }
  if (!timing.bound.empty())
    out += card("bound by", escaped(timing.bound), "");
  if (timing.matrixFlops > 0)
    out +=
        card("matrix units busy", percent(timing.matrixShare()),
             brief(timing.matrixFlops / std::max(1.0, cycles)) + " of " + brief(timing.peakMatrixFlops) + " FLOP/cycle",
             gauge(timing.matrixShare(), "u0"));
  if (timing.memoryBytes > 0 && cycles > 0) {
    const double rate = timing.memoryBytes / cycles;
    out += card("memory traffic", brief(timing.memoryBytes) + (timing.memoryBytes < 999.5 ? " B" : "B"),
                brief(rate) + " of " + brief(timing.peakMemoryBytes) + " B/cycle",
                timing.peakMemoryBytes > 0 ? gauge(rate / timing.peakMemoryBytes, "u5") : "");
  }
  if (timing.wavesPerSimd)
    out += card("waves per SIMD", grouped(timing.wavesPerSimd),
                timing.occupancyLimit.empty() ? "" : "limited by " + escaped(timing.occupancyLimit));
  out += "</dl>\n" + busyBars(timing);

  std::string notes;
  if (timing.replayed < timing.workgroups)
    notes += "<li>" + grouped(timing.replayed) + " of " + grouped(timing.workgroups) +
             " workgroups were replayed; the rest is assumed to do alike.</li>";
  if (timing.workgroupsDiffer())
    notes +=
        "<li>Workgroups differ: those replayed do not have as many instructions as the mean of the launch, and the "
        "figures are theirs alone.</li>";
  if (timing.timeDependent)
    notes += "<li>It waits for memory that another wave or device writes: how long is not modelled.</li>";
  if (timing.orderDependent)
    notes += "<li>Atomics returned values: in time each may have gone to another wave.</li>";
  if (!notes.empty())
    out += "<ul class=\"notes\">" + notes + "</ul>\n";
  return out + "</header>\n";
}

} // namespace fly::timing
