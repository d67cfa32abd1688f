// A picture as an SVG document. See Picture.h.
//
// Presentation attributes on groups, no style sheet: it looks the same in browsers, editors and PDF converters. Text
// widths assume a monospaced font: 0.602 of the font size per character. Sheets flow from left to right, and onto new
// lines.
#include "compiler/picture/Picture.h"
#include "compiler/text/Markup.h"

#include <algorithm>
#include <cstdio>

namespace fly::picture {

namespace {

constexpr double character = 0.602, cellFont = 11, labelFont = 9, titleFont = 13, remarkFont = 10.5;
constexpr double edge = 12, sheetGap = 22, widest = 1200;
constexpr const char *font = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string out = text;
  while (out.back() == '0')
    out.pop_back();
  if (out.back() == '.')
    out.pop_back();
  return out;
}

std::string attribute(const char *name, double value) { return std::string(" ") + name + "=\"" + number(value) + "\""; }

std::string textAt(double x, double y, const std::string &text) {
  return "<text" + attribute("x", x) + attribute("y", y) + ">" + escapeMarkup(text) + "</text>\n";
}

std::string groupOfText(double size, const char *fill, const char *anchor, const std::string &content,
                        const char *more = "") {
  return content.empty() ? ""
                         : "<g font-size=\"" + number(size) + "\" fill=\"" + fill + "\" text-anchor=\"" + anchor +
                               "\"" + more + ">\n" + content + "</g>\n";
}

/// One sheet, its top left corner at the origin of its group.
class Grid {
public:
  Grid(const Sheet &sheet, bool withData) : sheet(sheet), withData(withData) {
    std::size_t cell = 1, row = 0;
    bool twoLines = false;
    for (const Cell &each : sheet.cells) {
      cell = std::max({cell, each.text.size(), each.below.size()});
      twoLines |= !each.below.empty();
    }
    for (const std::string &label : sheet.rowLabels)
      row = std::max(row, label.size());
    std::size_t column = 0;
    for (const std::string &label : sheet.columnLabels)
      column = std::max(column, label.size());
    cellWidth = std::max({24.0, double(cell) * character * cellFont + 9, double(column) * character * labelFont + 5});
    cellHeight = twoLines ? 30 : 22;
    left = row ? double(row) * character * labelFont + 7 : 0;
    top = (sheet.label.empty() ? 0 : 18) + 14;
  }

  double width() const {
    return left + std::max(double(sheet.columns()) * cellWidth, double(sheet.label.size()) * character * cellFont);
  }
  double height() const { return top + double(sheet.rows()) * cellHeight; }

  std::string draw(double x, double y, std::size_t firstCell) const {
    std::string out = "<g transform=\"translate(" + number(x) + " " + number(y) + ")\">\n";
    if (!sheet.label.empty())
      out += groupOfText(cellFont, "#222", "start", textAt(left, 11, sheet.label));
    out += boxes(firstCell) + borders() + texts() + labels();
    return out + "</g>\n";
  }

private:
  double columnAt(std::size_t c) const { return left + double(c) * cellWidth; }
  double rowAt(std::size_t r) const { return top + double(r) * cellHeight; }

  std::string boxes(std::size_t firstCell) const {
    std::string out = "<g stroke=\"#8c8c8c\" stroke-width=\"0.5\">\n";
    const std::string size = attribute("width", cellWidth) + attribute("height", cellHeight);
    for (std::size_t r = 0; r < sheet.rows(); ++r)
      for (std::size_t c = 0; c < sheet.columns(); ++c)
        if (const Cell &cell = sheet.at(r, c); !cell.outside)
          out += "<rect" + attribute("x", columnAt(c)) + attribute("y", rowAt(r)) + size + " fill=\"" +
                 (cell.colour ? hexText(*cell.colour) : "#ffffff") + "\"" +
                 (withData ? " data-cell=\"" + std::to_string(firstCell + r * sheet.columns() + c) + "\"" : "") +
                 "/>\n";
    return out + "</g>\n";
  }

  /// Around the sheet, and where tiles touch: runs on one line become one stroke.
  std::string borders() const {
    std::string path;
    auto tileAt = [&](std::size_t r, std::size_t c) -> std::int64_t {
      return r < sheet.rows() && c < sheet.columns() && !sheet.at(r, c).outside ? sheet.at(r, c).tile
                                                                                : -2; // -2: no cell
    };
    for (std::size_t r = 0; r <= sheet.rows(); ++r)
      for (std::size_t c = 0, start = 0; c <= sheet.columns(); ++c) {
        const bool line = c < sheet.columns() && tileAt(r - 1, c) != tileAt(r, c); // r - 1 of row 0 is beyond the rows
        if (line)
          continue;
        if (c > start)
          path += "M" + number(columnAt(start)) + " " + number(rowAt(r)) + "H" + number(columnAt(c));
        start = c + 1;
      }
    for (std::size_t c = 0; c <= sheet.columns(); ++c)
      for (std::size_t r = 0, start = 0; r <= sheet.rows(); ++r) {
        const bool line = r < sheet.rows() && tileAt(r, c - 1) != tileAt(r, c);
        if (line)
          continue;
        if (r > start)
          path += "M" + number(columnAt(c)) + " " + number(rowAt(start)) + "V" + number(rowAt(r));
        start = r + 1;
      }
    const bool hasTiles =
        std::any_of(sheet.cells.begin(), sheet.cells.end(), [](const Cell &cell) { return cell.tile >= 0; });
    return std::string("<path fill=\"none\" stroke=\"#222\" stroke-linecap=\"square\" stroke-width=\"") +
           (hasTiles ? "1.5" : "0.9") + "\" d=\"" + path + "\"/>\n";
  }

  std::string texts() const {
    std::string first, second;
    for (std::size_t r = 0; r < sheet.rows(); ++r)
      for (std::size_t c = 0; c < sheet.columns(); ++c) {
        const Cell &cell = sheet.at(r, c);
        const double x = columnAt(c) + cellWidth / 2, y = rowAt(r) + cellHeight / 2;
        if (cell.below.empty() && !cell.text.empty())
          first += textAt(x, y + 3.9, cell.text);
        else if (!cell.text.empty()) {
          first += textAt(x, y - 2, cell.text);
          second += textAt(x, y + 10.5, cell.below);
        }
      }
    const char *through = withData ? " pointer-events=\"none\"" : "";
    return groupOfText(cellFont, "#111", "middle", first, through) +
           groupOfText(cellFont, "#5a5a5a", "middle", second, through);
  }

  std::string labels() const {
    std::string rows, columns;
    for (std::size_t r = 0; r < sheet.rows(); ++r)
      if (!sheet.rowLabels[r].empty())
        rows += textAt(left - 5, rowAt(r) + cellHeight / 2 + 3.2, sheet.rowLabels[r]);
    for (std::size_t c = 0; c < sheet.columns(); ++c)
      columns += textAt(columnAt(c) + cellWidth / 2, top - 5, sheet.columnLabels[c]);
    return groupOfText(labelFont, "#777", "end", rows) + groupOfText(labelFont, "#777", "middle", columns);
  }

  const Sheet &sheet;
  const bool withData;
  double cellWidth, cellHeight, left, top;
};

} // namespace

std::string toSvg(const Picture &picture, bool withData) {
  double width = double(picture.title.size()) * character * titleFont, y = edge + titleFont;
  std::string body = "<g font-weight=\"bold\">\n" +
                     groupOfText(titleFont, "#111", "start", textAt(edge, y, picture.title)) + "</g>\n",
              remarks;
  for (const std::string &remark : picture.remarks) {
    y += 15;
    width = std::max(width, double(remark.size()) * character * remarkFont);
    remarks += textAt(edge, y, remark);
  }
  body += groupOfText(remarkFont, "#555", "start", remarks);
  y += 12;
  double x = edge, lineHeight = 0;
  std::size_t firstCell = 0;
  for (const Sheet &sheet : picture.sheets) {
    const Grid grid(sheet, withData);
    if (x > edge && x + grid.width() > widest) {
      x = edge;
      y += lineHeight + sheetGap;
      lineHeight = 0;
    }
    body += grid.draw(x, y, firstCell);
    firstCell += sheet.cells.size();
    width = std::max(width, x + grid.width() - edge);
    lineHeight = std::max(lineHeight, grid.height());
    x += grid.width() + sheetGap;
  }
  const double wide = width + 2 * edge, high = y + lineHeight + edge;
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", wide) + attribute("height", high) +
         " viewBox=\"0 0 " + number(wide) + " " + number(high) + "\" font-family=\"" + font + "\">\n<title>" +
         escapeMarkup(picture.title) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + body +
         "</svg>\n";
}

} // namespace fly::picture
