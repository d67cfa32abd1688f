// The roofline of launches. See Pictures.h.
//
// A launch is a point: FLOP per byte of memory traffic, and FLOP per cycle of the chip, both logarithmic. What bytes
// per cycle allow is a line that rises, what the matrix units allow a level one; a launch cannot be above. Launches of
// different machines, or of different mixes of matrix instructions, have different roofs.
#include "compiler/timing/Sections.h"

#include "compiler/timing/Text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fly::timing {

using namespace emulator;

namespace {

constexpr double width = 760, height = 400, left = 66, right = 20, top = 34, bottom = 46;
constexpr std::size_t maximumLaunches = 24;
constexpr const char *font = "system-ui, 'DejaVu Sans', sans-serif";
constexpr const char *colours[] = {"#d9600a", "#2f6fe0", "#2f9e5a", "#8f3cb3",
                                   "#0a9da3", "#cf4440", "#8a5a2e", "#5c6773"};

std::string attribute(const char *name, double value) {
  return " " + std::string(name) + "=\"" + coordinate(value) + "\"";
}
std::string line(double x1, double y1, double x2, double y2, const std::string &more) {
  return "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) + more +
         "/>\n";
}
std::string textAt(double x, double y, const std::string &content, const std::string &more = {}) {
  return "<text" + attribute("x", x) + attribute("y", y) + more + ">" + escaped(content) + "</text>\n";
}
constexpr const char *faint = " class=\"faint\" fill=\"#5c6773\"";

bool positive(double value) { return std::isfinite(value) && value > 0; }
double cyclesOf(const Timing &t) { return static_cast<double>(std::max<uint64_t>(t.cycles, 1)); }
double intensity(const Timing &t) { return t.matrixFlops / t.memoryBytes; }
double rate(const Timing &t) { return t.matrixFlops / cyclesOf(t); }
/// What the roofs allow this launch.
double roof(const Timing &t) {
  const bool memory = positive(t.memoryBytes) && positive(t.peakMemoryBytes);
  const double byMemory = memory ? intensity(t) * t.peakMemoryBytes : INFINITY;
  return std::min(byMemory, positive(t.peakMatrixFlops) ? t.peakMatrixFlops : INFINITY);
}

std::string colourOf(std::size_t n) { return colours[n % std::size(colours)]; }

/// "gemm: 41.2 k FLOP/cycle, 81 % of its roof, 99 TFLOP/s"
std::string labelOf(const Timing &t) {
  std::string out = brief(rate(t)) + " FLOP/cycle";
  if (const double limit = roof(t); positive(limit) && std::isfinite(limit))
    out += ", " + percent(rate(t) / limit) + " of its roof";
  if (positive(t.maximumClock))
    out += ", " + decimal(rate(t) * t.maximumClock * 1e-6, 1) + " TFLOP/s at " + decimal(t.maximumClock, 0) + " MHz";
  return out;
}

/// Powers of ten around what is drawn.
struct Axis {
  double from, to, start, length; ///< exponents; pixels, length negative upwards
  Axis(double smallest, double largest, double start, double length)
      : from(std::floor(std::log10(smallest) - 0.15)), to(std::ceil(std::log10(largest) + 0.15)), start(start),
        length(length) {
    if (to - from < 1)
      to = from + 1;
  }
  double at(double value) const { return start + (std::log10(value) - from) / (to - from) * length; }
  double smallest() const { return std::pow(10, from); }
  double largest() const { return std::pow(10, to); }
};

std::string powerText(int exponent) {
  if (exponent < -2)
    return "1e" + std::to_string(exponent);
  return exponent < 0 ? decimal(std::pow(10, exponent), 3) : brief(std::pow(10, exponent));
}

class Roofline {
public:
  explicit Roofline(std::vector<const Timing *> launches)
      : launches(std::move(launches)), x(makeX(this->launches)), y(makeY(this->launches)) {}

  std::string draw() const { return grid() + roofs() + points(); }
  double drawnHeight() const { return height + 8 + 18 * static_cast<double>(launches.size()); }

private:
  static Axis makeX(const std::vector<const Timing *> &launches) {
    double smallest = INFINITY, largest = 0;
    auto take = [&](double value) {
      if (positive(value))
        smallest = std::min(smallest, value), largest = std::max(largest, value);
    };
    for (const Timing *t : launches) {
      take(positive(t->memoryBytes) ? intensity(*t) : 0);
      take(positive(t->peakMemoryBytes) ? t->peakMatrixFlops / t->peakMemoryBytes : 0);
    }
    if (!positive(largest))
      smallest = 1, largest = 1000;
    return {smallest / 4, largest * 4, left, width - left - right};
  }
  static Axis makeY(const std::vector<const Timing *> &launches) {
    double smallest = INFINITY, largest = 0;
    for (const Timing *t : launches)
      for (double value : {rate(*t), t->peakMatrixFlops})
        if (positive(value))
          smallest = std::min(smallest, value), largest = std::max(largest, value);
    return {smallest / 3, largest, height - bottom, -(height - bottom - top)};
  }

  std::string grid() const {
    std::string lines, words;
    for (int e = static_cast<int>(x.from); e <= static_cast<int>(x.to); ++e) {
      const double at = x.at(std::pow(10, e));
      lines += line(at, top, at, height - bottom, "");
      words += textAt(at, height - bottom + 16, powerText(e), " text-anchor=\"middle\"");
    }
    for (int e = static_cast<int>(y.from); e <= static_cast<int>(y.to); ++e) {
      const double at = y.at(std::pow(10, e));
      lines += line(left, at, width - right, at, "");
      words += textAt(left - 8, at + 4, powerText(e), " text-anchor=\"end\"");
    }
    return "<g class=\"grid\" stroke=\"#dfe3e8\">\n" + lines + "</g>\n<g font-size=\"11\"" + faint + ">\n" + words +
           textAt((left + width - right) / 2, height - 8, "FLOP per byte of memory traffic",
                  " text-anchor=\"middle\"") +
           textAt(left, 18, "FLOP per cycle of the chip") + "</g>\n";
  }

  /// One roof for each pair of peaks.
  std::string roofs() const {
    std::vector<std::pair<double, double>> seen;
    std::string out, words;
    for (const Timing *t : launches) {
      const std::pair peaks(t->peakMatrixFlops, t->peakMemoryBytes);
      if (std::ranges::find(seen, peaks) != seen.end())
        continue;
      seen.push_back(peaks);
      const bool hasMatrix = positive(peaks.first), hasMemory = positive(peaks.second);
      const double ridge = hasMatrix && hasMemory ? peaks.first / peaks.second : hasMatrix ? x.smallest() : x.largest();
      const double level = hasMatrix ? peaks.first : y.largest();
      std::string path;
      if (hasMemory) { // enters at the left edge, or at the bottom
        const double enter = std::max(x.smallest(), y.smallest() / peaks.second),
                     leave = std::min(ridge, level / peaks.second);
        path += "M" + coordinate(x.at(enter)) + " " + coordinate(y.at(enter * peaks.second)) + "L" +
                coordinate(x.at(leave)) + " " + coordinate(y.at(leave * peaks.second));
        const double middle = std::sqrt(enter * leave);
        const double slope = std::atan2(y.at(10 * peaks.second) - y.at(peaks.second), x.at(10) - x.at(1)) * 180 / M_PI;
        if (x.at(leave) - x.at(enter) > 150)
          words += "<text transform=\"translate(" + coordinate(x.at(middle)) + " " +
                   coordinate(y.at(middle * peaks.second) - 7) + ") rotate(" + coordinate(slope) +
                   ")\" text-anchor=\"middle\">memory, " + brief(peaks.second) + " B/cycle</text>\n";
      }
      if (hasMatrix) {
        path += (path.empty() ? "M" : "L") + coordinate(x.at(ridge)) + " " + coordinate(y.at(peaks.first)) + "H" +
                coordinate(width - right);
        words += textAt(width - right - 4, y.at(peaks.first) - 7, "matrix, " + brief(peaks.first) + " FLOP/cycle",
                        " text-anchor=\"end\"");
      }
      if (!path.empty())
        out += "<path class=\"roof\" d=\"" + path +
               "\" fill=\"none\" stroke=\"#333b45\" stroke-width=\"2\" "
               "stroke-linejoin=\"round\"/>\n";
    }
    return out + "<g class=\"ink\" font-size=\"11.5\" fill=\"#333b45\">\n" + words + "</g>\n";
  }

  std::string points() const {
    std::string out;
    for (std::size_t n = 0; n < launches.size(); ++n) {
      const Timing &t = *launches[n];
      const bool traffic = positive(t.memoryBytes);
      const double px = traffic ? x.at(intensity(t)) : width - right - 10, py = y.at(rate(t));
      const std::string colour = colourOf(n);
      // From the point to its roof: what is missing.
      if (const double limit = roof(t); std::isfinite(limit) && limit > rate(t))
        out += line(px, py, px, y.at(limit), " stroke=\"" + colour + "\" stroke-dasharray=\"2 4\"");
      if (const double u = std::min(t.uncertainty, 0.95); positive(u)) {
        const double low = std::min(y.at(rate(t) / (1 + u)), height - bottom),
                     high = std::max(y.at(rate(t) / (1 - u)), top);
        out += "<g class=\"uncertainty\" stroke=\"" + colour + "\" stroke-width=\"1.6\">" +
               line(px, high, px, low, "") + line(px - 5, high, px + 5, high, "") + line(px - 5, low, px + 5, low, "") +
               "</g>\n";
      }
      out += "<circle class=\"point\"" + attribute("cx", px) + attribute("cy", py) + " r=\"5.5\" fill=\"" + colour +
             "\" stroke=\"#ffffff\" stroke-width=\"1.5\"><title>" + escaped(t.kernel + ": " + labelOf(t)) +
             "</title></circle>\n";
      if (!traffic)
        out +=
            textAt(px - 10, py + 4, "no memory traffic", " font-size=\"11\" text-anchor=\"end\"" + std::string(faint));
      const double below = height + 8 + 18 * static_cast<double>(n);
      out += "<circle" + attribute("cx", left + 5) + attribute("cy", below) + " r=\"4.5\" fill=\"" + colour + "\"/>\n" +
             "<text" + attribute("x", left + 16) + attribute("y", below + 4) +
             " class=\"ink\" fill=\"#1b2129\" font-size=\"12\"><tspan font-weight=\"600\">" +
             escaped(shortened(t.kernel, 44)) + "</tspan> " + escaped(labelOf(t)) +
             (positive(t.uncertainty) ? ", ± " + percent(t.uncertainty) : "") + "</text>\n";
    }
    return out;
  }

  const std::vector<const Timing *> launches;
  const Axis x, y;
};

/// Bytes per cycle of the peak, one bar a launch, from `y` on.
std::string bandwidthBars(const std::vector<const Timing *> &launches, double y) {
  std::string out =
      textAt(left - 50, y + 18, "memory traffic of launches without matrix work, bytes per cycle of the peak",
             " font-size=\"11\"" + std::string(faint));
  const double start = left - 50, length = width - right - start;
  for (std::size_t n = 0; n < launches.size(); ++n) {
    const Timing &t = *launches[n];
    const double bytes = (positive(t.memoryBytes) ? t.memoryBytes : 0) / cyclesOf(t);
    const double share = positive(t.peakMemoryBytes) ? bytes / t.peakMemoryBytes : 0;
    const double u = std::min(std::max(t.uncertainty, 0.0), 0.95), at = y + 34 + 46 * static_cast<double>(n);
    auto end = [&](double part) { return start + std::clamp(part, 0.0, 1.0) * length; };
    out += "<text class=\"ink\" fill=\"#1b2129\" font-size=\"12\"" + attribute("x", start) + attribute("y", at + 10) +
           "><tspan font-weight=\"600\">" + escaped(shortened(t.kernel, 44)) + "</tspan> " + brief(bytes) + " of " +
           brief(t.peakMemoryBytes) + " B/cycle, " + percent(share) + (positive(u) ? ", ± " + percent(u) : "") +
           "</text>\n<rect class=\"ground\" fill=\"#e8ebef\" rx=\"3\"" + attribute("x", start) +
           attribute("y", at + 17) + attribute("width", length) +
           " height=\"14\"/>\n<rect class=\"bandwidth\" rx=\"3\" "
           "fill=\"#2f6fe0\"" +
           attribute("x", start) + attribute("y", at + 17) + attribute("width", end(share) - start) +
           " height=\"14\"/>\n";
    if (positive(u) && share > 0)
      out += "<g class=\"roof uncertainty\" stroke=\"#333b45\" stroke-width=\"1.6\">" +
             line(end(share / (1 + u)), at + 24, end(share / (1 - u)), at + 24, "") +
             line(end(share / (1 + u)), at + 20, end(share / (1 + u)), at + 28, "") +
             line(end(share / (1 - u)), at + 20, end(share / (1 - u)), at + 28, "") + "</g>\n";
  }
  return out;
}

} // namespace

std::string rooflineSvg(std::span<const Timing *const> launches) {
  std::vector<const Timing *> points, bars;
  for (const Timing *t : launches.first(std::min(launches.size(), maximumLaunches)))
    (positive(t->matrixFlops) ? points : bars).push_back(t);
  std::string body;
  double high = 0;
  if (!points.empty()) {
    const Roofline roofline(points);
    body += roofline.draw();
    high = roofline.drawnHeight();
  }
  if (!bars.empty()) {
    body += bandwidthBars(bars, high);
    high += 40 + 46 * static_cast<double>(bars.size());
  }
  if (launches.size() > maximumLaunches) {
    body += textAt(left - 50, high + 12, grouped(launches.size() - maximumLaunches) + " more launches",
                   " font-size=\"11\"" + std::string(faint));
    high += 20;
  }
  high = std::max(high + 6, 20.0);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"roofline\"" + attribute("width", width) +
         attribute("height", high) + " viewBox=\"0 0 " + coordinate(width) + " " + coordinate(high) +
         "\" font-family=\"" + font +
         "\">\n<title>Roofline</title>\n<rect class=\"paper\" width=\"100%\" "
         "height=\"100%\" fill=\"#ffffff\"/>\n" +
         body + "</svg>\n";
}

std::string rooflineSvg(const Timing &timing) {
  const Timing *const one[] = {&timing};
  return rooflineSvg(one);
}

std::string rooflineSection(const Timing &timing) {
  const bool matrix = positive(timing.matrixFlops);
  return "<section id=\"roofline\">\n<h2>" + std::string(matrix ? "Roofline" : "Bandwidth") +
         "</h2>\n<div class=\"scroll\">" + rooflineSvg(timing) + "</div>\n</section>\n";
}

} // namespace fly::timing
