// `fields` names the fields of each node once. A Writer and a Reader go over them in the same order.
#include "compiler/syntax/TreeBytes.h"

#include "llvm/ADT/APInt.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>
#include <cstring>

namespace fly {

using namespace ast;

namespace {

// ---- fields: what a node has besides its kind and range

template <typename A> void fields(A &a, NameExpr &n) { a(n.name); }
template <typename A> void fields(A &a, IntExpr &n) { a(n.value); }
template <typename A> void fields(A &a, FloatExpr &n) { a(n.value); }
template <typename A> void fields(A &a, StringExpr &n) { a(n.value); }
template <typename A> void fields(A &a, FStringExpr &n) { a(n.parts); }
template <typename A> void fields(A &a, BoolExpr &n) { a(n.value); }
template <typename A> void fields(A &, NoneExpr &) {}
template <typename A> void fields(A &a, TupleExpr &n) { a(n.elements); }
template <typename A> void fields(A &a, ListExpr &n) { a(n.elements); }
template <typename A> void fields(A &a, DictExpr &n) { a(n.entries); }
template <typename A> void fields(A &a, UnaryExpr &n) { a(n.op, n.opRange, n.operand); }
template <typename A> void fields(A &a, BinaryExpr &n) { a(n.op, n.opRange, n.lhs, n.rhs); }
template <typename A> void fields(A &a, CompareExpr &n) { a(n.operands, n.ops); }
template <typename A> void fields(A &a, BoolOpExpr &n) { a(n.isAnd, n.operands); }
template <typename A> void fields(A &a, ConditionalExpr &n) { a(n.test, n.whenTrue, n.whenFalse); }
template <typename A> void fields(A &a, CallExpr &n) { a(n.callee, n.arguments, n.parens); }
template <typename A> void fields(A &a, SubscriptExpr &n) { a(n.base, n.items, n.trailingComma, n.brackets); }
template <typename A> void fields(A &a, SliceExpr &n) { a(n.start, n.stop, n.step); }
template <typename A> void fields(A &a, AttributeExpr &n) { a(n.base, n.name, n.nameRange); }
template <typename A> void fields(A &a, LambdaExpr &n) { a(n.parameters, n.body); }
template <typename A> void fields(A &a, ComprehensionExpr &n) { a(n.key, n.element, n.clauses, n.isGenerator); }
template <typename A> void fields(A &a, StarredExpr &n) { a(n.value); }

template <typename A> void fields(A &a, ExprStmt &n) { a(n.value); }
template <typename A> void fields(A &a, AssignStmt &n) { a(n.targets, n.value); }
template <typename A> void fields(A &a, AugAssignStmt &n) { a(n.target, n.op, n.opRange, n.value); }
template <typename A> void fields(A &a, AnnAssignStmt &n) { a(n.target, n.annotation, n.value); }
template <typename A> void fields(A &a, IfStmt &n) { a(n.test, n.body, n.orelse); }
template <typename A> void fields(A &a, ForStmt &n) { a(n.target, n.iterable, n.body, n.header); }
template <typename A> void fields(A &a, WhileStmt &n) { a(n.test, n.body, n.header); }
template <typename A> void fields(A &, BreakStmt &) {}
template <typename A> void fields(A &, ContinueStmt &) {}
template <typename A> void fields(A &a, ReturnStmt &n) { a(n.value); }
template <typename A> void fields(A &a, AssertStmt &n) { a(n.test, n.message); }
template <typename A> void fields(A &, PassStmt &) {}
template <typename A> void fields(A &a, DefStmt &n) {
  a(n.name, n.nameRange, n.decorators, n.parameters, n.returns, n.body, n.docstring);
}
template <typename A> void fields(A &a, ClassStmt &n) { a(n.name, n.nameRange, n.decorators, n.body, n.docstring); }
template <typename A> void fields(A &a, ImportStmt &n) { a(n.names); }
template <typename A> void fields(A &a, ImportFromStmt &n) { a(n.module, n.moduleRange, n.level, n.names); }
template <typename A> void fields(A &a, WithStmt &n) { a(n.items, n.body); }

template <typename A> void fields(A &a, FStringExpr::Part &n) { a(n.text, n.value, n.spec, n.format); }
template <typename A> void fields(A &a, DictExpr::Entry &n) { a(n.key, n.value); }
template <typename A> void fields(A &a, CompareExpr::Op &n) { a(n.op, n.range); }
template <typename A> void fields(A &a, Argument &n) { a(n.keyword, n.keywordRange, n.value, n.keywords, n.range); }
template <typename A> void fields(A &a, Parameter &n) {
  a(n.name, n.nameRange, n.range, n.annotation, n.defaultValue, n.keywordOnly, n.kind);
}
template <typename A> void fields(A &a, ComprehensionExpr::Clause &n) { a(n.target, n.iterable, n.tests); }
template <typename A> void fields(A &a, ImportedName &n) { a(n.name, n.alias, n.range); }
template <typename A> void fields(A &a, WithStmt::Item &n) { a(n.context, n.target); }

// ---- from a kind to its node

/// Calls `make.operator()<NameExpr>()` and so on.
template <typename Make> Expr *ofKind(ExprKind kind, Make make) {
  switch (kind) {
  case ExprKind::Name: return make.template operator()<NameExpr>();
  case ExprKind::Int: return make.template operator()<IntExpr>();
  case ExprKind::Float: return make.template operator()<FloatExpr>();
  case ExprKind::String: return make.template operator()<StringExpr>();
  case ExprKind::FString: return make.template operator()<FStringExpr>();
  case ExprKind::Bool: return make.template operator()<BoolExpr>();
  case ExprKind::None: return make.template operator()<NoneExpr>();
  case ExprKind::Tuple: return make.template operator()<TupleExpr>();
  case ExprKind::List: return make.template operator()<ListExpr>();
  case ExprKind::Dict: return make.template operator()<DictExpr>();
  case ExprKind::Unary: return make.template operator()<UnaryExpr>();
  case ExprKind::Binary: return make.template operator()<BinaryExpr>();
  case ExprKind::Compare: return make.template operator()<CompareExpr>();
  case ExprKind::BoolOp: return make.template operator()<BoolOpExpr>();
  case ExprKind::Conditional: return make.template operator()<ConditionalExpr>();
  case ExprKind::Call: return make.template operator()<CallExpr>();
  case ExprKind::Subscript: return make.template operator()<SubscriptExpr>();
  case ExprKind::Slice: return make.template operator()<SliceExpr>();
  case ExprKind::Attribute: return make.template operator()<AttributeExpr>();
  case ExprKind::Lambda: return make.template operator()<LambdaExpr>();
  case ExprKind::Comprehension: return make.template operator()<ComprehensionExpr>();
  case ExprKind::Starred: return make.template operator()<StarredExpr>();
  }
  llvm_unreachable("no such expression");
}

template <typename Make> Stmt *ofKind(StmtKind kind, Make make) {
  switch (kind) {
  case StmtKind::Expr: return make.template operator()<ExprStmt>();
  case StmtKind::Assign: return make.template operator()<AssignStmt>();
  case StmtKind::AugAssign: return make.template operator()<AugAssignStmt>();
  case StmtKind::AnnAssign: return make.template operator()<AnnAssignStmt>();
  case StmtKind::If: return make.template operator()<IfStmt>();
  case StmtKind::For: return make.template operator()<ForStmt>();
  case StmtKind::While: return make.template operator()<WhileStmt>();
  case StmtKind::Break: return make.template operator()<BreakStmt>();
  case StmtKind::Continue: return make.template operator()<ContinueStmt>();
  case StmtKind::Return: return make.template operator()<ReturnStmt>();
  case StmtKind::Assert: return make.template operator()<AssertStmt>();
  case StmtKind::Pass: return make.template operator()<PassStmt>();
  case StmtKind::Def: return make.template operator()<DefStmt>();
  case StmtKind::Class: return make.template operator()<ClassStmt>();
  case StmtKind::Import: return make.template operator()<ImportStmt>();
  case StmtKind::ImportFrom: return make.template operator()<ImportFromStmt>();
  case StmtKind::With: return make.template operator()<WithStmt>();
  }
  llvm_unreachable("no such statement");
}

template <typename T> constexpr bool isNumber =
    std::is_enum_v<T> || std::is_same_v<T, bool> || std::is_same_v<T, unsigned>;

// ---- writing. Numbers take seven bits per byte. A node that is missing is a 0, another one its kind plus 1.

class Writer {
public:
  std::string bytes;

  template <typename... Ts> void operator()(Ts &...ts) { (put(ts), ...); }

private:
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes += char(value | 0x80);
    bytes += char(value);
  }
  template <typename T> std::enable_if_t<isNumber<T>> put(T value) { number(uint64_t(value)); }
  void put(std::string &text) {
    number(text.size());
    bytes += text;
  }
  void put(double value) { bytes.append(reinterpret_cast<const char *>(&value), sizeof value); }
  void put(llvm::DynamicAPInt &value) {
    std::string text;
    llvm::raw_string_ostream(text) << value;
    put(text);
  }
  void put(SourceRange range) {
    number(range.valid());
    if (range.valid()) {
      number(range.begin);
      number(range.end - range.begin);
    }
  }
  template <typename T> void put(std::vector<T> &items) {
    number(items.size());
    for (T &item : items)
      put(item);
  }
  void put(Expr *node) {
    if (!node)
      return number(0);
    number(uint64_t(node->kind) + 1);
    put(node->range);
    number(node->height);
    ofKind(node->kind, [&]<typename Node>() { return fields(*this, static_cast<Node &>(*node)), node; });
  }
  void put(Stmt *node) {
    number(uint64_t(node->kind));
    put(node->range);
    ofKind(node->kind, [&]<typename Node>() { return fields(*this, static_cast<Node &>(*node)), node; });
  }
  template <typename T> std::enable_if_t<std::is_class_v<T>> put(T &part) { fields(*this, part); }
};

// ---- reading

class Reader {
public:
  Reader(llvm::StringRef bytes, Module &module) : bytes(bytes), module(module) {}

  template <typename... Ts> void operator()(Ts &...ts) { (get(ts), ...); }
  bool done() const { return bytes.empty(); }

private:
  llvm::StringRef bytes; ///< what is left
  Module &module;

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = uint8_t(bytes.front());
      bytes = bytes.drop_front();
      value |= uint64_t(byte & 0x7F) << shift;
      if (byte < 0x80)
        return value;
    }
  }
  llvm::StringRef take(size_t count) {
    const llvm::StringRef taken = bytes.take_front(count);
    bytes = bytes.drop_front(count);
    return taken;
  }
  template <typename T> std::enable_if_t<isNumber<T>> get(T &value) { value = T(number()); }
  void get(std::string &text) { text = take(number()).str(); }
  void get(double &value) { std::memcpy(&value, take(sizeof value).data(), sizeof value); }
  void get(llvm::DynamicAPInt &value) {
    const llvm::StringRef text = take(number());
    int64_t small;
    value = text.getAsInteger(10, small)
                ? llvm::DynamicAPInt(llvm::APInt(llvm::APInt::getBitsNeeded(text, 10) + 1, text, 10))
                : llvm::DynamicAPInt(small);
  }
  void get(SourceRange &range) {
    if (!number())
      return;
    range.file = module.file;
    range.begin = uint32_t(number());
    range.end = range.begin + uint32_t(number());
  }
  template <typename T> void get(std::vector<T> &items) {
    items.resize(number());
    for (T &item : items)
      get(item);
  }
  void get(Expr *&node) {
    const uint64_t kind = number();
    node = kind == 0 ? nullptr : ofKind(ExprKind(kind - 1), [&]<typename Node>() -> Expr * {
      auto *made = module.make<Node>();
      get(made->range);
      made->height = unsigned(number());
      fields(*this, *made);
      return made;
    });
  }
  void get(Stmt *&node) {
    node = ofKind(StmtKind(number()), [&]<typename Node>() -> Stmt * {
      auto *made = module.make<Node>();
      get(made->range);
      fields(*this, *made);
      return made;
    });
  }
  template <typename T> std::enable_if_t<std::is_class_v<T>> get(T &part) { fields(*this, part); }
};

} // namespace

std::string treeToBytes(const Module &module) {
  Writer writer;
  auto docstring = module.docstring;
  auto body = module.body;
  writer(docstring, body);
  return std::move(writer.bytes);
}

std::unique_ptr<Module> treeFromBytes(llvm::StringRef bytes, FileId file) {
  auto module = std::make_unique<Module>();
  module->file = file;
  Reader reader(bytes, *module);
  reader(module->docstring, module->body);
  assert(reader.done() && "a tree has been read differently from how it was written");
  return module;
}

} // namespace fly
