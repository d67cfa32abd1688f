// See GrammarWalk.h.
#include "GrammarWalk.h"

#include "compiler/syntax/ByteStream.h"

#include "FlyLexer.h"
#include "FlyParser.h"

#include <algorithm>

namespace fly::fuzz {

using namespace antlr4::atn;

static constexpr unsigned unknown = 1u << 20;

/// A parser that never parses, for what it knows about the grammar.
static FlyParser &parser() {
  static ByteStream nothing("", 0, 0);
  static FlyLexer lexer(&nothing);
  static antlr4::CommonTokenStream stream(&lexer);
  static FlyParser parser(&stream);
  return parser;
}

/// The types of words that a transition reads; empty if it reads none.
static std::vector<size_t> wordsOf(const Transition &transition) {
  std::vector<size_t> types;
  if (transition.isEpsilon())
    return types;
  for (ssize_t type : transition.label().toList())
    if (type > 0)
      types.push_back(size_t(type)); // the end of the file is not a word
  return types;
}

GrammarWalk::GrammarWalk()
    : atn(parser().getATN()), shortest(atn.states.size(), unknown), together(atn.maxTokenType + 1) {
  for (auto *stop : atn.ruleToStopState)
    shortest[stop->stateNumber] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto *state : atn.states) {
      if (!state || state->getStateType() == ATNState::RULE_STOP)
        continue;
      for (const Transition *transition : state->transitions)
        if (unsigned words = cost(*transition); words < shortest[state->stateNumber])
          shortest[state->stateNumber] = words, changed = true;
    }
  }
  // ANTLR makes one transition of the alternatives that are a word each: `PLUS | MINUS`.
  for (auto *state : atn.states) {
    if (!state)
      continue;
    for (const Transition *transition : state->transitions)
      for (size_t a : wordsOf(*transition))
        for (size_t b : wordsOf(*transition))
          if (a != b && !llvm::is_contained(together[a], b))
            together[a].push_back(b);
  }
}

unsigned GrammarWalk::cost(const Transition &transition) const {
  if (transition.getSerializationType() == Transition::RULE) {
    auto &call = static_cast<const RuleTransition &>(transition);
    return std::min(unknown, 1 + shortest[call.target->stateNumber] + shortest[call.followState->stateNumber]);
  }
  return std::min(unknown, unsigned(!transition.isEpsilon()) + shortest[transition.target->stateNumber]);
}

const std::vector<size_t> &GrammarWalk::alternatives(size_t type) const {
  static const std::vector<size_t> none;
  return type < together.size() ? together[type] : none;
}

std::string GrammarWalk::textOf(size_t type) const {
  std::string quoted = parser().getVocabulary().getLiteralName(type); // 'and', with the quotes
  return quoted.size() > 2 ? quoted.substr(1, quoted.size() - 2) : "";
}

size_t GrammarWalk::rules() const { return atn.ruleToStartState.size(); }

std::vector<Word> GrammarWalk::sentence(size_t rule, const Sources &sources, Random &random, unsigned depth,
                                        unsigned length) const {
  std::vector<Word> out;
  walk(rule, depth, length, sources, random, out);
  return out;
}

void GrammarWalk::walk(size_t rule, unsigned depth, unsigned length, const Sources &sources, Random &random,
                       std::vector<Word> &out) const {
  const ATNState *state = atn.ruleToStartState[rule];
  const ATNState *stop = atn.ruleToStopState[rule];
  while (state != stop) {
    auto &ways = state->transitions;
    const Transition *way = ways[0];
    if (ways.size() > 1) {
      if (depth == 0 || out.size() > length)
        way = *std::min_element(ways.begin(), ways.end(), [&](auto *a, auto *b) { return cost(*a) < cost(*b); });
      else
        way = ways[below(random, ways.size())];
    }
    state = way->target;
    if (way->getSerializationType() == Transition::RULE) {
      auto &call = static_cast<const RuleTransition &>(*way);
      Words ready = sources.node(call.ruleIndex);
      if (!ready.empty() && ready.size() < 60)
        out.insert(out.end(), ready.begin(), ready.end());
      else
        walk(call.ruleIndex, depth ? depth - 1 : 0, length, sources, random, out);
      state = call.followState;
    } else if (auto types = wordsOf(*way); !types.empty()) {
      size_t type = types[below(random, types.size())];
      std::string text = textOf(type);
      out.push_back({type, text.empty() && type != FlyLexer::NEWLINE ? sources.word(type) : text});
    }
  }
}

} // namespace fly::fuzz
