// Converts ANTLR's parse tree to ours and checks the rules that the grammar leaves open: what can be assigned to, where
// slices and stars are allowed, the order of parameters and arguments.
//
// One file per family: ASTBuilderStatements, ASTBuilderDefinitions (def, class, import), ASTBuilderExpressions,
// ASTBuilderCalls (calls, subscripts, comprehensions), ASTBuilderLiterals (numbers, strings), ASTBuilderFStrings.
// Children of a parse tree node are taken by position, because ANTLR's accessors search and cast each time.
#pragma once

#include "compiler/syntax/AST.h"
#include "compiler/syntax/ParseSession.h"

#include "FlyParser.h"

namespace fly {

/// Parses text[begin, end) as an expression and builds it; null after an error. Used for f-strings.
ast::Expr *parseExpressionRange(ParseSession &session, ast::Module &module, size_t begin, size_t end);

class ASTBuilder {
public:
  ASTBuilder(ParseSession &session, ast::Module &module) : session(session), module(module) {}

  /// Appends the statements of a line (it may hold several), but none that the parser gave up or that is refused here;
  /// statements in its block are left out on their own.
  void addStatement(FlyParser::StatementContext *context, ast::Block &into);
  /// `a`, or a tuple of `a, b`.
  ast::Expr *items(FlyParser::ItemsContext *context);
  /// Moves a string that opens a body into `docstring`.
  void takeDocstring(ast::Block &body, std::string &docstring);

private:
  void buildStatement(FlyParser::StatementContext *context, ast::Block &into);
  using Node = antlr4::tree::ParseTree;
  using Context = antlr4::ParserRuleContext;

  // statements
  void simpleStatement(FlyParser::SimpleStatementContext *context, ast::Block &into);
  ast::Stmt *assignment(FlyParser::AssignmentContext *context);
  ast::Stmt *ifStatement(FlyParser::IfStatementContext *context);
  ast::Stmt *whileStatement(FlyParser::WhileStatementContext *context);
  ast::Stmt *forStatement(FlyParser::ForStatementContext *context);
  ast::Stmt *withStatement(FlyParser::WithStatementContext *context);
  void refuseElse(FlyParser::ElseClauseContext *context);
  ast::Block block(FlyParser::BlockContext *context);
  void checkTarget(const ast::Expr *target, bool inside = false);
  ast::Expr *targets(FlyParser::TargetsContext *context);
  ast::Expr *target(FlyParser::TargetContext *context);

  // definitions
  ast::Stmt *definition(FlyParser::DefinitionContext *context);
  ast::Stmt *importStatement(FlyParser::ImportStatementContext *context);
  ast::Stmt *importFromStatement(FlyParser::ImportFromStatementContext *context);
  std::vector<ast::Parameter> parameters(Context *context); ///< of a `def` or a `lambda`; may be null

  // expressions
  ast::Expr *item(FlyParser::ItemContext *context);
  ast::Expr *expression(FlyParser::ExpressionContext *context);
  ast::Expr *operation(FlyParser::OperationContext *context);
  ast::Expr *operand(FlyParser::OperationContext *context, Node *operatorNode, bool notAllowed);
  ast::Expr *firstOperation(FlyParser::OperationContext *context);
  ast::Expr *furtherOperation(FlyParser::OperationContext *context, ast::Expr *left,
                              FlyParser::OperationContext *leftContext);
  ast::Expr *starred(Node *star, FlyParser::OperationContext *context);
  ast::Expr *atom(FlyParser::AtomContext *context);
  ast::Expr *group(FlyParser::AtomContext *context);
  ast::Expr *groupItem(FlyParser::GroupItemContext *context);
  ast::Expr *dict(FlyParser::AtomContext *context);

  // calls
  ast::Expr *call(FlyParser::OperationContext *context, ast::Expr *callee);
  ast::Expr *subscription(FlyParser::OperationContext *context, ast::Expr *base);
  ast::Expr *slice(FlyParser::SliceContext *context, ast::Expr *start, SourceRange range);
  ast::Expr *comprehension(FlyParser::ComprehensionContext *context, ast::Expr *element, SourceRange range);
  /// The keyword of `name=value`; reports another expression in its place.
  void keyword(ast::Argument &argument, FlyParser::ExpressionContext *name);
  void checkOrder(const std::vector<ast::Argument> &arguments);

  // literals
  ast::Expr *number(antlr4::Token *token);
  ast::Expr *strings(FlyParser::AtomContext *context);
  /// Inside of the quotes.
  struct Quoted {
    size_t begin, end;
    bool raw, formatted;
  };
  Quoted unquote(antlr4::Token *token);
  std::string decode(size_t begin, size_t end, bool raw);
  void fstring(const Quoted &quoted, std::vector<ast::FStringExpr::Part> &parts);

  SourceRange rangeOf(antlr4::Token *token) const {
    return session.range(token->getStartIndex(), token->getStopIndex() + 1);
  }
  SourceRange rangeOf(const Context *context) const {
    return session.range(context->start->getStartIndex(), context->stop->getStopIndex() + 1);
  }
  /// The token of a terminal child; null if the child is a rule.
  static antlr4::Token *token(Node *node) {
    auto *terminal = dynamic_cast<antlr4::tree::TerminalNode *>(node);
    return terminal ? terminal->getSymbol() : nullptr;
  }
  static size_t type(Node *node) {
    antlr4::Token *symbol = token(node);
    return symbol ? symbol->getType() : 0;
  }
  std::string textOf(antlr4::Token *token) const {
    return session.text.slice(rangeOf(token).begin, rangeOf(token).end).str();
  }

  template <typename T> T *make(SourceRange range) {
    T *node = module.make<T>();
    node->range = range;
    return node;
  }
  /// Makes `child` a child of `parent` as far as the height is concerned; reports a tree that gets too high.
  void hang(ast::Expr *parent, const ast::Expr *child);

  ParseSession &session;
  ast::Module &module;
  unsigned blamed = 0;        ///< errors that some statement was left out for
  bool slicesAllowed = false; ///< directly inside a subscript
};

} // namespace fly
