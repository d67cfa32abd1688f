// A picture as a table of text. See Picture.h.
//
//        0   1   2   3
//     +----------------
//   0 |  0   1   2   3
//   1 |  4   5   6   7
//
// Tiles have lines between them where they touch: a `|` in a row, a line of `-` between two rows.
#include "compiler/picture/Picture.h"

#include <algorithm>

namespace fly::picture {

namespace {

std::string right(const std::string &text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

class Table {
public:
  Table(const Sheet &sheet, bool inColor) : sheet(sheet), inColor(inColor) {
    for (const std::string &label : sheet.rowLabels)
      margin = std::max(margin, label.size());
    for (const std::string &label : sheet.columnLabels)
      width = std::max(width, label.size());
    for (const Cell &cell : sheet.cells)
      width = std::max(width, shown(cell).size());
    hasBar.assign(sheet.columns(), false);
    for (std::size_t r = 0; r < sheet.rows(); ++r)
      for (std::size_t c = 0; c < sheet.columns(); ++c)
        hasBar[c] = hasBar[c] || endsRight(r, c);
  }

  std::string text() const {
    std::string out = right("", margin + 2), rule = right("", margin) + " +";
    for (std::size_t c = 0; c < sheet.columns(); ++c) {
      out += " " + right(sheet.columnLabels[c], width) + (hasBar[c] ? "  " : " ");
      rule += std::string(width + (hasBar[c] ? 3 : 2), '-');
    }
    finish(out);
    out += rule + "\n";
    for (std::size_t r = 0; r < sheet.rows(); ++r) {
      if (r > 0)
        out += border(r);
      out += right(sheet.rowLabels[r], margin) + " |";
      for (std::size_t c = 0; c < sheet.columns(); ++c) {
        const Cell &cell = sheet.at(r, c);
        const std::string text = " " + right(shown(cell), width) + " ";
        out += inColor && cell.colour
                   ? "\x1b[48;5;" + std::to_string(terminalColour(*cell.colour)) + ";38;5;16m" + text + "\x1b[0m"
                   : text;
        if (hasBar[c])
          out += endsRight(r, c) ? '|' : ' ';
      }
      finish(out);
    }
    return out;
  }

private:
  static std::string shown(const Cell &cell) {
    return cell.outside ? "" : cell.text.empty() ? "." : cell.text + cell.below;
  }

  static bool differ(const Cell &a, const Cell &b) { return !a.outside && !b.outside && a.tile != b.tile; }
  bool endsRight(std::size_t r, std::size_t c) const {
    return c + 1 < sheet.columns() && differ(sheet.at(r, c), sheet.at(r, c + 1));
  }
  bool endsAbove(std::size_t r, std::size_t c) const {
    return c < sheet.columns() && differ(sheet.at(r - 1, c), sheet.at(r, c));
  }

  /// The line between rows r-1 and r; empty if no tile ends there.
  std::string border(std::size_t r) const {
    std::string line = right("", margin) + " |";
    bool any = false;
    for (std::size_t c = 0; c < sheet.columns(); ++c) {
      const bool here = endsAbove(r, c), next = endsAbove(r, c + 1), bar = endsRight(r - 1, c) || endsRight(r, c);
      any |= here;
      line += std::string(width + 2, here ? '-' : ' ');
      if (hasBar[c])
        line += bar ? (here || next ? '+' : '|') : here && next ? '-' : ' ';
    }
    if (!any)
      return "";
    finish(line);
    return line;
  }

  /// Ends a line, without blanks at its end.
  static void finish(std::string &out) {
    while (!out.empty() && out.back() == ' ')
      out.pop_back();
    out += '\n';
  }

  const Sheet &sheet;
  const bool inColor;
  std::size_t margin = 1, width = 1;
  std::vector<bool>
      hasBar; ///< whether a tile ends after the column in some row: one character is reserved for its line
};

} // namespace

std::string toText(const Picture &picture, bool inColor) {
  std::string out = picture.title + "\n";
  for (const std::string &remark : picture.remarks)
    out += remark + "\n";
  for (const Sheet &sheet : picture.sheets) {
    out += "\n";
    if (!sheet.label.empty())
      out += sheet.label + "\n";
    out += Table(sheet, inColor).text();
  }
  return out;
}

} // namespace fly::picture
