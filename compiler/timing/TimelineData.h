// The timeline as JSON for the page's script.
#pragma once

#include "compiler/timing/Pictures.h"

namespace fly::timing {

/// {kernel, from, to, cut, units, stalls, files, instructions, sources, waves}. `budget`: the most spans.
///
/// A wave's spans are columns of differences, so that a loop gives the same small numbers again and again:
///   i   instruction - that of the span before
///   b   begin - issue of the span before (of the first: - from)
///   w   issue - begin
///   e   end - issue
///   s   the stall, for each span with w > 0
std::string timelineJson(const emulator::Timing &timing, const SourceLookup &source, std::size_t budget = maximumSpans);

} // namespace fly::timing
