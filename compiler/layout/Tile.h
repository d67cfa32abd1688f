// Tile: what a layout is divided, composed or multiplied by, mode by mode.
//
//   <128:1;_;(2,4):(1,16)>    128 elements of mode 0, all of mode 1, and elements of mode 2 picked by a layout
//
// An entry is an extent (`n`, the layout `n:1`), `_` for the whole mode, a layout, or a tile for the modes inside. A
// tile of integers and `_` is written like a shape in the language: `(128, _)`. CuTe distinguishes the extent 1 from
// the layout 1:1 in one place, and so do we: dividing by it leaves a tile of stride 0, or of the mode's stride. In text
// both are `1:1`; a tile of nothing but `n:1` is read as extents.
#pragma once

#include "compiler/layout/Layout.h"

namespace fly::layout {

class Tile {
public:
  enum class Kind { Keep, Extent, Layout, Tuple };

  Tile() = default; // no modes: everything is rest
  static Tile keep() { return Tile(Kind::Keep); }
  static Tile extent(Leaf extent);
  static Tile of(layout::Layout layout);
  /// By modes.
  explicit Tile(std::vector<Tile> entries) : form(Kind::Tuple), entries(std::move(entries)) {}

  Kind kind() const { return form; }
  bool isTuple() const { return form == Kind::Tuple; }
  /// The number of tiled modes; 1 for anything but a tuple.
  std::size_t rank() const { return isTuple() ? entries.size() : 1; }
  const Tile &mode(std::size_t index) const { return isTuple() ? entries[index] : *this; }
  /// Of an extent `n` the layout `n:1`.
  const layout::Layout &layout() const { return single; }

  /// The leaves of its layouts, of each shape and then stride; the same tile with each replaced, in that order.
  void forEachLeaf(const std::function<void(const Leaf &)> &visit) const;
  Tile mapLeaves(const std::function<Leaf(const Leaf &)> &replace) const;

  /// An extent `n` and the layout `n:1` are equal.
  bool operator==(const Tile &other) const;

  /// `<128:1;_>`; the inverse of parseTile.
  std::string text() const;

private:
  explicit Tile(Kind kind) : form(kind) {}
  bool isRun() const; // n next to each other
  friend Result<Tile> parseTile(std::string_view text);
  void readAsExtents();

  Kind form = Kind::Tuple;
  layout::Layout single;
  std::vector<Tile> entries;
};

/// The tiler of a tuple of known extents and `_`, e.g. `(128,_)`; an integer is a tiler of one mode.
Result<Tile> tilerOf(const IntTuple &extents);

/// Reads `<4:1;_;<2:1;8>>`.
Result<Tile> parseTile(std::string_view text);

} // namespace fly::layout
