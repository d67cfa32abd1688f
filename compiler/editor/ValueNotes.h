// What the expressions of a file were when they were first evaluated, as text: machine values and views do not outlive
// the elaboration of their kernel.
#pragma once

#include "compiler/layout/ComposedLayout.h"
#include "compiler/sema/language/Evaluator.h"

#include <functional>

namespace fly::editor {

struct ValueNote {
  std::string text;                       ///< "128", "(8, 16):(1, 8)", "f32"
  std::string kind;                       ///< "the copy atom"; empty where the text says it
  const sema::Builtin *builtin = nullptr; ///< it is this function
  const ast::DefStmt *function = nullptr; ///< or one of a .fly file
  const ast::ClassStmt *structure = nullptr;
  bool isType = false;                                ///< or a type, or what makes one: `f16`, `In`
  SourceRange definition;                             ///< of that function, kernel or struct: its name
  const sema::ModuleScope *module = nullptr;          ///< it is this module
  const sema::StructDefinition *instanceOf = nullptr; ///< it is a value of this struct
  std::optional<layout::AnyLayout> layout;            ///< if it is one that can be drawn as a table
  std::shared_ptr<const sema::Value> drawn;           ///< what there is a picture of: layouts, atoms, tiled copies
  enum class Place { Unknown, CompileTime, LaunchTime, Register, Shared, Global } place = Place::Unknown;
  enum class Hint { None, Layout, Constant } hint = Hint::None; ///< whether it is worth showing unasked
};

class ValueNotes final : public sema::EvaluationWatcher {
public:
  ValueNotes(FileId file, std::function<bool()> stop) : file(file), stop(std::move(stop)) {}
  void evaluated(const ast::Expr &expr, const sema::Value &value) override;
  bool isStopped() override;
  /// Elaboration ends, too, when names are there (Snapshot::offer): what follows is not asked for.
  const std::vector<std::string> *offered = nullptr;

  /// Elaboration ends as soon as the expression that is just this range has a value.
  void endAt(SourceRange range) { wanted = range; }

  /// Of the expression that is just this range; null if it was not evaluated.
  const ValueNote *find(SourceRange range) const;

private:
  FileId file;
  std::function<bool()> stop;
  unsigned asked = 0;
  bool stopped = false;
  SourceRange wanted;
  std::map<std::pair<uint32_t, uint32_t>, ValueNote> notes;
};

/// What is known of a value.
ValueNote noteOf(const sema::Value &value);
/// What is known of a member of it: of a module, or of a value of a struct.
std::optional<ValueNote> memberOf(const ValueNote &base, const std::string &name);

} // namespace fly::editor
