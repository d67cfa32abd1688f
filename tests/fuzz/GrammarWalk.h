// Sentences by chance: a walk through the automaton of the grammar that ANTLR generated (its ATN), rule by rule.
//
// A walk always ends: from every state, the way to the end of its rule with the fewest words is known, and after the
// limits only that way is taken. Where the grammar leaves a word open (NAME, INTEGER) or a caller has a better node
// than chance (one from a real program), the caller is asked.
#pragma once

#include "Sentence.h"

#include <functional>
#include <random>

namespace antlr4::atn {
class ATN;
class ATNState;
class Transition;
}

namespace fly::fuzz {

using Random = std::mt19937_64;
/// A number below `bound`, which must not be 0.
inline size_t below(Random &random, size_t bound) { return random() % bound; }

class GrammarWalk {
public:
  GrammarWalk();
  struct Sources {
    std::function<std::string(size_t type)> word; ///< a word of a type without a text of its own
    std::function<Words(size_t rule)> node;       ///< a ready node instead of a walk; empty: walk
  };
  std::vector<Word> sentence(size_t rule, const Sources &sources, Random &random, unsigned depth = 8,
                             unsigned length = 150) const;

  /// Words that the grammar allows in the same place as one of this type: other operators of its row.
  const std::vector<size_t> &alternatives(size_t type) const;
  /// `+` for PLUS; empty if the type has many texts.
  std::string textOf(size_t type) const;
  size_t rules() const;

private:
  void walk(size_t rule, unsigned depth, unsigned length, const Sources &sources, Random &random,
            std::vector<Word> &out) const;
  unsigned cost(const antlr4::atn::Transition &transition) const;
  const antlr4::atn::ATN &atn;
  std::vector<unsigned> shortest;            ///< by state: words to the end of its rule
  std::vector<std::vector<size_t>> together; ///< by type
};

} // namespace fly::fuzz
