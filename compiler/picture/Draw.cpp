// From a layout to the cells of its picture. See Picture.h.
//
// The domain (a layout's own shape, or the tile of a thread/value layout) is numbered with the first mode fastest; row,
// column and sheet are the numbers in mode 0, mode 1 and all others together:
//
//   shape (4,(2,3),5)     row r, column c, sheet s     number r + 4*(c + 6*s)     coordinate (r,(c % 2,c / 2),s)
//
// Who holds a place, and which tile it is in, are functions from somewhere else into the domain; they are walked once
// and turned around into maps by number. The rest is evaluated for the cells that are drawn only.
#include "compiler/picture/Picture.h"
#include "compiler/text/Words.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace fly::picture {

namespace {

using namespace layout;

constexpr std::int64_t lineWidth = 16; // where a single mode is broken into rows

bool isStatic(const AnyFunction &function) {
  if (auto *composed = std::get_if<ComposedLayout>(&function))
    return isStatic(composed->inner()) && composed->offset().isStatic() && isStatic(functionOf(composed->outer()));
  auto *plain = std::get_if<Layout>(&function);
  return !plain || plain->isStatic();
}

std::int64_t countOf(const IntTuple &shape) { // fits: the total was checked
  std::int64_t count = 1;
  shape.forEachLeaf([&](const Leaf &leaf) { count *= leaf.value; });
  return count;
}

IntTuple coordinateAt(std::int64_t number, const IntTuple &shape) {
  if (shape.isLeaf())
    return number;
  std::vector<IntTuple> modes;
  for (const IntTuple &mode : shape.modes()) {
    const std::int64_t extent = countOf(mode);
    modes.push_back(coordinateAt(number % extent, mode));
    number /= extent;
  }
  return IntTuple(std::move(modes));
}

/// The number of a coordinate, flat or nested, padded with zeros if it is short; none outside of the shape.
std::optional<std::int64_t> numberOf(const IntTuple &coordinate, const IntTuple &shape) {
  if (coordinate.isLeaf()) {
    const std::int64_t value = coordinate.leaf().value;
    return value >= 0 && value < countOf(shape) ? std::optional(value) : std::nullopt;
  }
  std::int64_t number = 0, step = 1;
  for (std::size_t i = 0; i < coordinate.rank(); ++i) {
    if (i >= shape.rank()) {
      if (numberOf(coordinate.mode(i), IntTuple(1)) != 0)
        return std::nullopt;
      continue;
    }
    auto part = numberOf(coordinate.mode(i), shape.mode(i));
    if (!part)
      return std::nullopt;
    number += *part * step;
    step *= countOf(shape.mode(i));
  }
  return number;
}

/// The first swizzle of a chain of functions that is one.
const Swizzle *swizzleIn(const AnyFunction &function) {
  if (auto *swizzle = std::get_if<Swizzle>(&function))
    return swizzle->isIdentity() ? nullptr : swizzle;
  auto *composed = std::get_if<ComposedLayout>(&function);
  return composed ? swizzleIn(composed->inner()) : nullptr;
}

class Drawing {
public:
  Drawing(const Request &request, Subject &subject) : request(request), subject(subject) {}

  Result<Picture> make() {
    FLY_CHECK(measure());
    FLY_CHECK(findHolders());
    FLY_CHECK(findTiles());
    FLY_CHECK(chooseFill());
    picture.title = request.title.empty() ? textOf(request.layout) : request.title;
    picture.remarks.insert(picture.remarks.begin(), request.remarks.begin(), request.remarks.end());
    FLY_CHECK(drawSheets());
    paint();
    return std::move(picture);
  }

private:
  /// The domain, and the part of it that is drawn.
  Result<bool> measure() {
    for (const AnyLayout *each : {&request.layout, request.over ? &*request.over : nullptr}) {
      subject = each == &request.layout ? Subject::Layout : Subject::Over;
      if (each && !isStatic(functionOf(*each)))
        return Error{"`" + textOf(*each) + "` has unknown numbers; write an integer for each `?`"};
    }
    subject = request.tile ? Subject::Tile : Subject::Layout;
    domain = request.tile ? *request.tile : domainOf(request.layout).shape();
    if (!domain.isStatic() || domain.hasBasis())
      return Error{"`" + domain.text() + "` is not a tile; the extents of a tile are integers"};
    bool positive = true;
    domain.forEachLeaf([&](const Leaf &leaf) { positive &= leaf.value > 0; });
    if (!positive)
      return Error{"the shape `" + domain.text() + "` has no coordinates, so there is nothing to draw"};
    FLY_TRY(size, layout::size(domain, arithmetic));
    all = size.value;
    isLine = domain.rank() < 2;
    if (isLine) {
      columns = std::min({all, lineWidth, request.maxColumns});
      rows = all / columns + (all % columns != 0);
    } else {
      rows = countOf(domain.mode(0));
      columns = countOf(domain.mode(1));
      sheets = all / rows / columns;
    }
    drawnRows = std::min(rows, request.maxRows);
    drawnColumns = std::min(columns, request.maxColumns);
    drawnSheets = std::min(sheets, request.maxSheets);
    if (drawnRows > maximumCells / drawnColumns || drawnRows * drawnColumns > maximumCells / drawnSheets)
      return Error{"a picture has at most " + std::to_string(maximumCells) +
                   " cells; draw fewer rows and columns with a smaller `--limit`"};
    return true;
  }

  Result<bool> findHolders() {
    subject = Subject::Layout;
    if (!request.tile) {
      if (request.over)
        return Error{"only a thread/value layout can be drawn over another layout; give its tile, `--tv`"};
      return true;
    }
    const Layout &pairs = domainOf(request.layout);
    if (pairs.rank() != 2)
      return Error{"a thread/value layout has two modes, threads and values; `" + textOf(request.layout) + "` has " +
                   std::to_string(pairs.rank())};
    FLY_TRY(threadCount, layout::size(pairs.shape().mode(0), arithmetic));
    FLY_TRY(valueCount, layout::size(pairs.shape().mode(1), arithmetic));
    if (threadCount.value > 0 && valueCount.value > maximumCells / threadCount.value)
      return Error{"a drawn thread/value layout has at most " + std::to_string(maximumCells) +
                   " pairs of thread and value"};
    for (std::int64_t thread = 0; thread < threadCount.value; ++thread)
      for (std::int64_t value = 0; value < valueCount.value; ++value) {
        FLY_TRY(place, evaluate(IntTuple(std::vector<IntTuple>{thread, value}), request.layout, arithmetic));
        auto number = numberOf(place, domain);
        if (!number)
          return Error{"thread " + std::to_string(thread) + ", value " + std::to_string(value) + " is at `" +
                       place.text() + "`, outside of the tile `" + domain.text() + "`"};
        holders[*number].push_back({thread, value});
      }
    picture.remarks.push_back("thread/value layout on a tile of " + domain.text());
    if (std::int64_t free = all - std::int64_t(holders.size()))
      picture.remarks.push_back(std::to_string(free) + " of " + std::to_string(all) +
                                " places are not held by any thread");
    if (std::size_t shared = std::size_t(
            std::count_if(holders.begin(), holders.end(), [](auto &entry) { return entry.second.size() > 1; })))
      picture.remarks.push_back(std::to_string(shared) + " of " + std::to_string(all) +
                                " places are held more than once; +n counts the additional holders");
    if (request.over) {
      subject = Subject::Over;
      FLY_TRY(below, layout::size(domainOf(*request.over), arithmetic));
      if (below.value != all)
        return Error{"the tile `" + domain.text() + "` has " + std::to_string(all) + " places, the layout under it, `" +
                     textOf(*request.over) + "`, " + std::to_string(below.value) + " coordinates"};
      picture.remarks.push_back("over " + textOf(*request.over));
    }
    return true;
  }

  Result<bool> findTiles() {
    if (!request.tiler)
      return true;
    subject = Subject::Tiler;
    if (all > maximumCells)
      return Error{"a shape with tiles has at most " + std::to_string(maximumCells) + " coordinates, `" +
                   domain.text() + "` has " + std::to_string(all)};
    FLY_TRY(identity, identityLayout(domain.isLeaf() ? IntTuple(std::vector<IntTuple>{domain}) : domain));
    FLY_TRY(tiles, zippedDivide(identity, *request.tiler, arithmetic));
    FLY_TRY(inside, layout::size(tiles.shape().mode(0), arithmetic));
    FLY_TRY(count, layout::size(tiles.shape().mode(1), arithmetic));
    if (inside.value > 0 && count.value > 4 * maximumCells / inside.value)
      return Error{"the tiles are much larger than the shape `" + domain.text() + "`"};
    tileOf.assign(std::size_t(all), -1);
    for (std::int64_t tile = 0; tile < count.value; ++tile)
      for (std::int64_t place = 0; place < inside.value; ++place) {
        FLY_TRY(coordinate, evaluate(IntTuple(std::vector<IntTuple>{place, tile}), tiles, arithmetic));
        if (auto number = numberOf(coordinate, identity.shape())) // the last tiles may reach beyond
          tileOf[std::size_t(*number)] = tile;
      }
    picture.remarks.push_back(counted(count.value, "tile") + " of " + request.tiler->text());
    return true;
  }

  Result<bool> chooseFill() {
    subject = Subject::Layout;
    fill = request.fill;
    const AnyLayout *memory = request.tile ? request.over ? &*request.over : nullptr : &request.layout;
    const bool isNumber = memory && !domainOf(*memory).stride().hasBasis();
    if (fill == Fill::Automatic)
      fill = request.tile ? Fill::Thread : request.tiler ? Fill::Tile : isNumber ? Fill::Index : Fill::None;
    if ((fill == Fill::Thread || fill == Fill::Value) && !request.tile)
      return Error{"only a thread/value layout has threads and values to colour by; give its tile, `--tv`"};
    if (fill == Fill::Tile && !request.tiler)
      return Error{"there are no tiles to colour by; give a tiler, `--tile`"};
    if (fill == Fill::Index && !isNumber)
      return Error{"there are no indices to colour by"};
    if (fill == Fill::Bank && (!isNumber || !request.elementBits))
      return Error{"banks need indices and the bits of an element, `--element-bits`"};
    if (memory && fill == Fill::Index)
      swizzle = swizzleIn(functionOf(*memory));
    if (request.elementBits && isNumber)
      picture.remarks.push_back(std::to_string(request.elementBits) + "-bit elements, LDS with " +
                                std::to_string(request.banks) + " banks" +
                                (fill == Fill::Bank ? ": one colour per bank" : ""));
    return true;
  }

  Result<bool> drawSheets() {
    IntTuple others(std::vector<IntTuple>{});
    for (std::size_t i = 2; i < domain.rank(); ++i)
      others.append(domain.mode(i));
    auto past = [&](std::int64_t drawn, std::int64_t whole, const char *what) {
      if (drawn < whole)
        picture.remarks.push_back("the first " + std::to_string(drawn) + " of " + std::to_string(whole) + " " + what);
    };
    past(drawnRows, rows, "rows");
    past(drawnColumns, columns, "columns");
    past(drawnSheets, sheets, "sheets");
    for (std::int64_t s = 0; s < drawnSheets; ++s) {
      Sheet sheet;
      if (sheets > 1) {
        sheet.label = "(_,_";
        const IntTuple at = coordinateAt(s, others);
        for (const IntTuple &mode : at.modes())
          sheet.label += "," + mode.text();
        sheet.label += ")";
      }
      for (std::int64_t r = 0; r < drawnRows; ++r)
        sheet.rowLabels.push_back(!isLine    ? coordinateAt(r, domain.mode(0)).text()
                                  : rows > 1 ? coordinateAt(r * columns, line()).text()
                                             : "");
      for (std::int64_t c = 0; c < drawnColumns; ++c)
        sheet.columnLabels.push_back(!isLine    ? coordinateAt(c, domain.mode(1)).text()
                                     : rows > 1 ? "+" + std::to_string(c)
                                                : coordinateAt(c, line()).text());
      for (std::int64_t r = 0; r < drawnRows; ++r)
        for (std::int64_t c = 0; c < drawnColumns; ++c) {
          FLY_TRY(cell, cellAt(isLine ? r * columns + c : r + rows * (c + columns * s)));
          sheet.cells.push_back(std::move(cell));
        }
      picture.sheets.push_back(std::move(sheet));
    }
    return true;
  }

  /// The shape of a domain of one mode: `8` and `(8)` are labelled alike.
  const IntTuple &line() const { return domain.rank() == 1 && domain.isTuple() ? domain.mode(0) : domain; }

  Result<Cell> cellAt(std::int64_t number) {
    Cell cell;
    if (number >= all) {
      cell.outside = true;
      indices.push_back(std::nullopt);
      return cell;
    }
    const IntTuple coordinate = coordinateAt(number, domain);
    cell.coordinate = coordinate.text();
    if (!tileOf.empty())
      cell.tile = tileOf[std::size_t(number)];
    std::optional<std::int64_t> offset;
    if (const AnyLayout *memory = request.tile ? request.over ? &*request.over : nullptr : &request.layout) {
      auto result = evaluate(coordinate, *memory, arithmetic);
      if (!result) // the layout under a tile has another profile
        result = evaluate(number, *memory, arithmetic);
      if (!result)
        return result.takeError();
      cell.index = result->text();
      if (result->isLeaf() && !result->leaf().isBasis())
        offset = result->leaf().value;
    }
    indices.push_back(offset);
    if (offset && request.elementBits)
      cell.bank = bankOf(*offset);
    if (!request.tile) {
      cell.text = cell.index;
    } else if (auto found = holders.find(number); found != holders.end()) {
      cell.holders = found->second;
      cell.text = "T" + std::to_string(cell.holders[0].thread);
      cell.below = "V" + std::to_string(cell.holders[0].value);
      if (cell.holders.size() > 1)
        cell.below += "+" + std::to_string(cell.holders.size() - 1);
    }
    return cell;
  }

  std::string bankOf(std::int64_t index) const {
    if (index < 0 || index > (std::int64_t(1) << 50))
      return "";
    const std::int64_t first = index * request.elementBits / 32, last = ((index + 1) * request.elementBits - 1) / 32;
    const std::string text = std::to_string(first % request.banks);
    return first == last ? text : text + "-" + std::to_string(last % request.banks);
  }

  void paint() {
    std::int64_t low = 0, high = 0;
    bool any = false;
    for (auto &index : indices)
      if (index) {
        low = any ? std::min(low, *index) : *index;
        high = any ? std::max(high, *index) : *index;
        any = true;
      }
    std::size_t next = 0;
    for (Sheet &sheet : picture.sheets)
      for (Cell &cell : sheet.cells) {
        const auto index = indices[next++];
        if (!cell.outside)
          cell.colour = colourOf(cell, index, low, high);
      }
  }

  std::optional<Colour> colourOf(const Cell &cell, std::optional<std::int64_t> index, std::int64_t low,
                                 std::int64_t high) const {
    switch (fill) {
    case Fill::Automatic:
    case Fill::None: return std::nullopt;
    case Fill::Thread:
      if (!cell.holders.empty())
        return categoryColour(cell.holders[0].thread);
      return std::nullopt;
    case Fill::Value:
      if (!cell.holders.empty())
        return categoryColour(cell.holders[0].value);
      return std::nullopt;
    case Fill::Tile:
      if (cell.tile >= 0)
        return categoryColour(cell.tile);
      return std::nullopt;
    case Fill::Bank:
      if (!cell.bank.empty())
        return circleColour(*index * request.elementBits / 32 % request.banks, request.banks);
      return std::nullopt;
    case Fill::Index:
      if (!index)
        return std::nullopt;
      // A swizzle moves blocks: a colour for each place that a block can be moved to.
      if (swizzle && *index >= 0)
        return categoryColour((*index & swizzle->targetMask()) >>
                              std::countr_zero(std::uint64_t(swizzle->targetMask())));
      return rampColour(high > low ? (double(*index) - double(low)) / (double(high) - double(low)) : 0);
    }
    return std::nullopt;
  }

  const Request &request;
  Subject &subject; ///< what an error is about
  InferringArithmetic arithmetic;
  Picture picture;
  IntTuple domain;
  bool isLine = false;
  std::int64_t all = 0, rows = 1, columns = 1, sheets = 1, drawnRows = 1, drawnColumns = 1, drawnSheets = 1;
  std::unordered_map<std::int64_t, std::vector<Holder>> holders; ///< by number in the domain
  std::vector<std::int64_t> tileOf;                              ///< alike; empty without tiles
  std::vector<std::optional<std::int64_t>> indices;              ///< of all cells in order
  Fill fill = Fill::None;
  const Swizzle *swizzle = nullptr;
};

} // namespace

Result<Picture> draw(const Request &request, Subject &subject) { return Drawing(request, subject).make(); }

} // namespace fly::picture
