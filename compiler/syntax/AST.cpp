// The spellings of operators, as the author wrote them.
#include "compiler/syntax/AST.h"

namespace fly::ast {

const char *spelling(BinaryOp op) {
  static const char *const names[] = {"+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"};
  return names[static_cast<unsigned>(op)];
}

const char *spelling(CompareOp op) {
  static const char *const names[] = {"<", "<=", ">", ">=", "==", "!=", "in", "not in", "is", "is not"};
  return names[static_cast<unsigned>(op)];
}

const char *spelling(UnaryOp op) {
  static const char *const names[] = {"-", "+", "~", "not"};
  return names[static_cast<unsigned>(op)];
}

} // namespace fly::ast
