// A picture of a layout: grids of cells with text, colour and the facts about each, made once (draw) and written as
// text, SVG or HTML.
//
//   layout                   rows are mode 0, columns mode 1, a cell is a coordinate and shows its index (or, where the
//                            strides are steps along modes, the coordinate that it maps to). Nested modes are walked
//                            with the first mode fastest and labelled with their nested coordinates; modes 2, 3, ...
//                            give one sheet per coordinate. A single mode is broken into rows.
//   thread/value layout      (thread, value) -> a place of a tile: the grid is the tile, a cell shows its holders
//   with tiles               heavier lines where one tile ends and the next begins
//   swizzle                  the offsets that it exchanges, coloured by bank
//
// The facts of a cell are more than it shows: coordinate, index, threads, LDS bank.
#pragma once

#include "compiler/layout/ComposedLayout.h"

#include <optional>

namespace fly::picture {

using Colour = std::uint32_t; ///< 0xrrggbb

struct Holder {
  std::int64_t thread, value;
};

struct Cell {
  std::string text, below; ///< below: a second line, V3 below T12; both empty if no thread holds the place
  std::optional<Colour> colour;
  std::string coordinate, index; ///< index: a number or a coordinate; empty if unknown
  std::vector<Holder> holders;   ///< of a thread/value layout: all that map here
  std::int64_t tile = -1;        ///< which tile; -1: none
  std::string bank;              ///< of LDS: "5", or "4-7" for an element of several dwords
  bool outside = false;          ///< fills up the last row of a broken line; not drawn
};

struct Sheet {
  std::string label; ///< `(_,_,1)`; empty if there is only one
  std::vector<std::string> rowLabels, columnLabels;
  std::vector<Cell> cells; ///< row by row

  std::size_t rows() const { return rowLabels.size(); }
  std::size_t columns() const { return columnLabels.size(); }
  const Cell &at(std::size_t row, std::size_t column) const { return cells[row * columns() + column]; }
};

struct Picture {
  std::string title;                ///< CuTe's notation
  std::vector<std::string> remarks; ///< lines below the title: the tile, what is left out
  std::vector<Sheet> sheets;
};

/// What the colour of a cell means.
enum class Fill { Automatic, None, Index, Thread, Value, Tile, Bank };

struct Request {
  explicit Request(layout::AnyLayout layout) : layout(std::move(layout)) {}

  layout::AnyLayout layout;
  std::optional<layout::IntTuple> tile;  ///< the shape that a thread/value layout covers; none: a layout
  std::optional<layout::AnyLayout> over; ///< thread/value: where the tile's elements are stored
  std::optional<layout::Tile> tiler;     ///< heavier lines around its tiles
  Fill fill = Fill::Automatic;
  std::int64_t elementBits = 0; ///< 0: unknown, no banks
  std::int64_t banks = 32;      ///< of LDS, 4 bytes each
  std::int64_t maxRows = 64, maxColumns = 64, maxSheets = 8;
  std::string title;                ///< empty: the layout in CuTe's notation
  std::vector<std::string> remarks; ///< first in the picture
};

/// The most cells that a picture may have, even if more are requested; also the most (thread, value) pairs.
inline constexpr std::int64_t maximumCells = 1 << 18;

/// Which part of a request an error is about.
enum class Subject { Layout, Tile, Over, Tiler };

/// The picture, or why there is none.
layout::Result<Picture> draw(const Request &request, Subject &subject);

// Prepare.cpp: turns other things into layouts.

/// A swizzle as a table of the offsets that it exchanges: one row for each value of the bits that it reads, with the
/// bits below them along the row. Unless `elementBits` is set, the element size is such that a row spans all banks.
Request requestOf(const layout::Swizzle &swizzle, std::int64_t elementBits, std::int64_t banks);
/// Maps (thread, value) to the number of an element, as a table with `width` elements per row.
layout::Result<Request> tableOf(const layout::Layout &threadValue, std::int64_t width);
/// Appends the sheets of one picture to those of another, each with its label.
void appendSheets(Picture &picture, Picture other, const std::string &label);

/// A table; with `inColor` cells have ANSI backgrounds.
std::string toText(const Picture &picture, bool inColor);
/// One SVG document. `withData`: cells carry their number, for HTML.
std::string toSvg(const Picture &picture, bool withData = false);
/// The same in small, at most `smallWidth` pixels wide, without a ground, legible on dark and on light; without the
/// title. None if it is too wide: draw fewer columns.
inline constexpr double smallWidth = 700;
std::optional<std::string> toSmallSvg(const Picture &picture);
/// One page that needs nothing else: the SVG, and the facts about the cell under the pointer.
std::string toHtml(const Picture &picture);

// Colours.cpp: light ones, legible under black text, also on paper and in shades of grey.

/// Of number `n` of a kind: 16 colours that differ, used again further on, not in step.
Colour categoryColour(std::int64_t n);
/// From light to dark, for 0 to 1.
Colour rampColour(double part);
/// Of one of `count` on a circle: neighbours look alike.
Colour circleColour(std::int64_t n, std::int64_t count);
/// `#rrggbb`.
std::string hexText(Colour colour);
/// The closest of a terminal's 6x6x6 colours.
int terminalColour(Colour colour);

} // namespace fly::picture
