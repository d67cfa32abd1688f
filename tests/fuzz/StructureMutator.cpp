// Mutation that knows the grammar: libFuzzer's hooks for both fuzzers.
//
// An input is read with the generated parser, one of its nodes is chosen and replaced by another node of the same rule:
// from the seeds, from the input itself, from a second input, or grown by chance from the grammar (GrammarWalk.h).
// Elements of lists (statements, arguments, decorators, operands) are dropped, doubled, exchanged and inserted; names
// become other names of their kind, literals the values at which things go wrong, operators others of their row.
//
// A node from elsewhere speaks of names that are not there. They are given names that the input has, so that most
// mutants fail later than at the first look-up. What is a type, a builtin, an attribute or a keyword is learnt from
// the seeds by where it stands; no list of the language's words is kept here.
//
// The same number (libFuzzer's) gives the same mutant. `-seed=` repeats a run; FLY_FUZZ_STATISTICS=1 prints at the end
// how many mutants were sentences.
#include "GrammarWalk.h"

#include "compiler/syntax/Parser.h"

#include "FlyLexer.h"
#include "FlyParser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

#include <sys/resource.h>
#include <unistd.h>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace fly::fuzz {

namespace {

constexpr unsigned longestNode = 400; // words: what is longer makes inputs that take long and say little

// clang-format off
/// Where literals meet their limits, as the language writes them.
const char *const edges[] = {
    "0", "1", "2", "3", "7", "8", "(-1)", "31", "32", "33", "63", "64", "65", "127", "128", "255", "256", "1023",
    "1024", "1025", "65535", "65536", "2147483647", "2147483648", "(-2147483648)", "(-2147483649)", "4294967295",
    "4294967296", "9223372036854775807", "9223372036854775808", "(-9223372036854775808)", "18446744073709551616",
    "(1 << 127)", "(1 << 4000)", "0.0", "(-0.0)", "0.5", "1.5", "1e308", "(1e308 * 10)", "5e-324", "1e-40", "1e39",
    "65504.0", "65520.0", "3.4028235e38", "2147483648.0", "9.3e18", "\"\"", "\"\\0\"", "\"%s{}\"", "f\"{1}\"", "()",
    "[]", "{}", "(0,)", "((),)", "[[]]", "None", "True", "False", "(1, (2, 3))", "(lambda x: x)", "(i32, f16)",
    "range(0)", "\"gfx950\""};
// clang-format on

bool isLayout(size_t type) { return type == FlyLexer::NEWLINE || type == FlyLexer::INDENT || type == FlyLexer::DEDENT; }

/// What a name is used as, by its neighbours.
enum class Use { Bare, Attribute, Keyword, Decorator };
Use useOf(Words words, size_t at) {
  size_t before = at ? words[at - 1].type : 0, after = at + 1 < words.size() ? words[at + 1].type : 0;
  if (before == FlyLexer::DOT)
    return Use::Attribute;
  if (before == FlyLexer::AT)
    return Use::Decorator;
  if (after == FlyLexer::ASSIGN &&
      (before == FlyLexer::LPAREN || before == FlyLexer::COMMA || before == FlyLexer::LBRACKET))
    return Use::Keyword;
  return Use::Bare;
}

/// Names that a text gives a meaning: by assignment, `def`, `for`, `as`, `import`, as parameters.
std::set<std::string> boundNames(const Sentence &sentence) {
  std::set<std::string> bound;
  auto &words = sentence.words;
  for (auto &node : sentence.nodes) {
    bool binds = node.rule == FlyParser::RuleParameter || node.rule == FlyParser::RuleLambdaParameter ||
                 node.rule == FlyParser::RuleFunctionDefinition || node.rule == FlyParser::RuleClassDefinition ||
                 node.rule == FlyParser::RuleImportedName || node.rule == FlyParser::RuleImportedModule;
    for (unsigned i = node.begin; binds && i < std::min(node.end, node.begin + 3); ++i)
      if (words[i].type == FlyLexer::NAME) {
        bound.insert(words[i].text);
        break;
      }
    if (node.rule == FlyParser::RuleTarget || node.rule == FlyParser::RuleImportedName ||
        node.rule == FlyParser::RuleImportedModule)
      for (auto &word : sentence.of(node))
        if (word.type == FlyLexer::NAME)
          bound.insert(word.text);
    if (node.rule == FlyParser::RuleAssignment)
      for (unsigned i = node.begin; i + 1 < node.end && words[i].type != FlyLexer::LPAREN; ++i)
        if (words[i].type == FlyLexer::NAME &&
            (i == node.begin || words[i - 1].type == FlyLexer::COMMA || words[i - 1].type == FlyLexer::ASSIGN))
          bound.insert(words[i].text);
  }
  return bound;
}

/// The nodes and words of all seeds, by kind.
struct Pool {
  struct Piece {
    unsigned file;
    unsigned begin, end;
  };
  std::vector<Sentence> files;
  std::vector<std::vector<Piece>> byRule;
  std::map<size_t, std::vector<std::string>> byType; ///< numbers and strings
  std::map<Use, std::vector<std::string>> byUse;     ///< Bare: the language's own names
  std::vector<std::string> types;
  std::set<std::string> free, typeNames;

  void add(Sentence sentence) {
    auto bound = boundNames(sentence);
    auto &words = sentence.words;
    auto keep = [&](std::vector<std::string> &list, const std::string &tag, const std::string &text) {
      if (seen.insert(tag + text).second)
        list.push_back(text);
    };
    for (unsigned i = 0; i < words.size(); ++i) {
      auto &[type, text] = words[i];
      if (type == FlyLexer::INTEGER || type == FlyLexer::FLOAT || type == FlyLexer::STRING ||
          type == FlyLexer::AUGMENTED)
        keep(byType[type], "type", text);
      if (type != FlyLexer::NAME)
        continue;
      Use use = useOf(words, i);
      if (use == Use::Bare && bound.count(text))
        continue;
      keep(byUse[use], "use" + std::to_string(int(use)), text);
      if (use == Use::Bare)
        free.insert(text);
    }
    for (auto &node : sentence.nodes)
      if (node.rule == FlyParser::RuleParameter)
        for (unsigned i = node.begin + 1; i < node.end && words[i].type != FlyLexer::ASSIGN; ++i)
          if (words[i].type == FlyLexer::NAME && free.count(words[i].text) && useOf(words, i) == Use::Bare) {
            keep(types, "annotation", words[i].text);
            typeNames.insert(words[i].text);
          }
    for (auto &node : sentence.nodes) {
      if (node.end - node.begin > longestNode)
        continue;
      if (byRule.size() <= node.rule)
        byRule.resize(node.rule + 1);
      if (seen.insert("node" + std::to_string(node.rule) + write(sentence.of(node))).second)
        byRule[node.rule].push_back({unsigned(files.size()), node.begin, node.end});
    }
    files.push_back(std::move(sentence));
  }
  Words pick(size_t rule, Random &random) const {
    if (rule >= byRule.size() || byRule[rule].empty())
      return {};
    auto &piece = byRule[rule][below(random, byRule[rule].size())];
    return Words(files[piece.file].words).slice(piece.begin, piece.end - piece.begin);
  }

private:
  std::set<std::string> seen;
};

Pool &pool() {
  static Pool pool;
  return pool;
}

const GrammarWalk &grammarWalk() {
  static GrammarWalk walk;
  return walk;
}

template <typename List> auto &any(List &list, Random &random) { return list[below(random, std::size(list))]; }
bool chance(Random &random, unsigned percent) { return below(random, 100) < percent; }

class Mutation {
public:
  Mutation(Sentence &sentence, Random &random, const Sentence *other = nullptr)
      : s(sentence), random(random), other(other) {}

  /// One change; false if it found nothing to change.
  bool change() {
    if (s.nodes.size() < 2)
      return insertStatement();
    struct Way {
      unsigned weight;
      bool (Mutation::*change)();
    };
    // clang-format off
    static const Way ways[] = {
        {6, &Mutation::replaceFromSeeds},   {3, &Mutation::replaceFromSelf},  {2, &Mutation::replaceGrown},
        {2, &Mutation::hoist},              {3, &Mutation::wrap},             {3, &Mutation::dropElement},
        {1, &Mutation::doubleElement},      {2, &Mutation::swapElements},     {3, &Mutation::insertElement},
        {3, &Mutation::insertStatement},    {4, &Mutation::rename},           {5, &Mutation::edge},
        {3, &Mutation::otherOperator},      {1, &Mutation::dropWord},         {1, &Mutation::dropNode}};
    // clang-format on
    unsigned total = 0;
    for (auto &way : ways)
      total += way.weight;
    unsigned at = below(random, total);
    for (auto &way : ways) {
      if (at < way.weight)
        return (this->*way.change)();
      at -= way.weight;
    }
    return false;
  }

  /// A node of the other parent in the place of one of the same rule.
  bool cross() {
    for (unsigned tries = 0; tries < 20; ++tries) {
      auto &node = chooseNode();
      auto same = nodesOf(*other, node.rule);
      if (same.empty())
        continue;
      return replace(node.begin, node.end, adopt(other->of(other->nodes[any(same, random)])));
    }
    return false;
  }

  /// Only one definition and what it needs, by names.
  bool slice() {
    auto top = s.children(0);
    if (top.size() < 3)
      return false;
    std::vector<std::set<std::string>> names(top.size());
    for (size_t i = 0; i < top.size(); ++i)
      for (auto &word : s.of(s.nodes[top[i]]))
        if (word.type == FlyLexer::NAME)
          names[i].insert(word.text);
    std::vector<bool> keep(top.size(), false);
    std::vector<size_t> open{below(random, top.size())};
    keep[open[0]] = true;
    while (!open.empty()) {
      size_t user = open.back();
      open.pop_back();
      for (size_t i = 0; i < top.size(); ++i) {
        if (keep[i] || chance(random, 3))
          continue;
        bool needed = llvm::any_of(names[user], [&](auto &name) { return definedAtTop(top[i], name); });
        if (needed)
          keep[i] = true, open.push_back(i);
      }
    }
    std::vector<Word> words;
    for (size_t i = 0; i < top.size(); ++i)
      if (keep[i])
        llvm::append_range(words, s.of(s.nodes[top[i]]));
    return take(std::move(words));
  }

private:
  bool definedAtTop(unsigned statement, const std::string &name) {
    auto words = s.of(s.nodes[statement]);
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i].type == FlyLexer::LPAREN || words[i].type == FlyLexer::INDENT) {
        if (words[0].type != FlyLexer::AT && words[0].type != FlyLexer::FROM)
          return false;
      }
      if (words[i].type != FlyLexer::NAME || words[i].text != name)
        continue;
      size_t before = i ? words[i - 1].type : 0;
      if (i == 0 || before == FlyLexer::DEF || before == FlyLexer::CLASS || before == FlyLexer::IMPORT ||
          before == FlyLexer::AS || (before == FlyLexer::COMMA && words[0].type == FlyLexer::FROM))
        return true;
    }
    return false;
  }

  bool take(std::vector<Word> words) {
    auto again = read(write(words));
    if (!again)
      return false;
    s = std::move(*again);
    return true;
  }
  /// The words [begin, end) become others.
  bool replace(unsigned begin, unsigned end, Words words) {
    std::vector<Word> out(s.words.begin(), s.words.begin() + begin);
    llvm::append_range(out, words);
    out.insert(out.end(), s.words.begin() + end, s.words.end());
    return take(std::move(out));
  }

  /// Every rule that occurs is as likely as another, half of the time; else every node.
  const Node &chooseNode() {
    if (chance(random, 50))
      return s.nodes[1 + below(random, s.nodes.size() - 1)];
    std::vector<size_t> rules;
    for (auto &node : s.nodes)
      if (node.parent >= 0 && !llvm::is_contained(rules, node.rule))
        rules.push_back(node.rule);
    auto same = nodesOf(s, any(rules, random));
    return s.nodes[same.empty() ? 1 + below(random, s.nodes.size() - 1) : any(same, random)];
  }
  static std::vector<unsigned> nodesOf(const Sentence &sentence, size_t rule) {
    std::vector<unsigned> found;
    for (unsigned i = 0; i < sentence.nodes.size(); ++i)
      if (sentence.nodes[i].rule == rule && sentence.nodes[i].parent >= 0 &&
          sentence.nodes[i].end - sentence.nodes[i].begin <= longestNode)
        found.push_back(i);
    return found;
  }

  /// Words from elsewhere with this text's names in the places of unknown ones.
  std::vector<Word> adopt(Words from) {
    std::vector<Word> words = from.vec();
    if (chance(random, 10))
      return words;
    std::vector<std::string> here;
    std::set<std::string> known;
    for (unsigned i = 0; i < s.words.size(); ++i)
      if (s.words[i].type == FlyLexer::NAME && useOf(s.words, i) == Use::Bare && known.insert(s.words[i].text).second &&
          !pool().free.count(s.words[i].text))
        here.push_back(s.words[i].text);
    if (here.empty())
      return words;
    std::map<std::string, std::string> names;
    for (size_t i = 0; i < words.size(); ++i) {
      auto &text = words[i].text;
      if (words[i].type != FlyLexer::NAME || useOf(words, i) != Use::Bare || known.count(text) ||
          pool().free.count(text))
        continue;
      size_t before = i ? words[i - 1].type : 0, after = i + 1 < words.size() ? words[i + 1].type : 0;
      bool binds = after == FlyLexer::ASSIGN || before == FlyLexer::FOR || before == FlyLexer::AS ||
                   before == FlyLexer::DEF || before == FlyLexer::LAMBDA;
      if (binds && chance(random, 80))
        known.insert(text);
      else
        text = names.try_emplace(text, any(here, random)).first->second;
    }
    return words;
  }

  // ---- the ways
  bool replaceFromSeeds() {
    auto &node = chooseNode();
    Words words = pool().pick(node.rule, random);
    return !words.empty() && replace(node.begin, node.end, adopt(words));
  }
  bool replaceFromSelf() {
    auto &node = chooseNode();
    auto same = nodesOf(s, node.rule);
    if (same.size() < 2)
      return false;
    return replace(node.begin, node.end, s.of(s.nodes[any(same, random)]).vec());
  }
  bool replaceGrown() {
    auto &node = chooseNode();
    return replace(node.begin, node.end, adopt(grow(node.rule)));
  }
  std::vector<Word> grow(size_t rule) {
    unsigned ready = below(random, 70);
    GrammarWalk::Sources sources;
    sources.word = [&](size_t type) -> std::string {
      auto &list = pool().byType[type];
      if (type == FlyLexer::NAME || list.empty()) {
        if (type == FlyLexer::INTEGER)
          return "2";
        if (type == FlyLexer::FLOAT)
          return "2.0";
        if (type == FlyLexer::STRING)
          return "\"s\"";
        if (type == FlyLexer::AUGMENTED)
          return "+=";
        std::vector<std::string> names;
        for (auto &word : s.words)
          if (word.type == FlyLexer::NAME)
            names.push_back(word.text);
        return names.empty() || chance(random, 5) ? "x" : any(names, random);
      }
      return any(list, random);
    };
    sources.node = [&](size_t wanted) { return chance(random, ready) ? pool().pick(wanted, random) : Words(); };
    return grammarWalk().sentence(rule, sources, random, 2 + below(random, 10));
  }
  /// A node in the place of one that holds it.
  bool hoist() {
    auto &node = chooseNode();
    std::vector<const Node *> inner;
    for (auto &other : s.nodes)
      if (&other != &node && other.rule == node.rule && other.begin >= node.begin && other.end <= node.end &&
          other.end - other.begin < node.end - node.begin)
        inner.push_back(&other);
    return !inner.empty() && replace(node.begin, node.end, s.of(*any(inner, random)).vec());
  }
  /// A node in a place inside of one of its rule, which comes from the seeds: `x` becomes `f(x) + 1`.
  bool wrap() {
    auto &node = chooseNode();
    for (unsigned tries = 0; tries < 5; ++tries) {
      Words outer = pool().pick(node.rule, random);
      auto whole = node.rule == FlyParser::RuleStatement ? read(write(outer)) : read(write(outer) + "\n");
      if (!whole)
        return false; // an expression is a statement too; other rules are not
      std::vector<const Node *> places;
      for (auto &inner : whole->nodes)
        if (inner.rule == node.rule && inner.end - inner.begin < outer.size())
          places.push_back(&inner);
      if (places.empty())
        continue;
      const Node &place = *any(places, random);
      std::vector<Word> words(whole->words.begin(), whole->words.begin() + place.begin);
      llvm::append_range(words, s.of(node));
      size_t end = std::min<size_t>(outer.size(), whole->words.size());
      if (place.end <= end)
        words.insert(words.end(), whole->words.begin() + place.end, whole->words.begin() + end);
      return replace(node.begin, node.end, adopt(words));
    }
    return false;
  }

  /// A list: a node with children of one rule, with or without one word between any two.
  struct List {
    std::vector<unsigned> elements;
  };
  std::optional<List> chooseList(unsigned least) {
    std::vector<List> lists;
    for (unsigned i = 0; i < s.nodes.size(); ++i) {
      auto children = s.children(i);
      if (children.size() < least)
        continue;
      size_t rule = s.nodes[children[0]].rule;
      if (llvm::all_of(children, [&](unsigned c) { return s.nodes[c].rule == rule; }))
        lists.push_back({children});
    }
    if (lists.empty())
      return std::nullopt;
    return any(lists, random);
  }
  bool dropElement() {
    auto list = chooseList(2);
    if (!list)
      return false;
    size_t at = below(random, list->elements.size());
    auto &element = s.nodes[list->elements[at]];
    if (at + 1 < list->elements.size())
      return replace(element.begin, s.nodes[list->elements[at + 1]].begin, {});
    return replace(s.nodes[list->elements[at - 1]].end, element.end, {});
  }
  bool doubleElement() {
    auto list = chooseList(1);
    if (!list)
      return false;
    auto &element = s.nodes[any(list->elements, random)];
    return insertAfter(*list, element, s.of(element).vec());
  }
  bool insertElement() {
    auto list = chooseList(1);
    if (!list)
      return false;
    auto &element = s.nodes[any(list->elements, random)];
    Words words = pool().pick(element.rule, random);
    return !words.empty() && insertAfter(*list, element, adopt(words));
  }
  bool insertAfter(const List &list, const Node &element, std::vector<Word> words) {
    auto &first = s.nodes[list.elements[0]];
    std::vector<Word> with;
    if (list.elements.size() > 1)
      llvm::append_range(with, Words(s.words).slice(first.end, s.nodes[list.elements[1]].begin - first.end));
    else if (element.rule != FlyParser::RuleStatement && element.rule != FlyParser::RuleDecorator)
      with.push_back({FlyLexer::COMMA, ","});
    llvm::append_range(with, words);
    return replace(element.end, element.end, with);
  }
  bool swapElements() {
    auto list = chooseList(2);
    if (!list)
      return false;
    size_t at = below(random, list->elements.size() - 1);
    auto &a = s.nodes[list->elements[at]], &b = s.nodes[list->elements[at + 1]];
    std::vector<Word> words = s.of(b).vec();
    words.insert(words.end(), s.words.begin() + a.end, s.words.begin() + b.begin);
    llvm::append_range(words, s.of(a));
    return replace(a.begin, b.end, words);
  }
  bool insertStatement() {
    std::vector<Word> words =
        chance(random, 15) ? grow(FlyParser::RuleStatement) : pool().pick(FlyParser::RuleStatement, random).vec();
    auto places = nodesOf(s, FlyParser::RuleStatement);
    if (words.empty())
      return false;
    if (places.empty())
      return replace(s.words.size(), s.words.size(), words);
    auto &place = s.nodes[any(places, random)];
    return replace(place.begin, place.begin, adopt(words));
  }
  bool dropNode() {
    auto &node = chooseNode();
    return replace(node.begin, node.end, {});
  }
  bool dropWord() {
    unsigned at = below(random, s.words.size());
    return !isLayout(s.words[at].type) && replace(at, at + 1, {});
  }

  bool rename() {
    std::vector<unsigned> names;
    for (unsigned i = 0; i < s.words.size(); ++i)
      if (s.words[i].type == FlyLexer::NAME)
        names.push_back(i);
    if (names.empty())
      return false;
    unsigned at = any(names, random);
    auto &text = s.words[at].text;
    auto &all = pool();
    Use use = useOf(s.words, at);
    std::vector<std::string> local;
    if (use == Use::Bare && !all.free.count(text))
      for (unsigned i : names)
        if (useOf(s.words, i) == Use::Bare && (!all.free.count(s.words[i].text) || chance(random, 10)))
          local.push_back(s.words[i].text);
    auto &list = !local.empty() ? local : use == Use::Bare && all.typeNames.count(text) ? all.types : all.byUse[use];
    return !list.empty() && replace(at, at + 1, Word{FlyLexer::NAME, any(list, random)});
  }
  bool edge() {
    std::vector<unsigned> literals;
    for (unsigned i = 0; i < s.words.size(); ++i)
      if (size_t type = s.words[i].type; type == FlyLexer::INTEGER || type == FlyLexer::FLOAT ||
                                         type == FlyLexer::STRING || type == FlyLexer::TRUE ||
                                         type == FlyLexer::FALSE || type == FlyLexer::NONE)
        literals.push_back(i);
    if (literals.empty() || chance(random, 15)) { // any value may turn out to be one
      auto atoms = nodesOf(s, FlyParser::RuleAtom);
      if (atoms.empty())
        return false;
      auto &atom = s.nodes[any(atoms, random)];
      return replace(atom.begin, atom.end, Word{FlyLexer::INTEGER, any(edges, random)});
    }
    unsigned at = any(literals, random);
    size_t type = s.words[at].type;
    auto &same = pool().byType[type];
    std::string text = !same.empty() && chance(random, 30) ? any(same, random) : any(edges, random);
    return replace(at, at + 1, Word{type, text});
  }
  bool otherOperator() {
    std::vector<unsigned> operators;
    for (unsigned i = 0; i < s.words.size(); ++i)
      if (s.words[i].type == FlyLexer::AUGMENTED || !grammarWalk().alternatives(s.words[i].type).empty())
        operators.push_back(i);
    if (operators.empty())
      return false;
    unsigned at = any(operators, random);
    size_t type = s.words[at].type;
    if (type == FlyLexer::AUGMENTED) {
      auto &all = pool().byType[type];
      return !all.empty() && replace(at, at + 1, Word{type, any(all, random)});
    }
    auto &row = grammarWalk().alternatives(type);
    if (chance(random, 40)) { // an operator of another row
      static const size_t rows[] = {FlyLexer::PLUS,  FlyLexer::STAR,  FlyLexer::SHIFT_LEFT, FlyLexer::LESS,
                                    FlyLexer::AND,   FlyLexer::OR,    FlyLexer::AMPERSAND,  FlyLexer::BAR,
                                    FlyLexer::CARET, FlyLexer::POWER, FlyLexer::MINUS};
      type = any(rows, random);
      return replace(at, at + 1, Word{type, grammarWalk().textOf(type)});
    }
    type = any(row, random);
    std::string text = grammarWalk().textOf(type);
    return !text.empty() && replace(at, at + 1, Word{type, text});
  }

  Sentence &s;
  Random &random;
  const Sentence *other;
};

struct Statistics {
  size_t mutants = 0, sentences = 0, unread = 0, bytes = 0, rejected = 0;
  ~Statistics() {
    if (mutants && getenv("FLY_FUZZ_STATISTICS"))
      fprintf(
          stderr,
          "mutants %zu: %zu of the grammar, %zu of bytes, %zu from a new seed; %zu changes refused by the grammar\n",
          mutants, sentences, bytes, unread, rejected);
  }
} statistics;

bool parses(llvm::StringRef text) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  return parseModule(sources.add("seed", text.str()), diags) != nullptr;
}

size_t put(const std::string &text, uint8_t *data, size_t maxSize) {
  memcpy(data, text.data(), std::min(text.size(), maxSize));
  return std::min(text.size(), maxSize);
}

size_t mutate(uint8_t *data, size_t size, size_t maxSize, unsigned seed, const Sentence *other) {
  Random random(seed);
  ++statistics.mutants;
  auto sentence = read(llvm::StringRef(reinterpret_cast<char *>(data), size));
  if ((!sentence || sentence->nodes.size() < 2) && !pool().files.empty()) {
    // Bytes made it unreadable, or without coverage libFuzzer keeps no seeds: one of them, cut down.
    ++statistics.unread;
    sentence = any(pool().files, random);
    Mutation(*sentence, random).slice();
  } else if (chance(random, 3)) {
    ++statistics.bytes;
    return LLVMFuzzerMutate(data, size, maxSize);
  }
  if (!sentence)
    return LLVMFuzzerMutate(data, size, maxSize);
  // What the tree builder refuses (`f() = 1`) is tried again, mostly: most inputs are for the elaborator.
  const Sentence parent = std::move(*sentence);
  std::string text;
  for (unsigned attempts = 0; attempts < 4; ++attempts) {
    *sentence = parent;
    Mutation mutation(*sentence, random, other);
    if (sentence->words.size() > 300 && chance(random, 70))
      mutation.slice();
    unsigned changes = 1;
    while (changes < 6 && chance(random, 45))
      ++changes;
    if (other && mutation.cross())
      --changes;
    for (unsigned tries = 0; changes > 0 && tries < 20; ++tries)
      if (mutation.change())
        --changes;
      else
        ++statistics.rejected;
    text = write(sentence->words);
    if (text.size() > maxSize) {
      mutation.slice();
      text = write(sentence->words);
    }
    if (text.size() <= maxSize && (parses(text) || chance(random, 5)))
      break;
  }
  if (text.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  ++statistics.sentences;
  return put(text, data, maxSize);
}

void readSeeds(llvm::StringRef folder) {
  std::error_code error;
  std::set<std::string> paths; // in an order that does not depend on the file system
  for (llvm::sys::fs::recursive_directory_iterator at(folder, error), end; at != end && !error; at.increment(error))
    if (llvm::StringRef(at->path()).ends_with(".fly"))
      paths.insert(at->path());
  for (auto &path : paths)
    if (auto buffer = llvm::MemoryBuffer::getFile(path))
      if (auto sentence = read((*buffer)->getBuffer());
          sentence && sentence->nodes.size() > 1 && parses((*buffer)->getBuffer()))
        pool().add(std::move(*sentence));
}

} // namespace

} // namespace fly::fuzz

using namespace fly::fuzz;

/// As much stack as flyc has, on the thread that libFuzzer knows (it loses the input of a crash on another one): the
/// program starts once more with it. And the folders of the command line are the seeds of the pool too.
extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
  rlimit stack{};
  constexpr rlim_t wanted = 512u << 20;
  if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < wanted && stack.rlim_max >= wanted) {
    stack.rlim_cur = wanted;
    if (setrlimit(RLIMIT_STACK, &stack) == 0)
      execv("/proc/self/exe", *argv);
  }
  for (int i = 1; i < *argc; ++i)
    if (llvm::StringRef word = (*argv)[i]; !word.starts_with("-") && llvm::sys::fs::is_directory(word))
      readSeeds(word);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  return mutate(data, size, maxSize, seed, nullptr);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t oneSize, const uint8_t *two, size_t twoSize,
                                            uint8_t *out, size_t maxSize, unsigned seed) {
  auto other = read(llvm::StringRef(reinterpret_cast<const char *>(two), twoSize));
  size_t size = std::min(oneSize, maxSize);
  memcpy(out, one, size);
  return mutate(out, size, maxSize, seed, other && other->nodes.size() > 1 ? &*other : nullptr);
}
