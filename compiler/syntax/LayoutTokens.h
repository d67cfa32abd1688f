// The token source between lexer and parser: makes NEWLINE, INDENT and DEDENT out of line ends and columns.
//
//     if i < n:            IF NAME LESS NAME COLON NEWLINE
//         c[i] = (a[i] +   INDENT NAME ... LPAREN ... PLUS        (no NEWLINE inside brackets)
//                 b[i])    ... RPAREN NEWLINE
//                          DEDENT EOF
//
// See the .cpp for what is not trivial about it.
#pragma once

#include "compiler/syntax/ByteStream.h"
#include "compiler/syntax/ParseSession.h"

#include <memory>
#include <vector>

namespace fly {

enum class LayoutMode {
  Lines,  ///< a file: line ends and indentation count
  Inside, ///< an expression: they do not, as inside brackets
};

/// Reads all of text[begin, end) at once. A token's `getLine()` is its logical line (a number that only serves
/// ParseSession::isSpoilt), its start and stop are byte offsets; stop is start - 1 for the tokens made here.
class LayoutTokens final : public antlr4::TokenSource {
public:
  LayoutTokens(ParseSession &session, size_t begin, size_t end, LayoutMode mode);

  std::unique_ptr<antlr4::Token> nextToken() override;
  size_t getLine() const override { return line; }
  size_t getCharPositionInLine() override { return 0; }
  antlr4::CharStream *getInputStream() override { return &stream; }
  std::string getSourceName() override { return stream.getSourceName(); }
  antlr4::TokenFactory<antlr4::CommonToken> *getTokenFactory() override {
    return antlr4::CommonTokenFactory::DEFAULT.get();
  }

private:
  struct Bracket {
    size_t type, begin;
  };
  struct Indent {
    unsigned column, alias; ///< alias: a wrong column that was reported and is now accepted
  };

  void run();
  void take(antlr4::Token &token);
  bool takePlainCall();
  void emit(size_t type, size_t begin, size_t end);
  bool followsFrom() const;
  void endLine();
  void startLine(const antlr4::Token &token);
  unsigned column(size_t offset);
  bool startsStatementInBracket(const antlr4::Token &token);
  std::optional<size_t> endOfBrackets() const;
  void unclosed(const Bracket &bracket);
  void closeBracket(const antlr4::Token &token);
  void wrong(antlr4::Token &token);
  void reserved(const antlr4::Token &token);

  ParseSession &session;
  ByteStream stream;
  LayoutMode mode;
  std::vector<std::unique_ptr<antlr4::Token>> tokens;
  size_t next = 0;

  std::vector<Bracket> brackets;
  std::vector<Indent> indents{{0, 0}};
  bool atLineStart = true;
  bool isDecorated = false; ///< the last line that was started is a decorator
  bool tabReported = false, tryReported = false;
  unsigned lineColumn = 0; ///< of the first word of the logical line
  size_t line;             ///< the current logical line
  size_t lastEnd;          ///< where the last token of the text ended
};

} // namespace fly
