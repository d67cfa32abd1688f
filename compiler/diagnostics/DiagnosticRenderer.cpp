// One diagnostic as text. The form:
//
//     error[FLY0301]: `+` of f32 and f16; convert one of them  [mixed-types]
//        --> dot.fly:11:23
//         |
//      11 |         total = total + x[i] * y[i]
//         |                 ~~~~~ ^ ~~~~~~~~~~~ f16
//         |                 f32
//         = note: machine types never convert silently
//         = help: to add in f32: `total + f32(x[i]) * f32(y[i])`
//
// The marks are the hard part. A line may have several: the rightmost has its text next to it, the others below, each
// in the first row where it does not collide with another. Byte ranges become display columns: tabs are expanded, wide
// characters take two columns, bytes that are not text take one. Very long lines are cut to a window around the marks.
#include "compiler/diagnostics/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace fly {

namespace {

constexpr unsigned tabWidth = 4, maxLineWidth = 200, contextWidth = 60;

/// A source line as it is shown: printable text, one column of display for each entry of `cells`.
struct DisplayLine {
  std::vector<std::string> cells; ///< a wide character is followed by an empty cell
  std::vector<unsigned> columnOf; ///< maps each byte offset in the line (and one past it) to its cell
};

DisplayLine displayLine(llvm::StringRef line) {
  DisplayLine result;
  result.columnOf.resize(line.size() + 1);
  for (size_t i = 0; i < line.size();) {
    unsigned char c = line[i];
    size_t length = c < 0x80 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
    length = std::min(length, line.size() - i);
    std::string shown = line.substr(i, length).str();
    int width = 1;
    if (c == '\t') {
      shown = " ";
      width = tabWidth - result.cells.size() % tabWidth;
    } else if (c < 0x20 || c == 0x7F) {
      shown = "?";
    } else if (c >= 0x80) {
      width = llvm::sys::unicode::columnWidthUTF8(shown);
      if (width < 0) { // not printable or not UTF-8
        shown = "?";
        width = 1;
        length = 1;
      }
    }
    for (size_t k = 0; k < length; ++k)
      result.columnOf[i + k] = result.cells.size();
    if (width == 0 && !result.cells.empty())
      result.cells.back() += shown; // a combining mark
    for (int k = 0; k < width; ++k)
      result.cells.push_back(k == 0 || c == '\t' ? shown : "");
    i += length;
  }
  result.columnOf[line.size()] = result.cells.size();
  return result;
}

struct Mark {
  unsigned begin, end; ///< display columns, end > begin
  bool primary;
  std::string text;
};

class Renderer {
public:
  Renderer(const SourceManager &sources, const Diagnostic &diagnostic, bool color)
      : sources(sources), diagnostic(diagnostic), color(color) {
    unsigned lastLine = 1;
    auto see = [&](SourceRange r) {
      if (r.valid())
        lastLine = std::max(lastLine, sources.lineColumn(r.file, r.begin).line);
    };
    see(diagnostic.range);
    for (const auto &label : diagnostic.labels)
      see(label.range);
    for (const auto &note : diagnostic.notes)
      see(note.range);
    gutter = std::to_string(lastLine).size();
  }

  std::string run() {
    const DiagnosticInfo &row = info(diagnostic.kind);
    const char *word = diagnostic.severity == Severity::Error     ? "error"
                       : diagnostic.severity == Severity::Warning ? "warning"
                                                                  : "note";
    const char *paint = diagnostic.severity == Severity::Error     ? "1;31"
                        : diagnostic.severity == Severity::Warning ? "1;35"
                                                                   : "1;36";
    out += painted(std::string(word) + "[" + row.code + "]", paint) + painted(": " + oneLine(diagnostic.message), "1") +
           "  [" + row.name + "]\n";

    std::vector<Diagnostic::Label> here, elsewhere;
    for (const auto &label : diagnostic.labels)
      (label.range.file == diagnostic.range.file ? here : elsewhere).push_back(label);
    snippet(diagnostic.range, diagnostic.primaryText, here, paint);

    for (const auto &note : diagnostic.notes)
      if (note.remark != Diagnostic::Remark::Help)
        noteSection(note.range, note.text);
    for (const auto &label : elsewhere)
      noteSection(label.range, label.text);
    for (const auto &note : diagnostic.notes)
      if (note.remark == Diagnostic::Remark::Help)
        remark("help", note.text);
    return std::move(out);
  }

private:
  std::string painted(llvm::StringRef text, const char *sgr) const {
    return color ? ("\033[" + llvm::Twine(sgr) + "m" + text + "\033[0m").str() : text.str();
  }
  static std::string oneLine(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  std::string bar(llvm::StringRef number = "") const {
    return painted(std::string(1 + gutter - number.size(), ' ') + number.str() + " |", "34");
  }

  /// A note without a place continues the snippet above it, one with a place has its own.
  void noteSection(SourceRange range, llvm::StringRef text) {
    if (range.valid()) {
      out += painted("note", "1;36") + ": " + oneLine(text.str()) + "\n";
      snippet(range, "", {}, "1;36");
    } else if (text.starts_with("...")) {
      out += std::string(gutter + 1, ' ') + text.str() + "\n";
    } else {
      remark("note", text);
    }
  }

  void remark(const char *word, llvm::StringRef text) {
    std::string lead = std::string(gutter + 2, ' ') + "= " + word + ": ";
    llvm::SmallVector<llvm::StringRef> lines;
    text.split(lines, '\n');
    for (size_t i = 0; i < lines.size(); ++i)
      out += (i == 0 ? lead : std::string(lead.size(), ' ')) + lines[i].str() + "\n";
  }

  void snippet(SourceRange range, llvm::StringRef text, const std::vector<Diagnostic::Label> &labels,
               const char *paint) {
    if (!range.valid())
      return;
    LineColumn place = sources.lineColumn(range.file, range.begin);
    out += std::string(gutter + 1, ' ') + painted("-->", "34") + " " + sources.name(range.file).str() + ":" +
           std::to_string(place.line) + ":" + std::to_string(place.column) + "\n" + bar() + "\n";

    struct Request {
      SourceRange range;
      bool primary;
      std::string text;
    };
    std::map<unsigned, std::vector<Request>> byLine;
    byLine[place.line].push_back({range, true, text.str()});
    for (const auto &label : labels)
      byLine[sources.lineColumn(label.range.file, label.range.begin).line].push_back({label.range, false, label.text});

    unsigned previous = 0;
    for (const auto &[number, requests] : byLine) {
      if (previous && number > previous + 1)
        out += std::string(gutter + 1, ' ') + "...\n";
      previous = number;
      llvm::StringRef line = sources.line(range.file, number);
      uint32_t start = line.empty() ? requests.front().range.begin
                                    : static_cast<uint32_t>(line.data() - sources.text(range.file).data());
      DisplayLine display = displayLine(line);
      std::vector<Mark> marks;
      for (const Request &request : requests) {
        // A range that continues on the next line is marked up to the end of its first line.
        size_t begin = std::min<size_t>(request.range.begin - start, line.size());
        size_t end = std::min<size_t>(std::max(request.range.end, request.range.begin) - start, line.size());
        if (request.range.end - start > line.size())
          end = std::max(begin, line.rtrim().size());
        Mark mark{display.columnOf[begin], display.columnOf[end], request.primary, oneLine(request.text)};
        mark.end = std::max(mark.end, mark.begin + 1);
        marks.push_back(std::move(mark));
      }
      marked(std::to_string(number), display, std::move(marks), paint);
    }
  }

  /// Cuts a line that is too long to a window around its marks.
  static void cut(DisplayLine &display, std::vector<Mark> &marks) {
    if (display.cells.size() <= maxLineWidth)
      return;
    unsigned first = display.cells.size();
    for (const Mark &mark : marks)
      first = std::min(first, mark.begin);
    first = first > contextWidth ? first - contextWidth : 0;
    std::vector<std::string> window;
    if (first)
      window.assign(3, ".");
    unsigned shift = first - (first ? 3 : 0);
    unsigned last = std::min<size_t>(first + maxLineWidth, display.cells.size());
    window.insert(window.end(), display.cells.begin() + first, display.cells.begin() + last);
    unsigned limit = window.size();
    if (last < display.cells.size())
      window.insert(window.end(), 3, ".");
    for (Mark &mark : marks) {
      mark.begin = std::min(mark.begin - shift, limit);
      mark.end = std::max(mark.begin + 1, std::min(mark.end - shift, limit));
    }
    display.cells = std::move(window);
  }

  void marked(llvm::StringRef number, DisplayLine display, std::vector<Mark> marks, const char *paint) {
    cut(display, marks);
    std::string text;
    for (const std::string &cell : display.cells)
      text += cell;
    out += bar(number) + (text.empty() ? "" : " " + llvm::StringRef(text).rtrim().str()) + "\n";

    std::sort(marks.begin(), marks.end(), [](const Mark &a, const Mark &b) {
      return std::tie(a.begin, a.end, a.text) < std::tie(b.begin, b.end, b.text);
    });
    unsigned width = 0;
    for (const Mark &mark : marks)
      width = std::max(width, mark.end);
    std::string underline(width, ' ');
    for (bool primary : {false, true}) // carets win over tildes
      for (const Mark &mark : marks)
        if (mark.primary == primary)
          std::fill(underline.begin() + mark.begin, underline.begin() + mark.end, primary ? '^' : '~');

    // Beside the last mark its text; the others from right to left in the first row below that has room.
    size_t last = marks.size();
    for (size_t i = 0; i < marks.size(); ++i)
      if (marks[i].end == width)
        last = i;
    std::vector<std::string> rows;
    std::vector<unsigned> rowStart; // first used column of each row
    for (size_t i = marks.size(); i-- > 0;) {
      if (i == last || marks[i].text.empty())
        continue;
      unsigned end = marks[i].begin + llvm::sys::unicode::columnWidthUTF8(marks[i].text);
      size_t row = 0;
      while (row < rows.size() && end + 2 > rowStart[row])
        ++row;
      if (row == rows.size()) {
        rows.emplace_back();
        rowStart.push_back(~0u);
      }
      std::string &line = rows[row];
      std::string placed = std::string(marks[i].begin, ' ') + marks[i].text;
      if (!line.empty())
        placed += std::string(rowStart[row] - end, ' ') + line.substr(rowStart[row]);
      line = std::move(placed);
      rowStart[row] = marks[i].begin;
    }
    std::string beside = last < marks.size() && !marks[last].text.empty() ? " " + marks[last].text : "";
    out += bar() + " " + painted(underline + beside, paint) + "\n";
    for (const std::string &row : rows)
      out += bar() + " " + painted(row, paint) + "\n";
  }

  const SourceManager &sources;
  const Diagnostic &diagnostic;
  bool color;
  unsigned gutter = 1;
  std::string out;
};

} // namespace

std::string DiagnosticEngine::render(const Diagnostic &diagnostic, bool color) const {
  return Renderer(sources, diagnostic, color).run();
}

} // namespace fly
