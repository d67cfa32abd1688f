// What the stages of parsing one piece of text share: the file, the diagnostics found so far, and which logical
// lines already have one.
//
// The rule "one mistake, one diagnostic" needs the last: after an unclosed string or a stray bracket the parser cannot
// read the rest of that logical line either, and does not report it.
#pragma once

#include "compiler/diagnostics/Diagnostics.h"

#include <set>

namespace fly {

// Limits that keep every recursion (ours, ANTLR's and sema's) far from the end of the stack.
constexpr unsigned maxBrackets = 200;         ///< open brackets at one place
constexpr unsigned maxBlocks = 100;           ///< blocks inside each other
constexpr unsigned maxOperationNesting = 256; ///< brackets, prefix operators and right-hand sides of `**`
constexpr unsigned maxHeight = 500;           ///< height of an expression's tree
constexpr unsigned maxElifs = 256;
constexpr unsigned maxFStringNesting = 4;
constexpr unsigned maxErrors = 500; ///< of one file; then reading stops
constexpr size_t maxFileBytes = 4u << 20;

class ParseSession {
public:
  ParseSession(FileId file, const SourceManager &sources, DiagnosticEngine &diags)
      : file(file), text(sources.text(file)), diags(diags) {}

  SourceRange range(size_t begin, size_t end) const {
    return {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  DiagnosticBuilder report(diag::Kind kind, SourceRange range) { return diags.report(kind, range); }
  /// The same for a mistake of a logical line, after which the parser keeps quiet about that line.
  DiagnosticBuilder report(diag::Kind kind, SourceRange range, size_t logicalLine) {
    spoiltLines.insert(logicalLine);
    return diags.report(kind, range);
  }
  template <diag::Row R> DiagnosticBuilder report(SourceRange range, const R &row) { return diags.report(range, row); }
  template <diag::Row R> DiagnosticBuilder report(SourceRange range, const R &row, size_t logicalLine) {
    spoiltLines.insert(logicalLine);
    return diags.report(range, row);
  }
  bool isSpoilt(size_t logicalLine) const { return spoiltLines.count(logicalLine) != 0; }
  void spoil(size_t logicalLine) { spoiltLines.insert(logicalLine); }

  /// A number for the next logical line, different from all others of the file and of its f-strings.
  size_t newLine() { return ++lines; }

  const FileId file;
  const llvm::StringRef text;
  DiagnosticEngine &diags;
  unsigned fstringNesting = 0;
  unsigned failedStatements = 0; ///< statements that the parser gave up
  /// Set when the text nests so deeply that reading on makes no sense.
  bool giveUp = false;
  /// A bracket was open at the end of the file: it may have taken good statements with it.
  bool endsInBracket = false;
  /// The file is known to be such a one: a line that is not further in than the first one of its statement begins
  /// another.
  bool closesBracketsEarly = false;

private:
  std::set<size_t> spoiltLines;
  size_t lines = 0;
};

} // namespace fly
