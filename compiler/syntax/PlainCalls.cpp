// See PlainCalls.h. One walk over the text serves both: without a module it only looks.
#include "compiler/syntax/PlainCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace fly {

using namespace ast;

namespace {

constexpr unsigned maxDepth = 8;   ///< brackets in each other; more is for the grammar, which has the limits
constexpr unsigned maxChain = 30;  ///< attributes, calls and subscripts after each other
constexpr unsigned maxDigits = 15; ///< of an integer, which then has at most 60 bits

/// Names that are words of the grammar.
bool isWord(llvm::StringRef name) {
  static const llvm::StringSet<> words = {"and",    "as",      "assert", "break",    "class", "continue", "def",
                                          "elif",   "else",    "False",  "for",      "from",  "if",       "import",
                                          "in",     "is",      "lambda", "None",     "not",   "or",       "pass",
                                          "return", "True",    "while",  "with",     "async", "await",    "del",
                                          "except", "finally", "global", "nonlocal", "raise", "try",      "yield"};
  return words.contains(name);
}

bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_'; }
bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

class Reader {
public:
  Reader(llvm::StringRef text, size_t at, FileId file, Module *module)
      : text(text), at(at), file(file), module(module) {}

  /// Null or false: not a plain call. Without a module, expressions are an arbitrary node.
  Expr *statement() {
    const size_t begin = at;
    if (!isNameStart(peek()))
      return nullptr;
    Expr *value = chain(begin);
    return value && isCall ? value : nullptr;
  }
  size_t position() const { return at; }

private:
  llvm::StringRef text;
  size_t at;
  const FileId file;
  Module *const module;
  unsigned depth = 0;
  bool isCall = false; ///< the last step of the last chain
  NameExpr nothing;    ///< what stands for every node if there is no module

  char peek() const { return at < text.size() ? text[at] : '\0'; }
  void skip() {
    while (peek() == ' ')
      ++at;
  }
  bool take(char c) {
    if (peek() != c)
      return false;
    ++at;
    return true;
  }
  SourceRange range(size_t begin, size_t end) const {
    return {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  llvm::StringRef name() {
    const size_t begin = at;
    if (!isNameStart(peek()))
      return {};
    while (isNamePart(peek()))
      ++at;
    return text.slice(begin, at);
  }
  template <class T> T *make(size_t begin, size_t end) {
    T *node = module->make<T>();
    node->range = range(begin, end);
    return node;
  }
  static void hang(Expr *parent, const Expr *child) { parent->height = std::max(parent->height, child->height + 1); }

  // NAME (.NAME | (arguments) | [subscripts])*
  Expr *chain(size_t begin) {
    const llvm::StringRef first = name();
    if (first.empty() || isWord(first))
      return nullptr;
    Expr *value = &nothing;
    if (module) {
      auto *made = make<NameExpr>(begin, at);
      made->name = first.str();
      value = made;
    }
    isCall = false;
    for (unsigned steps = 0;; ++steps) {
      if (steps > maxChain)
        return nullptr;
      if (take('.')) {
        const size_t from = at;
        const llvm::StringRef attribute = name();
        if (attribute.empty() || isWord(attribute))
          return nullptr;
        isCall = false;
        if (module) {
          auto *made = make<AttributeExpr>(begin, at);
          made->base = value;
          made->name = attribute.str();
          made->nameRange = range(from, at);
          hang(made, value);
          value = made;
        }
      } else if (peek() == '(') {
        if (!(value = call(begin, value)))
          return nullptr;
        isCall = true;
      } else if (peek() == '[') {
        if (!(value = subscription(begin, value)))
          return nullptr;
        isCall = false;
      } else {
        return value;
      }
    }
  }

  Expr *call(size_t begin, Expr *callee) {
    if (++depth > maxDepth)
      return nullptr;
    const size_t open = at++;
    std::vector<Argument> arguments;
    skip();
    bool hasKeyword = false;
    for (bool first = true; !take(')'); first = false) {
      if (!first && !take(','))
        return nullptr;
      skip();
      Argument argument;
      bool isKeyword = false;
      const size_t from = at;
      // A keyword is a name before a `=` that is no `==`.
      if (const llvm::StringRef word = name(); !word.empty()) {
        const size_t end = at;
        skip();
        if (peek() == '=' && !isWord(word)) {
          ++at;
          skip();
          hasKeyword = isKeyword = true;
          if (module)
            argument.keyword = word.str();
          argument.keywordRange = range(from, end);
        } else {
          at = from;
        }
      }
      if (hasKeyword && !isKeyword)
        return nullptr;
      if (!(argument.value = value()))
        return nullptr;
      argument.range = range(from, at);
      skip();
      if (module)
        arguments.push_back(std::move(argument));
    }
    --depth;
    if (!module)
      return &nothing;
    auto *made = make<CallExpr>(begin, at);
    made->callee = callee;
    made->parens = range(open, at);
    hang(made, callee);
    for (const Argument &argument : arguments)
      hang(made, argument.value);
    made->arguments = std::move(arguments);
    return made;
  }

  // [value], [value:value], and several of these
  Expr *subscription(size_t begin, Expr *base) {
    if (++depth > maxDepth)
      return nullptr;
    const size_t open = at++;
    std::vector<Argument> items;
    for (bool first = true; first || !take(']'); first = false) {
      if (!first && !take(','))
        return nullptr;
      skip();
      Argument item;
      const size_t from = at;
      if (!(item.value = value()))
        return nullptr;
      size_t end = at;
      skip();
      if (take(':')) {
        skip();
        Expr *stop = value();
        if (!stop)
          return nullptr;
        end = at;
        skip();
        if (module) {
          auto *made = make<SliceExpr>(from, end);
          made->start = item.value;
          made->stop = stop;
          hang(made, made->start);
          hang(made, stop);
          item.value = made;
        }
      }
      item.range = range(from, end);
      if (module)
        items.push_back(std::move(item));
    }
    --depth;
    if (!module)
      return &nothing;
    auto *made = make<SubscriptExpr>(begin, at);
    made->base = base;
    made->brackets = range(open, at);
    hang(made, base);
    for (const Argument &item : items)
      hang(made, item.value);
    made->items = std::move(items);
    return made;
  }

  Expr *value() {
    const size_t begin = at;
    const char c = peek();
    if (llvm::isDigit(c))
      return integer();
    if (c == '"')
      return string();
    if (c == '-') { // of a number, a power of which would bind closer
      const size_t end = ++at;
      if (!llvm::isDigit(peek()))
        return nullptr;
      Expr *operand = integer();
      if (!operand || !module)
        return operand;
      auto *made = make<UnaryExpr>(begin, at);
      made->op = UnaryOp::Neg;
      made->opRange = range(begin, end);
      made->operand = operand;
      hang(made, operand);
      return made;
    }
    for (llvm::StringRef word : {"True", "False", "None"})
      if (text.substr(at).starts_with(word) &&
          (at + word.size() >= text.size() || !isNamePart(text[at + word.size()]))) {
        at += word.size();
        if (!module)
          return &nothing;
        if (word == "None")
          return make<NoneExpr>(begin, at);
        auto *made = make<BoolExpr>(begin, at);
        made->value = word == "True";
        return made;
      }
    return chain(begin);
  }

  Expr *integer() {
    const size_t begin = at;
    unsigned radix = 10;
    if (peek() == '0' && at + 1 < text.size() && text[at + 1] == 'x') {
      radix = 16;
      at += 2;
    }
    const size_t digits = at;
    while (radix == 16 ? llvm::isHexDigit(peek()) : llvm::isDigit(peek()))
      ++at;
    const llvm::StringRef number = text.slice(digits, at);
    if (number.empty() || number.size() > maxDigits || (radix == 10 && number.size() > 1 && number[0] == '0') ||
        isNamePart(peek()) || peek() == '.')
      return nullptr;
    if (!module)
      return &nothing;
    uint64_t known = 0;
    if (number.getAsInteger(radix, known))
      return nullptr;
    auto *made = make<IntExpr>(begin, at);
    made->value = llvm::DynamicAPInt(static_cast<int64_t>(known));
    return made;
  }

  Expr *string() {
    const size_t begin = at++;
    while (peek() != '"') {
      if (peek() == '\\' || static_cast<unsigned char>(peek()) < ' ')
        return nullptr;
      ++at;
    }
    ++at;
    if (!module)
      return &nothing;
    auto *made = make<StringExpr>(begin, at);
    made->value = text.slice(begin + 1, at - 1).str();
    return made;
  }
};

} // namespace

std::optional<size_t> endOfPlainCall(llvm::StringRef text, size_t begin) {
  Reader reader(text, begin, {}, nullptr);
  if (!reader.statement())
    return std::nullopt;
  const llvm::StringRef rest = text.substr(reader.position()).ltrim(' ');
  if (rest.empty() || rest[0] == '#' || rest[0] == '\n' || rest[0] == '\r')
    return reader.position();
  return std::nullopt;
}

ast::ExprStmt *plainCall(llvm::StringRef text, size_t begin, FileId file, ast::Module &module) {
  Reader reader(text, begin, file, &module);
  auto *statement = module.make<ast::ExprStmt>();
  statement->value = reader.statement();
  statement->range = statement->value->range;
  return statement;
}

} // namespace fly
