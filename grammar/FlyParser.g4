// The sentences of a .fly file.
//
// Written so that nearly every decision needs one token of lookahead (a target of an assignment is read as an
// expression, a keyword of a call as `expression = expression`, a slice anywhere in parentheses); what is thereby
// read too generously is refused by the tree builder, which can say it better than "no viable alternative".
// All operators are alternatives of one left-recursive rule, tightest first, so that the depth of the parser's
// recursion is that of the brackets and not that of the precedences.
parser grammar FlyParser;

options { tokenVocab = FlyLexer; }

// ---- entry points
fileInput: statement* EOF;
expressionInput: items NEWLINE? EOF;

// ---- statements
statement
  : simpleStatements
  | ifStatement
  | whileStatement
  | forStatement
  | withStatement
  | definition
  ;

simpleStatements: simpleStatement (SEMICOLON simpleStatement)* SEMICOLON? NEWLINE;

simpleStatement
  : PLAIN_CALL
  | assignment
  | returnStatement
  | assertStatement
  | BREAK
  | CONTINUE
  | PASS
  | importStatement
  | importFromStatement
  ;

// `value`, `target = target = value`, `target += value`, `target: annotation = value`
assignment
  : items ((ASSIGN items)* | AUGMENTED items | COLON expression (ASSIGN items)?)
  ;
returnStatement: RETURN items?;
assertStatement: ASSERT expression (COMMA expression)?;

importStatement: IMPORT importedModule (COMMA importedModule)*;
importedModule: dottedName (AS NAME)?;
importFromStatement: FROM dots? dottedName? IMPORT (LPAREN importedNames RPAREN | importedNames | STAR);
dots: DOT+;
importedNames: importedName (COMMA importedName)* COMMA?;
importedName: NAME (AS NAME)?;
dottedName: NAME (DOT NAME)*;

// An INDENT is only made for a line; a block without a statement is one whose lines were all given up.
block: simpleStatements | NEWLINE INDENT statement* DEDENT;

ifStatement: IF expression COLON block elifClause* elseClause?;
elifClause: ELIF expression COLON block;
elseClause: ELSE COLON block;
whileStatement: WHILE expression COLON block elseClause?;
forStatement: FOR targets IN items COLON block elseClause?;
withStatement: WITH withItem (COMMA withItem)* COLON block;
withItem: expression (AS target)?;

definition: decorator* (functionDefinition | classDefinition);
decorator: AT expression NEWLINE;
functionDefinition: DEF NAME LPAREN parameters? RPAREN (ARROW expression)? COLON block;
classDefinition: CLASS NAME (LPAREN arguments? RPAREN)? COLON block;

parameters: parameter (COMMA parameter)* COMMA?;
parameter
  : NAME (COLON expression)? (ASSIGN expression)?
  | STAR (NAME (COLON expression)?)?
  | POWER NAME (COLON expression)?
  | SLASH
  ;

// ---- targets of `for` and `with`
targets: target (COMMA target)* COMMA?;
target
  : NAME
  | STAR NAME
  | LPAREN targets RPAREN
  | LBRACKET targets RBRACKET
  ;

// ---- expressions
items: item (COMMA item)* COMMA?;
item: STAR operation | expression;

// `a if p else b if q else c`
expression: operation (IF operation ELSE operation)*;

// Left-nested alternatives (`a + b + c`, `a.b(c)[d]`) are loops in the parser, whatever their length.
operation
  : atom
  | operation LPAREN arguments? RPAREN
  | operation LBRACKET subscripts RBRACKET
  | operation DOT NAME
  | <assoc=right> operation POWER operation
  | (PLUS | MINUS | TILDE) operation
  | operation (STAR | SLASH | FLOOR_SLASH | PERCENT | AT) operation
  | operation (PLUS | MINUS) operation
  | operation (SHIFT_LEFT | SHIFT_RIGHT) operation
  | operation AMPERSAND operation
  | operation CARET operation
  | operation BAR operation
  | operation comparison operation
  | NOT operation
  | operation AND operation
  | operation OR operation
  | LAMBDA lambdaParameters? COLON expression
  ;

comparison
  : LESS | LESS_EQUAL | GREATER | GREATER_EQUAL | EQUAL | NOT_EQUAL | IN | NOT IN | IS NOT?
  ;

lambdaParameters: lambdaParameter (COMMA lambdaParameter)* COMMA?;
lambdaParameter: NAME (ASSIGN expression)? | STAR NAME? | POWER NAME | SLASH;

arguments: argument (COMMA argument)* COMMA?;
argument
  : STAR operation
  | POWER operation
  | expression (ASSIGN expression | comprehension)?
  ;

subscripts: subscript (COMMA subscript)* COMMA?;
subscript
  : STAR operation
  | expression (ASSIGN expression | slice)?
  | slice
  ;
slice: COLON expression? (COLON expression?)?;

atom
  : NAME
  | INTEGER
  | FLOAT
  | STRING+
  | TRUE
  | FALSE
  | NONE
  | LPAREN groupItems? RPAREN
  | LBRACKET groupItems? RBRACKET
  | LBRACE entries? RBRACE
  ;

// A slice is allowed in parentheses for the sake of `t[(0, :), :]`.
groupItems: groupItem (comprehension | (COMMA groupItem)* COMMA?);
groupItem
  : STAR operation
  | expression slice?
  | slice
  ;
entries: entry (comprehension | (COMMA entry)* COMMA?);
entry: POWER operation | expression COLON expression;

comprehension: comprehensionFor+;
comprehensionFor: FOR targets IN operation (IF operation)*;
