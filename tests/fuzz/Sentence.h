// A .fly text as the words and the parse tree that ANTLR makes of it, in a form that can be cut and joined.
//
// Blocks are INDENT and DEDENT words, not columns: a node is a run of words, and putting it in another place needs no
// indentation to be mended. The tree is the grammar's own, by the rule numbers of the generated parser, so that a new
// rule of the grammar takes part in mutation without a line here.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace fly::fuzz {

struct Word {
  size_t type = 0;  ///< FlyLexer's number; only the ones that make lines and blocks matter to `write`
  std::string text; ///< empty for words that lines and indentation stand for
};
using Words = llvm::ArrayRef<Word>;

/// One rule's words, [begin, end).
struct Node {
  size_t rule;
  unsigned begin, end;
  int parent;
};

struct Sentence {
  std::vector<Word> words;
  std::vector<Node> nodes; ///< parents before children, in the order of the text
  Words of(const Node &node) const { return Words(words).slice(node.begin, node.end - node.begin); }
  /// The direct children of a node.
  std::vector<unsigned> children(unsigned node) const;
};

/// None if the text is not a sentence of the grammar, or one that nests too deeply to be worth cutting.
std::optional<Sentence> read(llvm::StringRef text);
std::string write(Words words);

} // namespace fly::fuzz
