// The timeline's tools, canvas and legend; the script draws. See Sections.h.
#include "compiler/timing/Frame.h"
#include "compiler/timing/Sections.h"

#include "compiler/timing/Palette.h"
#include "compiler/timing/Text.h"

#include <bitset>

namespace fly::timing {

using namespace emulator;

namespace {

/// What occurs in the timeline, units then stalls.
std::string legendOf(const Timing &timing) {
  std::bitset<unitCount> units;
  std::bitset<stallCount> stalls;
  for (const WaveLine &wave : timing.timeline)
    for (const WaveSpan &span : wave.spans) {
      if (span.instruction < timing.instructions.size())
        units.set(static_cast<std::size_t>(unitOf(timing.instructions[span.instruction].unit)));
      if (span.begin < span.issue && static_cast<unsigned>(span.stall) < stallCount)
        stalls.set(static_cast<std::size_t>(span.stall));
    }
  std::string out = "<div class=\"legend\"><span><b>work</b>";
  for (std::size_t i = 0; i < unitCount; ++i)
    if (units[i])
      out += "<span class=\"key\"><i class=\"u" + std::to_string(i) + (flies(static_cast<Unit>(i)) ? " thin" : "") +
             "\"></i>" + look(static_cast<Unit>(i)).label + "</span>";
  out += "</span><span><b>waits for</b>";
  for (unsigned i = 0; i < stallCount; ++i)
    if (stalls[i])
      out += "<span class=\"key\" title=\"" + escaped(look(static_cast<Stall>(i)).sentence) + "\"><i class=\"hatch s" +
             std::to_string(i) + "\"></i>" + escaped(name(static_cast<Stall>(i))) + "</span>";
  return out + "</span></div>\n";
}

} // namespace

std::string timelineSection(const Timing &timing, bool whole) {
  std::string out = "<section id=\"timeline\">\n";
  if (!whole)
    out += std::string("<h2>Waves of compute unit 0") +
           (timing.timeline.empty() ? "" : " <small>click, then zoom with the wheel and drag</small>") + "</h2>\n";
  if (timing.timeline.empty())
    return out + "<p class=\"none\">No timeline was recorded.</p>\n</section>\n";
  return out + std::string(pageFile("tools")) + legendOf(timing) + "</section>\n";
}

} // namespace fly::timing
