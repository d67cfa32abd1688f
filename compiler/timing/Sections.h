// The parts of a page, as HTML fragments, and the frame around them.
#pragma once

#include "compiler/timing/Pictures.h"

namespace fly::timing {

/// Kernel, machine, and the numbers that answer "how long, and why not shorter".
std::string summarySection(const emulator::Timing &timing);
/// Tools, canvas and legend. `whole`: it fills the window.
std::string timelineSection(const emulator::Timing &timing, bool whole);
std::string stallsSection(const emulator::Timing &timing, const SourceLookup &source);
std::string rooflineSection(const emulator::Timing &timing);

/// An HTML document. `data`: JSON for the script; empty: the page has no timeline.
std::string page(const std::string &title, const std::string &body, const std::string &data, const char *bodyClass);

} // namespace fly::timing
