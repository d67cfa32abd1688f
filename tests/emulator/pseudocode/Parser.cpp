// Recursive descent parser of the pseudocode.
//
// Quirks of the language: `;` separates statements but is left out before some ends; `a ? b : c` and the `:` of
// slices and of `for i in a : b` share a token; typed literals (16'1.0, 1'0U) and casts (32'F(x)) begin alike; `in` is
// a keyword in `for` and a variable elsewhere; WAVE_MODE.IEEE is one name, S0.f32 a view of one.
#include "tests/emulator/pseudocode/Lexer.h"
#include "tests/emulator/pseudocode/Syntax.h"

namespace fly::pseudocode {

namespace {

using Ptr = std::unique_ptr<Node>;

class Parser {
public:
  explicit Parser(const std::string &source) : tokens(tokenize(source)) {}
  Text run() {
    text.body = block({});
    if (peek().kind != Token::End) fail("does not parse as pseudocode");
    return std::move(text);
  }

private:
  std::vector<Token> tokens;
  size_t p = 0;
  Text text;

  const Token &peek(size_t k = 0) const { return tokens[std::min(p + k, tokens.size() - 1)]; }
  bool is(const char *t, size_t k = 0) const {
    return (peek(k).kind == Token::Word || peek(k).kind == Token::Symbol) && peek(k).text == t;
  }
  bool accept(const char *t) {
    if (!is(t)) return false;
    ++p;
    return true;
  }
  [[noreturn]] void fail(const std::string &why) {
    throw Unsupported(why + (peek().text.empty() ? "" : " (at `" + peek().text + "`)"));
  }
  void expect(const char *t) {
    if (!accept(t)) fail(std::string("`") + t + "` expected");
  }
  int symbol(const std::string &name) {
    int found = text.find(name);
    if (found >= 0) return found;
    text.symbols.push_back(name);
    return static_cast<int>(text.symbols.size() - 1);
  }
  static Ptr make(Op op) {
    auto n = std::make_unique<Node>();
    n->op = op;
    return n;
  }
  static Ptr make(Op op, Ptr a, Ptr b = nullptr, Ptr c = nullptr) {
    auto n = make(op);
    n->children.push_back(std::move(a));
    if (b) n->children.push_back(std::move(b));
    if (c) n->children.push_back(std::move(c));
    return n;
  }
  std::string word() {
    if (peek().kind != Token::Word) fail("a name expected");
    return tokens[p++].text;
  }
  /// What follows 32' : U, I, F, B, BF.
  Type typeAfter(int width) {
    std::string w = word();
    Type t;
    t.bits = static_cast<uint16_t>(width);
    if (w == "U") t.kind = Type::Unsigned;
    else if (w == "I") t.kind = Type::Signed;
    else if (w == "F") t.kind = Type::Float;
    else if (w == "B") t.kind = Type::Bits;
    else if (w == "BF") t.kind = Type::BFloat;
    else fail("unknown type " + w);
    return t;
  }

  Ptr block(std::initializer_list<const char *> ends) {
    auto b = make(Op::Block);
    for (;;) {
      while (accept(";")) {
      }
      if (peek().kind == Token::End) return b;
      for (const char *e : ends)
        if (is(e)) return b;
      b->children.push_back(statement());
    }
  }

  Ptr statement() {
    if (peek().kind == Token::String) {
      ++p;
      return make(Op::Block);
    }
    if (accept("if")) return conditional();
    if (accept("for")) {
      auto n = make(Op::For);
      n->symbol = symbol(word());
      expect("in");
      n->children.push_back(expression());
      expect(":");
      n->children.push_back(expression());
      expect("do");
      n->children.push_back(block({"endfor"}));
      expect("endfor");
      return n;
    }
    if (accept("while")) {
      auto n = make(Op::While);
      n->children.push_back(expression());
      expect("do");
      n->children.push_back(block({"endwhile"}));
      expect("endwhile");
      return n;
    }
    if (accept("break")) return make(Op::Break);
    if (accept("return")) return make(Op::Return, expression());
    if (accept("declare")) {
      auto n = make(Op::Declare);
      n->symbol = symbol(word());
      expect(":");
      int width = peek().width;
      if (peek().kind != Token::Number || peek().text != "'") fail("a type expected");
      ++p;
      n->type = typeAfter(width);
      if (accept("[")) {
        n->elements = static_cast<unsigned>(peek().value.v);
        ++p;
        expect("]");
      }
      return n;
    }
    if (peek().kind == Token::Word && is("=", 1) && is("lambda", 2)) {
      auto n = make(Op::Lambda);
      n->symbol = symbol(word());
      p += 2;
      expect("(");
      while (!is(")")) {
        n->parameters.push_back(symbol(word()));
        accept(",");
      }
      expect(")");
      expect("(");
      if (is("if") || is("declare") || is("return") || is("for")) n->children.push_back(block({")"}));
      else n->children.push_back(make(Op::Return, expression()));
      expect(")");
      return n;
    }
    Ptr left = expression();
    static const struct {
      const char *text;
      Op op;
    } assignments[] = {{"=", Op::Assign},    {"+=", Op::Add}, {"-=", Op::Subtract},
                       {"*=", Op::Multiply}, {"|=", Op::Or},  {"&=", Op::And}};
    for (const auto &a : assignments)
      if (accept(a.text)) {
        Ptr right = expression();
        // EXEC.u64[laneId] = D0.u64[laneId] = value
        if (accept("=")) right = make(Op::AssignValue, std::move(right), expression());
        auto n = make(Op::Assign, std::move(left), std::move(right));
        n->operation = a.op;
        return n;
      }
    return make(Op::Evaluate, std::move(left));
  }

  Ptr conditional() {
    auto n = make(Op::If);
    n->children.push_back(expression());
    expect("then");
    n->children.push_back(block({"elsif", "else", "endif"}));
    if (accept("elsif")) {
      n->children.push_back(conditional());
      return n;
    }
    if (accept("else")) n->children.push_back(block({"endif"}));
    expect("endif");
    return n;
  }

  Ptr expression() {
    Ptr c = binary(0);
    if (!accept("?")) return c;
    Ptr a = expression();
    expect(":");
    return make(Op::Ternary, std::move(c), std::move(a), expression());
  }

  Ptr binary(unsigned level) {
    struct Operator {
      const char *text;
      Op op;
    };
    static const std::vector<Operator> levels[] = {
        {{"||", Op::LogicalOr}},
        {{"&&", Op::LogicalAnd}},
        {{"|", Op::Or}},
        {{"^", Op::Xor}},
        {{"&", Op::And}},
        {{"==", Op::Equal}, {"!=", Op::NotEqual}, {"<>", Op::LessGreater}},
        {{"<=", Op::LessEqual}, {">=", Op::GreaterEqual}, {"<", Op::Less}, {">", Op::Greater}},
        {{"<<", Op::ShiftLeft}, {">>", Op::ShiftRight}},
        {{"+", Op::Add}, {"-", Op::Subtract}},
        {{"*", Op::Multiply}, {"/", Op::Divide}, {"%", Op::Remainder}},
        {{"**", Op::Power}}};
    if (level == std::size(levels)) return unary();
    Ptr left = binary(level + 1);
    for (;;) {
      bool found = false;
      for (const Operator &o : levels[level])
        if (accept(o.text)) {
          left = make(o.op, std::move(left), binary(level + 1));
          found = true;
          break;
        }
      if (!found) return left;
    }
  }

  Ptr unary() {
    if (is("-") || is("+")) { // a zero with its sign written out means that zero alone: == +0.0, == -0.0
      bool minus = accept("-");
      if (!minus) accept("+");
      Ptr e = unary();
      bool zero = e->op == Op::Constant && e->constant.type.isFloat() && e->constant.v == 0;
      if (minus) e = make(Op::Negate, std::move(e));
      if (zero) e->elements = 1;
      return e;
    }
    if (accept("!")) return make(Op::Not, unary());
    if (accept("~")) return make(Op::Complement, unary());
    return postfix(primary());
  }

  Ptr primary() {
    if (accept("(")) {
      Ptr e = expression();
      expect(")");
      return e;
    }
    if (accept("{")) {
      auto n = make(Op::Concat);
      while (!is("}")) {
        n->children.push_back(expression());
        if (!accept(",")) break;
      }
      expect("}");
      return n;
    }
    if (peek().kind == Token::Number) {
      Token t = tokens[p++];
      if (t.text == "'") {
        auto n = make(Op::Cast);
        n->type = typeAfter(t.width);
        expect("(");
        n->children.push_back(expression());
        expect(")");
        return n;
      }
      auto n = make(Op::Constant);
      n->constant = t.value;
      return n;
    }
    std::string name = word();
    Type ignored;
    while (is(".") && peek(1).kind == Token::Word && !parseType(peek(1).text, ignored)) {
      name += "." + peek(1).text;
      p += 2;
    }
    if (is("(")) {
      ++p;
      auto n = make(Op::Call);
      n->symbol = symbol(name);
      while (!is(")")) {
        n->children.push_back(expression());
        if (!accept(",")) break;
      }
      expect(")");
      return n;
    }
    auto n = make(Op::Name);
    n->symbol = symbol(name);
    return n;
  }

  Ptr postfix(Ptr e) {
    for (;;) {
      if (is(".")) {
        Type t;
        if (peek(1).kind != Token::Word || !parseType(peek(1).text, t)) fail("a type expected");
        p += 2;
        e = make(Op::As, std::move(e));
        e->type = t;
      } else if (accept("[")) {
        Ptr first = expression();
        if (accept(":")) e = make(Op::Slice, std::move(e), std::move(first), expression());
        else if (accept("+:")) e = make(Op::SlicePlus, std::move(e), std::move(first), expression());
        else e = make(Op::Index, std::move(e), std::move(first));
        expect("]");
      } else return e;
    }
  }
};

} // namespace

Text parse(const std::string &source) { return Parser(source).run(); }

} // namespace fly::pseudocode
