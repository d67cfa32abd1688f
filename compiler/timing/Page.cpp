// The frame of a page: style, script, and the policy that allows these two and nothing else. See Sections.h.
#include "compiler/timing/Sections.h"

#include "compiler/timing/Frame.h"
#include "compiler/timing/Palette.h"
#include "compiler/timing/Text.h"
#include "compiler/timing/TimelineData.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"

namespace fly::timing {

namespace {

const struct {
  std::string_view name, text;
} files[] = {
#include "compiler/timing/Page.inc"
};

/// How a policy names an inline script or style.
std::string hashOf(const std::string &text) {
  const auto hash = llvm::SHA256::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  return "'sha256-" + llvm::encodeBase64(hash) + "'";
}

} // namespace

std::string_view pageFile(std::string_view name) {
  for (const auto &f : files)
    if (f.name == name)
      return f.text;
  return {};
}

std::string document(const Document &parts) {
  const std::string style = "\n" + paletteCss() + parts.style;
  const std::string script =
      "\n\"use strict\";\n(() => {\n" + std::string(pageFile("theme")) + parts.script + "})();\n";
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
         "form-action 'none'; style-src " +
         hashOf(style) + "; script-src " + hashOf(script) +
         "\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         escaped(parts.title) +
         "</title>\n"
         "<style>" +
         style + "</style>\n</head>\n<body class=\"" + parts.bodyClass + "\">\n" + parts.body + "<script>" + script +
         "</script>\n</body>\n</html>\n";
}

std::string page(const std::string &title, const std::string &body, const std::string &data, const char *bodyClass) {
  std::string script, whole = body;
  if (!data.empty()) {
    for (const char *part : {"model", "draw", "detail", "input"})
      script += pageFile(part);
    whole += "<script type=\"application/json\" id=\"timeline-data\">" + data + "</script>\n";
  }
  return document({title, std::string(pageFile("base")) + std::string(pageFile("style")), script, whole, bodyClass});
}

std::string timelineHtml(const emulator::Timing &timing, const SourceLookup &source) {
  return page(timing.kernel + ": timeline",
              summarySection(timing) + "<main>\n" + timelineSection(timing, true) + "</main>\n",
              timelineJson(timing, source), "whole");
}

std::string stallsHtml(const emulator::Timing &timing, const SourceLookup &source) {
  return page(timing.kernel + ": where the cycles go",
              summarySection(timing) + "<main>\n" + stallsSection(timing, source) + "</main>\n", "", "sheet");
}

std::string timingPage(const emulator::Timing &timing, const SourceLookup &source) {
  const bool hasTimeline = !timing.timeline.empty();
  return page(timing.kernel + ": timing",
              summarySection(timing) + "<main>\n" + timelineSection(timing, false) + stallsSection(timing, source) +
                  rooflineSection(timing) + "</main>\n",
              hasTimeline ? timelineJson(timing, source) : "", "sheet");
}

} // namespace fly::timing
