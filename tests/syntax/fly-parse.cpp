// fly-parse: the front end's own test tool. Reads one .fly file and prints its tree, or its diagnostics.
//
//     fly-parse FILE              tree on stdout; diagnostics on stderr and status 1
//     fly-parse --expr FILE       the text is one expression
//     fly-parse --verify FILE     compares diagnostics with the expectations in the file
//     fly-parse --annotate FILE   prints the file with the expectations that hold today, to be reviewed as a diff
//     fly-parse --time N FILE     parses N times, prints milliseconds of the first and of the best
//
// Expectations are comments under the line they are about, with carets where the diagnostic has them:
//
//     x = (1, 2
//     #   ^ FLY0110: `(` is never closed
//
// Every diagnostic needs one (`#` stands in the first column; a caret in column 1 cannot be drawn: write `#<`).
// Lines that only hold expectations are blanked before parsing, so that they change no offset.
#include "compiler/syntax/Parser.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace fly;

namespace {

struct Expected {
  unsigned line, column, length;
  std::string text;
  bool met = false;
};

/// Takes the expectations out of the text.
std::vector<Expected> takeExpectations(std::string &text) {
  std::vector<Expected> result;
  unsigned line = 0, codeLine = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t next = std::min(text.find('\n', at), text.size());
    llvm::StringRef whole = llvm::StringRef(text).slice(at, next);
    ++line;
    llvm::StringRef rest = whole.drop_front(whole.starts_with("#") ? 1 : 0).ltrim(" ");
    const bool first = whole.starts_with("#<");
    if (whole.starts_with("#") && (first || rest.starts_with("^")) && whole.contains("FLY")) {
      llvm::StringRef marks = first ? whole.drop_front(1).take_while([](char c) { return c == '<' || c == '^'; })
                                    : rest.take_while([](char c) { return c == '^'; });
      const size_t column = marks.data() - whole.data() - (first ? 1 : 0);
      result.push_back({codeLine, static_cast<unsigned>(column + 1), static_cast<unsigned>(marks.size()),
                        llvm::StringRef(marks.end(), whole.end() - marks.end()).trim().str()});
      std::fill(text.begin() + at, text.begin() + next, ' ');
    } else {
      codeLine = line;
    }
    at = next + 1;
  }
  return result;
}

int verify(DiagnosticEngine &diags, SourceManager &sources, std::vector<Expected> expected) {
  bool failed = false;
  for (const Diagnostic &d : diags.all()) {
    const LineColumn place = sources.lineColumn(d.range.file, d.range.begin);
    const LineColumn end = sources.lineColumn(d.range.file, d.range.end);
    const unsigned length = end.line == place.line ? std::max(1u, end.column - place.column) : 0;
    const std::string text = std::string(info(d.kind).code) + ": " + d.message;
    bool met = false;
    for (Expected &e : expected)
      if (!e.met && !met && e.line == place.line && e.column == place.column && (length == 0 || e.length == length) &&
          e.text == text)
        met = e.met = true;
    if (met)
      continue;
    failed = true;
    llvm::errs() << "not expected:\n" << diags.render(d) << "\n";
  }
  for (const Expected &e : expected)
    if (!e.met) {
      failed = true;
      llvm::errs() << "not found: line " << e.line << " column " << e.column << " length " << e.length << " " << e.text
                   << "\n";
    }
  return failed;
}

/// `text` (whose old expectations are blank) with the expectations that hold.
void annotate(DiagnosticEngine &diags, SourceManager &sources, FileId file) {
  llvm::StringRef text = sources.text(file).rtrim();
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (unsigned number = 1; number <= lines.size(); ++number) {
    llvm::StringRef line = lines[number - 1];
    if (!line.empty() && line.trim(" ").empty())
      continue; // was an expectation
    llvm::outs() << line << "\n";
    for (const Diagnostic &d : diags.all()) {
      const LineColumn place = sources.lineColumn(file, d.range.begin), end = sources.lineColumn(file, d.range.end);
      if (place.line != number)
        continue;
      const unsigned length = end.line == place.line ? std::max(1u, end.column - place.column) : 1;
      llvm::outs() << '#' << std::string(place.column > 1 ? place.column - 2 : 0, ' ')
                   << std::string(length, place.column > 1 ? '^' : '<') << ' ' << info(d.kind).code << ": " << d.message
                   << "\n";
    }
  }
}

} // namespace

int main(int argc, char **argv) {
  bool asExpression = false, verifying = false, annotating = false;
  int times = 0;
  const char *path = nullptr;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--expr"))
      asExpression = true;
    else if (!std::strcmp(argv[i], "--verify"))
      verifying = true;
    else if (!std::strcmp(argv[i], "--annotate"))
      annotating = verifying = true;
    else if (!std::strcmp(argv[i], "--time") && i + 1 < argc)
      times = std::atoi(argv[++i]);
    else
      path = argv[i];
  }
  if (!path) {
    llvm::errs() << "usage: fly-parse [--expr] [--verify | --annotate] [--time N] FILE\n";
    return 2;
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    llvm::errs() << path << ": " << buffer.getError().message() << "\n";
    return 2;
  }
  std::string text = (*buffer)->getBuffer().str();
  std::vector<Expected> expected;
  if (verifying)
    expected = takeExpectations(text);

  SourceManager sources;
  DiagnosticEngine diags(sources);
  llvm::StringRef name(path);
  const FileId file = sources.add(name.substr(name.rfind('/') + 1).str(), text);
  double first = 0, best = 1e9;
  for (int i = 0; i < times; ++i) {
    DiagnosticEngine throwaway(sources);
    auto start = std::chrono::steady_clock::now();
    parseModule(file, throwaway);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (i == 0)
      first = ms;
    best = std::min(best, ms);
  }
  if (times)
    llvm::outs() << "first " << llvm::format("%.2f", first) << " ms, best " << llvm::format("%.2f", best) << " ms\n";
  auto module = asExpression ? parseExpression(file, diags) : parseModule(file, diags);
  if (annotating) {
    annotate(diags, sources, file);
    return 0;
  }
  if (verifying)
    return verify(diags, sources, std::move(expected));
  diags.flush(llvm::errs());
  if (module && !times)
    printAST(*module, sources, llvm::outs());
  return module ? 0 : 1;
}
