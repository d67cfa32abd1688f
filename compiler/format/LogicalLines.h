// A file as a formatter sees it: statements' lines and comments in order, each with the depth of its block.
//
//     total = sum(a,      # first        one logical line of depth 1 with the items total = sum ( a ,
//                 b)                     "# first" b )   of which `b` has a break before it
#pragma once

#include "compiler/syntax/Words.h"

#include <string>
#include <vector>

namespace fly::format {

/// A word or a comment of a logical line.
struct Item {
  WordKind kind = WordKind::Name;
  llvm::StringRef text;
  bool breakBefore = false; ///< starts a line of the file
  bool blankBefore = false; ///< the line before it is blank (inside brackets)
  bool joined = false;      ///< the break is a backslash's
  bool spaceBefore = false; ///< set by setSpaces
  unsigned column = 0;      ///< of a comment, from 0
  unsigned depth = 0;       ///< open brackets around it, set by setSpaces
  bool isBinary = false;    ///< an operator between two values, set by setSpaces
};

struct LogicalLine {
  std::vector<Item> items;
  unsigned depth = 0;  ///< blocks around it
  unsigned blanks = 0; ///< blank lines before it in the file
  bool isComment() const { return items.front().kind == WordKind::Comment; }
  bool startsWith(llvm::StringRef word) const {
    return items.front().text == word && items.front().kind != WordKind::String;
  }
  bool isDefinition() const { return startsWith("def") || startsWith("class"); }
  bool isDecorator() const { return startsWith("@"); }
  /// The header of a block: ends with `:`, or its block follows on the same line.
  bool opensBlock() const;
};

/// Of a text that parses.
std::vector<LogicalLine> readLogicalLines(llvm::StringRef text);

/// Where there is a space between two items; also the items' depths, and which operators are binary.
void setSpaces(LogicalLine &line);

/// A line of the result.
struct OutputLine {
  std::string code;           ///< with its indentation; holds line ends only inside a string
  std::string comment;        ///< after code, or on its own line
  unsigned commentColumn = 0; ///< in the source
  bool blankBefore = false;
};

/// The lines of one logical line: the author's breaks and those that its length needs; parentheses for more of them, if
/// they may be added.
std::vector<OutputLine> wrap(const LogicalLine &line, bool mayParenthesize);

/// Columns that a text takes: code points.
unsigned widthOf(llvm::StringRef text);

} // namespace fly::format
