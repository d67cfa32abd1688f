// The timeline as a static SVG. See Pictures.h.
//
// A lane has three tracks: work (solid, from issue to end), waits (faint, from begin to issue) and flights (loads on
// their way, from issue to end). All shapes of one colour in a track are one path, so the number of elements depends
// on lanes and colours alone. In a lane with more spans than can be seen, a track is an area: its height is the share
// of each pixel's time.
#include "compiler/text/Words.h"
#include "compiler/timing/Pictures.h"

#include "compiler/timing/Palette.h"
#include "compiler/timing/Text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fly::timing {

using namespace emulator;

namespace {

constexpr double gutter = 116, edge = 10, work = 13, wait = 7, flight = 12, laneGap = 7, strip = 13;
constexpr std::size_t spansToSee = 350;

struct Interval {
  double from, to;
};

/// Of each pixel column, how much of its time is covered; more than 1 where intervals overlap.
std::vector<double> coverage(const std::vector<Interval> &intervals, double width) {
  const auto columns = static_cast<std::size_t>(width);
  std::vector<double> covered(columns + 1), steps(columns + 2);
  for (Interval i : intervals) {
    const double from = std::clamp(i.from, 0.0, width), to = std::clamp(i.to, 0.0, width);
    if (to <= from)
      continue;
    const auto first = static_cast<std::size_t>(from), last = static_cast<std::size_t>(to);
    if (first == last) {
      covered[first] += to - from;
      continue;
    }
    covered[first] += static_cast<double>(first) + 1 - from;
    covered[last] += to - static_cast<double>(last);
    steps[first + 1] += 1;
    steps[last] -= 1;
  }
  double running = 0;
  for (std::size_t c = 0; c <= columns; ++c)
    covered[c] += running += steps[c];
  covered.resize(columns);
  return covered;
}

std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::ranges::stable_sort(intervals, {}, &Interval::from);
  std::vector<Interval> out;
  for (Interval i : intervals)
    if (out.empty() || i.from > out.back().to)
      out.push_back(i);
    else
      out.back().to = std::max(out.back().to, i.to);
  return out;
}

std::string rectangle(double x, double y, double w, double h) {
  return "M" + coordinate(x) + " " + coordinate(y) + "h" + coordinate(w) + "v" + coordinate(h) + "h" + coordinate(-w) +
         "z";
}

std::string pathOf(const std::string &d, const char *colour, const char *opacity = nullptr) {
  return d.empty() ? ""
                   : "<path fill=\"" + std::string(colour) + "\"" +
                         (opacity ? " fill-opacity=\"" + std::string(opacity) + "\"" : "") + " d=\"" + d + "\"/>\n";
}

class TimelinePicture {
public:
  TimelinePicture(const Timing &timing, const TimelineSvgOptions &options)
      : timing(timing), width(std::clamp(options.width, 300u, 4000u)), plot(width - gutter - edge) {
    uint64_t last = 0, first = UINT64_MAX;
    for (const WaveLine &wave : timing.timeline) {
      first = std::min(first, wave.begin);
      last = std::max(last, wave.end);
    }
    from = std::max(options.from, first == UINT64_MAX ? 0 : first);
    to = options.cycles ? std::min(last, from + std::min(options.cycles, UINT64_MAX - from)) : last;
    to = std::max(to, from + 1);
    for (const WaveLine &wave : timing.timeline)
      if (wave.begin < to && wave.end >= from)
        waves.push_back(&wave);
    std::ranges::stable_sort(waves, {}, &WaveLine::simd);
    choose(std::max(options.waves, 1u));
  }

  std::string draw() {
    std::string body = ruler();
    y = 56;
    unsigned simd = ~0u;
    for (const WaveLine *wave : waves) {
      if (wave->simd != simd) {
        simd = wave->simd;
        body += simdStrip(simd);
      }
      body += lane(*wave);
    }
    const double low = y;
    y += 6;
    body += legend();
    const std::string left = leftOut ? ", " + grouped(leftOut) + " " + plural(leftOut, "wave") + " not drawn" : "";
    const std::string title = shortened(timing.kernel, 80) + ": cycles " + grouped(from) + " to " + grouped(to) + left;
    return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + number("width", width) + number("height", y + 6) +
           " viewBox=\"0 0 " + coordinate(width) + " " + coordinate(y + 6) +
           "\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"10.5\" fill=\"#5c6773\">\n<title>" +
           escaped(title) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
           text(edge, 18, title, " font-size=\"12.5\" font-weight=\"600\" fill=\"#1b2129\"") + gridLines(low) + body +
           "</svg>\n";
  }

private:
  static std::string number(const char *name, double value) {
    return " " + std::string(name) + "=\"" + coordinate(value) + "\"";
  }
  static std::string text(double x, double y, const std::string &content, const std::string &more = {}) {
    return "<text" + number("x", x) + number("y", y) + more + ">" + escaped(content) + "</text>\n";
  }
  double at(uint64_t cycle) const {
    return (static_cast<double>(cycle) - static_cast<double>(from)) / static_cast<double>(to - from) * plot;
  }
  Interval clipped(uint64_t begin, uint64_t end) const {
    return {std::clamp(at(begin), 0.0, plot), std::clamp(at(end), 0.0, plot)};
  }
  Unit unit(const WaveSpan &span) const {
    return span.instruction < timing.instructions.size() ? unitOf(timing.instructions[span.instruction].unit)
                                                         : Unit::Other;
  }

  /// At most `most` waves: the first of each SIMD, then the second, ...
  void choose(std::size_t most) {
    if (waves.size() <= most)
      return;
    std::map<unsigned, std::size_t> seen;
    std::vector<std::pair<std::size_t, const WaveLine *>> ranked;
    for (const WaveLine *wave : waves)
      ranked.emplace_back(seen[wave->simd]++, wave);
    std::ranges::stable_sort(ranked, {}, [](const auto &r) { return r.first; });
    leftOut = waves.size() - most;
    waves.clear();
    for (std::size_t i = 0; i < most; ++i)
      waves.push_back(ranked[i].second);
    std::ranges::stable_sort(waves, {}, &WaveLine::simd);
  }

  double step() const { // of the ruler: 1, 2 or 5 times a power of ten
    const double least = static_cast<double>(to - from) / plot * 90,
                 power = std::pow(10, std::floor(std::log10(least)));
    for (double factor : {1.0, 2.0, 5.0})
      if (factor * power >= least)
        return std::max(1.0, factor * power);
    return std::max(1.0, 10 * power);
  }
  template <class F> void ticks(F &&visit) const {
    const double size = step();
    for (double c = std::ceil(static_cast<double>(from) / size) * size; c <= static_cast<double>(to); c += size)
      visit(static_cast<uint64_t>(c));
  }
  std::string gridLines(double low) const {
    std::string d;
    ticks([&](uint64_t c) { d += "M" + coordinate(gutter + at(c)) + " 42V" + coordinate(low); });
    return "<path stroke=\"#e3e7eb\" fill=\"none\" d=\"" + d + "\"/>\n";
  }
  std::string ruler() const {
    std::string out;
    ticks([&](uint64_t c) {
      if (at(c) < plot - 20)
        out += text(gutter + at(c) + 3, 38, grouped(c));
    });
    return out;
  }

  std::string area(const std::vector<double> &heights, double base, double scale,
                   const std::vector<double> *under = nullptr) {
    constexpr double least = 0.2;
    std::string d;
    for (std::size_t c = 0; c < heights.size();) {
      const double high = heights[c] * scale, below = under ? (*under)[c] * scale : 0;
      std::size_t end = c + 1; // columns that look the same are one rectangle
      while (end < heights.size() && std::abs(heights[end] * scale - high) < 0.25 &&
             (heights[end] * scale >= least) == (high >= least) &&
             (!under || std::abs((*under)[end] * scale - below) < 0.25))
        ++end;
      if (high >= least)
        d += rectangle(gutter + static_cast<double>(c), base - below - high, static_cast<double>(end - c), high);
      c = end;
    }
    return d;
  }

  /// Areas on top of each other, each of its colour; where they sum to more than 1 they share the height.
  template <class Colour>
  std::string areas(std::map<unsigned, std::vector<Interval>> &intervals, double height, Colour &&colour,
                    const char *opacity) {
    std::map<unsigned, std::vector<double>> shares;
    std::vector<double> sum(static_cast<std::size_t>(plot), 0), under(sum.size(), 0);
    for (auto &[kind, list] : intervals) {
      shares[kind] = coverage(list, std::floor(plot));
      for (std::size_t c = 0; c < sum.size(); ++c)
        sum[c] += shares[kind][c];
    }
    std::string out;
    for (auto &[kind, share] : shares) {
      for (std::size_t c = 0; c < sum.size(); ++c)
        share[c] /= std::max(1.0, sum[c]);
      out += pathOf(area(share, y + height, height, &under), colour(kind), opacity);
      for (std::size_t c = 0; c < sum.size(); ++c)
        under[c] += share[c];
    }
    return out;
  }

  std::string simdStrip(unsigned simd) {
    std::vector<Interval> matrix, vector;
    for (const WaveLine &wave : timing.timeline)
      if (wave.simd == simd)
        for (const WaveSpan &span : wave.spans)
          if (const Unit u = unit(span); u == Unit::Matrix || u == Unit::Vector || u == Unit::Transcendental)
            if (const Interval i = clipped(span.issue, span.end); i.to > i.from)
              (u == Unit::Matrix ? matrix : vector).push_back(i);
    std::string out = text(edge, y + 11, "SIMD " + std::to_string(simd), " font-weight=\"600\" fill=\"#1b2129\"");
    const double start = y;
    for (auto *busy : {&matrix, &vector}) {
      if (busy->empty())
        continue;
      const bool isMatrix = busy == &matrix;
      double sum = 0;
      const std::vector<Interval> whole = merged(std::move(*busy));
      for (Interval i : whole)
        sum += i.to - i.from;
      out += "<rect" + number("x", gutter) + number("y", y) + number("width", plot) + number("height", strip) +
             " fill=\"#f0f2f5\"/>\n" +
             pathOf(area(coverage(whole, std::floor(plot)), y + strip, strip),
                    look(isMatrix ? Unit::Matrix : Unit::Vector).light) +
             text(gutter - 5, y + 10, (isMatrix ? "" : "VALU ") + percent(sum / plot), " text-anchor=\"end\"");
      y += strip + 3;
    }
    y = std::max(y, start + strip + 3);
    return out;
  }

  std::string lane(const WaveLine &wave) {
    const auto visible = static_cast<std::size_t>(std::ranges::count_if(
        wave.spans, [&](const WaveSpan &s) { return s.begin < to && std::max(s.end, s.issue) > from; }));
    const bool exact = visible <= spansToSee;
    std::map<unsigned, std::vector<Interval>> works, waits, flights;
    for (std::size_t n = 0; n < wave.spans.size(); ++n) {
      const WaveSpan &span = wave.spans[n];
      if (span.begin >= to || std::max(span.end, span.issue) < from)
        continue;
      const Unit u = unit(span);
      uint64_t end = std::max(span.end, span.issue + 1);
      if (flies(u)) {
        if (const Interval i = clipped(span.issue, end); i.to > i.from)
          flights[static_cast<unsigned>(u)].push_back(i);
        const uint64_t next = n + 1 < wave.spans.size() ? wave.spans[n + 1].begin : span.issue + 1;
        end = std::clamp(next, span.issue + 1, span.issue + 16);
      }
      if (const Interval i = clipped(span.issue, end); i.to > i.from)
        works[static_cast<unsigned>(u)].push_back(i);
      if (const Interval i = clipped(span.begin, span.issue); i.to > i.from)
        waits[std::min(static_cast<unsigned>(span.stall), stallCount - 1)].push_back(i);
    }
    auto unitColour = [](unsigned u) { return look(static_cast<Unit>(u)).light; };
    auto stallColour = [](unsigned s) { return look(static_cast<Stall>(s)).light; };
    const Interval life = clipped(wave.begin, wave.end);
    std::string out =
        text(gutter - 5, y + 14, "wg " + std::to_string(wave.workgroup) + " · " + std::to_string(wave.wave),
             " text-anchor=\"end\"");
    out += pathOf(rectangle(gutter + life.from, y, life.to - life.from, work + wait), "#f6f7f9");
    if (exact) {
      for (auto &[u, list] : works) { // matrix work is as high as the track, others are in front of it
        const double high = u == static_cast<unsigned>(Unit::Matrix) ? work : work * 0.55;
        std::string d;
        for (Interval i : list)
          d += rectangle(gutter + i.from, y + work - high, std::max(0.4, i.to - i.from - (i.to - i.from > 3 ? 0.5 : 0)),
                         high);
        out += pathOf(d, unitColour(u));
      }
      for (auto &[s, list] : waits) {
        std::string d;
        for (Interval i : list)
          d += rectangle(gutter + i.from, y + work, i.to - i.from, wait);
        out += pathOf(d, stallColour(s), "0.4");
      }
    } else {
      out += areas(works, work, unitColour, nullptr);
      y += work;
      out += areas(waits, wait, stallColour, "0.4");
      y -= work;
    }
    y += work + wait + 2;
    if (!flights.empty())
      out += flightTrack(flights, exact);
    y += laneGap;
    return out;
  }

  /// Lines, one below the other while they overlap; or the number in flight as an area.
  std::string flightTrack(std::map<unsigned, std::vector<Interval>> &flights, bool exact) {
    std::vector<std::pair<Interval, unsigned>> all;
    for (auto &[u, list] : flights)
      for (Interval i : list)
        all.emplace_back(i, u);
    std::ranges::stable_sort(all, {}, [](const auto &f) { return f.first.from; });
    std::vector<double> ends;
    std::vector<std::size_t> levels;
    for (auto &[i, u] : all) {
      std::size_t level = 0;
      while (level < ends.size() && ends[level] > i.from)
        ++level;
      if (level == ends.size())
        ends.push_back(0);
      ends[level] = i.to;
      levels.push_back(level);
    }
    const double pitch = std::min(3.0, flight / static_cast<double>(ends.size()));
    std::string out;
    if (exact) {
      std::map<unsigned, std::string> d;
      for (std::size_t n = 0; n < all.size(); ++n)
        d[all[n].second] += rectangle(gutter + all[n].first.from, y + pitch * static_cast<double>(levels[n]),
                                      std::max(0.4, all[n].first.to - all[n].first.from), std::max(0.3, pitch * 0.6));
      for (auto &[u, path] : d)
        out += pathOf(path, look(static_cast<Unit>(u)).light);
    } else
      for (auto &[u, list] : flights)
        out += pathOf(area(coverage(list, std::floor(plot)), y + flight, flight / static_cast<double>(ends.size())),
                      look(static_cast<Unit>(u)).light, "0.75");
    y += flight;
    return out;
  }

  std::string legend() {
    std::map<unsigned, const char *> units, stalls;
    for (const WaveLine *wave : waves)
      for (const WaveSpan &span : wave->spans)
        if (span.begin < to && std::max(span.end, span.issue) > from) {
          units[static_cast<unsigned>(unit(span))] = look(unit(span)).light;
          if (span.begin < span.issue)
            stalls[std::min(static_cast<unsigned>(span.stall), stallCount - 1)] = look(span.stall).light;
        }
    std::string out;
    double x = edge;
    auto key = [&](const std::string &label, const char *colour, const char *opacity) {
      const double wide = 22 + 7 * static_cast<double>(label.size());
      if (x + wide > width - edge) {
        x = edge;
        y += 16;
      }
      out += pathOf(rectangle(x, y, 10, 10), colour, opacity) + text(x + 14, y + 9, label);
      x += wide;
    };
    for (auto &[u, colour] : units)
      key(look(static_cast<Unit>(u)).label, colour, nullptr);
    for (auto &[s, colour] : stalls)
      key("waits: " + std::string(name(static_cast<Stall>(s))), colour, "0.4");
    y += 14;
    return out;
  }

  const Timing &timing;
  const double width, plot;
  uint64_t from = 0, to = 1;
  std::vector<const WaveLine *> waves;
  std::size_t leftOut = 0;
  double y = 0;
};

} // namespace

std::string timelineSvg(const Timing &timing, const TimelineSvgOptions &options) {
  return TimelinePicture(timing, options).draw();
}

} // namespace fly::timing
