// Layout: from line ends and columns to NEWLINE, INDENT and DEDENT, and everything that can be wrong below the
// level of sentences.
//
// This is hard because a mistake here moves the borders of statements, and the user should still see exactly one
// message for it and the messages of the other statements:
//
//  * A bracket that is never closed would swallow the rest of the file. A line inside brackets that starts with a
//    word that only starts statements (`def`, `return`, ...), or at column 0 with `@`, ends it: the error is at the
//    bracket, and the statements that follow are read as ever. If a bracket is open at the end of the file
//    nevertheless, all is read again, and a line that is not further in than its statement ends the bracket, too
//    (Parser.cpp).
//  * `[(a]` closes what is between, if there is a bracket further out that `]` closes; `(a]` closes the innermost.
//  * A line whose column fits no open block is put into the innermost one that is further out than it, and that
//    column is accepted from there on; so a block of such lines is one error.
//  * Wrong words (a bad number, an unclosed string) are reported and passed on as what they nearly are.
//
// The logical line of a mistake is remembered (ParseSession), so that the parser is silent about it.
#include "compiler/syntax/LayoutTokens.h"

#include "compiler/syntax/PlainCalls.h"

#include "FlyLexer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fly {

using antlr4::CommonToken;
using antlr4::Token;

namespace {

struct Reserved {
  llvm::StringLiteral word, advice;
};
const Reserved reservedWords[] = {
    {"async", "kernels of a `@launch` function run in order, on one stream"},
    {"await", "kernels of a `@launch` function run in order, on one stream"},
    {"del", "a name ends with its function"},
    {"except", "there are no exceptions; test for the condition with `if`"},
    {"finally", "there are no exceptions; the code after a block always runs"},
    {"global", "pass the value as a parameter and return the new one"},
    {"nonlocal", "pass the value as a parameter and return the new one"},
    {"raise", "write `static_error(message)` to refuse at compile time"},
    {"try", "there are no exceptions; test for the condition with `if`"},
    {"yield", "return a tuple or a list instead"},
    {":=", "assign in a statement of its own"},
    {"...", "write `pass` for an empty block"},
};

struct CharacterAdvice {
  llvm::StringLiteral text, advice;
};
const CharacterAdvice characterAdvice[] = {
    {"!", "write `not` for the opposite of a condition"},
    {"?", "write `a if condition else b` to choose"},
    {"$", "names are made of letters, digits and `_`"},
    {"`", "quote strings with `\"` or `'`"},
};

const char *closerOf(size_t opener) {
  return opener == FlyLexer::LPAREN ? ")" : opener == FlyLexer::LBRACKET ? "]" : "}";
}
size_t closerTypeOf(size_t opener) {
  return opener == FlyLexer::LPAREN     ? FlyLexer::RPAREN
         : opener == FlyLexer::LBRACKET ? FlyLexer::RBRACKET
                                        : FlyLexer::RBRACE;
}
size_t openerOf(size_t closer) {
  return closer == FlyLexer::RPAREN     ? FlyLexer::LPAREN
         : closer == FlyLexer::RBRACKET ? FlyLexer::LBRACKET
                                        : FlyLexer::LBRACE;
}

} // namespace

LayoutTokens::LayoutTokens(ParseSession &session, size_t begin, size_t end, LayoutMode mode)
    : session(session), stream(session.text, begin, end), mode(mode), line(session.newLine()), lastEnd(begin) {
  run();
}

std::unique_ptr<Token> LayoutTokens::nextToken() {
  if (next < tokens.size())
    return std::move(tokens[next++]);
  auto end = std::make_unique<CommonToken>(std::pair<TokenSource *, antlr4::CharStream *>(this, &stream), Token::EOF,
                                           Token::DEFAULT_CHANNEL, lastEnd, lastEnd - 1);
  end->setLine(line);
  return end;
}

void LayoutTokens::emit(size_t type, size_t begin, size_t end) {
  auto token = std::make_unique<CommonToken>(std::pair<TokenSource *, antlr4::CharStream *>(this, &stream), type,
                                             Token::DEFAULT_CHANNEL, begin, end - 1);
  token->setLine(line);
  tokens.push_back(std::move(token));
}

void LayoutTokens::run() {
  FlyLexer lexer(&stream);
  lexer.removeErrorListeners();
  while (!session.giveUp) {
    if (mode == LayoutMode::Lines && atLineStart && takePlainCall())
      continue;
    std::unique_ptr<Token> token = lexer.nextToken();
    if (token->getType() == Token::EOF)
      break;
    take(*token);
  }
  if (mode == LayoutMode::Inside) {
    if (!brackets.empty() && !session.giveUp)
      unclosed(brackets.back());
    return;
  }
  if (!brackets.empty() && !session.giveUp) {
    session.endsInBracket = true;
    unclosed(brackets.back());
  }
  if (!atLineStart)
    endLine();
  for (; indents.size() > 1; indents.pop_back())
    emit(FlyLexer::DEDENT, lastEnd, lastEnd);
}

/// At the start of a line: a statement that needs no grammar is one token. Where the line may be a mistake, its first
/// word should be what the message is about: after a decorator, and where a block is missing or not expected.
bool LayoutTokens::takePlainCall() {
  const size_t from = stream.index();
  size_t begin = from;
  while (stream.LA(1) == ' ')
    stream.seek(++begin);
  stream.seek(from);
  const auto end = endOfPlainCall(session.text.take_front(stream.size()), begin);
  if (!end || isDecorated || !brackets.empty())
    return false;
  const unsigned here = column(begin);
  const bool opensBlock = tokens.size() >= 2 && tokens[tokens.size() - 2]->getType() == FlyLexer::COLON;
  if (opensBlock ? here <= indents.back().column
                 : llvm::none_of(indents, [&](const Indent &indent) { return indent.column == here; }))
    return false;
  CommonToken token(std::pair<TokenSource *, antlr4::CharStream *>(this, &stream), FlyLexer::PLAIN_CALL,
                    Token::DEFAULT_CHANNEL, begin, *end - 1);
  take(token);
  stream.seek(*end);
  return true;
}

void LayoutTokens::take(Token &token) {
  if (token.getChannel() != Token::DEFAULT_CHANNEL)
    return; // a comment, or a backslash that joins lines
  const size_t type = token.getType(), begin = token.getStartIndex(), end = token.getStopIndex() + 1;
  if (type == FlyLexer::NEWLINE) {
    if (mode == LayoutMode::Lines && brackets.empty() && !atLineStart)
      endLine();
    return;
  }
  if (mode == LayoutMode::Lines) {
    if (!brackets.empty() && startsStatementInBracket(token)) {
      unclosed(brackets.back());
      brackets.clear();
      endLine();
    }
    if (atLineStart) {
      isDecorated = type == FlyLexer::AT;
      startLine(token);
    }
    if (session.giveUp)
      return;
  }
  switch (type) {
  case FlyLexer::LPAREN:
  case FlyLexer::LBRACKET:
  case FlyLexer::LBRACE:
    if (brackets.size() == maxBrackets) {
      session.report(diag::nested_too_deeply, session.range(begin, end), line)
          .arg(llvm::Twine(maxBrackets))
          .arg("open brackets")
          .arg("give a part of the expression a name");
      session.giveUp = true;
      return;
    }
    brackets.push_back({type, begin});
    break;
  case FlyLexer::RPAREN:
  case FlyLexer::RBRACKET:
  case FlyLexer::RBRACE: closeBracket(token); return;
  case FlyLexer::RESERVED:
    if (!brackets.empty() && session.text.slice(begin, end) == "global") { // the address space, in Pointer[T, global]
      emit(FlyLexer::NAME, begin, end);
      lastEnd = end;
      return;
    }
    if (end - begin == 3 && session.text[begin] == '.' && followsFrom()) { // `from ...a import b`
      for (size_t dot = begin; dot < end; ++dot)
        emit(FlyLexer::DOT, dot, dot + 1);
      lastEnd = end;
      return;
    }
    reserved(token);
    break;
  case FlyLexer::BAD_NUMBER:
  case FlyLexer::BAD_NAME:
  case FlyLexer::UNTERMINATED_STRING:
  case FlyLexer::UNTERMINATED_LONG_STRING:
  case FlyLexer::BACKSLASH:
  case FlyLexer::UNKNOWN: wrong(token); return;
  default: break;
  }
  emit(type, begin, end);
  lastEnd = end;
}

/// Whether there are only dots between here and a `from`.
bool LayoutTokens::followsFrom() const {
  for (auto &token : llvm::reverse(tokens))
    if (token->getType() != FlyLexer::DOT)
      return token->getType() == FlyLexer::FROM;
  return false;
}

// ---- lines and blocks

void LayoutTokens::endLine() {
  emit(FlyLexer::NEWLINE, lastEnd, lastEnd); // at the end of the last word, where a caret is useful
  line = session.newLine();
  atLineStart = true;
}

/// Columns of the indentation before `offset`; a tab (reported once) goes to the next multiple of eight.
unsigned LayoutTokens::column(size_t offset) {
  size_t start = offset;
  while (start > 0 && session.text[start - 1] != '\n' && session.text[start - 1] != '\r')
    --start;
  if (start == 0 && session.text.starts_with("\xEF\xBB\xBF"))
    start = 3;
  unsigned result = 0;
  for (size_t i = start; i < offset; ++i) {
    if (session.text[i] == '\t') {
      if (!tabReported) {
        unsigned number = 1 + static_cast<unsigned>(session.text.take_front(start).count('\n'));
        const size_t end = std::min(session.text.find_first_not_of('\t', i), session.text.size());
        session.report(session.range(i, i + 1), diag::tab_indentation{.line = number}, line)
            .help("indent with four spaces", Fix::possible(session.range(i, end), std::string(4 * (end - i), ' ')));
      }
      tabReported = true;
      result = (result / 8 + 1) * 8;
    } else if (session.text[i] == ' ') {
      ++result;
    }
  }
  return result;
}

void LayoutTokens::startLine(const Token &token) {
  atLineStart = false;
  const size_t begin = token.getStartIndex();
  const unsigned here = lineColumn = column(begin);
  auto matches = [&](const Indent &indent) { return here == indent.column || here == indent.alias; };
  if (matches(indents.back()))
    return;
  if (here > indents.back().column) {
    if (indents.size() > maxBlocks) {
      session.report(diag::nested_too_deeply, session.range(begin, token.getStopIndex() + 1), line)
          .arg(llvm::Twine(maxBlocks))
          .arg("blocks")
          .arg("move a part into a function");
      session.giveUp = true;
      return;
    }
    indents.push_back({here, here});
    emit(FlyLexer::INDENT, begin, begin);
    return;
  }
  // Leave blocks until one has this column; if none has, stay in the last one that was further in.
  while (indents.size() > 1 && !matches(indents.back()) && here < indents.back().column) {
    if (!matches(indents[indents.size() - 2]) && here > indents[indents.size() - 2].column) {
      std::string open;
      for (size_t i = 0; i < indents.size(); ++i)
        open += (i == 0 ? "" : i + 1 == indents.size() ? " and " : ", ") + std::to_string(indents[i].column);
      session.report(session.range(begin, token.getStopIndex() + 1), diag::bad_dedent{.column = here, .open = open});
      indents.back().alias = here;
      return;
    }
    indents.pop_back();
    emit(FlyLexer::DEDENT, lastEnd, lastEnd); // a block ends with its last word
  }
}

// ---- brackets

/// A line inside brackets that can only be the start of a statement.
bool LayoutTokens::startsStatementInBracket(const Token &token) {
  llvm::StringRef before = session.text.take_front(token.getStartIndex()).rtrim(" \t\f");
  if (!before.empty() && before.back() != '\n' && before.back() != '\r')
    return false;
  switch (token.getType()) {
  case FlyLexer::ASSERT:
  case FlyLexer::DEF:
  case FlyLexer::CLASS:
  case FlyLexer::RETURN:
  case FlyLexer::WHILE:
  case FlyLexer::WITH:
  case FlyLexer::IMPORT:
  case FlyLexer::BREAK:
  case FlyLexer::CONTINUE:
  case FlyLexer::PASS:
  case FlyLexer::FROM: return true;
  case FlyLexer::AT: return column(token.getStartIndex()) == 0; // a decorator; further in, it is the operator
  case FlyLexer::NAME:
  case FlyLexer::IF:
  case FlyLexer::FOR: return session.closesBracketsEarly && column(token.getStartIndex()) <= lineColumn;
  default: return false;
  }
}

/// Where the open brackets were meant to end, as far as that is clear: at the end of the line of the last one, before the
/// colon of a block; if that line is continued, before the statement that ended the brackets.
std::optional<size_t> LayoutTokens::endOfBrackets() const {
  const size_t newline = std::min(session.text.find('\n', brackets.back().begin), session.text.size());
  const Token *last = nullptr, *before = nullptr;
  for (auto &token : llvm::reverse(tokens)) {
    if (token->getStartIndex() >= newline || token->getStopIndex() + 1 == token->getStartIndex())
      continue;
    if (last || token->getStartIndex() <= brackets.back().begin) {
      before = token.get();
      break;
    }
    last = token.get();
  }
  const bool isContinued = !last || last->getType() == FlyLexer::COMMA;
  if (isContinued)
    return session.closesBracketsEarly && lastEnd > newline ? std::optional(lastEnd) : std::nullopt;
  const bool isBlock = last->getType() == FlyLexer::COLON && brackets.front().type == FlyLexer::LPAREN && before;
  return isBlock ? last->getStartIndex() : last->getStopIndex() + 1;
}

void LayoutTokens::unclosed(const Bracket &bracket) {
  auto report = session.report(session.range(bracket.begin, bracket.begin + 1),
                               diag::unclosed_bracket{.bracket = session.text.substr(bracket.begin, 1).str()}, line);
  std::string closers;
  for (auto &each : llvm::reverse(brackets))
    closers += closerOf(each.type);
  if (auto end = endOfBrackets())
    report.help("close it with `" + closers + "`", Fix::possible(session.range(*end, *end), closers));
}

void LayoutTokens::closeBracket(const Token &token) {
  const size_t type = token.getType(), begin = token.getStartIndex();
  const llvm::StringRef text = session.text.substr(begin, 1);
  lastEnd = begin + 1;
  if (brackets.empty()) {
    if (!session.isSpoilt(line)) // `f(a[i)]` is one mistake
      session.report(session.range(begin, begin + 1), diag::unmatched_bracket{.bracket = text.str()}, line);
    return;
  }
  if (brackets.back().type != openerOf(type)) {
    const Bracket &open = brackets.back();
    session
        .report(session.range(begin, begin + 1),
                diag::mismatched_bracket{.found = text.str(),
                                         .open = session.text.substr(open.begin, 1).str(),
                                         .wanted = closerOf(open.type)},
                line)
        .label(session.range(open.begin, open.begin + 1), "opened here");
    // Close what is between; if nothing out there fits, the author meant the innermost.
    size_t match = brackets.size();
    while (match > 0 && brackets[match - 1].type != openerOf(type))
      --match;
    for (; match > 0 && brackets.size() > match; brackets.pop_back())
      emit(closerTypeOf(brackets.back().type), begin, begin);
    if (match == 0) {
      emit(closerTypeOf(brackets.back().type), begin, begin + 1);
      brackets.pop_back();
      return;
    }
  }
  brackets.pop_back();
  emit(type, begin, begin + 1);
}

// ---- wrong words

void LayoutTokens::reserved(const Token &token) {
  const SourceRange range = session.range(token.getStartIndex(), token.getStopIndex() + 1);
  const llvm::StringRef word = session.text.slice(range.begin, range.end);
  if (tryReported && (word == "except" || word == "finally")) { // parts of the same mistake
    session.spoil(line);
    return;
  }
  tryReported |= word == "try";
  for (const Reserved &row : reservedWords)
    if (row.word == word)
      session.report(diag::not_in_language, range, line).arg("`" + word + "`").arg(row.advice);
}

void LayoutTokens::wrong(Token &token) {
  const size_t begin = token.getStartIndex(), end = token.getStopIndex() + 1;
  const llvm::StringRef text = session.text.slice(begin, end);
  const bool quiet = session.isSpoilt(line);
  switch (token.getType()) {
  case FlyLexer::BAD_NUMBER: {
    const char *advice =
        text.size() > 1 && text[0] == '0' && llvm::all_of(text, [](char c) { return llvm::isDigit(c) || c == '_'; })
            ? "an octal number starts with `0o`"
        : text.ends_with("_") || text.contains("__") ? "`_` must be between two digits"
        : text.ends_with_insensitive("e") && !text.starts_with_insensitive("0x")
            ? "an exponent has digits, as in `1e-3`"
        : text.ends_with("j") || text.ends_with("J") ? "there are no complex numbers"
        : !text.starts_with_insensitive("0x") &&
                text.drop_while([](char c) { return llvm::isDigit(c) || c == '.' || c == '_'; })
                    .trim("fFuUlLhH")
                    .empty()
            ? "numbers have no suffix; a literal takes the type of the other operand, or write `f32(1.0)`"
        : text.starts_with_insensitive("0x") ? "a hexadecimal number is `0x` and 0-9, a-f"
        : text.starts_with_insensitive("0b") ? "a binary number is `0b` and 0, 1"
        : text.starts_with_insensitive("0o") ? "an octal number is `0o` and 0-7"
                                             : "put a space or an operator between number and name";
    session.report(diag::bad_number, session.range(begin, end), line).arg(text.take_front(40)).arg(advice);
    emit(FlyLexer::NAME, begin, end); // which the parser accepts wherever a number is allowed; `2x = 1` is one mistake
    break;
  }
  case FlyLexer::BAD_NAME:
    if (!quiet) {
      const bool isQuote = text.starts_with("\xE2\x80") && text.size() > 2 &&
                           static_cast<unsigned char>(text[2]) >= 0x98 && static_cast<unsigned char>(text[2]) <= 0x9F;
      session.report(diag::bad_character, session.range(begin, isQuote ? begin + 3 : end), line)
          .arg("`" + (isQuote ? text.take_front(3) : text) + "`")
          .arg(isQuote ? "quote strings with `\"` or `'`" : "names and operators are ASCII");
    }
    emit(FlyLexer::NAME, begin, end);
    break;
  case FlyLexer::UNTERMINATED_STRING:
  case FlyLexer::UNTERMINATED_LONG_STRING: {
    const bool isLong = token.getType() == FlyLexer::UNTERMINATED_LONG_STRING;
    const size_t prefix = text.find_first_of("'\"");
    session.report(session.range(begin, isLong ? begin + prefix + 3 : end),
                   diag::unterminated_string{.quote = text.substr(prefix, isLong ? 3 : 1).str(),
                                             .end = isLong                       ? "the end of the file"
                                                    : mode == LayoutMode::Inside ? "the end of the expression"
                                                                                 : "the end of the line"},
                   line);
    emit(FlyLexer::STRING, begin, end);
    // It took the closing brackets of its line with it.
    const size_t lineBegin = session.text.take_front(begin).find_last_of("\r\n") + 1;
    while (!isLong && !brackets.empty() && brackets.back().begin >= lineBegin) {
      emit(closerTypeOf(brackets.back().type), end, end);
      brackets.pop_back();
    }
    break;
  }
  case FlyLexer::BACKSLASH:
    if (!quiet)
      session.report(session.range(begin, end),
                     diag::bad_continuation{.problem = end < session.text.size() ? "remove what follows it"
                                                                                 : "there is no line after it"},
                     line);
    break;
  default: {
    const char c = text[0];
    const char *advice = "it is not part of any name or operator";
    for (const CharacterAdvice &row : characterAdvice)
      if (row.text == text)
        advice = row.advice.data();
    if (!quiet) {
      auto report = session.report(diag::bad_character, session.range(begin, end), line);
      if (c == '!')
        report.help("replace `!` with `not`", Fix::safe(session.range(begin, end), "not "));
      report
          .arg(c == 0 ? std::string("a NUL byte")
               : c < 0x20 || c == 0x7F
                   ? "the control character 0x" + llvm::utohexstr(static_cast<unsigned char>(c), false, 2)
                   : "`" + text.str() + "`")
          .arg(advice);
    }
    break;
  }
  }
  lastEnd = end;
}

} // namespace fly
