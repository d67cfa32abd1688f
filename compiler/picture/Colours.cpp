// Colours of pictures. See Picture.h.
//
// Eight light hues, then the same a step darker: neighbours by number differ, and black text stays legible (the darkest
// has a contrast of more than 9 to 1). The ramp changes lightness along with its hue, so that its order survives print.
#include "compiler/picture/Picture.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fly::picture {

namespace {

constexpr std::array<Colour, 8> hues{0xc6dcf2, 0xffdfb8, 0xcde9c4, 0xf8cdcb, 0xdfd1ee, 0xf5efb0, 0xc7ebe8, 0xf7d3e8};

Colour make(double red, double green, double blue) {
  auto byte = [](double part) { return Colour(std::lround(std::clamp(part, 0.0, 255.0))); };
  return byte(red) << 16 | byte(green) << 8 | byte(blue);
}

double red(Colour c) { return double(c >> 16); }
double green(Colour c) { return double(c >> 8 & 255); }
double blue(Colour c) { return double(c & 255); }

} // namespace

Colour categoryColour(std::int64_t n) {
  // From 16 on the hues are others: rows of a tile often begin with threads 0, 16, 32, ...
  const Colour hue = hues[std::size_t((n + n / 16 * 3) % 8)];
  const double depth = n / 8 % 2 ? 1.55 : 1;
  auto deeper = [&](double part) { return 255 - (255 - part) * depth; };
  return make(deeper(red(hue)), deeper(green(hue)), deeper(blue(hue)));
}

Colour rampColour(double part) {
  constexpr Colour light = 0xf7fbff, dark = 0x8fbbdd;
  auto between = [&](double from, double to) { return from + (to - from) * part; };
  return make(between(red(light), red(dark)), between(green(light), green(dark)), between(blue(light), blue(dark)));
}

Colour circleColour(std::int64_t n, std::int64_t count) {
  constexpr double turn = 6.283185307179586;
  const double angle = turn * double(n) / double(count);
  auto part = [&](double shift) { return 212 + 40 * std::cos(angle - shift); };
  return make(part(0), part(turn / 3), part(2 * turn / 3));
}

std::string hexText(Colour colour) {
  constexpr const char *digits = "0123456789abcdef";
  std::string text = "#";
  for (int shift = 20; shift >= 0; shift -= 4)
    text += digits[colour >> shift & 15];
  return text;
}

int terminalColour(Colour colour) {
  auto level = [](double part) { // 0, 95, 135, 175, 215, 255
    return part < 48 ? 0 : part < 115 ? 1 : std::min(5, int((part - 35) / 40));
  };
  return 16 + 36 * level(red(colour)) + 6 * level(green(colour)) + level(blue(colour));
}

} // namespace fly::picture
