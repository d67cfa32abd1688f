// The lexer's tokens by kind. They come straight from the lexer, before LayoutTokens drops the tokens that the parser
// does not need.
#include "compiler/syntax/Words.h"

#include "compiler/syntax/ByteStream.h"

#include "FlyLexer.h"

namespace fly {

static WordKind kindOf(size_t type) {
  switch (type) {
  case FlyLexer::NAME:
  case FlyLexer::TRUE:
  case FlyLexer::FALSE:
  case FlyLexer::NONE: return WordKind::Name;
  case FlyLexer::INTEGER:
  case FlyLexer::FLOAT: return WordKind::Number;
  case FlyLexer::STRING: return WordKind::String;
  case FlyLexer::LPAREN:
  case FlyLexer::LBRACKET:
  case FlyLexer::LBRACE: return WordKind::Open;
  case FlyLexer::RPAREN:
  case FlyLexer::RBRACKET:
  case FlyLexer::RBRACE: return WordKind::Close;
  case FlyLexer::COMMA: return WordKind::Comma;
  case FlyLexer::COLON: return WordKind::Colon;
  case FlyLexer::SEMICOLON: return WordKind::Semicolon;
  case FlyLexer::DOT: return WordKind::Dot;
  case FlyLexer::ARROW: return WordKind::Arrow;
  case FlyLexer::ASSIGN: return WordKind::Assign;
  case FlyLexer::NEWLINE: return WordKind::Newline;
  case FlyLexer::COMMENT: return WordKind::Comment;
  case FlyLexer::JOIN: return WordKind::Join;
  case FlyLexer::RESERVED:
  case FlyLexer::BAD_NUMBER:
  case FlyLexer::BAD_NAME:
  case FlyLexer::UNTERMINATED_STRING:
  case FlyLexer::UNTERMINATED_LONG_STRING:
  case FlyLexer::BACKSLASH:
  case FlyLexer::UNKNOWN: return WordKind::Wrong;
  case FlyLexer::AND:
  case FlyLexer::AS:
  case FlyLexer::BREAK:
  case FlyLexer::CLASS:
  case FlyLexer::CONTINUE:
  case FlyLexer::DEF:
  case FlyLexer::ELIF:
  case FlyLexer::ELSE:
  case FlyLexer::FOR:
  case FlyLexer::FROM:
  case FlyLexer::IF:
  case FlyLexer::IMPORT:
  case FlyLexer::IN:
  case FlyLexer::IS:
  case FlyLexer::LAMBDA:
  case FlyLexer::ASSERT:
  case FlyLexer::NOT:
  case FlyLexer::OR:
  case FlyLexer::PASS:
  case FlyLexer::RETURN:
  case FlyLexer::WHILE:
  case FlyLexer::WITH: return WordKind::Keyword;
  default: return WordKind::Operator;
  }
}

std::vector<Word> readWords(llvm::StringRef text) {
  ByteStream stream(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0, text.size());
  FlyLexer lexer(&stream);
  lexer.removeErrorListeners();
  std::vector<Word> words;
  while (true) {
    auto token = lexer.nextToken();
    if (token->getType() == antlr4::Token::EOF)
      return words;
    const uint32_t begin = static_cast<uint32_t>(token->getStartIndex()),
                   end = static_cast<uint32_t>(token->getStopIndex() + 1);
    if (token->getType() == FlyLexer::RESERVED &&
        text[begin] == '.') { // only right after `from`, where it is three dots
      for (uint32_t dot = begin; dot < end; ++dot)
        words.push_back({WordKind::Dot, dot, dot + 1});
      continue;
    }
    words.push_back({kindOf(token->getType()), begin, end});
  }
}

} // namespace fly
