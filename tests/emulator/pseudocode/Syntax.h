// The syntax tree of AMD's instruction pseudocode.
//
// One tree serves thousands of evaluations, so names are resolved to indices of cells when the text is parsed. The
// language has no declarations of types to speak of: what a name holds is known only when it runs.
#pragma once

#include "tests/emulator/pseudocode/Value.h"

#include <memory>
#include <string>
#include <vector>

namespace fly::pseudocode {

// clang-format off
enum class Op : uint8_t {
  // expressions
  Constant, Name, As, Cast, Index, Slice, SlicePlus, Negate, Not, Complement, Call, Concat, Ternary,
  Add, Subtract, Multiply, Divide, Remainder, Power, ShiftLeft, ShiftRight, And, Or, Xor, LogicalAnd, LogicalOr,
  Equal, NotEqual, LessGreater, Less, Greater, LessEqual, GreaterEqual, AssignValue,
  // statements
  Block, Assign, If, For, While, Break, Return, Declare, Lambda, Evaluate,
};
// clang-format on

struct Node {
  Op op;
  Op operation = Op::Assign; ///< of `+=` and the like: what to do; Assign for plain `=`
  Type type;                 ///< As, Cast, Declare
  int symbol = -1;           ///< Name, Declare, For, Lambda; Call: of the callee's name
  unsigned elements = 0;     ///< Declare: of an array; of a zero: its sign is written out
  int builtin = -1;          ///< Call
  Value constant;
  std::vector<std::unique_ptr<Node>> children;
  std::vector<int> parameters; ///< Lambda
};

struct Text {
  std::unique_ptr<Node> body;
  std::vector<std::string> symbols;
  bool uses(const std::string &name) const {
    for (const auto &s : symbols)
      if (s == name) return true;
    return false;
  }
  int find(const std::string &name) const {
    for (size_t k = 0; k < symbols.size(); ++k)
      if (symbols[k] == name) return static_cast<int>(k);
    return -1;
  }
};

/// Throws Unsupported with the place and reason.
Text parse(const std::string &source);

template <class F> void forEachNode(const Node &n, F &&f) {
  f(n);
  for (const auto &c : n.children)
    if (c) forEachNode(*c, f);
}

} // namespace fly::pseudocode
