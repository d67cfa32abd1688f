// See TimelineData.h. Written by hand: a timeline has a million numbers, and a tree of JSON values would need fifty
// times their size.
#include "compiler/timing/TimelineData.h"

#include "compiler/timing/Palette.h"
#include "compiler/timing/Text.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace fly::timing {

using namespace emulator;

namespace {

void append(std::string &out, int64_t value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// The first cycle that is beyond the budget: the spans that are issued before it are at most `budget`.
uint64_t cutOf(const Timing &timing, std::size_t budget) {
  std::vector<uint64_t> issues;
  for (const WaveLine &wave : timing.timeline)
    for (const WaveSpan &span : wave.spans)
      issues.push_back(span.issue);
  if (issues.size() <= budget)
    return UINT64_MAX;
  const auto cut = issues.begin() + static_cast<std::ptrdiff_t>(budget);
  std::ranges::nth_element(issues, cut);
  return *cut;
}

class Writer {
public:
  Writer(const Timing &timing, const SourceLookup &source, std::size_t budget)
      : timing(timing), source(source), cut(cutOf(timing, budget)) {}

  std::string write() {
    uint64_t to = 0;
    from = UINT64_MAX;
    for (const WaveLine &wave : timing.timeline) {
      from = std::min(from, wave.begin);
      to = std::max(to, wave.end);
      for (const WaveSpan &span : wave.spans) {
        from = std::min(from, span.begin);
        if (span.issue < cut)
          to = std::max({to, span.end, span.issue});
      }
    }
    // The caller chose the range: a wave may have begun long before it.
    if (timing.options.timelineCycles)
      from = std::max(from == UINT64_MAX ? 0 : from, timing.options.timelineFrom);
    if (from == UINT64_MAX)
      from = 0;
    if (timing.options.timelineCycles)
      to = std::min(to, timing.options.timelineFrom + timing.options.timelineCycles);
    to = std::max(std::min(to, cut), from);
    std::string waves;
    for (const WaveLine &wave : timing.timeline)
      waves += (waves.empty() ? "\n" : ",\n") + waveOf(wave);
    std::string out = "{\"kernel\":" + jsonText(timing.kernel) + ",\"from\":" + std::to_string(from) +
                      ",\"to\":" + std::to_string(to) + ",\"cut\":" + (cut == UINT64_MAX ? "false" : "true") +
                      ",\"maximumClock\":" + decimal(timing.maximumClock) + ",\n\"units\":[";
    for (std::size_t i = 0; i < unitCount; ++i)
      out += (i ? "," : "") + jsonText(look(static_cast<Unit>(i)).label);
    out += "],\n\"stalls\":[";
    for (unsigned i = 0; i < stallCount; ++i)
      out += (i ? "," : "") + jsonText(name(static_cast<Stall>(i)));
    out += "],\n\"files\":[";
    for (std::size_t i = 0; i < files.size(); ++i)
      out += (i ? "," : "") + jsonText(files[i]);
    return out + "],\n\"instructions\":[" + instructions + "],\n\"sources\":[" + sources + "],\n\"waves\":[" + waves +
           "]}\n";
  }

private:
  /// Numbers in the order of first use: only what the timeline shows is in the page.
  int64_t numberOf(uint32_t index) {
    auto [at, isNew] = numbers.try_emplace(index, static_cast<int64_t>(numbers.size()));
    if (isNew) {
      static const TimedInstruction unknown;
      const TimedInstruction &i = index < timing.instructions.size() ? timing.instructions[index] : unknown;
      const int64_t file = i.file.empty() ? -1 : fileOf(i.file);
      if (!instructions.empty())
        instructions += ",";
      instructions += "\n[" + jsonText(shortened(i.text, 400)) + "," +
                      std::to_string(static_cast<unsigned>(unitOf(i.unit))) + "," + std::to_string(file) + "," +
                      std::to_string(i.line) + "," + std::to_string(i.address) + "]";
      if (source && file >= 0 && lines.insert({{file, i.line}, true}).second)
        if (std::string text = source(i.file, i.line); !text.empty())
          sources += (sources.empty() ? "\n[" : ",\n[") + std::to_string(file) + "," + std::to_string(i.line) + "," +
                     jsonText(shortened(text, 300)) + "]";
    }
    return at->second;
  }

  int64_t fileOf(const std::string &file) {
    auto [at, isNew] = fileNumbers.try_emplace(file, static_cast<int64_t>(files.size()));
    if (isNew)
      files.push_back(file);
    return at->second;
  }

  std::string waveOf(const WaveLine &wave) {
    std::vector<WaveSpan> spans;
    for (const WaveSpan &span : wave.spans)
      if (span.issue < cut)
        spans.push_back(span);
    std::ranges::stable_sort(spans, {}, &WaveSpan::issue);
    std::string i, b, w, e, s;
    int64_t instruction = 0, issue = static_cast<int64_t>(from);
    for (const WaveSpan &span : spans) {
      const char *comma = i.empty() ? "" : ",";
      const int64_t number = numberOf(span.instruction), issued = static_cast<int64_t>(span.issue);
      const int64_t begin = std::min(static_cast<int64_t>(span.begin), issued);
      append(i += comma, number - instruction);
      append(b += comma, begin - issue);
      append(w += comma, issued - begin);
      append(e += comma, std::max(static_cast<int64_t>(span.end), issued) - issued);
      if (begin < issued)
        append(s += s.empty() ? "" : ",", std::min(static_cast<int64_t>(span.stall), int64_t{stallCount} - 1));
      instruction = number;
      issue = issued;
    }
    return "{\"workgroup\":" + std::to_string(wave.workgroup) + ",\"wave\":" + std::to_string(wave.wave) +
           ",\"simd\":" + std::to_string(wave.simd) + ",\"begin\":" + std::to_string(wave.begin) +
           ",\"end\":" + std::to_string(wave.end) + ",\n\"i\":[" + i + "],\n\"b\":[" + b + "],\n\"w\":[" + w +
           "],\n\"e\":[" + e + "],\n\"s\":[" + s + "]}";
  }

  const Timing &timing;
  const SourceLookup &source;
  const uint64_t cut;
  uint64_t from = 0;
  std::map<uint32_t, int64_t> numbers;
  std::map<std::string, int64_t> fileNumbers;
  std::map<std::pair<int64_t, unsigned>, bool> lines;
  std::vector<std::string> files;
  std::string instructions, sources;
};

} // namespace

std::string timelineJson(const Timing &timing, const SourceLookup &source, std::size_t budget) {
  return Writer(timing, source, budget).write();
}

} // namespace fly::timing
