// ANTLR's errors as our diagnostics, and recovery at the level of statements.
//
// ANTLR's own strategy guesses single tokens and continues in the middle of an expression, which turns one mistake into
// several messages. Here a statement that cannot be parsed is abandoned completely: the error propagates as an
// exception to the rule `statement`, the rest of the line is skipped, and the block below it is parsed as separate
// statements, so that mistakes in other statements are still found.
#pragma once

#include "compiler/syntax/ParseSession.h"

#include "FlyParser.h"

namespace fly {

/// What is thrown when operators nest too deeply; travels and is reported like any syntax error.
class NestedTooDeeply : public antlr4::RecognitionException {
public:
  explicit NestedTooDeeply(antlr4::Parser *parser)
      : RecognitionException(parser, parser->getInputStream(), parser->getContext(), parser->getCurrentToken()) {}
};

class SyntaxErrors final : public antlr4::ANTLRErrorStrategy {
public:
  explicit SyntaxErrors(ParseSession &session) : session(session) {}

  /// Brings the parser to a token that starts a statement; false at the end of the block or file. Reports and
  /// skips lines that start no statement.
  bool findStatement(FlyParser &parser);

  void reset(antlr4::Parser *) override {}
  antlr4::Token *recoverInline(antlr4::Parser *parser) override;
  void recover(antlr4::Parser *parser, std::exception_ptr exception) override;
  void sync(antlr4::Parser *parser) override;
  bool inErrorRecoveryMode(antlr4::Parser *) override { return false; }
  void reportMatch(antlr4::Parser *) override {}
  void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &error) override;

private:
  void reportExpected(FlyParser &parser, antlr4::Token *found, bool isMismatch);
  void reportMissingBlock(FlyParser &parser);
  void skipLine(FlyParser &parser);
  void skipBlock(FlyParser &parser);
  SourceRange rangeOf(antlr4::Token *token) const;
  std::string describe(antlr4::Token *token) const;

  ParseSession &session;
  bool matchReported = false, doReported = false;
  bool recovering = false; ///< the error on its way up is reported
};

} // namespace fly
