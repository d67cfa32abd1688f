// Pictures of the time model (runtime/emulator/timing/Timing.h): which cycles a launch spent on what, and which roof
// holds it down.
//
//     writeFile("gemm.html", timing::timingPage(timing));
//
// A page is one HTML file that needs nothing else: style, script and data are inside, and its Content-Security-Policy
// allows the script by its hash and no request at all. It follows the reader's choice of dark or light. An SVG here is
// a document for text pages: a white ground, no style sheet.
//
// Kernel names, file names, instructions and source lines are foreign text. All of it is escaped, bytes that are no
// UTF-8 are replaced. The same Timing gives the same bytes. Sizes are bounded; what is left out is said in the picture.
#pragma once

#include "runtime/emulator/timing/Timing.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace fly::timing {

/// The text of a line of source; empty: not known.
using SourceLookup = std::function<std::string(const std::string &file, unsigned line)>;

/// The most spans that a page holds: about 5 MB. A longer timeline ends at a cycle at which all its waves are cut.
inline constexpr std::size_t maximumSpans = 400'000;
/// Source lines and loops of the table of stalls, and instructions of one line.
inline constexpr std::size_t maximumStallLines = 60, maximumStallLoops = 20, maximumLineInstructions = 40;

/// One page, as large as the window: the waves of compute unit 0, to zoom into.
std::string timelineHtml(const emulator::Timing &timing, const SourceLookup &source = {});

struct TimelineSvgOptions {
  uint64_t from = 0, cycles = 0; ///< cycles 0: to the timeline's end
  unsigned width = 1000;         ///< pixels, 300 to 4000
  unsigned waves = 16;           ///< at most; the first of each SIMD come first
};
/// The same as an SVG of at most about 5000 elements. What is too short to be seen is drawn as its share of the time.
std::string timelineSvg(const emulator::Timing &timing, const TimelineSvgOptions &options = {});

/// FLOP per cycle of the chip over FLOP per byte of memory traffic, both logarithmic, under the roofs of each launch's
/// machine. Launches without matrix work have no place there: they are bars, bytes per cycle of the peak.
std::string rooflineSvg(std::span<const emulator::Timing *const> launches);
std::string rooflineSvg(const emulator::Timing &timing);

/// One page: loops, then source lines with their instructions, each with a bar of stalls by kind.
std::string stallsHtml(const emulator::Timing &timing, const SourceLookup &source = {});

/// One page with all: summary, timeline, where the cycles go, roofline.
std::string timingPage(const emulator::Timing &timing, const SourceLookup &source = {});

} // namespace fly::timing
