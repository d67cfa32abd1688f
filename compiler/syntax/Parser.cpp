// Text to syntax tree: checks the bytes, then reads one statement at a time with ANTLR and immediately turns it into
// nodes, so that ANTLR's own tree, ten times as large as ours, never exists for more than one statement.
//
// ANTLR runs in SLL mode. The grammar has one real conflict (an `if` after the body of a `lambda` in a conditional
// expression) and there SLL's choice, the innermost, is Python's; so the second, slower LL mode is never needed.
// Generated code recurses where brackets, prefix operators or `**` nest: BoundedParser counts that and stops it.
#include "compiler/syntax/Parser.h"

#include "compiler/syntax/ASTBuilder.h"
#include "compiler/syntax/LayoutTokens.h"
#include "compiler/syntax/SyntaxErrors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <algorithm>

namespace fly {

namespace {

class BoundedParser final : public FlyParser {
public:
  using FlyParser::FlyParser;
  void enterRecursionRule(antlr4::ParserRuleContext *context, size_t state, size_t rule, int precedence) override {
    if (depth >= maxOperationNesting)
      throw NestedTooDeeply(this);
    ++depth;
    FlyParser::enterRecursionRule(context, state, rule, precedence);
  }
  void unrollRecursionContexts(antlr4::ParserRuleContext *parent) override {
    --depth;
    FlyParser::unrollRecursionContexts(parent);
  }

private:
  unsigned depth = 0;
};

/// The stages of one piece of text, connected.
struct Pipeline {
  Pipeline(ParseSession &session, size_t begin, size_t end, LayoutMode mode)
      : layout(session, begin, end, mode), stream(&layout), parser(&stream),
        errors(std::make_shared<SyntaxErrors>(session)) {
    parser.removeErrorListeners();
    parser.setErrorHandler(errors);
    parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  }
  LayoutTokens layout;
  antlr4::CommonTokenStream stream;
  BoundedParser parser;
  std::shared_ptr<SyntaxErrors> errors;
};

bool checkBytes(ParseSession &session) {
  if (session.text.size() > maxFileBytes) {
    session.report(session.range(0, 0),
                   diag::file_too_large{.bytes = int64_t(session.text.size()), .limit = int64_t(maxFileBytes)});
    return false;
  }
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(session.text.bytes_begin()), *at = begin;
  if (llvm::isLegalUTF8String(&at, begin + session.text.size()))
    return true;
  const size_t offset = at - begin;
  session.report(diag::bad_encoding, session.range(offset, offset + 1)).arg("byte 0x" + llvm::utohexstr(*at, false, 2));
  return false;
}

size_t afterByteOrderMark(llvm::StringRef text) { return text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

void parseStatements(ParseSession &session, ast::Module &module) {
  Pipeline pipeline(session, afterByteOrderMark(session.text), session.text.size(), LayoutMode::Lines);
  ASTBuilder builder(session, module);
  try {
    while (pipeline.errors->findStatement(pipeline.parser)) {
      builder.addStatement(pipeline.parser.statement(), module.body);
      pipeline.parser.getTreeTracker().reset();
      if (session.giveUp)
        return;
      if (session.diags.errorCount() > maxErrors)
        return; // the rest is not needed until these are fixed
    }
  } catch (const antlr4::RecognitionException &) {
    // Thrown on only when giving up; it is reported.
  }
  builder.takeDocstring(module.body, module.docstring);
}

/// Runs `parse` with separate diagnostics and hands them over in source order, because the lexer reads all words before
/// the parser starts.
template <typename Parse>
std::unique_ptr<ast::Module> parseInOrder(FileId file, DiagnosticEngine &diags, Parse parse) {
  std::unique_ptr<ast::Module> module;
  std::vector<Diagnostic> found;
  for (bool again = false;; again = true) {
    DiagnosticEngine own(diags.sources);
    own.errorLimit = maxErrors; // `diags` has its own, which counts in the order of the text
    ParseSession session(file, diags.sources, own);
    session.closesBracketsEarly = again;
    module = std::make_unique<ast::Module>();
    module->file = file;
    if (checkBytes(session))
      parse(session, *module);
    module->hasErrors = own.hasErrors();
    found = own.all();
    if (again || !session.endsInBracket)
      break;
  }
  std::sort(found.begin(), found.end(), [](const Diagnostic &a, const Diagnostic &b) {
    return std::tie(a.range.begin, a.range.end, a.kind) < std::tie(b.range.begin, b.range.end, b.kind);
  });
  for (Diagnostic &diagnostic : found)
    diags.commit(std::move(diagnostic));
  return module;
}

std::unique_ptr<ast::Module> unlessBad(std::unique_ptr<ast::Module> module) {
  return module->hasErrors ? nullptr : std::move(module);
}

} // namespace

ast::Expr *parseExpressionRange(ParseSession &session, ast::Module &module, size_t begin, size_t end) {
  Pipeline pipeline(session, begin, end, LayoutMode::Inside);
  if (session.giveUp)
    return nullptr;
  const unsigned failedBefore = session.failedStatements;
  try {
    auto *input = pipeline.parser.expressionInput();
    return session.failedStatements == failedBefore ? ASTBuilder(session, module).items(input->items()) : nullptr;
  } catch (const antlr4::RecognitionException &) {
    return nullptr; // reported
  }
}

std::unique_ptr<ast::Module> parseModule(FileId file, DiagnosticEngine &diags) {
  return unlessBad(parseInOrder(file, diags, parseStatements));
}

std::unique_ptr<ast::Module> parseWhatIsGood(FileId file, DiagnosticEngine &diags) {
  return parseInOrder(file, diags, parseStatements);
}

std::unique_ptr<ast::Module> parseExpression(FileId file, DiagnosticEngine &diags) {
  auto parse = [](ParseSession &session, ast::Module &module) {
    if (ast::Expr *value =
            parseExpressionRange(session, module, afterByteOrderMark(session.text), session.text.size())) {
      auto *statement = module.make<ast::ExprStmt>();
      statement->value = value;
      statement->range = value->range;
      module.body.push_back(statement);
    }
  };
  return unlessBad(parseInOrder(file, diags, parse));
}

} // namespace fly
