// See Hints.h.
#include "compiler/editor/Hints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

#include <set>

namespace fly::editor {

namespace json = llvm::json;

namespace {

constexpr size_t longestHint = 60;

class HintWriter {
public:
  HintWriter(Snapshot &snapshot, const TextPositions &positions, uint32_t begin, uint32_t end)
      : snapshot(snapshot), positions(positions), begin(begin), end(end) {}

  void block(const ast::Block &statements) {
    for (auto *statement : statements)
      visit(*statement);
  }
  json::Array result;

private:
  void visit(const ast::Stmt &statement) {
    if (statement.range.begin > end || statement.range.end < begin)
      return;
    switch (statement.kind) {
    case ast::StmtKind::Def:
      snapshot.elaborateAt(llvm::cast<ast::DefStmt>(statement).nameRange.begin);
      return block(llvm::cast<ast::DefStmt>(statement).body);
    case ast::StmtKind::If:
      block(llvm::cast<ast::IfStmt>(statement).body);
      return block(llvm::cast<ast::IfStmt>(statement).orelse);
    case ast::StmtKind::For: return block(llvm::cast<ast::ForStmt>(statement).body);
    case ast::StmtKind::While: return block(llvm::cast<ast::WhileStmt>(statement).body);
    case ast::StmtKind::With: return block(llvm::cast<ast::WithStmt>(statement).body);
    case ast::StmtKind::Assign: {
      auto &assign = llvm::cast<ast::AssignStmt>(statement);
      for (auto *target : assign.targets) {
        if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(target))
          for (auto *element : tuple->elements)
            hint(*element, nullptr);
        else
          hint(*target, assign.value);
      }
      return;
    }
    default: return;
    }
  }
  void hint(const ast::Expr &target, const ast::Expr *value) {
    auto *note = llvm::isa<ast::NameExpr>(target) ? snapshot.notes.find(target.range) : nullptr;
    const bool says = value && llvm::isa<ast::IntExpr, ast::FloatExpr, ast::BoolExpr, ast::StringExpr>(value);
    if (!note || note->hint == ValueNote::Hint::None || says || target.range.begin < begin || target.range.end > end)
      return;
    std::string label = (note->hint == ValueNote::Hint::Constant ? " = " : ": ") + note->text;
    json::Object made{
        {"position", json::Object(*positions.range(target.range.end, target.range.end).getObject("start"))},
        {"kind", 1}};
    if (label.size() > longestHint) {
      made["tooltip"] = note->text;
      label = label.substr(0, longestHint - 3) + "...";
    }
    made["label"] = label;
    result.push_back(std::move(made));
  }
  Snapshot &snapshot;
  const TextPositions &positions;
  uint32_t begin, end;
};

} // namespace

json::Array hintsIn(Snapshot &snapshot, const TextPositions &positions, uint32_t begin, uint32_t end) {
  HintWriter writer(snapshot, positions, begin, end);
  snapshot.runModule();
  writer.block(snapshot.tree().body);
  return std::move(writer.result);
}

} // namespace fly::editor
