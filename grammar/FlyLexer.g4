// The words of a .fly file. It reads bytes: an offset of the lexer is a byte offset of the file, and every byte
// from 0x80 up is one character here (part of UTF-8 text in a string or a comment; elsewhere an error).
//
// The lexer never fails. What is wrong (a number like `0x`, a string without its end) has a token of its own, so
// that the message can say what it is. INDENT, DEDENT and the NEWLINEs that matter are made from its tokens by
// compiler/syntax/LayoutTokens.cpp, which reads plain calls by itself (PLAIN_CALL); valid text tokenizes as Python.
lexer grammar FlyLexer;

tokens { INDENT, DEDENT, PLAIN_CALL }

// ---- keywords
AND: 'and'; AS: 'as'; ASSERT: 'assert'; BREAK: 'break'; CLASS: 'class'; CONTINUE: 'continue'; DEF: 'def'; ELIF: 'elif';
ELSE: 'else'; FALSE: 'False'; FOR: 'for'; FROM: 'from'; IF: 'if'; IMPORT: 'import'; IN: 'in'; IS: 'is';
LAMBDA: 'lambda'; NONE: 'None'; NOT: 'not'; OR: 'or'; PASS: 'pass'; RETURN: 'return'; TRUE: 'True';
WHILE: 'while'; WITH: 'with';

// Keywords and operators of Python that this language does not have.
RESERVED
  : 'async' | 'await' | 'del' | 'except' | 'finally' | 'global' | 'nonlocal' | 'raise' | 'try' | 'yield'
  | ':=' | '...'
  ;

// ---- names and numbers
NAME: [A-Za-z_] [A-Za-z0-9_]*;
INTEGER
  : [1-9] ('_'? DIGIT)*
  | '0' ('_'? '0')*
  | '0' [xX] ('_'? [0-9A-Fa-f])+
  | '0' [oO] ('_'? [0-7])+
  | '0' [bB] ('_'? [01])+
  ;
FLOAT: (DIGITS '.' DIGITS? | '.' DIGITS) EXPONENT? | DIGITS EXPONENT;
BAD_NUMBER: DIGIT [A-Za-z0-9_]* ('.' DIGIT [A-Za-z0-9_]*)?; // only where no good number is as long
BAD_NAME: [A-Za-z_\u0080-\u00FF] [A-Za-z0-9_\u0080-\u00FF]*;

fragment DIGIT: [0-9];
fragment DIGITS: DIGIT ('_'? DIGIT)*;
fragment EXPONENT: [eE] [+-]? DIGITS;

// ---- strings: a good one is always a character longer than the unterminated one at the same place
STRING: PREFIX? (SHORT_SINGLE '\'' | SHORT_DOUBLE '"' | LONG_SINGLE '\'\'\'' | LONG_DOUBLE '"""');
UNTERMINATED_STRING: PREFIX? (SHORT_SINGLE | SHORT_DOUBLE) '\\'?;
UNTERMINATED_LONG_STRING: PREFIX? (LONG_SINGLE '\''? '\''? | LONG_DOUBLE '"'? '"'?) '\\'?;

fragment PREFIX: [rRfFbBuU] [rRfFbBuU]?;
fragment SHORT_SINGLE: '\'' (~['\\\r\n] | ESCAPE)*;
fragment SHORT_DOUBLE: '"' (~["\\\r\n] | ESCAPE)*;
fragment LONG_SINGLE: '\'\'\'' ('\''? '\''? (~['\\] | ESCAPE))*;
fragment LONG_DOUBLE: '"""' ('"'? '"'? (~["\\] | ESCAPE))*;
fragment ESCAPE: '\\' ('\r' '\n' | .);

// ---- brackets and operators
LPAREN: '('; RPAREN: ')'; LBRACKET: '['; RBRACKET: ']'; LBRACE: '{'; RBRACE: '}';
COMMA: ','; COLON: ':'; SEMICOLON: ';'; DOT: '.'; ARROW: '->'; ASSIGN: '=';
AUGMENTED: '+=' | '-=' | '*=' | '/=' | '//=' | '%=' | '**=' | '@=' | '<<=' | '>>=' | '&=' | '|=' | '^=';
PLUS: '+'; MINUS: '-'; STAR: '*'; POWER: '**'; SLASH: '/'; FLOOR_SLASH: '//'; PERCENT: '%'; AT: '@';
SHIFT_LEFT: '<<'; SHIFT_RIGHT: '>>'; AMPERSAND: '&'; BAR: '|'; CARET: '^'; TILDE: '~';
LESS: '<'; LESS_EQUAL: '<='; GREATER: '>'; GREATER_EQUAL: '>='; EQUAL: '=='; NOT_EQUAL: '!=';

// ---- between the words
NEWLINE: '\r'? '\n' | '\r';
BLANK: [ \t\f]+ -> skip;
COMMENT: '#' ~[\r\n]* -> channel(HIDDEN); // for the formatter; the parser never sees these two
JOIN: '\\' ('\r'? '\n' | '\r') -> channel(HIDDEN);
BACKSLASH: '\\';
UNKNOWN: .;
