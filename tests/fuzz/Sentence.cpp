// See Sentence.h. Reads with the generated parser and the compiler's own layout words.
#include "Sentence.h"

#include "compiler/syntax/LayoutTokens.h"

#include "FlyLexer.h"
#include "FlyParser.h"

namespace fly::fuzz {

using antlr4::ParserRuleContext;

namespace {

/// The parser recurses along nested operations: no deeper than mutation has use for.
class ShallowParser final : public FlyParser {
public:
  using FlyParser::FlyParser;
  void enterRecursionRule(ParserRuleContext *context, size_t state, size_t rule, int precedence) override {
    if (++depth > 100)
      throw antlr4::ParseCancellationException();
    FlyParser::enterRecursionRule(context, state, rule, precedence);
  }
  void unrollRecursionContexts(ParserRuleContext *parent) override {
    --depth;
    FlyParser::unrollRecursionContexts(parent);
  }

private:
  unsigned depth = 0;
};

void flatten(ParserRuleContext *context, int parent, std::vector<Node> &nodes) {
  if (!context->start || !context->stop)
    return;
  size_t begin = context->start->getTokenIndex(), stop = context->stop->getTokenIndex();
  if (stop == SIZE_MAX || stop + 1 <= begin)
    return; // it has no words
  int self = int(nodes.size());
  nodes.push_back({context->getRuleIndex(), unsigned(begin), unsigned(stop + 1), parent});
  for (auto *child : context->children)
    if (auto *rule = dynamic_cast<ParserRuleContext *>(child))
      flatten(rule, self, nodes);
}

bool isWordCharacter(char c) {
  return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '"' || c == '\'' || c == '.';
}
bool isBracket(char c) { return strchr("()[]{},;", c) != nullptr; }

} // namespace

std::vector<unsigned> Sentence::children(unsigned node) const {
  std::vector<unsigned> found;
  for (unsigned i = node + 1; i < nodes.size() && nodes[i].begin < nodes[node].end; ++i)
    if (nodes[i].parent == int(node))
      found.push_back(i);
  return found;
}

std::optional<Sentence> read(llvm::StringRef text) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  ParseSession session(sources.add("seed", text.str()), sources, diags);
  Sentence sentence;
  LayoutTokens layout(session, 0, text.size(), LayoutMode::Lines);
  if (session.giveUp || diags.hasErrors())
    return std::nullopt;
  antlr4::CommonTokenStream stream(&layout);
  ShallowParser parser(&stream);
  parser.removeErrorListeners();
  parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  try {
    flatten(parser.fileInput(), -1, sentence.nodes);
  } catch (const std::exception &) {
    return std::nullopt;
  }
  for (auto *token : stream.getTokens()) {
    if (token->getType() == antlr4::Token::EOF)
      break;
    size_t begin = token->getStartIndex(), end = token->getStopIndex() + 1;
    sentence.words.push_back({token->getType(), end > begin ? text.slice(begin, end).str() : ""});
    if (token->getType() == FlyLexer::NEWLINE)
      sentence.words.back().text.clear();
  }
  for (auto &node : sentence.nodes)
    node.end = std::min<unsigned>(node.end, sentence.words.size()); // without EOF
  return sentence;
}

std::string write(Words words) {
  std::string text;
  unsigned level = 0;
  bool atLineStart = true;
  for (auto &word : words) {
    switch (word.type) {
    case FlyLexer::NEWLINE:
      text += '\n';
      atLineStart = true;
      continue;
    case FlyLexer::INDENT: ++level; continue;
    case FlyLexer::DEDENT: level -= level > 0; continue;
    default: break;
    }
    if (word.text.empty())
      continue;
    if (atLineStart)
      text.append(level, ' ');
    else if (char last = text.back(), first = word.text[0]; isWordCharacter(last) == isWordCharacter(first)
                                                                ? !isBracket(last) && !isBracket(first)
                                                                : last == '.' || first == '.')
      text += ' '; // else the two would be read as one word
    atLineStart = false;
    text += word.text;
  }
  return text;
}

} // namespace fly::fuzz
