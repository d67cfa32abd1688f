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

constexpr double character = 0.602;

/// How large things are, and the colours of what lies on the ground; cells have colours of their own, light ones.
struct Style {
  double cellFont = 11, labelFont = 9, titleFont = 13, remarkFont = 10.5;
  double leastWidth = 24, oneLine = 22, twoLines = 30, padding = 9;
  double only = 3.9, above = -2, below = 10.5; ///< from a cell's middle to a line of text
  double edge = 12, sheetGap = 22, widest = 1200;
  const char *text = "#222", *labels = "#777", *remarks = "#555", *lines = "#222";
};

/// On the ground of whatever shows it, dark or light: middle tones.
constexpr Style smallStyle{9,    8,   0, 8.5, 17,         15,        22,        5,         3.2,
                           -1.6, 8.2, 2, 10,  smallWidth, "#808080", "#808080", "#808080", "#808080"};

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
  Grid(const Sheet &sheet, const Style &style, bool withData) : sheet(sheet), style(style), withData(withData) {
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
    cellWidth = std::max({style.leastWidth, double(cell) * character * style.cellFont + style.padding,
                          double(column) * character * style.labelFont + 5});
    cellHeight = twoLines ? style.twoLines : style.oneLine;
    left = row ? double(row) * character * style.labelFont + 7 : 0;
    top = (sheet.label.empty() ? 0 : 18) + 14;
  }

  double width() const {
    return left +
           std::max(double(sheet.columns()) * cellWidth, double(sheet.label.size()) * character * style.cellFont);
  }
  double height() const { return top + double(sheet.rows()) * cellHeight; }

  std::string draw(double x, double y, std::size_t firstCell) const {
    std::string out = "<g transform=\"translate(" + number(x) + " " + number(y) + ")\">\n";
    if (!sheet.label.empty())
      out += groupOfText(style.cellFont, style.text, "start", textAt(left, 11, sheet.label));
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
    return std::string("<path fill=\"none\" stroke=\"") + style.lines + "\" stroke-linecap=\"square\" stroke-width=\"" +
           (hasTiles ? "1.5" : "0.9") + "\" d=\"" + path + "\"/>\n";
  }

  std::string texts() const {
    std::string first, second;
    for (std::size_t r = 0; r < sheet.rows(); ++r)
      for (std::size_t c = 0; c < sheet.columns(); ++c) {
        const Cell &cell = sheet.at(r, c);
        const double x = columnAt(c) + cellWidth / 2, y = rowAt(r) + cellHeight / 2;
        if (cell.below.empty() && !cell.text.empty())
          first += textAt(x, y + style.only, cell.text);
        else if (!cell.text.empty()) {
          first += textAt(x, y + style.above, cell.text);
          second += textAt(x, y + style.below, cell.below);
        }
      }
    const char *through = withData ? " pointer-events=\"none\"" : "";
    return groupOfText(style.cellFont, "#111", "middle", first, through) +
           groupOfText(style.cellFont, "#5a5a5a", "middle", second, through);
  }

  std::string labels() const {
    std::string rows, columns;
    for (std::size_t r = 0; r < sheet.rows(); ++r)
      if (!sheet.rowLabels[r].empty())
        rows += textAt(left - 5, rowAt(r) + cellHeight / 2 + 3.2, sheet.rowLabels[r]);
    for (std::size_t c = 0; c < sheet.columns(); ++c)
      columns += textAt(columnAt(c) + cellWidth / 2, top - 5, sheet.columnLabels[c]);
    return groupOfText(style.labelFont, style.labels, "end", rows) +
           groupOfText(style.labelFont, style.labels, "middle", columns);
  }

  const Sheet &sheet;
  const Style &style;
  const bool withData;
  double cellWidth, cellHeight, left, top;
};

/// The sheets from left to right and onto new lines, below `y`; then `y` and `width` are those of all of it.
std::string sheetsOf(const Picture &picture, const Style &style, bool withData, double &width, double &y) {
  std::string body;
  double x = style.edge, lineHeight = 0;
  std::size_t firstCell = 0;
  for (const Sheet &sheet : picture.sheets) {
    const Grid grid(sheet, style, withData);
    if (x > style.edge && x + grid.width() > style.widest) {
      x = style.edge;
      y += lineHeight + style.sheetGap;
      lineHeight = 0;
    }
    body += grid.draw(x, y, firstCell);
    firstCell += sheet.cells.size();
    width = std::max(width, x + grid.width() - style.edge);
    lineHeight = std::max(lineHeight, grid.height());
    x += grid.width() + style.sheetGap;
  }
  y += lineHeight;
  return body;
}

std::string document(double width, double height, const std::string &content) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width) + attribute("height", height) +
         " viewBox=\"0 0 " + number(width) + " " + number(height) + "\" font-family=\"" + font + "\">\n" + content +
         "</svg>\n";
}

} // namespace

std::string toSvg(const Picture &picture, bool withData) {
  const Style style;
  double width = double(picture.title.size()) * character * style.titleFont, y = style.edge + style.titleFont;
  std::string body = "<g font-weight=\"bold\">\n" +
                     groupOfText(style.titleFont, "#111", "start", textAt(style.edge, y, picture.title)) + "</g>\n",
              remarks;
  for (const std::string &remark : picture.remarks) {
    y += 15;
    width = std::max(width, double(remark.size()) * character * style.remarkFont);
    remarks += textAt(style.edge, y, remark);
  }
  body += groupOfText(style.remarkFont, style.remarks, "start", remarks);
  y += 12;
  body += sheetsOf(picture, style, withData, width, y);
  return document(width + 2 * style.edge, y + style.edge,
                  "<title>" + escapeMarkup(picture.title) +
                      "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + body);
}

std::optional<std::string> toSmallSvg(const Picture &picture) {
  const Style &style = smallStyle;
  double width = 0, y = 0;
  std::string body = sheetsOf(picture, style, /*withData=*/false, width, y), remarks;
  for (const std::string &remark : picture.remarks) {
    y += style.remarkFont + 4;
    width = std::max(width, double(remark.size()) * character * style.remarkFont);
    remarks += textAt(style.edge, y, remark);
  }
  body += groupOfText(style.remarkFont, style.remarks, "start", remarks);
  width += 2 * style.edge;
  return width > smallWidth ? std::nullopt : std::optional(document(width, y + style.edge + 2, body));
}

} // namespace fly::picture
