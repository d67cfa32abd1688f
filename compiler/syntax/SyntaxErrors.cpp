// Messages for unexpected tokens. The parser knows the current rule and the expected token; a table turns the pair into
// words:
//
//     (ifStatement, COLON)  ->  expected `:` after the condition of `if`, found the end of the line
//
// and a second table adds the likely cause, guessed from the actual token (`=` for `==`).
#include "compiler/syntax/SyntaxErrors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fly {

using antlr4::RecognitionException;
using antlr4::Token;

namespace {

struct Expectation {
  size_t rule, token; ///< token 0: any
  llvm::StringLiteral phrase;
};
constexpr size_t any = 0;

const Expectation expectations[] = {
    {FlyParser::RuleIfStatement, FlyParser::COLON, "`:` after the condition of `if`"},
    {FlyParser::RuleElifClause, FlyParser::COLON, "`:` after the condition of `elif`"},
    {FlyParser::RuleElseClause, FlyParser::COLON, "`:` after `else`"},
    {FlyParser::RuleWhileStatement, FlyParser::COLON, "`:` after the condition of `while`"},
    {FlyParser::RuleForStatement, FlyParser::COLON, "`:` after the values of `for`"},
    {FlyParser::RuleForStatement, FlyParser::IN, "`in` after the target of `for`"},
    {FlyParser::RuleWithStatement, FlyParser::COLON, "`:` after the scope of `with`"},
    {FlyParser::RuleFunctionDefinition, FlyParser::NAME, "a name after `def`"},
    {FlyParser::RuleFunctionDefinition, FlyParser::LPAREN, "`(` after the name of the function"},
    {FlyParser::RuleFunctionDefinition, FlyParser::RPAREN, "`,` or `)` after the parameter"},
    {FlyParser::RuleFunctionDefinition, FlyParser::COLON, "`:` after the parameters"},
    {FlyParser::RuleClassDefinition, FlyParser::NAME, "a name after `class`"},
    {FlyParser::RuleClassDefinition, FlyParser::COLON, "`:` after the name of the class"},
    {FlyParser::RuleParameter, any, "the name of a parameter"},
    {FlyParser::RuleLambdaParameter, any, "the name of a parameter"},
    {FlyParser::RuleDecorator, FlyParser::NEWLINE, "the end of the line after the decorator"},
    {FlyParser::RuleSimpleStatements, any, "an operator or the end of the line"},
    {FlyParser::RuleAssignment, any, "an operator or the end of the line"},
    {FlyParser::RuleAssertStatement, any, "an operator, a comma and a message, or the end of the line"},
    {FlyParser::RuleReturnStatement, any, "an operator or the end of the line"},
    {FlyParser::RuleGroupItems, any, "an operator, `,` or the closing bracket"},
    {FlyParser::RuleSimpleStatement, any, "a statement"},
    {FlyParser::RuleImportFromStatement, FlyParser::IMPORT, "`import` after the name of the module"},
    {FlyParser::RuleImportFromStatement, FlyParser::RPAREN, "`,` or `)` after the imported name"},
    {FlyParser::RuleImportFromStatement, any, "the names to import"},
    {FlyParser::RuleImportedName, FlyParser::NAME, "a name"},
    {FlyParser::RuleImportedModule, FlyParser::NAME, "a name after `as`"},
    {FlyParser::RuleImportedNames, FlyParser::NAME, "a name"},
    {FlyParser::RuleDottedName, FlyParser::NAME, "the name of a module"},
    {FlyParser::RuleTarget, FlyParser::RPAREN, "`,` or `)` after the name"},
    {FlyParser::RuleTarget, FlyParser::RBRACKET, "`,` or `]` after the name"},
    {FlyParser::RuleTarget, any, "a name, or names in parentheses"},
    {FlyParser::RuleExpression, FlyParser::ELSE, "`else` and the other value of the conditional expression"},
    {FlyParser::RuleOperation, FlyParser::NAME, "a name after `.`"},
    {FlyParser::RuleOperation, FlyParser::RPAREN, "`,` or `)` after the argument"},
    {FlyParser::RuleOperation, FlyParser::RBRACKET, "`,` or `]` after the index"},
    {FlyParser::RuleOperation, FlyParser::COLON, "`:` after the parameters of `lambda`"},
    {FlyParser::RuleAtom, FlyParser::RPAREN, "an operator, `,` or `)`"},
    {FlyParser::RuleAtom, FlyParser::RBRACKET, "an operator, `,` or `]`"},
    {FlyParser::RuleAtom, FlyParser::RBRACE, "`,` or `}` after the value"},
    {FlyParser::RuleEntry, FlyParser::COLON, "`:` between key and value"},
    {FlyParser::RuleEntries, any, "`,` or `}` after the value"},
    {FlyParser::RuleComprehensionFor, FlyParser::IN, "`in` after the target of `for`"},
    {FlyParser::RuleExpressionInput, any, "an operator or the end of the expression"},
};

struct Cause {
  size_t rule, wanted, found;
  llvm::StringLiteral help;
};
const Cause causes[] = {
    {FlyParser::RuleIfStatement, FlyParser::COLON, FlyParser::ASSIGN, "`==` compares, `=` assigns"},
    {FlyParser::RuleElifClause, FlyParser::COLON, FlyParser::ASSIGN, "`==` compares, `=` assigns"},
    {FlyParser::RuleWhileStatement, FlyParser::COLON, FlyParser::ASSIGN, "`==` compares, `=` assigns"},
    {FlyParser::RuleIfStatement, FlyParser::COLON, FlyParser::LBRACE,
     "write a block as `:` followed by indented lines"},
    {FlyParser::RuleElifClause, FlyParser::COLON, FlyParser::LBRACE, "write a block as `:` followed by indented lines"},
    {FlyParser::RuleElseClause, FlyParser::COLON, FlyParser::LBRACE, "write a block as `:` followed by indented lines"},
    {FlyParser::RuleWhileStatement, FlyParser::COLON, FlyParser::LBRACE,
     "write a block as `:` followed by indented lines"},
    {FlyParser::RuleForStatement, FlyParser::COLON, FlyParser::LBRACE,
     "write a block as `:` followed by indented lines"},
    {FlyParser::RuleFunctionDefinition, FlyParser::COLON, FlyParser::LBRACE,
     "write a block as `:` followed by indented lines"},
    {FlyParser::RuleForStatement, FlyParser::IN, FlyParser::ASSIGN, "write `for i in range(n):`"},
    {FlyParser::RuleAssignment, any, FlyParser::IF, "a conditional expression is `a if condition else b`"},
    {FlyParser::RuleSimpleStatements, any, FlyParser::IF, "a conditional expression is `a if condition else b`"},
    {FlyParser::RuleAssignment, any, FlyParser::COLON,
     "a block starts with `if`, `for`, `while`, `with`, `def` or `class`"},
    {FlyParser::RuleEntry, FlyParser::COLON, FlyParser::COMMA, "there are no sets; write a tuple or a list"},
    {FlyParser::RuleEntry, FlyParser::COLON, FlyParser::RBRACE, "there are no sets; write a tuple or a list"},
};

/// Two operators that are one in languages like C: what the author meant.
struct Doubled {
  size_t token;
  llvm::StringLiteral help, replacement;
};
const Doubled doubled[] = {
    {FlyParser::AMPERSAND, "write `and`", "and"},
    {FlyParser::BAR, "write `or`", "or"},
    {FlyParser::PLUS, "to add 1, write `+= 1`", " += 1"},
};

/// Words of other languages that a line starts with, which the next one shows not to be names.
struct Opening {
  llvm::StringLiteral word, help;
};
const Opening openings[] = {
    {"elseif", "write `elif`"},
    {"elsif", "write `elif`"},
    {"else_if", "write `elif`"},
    {"print", "write `printf(\"...\\n\")` in a kernel, `static_print(...)` at compile time"},
    {"int", "variables are not declared: write `i = 0` or `i: i32 = 0`"},
    {"float", "a variable has no declaration: `x = 0.0`, or `x: f32 = 0`"},
    {"double", "a variable has no declaration: `x = 0.0`, or `x: f64 = 0`"},
    {"auto", "a variable has no declaration: `x = 0.0`"},
    {"bool", "a variable has no declaration: `b = True`"},
    {"const", "a variable has no declaration: `x = 0.0`"},
    {"var", "a variable has no declaration: `x = 0.0`"},
    {"let", "a variable has no declaration: `x = 0.0`"},
    {"unsigned", "a variable has no declaration: `i = 0`, or `i: u32 = 0`"},
    {"__shared__", "to make shared memory, write `s = shared(f32, 64)`"},
    {"__global__", "to define a kernel, write `def` under `@kernel(block=64, grid=1)`"},
    {"__device__", "to define a function, write `def f(x):`"},
    {"void", "to define a function, write `def f(x):`"},
    {"function", "to define a function, write `def f(x):`"},
    {"struct", "to define a struct, write `class Name:` under `@struct`"},
};

bool startsStatement(size_t type) {
  switch (type) {
  case FlyParser::PLAIN_CALL:
  case FlyParser::NAME:
  case FlyParser::INTEGER:
  case FlyParser::FLOAT:
  case FlyParser::STRING:
  case FlyParser::TRUE:
  case FlyParser::FALSE:
  case FlyParser::NONE:
  case FlyParser::LPAREN:
  case FlyParser::LBRACKET:
  case FlyParser::LBRACE:
  case FlyParser::PLUS:
  case FlyParser::MINUS:
  case FlyParser::TILDE:
  case FlyParser::NOT:
  case FlyParser::LAMBDA:
  case FlyParser::STAR:
  case FlyParser::RETURN:
  case FlyParser::ASSERT:
  case FlyParser::BREAK:
  case FlyParser::CONTINUE:
  case FlyParser::PASS:
  case FlyParser::IMPORT:
  case FlyParser::FROM:
  case FlyParser::IF:
  case FlyParser::WHILE:
  case FlyParser::FOR:
  case FlyParser::WITH:
  case FlyParser::AT:
  case FlyParser::DEF:
  case FlyParser::CLASS: return true;
  default: return false;
  }
}

bool isLayout(size_t type) {
  return type == FlyParser::INDENT || type == FlyParser::DEDENT || type == FlyParser::NEWLINE;
}
bool isOpener(size_t type) {
  return type == FlyParser::LPAREN || type == FlyParser::LBRACKET || type == FlyParser::LBRACE;
}
bool isCloser(size_t type) {
  return type == FlyParser::RPAREN || type == FlyParser::RBRACKET || type == FlyParser::RBRACE;
}

} // namespace

SourceRange SyntaxErrors::rangeOf(Token *token) const {
  return session.range(token->getStartIndex(), token->getStopIndex() + 1);
}

std::string SyntaxErrors::describe(Token *token) const {
  switch (token->getType()) {
  case Token::EOF: return session.fstringNesting ? "the end of the expression" : "the end of the file";
  case FlyParser::NEWLINE: return "the end of the line";
  case FlyParser::INDENT: return "an indented line";
  case FlyParser::DEDENT: return "the end of the block";
  case FlyParser::STRING: return "a string";
  default: return "`" + session.text.slice(rangeOf(token).begin, rangeOf(token).end).take_front(40).str() + "`";
  }
}

Token *SyntaxErrors::recoverInline(antlr4::Parser *parser) { throw antlr4::InputMismatchException(parser); }

// ---- recovery

void SyntaxErrors::recover(antlr4::Parser *parser, std::exception_ptr exception) {
  if (parser->getContext()->getRuleIndex() != FlyParser::RuleStatement)
    std::rethrow_exception(exception);
  recovering = false;
  if (session.giveUp)
    std::rethrow_exception(exception);
  FlyParser &fly = static_cast<FlyParser &>(*parser);
  antlr4::TokenStream *input = parser->getTokenStream();
  // A missing block is noticed on the next line, which is a separate statement.
  Token *previous = input->LT(-1);
  if (!previous || !isLayout(previous->getType()) || input->LT(1) == parser->getContext()->getStart())
    skipLine(fly);
  else if (input->LA(1) == FlyParser::INDENT)
    skipBlock(fly);
  while (input->LA(1) == FlyParser::ELIF || input->LA(1) == FlyParser::ELSE)
    skipLine(fly);
}

/// To the next line, reading the block that belongs to the skipped one.
void SyntaxErrors::skipLine(FlyParser &parser) {
  antlr4::TokenStream *input = parser.getTokenStream();
  while (input->LA(1) != Token::EOF && input->LA(1) != FlyParser::DEDENT) {
    const bool ends = input->LA(1) == FlyParser::NEWLINE;
    input->consume();
    if (ends)
      break;
  }
  if (input->LA(1) == FlyParser::INDENT)
    skipBlock(parser);
}

void SyntaxErrors::skipBlock(FlyParser &parser) {
  antlr4::TokenStream *input = parser.getTokenStream();
  input->consume();
  while (findStatement(parser))
    parser.statement();
  if (input->LA(1) == FlyParser::DEDENT)
    input->consume();
}

bool SyntaxErrors::findStatement(FlyParser &parser) {
  antlr4::TokenStream *input = parser.getTokenStream();
  while (true) {
    const size_t type = input->LA(1);
    if (type == Token::EOF || type == FlyParser::DEDENT)
      return false;
    if (startsStatement(type))
      return true;
    Token *token = input->LT(1);
    if (!session.isSpoilt(token->getLine())) {
      if (type == FlyParser::INDENT) {
        session.report(rangeOf(input->LT(2)), diag::unexpected_indent{}, token->getLine());
      } else {
        const bool isElse = type == FlyParser::ELSE || type == FlyParser::ELIF;
        auto report =
            session.report(rangeOf(token),
                           diag::unexpected_token{.found = describe(token),
                                                  .why = isElse ? "; there is no `if` before it at this indentation"
                                                                : "; no statement starts with it"},
                           token->getLine());
        if (type == FlyParser::FLOOR_SLASH || type == FlyParser::SLASH)
          report.help("a comment starts with `#`");
      }
    }
    if (type == FlyParser::INDENT)
      skipBlock(parser);
    else
      skipLine(parser);
    // The clauses of a `try` are part of the same mistake.
    while (type == FlyParser::RESERVED && (input->LA(1) == FlyParser::ELSE || input->LA(1) == FlyParser::ELIF))
      skipLine(parser);
  }
}

/// Called before each iteration of a loop in the grammar: in a block, ensures that the loop continues to the end of the
/// block.
void SyntaxErrors::sync(antlr4::Parser *parser) {
  if (parser->getContext()->getRuleIndex() != FlyParser::RuleBlock)
    return;
  Token *previous = parser->getTokenStream()->LT(-1);
  if (previous && isLayout(previous->getType()))
    findStatement(static_cast<FlyParser &>(*parser));
}

// ---- messages

void SyntaxErrors::reportError(antlr4::Parser *parser, const RecognitionException &error) {
  if (recovering)
    return;
  recovering = true;
  ++session.failedStatements;
  Token *found = error.getOffendingToken();
  if (session.isSpoilt(found->getLine()))
    return;
  if (dynamic_cast<const NestedTooDeeply *>(&error)) {
    session.report(diag::nested_too_deeply, rangeOf(found), found->getLine())
        .arg(llvm::Twine(maxOperationNesting))
        .arg("nested operations")
        .arg("give a part of the expression a name");
    return;
  }
  FlyParser &fly = static_cast<FlyParser &>(*parser);
  if (fly.getContext()->getRuleIndex() == FlyParser::RuleBlock)
    return reportMissingBlock(fly);
  reportExpected(fly, found, dynamic_cast<const antlr4::InputMismatchException *>(&error) != nullptr);
}

void SyntaxErrors::reportMissingBlock(FlyParser &parser) {
  antlr4::TokenStream *input = parser.getTokenStream();
  Token *found = input->LT(1);
  for (ssize_t i = 2; found->getType() == FlyParser::DEDENT; ++i)
    found = input->LT(i);
  auto *header = static_cast<antlr4::ParserRuleContext *>(parser.getContext()->parent);
  Token *keyword = header->getStart();
  session
      .report(rangeOf(found), diag::missing_block{.keyword = describe(keyword), .found = describe(found)},
              found->getLine())
      .label(rangeOf(keyword), "");
  session.spoil(keyword->getLine());
}

void SyntaxErrors::reportExpected(FlyParser &parser, Token *found, bool isMismatch) {
  antlr4::TokenStream *input = parser.getTokenStream();
  const size_t rule = parser.getContext()->getRuleIndex(), line = found->getLine();
  size_t wanted = any;
  if (isMismatch) {
    auto set = parser.getExpectedTokensWithinCurrentRule();
    if (set.size() == 1)
      wanted = static_cast<size_t>(set.getMinElement());
  }
  Token *previous = input->LT(-1);
  const size_t before = previous ? previous->getType() : any;

  if (rule == FlyParser::RuleStatement || rule == FlyParser::RuleDefinition) {
    if (rule == FlyParser::RuleDefinition && before == FlyParser::NEWLINE) {
      session.report(rangeOf(found), diag::bad_decorated{.found = describe(found)}, line);
      return;
    }
    session.report(rangeOf(found),
                   diag::unexpected_token{.found = describe(found), .why = "; no statement starts with it"}, line);
    return;
  }
  // `do:` is a C loop; the `while` at its end belongs to it.
  if (rule != FlyParser::RuleWhileStatement && before == FlyParser::COLON && found->getType() == FlyParser::NEWLINE &&
      input->LT(-2) && session.text.slice(rangeOf(input->LT(-2)).begin, rangeOf(input->LT(-2)).end) == "do") {
    session.report(diag::not_in_language, rangeOf(input->LT(-2)), line)
        .arg("`do`")
        .arg("write `while True:`, and at its end `if not condition: break`");
    doReported = true;
    return;
  }
  if (doReported && rule == FlyParser::RuleWhileStatement && found->getType() == FlyParser::NEWLINE) {
    doReported = false;
    return;
  }

  // `match` and `case` are names to the lexer, as in Python, and start a statement that then makes no sense.
  if (rule == FlyParser::RuleAssignment && before == FlyParser::NAME && previous == parser.getContext()->getStart()) {
    const std::string word = session.text.slice(rangeOf(previous).begin, rangeOf(previous).end).str();
    if (word == "match" || (word == "case" && matchReported)) {
      if (word == "match")
        session.report(diag::not_in_language, rangeOf(previous), line).arg("`match`").arg("write `if` and `elif`");
      matchReported = true;
      return;
    }
  }

  std::string phrase;
  for (const Expectation &row : expectations)
    if (phrase.empty() && row.rule == rule && (row.token == any || row.token == wanted))
      phrase = row.phrase.str();
  // `f(a, =`: after an opening bracket or a comma an element is missing, not the bracket's end.
  const bool elementMissing = isOpener(before) || before == FlyParser::COMMA;
  if (phrase.empty() || (elementMissing && (isCloser(wanted) || wanted == any))) {
    phrase = rule == FlyParser::RuleFunctionDefinition    ? "the name of a parameter"
             : rule == FlyParser::RuleImportFromStatement ? "the names to import"
             : rule == FlyParser::RuleTarget              ? "a name"
                                                          : "an expression";
    if (previous && !isLayout(before))
      phrase += " after " + describe(previous);
  }
  if (rule == FlyParser::RuleSimpleStatements &&
      (before == FlyParser::BREAK || before == FlyParser::CONTINUE || before == FlyParser::PASS))
    phrase = "the end of the line after " + describe(previous);
  auto report = session.report(rangeOf(found), diag::expected_token{.wanted = phrase, .found = describe(found)}, line);
  if (wanted == FlyParser::COLON && found->getType() == FlyParser::NEWLINE && rule != FlyParser::RuleEntry)
    report.help("end the line with `:`", Fix::safe(rangeOf(found), ":"));
  if (rule == FlyParser::RuleElseClause && found->getType() == FlyParser::IF) {
    report.help("write `elif`", Fix::safe(join(rangeOf(previous), rangeOf(found)), "elif"));
    return;
  }

  auto textOf = [&](Token *token) {
    return token ? session.text.slice(rangeOf(token).begin, rangeOf(token).end) : llvm::StringRef();
  };
  const llvm::StringRef lead = session.text.take_front(found->getStartIndex()).rsplit('\n').second.ltrim();
  for (const Opening &row : openings)
    if ((rule == FlyParser::RuleAssignment || rule == FlyParser::RuleSimpleStatements) &&
        textOf(previous) == row.word && lead.rtrim() == row.word)
      report.help(row.help);
  Token *second = input->LT(-2), *third = input->LT(-3);
  if (before == FlyParser::RPAREN && second && third && second->getType() == FlyParser::NAME &&
      third->getType() == FlyParser::LPAREN &&
      (found->getType() == FlyParser::NAME || found->getType() == FlyParser::INTEGER ||
       found->getType() == FlyParser::FLOAT))
    report.help("write a conversion as a call: `" + textOf(second) + "(" + textOf(found) + ")`");
  if (lead.contains("//") && found->getType() == FlyParser::NAME)
    report.help("a comment starts with `#`");
  if (found->getType() == FlyParser::ARROW && rule != FlyParser::RuleFunctionDefinition)
    report.help("access a field with `.name`", Fix::possible(rangeOf(found), "."));
  if (found->getType() == FlyParser::AMPERSAND && llvm::StringRef(phrase).starts_with("an expression") &&
      before != FlyParser::AMPERSAND)
    report.help("`x.ptr` is the address of a tensor, `x.pointer(i)` the address of an element");
  if (found->getType() == FlyParser::LESS && before == FlyParser::SHIFT_LEFT)
    report.help("launch a kernel by calling it in a `@check` or `@launch` function; the grid is given in "
                "`@kernel(block=64, grid=...)`");
  for (const Cause &row : causes)
    if (row.rule == rule && (row.wanted == any || row.wanted == wanted) && row.found == found->getType()) {
      if (row.help.starts_with("`==` compares"))
        report.help(row.help, Fix::safe(rangeOf(found), "=="));
      else
        report.help(row.help);
    }
  for (const Doubled &row : doubled) {
    const bool missing = llvm::StringRef(phrase).starts_with("an expression after");
    if (missing && before == row.token &&
        (found->getType() == row.token || (input->LT(-2) && input->LT(-2)->getType() == row.token))) {
      // `a && b`: the one that is found follows the other; `i++`: both are before the end of the line.
      Token *first = found->getType() == row.token ? previous : second;
      Token *last = found->getType() == row.token ? found : previous;
      const SourceRange both = join(rangeOf(first), rangeOf(last));
      auto isSpace = [&](size_t at) { return at < session.text.size() && session.text[at] == ' '; };
      const bool isWord = llvm::isAlpha(row.replacement.front());
      report.help(row.help, Fix::possible(both, (isWord && !isSpace(both.begin - 1) ? " " : "") +
                                                    row.replacement.str() + (isWord && !isSpace(both.end) ? " " : "")));
      break;
    }
  }
}

} // namespace fly
